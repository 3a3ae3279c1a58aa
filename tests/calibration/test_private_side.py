"""The promise: what is returned meets the target on the exact curve, and a little less noise does not."""

import math

import numpy as np
import pytest

import gaussdp
from gaussdp import (
    GDP,
    Accuracy,
    Advantage,
    AtMost,
    MultiplicativeAdvantage,
    Precision,
    Profile,
    TruePositiveRate,
    calibration,
)
from gaussdp.accounting import account
from gaussdp.calibration import Status
from gaussdp.mechanisms import DPSGD


def designs(seed, count):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        rate = float(10 ** rng.uniform(-2.7, -0.3))
        fewest = max(200.0, 3 / rate)  # fewer batches a person are slow to account for, and rare
        steps = int(10 ** rng.uniform(math.log10(fewest), 4.5))
        yield rng, rate, steps, float(10 ** rng.uniform(-1, 0.3))


def check(target, risk_of, rate, steps):
    result = calibration.noise_multiplier(target, sample_rate=rate, steps=steps)
    limit = target.mu if isinstance(target, GDP) else target.value
    assert result.status is Status.TIGHT
    assert result.mechanism == DPSGD(result.value, rate, steps)
    assert float(f"{result.value:.4g}") == result.value
    assert risk_of(account(result.mechanism)) <= result.achieved <= limit
    assert risk_of(account(DPSGD(0.999 * result.value, rate, steps))) > limit
    assert result.evaluations <= 14


@pytest.mark.parametrize("seed", range(10))
def test_two_hundred_random_targets(seed):
    for i, (rng, rate, steps, mu) in enumerate(designs(seed, 20)):
        level = float(10 ** rng.uniform(-4, -0.5))
        kinds = [Advantage(), TruePositiveRate(level), Advantage(), MultiplicativeAdvantage(level), Advantage()]
        risk = kinds[i % len(kinds)]
        check(AtMost(risk, risk.of(GDP(mu))), risk.of, rate, steps)


def test_the_other_risks():
    for i, (_, rate, steps, mu) in enumerate(designs(100, 12)):
        risk = [Precision(0.01), Precision(0.1, prior=0.1), Profile(1e-5), Accuracy(), Accuracy(0.4)][i % 5]
        check(AtMost(risk, risk.of(GDP(mu))), risk.of, rate, steps)


def test_fitted_mu():
    for _, rate, steps, mu in designs(200, 6):
        check(GDP(mu), lambda curve: curve.fit().mu, rate, steps)


def test_more_digits_are_closer():
    target = AtMost(Advantage(), 0.1)
    values = [calibration.noise_multiplier(target, sample_rate=0.01, steps=500, digits=d).value for d in (1, 2, 6, 9)]
    assert values == sorted(values, reverse=True)
    fine = calibration.noise_multiplier(target, sample_rate=0.01, steps=500, digits=9)
    assert fine.achieved == pytest.approx(0.1, rel=1e-7)
    assert fine.evaluations <= 10


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
