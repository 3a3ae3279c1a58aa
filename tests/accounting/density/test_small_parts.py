"""Parts that are far smaller than the rest: against sums of gamma variables, whose law is known."""

import math

import numpy as np
import pytest
from scipy import special

from gaussdp.accounting.density.convolution import convolved, repeated
from gaussdp.accounting.density.loss_density import Scale
from gaussdp.accounting.density.small_parts import SmallParts


def log_gamma_density(shape, s):
    """Of the logarithm of a gamma variable."""
    return shape * s - np.exp(s) - special.gammaln(shape)


def gamma(shape, above=105.0, below=105.0):
    """The same as the density of a loss whose least one is 0, under Q; its tail under P is as good."""
    scale = Scale(-1e6, above, below)  # all losses are negative: the depths are those under Q
    low, high = -(below + 5) / shape, math.log(above + 3 * shape)
    return scale.build(lambda s: log_gamma_density(shape, s), low, math.log(shape), high)


@pytest.mark.parametrize(("one", "other"), [(0.5, 0.5), (0.3, 40.0), (200.0, 0.7), (30.0, 30.5)])
def test_sums_of_gamma_variables(one, other):
    law = convolved(gamma(one), gamma(other))
    s = np.linspace(law.density.edges[0], law.density.edges[-1], 400)
    s = s[law.reaches(s)]
    exact = log_gamma_density(one + other, s)
    assert exact.min() < -55
    assert np.abs(law.density.at(s) - exact).max() <= law.density.error < 2e-12


@pytest.mark.parametrize("count", [3, 7, 45])
def test_repeated_sums(count):
    law = repeated(gamma(0.4), count)
    s = np.linspace(law.density.edges[0], law.density.edges[-1], 200)
    s = s[law.reaches(s)]
    assert law.density.at(s) == pytest.approx(log_gamma_density(0.4 * count, s), abs=2e-13)


@pytest.mark.parametrize(("above", "below"), [(300.0, 105.0), (105.0, 300.0)])
def test_one_side_may_go_deeper(above, below):
    law = repeated(gamma(0.5, above, below), 6)
    ends = law.density.at(law.density.edges[[0, -1]])
    assert ends == pytest.approx([-below, -above], abs=12)
    s = np.linspace(law.density.edges[0], law.density.edges[-1], 200)
    s = s[law.reaches(s)]
    assert law.density.at(s) == pytest.approx(log_gamma_density(3.0, s), abs=3e-13)


@pytest.mark.parametrize(("small", "large"), [(0.4, 0.9), (0.4, 60.0), (25.0, 8.0)])
def test_integrals_up_to_an_edge(small, large):
    """The share of a sum that is below an edge has a beta law."""
    first, second = gamma(small).density, gamma(large).density
    s = np.linspace(-20.0, 4.0, 60)
    logs, ends = SmallParts(first).integrals(second, s)
    some = first.edges[ends] > first.edges[0] + 1.5  # next to its lower end the density is cut off
    assert np.count_nonzero(some) > 5
    share = np.exp(first.edges[ends[some]] - s[some])
    exact = log_gamma_density(small + large, s[some]) + np.log(special.betainc(small, large, share))
    assert logs[some] == pytest.approx(exact, abs=1e-13 * (10 + np.abs(exact).max()))
