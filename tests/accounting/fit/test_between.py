"""mu between samples: bounds that hold whatever the errors of the samples are, and come close."""

from dataclasses import replace

import numpy as np
import pytest

from gaussdp.accounting import account
from gaussdp.accounting.fit.between import mu_between, mu_errors
from gaussdp.accounting.fit.bounded import BoundedSearch
from gaussdp.accounting.fit.span import Sampler, Samples, sample_span
from gaussdp.accounting.loss.closed_forms import GaussianTails, OneStepTails
from gaussdp.accounting.operating_points import log_complement
from gaussdp.accounting.readings import Method
from gaussdp.mechanisms import DPSGD


def wrong(points, errors, ways):
    """Points whose smaller rates and profiles are off by as much as their errors say, in these directions."""

    def off(log, rest, way):
        log, rest = log + np.log1p(way * errors), rest + np.log1p(way * errors)
        smaller = log < rest
        return (
            np.where(smaller, log, log_complement(np.minimum(rest, 0.0))),
            np.where(smaller, log_complement(np.minimum(log, 0.0)), rest),
        )

    fpr, tnr = off(points.log_fpr, points.log_tnr, ways[0])
    fnr, tpr = off(points.log_fnr, points.log_tpr, ways[1])
    smaller_is_remove = points.tau >= 0
    remove = points.log_delta_remove + np.where(smaller_is_remove, np.log1p(ways[2] * errors), 0.0)
    add = points.log_delta_add + np.where(smaller_is_remove, 0.0, np.log1p(ways[2] * errors))
    return replace(
        points,
        log_fpr=fpr,
        log_tnr=tnr,
        log_fnr=fnr,
        log_tpr=tpr,
        log_delta_remove=remove,
        log_delta_add=add,
        errors=errors,
    )


@pytest.mark.parametrize("mu", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("spacing", [1e-3, 0.03, 0.3])
@pytest.mark.parametrize("size", [1e-12, 1e-8, 1e-5])
def test_no_errors_make_a_bound_too_small(mu, spacing, size):
    """Along a GDP curve mu is the same everywhere."""
    exact = GaussianTails(mu).read(mu * spacing * np.arange(-6, 7))
    draw, lowest = np.random.default_rng(3), np.inf
    for _ in range(200):
        ways = draw.choice([-1.0, 1.0], (3, exact.tau.size))
        bounds = mu_between(wrong(exact, np.full(exact.tau.size, size), ways))
        lowest = min(lowest, float(bounds.min()))
        assert float(bounds.max()) <= mu * (1 + spacing**2) + 1e-13 + 20 * size * (1 + 1 / (mu * spacing))
    assert lowest >= mu - 2e-15


@pytest.mark.parametrize("size", [1e-9, 1e-6, 1e-4])
@pytest.mark.parametrize("spacing", [1e-3, 0.02])
def test_nor_where_mu_rises(size, spacing):
    """A sample lies between the corners at either side, on its own tangent; if profiles hardly differ, these may be
    anywhere."""
    exact = OneStepTails(0.7, 0.01).read(0.5 + spacing * np.arange(60))
    truth, draw = exact.mu(), np.random.default_rng(4)
    for _ in range(100):
        ways = draw.choice([-1.0, 1.0], (3, exact.tau.size))
        bounds = mu_between(wrong(exact, np.full(exact.tau.size, size), ways))
        assert (np.maximum(bounds[1:], bounds[:-1]) >= truth[1:-1] - 2e-15).all()


class Doubtful:
    """Tails whose errors have bounds that soon are large."""

    def __init__(self, tails, sure):
        self._tails, self._sure = tails, sure

    def __getattr__(self, name):
        return getattr(self._tails, name)

    def read(self, tau):
        points = self._tails.read(tau)
        return replace(points, methods=np.full_like(points.methods, Method.LINE))

    def error_bounds(self, tau):
        self._sure -= 1
        return np.full(tau.size, 1e-13 if self._sure >= 0 else 1e-3)


def test_ends_that_may_lie_inside_the_floor_bound_nothing():
    tails = account(DPSGD(1.0, 0.01, 1000)).tails
    span = sample_span(Sampler(tails), 1e-6)
    found = [BoundedSearch(Doubtful(tails, sure), 1e-6, span, 0.5).holds(0.1, 0.9) for sure in (2, 10**6)]
    assert found == [False, True]


def test_an_enclosure_that_ends_below_the_truth_is_not_held():
    """mu rises to the end of the attacks above the floor."""
    tails = account(DPSGD(0.5, 0.002, 10_000)).tails
    fit = account(DPSGD(0.5, 0.002, 10_000)).fit(1e-6)
    search = BoundedSearch(Doubtful(tails, 10**6), 1e-6, sample_span(Sampler(tails), 1e-6), 1.0)
    assert fit.fpr == pytest.approx(1e-6, rel=1e-6)
    assert search.holds(0.5 * fit.mu, fit.mu * (1 + 1e-11))
    assert not search.holds(0.5 * fit.mu, fit.mu_lower * (1 - 1e-14))


def test_the_error_of_mu_holds_for_wrong_rates():
    exact = GaussianTails(1.0).read(np.linspace(-5.0, 5.0, 41))
    for ways in (np.ones((3, 41)), -np.ones((3, 41)), np.array([[1.0], [-1.0], [1.0]])):
        samples = Samples.of(wrong(exact, np.full(41, 1e-9), ways))
        assert (np.abs(samples.mu() - 1.0) <= mu_errors(samples)).all()
