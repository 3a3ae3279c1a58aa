"""python -m gaussdp, and the gaussdp command."""

import sys

from gaussdp.interrupts import ending_at_once


def run() -> None:
    """Run the command line and exit with its code."""
    with ending_at_once():
        from gaussdp.cli import main

    sys.exit(main())


if __name__ == "__main__":
    run()
