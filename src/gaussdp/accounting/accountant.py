"""From a description of a mechanism to its accounted curve."""

from typing import overload

from gaussdp.accounting.best_of import best_of_profile
from gaussdp.accounting.curve import AccountedCurve
from gaussdp.accounting.distribution.curve import DistributionCurve
from gaussdp.accounting.distribution.points import PointsCurve
from gaussdp.adapters import adapter_for
from gaussdp.errors import DomainError, brief
from gaussdp.guarantees import GDP, ApproxDP, ApproxGDP, ProfilePoints
from gaussdp.mechanisms import Adjacency, BestOf, Mechanism, Stated
from gaussdp.mechanisms.base import checked_adjacency
from gaussdp.mechanisms.composition import Bounded, Statable


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
    `fit.method` tell. A composition with a part whose privacy loss has atoms is read off a distribution throughout.

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
            return _accounted(Stated(mechanism))
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
    return DistributionCurve([(_bounded(part), count) for part, count in mechanism.parts()])


def _bounded(part: Mechanism) -> Mechanism:
    """The part itself, or what is known to hold for it."""
    if not isinstance(part, BestOf):
        return part
    return Bounded(best_of_profile(part, _accounted(part.mechanism)), part.adjacency)
