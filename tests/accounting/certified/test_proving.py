"""Proved enclosures against values that were computed elsewhere, and against what is known in closed form."""

import csv
import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from pathlib import Path

import mpmath
import numpy as np
import pytest

from gaussdp.accounting import account
from gaussdp.accounting.certified.balls import exactly
from gaussdp.accounting.certified.loss import ComposedLoss
from gaussdp.accounting.certified.proved import ProvedNumber
from gaussdp.accounting.certified.prover import Prover
from gaussdp.accounting.certified.proving import certify
from gaussdp.accounting.certified.steps import Part
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.guarantees import ZCDP
from gaussdp.mechanisms import DPSGD, Composition, Gaussian, Laplace, PoissonSampled, Stated, ZCDPGaussian

with (Path(__file__).parents[2] / "reference" / "dpsgd_points.csv").open() as file:
    ROWS = [row for row in csv.DictReader(file) if float(row["tau"]) >= 0][::3]

KNOWN = [
    (DPSGD(9.4, 0.328, 2000), 4.0, "0.01505318877364772599"),
    (DPSGD(1.0, 0.00512, 3907), 1.744, "9.9976033386650264573e-6"),
    (DPSGD(0.5, 0.002, 10_000), 6.07, "5.77612038179294349e-4"),
]
SETTINGS = [
    ((9.4, 0.328, 2000), 1.568471),
    ((0.5, 0.002, 10_000), 1.893517),
    ((1.0, 0.00512, 20_000), 0.980197),
    ((21.1, 0.5, 1000), 0.751035),
]
MIXTURE = Composition([DPSGD(1.0, 0.01, 100), Gaussian(4.0), DPSGD(2.0, 0.1, 50), ZCDPGaussian(0.001)])


def encloses(proved: ProvedNumber, decimal: str) -> bool:
    """Whether a decimal, which is right to its last digit, lies inside or within a unit of that digit."""
    with localcontext(prec=400):
        value = Decimal(decimal)
        unit = Decimal(1).scaleb(value.as_tuple().exponent)
        return Decimal(proved.low) - unit <= value <= Decimal(proved.high) + unit


@dataclass(frozen=True)
class Binary(Part):
    """A step whose noise and rate are doubles, not what is written: that is what others computed with."""

    def sigma(self):
        return exactly(Fraction(self.noise_multiplier))

    def rate(self):
        return exactly(Fraction(self.sample_rate))


def in_binary(noise, rate, steps):
    if float(rate) == 1:
        return Prover(ComposedLoss.of(DPSGD(float(noise), 1.0, int(steps))), str)
    return Prover(ComposedLoss((), (Binary(float(noise), float(rate), int(steps)),)), str)


@pytest.mark.parametrize(("run", "epsilon", "delta"), KNOWN)
def test_delta_to_twenty_digits(run, epsilon, delta):
    with np.errstate(all="ignore"):
        proved = in_binary(run.noise_multiplier, run.sample_rate, run.steps).point(epsilon, 1).remove
    assert encloses(proved, delta)
    assert proved.digits >= 20
    as_written = certify(run, epsilons=[epsilon]).deltas[0].delta
    assert abs(Decimal(as_written.low) / Decimal(proved.low) - 1) < Decimal("1e-14")
    assert as_written.digits >= 20


@cache
def of_setting(setting):
    rows = [row for row in ROWS if setting == (row["noise_multiplier"], row["sample_rate"], row["steps"])]
    prover = in_binary(*setting)
    with np.errstate(all="ignore"):
        return rows, [prover.point(float(row["tau"]), 1) for row in rows]


@pytest.mark.parametrize("setting", sorted({(r["noise_multiplier"], r["sample_rate"], r["steps"]) for r in ROWS}))
def test_operating_points_of_another_computation(setting):
    for row, point in zip(*of_setting(setting), strict=True):
        assert point.threshold == float(row["tau"])
        for name, key in (("fpr", "fpr"), ("fnr", "fnr"), ("remove", "delta")):
            assert encloses(getattr(point, name), row[key]), (row, name)
            assert getattr(point, name).digits >= 12


@pytest.mark.parametrize(("setting", "mu"), SETTINGS)
def test_mu_of_the_reference_settings(setting, mu):
    certificate = account(DPSGD(*setting)).certify(floor=1e-10)
    assert certificate.mu.digits >= 8
    assert certificate.mu.lower == pytest.approx(mu, abs=6e-7)
    fit = account(DPSGD(*setting)).fit(floor=1e-10)
    assert certificate.mu.lower <= fit.mu_upper
    assert fit.mu_lower <= certificate.mu.upper
    assert certificate.verify() == ()


def test_a_certified_fit_carries_its_proof():
    curve = account(DPSGD(9.4, 0.328, 2000))
    plain, fit = curve.fit(1e-6), curve.fit(1e-6, certified=True)
    assert fit.certificate.bounds()[0] == fit.mu_lower <= fit.mu == fit.mu_upper
    assert fit.mu >= max(plain.mu, fit.certificate.mu.upper)
    assert fit.mu == pytest.approx(plain.mu, rel=1e-8)
    assert fit.slack == plain.slack
    assert any("is proved to" in note for note in fit.notes())


