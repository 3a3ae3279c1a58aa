"""The example notebooks run, and show what is committed."""

import json
import re
import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples"
PATHS = sorted(FOLDER.glob("*.ipynb"))
NEEDS = {"report_a_training_run": ("torch", "opacus")}


def test_there_are_four():
    stems = [path.stem for path in PATHS]
    assert stems == ["audit_a_claim", "audit_training", "choose_a_budget", "report_a_training_run"]


def test_the_script_of_a_whole_audit():
    """Other seeds than the notebook's: the fault is found, the honest training is left in peace."""
    script = runpy.run_path(str(FOLDER / "audit_training.py"))
    assert script["audited"](script["Trainer"](clipping_norm=2.0), seed=2).contradicted
    honest = script["audited"](script["Trainer"](), seed=2)
    assert honest.pairs == script["MOST_PAIRS"]
    assert not honest.contradicted


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_fresh_run_shows_the_same(path):
    for module in ("nbclient", "ipykernel", *NEEDS.get(path.stem, ())):
        pytest.importorskip(module, reason=f"needs {module}: make .venv/.installed-dev")
    fresh = runpy.run_path(str(FOLDER / "execute.py"))["executed"](path)
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert len(fresh.cells) == len(kept["cells"])
    for new, old in zip(fresh.cells, kept["cells"], strict=True):
        assert texts(new) == texts(old), f"make notebooks writes the outputs anew; this cell differs:\n{new.source}"


def texts(cell):
    """Everything that a cell shows, as texts; what it prints is one text, however the kernel sent it."""
    printed, shown = "", []
    for output in cell.get("outputs", ()):
        assert output["output_type"] != "error"
        if "data" in output:
            shown += ["".join(text) for text in output["data"].values()]
        else:
            printed += "".join(output["text"])
    return [printed, *shown]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_what_is_committed_is_small_and_speaks_of_no_machine(path):
    text = path.read_text(encoding="utf-8")
    cells = json.loads(text)["cells"]
    assert len(text) < 60_000
    assert not re.search(r"/(?:home|root|tmp|work|usr)/|0x[0-9a-f]{6}", text)
    assert cells[0]["cell_type"] == "markdown"
    assert cells[0]["source"][0].startswith("# ")
    assert sum(bool(cell.get("outputs")) for cell in cells) >= 4
