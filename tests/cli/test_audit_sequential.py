"""gaussdp audit sequential: files, standard input, files that grow, states and pictures."""

import io
import json
import threading
import time

import numpy as np
import pytest

import gaussdp
from gaussdp.cli import main

RANDOM = np.random.default_rng(2)
MEMBERS, NONMEMBERS = RANDOM.normal(2.0, 1, 60), RANDOM.normal(0, 1, 60)
ROWS = [row for x, y in zip(MEMBERS, NONMEMBERS, strict=True) for row in (f"{x},1", f"{y},0")]
CLAIM = ["--claim", "mu=0.5"]


def run(capsys, *arguments, code=0):
    assert main(["audit", "sequential", *map(str, arguments)]) == code
    return capsys.readouterr()


@pytest.fixture
def trials(tmp_path):
    path = tmp_path / "trials.csv"
    path.write_text("\n".join(["score,member", *ROWS]))
    return path


def rows(out, table):
    return json.loads(out)["tables"][table]["rows"]


def test_a_file(capsys, trials, tmp_path):
    expected = gaussdp.SequentialAudit(0.5)
    expected.update(members=MEMBERS, nonmembers=NONMEMBERS)
    found = run(capsys, trials, *CLAIM, "--format", "json", "--digits", "9", "--plot", tmp_path / "evidence.png")
    [row] = rows(found.out, "evidence")
    assert row["evidence"] == pytest.approx(expected.evidence, rel=1e-8)
    assert (row["pairs"], row["mu_lower"], row["design"]) == (60, expected.mu_lower, "trials")
    assert rows(found.out, "claims")[0]["verdict"] == "contradicted"
    assert found.err.count("pairs") > 8
    assert (tmp_path / "evidence.png").stat().st_size > 5000


def test_standard_input_and_stopping(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(["loss,kind", *(row.replace(",", ",in") for row in ROWS)])))
    columns = ["--score-column", "loss", "--member-column", "kind", "--member-value", "in1"]
    found = run(capsys, "-", *CLAIM, *columns, "--stop", "--format", "json")
    assert rows(found.out, "evidence")[0]["pairs"] < 60
    assert found.err.splitlines()[-1].startswith(f"{rows(found.out, 'evidence')[0]['pairs']:>8} pairs   evidence 2")


def test_a_file_that_grows(capsys, tmp_path):
    path = tmp_path / "growing.csv"
    path.write_text("score,member\n")

    def grow():
        with path.open("a") as stream:
            for row in ROWS:
                for part in (row[:3], row[3:] + "\n"):
                    stream.write(part)
                    stream.flush()
                    time.sleep(0.002)

    writer = threading.Thread(target=grow)
    writer.start()
    found = run(capsys, path, *CLAIM, "--follow", "--stop", "--format", "json")
    writer.join()
    assert rows(found.out, "claims")[0]["verdict"] == "contradicted"


def test_a_state_is_continued_and_counts_nothing_twice(capsys, trials, tmp_path):
    state, parts = tmp_path / "audit.json", []
    for name, part in (("monday", ROWS[:41]), ("tuesday", ROWS[41:])):
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join(["score,member", *part]))
        parts.append(run(capsys, path, *CLAIM, "--state", state, "--format", "json").out)
    assert rows(parts[1], "evidence") == rows(run(capsys, trials, *CLAIM, "--format", "json").out, "evidence")
    assert "would count twice" in run(capsys, trials, *CLAIM, "--state", state, code=2).err
    assert "an audit keeps its claim" in run(capsys, trials, "--claim", "mu=1", "--state", state, code=2).err


def test_several_attacks(capsys, tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("\n".join(["a,b,member", *(f"{row.split(',')[0]},{row}" for row in ROWS)]))
    found = run(capsys, path, *CLAIM, "--score-column", "a", "--score-column", "b", "--format", "json")
    assert rows(found.out, "evidence")[0]["attacks"] == "a, b"


@pytest.mark.parametrize(
    ("text", "arguments", "words"),
    [
        ("score,member\n1,maybe\n", CLAIM, "whether 'maybe' means member is unclear"),
        ("score,member\nx,1\n", CLAIM, "line 2"),
        ("score,member\n1\n", CLAIM, "line 2"),
        ("score\n1\n", CLAIM, "must have one column 'member', got score"),
        ("", CLAIM, "must have one column 'score', got none"),
        ("score,member\nnan,1\n", CLAIM, "line 2"),
        ("score,member\n1,1\n", ["--stop"], "--stop needs a --claim"),
        ("score,member\n1,1\n", [*CLAIM, *CLAIM], "one of one claim"),
        ("score,member\n1,1\n", [*CLAIM, "--plot", "x.gif"], "must end in"),
    ],
)
def test_complaints(capsys, tmp_path, text, arguments, words):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    found = run(capsys, path, *arguments, code=2)
    assert words in found.err
    assert found.out == ""
    assert "cannot read" in run(capsys, tmp_path / "none.csv", *CLAIM, code=2).err
