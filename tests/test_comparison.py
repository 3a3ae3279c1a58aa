"""The page that compares tools says what they say now; `make comparison` writes it anew."""

import importlib.util
import re
from pathlib import Path

import pytest

pytest.importorskip("opacus", reason='needs Opacus: pip install "gaussdp[opacus]"')

from benchmarks import peers

from gaussdp import DPSGD, account

PAGE = Path(__file__).parents[1] / "docs" / "comparison.md"
TEXT = PAGE.read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TEXT.splitlines()
    if line.startswith("|") and any(run in line for run in peers.SETTINGS)
]
INSTALLED = [peer for peer in peers.PEERS if peer.name != "gdpnum" or importlib.util.find_spec("gdpnum")]
COARSE = 1e-3
SHORT = "25,000 records, batch 64, 5 epochs, noise 0.6"


def test_every_tool_and_run_is_there():
    assert [row[:2] for row in ROWS] == [[peer.name, run] for peer in peers.PEERS for run in peers.SETTINGS]


@pytest.mark.parametrize("peer", INSTALLED, ids=lambda peer: peer.name)
def test_what_a_tool_says_now(peer):
    for name, run, said, low, high, verdict in ROWS:
        if name == peer.name and (name != "gdpnum" or run == SHORT):  # which takes seconds for each of the others
            now = peer.epsilon(DPSGD.from_training(*peers.SETTINGS[run]))
            assert now == pytest.approx(float(said), abs=6e-5), run
            assert verdict == peers.verdict(now, float(low), float(high))


def test_the_bounds_of_the_third_tool(monkeypatch):
    """On a grid a hundred times as coarse they lie outside those on the page; the exact curve lies inside these."""
    monkeypatch.setattr(peers, "GRID", COARSE)
    run = DPSGD.from_training(*peers.SETTINGS[SHORT])
    low, high = peers.bounds.__wrapped__(run)
    ((*_, least, most, _),) = [row for row in ROWS if row[0] == "gaussdp" and row[1] == SHORT]
    assert low <= float(least) <= account(run).epsilon(peers.DELTA) <= float(most) <= high


def test_the_sentence_about_calibration():
    pytest.importorskip("riskcal", reason="needs riskcal: make bench installs it")
    noise, left = re.search(r"finds a noise of ([\d.]+), which leaves a TPR of ([\d.]+)", TEXT).groups()
    assert peers.riskcal_words().split()[2] == noise
    assert peers.riskcal_words().endswith(left)


def test_the_page_is_written_from_the_tools(monkeypatch, tmp_path):
    copy = tmp_path / "comparison.md"
    copy.write_text(TEXT.replace(ROWS[0][2], "9.9999"), encoding="utf-8")
    monkeypatch.setattr(
        peers, "table", lambda *_: "\n".join([*peers.HEAD, *(f"| {' | '.join(row)} |" for row in ROWS)])
    )
    peers.write(copy, "noise 0.5 leaves a TPR of 0.1")
    written = copy.read_text(encoding="utf-8")
    assert ROWS[0][2] in written
    assert "9.9999" not in written
    assert "finds a noise of 0.5, which leaves a TPR of 0.1" in written
