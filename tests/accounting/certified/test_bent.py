"""Proofs along hyperbolas, for few or rarely sampled steps: against direct integrals, densities and mpmath."""

import csv
import math
from decimal import Decimal
from pathlib import Path

import mpmath
import numpy as np
import pytest

from gaussdp.accounting import account
from gaussdp.accounting.certified.balls import acb, arb, precision
from gaussdp.accounting.certified.certificate import Certificate
from gaussdp.accounting.certified.excess import Excess, far_angle
from gaussdp.accounting.certified.loss import ComposedLoss
from gaussdp.accounting.certified.prover import Prover
from gaussdp.accounting.certified.proving import certify
from gaussdp.accounting.certified.steps import Part
from gaussdp.accounting.certified.witnesses import BentWitness, BracketWitness
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.mechanisms import DPSGD, Composition

with (Path(__file__).parents[1] / "reference" / "two_steps.csv").open() as file:
    ROWS = list(csv.DictReader(file))


def in_mpmath(part, theta):
    """E[(1 + e^v)^theta] by a sum over the real line, on a strip of which the integrand is analytic."""
    with mpmath.workdps(30):
        sigma, rate, at = mpmath.mpf(part.noise_multiplier), mpmath.mpf(part.sample_rate), mpmath.mpmathify(theta)
        mean = mpmath.log(rate / (1 - rate)) - 1 / (2 * sigma**2)
        last = 13 + 2 * max(theta.real, 0.0) / part.noise_multiplier
        nodes = [mpmath.mpf(k) / 40 for k in range(-520, int(40 * last))]
        return mpmath.fsum((1 + mpmath.exp(mean + z / sigma)) ** at * mpmath.npdf(z) for z in nodes) / 40


@pytest.mark.parametrize("part", [Part(0.5, 1e-3, 2), Part(2.0, 0.05, 7)], ids=str)
@pytest.mark.parametrize("theta", [1.5 + 0j, -3 + 2j, 4 + 6j, 2 + 30j], ids=str)
def test_moments_of_an_excess(part, theta):
    with precision(160):
        excess = Excess(part)
        found = excess.value(acb(theta.real, theta.imag), excess.path(theta, 50.0), 50.0)
        known = in_mpmath(part, theta)
        assert float(found.real.rad()) < 1e-15
        assert complex(float(found.real.mid()), float(found.imag.mid())) == pytest.approx(complex(known), rel=1e-14)
        around = 0.03 * abs(theta)
        near = acb(arb(theta.real, around), arb(theta.imag, around))
        bound = float(excess.bound(near, excess.path(theta, 40.0, around)).upper())
    assert bound >= abs(complex(known))
    assert bound >= abs(complex(in_mpmath(part, theta + around * (1 - 1j))))  # at a corner of the ball


def test_far_out_terms_fall_on_one_path():
    """The path that bounds all moments far out: its logarithm leans by more than any line of a strip."""
    assert 0.61 < float(far_angle()) < math.atan(0.8)


def agrees(point, row):
    """Whether a point encloses the rates of a row, which are right to their last digits.

    They are of the doubles next to 0.01 and the like, and certificates are of what is written: 1e-15 covers that.
    """
    for name in ("fpr", "fnr"):
        value, found = Decimal(row[name]), getattr(point, name)
        unit = max(Decimal(1).scaleb(value.as_tuple().exponent), Decimal("1e-15") * value)
        assert Decimal(found.low) - unit <= value <= Decimal(found.high) + unit
        assert found.digits >= 12


def test_two_steps_below_zero():
    row = ROWS[0]
    prover = Prover(ComposedLoss.of(DPSGD(float(row["noise_multiplier"]), float(row["sample_rate"]), 2)), str)
    with np.errstate(all="ignore"):
        point = prover.point(float(row["tau"]), -1)
    assert isinstance(prover.lines[point.line], BentWitness)
    agrees(point, row)


def test_a_certificate_of_rare_steps_is_proved_again():
    row = ROWS[2]
    run, epsilon = DPSGD(float(row["noise_multiplier"]), float(row["sample_rate"]), 2), float(row["tau"])
    certificate = certify(run, epsilons=[epsilon])
    assert any(isinstance(line, BentWitness) for line in certificate.lines)
    agrees(certificate.points[certificate.deltas[0].remove], row)
    again = Certificate.from_json(certificate.to_json())
    assert again.lines == certificate.lines
    assert again.verify() == ()
    fast, delta = account(run).reading.delta(epsilon), certificate.deltas[0].delta
    assert delta.lower * (1 - fast.error) <= fast.value <= delta.upper * (1 + fast.error)


