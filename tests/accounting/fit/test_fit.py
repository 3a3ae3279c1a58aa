"""The tightest mu and its enclosure."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from gaussdp.accounting import Method, account
from gaussdp.accounting.fit import tightest
from gaussdp.accounting.fit.span import Samples
from gaussdp.accounting.fit.tightest import small_at_low_end
from gaussdp.accounting.operating_points import OperatingPoints
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP
from gaussdp.mechanisms import DPSGD, Composition, Gaussian, MixtureOfGaussians, Stated, ZCDPGaussian

SETTINGS = [(9.4, 0.328, 2000), (0.5, 0.002, 10_000), (1.0, 0.00512, 20_000), (21.1, 0.5, 1000), (0.7, 1e-4, 100_000)]


@pytest.mark.parametrize(("setting", "mu"), list(zip(SETTINGS, [1.568471, 1.893517, 0.980197, 0.751035], strict=False)))
def test_known_mu(setting, mu):
    fit = account(DPSGD(*setting)).fit(floor=1e-10)
    assert fit.mu == pytest.approx(mu, abs=6e-7)
    assert fit.mu_lower <= fit.mu == fit.mu_upper
    assert fit.mu_upper - fit.mu_lower < 1e-6 * fit.mu


@pytest.mark.parametrize("setting", SETTINGS)
def test_no_attack_above_the_floor_beats_mu_and_one_attains_it(setting):
    curve = account(DPSGD(*setting))
    fit = curve.fit(floor=1e-8)
    fpr = np.concatenate((np.geomspace(1e-8, 0.5, 60), 1 - np.geomspace(1e-8, 0.5, 60)))
    for direction in (curve.remove, curve.add):
        fnr = direction.fnr(fpr)
        inside = fnr >= 1e-8
        mu = -special.ndtri(fpr[inside]) - special.ndtri(fnr[inside])
        assert mu.max() <= fit.mu + 1e-9
    assert -special.ndtri(fit.fpr) - special.ndtri(fit.fnr) == pytest.approx(fit.mu, rel=1e-6)
    assert min(fit.fpr, fit.fnr) >= 1e-8 * (1 - 1e-9)


def test_a_lower_floor_gives_a_larger_mu():
    curve = account(DPSGD(0.5, 0.002, 10_000))
    mus = [curve.fit(floor).mu for floor in (1e-3, 1e-6, 1e-10, 1e-20, 1e-60)]
    assert mus == sorted(mus)
    assert mus[-1] < curve.implied().mu == pytest.approx(200.0)


def test_plain_gaussians_need_no_floor():
    fit = account(Composition([9 * Gaussian(3.0), ZCDPGaussian(rho=2.0)])).fit()
    assert fit.mu == fit.mu_upper == math.nextafter(fit.mu_lower, math.inf)
    assert Fraction(fit.mu_lower) ** 2 < 5 < Fraction(fit.mu) ** 2
    assert (fit.floor, fit.slack, fit.regret, fit.unconditional) == (0.0, 0.0, 0.0, True)
    assert fit.guarantee == GDP(fit.mu)


class TestPlainReleases:
    """Squares add up; what a parameter is at 60 digits is what it says as a decimal of at most 15, else its bits."""

    @staticmethod
    def encloses(noises):
        fit = account(Composition([Gaussian(noise) for noise in noises])).fit()
        with mpmath.workdps(60):
            mu = mpmath.sqrt(mpmath.fsum(1 / exactly(noise) ** 2 for noise in noises))
            assert exactly(fit.mu_lower) <= mu * (1 + mpmath.mpf("1e-55"))
            assert exactly(fit.mu) >= mu * (1 - mpmath.mpf("1e-55"))
        assert fit.mu == fit.mu_upper <= math.nextafter(fit.mu_lower, math.inf)

    def test_one_whose_rounded_squares_made_it_too_large(self):
        self.encloses([9.837363150026643, 0.11696650818695628, 26.48020222107939])

    @given(st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=8))
    def test_any(self, noises):
        self.encloses(noises)

    @pytest.mark.parametrize("seed", range(3))
    def test_many(self, seed):
        self.encloses(np.random.default_rng(seed).lognormal(0.0, 2.0, 300).tolist())

    def test_decimals_are_what_they_say(self):
        for noise, times, mu in ((10.0, 9, 0.3), (0.3, 9, 10.0), (0.1, 9, 30.0), (0.7, 49, 10.0), (4.0, 1, 0.25)):
            fit = account(times * Gaussian(noise)).fit()
            assert (fit.mu, fit.mu_lower, fit.error) == (mu, mu, 0.0)

    def test_a_stated_mu_comes_back(self):
        for hundredths in range(1, 1000):
            assert account(Stated(GDP(hundredths / 100))).fit().mu == hundredths / 100

    def test_what_sampled_steps_imply_is_that_of_plain_ones(self):
        exchanged = DPSGD(20.0, 0.1, 9, "replace-one")
        mixture = MixtureOfGaussians(10.0, (0.0, 1.0, 2.0), (0.5, 0.5, 0.0))
        for mechanism in (DPSGD(10.0, 0.1, 9), exchanged, 9 * mixture):
            assert account(mechanism).implied() == GDP(0.3)
        assert Fraction(account(DPSGD(3.0, 0.1, 1)).implied().mu) > Fraction(1, 3)

    def test_a_table_does_not_tell_neighbouring_doubles_apart(self):
        mu, mu_lower, *_ = account(Gaussian(3.0)).fit().table().rows[0]
        assert mu == mu_lower == math.nextafter(1 / 3, 1)


def exactly(value):
    """A double as it is written: the decimal that it shows if that is short, else its own bits."""
    digits = repr(value).split("e")[0].replace(".", "").strip("0")
    return mpmath.mpf(repr(value)) if len(digits) <= 15 else mpmath.mpf(value)


@pytest.mark.parametrize("floor", [0.0, 1.0, -1.0, math.nan, "small"])
def test_bad_floor(floor):
    with pytest.raises(DomainError, match="floor"):
        account(DPSGD(1.0, 0.01, 100)).fit(floor)


def test_a_floor_above_the_whole_curve_is_refused():
    with pytest.raises(DomainError, match="lower the floor"):
        account(DPSGD(0.5, 0.5, 1000)).fit(floor=1e-3)


@pytest.mark.parametrize(
    ("sigma", "rate", "floor"),
    [(0.2, 0.1, 1e-10), (0.12, 1e-4, 1e-10), (0.1, 0.3, 1e-6), (0.2757, 0.028, 4.93e-8), (0.1807, 0.04, 9.4e-3)],
)
def test_one_step_whose_losses_crowd_at_the_least_one(sigma, rate, floor):
    """Most outputs have losses that no double tells from the least one; over outputs mu is in closed form."""
    fit = account(DPSGD(sigma, rate, 1)).fit(floor)
    assert fit.method == Method.CLOSED_FORM
    x = np.linspace(-9 * sigma, 1 + 9 * sigma, 20_000)
    fpr, fnr = special.ndtr(-x / sigma), (1 - rate) * special.ndtr(x / sigma) + rate * special.ndtr((x - 1) / sigma)
    tpr = (1 - rate) * fpr + rate * special.ndtr((1 - x) / sigma)
    mu = x / sigma + np.where(fnr < 0.5, -special.ndtri(fnr), special.ndtri(tpr))
    largest = mu[(fpr >= floor) & (fnr >= floor)].max()
    assert largest * (1 - 1e-9) <= fit.mu <= largest * (1 + 1e-2)
    assert fit.error < 1e-8


RARE_ENDS = [(0.7, 1e-4, 100_000), (0.9, 1e-3, 1000), (0.5, 2e-4, 30_000)]


@pytest.mark.parametrize("setting", RARE_ENDS)
def test_an_end_that_cannot_count_changes_nothing(setting, monkeypatch):
    asked = []

    def small(known, floor):
        asked.append(small_at_low_end(known, floor))
        return asked[-1]

    monkeypatch.setattr(tightest, "small_at_low_end", small)
    shorter = account(DPSGD(*setting)).fit(floor=1e-10)
    assert asked == [True]
    monkeypatch.setattr(tightest, "small_at_low_end", lambda known, floor: False)
    whole = account(DPSGD(*setting)).fit(floor=1e-10)
    assert (shorter.mu, shorter.mu_lower) == pytest.approx((whole.mu, whole.mu_lower), rel=1e-12)
    assert (shorter.fpr, shorter.fnr) == pytest.approx((whole.fpr, whole.fnr), rel=1e-9)


def known_samples(rates):
    fpr, fnr = np.log(np.array(rates).T)
    tnr, tpr = np.log1p(-np.exp(fpr)), np.log1p(-np.exp(fnr))
    nothing, codes = np.zeros(fpr.size), np.zeros(fpr.size, np.int8)
    tau = np.linspace(-1.0, 1.0, fpr.size)
    return Samples.of(OperatingPoints(tau, fpr, tnr, fnr, tpr, nothing, nothing, nothing, nothing, codes))


@pytest.mark.parametrize(
    ("rates", "small"),
    [
        ([(0.9, 0.009), (0.7, 0.03), (0.1, 0.1), (0.02, 0.3)], True),
        ([(0.9, 0.011), (0.7, 0.03), (0.1, 0.1), (0.02, 0.3)], False),  # none reaches beyond the floor
        ([(0.9, 0.009), (0.2, 0.03), (0.1, 0.1), (0.02, 0.3)], False),  # a test between the first two may be better
        ([(0.95, 0.001), (0.9, 0.009), (0.7, 0.03), (0.3, 0.1), (0.005, 0.2)], False),  # the best is below the floor
    ],
)
def test_the_low_end_counts_unless_samples_say_no(rates, small):
    assert small_at_low_end(known_samples(rates), 0.01) is small
