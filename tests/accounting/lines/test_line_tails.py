"""Tails of small compositions by contours, against direct integrals and closed forms; thresholds nearly right."""

import math

import numpy as np
import pytest

from accounting import oracle
from gaussdp.accounting import account
from gaussdp.accounting.density.tails import DensityTails
from gaussdp.accounting.lines import line as _line
from gaussdp.accounting.lines.bent import BentTails
from gaussdp.accounting.lines.lattice import near_quantile
from gaussdp.accounting.lines.tails import LineTails
from gaussdp.accounting.loss.closed_forms import GaussianTails
from gaussdp.accounting.loss.cumulants import LossCumulants
from gaussdp.accounting.loss.steps import SampledGaussianLoss
from gaussdp.accounting.operating_points import upper_quantile
from gaussdp.errors import ConvergenceError
from gaussdp.mechanisms import DPSGD


def rates(tails, tau):
    points = tails.read(np.array([tau]))
    return math.exp(points.log_fpr[0]), math.exp(points.log_fnr[0])


@pytest.mark.parametrize(("sigma", "rate", "tau"), [(2.0, 0.5, -0.4), (2.0, 0.5, 2.0), (2.0, 0.5, 6.0)])
def test_two_steps(sigma, rate, tau):
    fpr, fnr = oracle.two_steps(tau, sigma, rate)
    tails = LineTails(0.0, [(SampledGaussianLoss(sigma, rate), 2)])
    assert rates(tails, tau) == pytest.approx((float(fpr), float(fnr)), rel=1e-9)


@pytest.mark.parametrize("tau", [-2.0, -0.1, 0.0, 0.7, 5.0])
def test_a_sampled_step_and_a_plain_release(tau):
    fpr, fnr = oracle.step_and_gaussian(tau, sigma=0.7, rate=0.05, mu=0.5)
    tails = LineTails(0.25, [(SampledGaussianLoss(0.7, 0.05), 1)])
    assert rates(tails, tau) == pytest.approx((float(fpr), float(fnr)), rel=1e-10)


@pytest.mark.parametrize("tau", [-700.0, -30.0, -1.0, 0.0, 0.3, 4.0, 90.0])
@pytest.mark.parametrize("mu", [1e-6, 0.01, 1.0, 6.0])
def test_contours_of_a_plain_gaussian_equal_the_closed_form(mu, tau):
    tau *= mu / 6
    expected, got = GaussianTails(mu).read(np.array([tau])), LineTails(mu * mu, []).read(np.array([tau]))
    for field in ("log_fpr", "log_fnr", "log_delta_remove", "log_delta_add", "log_density"):
        assert getattr(got, field)[0] == pytest.approx(getattr(expected, field)[0], rel=1e-11, abs=1e-11), field


def test_what_no_line_reaches_is_left_unanswered():
    points = LineTails(0.0, [(SampledGaussianLoss(0.4, 1e-5), 2)]).read(np.ones(1))
    assert not points.answered.any()
    assert points.errors[0] == math.inf
    with pytest.raises(ConvergenceError, match="threshold 1"):
        points.complete()


def test_a_transform_that_comes_back():
    """Half of the outputs are large under this tilt: few nodes see a normal law, and miss a lattice of losses."""
    steps = [(3.137501033747941, 0.005819128069298533, 406), (0.7584953858220745, 0.007826968930363689, 16)]
    steps.append((0.49964862832471885, 0.00019238467855390112, 66))
    counted = [(SampledGaussianLoss(sigma, rate), count) for sigma, rate, count in steps]
    points = LineTails(0.6019902132660928, counted).read(np.array([136.94520713399484, 141.0535]))
    other = BentTails(0.6019902132660928, counted).read(points.tau)
    assert other.answered.all()
    for field in ("log_fpr", "log_delta_remove"):
        miss = np.abs(getattr(points, field) - getattr(other, field))
        assert (miss <= points.errors + other.errors)[points.answered].all()


