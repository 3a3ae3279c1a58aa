"""Pure epsilon and rho, against divergences computed by plain quadrature and by dp_accounting."""

import math

import mpmath
import numpy as np
import pytest

from gaussdp import (
    DPSGD,
    ApproxDP,
    Composition,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    PureDP,
    RandomizedResponse,
    Run,
    ZCDPGaussian,
    check_claim,
)
from gaussdp.accounting.bounds.approximations import smallest_rho

ORDERS = [1.00001, 1.001, 1.1, 1.5, 2, 3, 5, 10, 40, 200]


def laplace_divergence(order, scale):
    def ratio(x):
        return mpmath.exp(-order * abs(x) / scale - (1 - order) * abs(x - 1) / scale) / (2 * scale)

    return mpmath.log(mpmath.quad(ratio, [-60 * scale, 0, 1, 60 * scale])) / (order - 1)


def discrete_divergence(order, weight, shift, reach=2000):
    total = sum(weight(k) for k in range(-reach, reach + 1))
    moment = sum(weight(k) ** order * weight(k - shift) ** (1 - order) for k in range(-reach, reach + 1))
    return mpmath.log(moment / total) / (order - 1)


@pytest.mark.parametrize("scale", [0.1, 1.0, 5.0])  # at the first the supremum is the limit of order 1
def test_laplace(scale):
    low, high = smallest_rho(Laplace(scale))
    ratios = [laplace_divergence(order, scale) / order for order in ORDERS]
    assert max(ratios) <= high <= 1.002 * low
    assert low <= 1.01 * max(ratios)  # the orders tried are few
    assert high <= 0.5 / scale**2


@pytest.mark.parametrize("sensitivity", [1, 3])
def test_discrete_laplace(sensitivity):
    low, high = smallest_rho(DiscreteLaplace(2.0, sensitivity))
    ratios = [
        discrete_divergence(order, lambda k: mpmath.exp(-abs(k) / mpmath.mpf(2)), sensitivity, 150) / order
        for order in ORDERS[:6]
    ]
    assert max(ratios) <= high <= 1.002 * low
    assert low <= 1.02 * max(ratios)


def test_randomized_response_with_many_answers():
    low, high = smallest_rho(RandomizedResponse(1.0, categories=4))
    truth = mpmath.e / (3 + mpmath.e)
    lie = 1 / (3 + mpmath.e)
    ratios = [mpmath.log(truth**a * lie ** (1 - a) + lie**a * truth ** (1 - a) + 2 * lie) / (a - 1) / a for a in ORDERS]
    assert max(ratios) <= high <= 1.002 * low <= 1.02 * max(ratios)


def test_discrete_gaussian_attains_the_continuous_one_at_whole_orders():
    low, high = smallest_rho(DiscreteGaussian(2.0, 1))
    assert low == high == 0.125
    divergence = discrete_divergence(2, lambda k: mpmath.exp(-(mpmath.mpf(k) ** 2) / 8), 1, 60)
    assert float(divergence / 2) == pytest.approx(0.125, rel=1e-12)
    assert discrete_divergence(1.5, lambda k: mpmath.exp(-(mpmath.mpf(k) ** 2) / 8), 1, 60) / 1.5 <= 0.125 * (1 + 1e-12)


def test_sampling_does_not_help_rho():
    from dp_accounting import dp_event
    from dp_accounting.rdp import RdpAccountant

    low, high = smallest_rho(DPSGD(2.0, 0.1, 50))
    assert low == high == 50 / 8
    orders = [2, 10, 100, 1000, 4000]
    accountant = RdpAccountant(orders)
    accountant.compose(dp_event.PoissonSampledDpEvent(0.1, dp_event.GaussianDpEvent(2.0)), 50)
    ratios = [float(divergence) / order for divergence, order in zip(accountant._rdp, orders, strict=True)]
    assert ratios == sorted(ratios)
    assert 0.95 * low < ratios[-1] <= high


def test_mixtures_and_what_has_none():
    assert smallest_rho(Composition([Gaussian(2.0), ZCDPGaussian(0.5)])) == (0.625, 0.625)
    alone = smallest_rho(Laplace(1.0))
    assert smallest_rho(Composition([Gaussian(2.0), Laplace(1.0)])) == pytest.approx([0.125 + end for end in alone])
    low, high = smallest_rho(Composition([DPSGD(2.0, 0.5, 4), Laplace(1.0)]))
    assert (low, high) == pytest.approx([0.5, 0.5 + alone[1]])
    assert smallest_rho(Composition([Gaussian(2.0), ApproxDP(1.0, 1e-6)])) == (math.inf, math.inf)
    low, high = smallest_rho(DiscreteLaplace(500.0, 400))
    assert (low, high) == (0.0, pytest.approx(0.32))


