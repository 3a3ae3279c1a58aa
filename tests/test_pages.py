"""Pages tell the truth: sessions are run again, and links lead somewhere."""

import re
from pathlib import Path

import pytest

import gaussdp
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


def _plan():
    """A plan of JAX Privacy, as its examples make one."""
    plans = pytest.importorskip(
        "jax_privacy.experimental.execution_plan", reason="no jax-privacy: its page was not run"
    )
    numbers = {"iterations": 40, "sampling_prob": 0.1, "epsilon": None, "delta": None, "noise_multiplier": 1.5}
    return {"plan": plans.BandMFExecutionPlanConfig(strategy=[1.0], l2_clip_norm=0.7, **numbers).plan}


def _book():
    """A budget book with room for the run, and the accountant of a training."""
    opacus = pytest.importorskip(
        "gaussdp.integrations.opacus", reason="no Opacus: the page of budget books was not run"
    )
    book = gaussdp.Ledger.create("budget.db", unit="one image", adjacency="add-remove")
    book.open_budget("models", gaussdp.GDP(3.0), slack=1e-6)
    return {"book": book, "accountant": opacus.GaussdpAccountant()}


def _distribution():
    pytest.importorskip("PLD_accounting", reason="no PLD_accounting: its distribution was not read")
    return {"gaussdp": gaussdp}


BLOCKS = {  # pages with code that is no session, and what it starts from; of Opacus in tests/integrations
    "docs/integrations/distributions.md": _distribution,
    "docs/integrations/dp-accounting.md": _plan,
    "docs/integrations/opacus.md": None,
    "docs/ledger.md": _book,
    "docs/notebooks.md": dict,
}


def _blocks(page):
    found = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    return [block for block in found if ">>>" not in block]


def test_every_code_block_is_run_somewhere():
    assert {str(page.relative_to(ROOT)) for page in PAGES if _blocks(page)} == set(BLOCKS)


@pytest.mark.parametrize("page", [page for page, start in BLOCKS.items() if start])
def test_code_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = BLOCKS[page]()
    for block in _blocks(ROOT / page):
        exec(block, names)


def test_tests_that_are_named_exist():
    text = (ROOT / "docs" / "theorems.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/.]+)`", text)
    assert len(named) > 20
    for name in named:
        assert (ROOT / name).exists(), name


@pytest.mark.parametrize("page", ["README.md", "docs/accounting.md"])
def test_pages_say_of_errors_what_the_survey_found(page):
    """How many readings were checked against proofs, and that none exceeded its error: as the survey has it."""
    survey = (ROOT / "docs" / "certified.md").read_text(encoding="utf-8")
    readings, exceeded, worst = re.search(r"\| all \| \| (\d+) \| (\d+) \| ([\d.]+) \|", survey).groups()
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    assert int(exceeded) == 0
    assert f"{int(readings):,} readings" in text
    assert page == "README.md" or f"the worst used {worst} of it" in text


def test_no_page_calls_everything_proved():
    """Estimates of errors are no proofs, and the README names them."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "`error_kind` says whether that is a proved bound" in text
    assert "refused or enclosed" not in text
