r"""What other analyses give for a mechanism: pure epsilon, rho, limits, Renyi divergences, basic composition.

Those that recognise how a published number came about are never used for a guarantee; each says whether it is a bound.
Pure epsilon and rho are exact or enclosed where they are known. A mechanism is rho-zCDP if its Renyi divergence of
every order :math:`\alpha > 1` is at most :math:`\rho\alpha`, so the smallest rho is :math:`\sup_\alpha D_\alpha /
\alpha`.

A Gaussian release has :math:`D_\alpha = \alpha\mu^2/2` exactly; discrete Gaussian noise attains the same at whole
:math:`\alpha` (Canonne, Kamath & Steinke 2020, Section 2). Between them it has at least what it has at the whole
order before, and falls short of :math:`\alpha\mu^2/2` by the logarithm of how much the sum of
:math:`e^{-(k+x)^2/2\sigma^2}` over whole k depends on x, over :math:`\alpha - 1`. By Poisson summation that sum is
proportional to :math:`1 + 2q\cos 2\pi x + \ldots` with :math:`q = e^{-2\pi^2\sigma^2}`, so the logarithm is below 7q
where q is small.

**Sampling does not help**: a Poisson-sampled Gaussian release puts weight q on the release with the record, so
:math:`D_\alpha \ge \alpha\mu^2/2 + \tfrac{\alpha}{\alpha - 1}\log q`, and the ratio tends to :math:`\mu^2/2` as
:math:`\alpha` grows. A release with bounded loss has the supremum at a finite order, which is enclosed:
:math:`D_\alpha` does not fall as :math:`\alpha` grows, so between neighbours of a grid the ratio is at most
:math:`D_{\alpha'} / \alpha`.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy import special

from gaussdp.accounting import account
from gaussdp.accounting.bounds.closed_forms import MOST_SENSITIVITY
from gaussdp.errors import DomainError
from gaussdp.guarantees import ZCDP, ApproxDP
from gaussdp.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    Mechanism,
    MixtureOfGaussians,
    PoissonSampled,
    RandomAllocation,
    RandomizedResponse,
    SampledExchange,
    SampledNoise,
    Stated,
    ZCDPGaussian,
)
from gaussdp.numerics import Floats

_FINEST = 1.0005  # ratio of neighbouring orders
_LARGEST_ORDER = 1e6
_ROUNDING = 1e-12  # of a divergence at orders near 1, which is a quotient of small numbers


def smallest_rho(mechanism: Mechanism) -> tuple[float, float]:
    """A lower and an upper bound on the smallest rho with which the mechanism is rho-zCDP."""
    plain, sampled, stated = 0.0, 0.0, 0.0
    discrete: list[tuple[DiscreteGaussian, int]] = []
    bounded: list[tuple[Mechanism, int]] = []
    for part, count in mechanism.parts():
        if isinstance(part, Gaussian | ZCDPGaussian):
            plain += count * part.mu**2 / 2
        elif isinstance(part, DiscreteGaussian):
            discrete.append((part, count))
        elif isinstance(part, PoissonSampled):
            sampled += count * part.mechanism.mu**2 / 2
        elif isinstance(part, Stated) and isinstance(part.guarantee, ZCDP):
            # Gaussian noise may be behind it; xi counts in full at orders near 1.
            plain += count * part.guarantee.rho
            stated += count * part.guarantee.xi
        elif isinstance(part, SampledNoise) and isinstance(part.mechanism, DiscreteGaussian):
            stated += count * 0.5 / part.mechanism.noise_multiplier**2  # sampling never adds to a divergence
        elif isinstance(part, MixtureOfGaussians | RandomAllocation | SampledExchange) and not part.bounded:
            # Far out an exchanged record moves the sum by one of two, and at low orders not by more than two.
            share = 0.25 if isinstance(part, SampledExchange) else 1.0
            sampled += share * count * part.unsampled_mu**2 / 2
            stated += (1 - share) * count * part.unsampled_mu**2 / 2
        elif part.bounded:
            return 0.0, math.inf  # not known
        elif isinstance(part, ExponentialMechanism):
            stated += count * part.eta**2 / 8  # Cesar & Rogers 2021; docs/mechanisms.md
        elif math.isinf(part.pure_epsilon):
            return math.inf, math.inf
        else:
            bounded.append((part, count))
    low, high = _supremum(bounded, discrete)
    # The sampled parts attain theirs only as the order grows, where bounded ones no longer count.
    whole = math.fsum(count / part.noise_multiplier**2 / 2 for part, count in discrete)
    return plain + max(whole + sampled, low), plain + whole + sampled + stated + high


def _supremum(
    bounded: list[tuple[Mechanism, int]], discrete: list[tuple[DiscreteGaussian, int]]
) -> tuple[float, float]:
    """Bounds on the largest sum of divergences over the order: the lower one with the discrete noise."""
    usual = math.fsum(count * part.pure_epsilon**2 / 2 for part, count in bounded)
    divergences = [(_divergence(part), count) for part, count in bounded]
    if not bounded or any(divergence is None for divergence, _ in divergences):
        return 0.0, usual
    fine = np.geomspace(_FINEST, _LARGEST_ORDER, math.ceil(math.log(_LARGEST_ORDER) / math.log(_FINEST)) + 1)
    orders = np.union1d(fine, np.floor(fine[fine >= 2]))
    total = np.zeros_like(orders)
    for divergence, count in divergences:
        if divergence is not None:
            total += count * divergence(orders)
    noise = _ROUNDING * sum(count for _, count in bounded)
    before = np.concatenate([[1.0], orders[:-1]])
    beyond = math.fsum(count * part.pure_epsilon for part, count in bounded) / _LARGEST_ORDER
    lower = total + sum(count * _discrete_gaussian(orders, part) for part, count in discrete)
    low, high = float(np.max(lower / orders)), max(float(np.max(total / before)), beyond)
    return max(low - noise, 0.0), min(high + noise, usual)


def _divergence(part: Mechanism) -> Callable[[Floats], Floats] | None:
    """The Renyi divergence of a release with bounded loss, by order above 1."""
    if isinstance(part, Laplace):
        return lambda order: _laplace(order, part.epsilon)
    if isinstance(part, RandomizedResponse):
        return lambda order: _response(order, part.epsilon, part.categories)
    if isinstance(part, Stated) and isinstance(part.guarantee, ApproxDP):
        # Randomized response is the worst mechanism with this epsilon.
        epsilon = part.guarantee.epsilon_bound
        return lambda order: _response(order, epsilon, 2)
    if isinstance(part, DiscreteLaplace) and part.sensitivity <= MOST_SENSITIVITY:
        return lambda order: _discrete_laplace(order, part.scale, part.sensitivity)
    return None


def _discrete_gaussian(order: Floats, part: DiscreteGaussian) -> Floats:
    """A lower bound on its divergence, attained at whole orders."""
    rho = 1 / part.noise_multiplier**2 / 2
    short = 7 * math.exp(-2 * math.pi**2 * part.sigma**2)
    between = rho * order - short / (order - 1) if part.sigma >= 1 else np.zeros_like(order)
    return np.maximum(rho * np.floor(order), between)


def _laplace(order: Floats, epsilon: float) -> Floats:
    up = np.log(order / (2 * order - 1)) + (order - 1) * epsilon
    down = np.log((order - 1) / (2 * order - 1)) - order * epsilon
    divergence: Floats = np.logaddexp(up, down) / (order - 1)
    return divergence


def _response(order: Floats, epsilon: float, categories: int) -> Floats:
    total = np.logaddexp(epsilon, math.log(categories - 1))
    terms = [order * epsilon, (1 - order) * epsilon]
    if categories > 2:
        terms.append(np.full_like(order, math.log(categories - 2)))
    divergence: Floats = (np.logaddexp.reduce(np.stack(terms)) - total) / (order - 1)
    return divergence


def _discrete_laplace(order: Floats, scale: float, sensitivity: int) -> Floats:
    mass = -math.log1p(math.exp(-1 / scale))  # of one tail, the value at its end included
    up = mass + (order - 1) * sensitivity / scale
    down = mass - order * sensitivity / scale
    terms = [up, down]
    if sensitivity > 1:
        k = np.arange(1, sensitivity)[:, np.newaxis]
        point = math.log(math.tanh(0.5 / scale))
        between = special.logsumexp(-(order * k + (1 - order) * (sensitivity - k)) / scale, axis=0)
        terms.append(point + between)
    divergence: Floats = np.logaddexp.reduce(np.stack(terms)) / (order - 1)
    return divergence


_LAST_ORDER = 256


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
    orders: Floats = np.arange(2.0, _LAST_ORDER + 1)
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
