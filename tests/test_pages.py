"""Pages tell the truth: sessions are run again, and links lead somewhere."""

import re
from pathlib import Path

import pytest

import sessions

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / ".github").rglob("*.md")])
A_SCREEN = 50  # lines
MADE = ("reference/", "schemas/", "gallery.md")  # by the build of the site


@pytest.mark.parametrize("page", sessions.pages(), ids=lambda page: page.name)
def test_sessions_show_what_the_commands_print(page):
    text = page.read_text(encoding="utf-8")
    assert text == sessions.replayed(text), "run `python tests/sessions.py` and look at the difference"


def test_the_readme_is_two_screens():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 2 * A_SCREEN


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        file = target.partition("#")[0]
        if file and "://" not in file and not file.startswith(MADE):
            assert (page.parent / file).exists(), f"{target} is not there"


def test_tests_that_are_named_exist():
    text = (ROOT / "docs" / "theorems.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/.]+)`", text)
    assert len(named) > 20
    for name in named:
        assert (ROOT / name).exists(), name
