"""Where the lattices of a bracket lie, in plain floats: no proof rests on it, only how tight the bounds are."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gaussdp.accounting.certified.steering import Steering, losses, rounded
from gaussdp.accounting.certified.witnesses import BracketWitness, Window
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class Effort:
    """How fine lattices are.

    Attributes:
        width: of the bounds that is aimed at, relative to delta.
        cell: points in the reach of a tilt, of cells far out, as a logarithm to base 2.
        share: cells until their widths double, as a logarithm to base 2.
        length: of a lattice.
        fine: points between the quartiles of a composition.
    """

    width: float
    cell: int
    share: int
    length: int
    fine: int


EFFORTS = (
    Effort(1e-3, 6, 8, 2**16, 2**11),
    Effort(2e-5, 8, 9, 2**18, 2**13),
    Effort(1e-6, 9, 10, 2**19, 2**15),
)
MISSED = 18.0
"""-log of the share of delta that outputs outside the windows may have."""
ROUNDS = 4
UNLIMITED = 2**20
"""Points of a cell."""
LOOKS = 4001
"""At outputs."""
FEWEST, MOST = 2.0**9, 2.0**17
"""Points of the window of one step."""


def plan_bracket(
    steering_of: Callable[[float], Steering], threshold: float, effort: Effort, *, mirrored: bool, log_delta: float
) -> tuple[BracketWitness, float]:
    """A bracket around a threshold, and how far from it thresholds are served.

    Args:
        steering_of: the composed loss by the deviations of outputs that are looked at.
        threshold: on the loss.
        effort: how fine.
        mirrored: for adding a record.
        log_delta: what the logarithm of delta may be; NaN if nothing is known.
    """
    guess = -30.0 if math.isnan(log_delta) else log_delta
    steering, tilt, variance, deviations = steering_of(10.0), 0.0, 0.0, 10.0
    for _ in range(ROUNDS):
        count = math.log(sum(part.count for part in steering.parts) + 1)
        deviations = rounded(math.sqrt(2 * (MISSED + count - guess)))
        steering = steering_of(deviations)
        tilt = steering.saddle(threshold, -1 if mirrored else 1)
        value, _, variance = steering.cumulants(tilt)
        if math.isnan(log_delta):
            guess = min(value - tilt * threshold + (0.0 if mirrored else threshold), 0.0)
    if not 0 < variance < math.inf:
        raise ConvergenceError("no proof: no lattice for the threshold is known")
    own = 1 - tilt if mirrored else tilt
    kinds = len(steering.parts) + (steering.squared_mu > 0)
    # What rounding by a spacing adds to the variance of the loss changes delta by this much.
    allowed = effort.width / (own * max(own - 1, 0.01) * kinds)
    windows = []
    for part in steering.parts:
        sigma = part.noise_multiplier
        x = np.linspace(-deviations * sigma, 1 + deviations * sigma, LOOKS)
        loss, _ = losses(part, x)
        windows.append(
            _window(loss, -0.5 * (x / sigma) ** 2 + tilt * loss, own, allowed / part.count, effort, mirrored=mirrored)
        )
    if steering.squared_mu > 0:
        mu = math.sqrt(steering.squared_mu)
        loss = np.linspace(-1, 1, LOOKS) * (0.5 * mu * mu + deviations * mu)
        windows.append(
            _window(loss, -0.5 * ((loss / mu) + mu / 2) ** 2 + tilt * loss, own, allowed, effort, mirrored=mirrored)
        )
    bits = 160 + 2 * max(abs(window.level) for window in windows)
    room = 3 * math.sqrt(variance)
    return BracketWitness(max(rounded(own), 1.0), mirrored, tuple(windows), effort.length, effort.fine, bits), room


def _window(loss: Floats, log_mass: Floats, tilt: float, allowed: float, effort: Effort, *, mirrored: bool) -> Window:
    """Points for rising losses with their masses under the tilt, as coarse as is allowed."""
    low, high = float(loss[0]), float(loss[-1])
    mass = np.exp(log_mass - log_mass.max())
    mass /= mass.sum()
    mean = float(mass @ loss)
    if not low < high or not math.isfinite(mean):
        raise ConvergenceError("no proof: no lattice for the threshold is known")
    level = math.floor(math.log2(FEWEST / (high - low)))
    while 2.0**level * (high - low) < MOST:
        part = loss * 2.0**level - np.floor(loss * 2.0**level)
        if float(mass @ (part * (1 - part))) * 4.0**-level < allowed:
            break
        level += 1
    scale = 2.0**level
    first, last = math.floor(low * scale), math.ceil(high * scale)
    ends = sorted((0.0, mean * scale))
    near = max(first, math.floor(ends[0]) - 1), min(last, math.ceil(ends[1]) + 1)
    # Where the tilt takes all weight away cells may be as wide as they come.
    widest = min(max(1, math.floor(scale / (tilt * 2.0**effort.cell))), UNLIMITED)
    sides = (widest, UNLIMITED) if mirrored else (UNLIMITED, widest)
    return Window(level, first, near, last, effort.share, sides)