def test_tiny_losses_stay_enclosed():
    low, high = smallest_rho(1000 * Laplace(1e6))
    assert low <= 1000 * 0.5e-12 * (1 - 1e-6) <= high


def test_pure_epsilon():
    assert Composition([2 * Laplace(4.0), PureDP(0.5), DiscreteLaplace(4.0, 2)]).pure_epsilon == 1.5
    assert (3 * RandomizedResponse(1.0)).pure_epsilon == 3.0
    for mechanism in (Gaussian(1.0), DPSGD(1.0, 0.1, 2), DiscreteGaussian(3.0)):
        assert mechanism.pure_epsilon == math.inf
    assert Composition([Laplace(1.0), ApproxDP(1.0, 1e-9)]).pure_epsilon == math.inf


@pytest.mark.parametrize(("sigma", "scale"), [(2.0, 1.0), (0.5, 1.0), (0.3, 0.3), (1.0, 3.0)])
def test_discrete_gaussian_with_laplace_is_enclosed(sigma, scale):
    """Between whole orders discrete noise has less than the continuous one, which is no lower end there."""
    low, high = smallest_rho(Composition([DiscreteGaussian(sigma), Laplace(scale)]))

    def ratio(order):
        noise = discrete_divergence(order, lambda k: mpmath.exp(-(mpmath.mpf(k) ** 2) / (2 * sigma**2)), 1, 60)
        return (noise + laplace_divergence(order, scale)) / order

    with mpmath.workdps(40):
        found = max(ratio(mpmath.mpf(order)) for order in (*ORDERS, 1.0005, 1.01, 1.05, 1.2, 1.3, 1.7, 2.5))
    assert found <= high
    assert low <= 1.0005 * found


@pytest.mark.parametrize("eta", [0.01, 1.0, 5.0])
def test_rho(eta):
    _, rho = smallest_rho(ExponentialMechanism(eta))
    assert rho == pytest.approx(eta**2 / 8)
    largest = 0.0
    for t in np.linspace(0, eta, 201)[1:-1]:
        truth = math.expm1(t - eta) / math.expm1(-eta)
        for order in (1.001, 1.5, 2.0, 5.0, 50.0):
            moment = math.log(truth * math.exp((order - 1) * t) + (1 - truth) * math.exp((order - 1) * (t - eta)))
            largest = max(largest, moment / (order - 1) / order)
    assert largest <= rho * (1 + 1e-9)
    assert largest > 0.6 * rho


@pytest.mark.parametrize("mechanism", [DPSGD(1.0, 0.01, 100), Laplace(2.0), 3 * Laplace(5.0)], ids=repr)
@pytest.mark.parametrize("records", [2, 3])
def test_a_unit_of_several_records_squares(mechanism, records):
    """The rho of a group is its size squared times that of one (Bun & Steinke 2016, Proposition 1.9)."""
    stated = {"mechanism": mechanism, "unit": "one person", "adjacency": "add-remove", "sampling": None}
    one, several = (check_claim(Run(**stated, records_per_unit=k), "rho=1") for k in (1, records))
    assert several.upper == pytest.approx(records**2 * one.upper, rel=1e-9)
    assert several.lower <= several.upper


@pytest.mark.parametrize("records", [1, 3])
def test_an_exchanged_record_counts_as_two(records):
    """Where the noise is stated for adding a record and no exact account is known of the neighbours of the run."""
    stated = {"mechanism": DPSGD(1.0, 0.01, 100), "unit": "one person", "sampling": "poisson"}
    one = check_claim(Run(**stated, adjacency="add-remove", records_per_unit=1), "rho=1")
    exchanged = check_claim(Run(**stated, adjacency="replace-one", records_per_unit=records), "rho=1")
    assert exchanged.upper == pytest.approx((2 * records) ** 2 * one.upper, rel=1e-9)


@pytest.mark.parametrize("claim", ["epsilon=1", "mu=1", "mu=1 floor=1e-4"])
def test_a_unit_of_several_records_multiplies(claim):
    """Pure epsilon and mu of a group are its size times those of one (Dong, Roth & Su 2022, Section 2)."""
    stated = {"mechanism": Laplace(2.0), "unit": "one person", "adjacency": "add-remove"}
    one, three = (check_claim(Run(**stated, records_per_unit=k), claim) for k in (1, 3))
    assert three.upper == pytest.approx(3 * one.upper, rel=1e-9)
