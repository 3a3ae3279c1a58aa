"""One fuzzer, or all of them in turn; the exit code is 1 if something was found.

python -m benchmarks.fuzz cli --seconds 60 --seed 1     trials for a minute
python -m benchmarks.fuzz cli --seed 1 --trial 17       one of them again
"""

import argparse
import resource
import sys
from importlib import import_module
from importlib.util import find_spec

from benchmarks.fuzz.trials import rows, run
from benchmarks.timing import print_table

NAMES = [
    name
    for name in ("library", "cli", "files", "audits", "crash", "claims")
    if find_spec(f"benchmarks.fuzz.{name}") is not None
]
MOST_MEMORY = 8 << 30  # bytes: who asks for more is told that there is none


def main() -> int:
    """Make the trials, print the table, and what was found."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    options.add_argument("name", choices=[*NAMES, "all"])
    options.add_argument("--seconds", type=float, default=60.0, help="of each fuzzer")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--trial", type=int, help="this one alone")
    asked = options.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    found = 0
    for name in NAMES if asked.name == "all" else [asked.name]:
        areas = import_module(f"benchmarks.fuzz.{name}").AREAS
        tallies = run(name, areas, seed=asked.seed, seconds=asked.seconds, only=asked.trial)
        header, table = rows(tallies)
        print_table(f"{name}, seed {asked.seed}", header, table)
        for tally in tallies.values():
            found += len(tally.finds)
            for text in tally.finds:
                print(f"\n{text}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
