"""What sums over outputs leave out lies within its bounds: against the same sums on far finer grids."""

import numpy as np
import pytest

from gaussdp.accounting.loss.bounds import LossBounds, StepBounds
from gaussdp.accounting.loss.steps import SampledGaussianLoss

FINE = 20  # 32 times finer: exact to rounding up to the frequencies below
AHEAD = np.geomspace(1, 30, 150)  # frequencies, in first ones, at which the truth is computed
COARSE = -9  # nearly five times coarser than the coarsest grid that lines use, so that errors can be seen


def transform(step: SampledGaussianLoss, tilt: float, t: np.ndarray, refinement: int = FINE) -> np.ndarray:
    """M(c + it) by a sum over the outputs of a grid."""
    outputs, _, _ = step.outputs(tilt, refinement)
    weights = np.exp(tilt * outputs.losses + outputs.log_density)
    return np.exp(1j * np.multiply.outer(t, outputs.losses)) @ weights


def cases() -> list[tuple[SampledGaussianLoss, float, float]]:
    """Steps with a tilt that leaves cut outputs alone, and a frequency at which some or many would have died out."""
    draw = np.random.default_rng(12)
    found: list[tuple[SampledGaussianLoss, float, float]] = []
    while len(found) < 40:
        step = SampledGaussianLoss(float(10 ** draw.uniform(-0.5, 1.2)), float(10 ** draw.uniform(-3.5, -0.05)))
        tilt = float(draw.normal() * draw.choice([1.0, 5.0, 20.0]))
        if tilt > 0:
            step = step.cut(9.0)
        grid = step.tilted(tilt)
        if grid.clean:
            found.append((step, tilt, float(draw.uniform(0.05, 3) / np.sqrt(grid.variance))))
    return found


def test_the_transform_decays_at_least_as_it_is_said() -> None:
    close = 0
    for step, tilt, frequency in cases():
        with np.errstate(all="ignore"):
            t, logs = LossBounds(0.0, [(step, 1)], tilt, 0).decay(frequency)
        size = np.abs(transform(step, tilt, np.append(np.zeros(1), frequency * AHEAD)))
        log_ratio = np.log(size[1:] / size[0])
        for start, bound in zip(t, logs, strict=True):
            later = log_ratio[frequency * AHEAD >= start]
            assert (later <= bound + 1e-12).all(), (step, tilt, start)
        close += logs[0] < 0.5 * log_ratio[0]
    assert close > 30  # not only right, but mostly half of the truth at least


def test_errors_of_grids_are_no_larger_than_they_are_said() -> None:
    seen = tight = 0
    for step, tilt, frequency in cases():
        t = frequency * np.array([0.25, 0.5, 1.0])
        total = abs(transform(step, tilt, np.zeros(1))[0])
        for refinement in (COARSE, COARSE + 4, 0):
            with np.errstate(all="ignore"):
                said = StepBounds(step, tilt, refinement).grid_errors(t)
            error = np.abs(transform(step, tilt, t, refinement) - transform(step, tilt, t)) / total
            assert (error <= said + 1e-14).all(), (step, tilt, refinement)
            seen += int((error > 1e-10).sum())
            tight += int((said < 1e-12).sum())
    assert seen > 20
    assert tight > 60


def test_the_variation_bounds_the_transform_at_any_frequency() -> None:
    for step, tilt, frequency in cases():
        variation = StepBounds(step, tilt).variation
        t = frequency * AHEAD
        size = np.abs(transform(step, tilt, t)) / abs(transform(step, tilt, np.zeros(1))[0])
        assert (size <= variation / t * (1 + 1e-12)).all(), (step, tilt)


@pytest.mark.parametrize("steps", [[(1.0, 0.01, 1000)], [(0.7, 0.02, 200), (2.0, 0.1, 100)]], ids=["one", "two"])
def test_what_lies_beyond_a_frequency_is_bounded(steps: list[tuple[float, float, int]]) -> None:
    made = [(SampledGaussianLoss(noise, rate), count) for noise, rate, count in steps]
    for tilt in (-3.0, 0.4, 2.5):
        variance = sum(count * step.tilted(tilt).variance for step, count in made)
        for reach in (3.0, 6.0):
            frequency = reach / np.sqrt(variance)
            t = frequency * np.geomspace(1, 10, 500)
            size = np.ones(t.size)
            for step, count in made:
                whole = transform(step, tilt, np.append(np.zeros(1), t))
                size *= np.abs(whole[1:] / whole[0]) ** count
            bound = LossBounds(0.0, made, tilt, 0).beyond(float(frequency))
            truth = float(np.sum(size) * np.log(t[1] / t[0]))
            assert truth * (1 - 0.01) <= bound < 50 * truth + 1e-15
