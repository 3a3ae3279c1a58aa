"""OpenDP's registry on the page: its files among the known deployments, and entries to save."""

from pathlib import Path

import pytest
import yaml

from .test_people import serious_findings

NEWEST = Path(__file__).parents[2] / "published" / "registry" / "newest.yaml"


@pytest.fixture
def expect():
    return pytest.importorskip("playwright.sync_api").expect


def test_files_stand_among_the_known_ones(new_calculator, expect, tmp_path):
    calculator = new_calculator().open(view="understand")
    calculator.refused = True
    page = calculator.page
    rows = page.locator(".deployed li")
    rows.first.wait_for()
    before = rows.count()
    files = page.locator('#understand input[type="file"]')
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Open files of OpenDP’s registry").click()
    chooser.value.set_files(NEWEST)
    expect(page.locator(".deployed li.opened")).to_have_count(1)
    expect(page.locator(".deployments .said")).to_have_text("newest.yaml is shown with the others, marked.")
    files.set_input_files(NEWEST)  # once more is the same
    expect(rows).to_have_count(before + 1)
    calculator.unfold()
    expect(page.locator(".deployments tr", has_text="(opened)")).to_be_visible()
    assert serious_findings(page) == []
    (tmp_path / "bad.yaml").write_text("a: 1")
    files.set_input_files(tmp_path / "bad.yaml")
    expect(page.locator(".deployments .said.wrong")).to_contain_text("bad.yaml: is no entry of the registry")
    expect(rows).to_have_count(before + 1)
    page.get_by_role("button", name="Remove what was opened").click()
    expect(rows).to_have_count(before)


@pytest.mark.parametrize("view", ["start", "account"])
def test_an_entry_to_save(new_calculator, expect, view, tmp_path):
    """By keyboard: what is missing is named, then the file is there."""
    calculator = new_calculator(accept_downloads=True).open(view=view, unit="one person")
    page = calculator.page
    page.locator(f"#{view} .registry summary").click()
    save = page.locator(f"#{view}").get_by_role("button", name="Save the entry")
    save.click()
    expect(page.locator(f"#registry-{view}-curator-error")).to_have_text("This is needed.")
    expect(page.locator(f"#registry-{view}-curator")).to_be_focused()
    for name, words in (("curator", "Town"), ("intended_use", "planning"), ("region", "Town"), ("author", "A. Clerk")):
        page.locator(f"#registry-{view}-{name}").fill(words)
    page.locator(f"#registry-{view}-curator_type").select_option("Nonprofit")
    with page.expect_download() as waited:
        page.keyboard.press("Tab")
        page.locator(f"#registry-{view}-author").press("Enter")
    waited.value.save_as(tmp_path / "entry.yaml")
    entry = yaml.safe_load((tmp_path / "entry.yaml").read_text(encoding="utf-8"))
    curator = {"data_curator_name": "Town", "data_curator_type": "Nonprofit"}
    assert entry["deployment"]["basic"]["data_curators"] == [curator]
    expect(page.locator(f"#{view} .takeaway .said")).to_contain_text("Saved")
    assert serious_findings(page) == []
