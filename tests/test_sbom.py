"""The bill of materials names everything that the server runs on, with a version that is known to be safe."""

import hashlib
import json
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_bill_names_what_the_server_needs():
    made = subprocess.run([sys.executable, ROOT / "packaging" / "sbom.py"], capture_output=True, check=True)
    bill = json.loads(made.stdout)
    assert (bill["bomFormat"], bill["metadata"]["component"]["name"]) == ("CycloneDX", "gaussdp")
    parts = {part["name"]: part for part in bill["components"]}
    assert {"numpy", "scipy", "starlette", "uvicorn", "h11", "msgspec", "anyio"} <= set(parts)
    vendored = {name: parts.pop(name) for name in [name for name, part in parts.items() if ":npm/" in part["purl"]]}
    assert all(part["purl"] == f"pkg:pypi/{name}@{part['version']}" for name, part in parts.items())
    parts |= vendored
    references = {part["bom-ref"] for part in (*parts.values(), bill["metadata"]["component"])}
    needs = {entry["ref"]: entry["dependsOn"] for entry in bill["dependencies"]}
    assert set(needs) == references
    assert references >= {ref for on in needs.values() for ref in on}
    assert parts["h11"]["bom-ref"] in needs[parts["uvicorn"]["bom-ref"]]


def test_the_bill_names_what_comes_with_the_page():
    """Each folder of files by others, with its version and the hashes of the files as they are."""
    made = subprocess.run([sys.executable, ROOT / "packaging" / "sbom.py"], capture_output=True, check=True)
    bill = json.loads(made.stdout)
    vendored = {part["name"]: part for part in bill["components"] if part["purl"].startswith("pkg:npm/")}
    vendor = ROOT / "src" / "gaussdp" / "web" / "static" / "vendor"
    assert set(vendored) == {folder.name for folder in vendor.iterdir()} == {"uplot"}
    assert f"uPlot {vendored['uplot']['version']}," in (vendor / "uplot" / "ORIGIN.md").read_text(encoding="utf-8")
    held = {part["name"]: part["hashes"][0]["content"] for part in vendored["uplot"]["components"]}
    here = [path for path in (vendor / "uplot").iterdir() if path.suffix in (".js", ".css")]
    assert held == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in here}
    assert vendored["uplot"]["bom-ref"] in bill["dependencies"][0]["dependsOn"]


def test_bounds_where_internals_are_used_and_where_older_ones_are_unsafe():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    web = {re.match(r"[a-z0-9]+", line)[0]: line for line in extras["web"]}
    assert "<" in web["uvicorn"]
    known = runpy.run_path(str(ROOT / "packaging" / "known.py"))
    least = {name: re.search(r">=([0-9.]+)", line)[1] for name, line in web.items()}
    assert known["applying"](least) == []
    assert all(one["package"] in web and one["source"].startswith("https://") for one in known["advisories"]())
    (line,) = known["applying"]({"h11": "0.14.0", "numpy": "1.0"})
    assert line.startswith("h11 0.14.0 has CVE-2025-43859, fixed in 0.16.0: ")
