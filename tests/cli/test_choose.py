import csv
import io
import json

import pytest

import gaussdp
from commands import refused
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
    assert len(rows) == 15
    functions = {
        "FPR": gaussdp.mu_from_multiplicative_advantage,
        "chance": gaussdp.mu_from_multiplicative_advantage,
        "recall": gaussdp.mu_from_precision,
        "δ": gaussdp.mu_from_profile,
    }
    for row in rows:
        exact = functions[row["level_of"]](1.0, row["level"])
        assert row["mu"] <= exact
        assert row["mu"] == pytest.approx(exact, rel=2e-5 if row["level_of"] == "δ" else 1e-11)


def test_levels_criteria_and_tables(capsys):
    out = output(
        capsys,
        "--epsilon",
        "2",
        "--criterion",
        "profile",
        "--match-delta",
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


def test_rules_of_thumb_are_budgets_and_round_down(capsys):
    assert "ε/3 = 0.3333 here is" in output(capsys, "--epsilon", "1", "--table", "rules")
    [row] = rows_of(capsys, "recommendation", "--epsilon", "3.33333")
    assert row["rule_of_thumb"] == 0.6666


def test_prior_reaches_the_attacker(capsys):
    half = output(capsys, "--epsilon", "1", "--table", "attacker", "--format", "csv")
    rare = output(capsys, "--epsilon", "1", "--table", "attacker", "--format", "csv", "--prior", "0.01")
    assert half != rare


def rows_of(capsys, table, *arguments):
    return json.loads(output(capsys, *arguments, "--format", "json"))["tables"][table]["rows"]


def test_a_pair_is_met_and_not_matched(capsys):
    (row,) = rows_of(capsys, "requirements", "--epsilon", "3", "--delta", "1e-5")
    assert (row["how"], row["mu"]) == ("met", 0.7191)
    assert gaussdp.GDP(row["mu"]).epsilon(1e-5) <= 3


def test_a_pair_can_be_matched_by_a_criterion(capsys):
    (row,) = rows_of(capsys, "budgets", "--epsilon", "3", "--delta", "1e-5", "--criterion", "profile")
    assert (row["level"], row["mu"]) == (1e-5, 0.7191)


def test_requirements_in_any_currency(capsys):
    asked = ["--require", "identification@1/1000=1%", "--require", "accuracy=55%", "--require", "(3, 1e-5)"]
    rows = rows_of(capsys, "requirements", *asked)
    assert [row["mu"] for row in rows] == [0.7638, 0.2513, 0.7191]
    assert [row["binds"] for row in rows] == ["", "yes", ""]


def test_it_ends_with_a_recommendation(capsys):
    text = " ".join(output(capsys, "--epsilon", "3").split())
    end = text[text.index("Recommendation: ") :]
    assert "The 14 criteria that count give budgets from μ = 0.5498 to 1.487." in end
    assert "The most cautious of them is μ = 0.5498" in end
    assert "ε/5 = 0.6 lies inside the range; 12 of 14 criteria allow as much." in end
    assert "Left out as saturated" in end


@pytest.mark.parametrize("epsilon", ["5e-324", "709", "720", "1e308"])
@pytest.mark.parametrize("option", ["--epsilon {}", "--require epsilon={}"])
def test_any_finite_epsilon_is_a_policy(option, epsilon, capsys):
    text = output(capsys, *option.format(epsilon).split())
    assert "nan" not in text.lower()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give the policy: --epsilon"),
        (["--delta", "1e-5"], "--delta goes with --epsilon"),
        (["--epsilon", "1", "--delta", "1e-5,1e-6"], "is not a number"),
        (["--require", "luck=3"], "requirement must be one of epsilon=VALUE"),
        (["--require", "identification@1/0=1%"], "target must hold numbers, got '1/0'"),
        (["--require", "identification@1/10=1%"], "chance of a right guess must be in [0.1, 1], got 0.01"),
        (["--epsilon", "-1"], "epsilon must be in [0, inf), got -1.0"),
    ],
)
def test_bad_policies(arguments, message, capsys):
    assert message in refused(capsys, "choose", *arguments)
