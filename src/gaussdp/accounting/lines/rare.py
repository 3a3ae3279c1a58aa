r"""Where the line lies that serves common and rare losses at once.

Where outputs that the record alone explains are rare, the loss is nearly normal, but for the few steps that had one.
A tilt c makes these more likely, from a share of the law that is next to nothing to a sum of several of them. Between
lies a tilt at which they have a share of half a percent: along its line the integrand knows both kinds to many digits,
so that it serves all thresholds from the bulk of the common losses to that of the rare ones.

How far: with K the log moment generating function of the loss, Chernoff's inequality bounds the tails of the tilted law
on either side,

.. math:: \log P_c(L > x) \le K(c + s) - K(c) - s x,

and values are large enough, on the scale of the line, where the least of these bounds is.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gaussdp.accounting.lines.grids import SETTINGS as GRIDS
from gaussdp.accounting.lines.images import SETTINGS as IMAGES
from gaussdp.accounting.lines.line import SETTINGS as LINE
from gaussdp.accounting.loss.cumulants import LossCumulants, Tilt
from gaussdp.accounting.loss.steps import CLEAN


@dataclass(frozen=True)
class RareSettings:
    """What is tuned about such lines."""

    share: float = 0.005
    """Of rare losses in the law of the line. A smaller share makes the values between both smaller, a larger one the
    line longer."""
    growth: float = 2.4  # deviation in those without a tilt, from which on rare losses matter
    apart: float = 5.0  # squared skewness, about the inverse of the share, from which on they are a kind of their own
    depth: float = 5.5
    """-log of the density of that law, on the scale of its common or its rare losses, to which the line serves: as far
    as 3.3 deviations do of a normal law."""
    rungs: tuple[float, float, int] = (0.02, 20.0, 24)  # tilts that tell: from, to, how many, in inverse deviations
    most_work: float = 5e6  # up to which other ways take longer


SETTINGS = RareSettings()
_RUNGS = np.geomspace(*SETTINGS.rungs)


@dataclass(frozen=True, slots=True)
class RareLine:
    """The tilt of the line, between which thresholds it serves, and its nodes times outputs, estimated."""

    tilt: Tilt
    low: float
    high: float
    work: float

    def serves(self, tau: float) -> bool:
        """Whether a threshold is one of these."""
        return self.low <= tau < self.high


def rare_line(cumulants: LossCumulants, origin: Tilt, tilt_at: Callable[[float], Tilt | None]) -> RareLine | None:
    """The line, if there are two kinds of losses, and if it is short enough.

    Args:
        cumulants: of the loss.
        origin: its tilt at 0.
        tilt_at: its tilts, where these have a width.
    """
    at = cumulants.rare_at(SETTINGS.share)
    tilt = None if at is None or at > cumulants.clean_to else tilt_at(at)
    if tilt is None or min(grid.cut for grid in tilt.grids) <= CLEAN:
        return None
    if tilt.deviation < SETTINGS.growth * origin.deviation or tilt.third**2 < SETTINGS.apart * tilt.variance**3:
        return None
    above, below = _RUNGS / tilt.deviation, _RUNGS / origin.deviation
    growth = cumulants.values(np.concatenate((tilt.at + above, tilt.at - below))) - tilt.value
    up, down = growth[: above.size], growth[above.size :]
    high, low = float(((up + SETTINGS.depth) / above).min()), -float(((down + SETTINGS.depth) / below).min())
    period = high + float(((up + IMAGES.exponent) / above).min())
    turns = LINE.normal_reach / origin.deviation / (2 * math.pi)
    outputs = sum(grid.centred.size * max(1.0, turns * grid.widest_gap / GRIDS.whole_turn) for grid in tilt.grids)
    work = outputs * turns * period
    return RareLine(tilt, low, high, work) if work <= SETTINGS.most_work else None
