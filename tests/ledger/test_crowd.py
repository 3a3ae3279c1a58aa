"""64 processes decide at once and are killed with -9 at random moments: nothing is overspent, and nothing is lost."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from gaussdp import GDP
from gaussdp.documents.written import root_up, written

PROCESSES, ENOUGH = 64, 400
ANSWERS = {"reserve": "reserved", "commit": "committed", "refund": "refunded"}


def test_a_crowd_that_is_killed(book, url, tmp_path):
    book.open_budget("top", GDP(1.0))
    for name in ("left", "right"):
        book.open_budget(name, GDP(0.8), within="top")
    crowd = [sys.executable, str(Path(__file__).with_name("crowd.py")), url, str(tmp_path), str(PROCESSES)]
    done = subprocess.run([*crowd, str(ENOUGH), "7"], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr

    assert book.verify().problems == ()
    kept = {(ANSWERS[entry.kind], entry.key) for entry in book.entries() if entry.kind in ANSWERS}
    lines = [line for file in sorted(tmp_path.glob("*.txt")) for line in file.read_text().splitlines(keepends=True)]
    answered = {tuple(line.split()) for line in lines if line.endswith("\n")}  # the last one may be torn
    assert {answer for answer in answered if answer[0] != "refused"} <= kept
    assert Counter(word for word, _ in answered)["reserved"] > 100

    spent = Counter(entry.budget for entry in book.entries() if entry.kind == "reserve")
    spent.subtract(entry.budget for entry in book.entries() if entry.kind == "refund")
    share = written(0.1) ** 2
    assert max(spent.values()) <= 64
    assert sum(spent.values()) <= 100
    for name in ("left", "right"):
        assert book.budget(name).spent.mu == root_up(spent[name] * share)
    assert book.budget("top").spent.mu == pytest.approx(root_up(sum(spent.values()) * share), rel=1e-15)
