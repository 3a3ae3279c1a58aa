"""Where the rules of thumb hold."""

import pytest

from gaussdp.web.schemas.requests import RulesRequest
from gaussdp.web.views.choose import rules


def test_the_known_ends():
    by_five, by_three = rules(RulesRequest(criterion="profile", level=1e-5))["rules"]
    assert by_five["conservative"] == [[pytest.approx(2e-5, rel=1e-4), pytest.approx(10.01, abs=0.01)]]
    assert by_five["sentence"] == "By this criterion μ = ε/5 is conservative for 2.01e-5 ≤ ε ≤ 10."
    assert by_three["divisor"] == 3.0


def test_an_extreme_level_is_answered():
    for level in (5e-324, 1 - 2**-53):
        for row in rules(RulesRequest(criterion="multiplicative_advantage", level=level))["rules"]:
            assert row["sentence"]


def test_a_narrow_range_is_told_with_enough_digits():
    sentence = rules(RulesRequest(criterion="profile", level=0.4999))["rules"][0]["sentence"]
    low, high = (float(text.split()[0].rstrip(".")) for text in sentence.split("for ")[1].split(" ≤ ε ≤ "))
    assert low <= high
    assert "e-70" not in sentence
