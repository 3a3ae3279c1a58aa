"""OpenDP: its measures and privacy profiles as guarantees, and guarantees as its profiles and parameters.

OpenDP describes a release by a number or a curve under a *measure*. What each measure implies for the mechanism behind
it is taken, and no more: zCDP does not make a release Gaussian, and OpenDP's own Gaussian noise is discrete.
"""

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from gaussdp.accounting import PointsCurve
from gaussdp.domains import FINITE_NON_NEGATIVE, NON_NEGATIVE, PROBABILITY, number
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP, ZCDP, ApproxDP, Guarantee, ProfilePoints, PureDP
from gaussdp.guarantees.numeric import LARGEST_EPSILON
from gaussdp.guarantees.zcdp import log_delta_at_order
from gaussdp.integrations.versions import require
from gaussdp.mechanisms import Adjacency
from gaussdp.numerics import Floats
from gaussdp.registry import register

__all__ = [
    "guarantee",
    "guarantee_from_measure",
    "guarantee_from_profile",
    "to_approximate_dp",
    "to_privacy_profile",
    "to_zcdp",
]


def _load(module: str) -> Any:
    return require("opendp", extra="opendp", supported=">=0.16,<0.17", module=module)


_library, _measures = _load("opendp.mod"), _load("opendp.measures")

_POINTS = 1000  # of a profile that OpenDP computes
_NEGLIGIBLE = 1e-60
_ORDERS: Floats = 1 + np.geomspace(1e-2, 1e3, 400)  # at which a Renyi curve is read
_LONGEST = 240  # characters of a refusal of OpenDP's
_ROUNDING = 1e-12  # relative, added to what is handed to OpenDP


def guarantee(measurement: Any, d_in: Any) -> Guarantee:
    """What an OpenDP measurement guarantees for inputs at this distance, under its own measure.

    Args:
        measurement: an OpenDP Measurement.
        d_in: how far apart neighbouring inputs are in its input metric, such as 1 record for the symmetric distance.
    Returns:
        PureDP, ApproxDP, ZCDP, or ProfilePoints for the measures that hold a whole curve.
    Raises:
        DomainError: if OpenDP refuses d_in, or the measure is one of the user's own.

    >>> import opendp.prelude as dp
    >>> dp.enable_features("contrib")
    >>> space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    >>> guarantee(space >> dp.m.then_laplace(scale=2.0), d_in=1.0)
    PureDP(epsilon=0.5)
    >>> guarantee(space >> dp.m.then_gaussian(scale=2.0), d_in=1.0)
    ZCDP(rho=0.125)
    """
    if not isinstance(measurement, _library.Measurement):
        raise DomainError("measurement", "an OpenDP Measurement", measurement)
    return guarantee_from_measure(measurement.output_measure, _asked(f"d_in = {d_in!r}", measurement.map, d_in))


def guarantee_from_measure(measure: Any, d_out: Any) -> Guarantee:
    """What a privacy loss under an OpenDP measure guarantees.

    Args:
        measure: an OpenDP measure.
        d_out: the loss: epsilon, (epsilon, delta), rho, (rho, delta), a PrivacyProfile, or a function of the order.

    >>> guarantee_from_measure(_measures.fixed_smoothed_max_divergence(), (1.0, 1e-6))
    ApproxDP(epsilon=1.0, delta=1e-06)
    """
    if not isinstance(measure, _library.Measure):
        raise DomainError("measure", "an OpenDP measure", measure)
    read = _READERS.get(str(measure))
    if read is not None:
        return read(d_out)
    inner = str(measure).removeprefix("Approximate(").removesuffix(")")
    if str(measure).startswith("Approximate(") and inner in _READERS:
        loss, delta = _pair(d_out)
        return _but_for(delta, _READERS[inner](loss))
    known = ", ".join([*_READERS, *(f"Approximate({name})" for name in _READERS)])
    raise DomainError("measure", f"one of {known}", measure)