def test_the_largest_mu_inside_the_curve_is_enclosed():
    """Above a high floor mu is largest between the ends, where only tangents bound it."""
    curve = account(Composition([DPSGD(0.7, 0.3, 30), Gaussian(1.0)]))
    certificate = curve.certify(floor=0.02)
    mu = curve.fit(0.02)
    assert certificate.mu.lower <= mu.mu_upper
    assert mu.mu_lower <= certificate.mu.upper
    assert certificate.mu.digits >= 8


def gaussian_delta(mu, epsilon):
    with mpmath.workdps(60):
        m, e = mpmath.mpf(mu), mpmath.mpf(epsilon)
        return mpmath.ncdf(m / 2 - e / m) - mpmath.exp(e) * mpmath.ncdf(-m / 2 - e / m)


@pytest.mark.parametrize(("noise", "epsilon"), [(2.0, 1.0), (0.1, 40.0), (1e4, 1e-3), (50.0, 0.0)])
def test_plain_gaussian_releases(noise, epsilon):
    certificate = certify(Gaussian(noise), 1e-10, [epsilon], [1e-6])
    with mpmath.workdps(60):
        mu = 1 / mpmath.mpf(str(noise))
        assert encloses(certificate.deltas[0].delta, mpmath.nstr(gaussian_delta(mu, epsilon), 25))
        assert encloses(certificate.mu, mpmath.nstr(mu, 30))
    found = certificate.epsilons[0]
    assert gaussian_delta(1 / noise, found.high) <= 1e-6
    assert found.high == 0 or found.high - found.low <= 1e-12 * found.high
    assert certificate.verify() == ()


@pytest.mark.parametrize(("noise", "rate", "epsilon"), [(1.0, 0.01, 0.3), (0.3, 0.5, 2.0), (20.0, 1e-6, 1e-8)])
def test_one_sampled_step(noise, rate, epsilon):
    """Its profile is that of the Gaussian, at a moved epsilon: Balle, Barthe and Gaboardi (2018), Theorem 8."""
    proved = certify(DPSGD(noise, rate, 1), epsilons=[epsilon]).deltas[0].delta
    with mpmath.workdps(60):
        q = mpmath.mpf(str(rate))
        inner = mpmath.log(1 + mpmath.expm1(mpmath.mpf(epsilon)) / q)
        assert encloses(proved, mpmath.nstr(q * gaussian_delta(1 / mpmath.mpf(str(noise)), inner), 25))


def two_steps(noise, rate, epsilon):
    """delta of two steps: the profile of one, integrated over the output of the other."""
    with mpmath.workdps(40):
        s, q, e = mpmath.mpf(str(noise)), mpmath.mpf(str(rate)), mpmath.mpf(epsilon)

        def inside(x):
            w = 1 - q + q * mpmath.exp((2 * x - 1) / (2 * s * s))
            rest = e - mpmath.log(w)  # what the other step must exceed
            odds = (mpmath.exp(rest) - 1 + q) / q
            if odds <= 0:
                profile = 1 - mpmath.exp(rest)
            else:
                y = s * s * mpmath.log(odds) + mpmath.mpf(1) / 2
                tpr = (1 - q) * mpmath.ncdf(-y / s) + q * mpmath.ncdf((1 - y) / s)
                profile = tpr - mpmath.exp(rest) * mpmath.ncdf(-y / s)
            return mpmath.npdf(x, 0, s) * w * profile

        return mpmath.quad(inside, mpmath.linspace(-14 * s, 1 + 14 * s, 40))


@pytest.mark.parametrize(("noise", "rate", "epsilon"), [(2.0, 0.5, 0.7), (5.0, 0.3, 0.2)])
def test_two_steps_by_a_double_integral(noise, rate, epsilon):
    certificate = certify(DPSGD(noise, rate, 2), epsilons=[epsilon])
    point = certificate.points[certificate.deltas[0].remove]
    assert encloses(point.remove, mpmath.nstr(two_steps(noise, rate, epsilon), 18))
    assert point.remove.digits >= 15


def test_a_mixture_equals_its_parts_in_any_order_and_split():
    other = Composition([DPSGD(2.0, 0.1, 20), *MIXTURE.mechanisms[:2], ZCDPGaussian(0.001), DPSGD(2.0, 0.1, 30)])
    first, second = (certify(run, epsilons=[0.5], deltas=[1e-8]) for run in (MIXTURE, other))
    numbers = [one.deltas[0].delta for one in (first, second)]
    assert Decimal(numbers[0].low) <= Decimal(numbers[1].high)
    assert Decimal(numbers[1].low) <= Decimal(numbers[0].high)
    assert first.epsilons[0].low <= second.epsilons[0].high
    assert second.epsilons[0].low <= first.epsilons[0].high
    assert second.verify() == ()


