r"""From a description of a mechanism to its accounted curve; and the best of a random number of runs.

The profile of the best of a random number of runs is bounded by that of one run,

.. math:: \delta(\varepsilon) \le m\,\delta_1(\varepsilon - (\eta + 1)\log C),\qquad
          C = \min_{\varepsilon_1 \ge 0}\; e^{\varepsilon_1} + \frac{1-\gamma}{\gamma}\,\delta_1(\varepsilon_1)

for truncated negative binomial numbers of runs with mean m, shape eta and parameter gamma; docs/mechanisms.md has the
derivation. What is minimised is convex in :math:`e^{\varepsilon_1}`, and any epsilon_1 gives a bound.
"""

import math
from dataclasses import dataclass
from typing import overload

import numpy as np

from gaussdp.accounting.curve import AccountedCurve
from gaussdp.accounting.distribution.curve import DistributionCurve, distribution_of
from gaussdp.accounting.distribution.points import PointsCurve
from gaussdp.errors import DomainError, brief
from gaussdp.guarantees import GDP, ApproxDP, ApproxGDP, Guarantee, ProfilePoints
from gaussdp.mechanisms import Adjacency, BestOf, Mechanism, Stated
from gaussdp.mechanisms.base import checked_adjacency
from gaussdp.mechanisms.composition import Bounded, Statable
from gaussdp.numerics import Floats
from gaussdp.registry import adapter_for


@dataclass(frozen=True)
class BestOfSettings:
    """What is tuned about the profile of the best run."""

    points: int = 2000  # of the profile of one run
    deepest: float = 1e-60  # delta of one run down to which its profile is read
    largest: float = 600.0  # epsilon of a point
    error: float = 1e-9  # relative, of the deltas of an accounted curve
    rounds: int = 6  # of the search for the least factor, each between the neighbours of the best so far
    tried: int = 24  # in each
    rounding: float = 1e-14  # relative, of the few operations on what was read


SETTINGS = BestOfSettings()


def best_of_profile(best: BestOf, one: Guarantee) -> ProfilePoints:
    """Points of a profile that holds for the best run, from the guarantee of one run."""
    if isinstance(one, ProfilePoints):
        grid, deltas = one.epsilons, one.deltas
    else:
        last = min(one.epsilon(SETTINGS.deepest), SETTINGS.largest)
        grid = np.linspace(0.0, last, SETTINGS.points)
        deltas = np.minimum(one.delta(grid) * (1 + SETTINGS.error), 1.0)
    shift = (best.eta + 1) * _log_factor(best, one, float(grid[-1]))
    moved, scaled = grid + shift, best.mean_runs * deltas
    kept = (moved <= SETTINGS.largest) & (scaled < 1)
    if not kept.any():
        return ProfilePoints([0.0], [1.0])
    return ProfilePoints(moved[kept], scaled[kept] * (1 + SETTINGS.rounding))


def _log_factor(best: BestOf, one: Guarantee, most: float) -> float:
    """log C, rounded up: the least of many that hold."""
    odds = (1 - best.gamma) / best.gamma

    def logs(tried: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            found: Floats = np.logaddexp(tried, math.log(odds) + np.log(one.delta(tried) * (1 + SETTINGS.error)))
        return found

    low, high = 0.0, most
    best_log = math.inf
    for _ in range(SETTINGS.rounds):
        tried: Floats = np.linspace(low, high, SETTINGS.tried)
        found = logs(tried)
        place = int(np.argmin(found))
        best_log = min(best_log, float(found[place]))
        low, high = float(tried[max(place - 1, 0)]), float(tried[min(place + 1, SETTINGS.tried - 1)])
    return best_log * (1 + SETTINGS.rounding)


@overload
def account(
    mechanism: Mechanism | GDP | ApproxGDP, *, adjacency: Adjacency | None = None
) -> AccountedCurve | DistributionCurve: ...
@overload
def account(mechanism: ApproxDP | ProfilePoints, *, adjacency: None = None) -> PointsCurve: ...
@overload
def account(mechanism: object, *, adjacency: Adjacency | None = None) -> AccountedCurve | PointsCurve: ...


def account(mechanism: object, *, adjacency: Adjacency | None = None) -> AccountedCurve | PointsCurve:
    """The guarantee of a mechanism as a curve: exact where it can be, sound everywhere.

    Gaussian and Poisson-sampled Gaussian releases, in any composition, are read off exactly, from the bulk to the
    deepest tails. Where that cannot give 9 digits (losses in the thousands, sampled noise below 0.1, thresholds next to
    the least loss) a value is enclosed between proved bounds, and given on the safe side; `curve.reading` and
    `fit.method` tell. Errors are bounds or estimates: `error_kind` says which, and `certify` proves the number. A
    composition with a part whose privacy loss has atoms is read off a distribution throughout.

    Args:
        mechanism: what is released: a mechanism, a guarantee that is stated for one, or a DpEvent or
            PrivacyLossDistribution of dp_accounting.
        adjacency: which datasets are neighbours, for a DpEvent, which does not say; see
            `gaussdp.integrations.dp_accounting`. A mechanism says so itself.
    Returns:
        The guarantee as a curve, with `fit` for the one number mu.
    Raises:
        MissingExtraError: where a distribution is needed and dp_accounting is not installed.
        ConvergenceError: where a distribution would be larger than is bearable; the message tells the size.

    >>> from gaussdp.mechanisms import DPSGD, Composition, Gaussian
    >>> account(Composition([9 * Gaussian(noise_multiplier=3.0), Gaussian(noise_multiplier=0.5)])).fit().mu
    2.23606797749979
    >>> account(DPSGD(noise_multiplier=1.0, sample_rate=0.00512, steps=20_000)).epsilon(1e-6)
    4.7...
    """
    if isinstance(mechanism, Statable):
        if adjacency is not None:
            raise DomainError("adjacency", problem="must not be given for a stated guarantee: it holds for its own")
        if isinstance(mechanism, GDP | ApproxGDP):
            return _accounted(Stated(mechanism, mechanism.adjacency or "add-remove"))
        return PointsCurve.of(mechanism)
    if not isinstance(mechanism, Mechanism):
        adapter = adapter_for(type(mechanism))
        if adapter is None:
            raise DomainError("mechanism", "a mechanism", mechanism, got=brief(mechanism))
        known: Mechanism | PointsCurve = adapter(mechanism, adjacency)
        return known if isinstance(known, PointsCurve) else _accounted(known)
    if adjacency is not None and checked_adjacency(adjacency) != mechanism.adjacency:
        raise DomainError("adjacency", f"that of the mechanism, {mechanism.adjacency}", adjacency)
    return _accounted(mechanism)


def _accounted(mechanism: Mechanism) -> AccountedCurve | DistributionCurve:
    if AccountedCurve.covers(mechanism):
        return AccountedCurve(mechanism)
    return distribution_of(mechanism, [(_bounded(part), count) for part, count in mechanism.parts()])


def _bounded(part: Mechanism) -> Mechanism:
    """The part itself, or what is known to hold for it."""
    if not isinstance(part, BestOf):
        return part
    return Bounded(best_of_profile(part, _accounted(part.mechanism)), part.adjacency)
