"""gaussdp tables."""

import json
import sys

import pytest

from commands import refused
from gaussdp.cli import main


def test_the_papers_tables(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["tables"]) == 0
    out = capsys.readouterr().out
    for printed in ("0.038", "0.88", "1,175.97", "0.567", "1.000", "nearest"):
        assert printed in out
    assert out.count("FPR α") == 2 + 2  # a title and a heading each


def test_one_table_of_ones_own(capsys):
    arguments = ["tables", "--table", "mu_by_profile", "--delta", "1e-6,1e-9", "--epsilon", "1,8", "--format", "csv"]
    assert main(arguments) == 0
    assert capsys.readouterr().out == "delta,epsilon=1.0,epsilon=8.0\n1e-6,0.24,1.5\n1e-9,0.18,1.3\n"
    assert main([*arguments, "--rounding", "one-sided"]) == 0
    assert capsys.readouterr().out == "delta,epsilon=1.0,epsilon=8.0\n1e-6,0.2367,1.531\n1e-9,0.1819,1.262\n"
    assert main([*arguments, "--digits", "3"]) == 0
    assert capsys.readouterr().out == "delta,epsilon=1.0,epsilon=8.0\n1e-6,0.237,1.53\n1e-9,0.182,1.26\n"


def test_json(capsys):
    assert main(["tables", "--table", "precision_by_mu", "--mu", "0.3", "--recall", "0.5", "--format", "json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["tables"]["precision_by_mu"]["rows"] == [{"recall": 0.5, "mu=0.3": 0.567}]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--fpr", "2"],
        ["--epsilon", "-1"],
        ["--mu", "x"],
        ["--mu", ""],
        ["--rounding", "sideways"],
        ["--table", "seventh"],
        ["--digits", "0"],
    ],
    ids=" ".join,
)
def test_bad_input(arguments, capsys):
    refused(capsys, "tables", *arguments)
