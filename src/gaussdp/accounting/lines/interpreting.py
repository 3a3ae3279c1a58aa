"""From integrals along a line to error rates and profiles.

Along Re(theta) = at the integrals of kernels 1/theta, 1/(theta - 1) and their difference are tails above the poles, and
minus their complements below.
"""

import numpy as np

from gaussdp.accounting.operating_points import OperatingPoints, log_complement, one_method
from gaussdp.accounting.readings import Method
from gaussdp.numerics import Floats

KERNELS = 3
"""FPR, FNR and profile; the fourth integral, the density, steers searches and needs no error."""

THRESHOLD_ROUNDING = 4e-16  # of a logarithm to which a threshold is added, relative to that


def interpret(at: float, tau: Floats, log_scale: Floats, values: Floats, errors: Floats) -> OperatingPoints:
    """Error rates and profiles from integrals along Re(theta) = at: tails above the poles, minus complements below."""
    depth = np.abs(tau)
    sizes = np.abs(values[:KERNELS])
    known = np.empty((KERNELS + 1, tau.size))
    logs = known[:KERNELS]
    np.log(sizes, out=logs)
    logs += log_scale
    logs[1] += tau
    logs[2] += np.maximum(tau, 0.0)
    np.negative(depth, out=known[KERNELS])
    complements = log_complement(known)
    rests = complements[:KERNELS]
    log_delta = rests[2] if 0 <= at <= 1 else logs[2]
    other_delta = np.logaddexp(log_delta - depth, complements[KERNELS])
    # Errors are relative to the smaller of a rate and its complement.
    smaller = np.minimum(logs, rests)
    smaller[2] = log_delta
    upper = tau >= 0
    log_fpr, log_tnr = (logs[0], rests[0]) if at > 0 else (rests[0], logs[0])
    log_tpr, log_fnr = (logs[1], rests[1]) if at > 1 else (rests[1], logs[1])
    return OperatingPoints(
        tau=tau,
        log_fpr=log_fpr,
        log_tnr=log_tnr,
        log_fnr=log_fnr,
        log_tpr=log_tpr,
        log_density=log_scale + np.log(np.maximum(values[3], 0.0)),
        log_delta_remove=np.where(upper, log_delta, other_delta),
        log_delta_add=np.where(upper, other_delta, log_delta),
        errors=((errors / sizes + THRESHOLD_ROUNDING * depth) * np.exp(logs - smaller)).max(axis=0),
        methods=one_method(Method.LINE, tau.size),
    )


def signs(at: float) -> Floats:
    """The signs that the integrals have along Re(theta) = at: tails above the poles, minus their complements below."""
    return np.array([[1.0 if at > 0 else -1.0], [1.0 if at > 1 else -1.0], [-1.0 if 0 <= at <= 1 else 1.0]])
