"""Slack and regret of a fit, against the suprema that define them, taken over fine grids."""

import math
import random
from types import SimpleNamespace

import mpmath as mp
import numpy as np
import pytest

from gaussdp.accounting import account
from gaussdp.accounting.fit.slack import CurveDistances
from gaussdp.accounting.fit.span import Sampler, sample_span
from gaussdp.accounting.fit.supremum import gaussian_fall, largest_gap
from gaussdp.accounting.operating_points import OperatingPoints
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP
from gaussdp.mechanisms import DPSGD

SETTINGS = [(9.4, 0.328, 2000), (0.5, 0.002, 10_000), (1.0, 0.00512, 20_000), (21.1, 0.5, 1000), (0.7, 1e-4, 100_000)]


@pytest.mark.parametrize("setting", SETTINGS)
def test_slack_makes_the_fit_hold_everywhere(setting):
    curve = account(DPSGD(*setting))
    fit = curve.fit(floor=1e-6)
    epsilon = np.linspace(0, 1.5 * curve.epsilon(1e-9), 300)
    own, gaussian = curve.delta(epsilon), GDP(fit.mu).delta(epsilon)
    needed = (own - gaussian) / (1 - gaussian)
    assert needed.max() <= fit.slack
    assert needed.max() >= 0.9 * fit.slack > 0


@pytest.mark.parametrize("setting", SETTINGS)
def test_regret_is_the_least_diagonal_shift(setting):
    curve = account(DPSGD(*setting))
    fit = curve.fit()
    alpha = np.concatenate((np.geomspace(1e-9, 0.1, 80), np.linspace(0.1, 0.9, 161)))

    def holds(kappa):
        shifted = np.minimum(alpha + kappa, 1.0)
        return np.all(curve.fnr(shifted) - kappa <= GDP(fit.mu).fnr(alpha) + 1e-12)

    assert holds(fit.regret)
    assert not holds(0.99 * fit.regret)


def gaussian_profile(mu, epsilon):
    return mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


def one_step_profile(sigma, rate, epsilon):
    """Sampling with a rate maps (log(1 + (e^eps - 1)/rate), delta) to (eps, rate delta), for removing a record."""
    sigma, rate, epsilon = mp.mpf(sigma), mp.mpf(rate), mp.mpf(epsilon)
    return rate * gaussian_profile(1 / sigma, mp.log1p(mp.expm1(epsilon) / rate))


def by_definition(sigma, rate, mu):
    """Slack and regret of mu for one sampled step, over a grid of epsilons."""
    with mp.workdps(30):
        grid = mp.linspace(0, 6, 1200)
        own, gaussian = (
            [one_step_profile(sigma, rate, epsilon) for epsilon in grid],
            [gaussian_profile(mp.mpf(mu), epsilon) for epsilon in grid],
        )
        slack = max((x - y) / (1 - y) for x, y in zip(own, gaussian, strict=True))
        regret = max((y - x) / (1 + mp.exp(epsilon)) for x, y, epsilon in zip(own, gaussian, grid, strict=True))
    return float(slack), float(regret)


@pytest.mark.parametrize(("sigma", "rate", "floor"), [(1.0, 0.2, 1e-3), (0.6, 0.05, 1e-4), (2.0, 0.5, 1e-2)])
def test_one_sampled_step_in_closed_form(sigma, rate, floor):
    fit = account(DPSGD(sigma, rate, 1)).fit(floor)
    slack, regret = by_definition(sigma, rate, fit.mu)
    assert slack * (1 - 1e-6) <= fit.slack <= 1.03 * slack
    assert regret * (1 - 1e-4) <= fit.regret <= regret + 2e-7


def test_slack_where_much_is_revealed_already():
    """Here 1 - delta_mu, which the excess is divided by, is far from 1."""
    fit = account(DPSGD(0.3, 0.8, 1)).fit(0.15)
    slack, regret = by_definition(0.3, 0.8, fit.mu)
    assert slack > 0.2
    assert slack * (1 - 1e-6) <= fit.slack <= 1.03 * slack
    assert fit.regret >= regret


