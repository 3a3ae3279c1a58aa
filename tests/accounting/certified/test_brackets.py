"""Bounds from lattices: they hold against direct integrals, contour proofs and another accountant, and are close."""

import copy
import json
import math
import re
from dataclasses import replace
from decimal import Decimal

import mpmath
import numpy as np
import pytest

from gaussdp.accounting import account
from gaussdp.accounting.certified.balls import arb, ball_of, precision
from gaussdp.accounting.certified.bracketing import EFFORTS, plan_bracket
from gaussdp.accounting.certified.brackets import MeasureKind, ProvedBracket
from gaussdp.accounting.certified.certificate import Certificate, digest_of
from gaussdp.accounting.certified.loss import ComposedLoss
from gaussdp.accounting.certified.measures import Measure, measure_of, weight
from gaussdp.accounting.certified.proved import silent
from gaussdp.accounting.certified.proving import certify
from gaussdp.accounting.certified.steering import Steering
from gaussdp.accounting.certified.witnesses import BracketWitness, Window
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.mechanisms import DPSGD, Composition, Gaussian, ZCDPGaussian

COARSE = BracketWitness(
    2.0, mirrored=False, windows=(Window(4, -3, (0, 1), 9, 1, (1, 4)),), length=2**12, fine=64, bits=200
)
RARE = DPSGD(1.2561478122331668, 1.5695395952428154e-05, 4)


def bracket(run, threshold, effort=EFFORTS[0], *, mirrored=False):
    """The bounds at a threshold, whatever lines would say, and their witness."""
    loss = ComposedLoss.of(run)
    with np.errstate(all="ignore"), precision(200):
        square = float(loss.squared_mu().mid())
        witness, _ = plan_bracket(
            lambda deviations: Steering(square, loss.parts, deviations),
            threshold,
            effort,
            mirrored=mirrored,
            log_delta=math.nan,
        )
    with precision(witness.bits):
        made = ProvedBracket(loss.squared_mu, loss.plain, loss.parts, witness)
        return made.read(threshold), witness


CONTOURS = [
    (DPSGD(9.4, 0.328, 2000), 4.0, 1e-3),
    (DPSGD(1.0, 0.00512, 3907), 1.744, 2e-3),
    (DPSGD(0.5, 0.002, 10_000), 6.07, 6e-2),
    (DPSGD(2.0, 0.3, 7), 1.5, 1e-3),
    (Composition([DPSGD(1.0, 0.05, 100), Gaussian(4.0), DPSGD(2.0, 0.1, 50), ZCDPGaussian(0.001)]), 1.5, 1e-3),
]


@pytest.mark.parametrize(("run", "epsilon", "width"), CONTOURS, ids=[f"{epsilon:g}" for _, epsilon, _ in CONTOURS])
def test_contour_proofs_lie_inside(run, epsilon, width):
    certificate = certify(run, epsilons=[epsilon])
    found = certificate.deltas[0]
    assert not any(isinstance(line, BracketWitness) for line in certificate.lines)
    for mirrored, place, name in ((False, found.remove, "remove"), (True, found.add, "add")):
        point = certificate.points[place]
        tails, _ = bracket(run, point.threshold, mirrored=mirrored)
        with precision(256):
            for one in ("fpr", "tnr", "fnr", "tpr", "remove", "add"):
                assert getattr(tails, one).contains(ball_of(getattr(point, one))), (one, mirrored)
            delta = getattr(tails, name)
            assert delta.rad() <= width * delta.upper()


