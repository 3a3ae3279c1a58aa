"""The tails of losses that have the same law with their sign changed under P and under Q: replaced records."""

import numpy as np

from gaussdp.accounting.inversion import points_at_fnr, points_at_fpr
from gaussdp.accounting.operating_points import LossTails, OperatingPoints
from gaussdp.numerics import Booleans, Floats
from gaussdp.objects import Described


class SymmetricTails(Described):
    """Such tails, read at thresholds of at least 0: the others are mirror images."""

    lowest: float

    def __init__(self, tails: LossTails) -> None:
        self._tails = tails
        self.lowest = tails.lowest

    def _describe(self) -> tuple[object, ...]:
        return (self._tails,)

    @property
    def mean(self) -> float:
        """Mean of the loss under Q."""
        return self._tails.mean

    @property
    def deviation(self) -> float:
        """Standard deviation of the loss under Q."""
        return self._tails.deviation

    @property
    def skewness(self) -> float:
        """Skewness of the loss under Q, or 0."""
        return self._tails.skewness

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points at the thresholds."""
        points = self._tails.read(np.abs(tau))
        negative = tau < 0
        return _mirrored(points, negative) if negative.any() else points

    def near_quantile(self, quantile: float, pole: float) -> float | None:
        """A threshold near the one that the loss exceeds with the probability of a normal quantile, if known."""
        return self._tails.near_quantile(quantile, pole)

    def at_fpr(self, log_fpr: Floats, log_tnr: Floats) -> OperatingPoints:
        """Operating points with these FPRs."""
        return points_at_fpr(self, log_fpr, log_tnr)

    def at_fnr(self, log_fnr: Floats, log_tpr: Floats) -> OperatingPoints:
        """Operating points with these FNRs."""
        return points_at_fnr(self, log_fnr, log_tpr)


def _mirrored(points: OperatingPoints, where: Booleans) -> OperatingPoints:
    """The points at minus their thresholds, where so marked: attacks on the two hypotheses change places."""

    def swapped(one: Floats, other: Floats) -> tuple[Floats, Floats]:
        return np.where(where, other, one), np.where(where, one, other)

    log_fpr, log_fnr = swapped(points.log_fpr, points.log_fnr)
    log_tnr, log_tpr = swapped(points.log_tnr, points.log_tpr)
    remove, add = swapped(points.log_delta_remove, points.log_delta_add)
    return OperatingPoints(
        tau=np.where(where, -points.tau, points.tau),
        log_fpr=log_fpr,
        log_tnr=log_tnr,
        log_fnr=log_fnr,
        log_tpr=log_tpr,
        log_density=points.log_density + np.where(where, points.tau, 0.0),
        log_delta_remove=remove,
        log_delta_add=add,
        errors=points.errors,
        methods=points.methods,
    )
