"""Tails split by the largest output: proved values, the density, other limits; answers depend on the question alone."""

import copy
import math
import pickle

import numpy as np
import pytest

from gaussdp.accounting import account
from gaussdp.accounting.density.tails import DensityTails
from gaussdp.accounting.lines import split_tails
from gaussdp.accounting.lines.split_tails import SplitTails
from gaussdp.accounting.lines.tails import LineTails
from gaussdp.accounting.loss import split as split_loss
from gaussdp.accounting.loss.mixtures import MixtureLoss
from gaussdp.accounting.loss.split import SplitLoss
from gaussdp.accounting.loss.steps import SampledGaussianLoss
from gaussdp.accounting.readings import Method
from gaussdp.mechanisms import DPSGD, Composition, Gaussian

RATES = ("log_fpr", "log_tpr", "log_delta_remove")

RUNS = [
    (0.0, [(0.9, 3e-4, 3000)]),
    (0.0, [(2.18, 1.01e-5, 300)]),
    (0.0, [(1.0, 1e-4, 40)]),
    (1e-6, [(1.3, 1e-4, 500), (0.8, 3e-5, 100)]),
]
TURNING = (0.0, [(3.7912868213288022, 5.226366203427856e-05, 40_936), (0.4084938541647591, 0.0008776771929087069, 223)])


def split(squared_mu, steps):
    counted = [(SampledGaussianLoss(sigma, rate), count) for sigma, rate, count in steps]
    variance = squared_mu + sum(n * rate**2 * math.expm1(sigma**-2) for sigma, rate, n in steps)
    return SplitTails.of(squared_mu, counted, math.sqrt(variance)), math.sqrt(variance), counted


@pytest.mark.parametrize(
    ("run", "epsilon", "proved"),
    [
        # By `certify`, which proves each to 17 digits and more.
        (DPSGD(0.9, 3e-4, 30_000), 0.5, 4.600074138957915164e-10),
        (DPSGD(0.9, 3e-4, 30_000), 0.8, 4.49279545573100688e-12),
        (DPSGD(1.2, 1e-3, 2000), 0.25, 1.601550054860217624e-9),
        (DPSGD(1.4764361203037124, 0.0015113644660095737, 18_259), 0.5722138568220059, 7.2224269847330248114e-6),
    ],
)
def test_proved_values(run, epsilon, proved):
    tails, _, _ = split(0.0, [(run.noise_multiplier, run.sample_rate, run.steps)])
    points = tails.read(np.array([epsilon]))
    assert points.answered.all()
    assert points.errors[0] < 2e-12
    assert abs(math.exp(points.log_delta_remove[0]) / proved - 1) <= points.errors[0]


@pytest.mark.parametrize(("squared_mu", "steps"), RUNS)
def test_density(squared_mu, steps):
    tails, deviation, counted = split(squared_mu, steps)
    tau = deviation * np.array([0.3, 1.5, 3.0, 5.0, 7.0, 11.0, 25.0])
    points, other = tails.read(tau), DensityTails(squared_mu, counted).read(tau)
    both = points.answered & other.answered
    assert both.sum() >= 6
    for name in RATES:
        miss = np.abs(np.expm1(getattr(points, name) - getattr(other, name)))
        assert np.all((miss <= points.errors + other.errors)[both])


def test_bins_beyond_one_whose_moderate_runs_go_on():
    """Few steps: the transform of the first bin's moderate runs hardly decays, and bins farther out are quick."""
    tails, deviation, counted = split(0.0, [(2.521, 4.26e-6, 39)])
    tau = deviation * np.array([0.5, 2.0, 5.0, 6.0, 7.0, 11.0, 25.0])
    points, other = tails.read(tau), DensityTails(0.0, counted).read(tau)
    assert not tails.quick
    assert points.answered.tolist() == [False, False, True, True, True, True, True]
    assert tails.quick_bins.read(tau).answered.tolist() == points.answered.tolist()
    for name in RATES:
        miss = np.abs(np.expm1(getattr(points, name) - getattr(other, name)))
        assert np.all((miss <= points.errors + other.errors)[points.answered])


def test_bins_in_which_no_tilt_gives_weight_to_large_runs():
    """They are not answered, and raise nothing: such a threshold is left to Chernoff's bound."""
    tails, _, _ = split(1 / 32.0**2, [(3.5, 5.7e-8, 17)])
    tau = np.array([0.05, 8.0])
    assert not tails.read(tau).answered[1]
    assert not tails.quick_bins.read(tau).answered[1]
    read = account(Composition([DPSGD(3.5, 5.7e-8, 17), Gaussian(32.0)])).reading.delta(8.0)
    assert (read.value, read.method) == (0.0, Method.VANISHING)


