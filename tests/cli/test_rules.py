"""gaussdp rules."""

import json
import sys

import pytest

from commands import refused
from gaussdp.cli import main


def test_tables_and_statement(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["rules"]) == 0
    out = capsys.readouterr().out
    for words in ("ε ≤ 0.67", "6.159", "The paper recommends ε/5", "in whole numbers μ = ε/7"):
        assert words in out


def test_own_rule_range_and_levels(capsys):
    arguments = ["--rule", "6", "--epsilon-range", "0.5,4", "--fpr", "1e-3", "--recall", "1e-3", "--delta", "1e-9"]
    arguments += ["--chance", "1e-3"]
    assert main(["rules", *arguments, "--format", "json"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    assert [row["epsilon_over_6"] for row in tables["conservative"]["rows"]] == [
        "ε ≤ 5.16",
        "ε ≤ 19.5",
        "2e-9 ≤ ε ≤ 4.44",
        "ε ≤ 5.16",
    ]
    assert tables["recommended"]["rows"][0]["whole_divisor"] == 6


def test_plot_and_out(tmp_path, capsys):
    assert main(["rules", "--plot", str(tmp_path / "map.pdf"), "--table", "recommended"]) == 0
    assert (tmp_path / "map.pdf").read_bytes().startswith(b"%PDF")
    assert "6.159" in capsys.readouterr().out
    assert main(["rules", "--out", str(tmp_path / "rules")]) == 0
    assert capsys.readouterr().out == f"Rules of thumb: tables and map in {tmp_path / 'rules'}\n"
    names = {f"rules.{ending}" for ending in ("txt", "md", "csv", "tex", "svg", "pdf", "png")}
    assert {path.name for path in (tmp_path / "rules").iterdir()} == names


@pytest.mark.parametrize(
    "arguments",
    [
        ["--rule", "0"],
        ["--rule", "1e300"],
        ["--epsilon-range", "1"],
        ["--epsilon-range", "2,1"],
        ["--epsilon-range", "0,1"],
        ["--epsilon-range", "1,inf"],
        ["--delta", "1"],
        ["--plot", "map.gif"],
    ],
    ids=" ".join,
)
def test_bad_input(arguments, capsys):
    refused(capsys, "rules", *arguments)


def test_the_map_needs_matplotlib(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["rules", "--out", str(tmp_path / "rules")]) == 2
    assert 'pip install "gaussdp[plot]"' in capsys.readouterr().err
    assert not (tmp_path / "rules").exists()
