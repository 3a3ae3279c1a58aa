r"""The tightest mu, the slack and the regret of a curve that is straight between corners: all three at corners.

The region above a GDP curve is convex, and so is its image under scaling by 1 - s. A curve that is straight between
corners lies in either exactly if its corners do. So the tightest mu binds at a corner, and the slack is the least s
with which each corner (a, b) has b >= (1 - s) f_mu(a / (1 - s)). The regret's quotient is, between neighbouring
epsilons of the points, a convex function of e^epsilon over a linear one: largest at an end.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from gaussdp import numerics
from gaussdp.accounting.columns import Columns
from gaussdp.guarantees import GDP, ProfilePoints
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class CornerSettings:
    """What is tuned about corners; the first three are relative rounding errors."""

    line: float = 1e-15  # of a height on a line
    mu: float = 4e-15  # of mu through a point
    curve: float = 1e-13  # of a rate of a GDP curve
    close: float = 1e-9  # relative change of a slack at which the search for it ends
    newton_steps: int = 60  # ... as it does after so many; each of them leaves a bound that holds


SETTINGS = CornerSettings()


@dataclass(frozen=True, slots=True)
class Corners(Columns):
    """Corners of a curve up to its diagonal, by falling FPR; the TPR is rounded up, the FNR down.

    Each lies on or above the lines that meet there, so the polygon through them bounds the curve however the FPRs are
    rounded.
    """

    fpr: Floats
    fnr: Floats
    tpr: Floats

    @classmethod
    def of(cls, points: ProfilePoints) -> "Corners":
        """The corners of what (epsilon, delta) statements say together."""
        growth, deltas, kinks = np.exp(points.epsilons), points.deltas, points._kinks
        diagonal = (1 - deltas[:1]) / (1 + growth[:1])
        fpr = np.concatenate((diagonal, kinks))
        before = deltas + growth * fpr  # on the line of each point where it begins
        after = np.concatenate((before[:1], deltas[:-1] + growth[:-1] * kinks))
        return cls._rounded(fpr, np.maximum(before, after)).take(fpr <= diagonal)

    @classmethod
    def at(cls, points: ProfilePoints, fpr: float) -> "Corners":
        """The point of the curve at one FPR, as if it were a corner."""
        at = np.array([fpr])
        line = points._line(at)
        return cls._rounded(at, points.deltas[line] + np.exp(points.epsilons[line]) * at)

    @classmethod
    def _rounded(cls, fpr: Floats, tpr: Floats) -> "Corners":
        fnr = np.maximum(1 - tpr - SETTINGS.line * tpr, 0.0)
        return cls(fpr, fnr, np.minimum(tpr * (1 + SETTINGS.line), 1.0))

    def mu(self) -> Floats:
        """The mu of the GDP curve through each, rounded up."""
        return numerics.mu_through_point(self.fpr, self.fnr, self.tpr) * (1 + SETTINGS.mu)

    def slack(self, mu: float) -> float:
        """The least s with which all of them lie above the scaled GDP curve, rounded up; 0 if there are none.

        s + (1 - s) tpr_mu(fpr / (1 - s)) grows with s and is concave, so Newton's steps from 0 stay below the least s
        that brings it up to the TPR; and an s that is too small gives one that is too large.
        """
        curve, s, corners, best = GDP(mu), np.zeros(self.fpr.size), self, 0.0
        for _ in range(SETTINGS.newton_steps):
            if s.size == 0:
                break
            bound, miss, slope = corners._missing(curve, s)
            best = float(bound.max())
            with np.errstate(divide="ignore", invalid="ignore"):
                ahead = np.fmin(s + np.maximum(miss, 0.0) / slope, bound) * (1 - SETTINGS.curve)
            if best == 0 or float(np.max(ahead - s)) <= SETTINGS.close * best:
                break
            open_ = bound > float(ahead.max())  # the others are no rivals
            s, corners = np.maximum(ahead, s)[open_], corners.take(open_)
        return min(best, 1.0)

    def _missing(self, curve: GDP, s: Floats) -> tuple[Floats, Floats, Floats]:
        """From slacks that are too small: ones that are large enough; what is missing of the TPR; and its slope."""
        fpr = np.minimum(self.fpr / (1 - s), 1.0)
        tpr, fnr = curve.tpr(fpr), curve.fnr(fpr)
        small = self.tpr < 0.5
        more, less = 1 + SETTINGS.curve, 1 - SETTINGS.curve
        excess = np.where(small, self.tpr * more - tpr * less, fnr * more - self.fnr * less)
        with np.errstate(divide="ignore", invalid="ignore"):
            bound = np.where(fnr > 0, np.clip(excess / fnr, 0.0, 1.0), 1.0)
            rise = fpr * np.exp(-curve.mu * (special.ndtri(fpr) + 0.5 * curve.mu))
        return bound, excess - s * fnr, fnr + rise


def regret(points: ProfilePoints, mu: float) -> float:
    """The least kappa with f(alpha + kappa) - kappa <= f_mu(alpha), rounded up."""
    epsilons = np.append(points.epsilons, 0.0)
    curve = GDP(mu)
    gap = curve.delta(epsilons) * (1 + SETTINGS.curve) - points.delta(epsilons) * (1 - SETTINGS.line)
    return max(float(np.max(gap / (1 + np.exp(epsilons)))), 0.0)