def two_steps(noise, rate, epsilon, *, mirrored):
    """delta of two steps: that of one in closed form, integrated over the output of the other, in 30 digits."""
    with mpmath.workdps(30):
        s, q, e = mpmath.mpf(noise), mpmath.mpf(rate), mpmath.mpf(epsilon)

        def inside(x):
            w = 1 - q + q * mpmath.exp((2 * x - 1) / (2 * s * s))
            share = mpmath.exp(-e if mirrored else e) / w  # W of the other step at which both are alike
            odds = (share - 1 + q) / q
            if odds <= 0:
                return mpmath.mpf(0) if mirrored else mpmath.npdf(x, 0, s) * (w - mpmath.exp(e))
            y = s * s * mpmath.log(odds) + mpmath.mpf(1) / 2
            sign = -1 if mirrored else 1
            under_q = mpmath.ncdf(-sign * y / s)
            under_p = (1 - q) * under_q + q * mpmath.ncdf(sign * (1 - y) / s)
            gained = under_q - mpmath.exp(e) * w * under_p if mirrored else w * under_p - mpmath.exp(e) * under_q
            return mpmath.npdf(x, 0, s) * gained

        # Where a step alone is at the threshold the integrand has a kink.
        shares = [share for share in (mpmath.exp(e) / (1 - q), mpmath.exp(-e) / (1 - q)) if share > 1 - q]
        kinks = [s * s * mpmath.log((share - 1 + q) / q) + mpmath.mpf(1) / 2 for share in shares]
        ends = sorted([*mpmath.linspace(-14 * s, 1 + 14 * s, 15), *kinks])
        return mpmath.quad(inside, ends)


@pytest.mark.parametrize(
    ("noise", "rate", "epsilon", "mirrored"),
    [(0.5, 1e-4, 2.0, False), (0.7, 1e-3, 1e-3, True), (1.3, 0.02, 0.03, True), (1.3, 0.02, 0.3, False)],
)
def test_two_steps_by_a_double_integral(noise, rate, epsilon, mirrored):
    truth = two_steps(noise, rate, epsilon, mirrored=mirrored)
    tails, _ = bracket(DPSGD(noise, rate, 2), -epsilon if mirrored else epsilon, EFFORTS[1], mirrored=mirrored)
    delta = tails.add if mirrored else tails.remove
    with mpmath.workdps(30):
        low, high = (mpmath.mpf(end.str(30, radius=False)) for end in (delta.lower(), delta.upper()))
        assert low <= truth <= high
        assert high - low <= 1e-3 * truth


def test_another_accountant_agrees():
    """Its pessimistic estimate is not below our lower bound, nor its optimistic one above our upper bound."""
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    run, epsilon = DPSGD(0.6, 1e-3, 30), 1.0
    tails, _ = bracket(run, epsilon, EFFORTS[1])
    sides = []
    for pessimistic in (False, True):
        step = pld.from_gaussian_mechanism(
            0.6, sampling_prob=1e-3, value_discretization_interval=1e-4, pessimistic_estimate=pessimistic
        )
        sides.append(step.self_compose(30).get_delta_for_epsilon(epsilon))
    assert tails.remove.upper() >= sides[0] * (1 - 1e-9)
    assert tails.remove.lower() <= sides[1] * (1 + 1e-9)
    assert tails.remove.rad() <= 1e-4 * tails.remove


def test_what_had_no_proof_has_one_that_is_proved_again():
    certificate = certify(RARE, epsilons=[1e-5], seconds=60)
    found = certificate.deltas[0].delta
    assert any(isinstance(line, BracketWitness) for line in certificate.lines)
    assert found.digits >= 3
    again = Certificate.from_json(certificate.to_json())
    assert again == certificate
    assert again.verify() == ()
    delta = certificate.deltas[0]
    narrow = replace(found, low=str(Decimal(found.low) + (Decimal(found.high) - Decimal(found.low)) / 2))
    point = replace(certificate.points[delta.remove], remove=narrow)
    points = tuple(point if k == delta.remove else one for k, one in enumerate(certificate.points))
    assert any("remove" in failure for failure in replace(certificate, points=points).verify())


def test_small_losses_have_lattices():
    """Where cells could be wider than any window; and a line that says nothing is not taken for a proof."""
    run, epsilon, delta = DPSGD(3.0, 1e-5, 20), 3e-5, 2.2253541746749173e-07
    tails, _ = bracket(run, epsilon)
    certificate = certify(run, epsilons=[epsilon], seconds=30)
    found = certificate.deltas[0].delta
    for low, high in ((float(tails.remove.lower()), float(tails.remove.upper())), (found.lower, found.upper)):
        assert low <= delta <= high <= 1.001 * low
    assert any(isinstance(line, BracketWitness) for line in certificate.lines)
    assert certificate.verify() == ()


