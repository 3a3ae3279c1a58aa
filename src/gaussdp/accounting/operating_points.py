"""What every exact method returns: the operating points of the likelihood-ratio test at given thresholds."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import special

from gaussdp.accounting.readings import NO_METHOD, Codes, Columns, Method
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Booleans, Floats
from gaussdp.objects import Described

LIMIT = 1e-9
"""Relative error past which a reading is refused."""
HALF_LOG_2PI = 0.9189385332046727

_UNDERFLOW = -700.0  # logarithm below which a probability is taken to its quantile without leaving the logarithm


@dataclass(frozen=True, slots=True)
class OperatingPoints(Columns):
    """Error rates at thresholds tau on the composed loss L = log dP/dQ, as logarithms.

    fpr = Q(L > tau) and fnr = P(L <= tau), with complements tnr and tpr; density is that of L under Q;
    delta_remove is the profile delta of (P, Q) at epsilon = tau, delta_add that of (Q, P) at epsilon = -tau.
    ``errors`` bounds the relative error of the smaller of fpr and tnr, of the smaller of fnr and tpr, and of
    delta_remove (tau >= 0) or delta_add (tau < 0). A threshold that could not be answered has NaNs, an infinite error
    and no method.
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
    methods: Codes

    @classmethod
    def unanswered(cls, tau: Floats) -> "OperatingPoints":
        """Thresholds about which nothing is known; its arrays are its own, to be filled in."""
        rates = np.full((7, tau.size), np.nan)
        columns: list[Any] = [tau.copy(), *rates, np.full(tau.size, np.inf), one_method(NO_METHOD, tau.size)]
        return cls(*columns)

    @property
    def answered(self) -> Booleans:
        """At which thresholds there is a point."""
        return self.methods >= 0

    def complete(self) -> "OperatingPoints":
        """The same points, if there is one for every threshold.

        Raises:
            ConvergenceError: if not.
        """
        if self.answered.all():
            return self
        raise ConvergenceError(f"no exact method reads the privacy loss at threshold {self.tau[~self.answered][0]:g}")

    def mu(self) -> Floats:
        """The mu of the GDP curve through each point."""
        return upper_quantile(self.log_fpr, self.log_tnr) + upper_quantile(self.log_fnr, self.log_tpr)

    def moved(self, step: Floats) -> "OperatingPoints":
        """The points at thresholds so close by that the tails are linear in between."""
        under_q, under_p = self.log_density, self.log_density + self.tau
        falling, rising = self.tau + self.log_fpr, self.log_fnr - self.tau
        logs = np.array(
            (self.log_fpr, self.log_tpr, self.log_delta_remove, self.log_tnr, self.log_fnr, self.log_delta_add)
        )
        slopes = np.exp(np.array((under_q, under_p, falling, under_q, under_p, rising)) - logs)
        slopes[:3] *= -1.0
        # log(p + step * slope) to first order; what is zero stays so.
        moved = np.where(logs > -np.inf, logs + step * slopes, logs)
        log_fpr, log_tpr, log_delta_remove, log_tnr, log_fnr, log_delta_add = moved
        return OperatingPoints(
            tau=self.tau + step,
            log_fpr=log_fpr,
            log_tnr=log_tnr,
            log_fnr=log_fnr,
            log_tpr=log_tpr,
            log_density=self.log_density,
            log_delta_remove=log_delta_remove,
            log_delta_add=log_delta_add,
            errors=self.errors,
            methods=self.methods,
        )


class LossTails(Protocol):
    """A method that knows the tails of the composed privacy loss.

    What it answers depends on the question alone: not on other thresholds in the same array, nor on earlier questions.
    """

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
        """Operating points at finite thresholds, each to a relative error below 1e-9 or unanswered."""

    def at_fpr(self, log_fpr: Floats, log_tnr: Floats) -> OperatingPoints:
        """Operating points whose FPR has this logarithm, and its complement the other; FPR in (0, 1)."""

    def at_fnr(self, log_fnr: Floats, log_tpr: Floats) -> OperatingPoints:
        """Operating points whose FNR has this logarithm, and its complement the other; FNR in (0, 1)."""

    def near_quantile(self, quantile: float, pole: float) -> float | None:
        """A threshold near the one that the loss exceeds with the probability of a normal quantile, if known.

        Near are some thousandths of a quantile. Pole 0 is for the probability under Q, pole 1 for that under P.
        """

    def rough_quantile(self, quantile: float, pole: float) -> float | None:
        """About the same threshold, if it is known better than by a normal law."""

    def rough_epsilon(self, log_delta: float) -> float | None:
        """About the threshold at which the profile of the remove direction has this logarithm, likewise."""

    def error_bounds(self, tau: Floats) -> Floats:
        """Bounds on the relative errors of what contours read, up to rounding; infinite where none is known."""


class NormalTails(Described):
    """Base of tails whose quantiles are searched for from those of a normal law, and of which no bounds are known."""

    def near_quantile(self, quantile: float, pole: float) -> float | None:
        """None: no better start is known."""
        return None

    def rough_quantile(self, quantile: float, pole: float) -> float | None:
        """None: no better start is known."""
        return None

    def rough_epsilon(self, log_delta: float) -> float | None:
        """None: no better start is known."""
        return None

    def error_bounds(self, tau: Floats) -> Floats:
        """Infinity: no bounds are known."""
        return np.full(tau.size, np.inf)


_ESTIMATED = [method for method in Method if method.error_kind == "estimate"]


def bounds_on_errors(tails: LossTails, points: OperatingPoints) -> Floats:
    """Bounds on the errors of points that tails have read, up to rounding; infinite where none is known."""
    judged = points.methods == Method.LINE
    bounds = np.where(points.answered & ~np.isin(points.methods, _ESTIMATED), points.errors, np.inf)
    if judged.any():
        bounds[judged] = tails.error_bounds(points.tau[judged])
    return bounds


def one_method(method: int, size: int) -> Codes:
    """The codes of points that all come from one method."""
    return np.full(size, int(method), np.int8)


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


def vanished(tau: Floats) -> OperatingPoints:
    """Operating points where tails vanish: upper ones for positive thresholds, lower ones for negative."""
    upper = tau > 0
    nothing, all_ = np.full_like(tau, -np.inf), np.zeros_like(tau)
    small, large = np.where(upper, nothing, all_), np.where(upper, all_, nothing)
    other = log_complement(-np.abs(tau))
    return OperatingPoints(
        tau=tau,
        log_fpr=small,
        log_tnr=large,
        log_fnr=large,
        log_tpr=small,
        log_density=nothing,
        log_delta_remove=np.where(upper, nothing, other),
        log_delta_add=np.where(upper, other, nothing),
        errors=all_,
        methods=one_method(Method.VANISHING, tau.size),
    )
