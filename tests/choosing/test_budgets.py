"""The main table: its numbers come from the library, on the safe side."""

import pytest

import gaussdp
import gaussdp.documents
from gaussdp import Requirement
from gaussdp.choosing.budgets import budget_document
from gaussdp.risks import MultiplicativeAdvantage, Precision, Profile

CRITERIA = [MultiplicativeAdvantage(1e-3), Precision(1e-2), Profile(1e-8)]


def table(document, key):
    (found,) = [table for table in document.tables if table.key == key]
    return [dict(zip((column.key for column in found.columns), row, strict=True)) for row in found.rounded_rows(4)]


def test_budgets_are_rounded_down():
    rows = table(budget_document(1.0, CRITERIA), "budgets")
    exact = [criterion.mu_from_epsilon(1.0) for criterion in CRITERIA]
    for row, mu in zip(rows, exact, strict=True):
        assert mu * (1 - 1e-3) < row["mu"] <= mu
        assert row["divisor"] >= 1 / row["mu"]
    assert [row["mu"] for row in rows] == [0.3102, 0.3538, 0.196]


def test_risks_are_those_of_the_budget_shown_and_rounded_up():
    for row in table(budget_document(1.0, CRITERIA, prior=0.2), "attacker"):
        shown = gaussdp.GDP(row["mu"])
        for key, value in (
            ("right_of_100", 100 * shown.accuracy(0.2)),
            ("advantage", shown.advantage()),
            ("tpr_at_1e-3", shown.tpr(1e-3)),
            ("precision_at_1e-2", shown.precision(1e-2, 0.2)),
            ("epsilon_at_1e-6", shown.epsilon(1e-6)),
        ):
            assert value <= row[key] < value * (1 + 2e-3), key


def test_verdicts_and_where_they_hold():
    rows = table(budget_document(1.0, CRITERIA), "rules")
    assert [row["epsilon_over_5_here"] for row in rows] == ["conservative", "conservative", "too much"]
    assert [row["epsilon_over_3_here"] for row in rows] == ["too much", "conservative", "too much"]
    assert rows[2]["epsilon_over_5_conservative_for"] == "2e-8 ≤ ε ≤ 0.67"
    assert rows[0]["epsilon_over_3_conservative_for"] == "2.39 ≤ ε ≤ 5.16"


def test_a_saturated_match_is_said_everywhere():
    document = budget_document(8.0, [MultiplicativeAdvantage(1e-3), Profile(1e-6)])
    budgets, rules = table(document, "budgets"), table(document, "rules")
    assert budgets[0]["standing"] == "saturated: use FPR 1e-5"
    assert budgets[1]["standing"] == "counts"
    assert budgets[0]["elsewhere"] == "98800 at 1e-5"
    assert [row["epsilon_over_5_here"] for row in rules] == ["saturated", "too much"]
    (row,) = table(document, "recommendation")
    assert (row["mu"], row["saturated"], row["rule_of_thumb"]) == (1.531, 1, 1.6)
    assert all(row["mu"] < 2 for row in table(document, "attacker"))
    for style in ("text", "markdown", "html", "latex", "json"):
        assert "aturated" in gaussdp.documents.render(document, style)


def test_where_all_is_saturated_there_is_no_budget():
    document = budget_document(8.0, [MultiplicativeAdvantage(1e-3)])
    (row,) = table(document, "recommendation")
    assert row["mu"] == "none: saturated"
    assert any("No budget follows" in note for note in document.notes)


def test_requirements_in_any_currency():
    texts = ("epsilon=3 delta=1e-5", "identification@1/1000=1%", "rho=0.1", "epsilon=2")
    document = budget_document([Requirement(text, source="board") for text in texts])
    rows = table(document, "requirements")
    assert [(row["how"], row["mu"], row["binds"]) for row in rows] == [
        ("met", 0.7191, ""),
        ("met", 0.7638, ""),
        ("met", 0.4472, ""),
        ("matched", 0.3769, "yes"),
    ]
    assert {row["source"] for row in rows} == {"board"}


def test_nowhere_is_said():
    (row,) = table(budget_document(1.0, [Precision(1e-4)]), "rules")
    assert row["epsilon_over_3_conservative_for"] == "no ε"


def test_implication_is_named_beside_matching():
    assert any("1.233" in note and "not implication" in note for note in budget_document(1.0, CRITERIA).notes)


def test_no_rules_no_table():
    assert [t.key for t in budget_document(1.0, CRITERIA, divisors=()).tables] == [
        "budgets",
        "attacker",
        "recommendation",
    ]


def test_policy_of_zero():
    document = budget_document(0.0, CRITERIA)
    assert [row["mu"] for row in table(document, "budgets")][:2] == [0, 0]


@pytest.mark.parametrize("epsilon", [-1.0, float("inf"), float("nan"), None])
def test_bad_policy(epsilon):
    with pytest.raises(gaussdp.DomainError, match=r"^epsilon must be"):
        budget_document(epsilon, CRITERIA)
