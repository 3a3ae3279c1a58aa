"""Upper confidence bounds on an error rate, and the mu that two error rates prove."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from gaussdp.numerics import Floats


def rate_upper(errors: ArrayLike, trials: ArrayLike, tail: ArrayLike) -> Floats:
    r"""Clopper-Pearson: the rate whose chance of so few errors is just the tail.

    .. math:: u = B^{-1}(1 - a;\; k + 1,\; n - k), \qquad u = 1 \text{ if } k = n

    For k = 0 the closed form 1 - a^(1/n) keeps every digit; elsewhere the complemented inverse does.

    Args:
        errors: k, whole numbers from 0 to trials; broadcasts.
        trials: n, at least 1.
        tail: a in (0, 1), the chance that the bound fails.
    """
    k, n, a = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in (errors, trials, tail)))
    with np.errstate(all="ignore"):
        upper = special.betainccinv(k + 1, np.maximum(n - k, 1.0), a)
    upper = np.where(k == 0, -np.expm1(np.log(a) / n), upper)
    return np.where(k < n, upper, 1.0)


def quantile_sum(fpr: ArrayLike, fnr: ArrayLike) -> Floats:
    r"""The mu of the GDP curve through a point of error rates, 0 where guessing does as well.

    .. math:: \max(0,\; \Phi^{-1}(1 - \mathrm{fpr}) - \Phi^{-1}(\mathrm{fnr}))
    """
    x, y = np.broadcast_arrays(np.asarray(fpr, dtype=np.float64), np.asarray(fnr, dtype=np.float64))
    useful = x + y < 1
    with np.errstate(all="ignore"):
        mu = -special.ndtri(x) - special.ndtri(y)
    return np.maximum(np.where(useful, mu, 0.0), 0.0)