def guarantee_from_profile(profile: Any) -> ProfilePoints:
    """The guarantee of an OpenDP PrivacyProfile: the profile at 1000 points, pessimistic between them.

    >>> import opendp.prelude as dp
    >>> dp.enable_features("contrib", "honest-but-curious")
    >>> guarantee_from_profile(to_privacy_profile(GDP(1.0))).epsilon(1e-6)
    4.886...
    """
    if not isinstance(profile, _library.PrivacyProfile):
        raise DomainError("profile", "an OpenDP PrivacyProfile", profile)

    def delta(epsilon: float) -> float:
        value = _asked(f"epsilon = {epsilon:g} of the profile", profile.delta, epsilon)
        return number(f"delta of the privacy profile at epsilon {epsilon:g}", value, PROBABILITY)

    flat = max(delta(LARGEST_EPSILON) * (1 + _ROUNDING), _NEGLIGIBLE)
    low, end = 0.0, LARGEST_EPSILON  # narrowed down to where the profile has fallen to its least value
    while end - low > 1e-12 * end:
        middle = 0.5 * (low + end)
        low, end = (low, middle) if delta(middle) <= flat else (middle, end)
    epsilons = np.linspace(0.0, end, _POINTS)
    return ProfilePoints(epsilons, [delta(float(epsilon)) for epsilon in epsilons])


def to_privacy_profile(guarantee: Guarantee) -> Any:
    """An OpenDP PrivacyProfile that holds wherever the guarantee does, rounded up.

    OpenDP asks for its features "contrib" and "honest-but-curious" before it takes a profile of one's own.

    >>> import opendp.prelude as dp
    >>> dp.enable_features("contrib", "honest-but-curious")
    >>> to_privacy_profile(GDP(1.0)).delta(1.0)
    0.1269367...
    """
    _check_guarantee(guarantee)
    last = guarantee.epsilon(0.0)

    def delta(epsilon: float) -> float:
        size = abs(epsilon)
        value = min(guarantee.delta(size) * (1 + _ROUNDING), 1.0)
        if value == 0 and size < last:
            value = sys.float_info.min  # too small for a double, but not 0
        # Both directions hold, so below 0 the profile is what that of the other direction implies.
        return value if epsilon >= 0 else min(-math.expm1(-size) + math.exp(-size) * value + _ROUNDING, 1.0)

    return _asked("a profile of one's own", _measures.new_privacy_profile, delta)


def to_zcdp(guarantee: Guarantee) -> float:
    """The rho with which a guarantee implies rho-zCDP, rounded up: mu^2 / 2 for GDP, epsilon^2 / 2 for pure DP.

    Raises:
        DomainError: for guarantees that imply no rho, such as approximate DP.

    >>> to_zcdp(GDP(0.5))
    0.125000000000...
    """
    _check_guarantee(guarantee)
    if isinstance(guarantee, ZCDP) and guarantee.xi == 0:
        return guarantee.rho
    if isinstance(guarantee, GDP):
        root = guarantee.mu
    elif isinstance(guarantee, PureDP):
        root = guarantee.epsilon_bound
    else:
        raise DomainError("guarantee", "GDP, PureDP or ZCDP to imply a rho", guarantee)
    return 0.5 * root * root * (1 + _ROUNDING)


def to_approximate_dp(guarantee: Guarantee, delta: float) -> tuple[float, float]:
    """The (epsilon, delta) pair of a guarantee at this delta, for Approximate(MaxDivergence), rounded up.

    >>> to_approximate_dp(GDP(1.0), delta=1e-6)
    (4.8865..., 1e-06)
    """
    _check_guarantee(guarantee)
    level = number("delta", delta, PROBABILITY)
    if isinstance(guarantee, ApproxDP) and level == guarantee.delta_bound:
        return guarantee.epsilon_bound, level
    return guarantee.epsilon(level) * (1 + _ROUNDING), level


