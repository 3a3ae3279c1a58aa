"""Bent lines against direct integrals, densities and straight lines; answers depend on the question alone."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from gaussdp.accounting import account
from gaussdp.accounting.density.tails import DensityTails
from gaussdp.accounting.lines.bent import BentTails
from gaussdp.accounting.lines.tails import LineTails
from gaussdp.accounting.loss.mixtures import MixtureLoss
from gaussdp.accounting.loss.steps import SampledGaussianLoss
from gaussdp.mechanisms import DPSGD

RATES = ("log_fpr", "log_tnr", "log_fnr", "log_tpr")


def misses(points, other):
    """The largest relative distances that claims speak about."""
    rates = []
    for small, large in (RATES[:2], RATES[2:]):
        first, second = (np.minimum(getattr(read, small), getattr(read, large)) for read in (points, other))
        rates.append(np.abs(np.expm1(first - second)))
    upper = points.tau >= 0
    deltas = (np.where(upper, read.log_delta_remove, read.log_delta_add) for read in (points, other))
    return np.maximum.reduce([*rates, np.abs(np.expm1(np.subtract(*deltas)))])


def two_steps():
    """Direct integrals in 34 digits, from the bulk down to 1e-100."""
    with (Path(__file__).parents[1] / "reference" / "two_steps.csv").open() as file:
        return np.array([[float(value) for value in row.values()] for row in csv.DictReader(file)])


def test_two_steps():
    table = two_steps()
    answered = 0
    for sigma, rate in sorted(set(map(tuple, table[:, :2].tolist()))):
        rows = table[(table[:, 0] == sigma) & (table[:, 1] == rate)]
        points = BentTails(0.0, [(SampledGaussianLoss(sigma, rate), 2)]).read(rows[:, 2])
        for logs, expected in ((points.log_fpr, rows[:, 3]), (points.log_fnr, rows[:, 4])):
            assert np.all((np.abs(np.exp(logs) / expected - 1) <= points.errors)[points.answered])
        answered += points.answered.sum()
    assert answered > 0.5 * len(table)


@pytest.mark.parametrize(
    ("squared_mu", "steps"),
    [
        (0.0, [(0.5, 0.01, 10)]),
        (0.0, [(1.0, 1e-4, 30)]),
        (0.0, [(0.5, 1e-3, 5), (1.0, 0.01, 8)]),
        (0.01, [(0.6, 1e-3, 6)]),
    ],
)
def test_density(squared_mu, steps):
    counted = [(SampledGaussianLoss(sigma, rate), count) for sigma, rate, count in steps]
    least = sum(count * math.log1p(-rate) for _, rate, count in steps)
    tau = -least * np.array([-0.9, -0.5, -0.1, 0.0, 0.3, 1.0, 4.0, 20.0])
    points, other = BentTails(squared_mu, counted).read(tau), DensityTails(squared_mu, counted).read(tau)
    both = points.answered & other.answered
    assert both.sum() >= 6
    assert (misses(points, other) <= points.errors + other.errors)[both].all()


def test_straight_lines():
    steps = [(SampledGaussianLoss(0.9, 0.05), 300)]
    tau = np.array([-1.0, -0.2, 0.0, 0.5, 2.0, 6.0])
    points, other = BentTails(0.0, steps).read(tau), LineTails(0.0, steps).read(tau)
    assert other.answered.all()
    assert points.answered.sum() >= 3
    assert (misses(points, other) <= points.errors + other.errors)[points.answered].all()


@pytest.mark.parametrize(
    ("squared_mu", "steps", "tau"),
    [
        (0.0, [(0.6595859462314136, 0.00048208799749185904, 255_617)], [60.0, 65.0, 69.77, 80.0]),
        (2.6e-5, [(0.807, 0.002437, 15_882)], [70.0, 86.05]),
        (0.0, [(0.53, 1.1e-4, 258_499), (1.92, 2.46e-4, 2203)], [55.0, 62.5]),
        (1e-4, [(0.6026950437104448, 0.0017168154219584118, 29), (3.6975, 0.0083148, 215_329)], [119.4]),  # comes back
        (2.0328536662e-6, [(3.5237934902280212, 0.00011761787900740054, 7)], [1.126e-4, 6.79e-4]),  # turns fast far out
        # No rule up to spacing 0.01 resolves what turns fast; and a loss of 20,000, whose logarithms round to 1e-12.
        (0.00022535976755321324, [(4.473917503362076, 5.62434750839012e-06, 13_183)], [0.12920885927476594]),
        (0.0, [(0.3729420888848261, 0.4398333174360711, 50_490)], [-19_720.0, -19_736.60041284572]),
        (0.0, [(4.1, 0.02686, 5289)], [0.04, 3.0, 7.69]),  # far off the mean of its line, which must not answer
    ],
)
def test_deep_and_far_thresholds(squared_mu, steps, tau):
    """Where rules of spacings h, 2h and 3h agree more than they are right."""
    counted = [(SampledGaussianLoss(sigma, rate), count) for sigma, rate, count in steps]
    bent, lines = (tails(squared_mu, counted).read(np.array(tau)) for tails in (BentTails, LineTails))
    both = bent.answered & lines.answered
    assert lines.answered.all()
    assert np.all((misses(bent, lines) <= bent.errors + lines.errors)[both])


def test_errors_count_the_rounding_of_the_threshold():
    """A rate is the exponential of a logarithm to which the threshold has been added."""
    tau = np.array([-19_736.6])
    points = BentTails(0.0, [(SampledGaussianLoss(0.373, 0.44), 50_490)]).read(tau)
    assert points.answered.all()
    assert points.errors[0] >= np.spacing(-tau[0]) / 2


@pytest.mark.parametrize(
    ("sigma", "rate", "steps", "place"),
    [
        (72.2, 0.00182, 8, -4.5),
        (73.0, 0.000231, 17, -2.5),
        (22.3, 0.000222, 8, -4.5),
        (48.195701602857305, 0.00012186439353754719, 21, -1.5),
        (33.05296064815969, 1.6578736584884015e-05, 2, -3.5),
    ],
)
def test_errors_count_the_rounding_of_exponents(sigma, rate, steps, place):
    """Strong tilts of much noise make them large, and paths off the real line add up more than they come to."""
    for share in np.linspace(0.99, 1.01, 9):
        counted = [(SampledGaussianLoss(share * sigma, rate), steps)]
        bent, line = BentTails(0.0, counted), LineTails(0.0, counted)
        tau = np.array([line.mean + place * line.deviation])
        got, expected = bent.read(tau), line.read(tau)
        miss = abs(np.expm1(got.log_fnr - expected.log_fnr))[0]
        assert miss <= got.errors[0] + expected.errors[0]


def test_lines_next_to_poles_hold_against_proofs():
    """Without the images of the poles, or with their signs changed, rules of different spacings do not agree here."""
    points = BentTails(0.0, [(SampledGaussianLoss(0.25, 0.01), 400)]).read(np.array([-0.4, -2.0]))
    assert (points.errors < 5e-11).all()
    # From a certificate of DPSGD(0.25, 0.01, 400), whose line takes half a minute.
    proved = {
        "fpr": (0.03767534518192704388, 0.15431578322303838508),
        "fnr": (0.07158062056719111879, 0.03935883578295395536),
    }
    for name, rates in proved.items():
        found = np.exp(getattr(points, f"log_{name}"))
        assert (np.abs(found / rates - 1) <= points.errors + 1e-15).all()


def test_question_alone():
    steps = [(SampledGaussianLoss(0.5, 0.01), 10)]
    tau = np.array([5.0, -0.05, 0.0, 0.7, 1e-3, -0.09])
    together = BentTails(0.0, steps).read(tau)
    shared = BentTails(0.0, steps)
    for index in (3, 0, 5, 1, 4, 2):
        alone = shared.read(tau[index : index + 1])
        assert all(getattr(alone, rate)[0] == getattr(together, rate)[index] for rate in RATES)
        assert alone.errors[0] == together.errors[index]


def test_kinds_of_steps():
    step = SampledGaussianLoss(0.5, 0.01)
    assert BentTails.covers([(step, 10)])
    assert not BentTails.covers([(step, 10), (MixtureLoss(1.0, (1.0, 2.0), (0.5, 0.5)), 2)])


@pytest.mark.parametrize(
    ("noise", "rate", "steps", "delta", "epsilon"),
    [
        # Before there were bent lines, from densities; dp_accounting's bounds lie on both sides.
        (0.1, 0.001, 1000, 1e-5, 341.25033550467),
        (0.5, 1e-4, 1000, 1e-5, 0.54209961997184),
        (1.0, 1e-4, 1000, 1e-5, 0.011185724465876),
        (0.3, 0.01, 3, 1e-5, 11.955230274525),
    ],
)
def test_known_epsilons(noise, rate, steps, delta, epsilon):
    read = account(DPSGD(noise, rate, steps)).reading.epsilon(delta)
    assert read.value == pytest.approx(epsilon, rel=2e-12)
    assert read.error < 1e-9
