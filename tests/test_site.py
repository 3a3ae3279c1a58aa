"""The site builds without a warning, offline, and holds every public name; it asks nobody for anything."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest

import gaussdp
from gaussdp.mechanisms import Composition
from gaussdp.statements.schemas import plan_schema, run_schema

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    for needed in ("mkdocs", "material", "mkdocstrings", "latex2mathml"):
        pytest.importorskip(needed, reason=f"no {needed}: the site was not built")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src"), "MPLBACKEND": "agg"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_public_name_is_in_the_reference(site):
    pages = "".join(path.read_text(encoding="utf-8") for path in (site / "reference").glob("*.html"))
    for name in gaussdp.__all__:
        if name not in ("calibration", "mechanisms", "risks"):
            assert f'id="gaussdp.{name}"' in pages, name


def test_nothing_is_fetched_from_elsewhere(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        fetched = re.findall(r'<(?:script|img|link|iframe)[^>]*(?:src|href)="(https?:[^"]+)"', text)
        assert fetched == [], page.name


def test_search_and_gallery_and_schemas_are_there(site):
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    assert any("Set a budget" in entry["title"] for entry in index["docs"])
    assert len(list((site / "gallery").glob("*.svg"))) >= 10
    assert json.loads((site / "schemas" / "run.schema.json").read_text(encoding="utf-8"))["title"]
    assert "<math" in (site / "reference" / "conversions.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["run.toml", "clt_claim.toml"])
def test_examples_follow_the_schema_of_runs(name):
    jsonschema.validate(tomllib.loads((ROOT / "examples" / name).read_text(encoding="utf-8")), run_schema())


def test_what_a_plan_holds_follows_its_schema():
    plan = Composition([gaussdp.DPSGD(1.0, 0.01, 100), gaussdp.Laplace(2.0), gaussdp.GDP(0.5)])
    entries = [part.plan_entry() | {"times": times} for part, times in plan.releases()]
    jsonschema.validate({"releases": entries}, plan_schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"releases": [entries[0] | {"nois": 1}]}, plan_schema())