def adapted(thing: object, adjacency: Adjacency | None) -> PointsCurve:
    """What `gaussdp.account` makes of an object of this library."""
    if adjacency is not None:
        raise DomainError("adjacency", problem="must not be given for a privacy profile: it holds for its own")
    if isinstance(thing, _library.PrivacyProfile):
        return PointsCurve.of(guarantee_from_profile(thing))
    raise DomainError(
        "mechanism",
        "a PrivacyProfile if it comes from OpenDP",
        thing,
        "for a measurement write gaussdp.integrations.opendp.guarantee(measurement, d_in)",
    )


def _but_for(delta: float, inner: Guarantee) -> Guarantee:
    """The guarantee that holds but for an event of probability delta, which may differ between neighbours."""
    if delta == 0:
        return inner
    if isinstance(inner, PureDP):
        return ApproxDP(inner.epsilon_bound, delta)
    if not isinstance(inner, ProfilePoints):
        raise DomainError(None, value=inner, problem="an approximate loss must have pure DP, zCDP or a profile inside")
    # P(S) <= delta + P(S | E) and Q(S | E') <= Q(S) / (1 - delta), whatever the two events E and E' are.
    epsilons = inner.epsilons - math.log1p(-delta) if delta < 1 else inner.epsilons
    kept = epsilons <= LARGEST_EPSILON
    if delta == 1 or not kept.any():
        return ApproxDP(0.0, 1.0)
    return ProfilePoints(epsilons[kept], np.minimum((inner.deltas[kept] + delta) * (1 + _ROUNDING), 1.0))


def _from_renyi(curve: Any) -> ProfilePoints:
    """The profile that a curve of Renyi divergences implies, each order by itself; the best counts."""
    if not callable(curve):
        raise DomainError(None, value=curve, problem="the loss must be a function of the order")
    losses = np.array(
        [number(f"loss at order {a:g}", _asked(f"order {a:g}", curve, a), NON_NEGATIVE) for a in _ORDERS.tolist()]
    )
    orders, losses = _ORDERS[losses < math.inf], losses[losses < math.inf]
    if not losses.size:
        return ProfilePoints([0.0], [1.0])
    last = float(np.min(losses + (-math.log(_NEGLIGIBLE)) / (orders - 1)))
    epsilons = np.linspace(0.0, min(max(last, 1e-6), LARGEST_EPSILON), _POINTS)
    logs = log_delta_at_order(orders[:, np.newaxis], losses[:, np.newaxis], epsilons).min(axis=0)
    return ProfilePoints(epsilons, np.minimum(np.exp(logs) * (1 + _ROUNDING), 1.0))


_READERS: dict[str, Callable[[Any], Guarantee]] = {
    "MaxDivergence": lambda loss: PureDP(number("epsilon", loss, NON_NEGATIVE)),
    "ZeroConcentratedDivergence": lambda loss: ZCDP(number("rho", loss, FINITE_NON_NEGATIVE)),
    "SmoothedMaxDivergence": guarantee_from_profile,
    "RenyiDivergence": _from_renyi,
}


def _pair(loss: Any) -> tuple[Any, float]:
    if not isinstance(loss, tuple) or len(loss) != 2:
        raise DomainError(None, value=loss, problem="an approximate loss must be a pair of the loss and delta")
    return loss[0], number("delta", loss[1], PROBABILITY)


def _check_guarantee(guarantee: object) -> None:
    if not isinstance(guarantee, Guarantee):
        raise DomainError("guarantee", "a gaussdp guarantee", guarantee)


def _asked(what: str, function: Callable[[Any], Any], argument: Any) -> Any:
    """What OpenDP answers, or its refusal in one line."""
    try:
        return function(argument)
    except (_library.OpenDPException, _library.UnknownTypeException, TypeError, ValueError, OverflowError) as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip(' ")')]
        words = lines[-1:] if "Traceback" in str(error) else lines  # of the user's own function, what it raised
        raise DomainError(None, problem=f"OpenDP refuses {what}: {' '.join(words)[:_LONGEST]}") from None


register("opendp", adapted)
