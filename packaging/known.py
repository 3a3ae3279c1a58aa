"""Check a bill of materials against the advisories that are written down here, without asking anybody.

Run as `python packaging/known.py BILL.cdx.json`; the exit code is 1 if one applies.
"""

import json
import sys
import tomllib
from pathlib import Path

from packaging.version import Version

ADVISORIES = Path(__file__).parent / "advisories.toml"


def advisories() -> list[dict[str, str]]:
    """All that are written down."""
    listed: list[dict[str, str]] = tomllib.loads(ADVISORIES.read_text(encoding="utf-8"))["advisory"]
    return listed


def applying(versions: dict[str, str]) -> list[str]:
    """What is wrong with these versions, a line each."""
    return [
        f"{one['package']} {versions[one['package']]} has {one['id']}, fixed in {one['fixed']}: {one['weakness']}"
        for one in advisories()
        if one["package"] in versions and Version(versions[one["package"]]) < Version(one["fixed"])
    ]


def main(path: str) -> int:
    """Print what applies, or that nothing does."""
    parts = json.loads(Path(path).read_text(encoding="utf-8"))["components"]
    found = applying({part["name"]: part["version"] for part in parts})
    for line in found:
        print(line)
    if not found:
        print(f"{len(parts)} packages: none of the {len(advisories())} advisories in {ADVISORIES.name} applies")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
