import math

import pytest

import gaussdp
from gaussdp import GDP, Accuracy, Advantage, AtMost, MultiplicativeAdvantage, Precision, Profile, TruePositiveRate


@pytest.mark.parametrize(
    "risk", [Advantage(), Accuracy(0.3), Precision(0.01, 0.1), Profile(1e-6), TruePositiveRate(1e-3)], ids=str
)
def test_by_mu_is_the_budget_with_that_risk(risk):
    value = risk.of(GDP(0.7))
    budget = AtMost(risk, value).by_mu()
    assert budget.mu == pytest.approx(0.7, rel=1e-9)
    assert risk.of(budget) <= value


@pytest.mark.parametrize(
    ("risk", "value", "message"),
    [
        (0.1, 0.1, "risk must be a risk"),
        (Advantage(), 1.2, r"advantage must be in \[0, 1\], got 1.2"),
        (Advantage(), math.nan, "value must be in"),
        (Advantage(), "much", "value must be a number"),
        (Precision(0.01), 0.4, r"precision must be in \[0.5, 1\]"),
        (MultiplicativeAdvantage(0.1), 11.0, "multiplicative advantage must be in"),
        (Profile(1e-5), -1.0, "epsilon must be in"),
    ],
)
def test_bad_input(risk, value, message):
    with pytest.raises(gaussdp.DomainError, match=message):
        AtMost(risk, value)
