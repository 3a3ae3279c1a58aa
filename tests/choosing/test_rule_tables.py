"""The rules of thumb: tables, recommendation and what they say about the paper's advice."""

import numpy as np
import pytest

import gaussdp
from gaussdp import MultiplicativeAdvantage, Precision, Profile, RuleOfThumb, conservative_divisor
from gaussdp.choosing.rule_tables import PAPER_CRITERIA, PAPER_RANGE, paper_verdict, rule_document
from gaussdp.risks import criteria_at


def rows(document, key):
    (table,) = [table for table in document.tables if table.key == key]
    return table.text_rows(4)


def test_where_each_rule_is_conservative():
    table = {tuple(row[:3]): row[3:] for row in rows(rule_document(), "conservative")}
    assert len(table) == 12
    assert table["privacy profile", "δ", "1e-8"] == ["2e-8 ≤ ε ≤ 0.67", "2e-8 ≤ ε ≤ 7.84e-5"]
    assert table["precision", "recall", "1e-5"] == ["ε ≤ 5.41", "no ε"]
    assert table["multiplicative advantage", "FPR", "1e-3"] == ["ε ≤ 5.16", "2.39 ≤ ε ≤ 5.16"]


def test_own_rules_and_levels():
    document = rule_document(
        criteria_at({"fpr": [1e-7], "recall": [], "delta": [1e-9], "chance": []}), [6.5], (0.5, 4.0)
    )
    assert [row[:3] for row in rows(document, "conservative")] == [
        ["multiplicative advantage", "FPR", "1e-7"],
        ["privacy profile", "δ", "1e-9"],
    ]
    assert document.tables[0].columns[3].label == "ε/6.5 is conservative for"
    assert "0.5 ≤ ε ≤ 4" in document.tables[1].title


def test_the_smallest_divisor_is_tight():
    """Each k in the table is conservative over the range, and a hair less is not."""
    low, high = 0.1, 10.0
    grid = np.geomspace(low, high, 2001)
    for risk, row in zip(PAPER_CRITERIA, rows(rule_document(), "divisors"), strict=True):
        exact = conservative_divisor([risk], low, high)
        assert float(row[3]) == pytest.approx(exact, abs=1e-3)
        assert float(row[3]) >= exact
        assert RuleOfThumb(exact).is_conservative(grid, risk).all()
        assert not RuleOfThumb(exact * (1 - 1e-9)).is_conservative(float(row[4]), risk)


def test_recommended():
    assert rows(rule_document(), "recommended") == [["0.1", "10", "6.159", "7"]]
    assert rows(rule_document(epsilon_range=(0.1, 2.0)), "recommended") == [["0.1", "2", "5.306", "6"]]


def test_notes_state_the_verdicts():
    notes = rule_document().notes
    assert notes[0].startswith("μ = ε/5 is conservative for the whole of 0.1 ≤ ε ≤ 10 at 8 of 12 levels")
    assert "privacy profile at δ = 1e-6" in notes[0]
    assert "precision at recall 1e-5" in notes[0]
    assert "at 1 of 12 levels" in notes[1]
    assert "is μ = ε/6.16, in whole numbers μ = ε/7" in notes[2]
    everywhere = rule_document(divisors=[7.0, 1.0])
    assert everywhere.notes[0] == "μ = ε/7 is conservative for 0.1 ≤ ε ≤ 10 at all 12 levels."
    assert everywhere.notes[1].endswith("at none of the 12 levels.")


def test_the_papers_advice_on_its_own_tables():
    fifth, third = paper_verdict()
    assert "11 of 12 levels" in fifth
    assert "privacy profile at δ = 1e-8 (conservative for ε ≤ 0.67)" in fifth
    assert "ε/5.31 would hold at all" in fifth
    assert "2 of 12 levels" in third
    assert PAPER_RANGE == (0.1, 2.0)


@pytest.mark.parametrize("criterion", [MultiplicativeAdvantage, Precision, Profile])
def test_the_ratio_rises_and_then_falls(criterion):
    """So over a range it is least at an end, and a search needs no more than the ends."""
    epsilon = np.geomspace(1e-3, 1e3, 4001)
    for level in (1e-10, 1e-5, 1e-2, 0.3, 0.7):
        ratio = criterion(level).mu_from_epsilon(epsilon) / epsilon
        peak = int(np.argmax(ratio))
        slack = 1e-13 * ratio[1:]
        assert (np.diff(ratio)[:peak] >= -slack[:peak]).all()
        assert (np.diff(ratio)[peak:] <= slack[peak:]).all()


def test_a_tiny_delta_is_conservative_below_itself():
    ((start, end),) = RuleOfThumb(3).conservative_epsilons(Profile(1e-12))
    assert start == 0
    assert 1e-13 < end < 1e-8


def test_bad_range():
    with pytest.raises(gaussdp.DomainError, match="epsilon_low must be at most epsilon_high"):
        rule_document(epsilon_range=(2.0, 1.0))
    with pytest.raises(gaussdp.DomainError, match="risks must not be empty"):
        rule_document(risks=[])
