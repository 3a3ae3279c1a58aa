"""Print what is installed here as a software bill of materials: CycloneDX 1.5, in JSON.

Run by the Python of an environment that holds gaussdp and what it needs, and nothing else.
"""

import json
import re
import sys
from importlib.metadata import Distribution, distributions

INSTALLERS = {"pip", "setuptools", "wheel"}
_NAME = re.compile(r"^[A-Za-z0-9._-]+")


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


def bill(product: str = "gaussdp") -> dict[str, object]:
    """The product, its parts and what each of them needs."""
    found = {normal(one.metadata["Name"]): one for one in distributions()}
    parts = {name: one for name, one in sorted(found.items()) if name not in INSTALLERS and name != product}
    needs = []
    for one in (found[product], *parts.values()):
        names = {normal(match[0]) for line in one.requires or () if (match := _NAME.match(line))}
        on = sorted(reference(found[name]) for name in names if name in found and name not in INSTALLERS)
        needs.append({"ref": reference(one), "dependsOn": on})
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {**component(found[product]), "type": "application"}},
        "components": [component(one) for one in parts.values()],
        "dependencies": needs,
    }


if __name__ == "__main__":
    json.dump(bill(), sys.stdout, indent=2)
    sys.stdout.write("\n")
