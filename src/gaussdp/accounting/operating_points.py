"""What every exact method returns: the operating points of the likelihood-ratio test at given thresholds."""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy import special

from gaussdp.numerics import Booleans, Floats

LIMIT = 1e-9  # relative error past which a reading is refused
HALF_LOG_2PI = 0.9189385332046727

_UNDERFLOW = -700.0


@dataclass(frozen=True, slots=True)
class OperatingPoints:
    """Error rates at thresholds tau on the composed loss L = log dP/dQ, as logarithms.

    fpr = Q(L > tau) and fnr = P(L <= tau), with complements tnr and tpr; density is that of L under Q;
    delta_remove is the profile delta of (P, Q) at epsilon = tau, delta_add that of (Q, P) at epsilon = -tau.
    ``errors`` bounds the relative error of the smaller of fpr and tnr, of the smaller of fnr and tpr, and of
    delta_remove (tau >= 0) or delta_add (tau < 0).
    """

    tau: Floats
    log_fpr: Floats
    log_tnr: Floats
    log_fnr: Floats
    log_tpr: Floats
    log_density: Floats
    log_delta_remove: Floats
    log_delta_add: Floats
    errors: Floats

    def mu(self) -> Floats:
        """The mu of the GDP curve through each point."""
        return upper_quantile(self.log_fpr, self.log_tnr) + upper_quantile(self.log_fnr, self.log_tpr)

    def moved(self, tau: Floats) -> "OperatingPoints":
        """The points at thresholds so close by that the tails are linear in between."""
        step = tau - self.tau
        under_q, under_p = self.log_density, self.log_density + self.tau
        return replace(
            self,
            tau=tau,
            log_fpr=_moved(self.log_fpr, -step, under_q),
            log_tnr=_moved(self.log_tnr, step, under_q),
            log_fnr=_moved(self.log_fnr, step, under_p),
            log_tpr=_moved(self.log_tpr, -step, under_p),
            log_delta_remove=_moved(self.log_delta_remove, -step, self.tau + self.log_fpr),
            log_delta_add=_moved(self.log_delta_add, step, self.log_fnr - self.tau),
        )


class LossTails(Protocol):
    """A method that knows the tails of the composed privacy loss."""

    @property
    def mean(self) -> float:
        """Mean of the loss under Q, where searches start."""

    @property
    def deviation(self) -> float:
        """Standard deviation of the loss under Q, the scale of searches."""

    @property
    def skewness(self) -> float:
        """Skewness of the loss under Q, or 0 where searches need none."""

    @property
    def lowest(self) -> float:
        """Infimum of the loss."""

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points at finite thresholds, each to relative error 1e-11, or ConvergenceError."""

    def near_quantile(self, quantile: float, pole: float) -> float | None:
        """A threshold near the one that the loss exceeds with the probability of a normal quantile, if known.

        Near are some thousandths of a quantile. Pole 0 is for the probability under Q, pole 1 for that under P.
        """

    def at_fpr(self, log_fpr: Floats, log_tnr: Floats) -> OperatingPoints:
        """Operating points whose FPR has this logarithm, and its complement the other; FPR in (0, 1)."""

    def at_fnr(self, log_fnr: Floats, log_tpr: Floats) -> OperatingPoints:
        """Operating points whose FNR has this logarithm, and its complement the other; FNR in (0, 1)."""


def merged(first: Booleans, some: OperatingPoints, others: OperatingPoints) -> OperatingPoints:
    """Points of two sources in one order: those of the first source where first is true."""
    table = np.empty((len(OperatingPoints.__slots__), first.size))
    for here, points in ((first, some), (~first, others)):
        table[:, here] = [getattr(points, field) for field in OperatingPoints.__slots__]
    return OperatingPoints(*table)


def _moved(log_p: Floats, step: Floats, log_slope: Floats) -> Floats:
    """log(p + step * slope) to first order; what is zero stays so."""
    return np.where(log_p > -np.inf, log_p + step * np.exp(log_slope - log_p), log_p)


def upper_quantile(log_p: Floats, log_rest: Floats) -> Floats:
    """z with 1 - Phi(z) = p, from the logarithms of p and of 1 - p: whichever is smaller decides."""
    log_small = np.minimum(log_p, log_rest)
    quantile = special.ndtri(np.exp(log_small))
    deep = log_small < _UNDERFLOW
    if deep.any():
        quantile[deep] = special.ndtri_exp(log_small[deep])
    result: Floats = np.where(log_p <= log_rest, -quantile, quantile)
    return result


def log_complement(log_p: Floats) -> Floats:
    """log(1 - p) from log p."""
    with np.errstate(divide="ignore"):
        return np.where(log_p > -0.5, np.log(-np.expm1(log_p)), np.log1p(-np.exp(log_p)))
