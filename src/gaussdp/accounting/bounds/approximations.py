"""What other analyses give for a mechanism: limits, Renyi divergences, basic composition.

Some are bounds that are not tight, some are no bounds at all; each says which. They recognise how a published number
came about and are never used for a guarantee.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy import special

from gaussdp.accounting import account
from gaussdp.errors import DomainError
from gaussdp.mechanisms import Gaussian, Mechanism, PoissonSampled, ZCDPGaussian
from gaussdp.numerics import Floats

_LARGEST_ORDER = 256


def clt_mu(mechanism: Mechanism) -> float:
    """The central limit for Poisson samples, q sqrt(T (e^(1/sigma^2) - 1)): no bound.

    Reference: Bu, Dong, Long & Su (2020), Deep Learning with Gaussian Differential Privacy.
    """
    return _limit(mechanism, lambda mu: math.expm1(mu * mu))


def clt_mu_uniform(mechanism: Mechanism) -> float:
    """The central limit for batches of a fixed size, symmetrised: no bound (the same paper)."""

    def spread(mu: float) -> float:
        above, below = special.ndtr(1.5 * mu), special.ndtr(-0.5 * mu)
        return 2 * (math.exp(mu * mu) * float(above) + 3 * float(below) - 2)

    return _limit(mechanism, spread)


def _limit(mechanism: Mechanism, spread: Callable[[float], float]) -> float:
    squares: list[float] = []
    for part, count in mechanism.parts():
        if isinstance(part, PoissonSampled):
            squares.append(count * part.sample_rate**2 * spread(part.mechanism.mu))
        elif isinstance(part, Gaussian | ZCDPGaussian):
            squares.append(count * part.mu**2)
        else:
            raise DomainError(None, problem="the limit is taken of Gaussian releases only")
    return math.sqrt(math.fsum(squares))


def basic_epsilon(mechanism: Mechanism, delta: float) -> float:
    """The sum of the steps' epsilons, each at an equal share of delta: a bound, far from tight."""
    parts = list(mechanism.parts())
    share = delta / sum(count for _, count in parts)
    return math.fsum(count * account(part).epsilon(share) for part, count in parts)


def renyi_epsilon(mechanism: Mechanism, delta: float, *, improved: bool) -> float:
    """From the divergences at whole orders (Mironov, Talwar & Zhang 2019): a bound that is not tight."""
    orders: Floats = np.arange(2.0, _LARGEST_ORDER + 1)
    total = np.zeros(orders.size)
    for part, count in mechanism.parts():
        if isinstance(part, PoissonSampled):
            total += count * _renyi_sampled(orders, part)
        elif isinstance(part, Gaussian | ZCDPGaussian):
            total += count * orders * part.mu**2 / 2
        else:
            raise DomainError(None, problem="Renyi divergences are taken of Gaussian releases only")
    if improved:  # Canonne, Kamath & Steinke 2020, Proposition 12
        return float(np.min(total + np.log1p(-1 / orders) - (math.log(delta) + np.log(orders)) / (orders - 1)))
    return float(np.min(total + math.log(1 / delta) / (orders - 1)))


def _renyi_sampled(orders: Floats, part: PoissonSampled) -> Floats:
    rate, mu = part.sample_rate, part.mechanism.mu
    found = np.empty(len(orders))
    for place, order in enumerate(orders):
        k = np.arange(order + 1)
        binomial = special.gammaln(order + 1) - special.gammaln(k + 1) - special.gammaln(order - k + 1)
        terms = binomial + special.xlog1py(order - k, -rate) + special.xlogy(k, rate) + k * (k - 1) / 2 * mu**2
        found[place] = special.logsumexp(terms) / (order - 1)
    return found