def test_no_distance_where_the_curve_is_gaussian():
    fit = account(DPSGD(3.0, 1 - 1e-13, 5)).fit(1e-6)
    assert fit.mu == pytest.approx(math.sqrt(5) / 3, rel=1e-6)
    assert fit.slack < 1e-6
    assert fit.regret < 1e-6


@pytest.mark.parametrize("floor", [1e-12, 5e-171])
@pytest.mark.parametrize("setting", [(0.5, 0.01, 3), (1.0, 0.01, 1000), (9.4, 0.328, 2000), (0.3, 0.2, 50)])
def test_slack_below_floors_of_any_depth(setting, floor):
    curve = account(DPSGD(*setting))
    fit = curve.fit(floor)
    assert 0 <= fit.slack <= 1
    epsilon = np.linspace(0, 1.5 * curve.remove.epsilon(1e-2 * floor), 200)
    own, gaussian = curve.delta(epsilon), GDP(fit.mu).delta(epsilon)
    assert (own * (1 - 1e-9) <= fit.slack + (1 - fit.slack) * gaussian).all()


def mirrored(points):
    """The same tests with both laws exchanged: removing a record is then what adding it was."""
    return OperatingPoints(
        -points.tau,
        points.log_fnr,
        points.log_tpr,
        points.log_fpr,
        points.log_tnr,
        points.log_density + points.tau,
        points.log_delta_add,
        points.log_delta_remove,
        points.errors,
        points.methods,
    ).take(slice(None, None, -1))


@pytest.mark.parametrize("setting", SETTINGS[:3])
def test_the_slack_is_of_both_directions(setting):
    """Of a loss whose laws are exchanged, adding a record needs the slack that removing it did."""
    curve = account(DPSGD(*setting))
    fit, tails = curve.fit(1e-6), curve.tails
    known = sample_span(Sampler(tails), 1e-6).known
    exchanged = SimpleNamespace(read=lambda tau: mirrored(tails.read(-tau[::-1])))
    found = CurveDistances(exchanged, fit.mu, 1e-6, SimpleNamespace(known=mirrored(known))).slack()
    assert found == pytest.approx(fit.slack, rel=1e-6)


@pytest.mark.parametrize("mu", [0.5, 3.0, 7.9, 12.0])
def test_gaps_between_samples_are_bounded(mu):
    """Profiles are convex in e^epsilon; in epsilon they are not, least of all those of large losses."""
    own = GDP(8.0)
    for epsilon in (np.linspace(0.0, 60.0, 5), np.array([0.0, 25.0]), np.geomspace(1e-3, 40.0, 9)):
        upper, lower = own.delta(epsilon), GDP(mu).delta(epsilon)
        bounds = largest_gap(epsilon, upper - lower, -np.diff(upper), gaussian_fall(epsilon, mu))
        for low, high, bound in zip(epsilon[:-1], epsilon[1:], bounds, strict=True):
            dense = np.linspace(low, high, 200)
            assert (own.delta(dense) - GDP(mu).delta(dense)).max() <= bound + 1e-12


@pytest.mark.parametrize("seed", range(12))
def test_at_any_floor_every_number_is_one(seed):
    """Down to 1e-300: numbers in order, or a refusal with its reason; never NaN."""
    draw = random.Random(seed)
    run = DPSGD(
        noise_multiplier=10 ** draw.uniform(-0.1, 1.5),
        sample_rate=10 ** draw.uniform(-2, 0),
        steps=int(10 ** draw.uniform(0, 5)),
    )
    floor = 10 ** draw.uniform(-300, -5)
    curve = account(run)
    try:
        fit = curve.fit(floor)
    except DomainError:
        with pytest.raises(DomainError, match="floor must leave attacks to speak about"):
            curve.fit(floor)
        assert curve.fnr(floor) <= floor
        return
    assert 0 <= fit.mu_lower <= fit.mu < math.inf
    assert 0 <= fit.slack <= 1
    assert 0 <= fit.regret <= 1
    with_all = GDP(math.sqrt(run.steps) / run.noise_multiplier)  # as if every step used every record
    assert fit.mu_lower <= with_all.mu * (1 + 1e-12)