@pytest.mark.parametrize(("squared_mu", "steps"), RUNS)
def test_other_limits(squared_mu, steps, monkeypatch):
    tails, deviation, _ = split(squared_mu, steps)
    tau = deviation * np.linspace(0.2, 24.0, 9)
    points = tails.read(tau)
    for share, frequency in ((0.36, 17.0), (0.68, 20.0)):
        monkeypatch.setattr(split_tails, "SETTINGS", split_tails.SplitTailSettings(share=share, frequency=frequency))
        other = split(squared_mu, steps)[0].read(tau)
        both = points.answered & other.answered
        assert both.sum() >= 6
        for name in RATES:
            miss = np.abs(np.expm1(getattr(points, name) - getattr(other, name)))
            assert np.all((miss <= points.errors + other.errors)[both])


def test_panels_that_turn_too_often(monkeypatch):
    """Frequencies far above those that panels are made for: the panels to compare with must be others throughout."""
    squared_mu, steps, tau = *TURNING, np.array([0.2378990088863043])
    _, _, counted = split(squared_mu, steps)
    deviation = LineTails(squared_mu, counted).deviation  # of the bulk, which rare outputs hardly widen
    points = SplitTails.of(squared_mu, counted, deviation).read(tau)
    monkeypatch.setattr(split_loss, "SETTINGS", split_loss.SplitSettings(turns=4.0, width=0.5, branch=1.0))
    fine = SplitTails.of(squared_mu, counted, deviation).read(tau)
    assert points.answered.all()
    for name in RATES:
        miss = np.abs(np.expm1(getattr(points, name) - getattr(fine, name)))
        assert np.all(miss <= points.errors + fine.errors)


@pytest.mark.parametrize("tilt", [0.0, 1.0])
def test_the_parts_are_the_whole(tilt):
    """Under Q (tilt 0) and under P (tilt 1) the three events are certain together."""
    loss = SplitLoss(
        0.04, [(SampledGaussianLoss(0.8, 1e-3), 3000), (SampledGaussianLoss(1.5, 0.01), 70)], 0.1, 0.9, 90.0
    )
    parts = [math.exp(part.tilt(tilt).value) for part in (loss.moderate, loss.large)]
    assert math.fsum([*parts, loss.extreme[int(tilt)]]) == pytest.approx(1, rel=1e-13)
    assert min(*parts, loss.extreme[int(tilt)]) > 1e-7


def test_means_are_slopes():
    loss = SplitLoss(0.0, [(SampledGaussianLoss(1.0, 1e-3), 2000)], 0.05, 0.6, 200.0)
    for part in (loss.moderate, loss.large):
        here, step = part.tilt(20.0), 0.02
        low, middle, high = part.values(np.array([20.0 - step, 20.0, 20.0 + step]))
        assert here.mean == pytest.approx((high - low) / (2 * step), rel=1e-6)
        assert here.variance == pytest.approx((high - 2 * middle + low) / step**2, rel=1e-4)
        assert here.value == pytest.approx(middle, rel=1e-12)


def test_the_question_alone():
    tails, deviation, _ = split(*RUNS[0])
    tau = deviation * np.linspace(0.5, 30.0, 13)
    together = tails.read(tau)
    fresh, _, _ = split(*RUNS[0])
    for place in (9, 2, 12, 0):
        alone = fresh.read(tau[place : place + 1])
        assert alone.log_fpr[0] == together.log_fpr[place]
        assert alone.errors[0] == together.errors[place]
    assert pickle.loads(pickle.dumps(tails)) == tails == copy.copy(tails)


def test_what_is_not_covered():
    step = SampledGaussianLoss(1.0, 1e-3)
    assert SplitTails.of(0.0, [(step, 5)], 0.01) is None
    assert SplitTails.of(0.0, [(MixtureLoss(1.0, (0.0, 1.0), (0.9, 0.1)), 50)], 0.01) is None
    tails, deviation, _ = split(*RUNS[0])
    points = tails.read(np.array([-deviation, 1e9, np.inf]))
    assert not points.answered.any()


def test_fits_are_read_off_lines():
    fit = account(DPSGD(0.9, 3e-4, 30_000)).fit()
    assert str(fit.method) == "line"
    assert fit.mu_lower <= 0.12073069902444688 <= fit.mu_upper  # as `certify` proves
    assert fit.error < 2e-11


def test_deep_limits(monkeypatch):
    """Lines alone claim somewhat less than they are off here."""
    run = 0.0, [(3.445656159762059, 0.00027335650611576225, 423)]
    tau = np.array([0.4854792834955027])
    points = split(*run)[0].read(tau)
    monkeypatch.setattr(split_tails, "SETTINGS", split_tails.SplitTailSettings(share=0.45, widest=5.0, ratio=1.3))
    other = split(*run)[0].read(tau)
    assert points.answered.all()
    assert other.answered.all()
    assert abs(points.log_fpr[0] - other.log_fpr[0]) <= points.errors[0] + other.errors[0]


def test_tails_whose_doubles_lose_digits_are_left_to_others():
    tails, _, _ = split(0.0, [(3.845340165085262, 7.867390663085056e-05, 55_622)])
    assert tails.read(np.array([0.1, 0.92])).answered.tolist() == [True, False]
