"""Print what is installed here as a software bill of materials: CycloneDX 1.5, in JSON.

Run by the Python of an environment that holds gaussdp and what it needs, and nothing else.
"""

import hashlib
import json
import re
import sys
from importlib.metadata import Distribution, distributions
from importlib.util import find_spec
from pathlib import Path

INSTALLERS = {"pip", "setuptools", "wheel"}
_NAME = re.compile(r"^[A-Za-z0-9._-]+")
_ORIGIN = re.compile(r"^(?P<title>\S+) (?P<version>\d[\w.]*), package `(?P<name>[\w.-]+)`, (?P<licence>\w+) licence")
VENDOR = "web/static/vendor"


def normal(name: str) -> str:
    """A name as package indexes write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def reference(one: Distribution) -> str:
    """A package URL."""
    return f"pkg:pypi/{normal(one.metadata['Name'])}@{one.version}"


def component(one: Distribution) -> dict[str, object]:
    """One package, with its licence as far as it states one in a line."""
    stated = one.metadata.get("License-Expression") or one.metadata.get("License") or ""
    licence = {"licenses": [{"license": {"name": stated}}]} if stated and "\n" not in stated else {}
    name = normal(one.metadata["Name"])
    purl = reference(one)
    return {"type": "library", "bom-ref": purl, "name": name, "version": one.version, "purl": purl, **licence}


def vendored(product: str) -> list[dict[str, object]]:
    """What is no Python package, but comes in the files of the product: each folder says in ORIGIN.md what it holds."""
    found = []
    package = find_spec(product)
    folders = (package and package.submodule_search_locations) or ()
    for origin in sorted(path for folder in folders for path in (Path(folder) / VENDOR).glob("*/ORIGIN.md")):
        told = _ORIGIN.match(origin.read_text(encoding="utf-8"))
        if told is None:
            raise SystemExit(f"{origin}: the first words must be as in: uPlot 1.6.32, package `uplot`, MIT licence")
        purl = f"pkg:npm/{told['name']}@{told['version']}"
        files = sorted(path for path in origin.parent.iterdir() if path.suffix in (".js", ".css"))
        parts = [
            {
                "type": "file",
                "name": path.name,
                "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}],
            }
            for path in files
        ]
        licence = [{"license": {"id": told["licence"]}}]
        named = {"name": told["name"], "version": told["version"], "purl": purl}
        found.append({"type": "library", "bom-ref": purl, **named, "licenses": licence, "components": parts})
    return found


def bill(product: str = "gaussdp") -> dict[str, object]:
    """The product, its parts and what each of them needs."""
    found = {normal(one.metadata["Name"]): one for one in distributions()}
    parts = {name: one for name, one in sorted(found.items()) if name not in INSTALLERS and name != product}
    needs = []
    for one in (found[product], *parts.values()):
        names = {normal(match[0]) for line in one.requires or () if (match := _NAME.match(line))}
        on = sorted(reference(found[name]) for name in names if name in found and name not in INSTALLERS)
        needs.append({"ref": reference(one), "dependsOn": on})
    others = vendored(product)
    needs[0]["dependsOn"] = sorted([*needs[0]["dependsOn"], *(other["bom-ref"] for other in others)])
    needs += [{"ref": other["bom-ref"], "dependsOn": []} for other in others]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {**component(found[product]), "type": "application"}},
        "components": [*map(component, parts.values()), *others],
        "dependencies": needs,
    }


if __name__ == "__main__":
    json.dump(bill(), sys.stdout, indent=2)
    sys.stdout.write("\n")
