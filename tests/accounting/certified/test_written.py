"""Certificates hold the mu of the parameters as they are written, to the last digit that they claim."""

import random
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest

from gaussdp.accounting import account
from gaussdp.accounting.certified.proving import certify
from gaussdp.documents.written import written
from gaussdp.guarantees import GDP
from gaussdp.mechanisms import (
    DPSGD,
    Composition,
    CyclicPoisson,
    Dense,
    Gaussian,
    MatrixMechanism,
    Participation,
    Stated,
    Toeplitz,
    Tree,
    ZCDPGaussian,
)

ONCE = Participation(times=1)


def holds_root(proved, square):
    """Whether the root of a fraction lies between two decimals."""
    low, high = Fraction(Decimal(proved.low)), Fraction(Decimal(proved.high))
    return low**2 <= square <= high**2


def some_numbers(seed, count, largest=10.0):
    """Decimals of few and of many digits, and doubles of seventeen."""
    draw = random.Random(seed)
    short = [round(draw.uniform(0.01, largest), draw.choice([1, 2, 5])) for _ in range(count)]
    return [value or 0.1 for value in short] + [draw.uniform(0.01, largest) for _ in range(count)]


def runs():
    for value in some_numbers(1, 20):
        yield Gaussian(value), 1 / written(value) ** 2
        yield ZCDPGaussian(value), 2 * written(value)
        yield Stated(GDP(value)), written(value) ** 2
        yield Composition([3 * Gaussian(value), Stated(GDP(0.3))]), 3 / written(value) ** 2 + Fraction(9, 100)
        yield MatrixMechanism(value, Tree(7), ONCE), 3 / written(value) ** 2
        yield MatrixMechanism(value, Toeplitz([1.0, 0.1], 9), ONCE), Fraction(101, 100) / written(value) ** 2
        together = Toeplitz([1.0, 0.5], 3), Participation()  # the moves are 1, 1.5 and 1.5
        yield MatrixMechanism(value, *together), Fraction(11, 2) / written(value) ** 2
        yield MatrixMechanism(value, Dense([[0.3, 0.1], [0.4, 0.2]]), ONCE), Fraction(1, 4) / written(value) ** 2
        yield DPSGD(value, 1.0, 7, records_per_unit=3), 63 / written(value) ** 2
        yield DPSGD(value, 1.0, 5, "replace-one"), 20 / written(value) ** 2


RUNS = list(runs())


@pytest.mark.parametrize("start", range(10), ids=lambda k: type(RUNS[k][0]).__name__)
def test_the_exact_mu_lies_within_the_digits_claimed(start):
    for run, square in RUNS[start::10]:
        certificate = certify(run, 1e-6)
        assert holds_root(certificate.mu, square), run
        assert certificate.mu.digits >= 14
        fit = account(run).fit(1e-6)
        assert written(fit.mu_lower) ** 2 <= square <= written(fit.mu) ** 2, run


def test_such_certificates_are_proved_again():
    for run, _ in RUNS[:10]:
        assert certify(run, 1e-6, [0.5], [1e-5], [0.01]).verify() == ()


def step(noise, rate, epsilon):
    """delta of one step of numbers as they are written: that of the Gaussian, at a moved epsilon."""
    with mpmath.workdps(60):
        s, q = mpmath.mpf(noise), mpmath.mpf(rate)
        e = mpmath.log(1 + mpmath.expm1(mpmath.mpf(epsilon)) / q)
        m = 1 / s
        return q * (mpmath.ncdf(m / 2 - e / m) - mpmath.exp(e) * mpmath.ncdf(-m / 2 - e / m))


@pytest.mark.parametrize(("noise", "rate"), [("0.7", "0.01"), ("1.1", "0.3"), ("3.3", "0.002")])
def test_noise_and_rates_of_samples_are_what_is_written(noise, rate):
    proved = certify(DPSGD(float(noise), float(rate), 1), None, [0.25]).deltas[0].delta
    with mpmath.workdps(60):
        truth = step(noise, rate, 0.25)
        assert mpmath.mpf(proved.low) <= truth <= mpmath.mpf(proved.high)
        assert not mpmath.mpf(proved.low) <= step(float(noise), float(rate), 0.25) <= mpmath.mpf(proved.high)
    assert proved.digits >= 18


def test_a_sampled_matrix_mechanism_whose_noise_is_no_decimal():
    """The noise is 0.9 over the root of 1.25: what is proved holds for it, to the digits to which that is known."""
    run = MatrixMechanism(0.9, Toeplitz([1.0, 0.5], 2), CyclicPoisson(2, 0.02))
    certificate = certify(run, None, [0.25])
    proved = certificate.deltas[0].delta
    with mpmath.workdps(60):
        truth = step(mpmath.mpf("0.9") / mpmath.sqrt(mpmath.mpf("1.25")), "0.02", 0.25)
        assert mpmath.mpf(proved.low) <= truth <= mpmath.mpf(proved.high)
    assert proved.digits >= 12
    assert certificate.verify() == ()


def test_a_line_of_a_matrix_mechanism():
    """The noise is exactly 2, as the root of 4, and is known to rounding only."""
    twice = Dense([[2.0 if row == column else 0.0 for column in range(40)] for row in range(40)])
    run = MatrixMechanism(4.0, twice, CyclicPoisson(1, 0.3))
    proved, known = (certify(one, None, [0.5]).deltas[0].delta for one in (run, DPSGD(2.0, 0.3, 40)))
    assert Decimal(proved.low) <= Decimal(known.low) <= Decimal(known.high) <= Decimal(proved.high)
    assert proved.digits >= 11