def test_a_full_sample_is_none():
    proved = certify(7 * PoissonSampled(Gaussian(2.0), 1.0), epsilons=[1.0]).deltas[0].delta
    with mpmath.workdps(60):
        assert encloses(proved, mpmath.nstr(gaussian_delta(mpmath.sqrt(7) / 2, 1), 25))


def random_runs():
    draw = np.random.default_rng(20)
    for _ in range(6):
        parts = [
            DPSGD(
                float(10 ** draw.uniform(-0.2, 1.5)), float(10 ** draw.uniform(-2.5, 0)), int(10 ** draw.uniform(2, 5))
            )
            for _ in range(int(draw.integers(1, 4)))
        ]
        yield Composition(parts)


@pytest.mark.parametrize("run", list(random_runs()), ids=str)
def test_fast_readings_keep_their_claims(run):
    curve = account(run)
    epsilons = [float(curve.epsilon(delta)) for delta in (1e-2, 1e-6, 1e-30)]
    epsilons = [epsilon for epsilon in epsilons if epsilon > 0]
    for epsilon, proved in zip(epsilons, curve.certify(None, epsilons=epsilons).deltas, strict=True):
        fast = curve.reading.delta(epsilon)
        margin = fast.error * fast.value
        assert proved.delta.lower - margin <= fast.value <= proved.delta.upper + margin
        assert proved.delta.digits >= 15


def test_rates_of_both_directions():
    curve = account(DPSGD(1.0, 0.01, 1000))
    for found in curve.certify(None, fprs=[1e-3, 0.2]).rates:
        for name in ("remove", "add"):
            proved = getattr(found, name)
            assert proved.digits >= 12
            assert getattr(curve, name).fnr(found.fpr) == pytest.approx(proved.lower, rel=1e-10)


def test_epsilon_is_zero_where_that_is_enough():
    found = certify(DPSGD(9.4, 0.328, 2000), deltas=[0.9]).epsilons[0]
    assert (found.low, found.high) == (0.0, 0.0)


def test_what_cannot_be_proved_is_refused():
    with pytest.raises(ConvergenceError, match="no proof: delta at epsilon 120 can only be enclosed in"):
        certify(DPSGD(0.45245, 5.64e-5, 51_300), epsilons=[120.0], seconds=60)


def test_what_is_known_of_a_mu_without_a_bound_is_told():
    """There are a few points of a line and coarse ones of a bracket in a second."""
    with pytest.raises(ConvergenceError, match=r"no proof(: mu above 1e-06| was found in 4 seconds)"):
        certify(DPSGD(0.5, 1e-4, 500), 1e-6, seconds=4)


def test_other_mechanisms_are_refused():
    with pytest.raises(DomainError, match="neither Gaussian"):
        certify(Composition([Gaussian(1.0), Laplace(2.0)]), 1e-5)


@pytest.mark.parametrize("arguments", [{"floor": 0.0}, {"floor": math.nan}, {"deltas": [2.0]}, {"epsilons": [-1.0]}])
def test_bad_levels(arguments):
    with pytest.raises(DomainError):
        certify(DPSGD(1.0, 0.1, 100), **arguments)


def test_a_floor_above_the_whole_curve_is_refused():
    with pytest.raises(DomainError, match="lower the floor"):
        certify(DPSGD(1.0, 0.5, 1000), 0.4)


@pytest.mark.parametrize("run", [Laplace(3.0), Composition([Laplace(3.0), Gaussian(2.0)]), Stated(ZCDP(0.5))], ids=repr)
def test_curves_that_are_known_otherwise_refuse(run):
    curve = account(run)
    for ask in (curve.certify, lambda: curve.fit(1e-6, certified=True)):
        with pytest.raises(DomainError, match="cannot be certified"):
            ask()


def test_rates_of_one_step_are_normal_tails():
    """The search may come to thresholds whose tails have millions of digits before the first that is not 0."""
    noise, rate = 1.0, 0.01
    found = certify(DPSGD(noise, rate, 1), fprs=[0.1]).rates[0]
    with mpmath.workdps(30):
        x = mpmath.mpf("1.28155156554460046696510332945")  # exceeded with probability 0.1
        fnr = (1 - mpmath.mpf(rate)) * mpmath.ncdf(x) + rate * mpmath.ncdf(x - 1)
        assert mpmath.mpf(found.remove.low) * (1 - mpmath.mpf("1e-17")) <= fnr
        assert fnr <= mpmath.mpf(found.remove.high) * (1 + mpmath.mpf("1e-17"))


@pytest.mark.parametrize(
    ("run", "asked"),
    [
        (DPSGD(0.001, 0.9999999999999999, 2), {"floor": 1e-3}),
        (Composition([DPSGD(1e9, 0.5, 2), DPSGD(0.001, 0.9999999999999999, 10**9)]), {"epsilons": [0.0]}),
        (DPSGD(0.09, 0.05, 100), {"fprs": [1e-3]}),
    ],
)
def test_corners_are_refused_in_words(run, asked):
    with pytest.raises(ConvergenceError, match=r"no proof|no line"):
        certify(run, **asked, seconds=3)
