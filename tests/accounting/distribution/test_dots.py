"""Laplace noise on a grid: alone against its closed form, together against exact sums and dp_accounting."""

import math

import mpmath
import numpy as np
import pytest

from gaussdp import Laplace, LaplaceDP, account
from gaussdp.accounting.distribution.pld import LossDistribution

dp_accounting = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")


@pytest.mark.parametrize("scale", [0.3, 2.0, 7.0, 1e4])
def test_alone_it_joins_the_dots(scale):
    """Exact at multiples of the spacing, but for the rounding that it claims; above the truth elsewhere."""
    curve, exact = account(Laplace(scale)), LaplaceDP(1 / scale)
    spacing = LossDistribution([(Laplace(scale), 1)], pessimistic=True).interval
    dots = spacing * np.arange(math.floor(1 / scale / spacing))
    np.testing.assert_allclose(curve.delta(dots), exact.delta(dots), rtol=1e-12, atol=2 * curve.noise_floor)
    between = np.linspace(0, 1 / scale, 1001)
    assert (curve.delta(between) >= exact.delta(between) * (1 - 1e-13)).all()


def test_two_are_a_convolution():
    """Against the integral over the loss of one of them: two atoms, and a density in between."""
    bound = mpmath.mpf(1) / 3

    def delta(epsilon):
        return max(-mpmath.expm1((max(epsilon, -bound) - bound) / 2), -mpmath.expm1(epsilon)) if epsilon < bound else 0

    curve = account(2 * Laplace(3.0))
    for epsilon in (0.0, 0.1, 0.4, 0.6):
        kinks = (max(min(epsilon + shift, bound), -bound) for shift in (-bound, bound))
        ends = sorted({-bound, *kinks, bound})
        exact = delta(epsilon - bound) / 2 + mpmath.exp(-bound) * delta(epsilon + bound) / 2
        exact += mpmath.quad(lambda x: mpmath.exp((x - bound) / 2) / 4 * delta(epsilon - x), ends)  # noqa: B023
        assert float(exact) * (1 - 1e-13) <= curve.delta(epsilon) <= float(exact) * (1 + 1e-4) + 2 * curve.noise_floor


@pytest.mark.parametrize(("scale", "count"), [(3.0, 40), (100.0, 10_000)])
def test_as_tight_as_the_library_that_makes_them(scale, count):
    """But for rounding errors, which that does not count."""
    theirs = dp_accounting.from_laplace_mechanism(scale, value_discretization_interval=1e-4).self_compose(count)
    epsilon = theirs.get_epsilon_for_delta(1e-6)
    assert account(count * Laplace(scale)).epsilon(1e-6) == pytest.approx(epsilon, rel=1e-5)


def test_an_epsilon_at_the_end_is_the_pure_one():
    curve = account(40 * Laplace(3.0))
    assert curve.epsilon(0.0) == curve.epsilon(1e-300) == pytest.approx(40 / 3, rel=1e-15)
    assert curve.delta(np.array([13.4, math.inf])).tolist() == [0.0, 0.0]
    assert account(3 * Laplace(3.0)).delta(math.inf) == 0.0
