r"""How far apart the images of a trapezoid rule lie, so that all are bounded, and those of the poles, which are known.

The rule of step h returns :math:`\sum_m e^{cms} I_k(\tau + ms)` with :math:`s = 2\pi/h`. Images are tail probabilities,
but for the constants that the poles at 0 and 1 add. Chernoff's inequality bounds tails at any tilt; the best of a few
tells how small s may be.
"""

import math
from dataclasses import dataclass

import numpy as np

from gaussdp.accounting.loss.cumulants import LossCumulants, Tilt
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class ImageSettings:
    """What is tuned about images. Distances of tilts are in inverse deviations."""

    exponent: float = 39.0
    """-log of the largest image: e^-39 = 1e-17 of the scale, far below rounding even at the ends of the reach."""
    ladder: tuple[float, ...] = (0.25, 0.5, 1.0, 2.0, 4.0, 6.0, 9.0)
    """Tilts of Chernoff's bounds on the images; normal and long tails each find one that is near."""
    farther: tuple[float, ...] = (14.0, 24.0)  # those for tails that are shorter than ...
    short: float = 8.0  # ... so many deviations from the images on; a normal one is 8.8 long
    crowded: float = 18.0
    """Distance of images, in deviations, from which on one looks for bounds at tilts between the rungs; images of a
    normal law lie 12.3 apart. Where rare losses begin to matter few tilts tell how rare they are, or none of these."""
    worth_looks: float = 15_000.0  # nodes times outputs, at that distance, from which on such bounds pay
    normal_nodes: float = 9.8  # frequencies to which a normal law has nodes, to tell how many there are
    rungs_between: int = 7
    nearer: float = 256.0  # than the first rung: how near to a line such tilts may lie
    looks: int = 3
    near_pole: float = 6.0
    """Distance up to which the images of a pole are subtracted; those of farther poles are small and bounded."""


SETTINGS = ImageSettings()
_LADDER = np.array(SETTINGS.ladder)
_FARTHER = np.array(SETTINGS.farther)
_BETWEEN = np.arange(1, SETTINGS.rungs_between + 2) / (SETTINGS.rungs_between + 1)
LARGEST = 4 * math.exp(-SETTINGS.exponent)  # bound on all images, above and below, of every threshold in reach


@dataclass(frozen=True, slots=True)
class Images:
    """Those along the line at a tilt.

    Attributes:
        tilt: of the line.
        period: their distance.
        poles: those whose images are not small, and known.
        beside: the tilts, above and below, whose bounds the distance comes from.
    """

    tilt: Tilt
    period: float
    poles: tuple[float, ...]
    beside: tuple[float, float]

    @property
    def profile_share(self) -> float:
        """What share of the bound on all images bounds those of the profile.

        For a > 1 they are E[(e^(L - x) - 1)+] <= E[e^(a (L - x))] / a, and for a < 0 the mirror images of these.
        """
        return max(1 / max(at, 1 - at, 1.0) for at in self.beside)

    def too_large(self, log_moments: Floats, farthest: float) -> float:
        """By how much the logarithm of the largest image exceeds what it should be, given K at the tilts beside."""
        at, mean = self.tilt.at, self.tilt.mean
        distances = np.abs(np.array(self.beside) - at)
        reach = self.period - farthest + mean * np.array([1.0, -1.0])
        return float((log_moments - self.tilt.value + SETTINGS.exponent - distances * reach).max())

    def of_poles(self, tau: Floats) -> Floats:
        """The images of the near poles in the rows of the FPR, the FNR and the profile, on the scale of the line."""
        at, period = self.tilt.at, self.period
        images = np.zeros((3, tau.size))
        for pole in self.poles:
            distance = at - pole
            decay = abs(distance) * period
            scale = math.copysign(-math.expm1(-decay), distance)
            np.exp(distance * tau - (self.tilt.value + decay), out=images[int(pole)])
            images[int(pole)] /= scale
        if len(self.poles) < 2 or 0 <= at <= 1:
            np.subtract(images[1], images[0], out=images[2])
            return images
        # Poles that are close together have nearly the same images; only the difference of these counts here.
        if at > 1:
            nearer, decay, ahead = images[1], (at - 1) * period, period - tau
        else:
            nearer, decay, ahead = -images[0], -at * period, period + tau
        share = math.expm1(-decay) * np.expm1(-ahead) - math.exp(-decay) * math.expm1(-period)
        np.multiply(nearer, share / -math.expm1(-decay - period), out=images[2])
        return images


def place_images(cumulants: LossCumulants, tilt: Tilt, farthest: float) -> Images:
    """The images that are smaller than exp(-39) of the scale of the line for all thresholds within reach.

    Args:
        cumulants: of the loss.
        tilt: of the line.
        farthest: distance of the farthest threshold from the mean.

    Raises:
        ConvergenceError: if the line lies too close to a pole.
    """
    deviation = tilt.deviation
    steps = _LADDER / deviation
    nearest = min(abs(tilt.at), abs(tilt.at - 1)) * deviation
    reach = SETTINGS.near_pole + 1 if nearest <= SETTINGS.near_pole else 0.0
    near = [pole for pole in (0.0, 1.0) if abs(tilt.at - pole) * deviation <= reach]
    far = [pole for pole in (0.0, 1.0) if pole not in near]
    start_above, start_below = max([tilt.at, *near]), min([tilt.at, *near])
    ceiling = min([pole for pole in far if pole > tilt.at], default=math.inf)
    bottom = max([pole for pole in far if pole < tilt.at], default=-math.inf)

    def off_poles(rungs: Floats) -> tuple[Floats, Floats]:
        """Those on either side that keep their distance from far poles."""
        if not far:
            return rungs, rungs
        return rungs[start_above + rungs <= ceiling - steps[0]], rungs[start_below - rungs >= bottom + steps[0]]

    above, below = off_poles(steps)
    if not (above.size and below.size):
        raise ConvergenceError("the line lies too close to a pole")
    placed = Images(tilt, math.inf, tuple(near), (math.inf, -math.inf))
    outputs = sum(grid.centred.size for grid in tilt.grids)
    for look in range(SETTINGS.looks):
        tilts = np.concatenate((start_above + above, start_below - below))
        # Chernoff: the tail beyond x, on the scale of the line, is below exp(K(c') - K(c) - (c' - c) x).
        needed = (cumulants.values(tilts) - tilt.value + SETTINGS.exponent) / np.abs(tilts - tilt.at)
        highest, lowest = int(needed[: above.size].argmin()), int(needed[above.size :].argmin())
        least = float(needed[highest]) - tilt.mean, float(needed[above.size + lowest]) + tilt.mean
        period = max(least) + farthest
        if period < placed.period:
            placed = Images(tilt, period, placed.poles, (float(tilts[highest]), float(tilts[above.size + lowest])))
        if look == 0 and max(least) < SETTINGS.short * deviation:
            above, below = off_poles(_FARTHER / deviation)
            if above.size and below.size:
                continue
            break
        nodes = period * SETTINGS.normal_nodes / (2 * math.pi * deviation)
        if period < SETTINGS.crowded * deviation or nodes * outputs < SETTINGS.worth_looks:
            break
        above, below = _between(above, highest), _between(below, lowest)
    return placed


def _between(rungs: Floats, best: int) -> Floats:
    """Rungs nearer to the best one than its neighbours are."""
    low = rungs[best - 1] if best else rungs[0] / SETTINGS.nearer
    high = rungs[min(best + 1, rungs.size - 1)]
    between: Floats = low * (high / low) ** _BETWEEN
    return between