ENDLESS = [
    ("bracket", ("windows", 0, "near"), [0, 1, [5]]),
    ("bracket", ("windows", 0, "widest"), [1]),
    ("bracket", ("windows", 0, "high"), 9_999_997),
    ("bracket", ("length",), 10**9),
    ("bracket", ("bits",), 10**6),
    ("bracket", ("tilt",), 10**400),
    ("line", ("bits",), 10**6),
    ("line", ("above", "steps", 0, "grids"), []),
    ("line", ("steps", 0, "table", "cells"), 9_999_999),
    ("line", ("steps", 0, "grids", 0, "last"), 9_999_999),
    ("line", ("blocks",), [9_999_999]),
    ("line", ("spacing",), 10**400),
]


@pytest.fixture(scope="module")
def stated():
    """What a certificate of a bracket and a line says."""
    content = json.loads(certify(DPSGD(0.5, 1e-4, 500), 1e-6, seconds=90).to_json())
    del content["digest"]
    kinds = ["bracket" if "windows" in line else "line" for line in content["lines"]]
    assert sorted(kinds) == ["bracket", "line"]
    return content, kinds


@pytest.mark.parametrize(("kind", "path", "value"), ENDLESS, ids=[f"{kind} {path[-1]}" for kind, path, _ in ENDLESS])
def test_witnesses_that_no_check_would_end_for_are_refused(stated, kind, path, value):
    content, kinds = copy.deepcopy(stated[0]), stated[1]
    place = content["lines"][kinds.index(kind)]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(DomainError):
        Certificate.from_json(json.dumps({**content, "digest": digest_of(content)}))


def test_a_check_ends_when_its_time_is_over(stated):
    certificate = Certificate.from_json(json.dumps({**stated[0], "digest": digest_of(stated[0])}))
    assert certificate.verify(seconds=60) == ()
    assert all("in 1e-09 seconds" in failure for failure in certificate.verify(seconds=1e-9))


@pytest.mark.parametrize("run", [DPSGD(0.8, 1e-3, 50), DPSGD(0.5, 1e-4, 500)])
def test_mu_from_brackets_whose_widest_points_are_elsewhere(run):
    """Next to a threshold of zero rates are hardly known; mu is largest at the other end."""
    certificate = certify(run, 1e-6, seconds=300)
    low, high = certificate.bounds()
    assert any(isinstance(line, BracketWitness) for line in certificate.lines)
    assert low <= account(run).fit(1e-6).mu_upper
    assert account(run).fit(1e-6).mu_lower <= high <= 1.08 * low
    assert re.search(r"proved to (1 digit|2 digits) in", certificate.words)
    assert certificate.verify() == ()


