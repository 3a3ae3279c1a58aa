import csv
import io
import json

import pytest

import gaussdp
from gaussdp.cli import main


def output(capsys, *arguments):
    assert main(["choose", *arguments]) == 0
    return capsys.readouterr().out


def test_the_main_job(capsys):
    text = output(capsys, "--epsilon", "1")
    for words in ("multiplicative advantage", "precision", "privacy profile", "0.3102", "0.2856", "0.2367", "1.233"):
        assert words in text


def test_json_holds_the_library_numbers(capsys):
    rows = json.loads(output(capsys, "--epsilon", "1", "--format", "json", "--digits", "12"))["tables"]["budgets"][
        "rows"
    ]
    assert len(rows) == 12
    functions = {
        "FPR": gaussdp.mu_from_multiplicative_advantage,
        "recall": gaussdp.mu_from_precision,
        "δ": gaussdp.mu_from_profile,
    }
    for row in rows:
        exact = functions[row["level_of"]](1.0, row["level"])
        assert row["mu"] <= exact
        assert row["mu"] == pytest.approx(exact, rel=1e-11)


def test_levels_criteria_and_tables(capsys):
    out = output(
        capsys,
        "--epsilon",
        "2",
        "--criterion",
        "profile",
        "--delta",
        "1e-6,1e-9",
        "--table",
        "budgets",
        "--format",
        "csv",
    )
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["criterion"], row["level"]) for row in rows] == [
        ("privacy profile", "1e-6"),
        ("privacy profile", "1e-9"),
    ]
    assert float(rows[0]["mu"]) == pytest.approx(gaussdp.mu_from_profile(2.0, 1e-6), rel=1e-3)


def test_rules_of_the_users_own(capsys):
    out = output(
        capsys, "--epsilon", "1", "--rule", "6", "--table", "rules", "--criterion", "profile", "--format", "csv"
    )
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["epsilon_over_6_here"] for row in rows] == ["conservative"] * 4


def test_prior_reaches_the_attacker(capsys):
    half = output(capsys, "--epsilon", "1", "--table", "attacker", "--format", "csv")
    rare = output(capsys, "--epsilon", "1", "--table", "attacker", "--format", "csv", "--prior", "0.01")
    assert half != rare
