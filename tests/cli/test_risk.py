import json

import pytest

import gaussdp
from gaussdp.cli import main


def test_numbers_come_from_the_library(capsys):
    assert main(["risk", "--mu", "0.31", "--format", "json", "--digits", "12", "--prior", "0.1"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    guarantee = gaussdp.GDP(0.31)
    for row in tables["fpr"]["rows"]:
        assert row["tpr"] == pytest.approx(guarantee.tpr(row["fpr"]), rel=1e-11)
    for row in tables["recall"]["rows"]:
        assert row["precision"] == pytest.approx(guarantee.precision(row["recall"], 0.1), rel=1e-11)
    for row in tables["delta"]["rows"]:
        assert row["epsilon"] == pytest.approx(guarantee.epsilon(row["delta"]), rel=1e-11)


def test_levels_and_tables(capsys):
    assert main(["risk", "--mu", "1", "--table", "delta", "--delta", "1e-5", "--format", "csv"]) == 0
    assert capsys.readouterr().out == "delta,epsilon\n1e-5,4.378\n"


def test_words(capsys):
    assert main(["risk", "--mu", "0.31"]) == 0
    out = capsys.readouterr().out
    assert "What μ = 0.31 lets the best membership attacker achieve" in out
    assert "2.717" in out
