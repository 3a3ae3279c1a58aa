"""gaussdp ledger: the life of a book on the command line, in one line each."""

import json
import re

import pytest

from gaussdp import Ledger
from gaussdp.cli import main


@pytest.fixture
def told(tmp_path, monkeypatch, capsys):
    """Runs a command on a book and gives its exit code, its output and its complaint."""
    monkeypatch.setenv("GAUSSDP_LEDGER", f"sqlite:///{tmp_path / 'budget.db'}")
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code = main(["ledger", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    assert run("create", "--unit", "one person", "--adjacency", "add-remove")[0] == 0
    assert run("open", "top", "--mu", "2", "--slack", "1e-6")[0] == 0
    assert run("open", "health", "--mu", "1", "--slack", "1e-6", "--within", "top", "--period", "year")[0] == 0
    return run


def test_the_life_of_a_release(told):
    assert told("reserve", "health", "noise=4", "--key", "a", "--purpose", "a table")[:2] == (
        0,
        "Entry 4, reserve a of health: μ = 0.25, δ = 0\n",
    )
    code, out, err = told("reserve", "health", "noise=4", "--key", "a", "--purpose", "a table")
    assert (code, out.split(",")[0]) == (0, "Entry 4")
    assert "do not release a second time" in err
    assert told("commit", "a")[1] == "Entry 5, commit a of health\n"
    assert told("reserve", "health", "mu=0.5", "--key", "b")[0] == 0
    assert told("refund", "b", "--reason", "cancelled")[0] == 2  # without the statement that nothing came out
    assert told("refund", "b", "--reason", "cancelled", "--nothing-was-released")[0] == 0
    code, out, err = told("reserve", "health", "noise=0.5", "--key", "c")
    assert (code, out) == (2, "")
    assert err.startswith("gaussdp: budget 'health' is exceeded: mu = 2 and slack 0 asked, mu = 0.968245 and slack")
    assert err.count("\n") == 1


def test_what_is_shown(told):
    told("reserve", "health", "noise=1.25", "--key", "a", "--purpose", "a table")
    shown = json.loads(told("show", "--format", "json")[1])["tables"]["budgets"]["rows"]
    assert [(row["budget"], row["spent"], row["left"]) for row in shown] == [("health", 0.8, 0.6), ("top", 0.8, 1.833)]
    rows = json.loads(told("history", "top", "--format", "json")[1])["tables"]["history"]["rows"]
    assert [row["kind"] for row in rows] == ["open", "open", "reserve"]
    assert "a table" in told("history", "--last", "1")[1]
    plan = json.loads(told("plan", "health", "--releases", "4", "--format", "json")[1])["tables"]["plan"]["rows"]
    assert plan == [{"releases": 4, "mu": 0.3, "noise_multiplier": 3.334}]
    assert "It fits." in told("plan", "health", "--release", "epsilon=0.1")[1]
    assert "does not fit" in told("plan", "health", "--release", "epsilon=1")[1]
    assert "Privacy loss does not renew" in told("renew", "health", "--reason", "another year")[1]


def test_verify_and_export(told, tmp_path):
    told("reserve", "health", "mu=0.25", "--key", "a")
    head = json.loads(told("verify", "--format", "json")[1])["head"]
    assert told("verify", "--head", head)[0] == 0
    assert told("verify", "--head", "0" * 64)[0] == 1
    assert told("export", "--out", "entries.jsonl")[0] == 0
    lines = [json.loads(line) for line in (tmp_path / "entries.jsonl").read_text().splitlines()]
    assert [line["kind"] for line in lines] == ["create", "open", "open", "reserve"]
    assert lines[-1]["hash"] == head
    assert told("upgrade")[0] == 0


def test_the_statement(told, tmp_path):
    told("reserve", "health", "noise=2", "--key", "a", "--purpose", "a table")
    told("commit", "a")
    told("reserve", "health", "noise=2", "--key", "b")
    told("reserve", "health", "noise=2", "--key", "c")
    told("refund", "c", "--reason", "it was cancelled", "--nothing-was-released")
    out = told("report", "health")[1]
    assert "μ = 1\nholds for all releases under this budget together" in out
    assert "So far μ = 0.7072 is spent" in out
    assert "1 reserved and never resolved: they count as released." in out
    assert "Refunded, and not counted: c, because it was cancelled." in out
    content = json.loads(told("report", "health", "--format", "json")[1])
    assert content["guarantee"] == {"mu": 1.0, "slack": 1e-6}
    assert [(one["key"], one["state"]) for one in content["releases"]] == [("a", "committed"), ("b", "reserved")]
    told("renew", "health", "--reason", "another year")
    assert json.loads(told("report", "health", "--format", "json")[1])["guarantee"]["mu"] == 2**0.5
    pytest.importorskip("matplotlib")
    assert "8 files" in told("report", "health", "--out", "out")[1]
    assert (tmp_path / "out" / "spending.png").read_bytes().startswith(b"\x89PNG")
    assert told("show", "health", "--plot", "health.svg")[0] == 0
    assert "<svg" in (tmp_path / "health.svg").read_text()


def test_files_and_people(told, tmp_path):
    (tmp_path / "plan.toml").write_text('[[releases]]\nmechanism = "laplace"\nscale = 10.0\n')
    (tmp_path / "run.toml").write_text(
        'unit = "one person"\nadjacency = "add-remove"\nsampling = "poisson"\n[training]\nnoise_multiplier = 1.0\n'
        "dataset_size = 50_000\nbatch_size = 256\nepochs = 5\n"
    )
    assert "μ = 0.122326" in told("reserve", "health", "plan.toml", "--key", "a")[1]
    assert "δ = " in told("reserve", "health", "run.toml", "--key", "b")[1]
    report = " ".join(told("report", "health")[1].split())
    assert re.search(r"So far μ = [0-9.]+, with slack [0-9.e-]+, is spent", report)
    told("open", "each", "--mu", "1", "--per-person")
    (tmp_path / "people.csv").write_text("patient\nada\ngrace\n")
    assert told("reserve", "each", "mu=0.5", "--key", "c", "--people", "people.csv", "--column", "patient")[0] == 0
    with Ledger.open("budget.db") as book:
        assert sorted(book.taking_part("c")) == ["ada", "grace"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("open", "health", "--mu", "1"),
        ("open", "x", "--mu", "-1"),
        ("reserve", "nowhere", "mu=0.1", "--key", "a"),
        ("reserve", "health", "mu=0.1 floor=1e-6", "--key", "a"),
        ("reserve", "health", "nothing.toml", "--key", "a"),
        ("reserve", "health", "noise=zero", "--key", "a"),
        ("commit", "never"),
        ("plan", "health"),
        ("plan", "health", "--releases", "0"),
        ("renew", "top", "--reason", "more"),
        ("show", "--plot", "a.svg"),
        ("show", "health", "--plot", "a.doc"),
        ("report", "nowhere"),
        ("show", "--book", "no/such/file.db"),
        ("create", "--unit", "one person", "--adjacency", "add-remove"),
    ],
    ids=" ".join,
)
def test_bad_input(told, arguments):
    code, out, err = told(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("gaussdp: ")
    assert err.count("\n") == 1
