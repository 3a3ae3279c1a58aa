"""Where the rules of thumb hold."""

import pytest

from gaussdp.web.schemas.requests import RulesRequest
from gaussdp.web.views.choose import rules


def test_the_known_ends():
    by_five, by_three = rules(RulesRequest(criterion="profile", level=1e-5))["rules"]
    assert by_five["conservative"] == [[0.0, pytest.approx(10.01, abs=0.01)]]
    assert by_five["sentence"] == "By this criterion μ = ε/5 is conservative for ε ≤ 10."
    assert by_three["divisor"] == 3.0


def test_an_extreme_level_is_answered():
    for level in (5e-324, 1 - 2**-53):
        for row in rules(RulesRequest(criterion="multiplicative_advantage", level=level))["rules"]:
            assert row["sentence"]
