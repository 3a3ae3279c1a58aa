"""python -m gaussdp, and the gaussdp command."""

import sys


def run() -> None:
    """Run the command line and exit with its code."""
    from gaussdp.cli import main

    sys.exit(main())


if __name__ == "__main__":
    run()
