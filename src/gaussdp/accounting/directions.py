"""The two trade-off curves of add/remove adjacency, read off one privacy loss."""

import math

import numpy as np

from gaussdp.accounting.inversion import points_at_add_delta, points_at_remove_delta
from gaussdp.accounting.operating_points import LossTails
from gaussdp.domains import PROBABILITY, REAL, evaluate
from gaussdp.guarantees.base import Numbers
from gaussdp.numerics import Floats, inside_or


class Direction:
    """One direction: an attack that tells a fixed dataset P from a fixed neighbour Q.

    Unlike a guarantee it need not be symmetric. All methods take floats or arrays.
    """

    def __init__(self, tails: LossTails, *, remove: bool) -> None:
        self._tails, self._remove = tails, remove

    def fnr(self, fpr: Numbers) -> Numbers:
        """The least false-negative rate at this false-positive rate, in [0, 1]."""
        rate: Numbers = evaluate(lambda level: self.rates(level)[0], fpr=(fpr, PROBABILITY))
        return rate

    def tpr(self, fpr: Numbers) -> Numbers:
        """The largest true-positive rate at this false-positive rate: 1 - fnr(fpr)."""
        rate: Numbers = evaluate(lambda level: self.rates(level)[1], fpr=(fpr, PROBABILITY))
        return rate

    def delta(self, epsilon: Numbers) -> Numbers:
        """sup over events S of P(S) - e^epsilon Q(S), for any real epsilon."""
        delta: Numbers = evaluate(lambda e: np.exp(self.log_delta(e)), epsilon=(epsilon, REAL))
        return delta

    def epsilon(self, delta: Numbers) -> Numbers:
        """The least epsilon >= 0 at which this direction's delta is at most this, inf if none."""
        epsilon: Numbers = evaluate(self.epsilons, delta=(delta, PROBABILITY))
        return epsilon

    def rates(self, fpr: Floats) -> tuple[Floats, Floats]:
        """FNR and TPR at these FPRs in [0, 1]."""
        with np.errstate(divide="ignore"):
            return self.rates_from_logs(np.log(fpr), np.log1p(-fpr))

    def rates_from_logs(self, log_fpr: Floats, log_tnr: Floats) -> tuple[Floats, Floats]:
        """FNR and TPR from the logarithms of the FPR and of its complement."""
        fnr, tpr = np.exp(log_tnr), np.exp(log_fpr)
        fnr, tpr = np.where(fnr > 0, 1.0, 0.0), np.where(fnr > 0, 0.0, 1.0)
        inside = np.isfinite(log_fpr) & np.isfinite(log_tnr)
        if not inside.any():
            return fnr, tpr
        if self._remove:
            points = self._tails.at_fpr(log_fpr[inside], log_tnr[inside])
            fnr[inside], tpr[inside] = np.exp(points.log_fnr), np.exp(points.log_tpr)
        else:
            points = self._tails.at_fnr(log_fpr[inside], log_tnr[inside])
            fnr[inside], tpr[inside] = np.exp(points.log_fpr), np.exp(points.log_tnr)
        return fnr, tpr

    def log_delta(self, epsilon: Floats) -> Floats:
        """log delta at any real epsilon, infinities included."""
        limit = np.where(epsilon > 0, -np.inf, 0.0)
        return inside_or(limit, np.isfinite(epsilon), self._log_delta, epsilon)

    def epsilons(self, delta: Floats) -> Floats:
        """epsilon at deltas in [0, 1]."""
        at_zero = np.exp(self._log_delta(np.zeros(1)))[0]
        limit = np.where(delta > 0, 0.0, math.inf if self._remove else -self._tails.lowest)
        return inside_or(limit, (delta > 0) & (delta < at_zero), self._epsilon, delta)

    def _log_delta(self, epsilon: Floats) -> Floats:
        if self._remove:
            return self._tails.read(epsilon).log_delta_remove
        return self._tails.read(-epsilon).log_delta_add

    def _epsilon(self, delta: Floats) -> Floats:
        if self._remove:
            return points_at_remove_delta(self._tails, np.log(delta)).tau
        return -points_at_add_delta(self._tails, np.log(delta)).tau
