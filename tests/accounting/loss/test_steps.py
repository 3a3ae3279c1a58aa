"""One sampled step: its moments against direct integration."""

import mpmath as mp
import numpy as np
import pytest

from gaussdp.accounting.loss import steps as _steps
from gaussdp.accounting.loss.steps import SampledGaussianLoss, StepSettings


def moments(sigma, rate, tilt):
    """log E_Q[e^(tilt L)], and mean and variance of L under the tilted law, by quadrature in 30 digits."""
    with mp.workdps(30):
        s, q, c = mp.mpf(sigma), mp.mpf(rate), mp.mpf(tilt)

        def loss(x):
            return mp.log(1 - q + q * mp.exp((2 * x - 1) / (2 * s * s)))

        nodes = mp.linspace(-14 * s + min(c, 0), 14 * s + max(c, 1), 61)
        zeroth, first, second = (
            mp.quad(lambda x, k=k: mp.npdf(x, 0, s) * mp.exp(c * loss(x)) * loss(x) ** k, nodes) for k in range(3)
        )
        mean = first / zeroth
        return float(mp.log(zeroth)), float(mean), float(second / zeroth - mean**2)


@pytest.mark.parametrize("tilt", [-3.0, 0.0, 0.5, 1.0, 6.0])
@pytest.mark.parametrize(("sigma", "rate"), [(0.5, 0.002), (1.0, 0.1), (5.0, 0.5)])
def test_moments(sigma, rate, tilt):
    log_mgf, mean, variance = moments(sigma, rate, tilt)
    grid = SampledGaussianLoss(sigma, rate).tilted(tilt, 0)
    assert grid.log_mgf == pytest.approx(log_mgf, rel=1e-11, abs=1e-16)
    assert grid.mean == pytest.approx(mean, rel=1e-11)
    assert grid.variance == pytest.approx(variance, rel=1e-10)
    assert float(grid.weights.sum()) == pytest.approx(1, rel=1e-13)


def test_the_mgf_is_one_at_zero_and_one():
    step = SampledGaussianLoss(0.7, 0.01)
    assert step.tilted(0.0, 0).log_mgf == pytest.approx(0, abs=1e-17)
    assert step.tilted(1.0, 0).log_mgf == pytest.approx(0, abs=1e-17)


@pytest.mark.parametrize("sigma", [0.037, 0.03, 0.02])
@pytest.mark.parametrize("rate", [0.01, 0.5])
def test_the_mgf_is_one_where_densities_underflow(sigma, rate):
    """What the record alone explains lies where the density without it is smaller than any double."""
    assert SampledGaussianLoss(sigma, rate).tilted(1.0).log_mgf == pytest.approx(0.0, abs=1e-12)


def test_many_tilts_at_once_agree_with_one_by_one():
    step = SampledGaussianLoss(0.7, 0.01)
    tilts = np.array([-2.0, 0.3, 1.0, 5.0, 11.0])
    alone = [step.tilted(float(tilt), 0).log_mgf for tilt in tilts]
    np.testing.assert_allclose(step.log_mgf(tilts), alone, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize(("sigma", "rate", "tilt"), [(0.57, 1.1e-5, -7.5e5), (0.5, 5e-4, -1.4e4), (3.0, 0.2, -40.0)])
def test_many_tilts_of_strong_negative_ones(sigma, rate, tilt):
    """Grids for these resolve less than those of lines do: enough for bounds."""
    step = SampledGaussianLoss(sigma, rate)
    exact = step.tilted(tilt, 8).log_mgf
    assert step.log_mgf(np.array([tilt, 0.5 * tilt]))[0] == pytest.approx(exact, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("log_rate", [-0.1, -5.0, -40.0, -500.0])
@pytest.mark.parametrize(("sigma", "rate"), [(0.5, 0.002), (1.0, 0.3), (5.0, 1e-5)])
def test_the_loss_that_is_exceeded_with_some_probability(sigma, rate, log_rate):
    step = SampledGaussianLoss(sigma, rate)
    under_q, _ = step.log_tails(np.array([step.exceeded(log_rate)]))
    assert under_q[0] == pytest.approx(log_rate, rel=1e-4 if rate < 1e-4 else 1e-9)


def test_means_are_those_of_the_outputs_that_are_kept(monkeypatch):
    monkeypatch.setattr(_steps, "SETTINGS", StepSettings(negligible=35.0, worth_dropping=40.0))
    step, count = SampledGaussianLoss(0.511, 1.23e-6), 50_000_000
    grid, rough = step.tilted(6.15, 11, precise=True), step.tilted(6.15, 11)
    assert grid.weights.size < step.outputs(6.15, 11)[0].losses.size  # some are left out
    assert abs(grid.weights @ grid.centred) * count < 1e-13
    assert grid.mean == pytest.approx(rough.mean, rel=1e-6)