def test_what_is_changed_in_a_witness_is_seen():
    with pytest.raises(DomainError):
        BentWitness(2.0, 1.5, 1.0, 0.33, 0.4, 0.02, 100, (5.0, 6.0, 5.0), 60.0, 150)  # the strip reaches the vertical
    with pytest.raises(DomainError):
        BentWitness(1.0, 0.5, 1.0, 0.33, 0.28, 0.02, 100, (5.0, 6.0, 5.0), 60.0, 150)  # on a pole


def test_a_mixture_of_rare_steps():
    """Against the integral over the outputs of one step of the closed form of the other."""
    steps, epsilon = [(1.0, 1e-3), (2.0, 0.02)], 0.3
    told = []
    certificate = certify(Composition([DPSGD(*step, 1) for step in steps]), epsilons=[epsilon], progress=told.append)
    assert any(words.startswith("line 1, node 1 of ") for words in told)
    assert all(isinstance(line, BentWitness) for line in certificate.lines)
    with mpmath.workdps(30):
        (sigma, rate), (other, other_rate) = [tuple(map(mpmath.mpf, step)) for step in steps]

        def profile(x):
            """E[(e^(L + L') - e^epsilon)+] given the first output."""
            ratio = 1 - rate + rate * mpmath.exp((2 * x - 1) / (2 * sigma**2))
            share = mpmath.exp(epsilon) / ratio
            if share <= 1 - other_rate:
                return ratio - mpmath.exp(epsilon)
            at = other**2 * mpmath.log((share - 1 + other_rate) / other_rate) + mpmath.mpf(1) / 2
            under_q, moved = mpmath.ncdf(-at / other), mpmath.ncdf((1 - at) / other)
            return ratio * ((1 - other_rate) * under_q + other_rate * moved) - mpmath.exp(epsilon) * under_q

        last = sigma**2 * mpmath.log((mpmath.exp(epsilon) / (1 - other_rate) - 1 + rate) / rate) + mpmath.mpf(1) / 2
        places = [-12, -4, 0, 4, 6, last, 12, 20]
        truth = mpmath.quad(lambda x: profile(x) * mpmath.npdf(x, 0, sigma), places)
        delta = certificate.deltas[0].delta
        assert float(delta.low) * (1 - 1e-13) <= float(truth) <= float(delta.high) * (1 + 1e-13)
        assert delta.digits >= 11


def test_a_search_ends_when_its_time_is_over():
    with pytest.raises(ConvergenceError, match="in 1e-09 seconds; it had come to line 1, its place"):
        account(DPSGD(1.0, 0.01, 2)).certify(seconds=1e-9)
    with pytest.raises(DomainError, match="seconds"):
        certify(DPSGD(1.0, 0.01, 2), epsilons=[1.0], seconds=0.0)


def test_where_bent_lines_would_take_too_long_lattices_enclose():
    told = []
    certificate = certify(DPSGD(0.15, 1e-5, 20), epsilons=[1.0], progress=told.append, seconds=180)
    assert not any("node" in words for words in told)
    assert any(isinstance(line, BracketWitness) for line in certificate.lines)
    fast, delta = account(DPSGD(0.15, 1e-5, 20)).delta(1.0), certificate.deltas[0].delta
    assert delta.lower * (1 - 1e-9) <= fast <= delta.upper * (1 + 1e-9)
    assert delta.digits >= 3


def test_many_rare_steps_by_a_line_far_below_its_saddle():
    """At the saddle rare outputs would rule: the line stands at a low tilt, and leaves them out."""
    run, epsilon = DPSGD(1.0, 1e-4, 1000), 0.01
    prover = Prover(ComposedLoss.of(run), str)
    with np.errstate(all="ignore"):
        point = prover.point(epsilon, 1)
    assert not isinstance(prover.lines[point.line], BentWitness)
    fast = account(run).remove.reading.delta(epsilon)
    assert point.remove.digits >= 8
    assert point.remove.lower * (1 - fast.error) <= fast.value <= point.remove.upper * (1 + fast.error)


def test_lower_tails_of_rare_steps():
    """Strong negative tilts, at which |w|^c leaves the doubles at most heights of a path."""
    run = DPSGD(1.0, 1e-4, 1000)
    prover = Prover(ComposedLoss.of(run), str)
    with np.errstate(all="ignore"):
        threshold = prover.near("fnr", math.log(1e-5))
        assert prover.point(threshold).fnr.digits > 15
    assert prover.point(threshold).fnr.lower == pytest.approx(1e-5, rel=1e-9)