def test_a_grid_that_is_too_coarse_by_two_turns():
    """Halfway between its outputs lie others with the same error: only a grid moved by less tells."""
    counted = [(SampledGaussianLoss(1.6336275762052015, 0.4114139530837374), 4)]
    points, other = (tails(0.007569500031498952, counted).read(np.array([14.9])) for tails in (LineTails, BentTails))
    assert abs(points.log_fpr[0] - other.log_fpr[0]) <= points.errors[0] + other.errors[0]


def test_a_long_line_errs_no_more_than_it_says(monkeypatch):
    """Here a coarse grid of outputs, unless it is foreseen to be one, errs at a few of thousands of nodes only."""
    monkeypatch.setattr(_line, "refinement_for", lambda t, tilt, cheap: 0)
    step = SampledGaussianLoss(0.9294494809145046, 0.06717607955513362)
    lines, density = LineTails(0.0, [(step, 25)]), DensityTails(0.0, [(step, 25)])
    for tau in (5.3, 13.0, 29.8, 44.13):
        got, expected = lines.read(np.array([tau])), density.read(np.array([tau]))
        assert abs(got.log_fpr - expected.log_fpr)[0] <= got.errors[0] + expected.errors[0]


def test_a_grid_of_large_losses_that_are_in_phase():
    """Where the large losses of a grid make whole turns, its transform comes back at a few of thousands of nodes."""
    counted = [(SampledGaussianLoss(0.37834493785418005, 1.790264423595682e-05), 236418)]
    lines, bent = (tails(0.0, counted).read(np.array([149.1378])) for tails in (LineTails, BentTails))
    for rate in ("log_fpr", "log_tpr", "log_delta_remove"):
        assert abs(getattr(lines, rate) - getattr(bent, rate))[0] <= lines.errors[0] + bent.errors[0]


@pytest.mark.parametrize(
    ("tau", "delta"),  # proved to 20 digits by `gaussdp certify`
    [
        (3827.5837995938405, 0.00137196749139533907036),
        (3836.6202364646742, 0.00096835128413989767295),
        (3867.0508304934897, 0.00027784979362677594479),
    ],
)
def test_images_of_poles_have_the_error_of_the_scale(tau, delta):
    """Next to a pole its images are far larger than what is left of a sum without them."""
    points = LineTails(0.0, [(SampledGaussianLoss(2.496941187307253, 0.489262557809388), 182266)]).read(np.array([tau]))
    assert abs(math.exp(points.log_delta_remove[0]) / delta - 1) <= points.errors[0]


@pytest.mark.parametrize("setting", [(9.4, 0.328, 2000), (0.5, 0.002, 10_000), (1.2, 0.08, 140)])
@pytest.mark.parametrize("quantile", [-9.0, -6.4, -3.0, 3.0, 6.4])
def test_thresholds_are_near(setting, quantile):
    tails = account(DPSGD(*setting)).tails
    under_q, under_p = tails.near_quantile(quantile, 0.0), tails.near_quantile(quantile, 1.0)
    points = tails.read(np.array([under_q, under_p]))
    assert upper_quantile(points.log_fpr, points.log_tnr)[0] == pytest.approx(quantile, abs=0.01)
    assert upper_quantile(points.log_tpr, points.log_fnr)[1] == pytest.approx(quantile, abs=0.01)


def test_a_normal_loss_is_found_exactly():
    cumulants = LossCumulants(0.49, [])
    found = near_quantile(cumulants, cumulants.tilt(0.0), 5.0, 0.0)
    assert found == pytest.approx(-0.245 + 0.7 * 5.0, rel=1e-12)


def test_nothing_is_claimed_between_common_and_rare_losses():
    assert account(DPSGD(0.7, 1e-4, 100_000)).tails.near_quantile(6.4, 0.0) is None


def test_nothing_is_claimed_about_the_middle():
    assert account(DPSGD(0.5, 0.002, 10_000)).tails.near_quantile(0.3, 0.0) is None