def exact(measure, other):
    """The numbers of a product, in whole numbers."""
    found = [0] * (measure.units.size + other.units.size - 1)
    for i, x in enumerate(measure.units.tolist()):
        for j, y in enumerate(other.units.tolist()):
            found[i + j] += x * y
    return found


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("share", [0.0, 1e-7])
def test_products_round_in_one_direction_and_count_what_they_lose(upper, share):
    draw = np.random.default_rng(5)
    sizes = (draw.integers(0, 2**62 // 90, size) >> draw.integers(0, 62, size) for size in (80, 60))
    one, other = (Measure(4, -7, units.astype(np.uint64), -62, 3 if upper else 0, upper) for units in sizes)
    product, truth = one.times(other, share), exact(one, other)
    scale, start = 2 ** (product.power + 124), product.first + 14
    inside = truth[start : start + product.units.size]
    for unit, value in zip(product.units.tolist(), inside, strict=True):
        assert 0 <= (unit * scale - value if upper else value - unit * scale) < scale
    if upper:
        lost = sum(truth) - sum(inside) + 3 * (one.total + other.total) + 9
        assert lost <= product.lost * scale <= lost + 2 * scale + share * sum(truth)
    assert product.units.size < len(truth) or not share


@pytest.mark.parametrize("upper", [True, False])
def test_coarser_lattices_round_in_one_direction(upper):
    units = np.random.default_rng(6).integers(0, 2**55, 33).astype(np.uint64)
    measure = Measure(4, -5, units, -62, 0, upper)
    weights = tuple(weight(arb(share), upper=upper) for share in (0.3, 0.7))
    found = measure.coarser(weights)
    truth = {}
    for point, unit in enumerate(units.tolist(), -5):
        for place, share in [(point // 2, 1.0)] if point % 2 == 0 else [(point // 2, 0.3), (point // 2 + 1, 0.7)]:
            truth[place] = truth.get(place, 0) + Decimal(unit) * Decimal(share)
    for place, unit in enumerate(found.units.tolist(), found.first):
        off = Decimal(unit) - truth.get(place, 0)
        assert 0 <= (off if upper else -off) < 3


def test_totals_that_would_not_fit_are_refused():
    """All at a point that goes up at every halving, by a tilt that is steep there: as numbers 5.1 times as much."""
    first, second = (
        tuple(weight(arb(0.5 * math.exp(way * slope)), upper=True) for way in (-1, 1)) for slope in (0.99, 1.98)
    )
    measure = Measure(4, 1, np.array([2**62], dtype=np.uint64), 0, 0, upper=True).coarser(first)
    assert measure.total == pytest.approx(math.cosh(0.99) * 2**62, rel=1e-12)
    with pytest.raises(ConvergenceError, match="too few bits"):
        measure.coarser(second)


def test_what_was_cut_off_grows_with_coarser_lattices():
    """Next to the threshold it may be rounded up to it: here nearly all false positives of a test were cut off."""
    windows = Window(0, -20, (11, 12), 13, 1, (2**19, 1)), Window(-1, -2, (0, 1), 2, 1, (1, 1))
    witness = BracketWitness(1.3, mirrored=False, windows=windows, length=4096, fine=1024, bits=300)
    loss = ComposedLoss.of(Composition([DPSGD(0.596, 0.5, 1), DPSGD(1.0, 1e-15, 1)]))
    with precision(300):
        found = ProvedBracket(loss.squared_mu, (), loss.parts, witness).read(12.9).remove
    alone = float(account(DPSGD(0.596, 0.5, 1)).delta(12.9))
    assert float(found.lower()) <= alone + 1e-15


def test_planned_brackets_are_true_or_refused():
    """Here totals passed 64 bits; an explicit test, of products of normal tails, gains more than was claimed."""
    noise, rate, other_noise, other_rate = (
        0.5396679035572833,
        0.00015565647111091924,
        0.10292578741711489,
        0.00010285816878490705,
    )
    epsilon = 7.315800923753982e-05
    run = Composition([DPSGD(noise, rate, 1), DPSGD(other_noise, other_rate, 2)])
    with mpmath.workdps(40):
        y = mpmath.mpf(-20) * other_noise**2 + 0.5
        q = mpmath.ncdf(y / other_noise)
        p = (1 - mpmath.mpf(other_rate)) * q + other_rate * mpmath.ncdf((y - 1) / other_noise)
        gains = []
        for x in mpmath.linspace(-1, 2, 301):
            first = mpmath.ncdf(x / noise)
            under_p = (1 - mpmath.mpf(rate)) * first + rate * mpmath.ncdf((x - 1) / noise)
            gains.append(first * q**2 - mpmath.exp(epsilon) * under_p * p**2)
        gain = float(max(gains))
    assert gain > 2.1e-4
    try:
        tails, _ = bracket(run, -epsilon, mirrored=True)
    except ConvergenceError:
        return
    assert float(tails.add.upper()) >= gain


@pytest.mark.parametrize("upper", [True, False])
def test_masses_become_numbers_in_one_direction(upper):
    masses = [arb(2) ** -(3 * k) / 3 for k in range(30)]
    measure, scale = measure_of(masses, range(5, 35), 2, 1e-12, upper=upper)
    assert measure.units.size < 30
    with precision(200):
        factor = scale.exp() * arb(2) ** measure.power
        for unit, mass in zip(measure.units.tolist(), masses, strict=False):
            assert unit * factor >= mass if upper else unit * factor <= mass
        lost = sum(masses[measure.units.size :], arb(0))
        assert not upper or measure.lost * factor >= lost


def test_bad_windows_are_refused():
    for level, low, near, high in ((4, 3, (0, 1), 9), (4, -3, (0, 10), 9), (4, -3, (1, 1), 9), (2000, -3, (0, 1), 9)):
        with pytest.raises(DomainError):
            Window(level, low, near, high, 8, (1, 1))
    window = Window(4, -3, (0, 1), 9, 1, (1, 4))
    with pytest.raises(DomainError):
        BracketWitness(0.5, mirrored=False, windows=(window,), length=2**12, fine=2**10, bits=200)
    points = window.points()
    assert (points[0], points[-1]) == (-3, 9)
    assert points == sorted(set(points))


@pytest.mark.parametrize("mirrored", [False, True])
def test_coarse_lattices_are_wide_and_never_wrong(mirrored):
    """Lattices that are cut short early, at any length, still enclose what lines prove."""
    run, threshold = Composition([DPSGD(0.8, 0.02, 37), DPSGD(2.0, 0.1, 11)]), -1.0 if mirrored else 1.0
    certificate = certify(run, epsilons=[1.0])
    found = certificate.deltas[0]
    point = certificate.points[found.add if mirrored else found.remove]
    _, witness = bracket(run, threshold, mirrored=mirrored)
    loss = ComposedLoss.of(run)
    widths = []
    for length, fine in ((2**12, 2**8), (2**11, 2**7), (2**10, 2**10), (700, 2**6), (400, 90)):
        with precision(witness.bits):
            coarse = replace(witness, length=length, fine=fine)
            tails = ProvedBracket(loss.squared_mu, loss.plain, loss.parts, coarse).read(point.threshold)
            for one in ("fpr", "tnr", "fnr", "tpr", "remove", "add"):
                assert getattr(tails, one).contains(ball_of(getattr(point, one))), (one, length, fine)
            delta = tails.add if mirrored else tails.remove
            widths.append(float((delta.rad() / delta.upper()).upper()))
    assert max(widths) > 10 * min(widths)


def test_both_sides_of_a_test_round_losses_alike():
    """The power of a test is that of the very test whose false positives are counted: both become coarser together."""
    leading = MeasureKind(arb(3), upper=True, spread=False, witness=COARSE)
    following = MeasureKind(arb(2), upper=False, spread=False, witness=COARSE, follows=leading)
    wide, narrow = ([arb(1) / (1 + (k / scale) ** 2) for k in range(-100, 101)] for scale in (500, 0.1))
    made = []
    for measure, masses in ((leading, wide), (following, narrow)):
        step, _ = measure.step(masses, range(-100, 101), 12, 20)
        made.append(measure.power(step, 20, silent))
    assert made[0].level == made[1].level < 12
    alone = MeasureKind(arb(2), upper=False, spread=False, witness=COARSE)
    step, _ = alone.step(narrow, range(-100, 101), 12, 20)
    assert alone.power(step, 20, silent).level != made[0].level  # or nothing was tried here


@pytest.mark.parametrize(
    ("run", "epsilon", "mirrored", "ends", "tilt"),
    [
        (DPSGD(0.5, 0.2, 3), 1.25, False, (-16, 8), 2.0),
        (DPSGD(0.5, 0.99, 1), 2.0, True, (-4, 64), 2.0),
        (DPSGD(0.5, 0.2, 3), 21.0, False, (-16, 512), 1.0),
    ],
)
def test_bounds_from_above_count_what_lies_outside_and_what_was_cut_off(run, epsilon, mirrored, ends, tilt):
    """Most of delta is outside of a window that ends before the threshold, or at an end that is little under a tilt."""
    witness = BracketWitness(tilt, mirrored, (Window(3, ends[0], (-1, 1), ends[1], 8, (1, 1)),), 4096, 4096, 200)
    loss, curve = ComposedLoss.of(run), account(run)
    truth = float((curve.add if mirrored else curve.remove).delta(epsilon))
    with precision(200):
        tails = ProvedBracket(loss.squared_mu, (), loss.parts, witness).read(-epsilon if mirrored else epsilon)
        found = tails.add if mirrored else tails.remove
    assert float(found.lower()) <= truth * (1 + 1e-9)
    assert float(found.upper()) >= truth * (1 - 1e-9)
