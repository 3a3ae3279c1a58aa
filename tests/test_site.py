"""The site builds without a warning, offline, and holds every public name; it asks nobody for anything."""

import json
import os
import re
import subprocess
import sys
import tomllib
from itertools import product
from pathlib import Path

import jsonschema
import pytest

import gaussdp
from browsers import CHROMIUM, NO_CHROMIUM
from calculator import ARGUMENTS, PATIENCE
from gaussdp.mechanisms import Composition
from gaussdp.statements.machine import plan_schema, run_schema

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


def test_the_gallery_shows_what_each_script_prints_and_draws(site):
    page = (site / "gallery.html").read_text(encoding="utf-8")
    scripts = sorted((ROOT / "examples" / "gallery").glob("*.py"))
    assert len(scripts) >= 10
    for script in scripts:
        assert f'src="gallery/{script.stem}.svg"' in page, script.name
        assert (site / "gallery" / f"{script.stem}.svg").stat().st_size > 10_000
    assert page.count('<div class="highlight">') == 2 * len(scripts), "code and output of each"


def test_it_is_searched_and_read_by_everybody(site):
    """Opened as files: axe on a desk and a phone, by day and night, on pages with code, tables, formulas; a search."""
    if CHROMIUM is None:
        pytest.skip(NO_CHROMIUM)
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe: the site was not examined").Axe()
    from playwright.sync_api import sync_playwright

    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS) as browser,
    ):
        for scheme, width in product(("light", "dark"), (1280, 390)):
            page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
            for name in ("index", "reference/conversions", "web-server"):
                page.goto((site / f"{name}.html").as_uri())
                assert page.locator("body").get_attribute("data-md-color-media") == f"(prefers-color-scheme: {scheme})"
                violations = axe.run(page).response["violations"]
                assert [(one["id"], one["nodes"][0]["html"]) for one in violations] == [], (name, scheme, width)
                wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                assert wider <= 0, (name, width)
        page = browser.new_page()
        page.goto((site / "start" / "set-a-budget.html").as_uri())
        page.get_by_placeholder("Search").press_sequentially("epsilon_from_mu")
        page.locator(".md-search-result__item", has_text="epsilon_from_mu").first.wait_for(timeout=PATIENCE)


@pytest.mark.parametrize("name", ["run.toml", "clt_claim.toml"])
def test_examples_follow_the_schema_of_runs(name):
    jsonschema.validate(tomllib.loads((ROOT / "examples" / name).read_text(encoding="utf-8")), run_schema())


def test_what_a_plan_holds_follows_its_schema():
    plan = Composition([gaussdp.DPSGD(1.0, 0.01, 100), gaussdp.Laplace(2.0), gaussdp.GDP(0.5)])
    entries = [part.plan_entry() | {"times": times} for part, times in plan.releases()]
    jsonschema.validate({"releases": entries}, plan_schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"releases": [entries[0] | {"nois": 1}]}, plan_schema())
