"""dp_accounting: its events and distributions into `gaussdp.account`, and an accountant for its calibration."""

import math
from enum import Enum
from typing import TYPE_CHECKING, Any

from gaussdp.accounting import AccountedCurve, DistributionCurve, Fit, PointsCurve, account
from gaussdp.domains import NON_NEGATIVE, PROBABILITY, number
from gaussdp.errors import DomainError
from gaussdp.guarantees import ApproxDP, ProfilePoints
from gaussdp.integrations._dp_events import (
    DpEvent,
    Entries,
    NoAnalysisError,
    Relation,
    adjacency_of,
    enter,
    event_of,
    load,
    mechanism_of,
)
from gaussdp.mechanisms import Adjacency, Mechanism, Stated
from gaussdp.objects import Compared
from gaussdp.registry import register

__all__ = ["GdpAccountant", "curve_of", "event_of", "mechanism_of"]

_library = load("dp_accounting")
_distributions = load("dp_accounting.pld.privacy_loss_distribution")

if TYPE_CHECKING:

    class PrivacyAccountant:
        """The part of dp_accounting's base class that is used here; the library has no types."""

        def __init__(self, neighboring_relation: Enum) -> None: ...
        @property
        def neighboring_relation(self) -> Enum: ...
        def compose(self, event: Any, count: int = 1) -> "PrivacyAccountant": ...

else:
    PrivacyAccountant = _library.PrivacyAccountant

_MOST_COMPOSITIONS = 10_000  # that a distribution made elsewhere is taken to consist of
_READING_ERROR = 1e-9  # relative, of an exactly accounted epsilon or delta


class GdpAccountant(PrivacyAccountant, Compared):
    """A dp_accounting PrivacyAccountant with gaussdp's exact accounting, and mu beside epsilon and delta.

    Works wherever that library takes an accountant: `compose`, `get_epsilon`, `get_delta`, `calibrate_dp_mechanism`.

    Args:
        neighboring_relation: a dp_accounting NeighboringRelation; add-or-remove-one unless given.

    >>> import dp_accounting
    >>> step = dp_accounting.PoissonSampledDpEvent(0.002, dp_accounting.GaussianDpEvent(noise_multiplier=0.5))
    >>> accountant = GdpAccountant().compose(step, 10_000)
    >>> accountant.get_epsilon(1e-5)
    8.86590...
    >>> accountant.mu(floor=1e-10)
    1.89351...
    """

    def __init__(self, neighboring_relation: Enum = Relation.ADD_OR_REMOVE_ONE) -> None:
        super().__init__(neighboring_relation)
        self._entries = Entries()
        self._curve: AccountedCurve | PointsCurve | None = None

    def __repr__(self) -> str:
        count = sum(self._entries.releases.values())
        return f"<GdpAccountant of {count:,} {'release' if count == 1 else 'releases'}>"

    def _told(self) -> object:
        return self._entries, self.neighboring_relation

    def _maybe_compose(self, event: DpEvent, count: int, do_compose: bool) -> Any:
        """What dp_accounting asks for: None, or which event has no analysis and why."""
        entries = self._entries.copy() if do_compose else Entries()
        try:
            enter(entries, event, count if do_compose else 1, self.neighboring_relation)
        except NoAnalysisError as error:
            return _library.PrivacyAccountant.CompositionErrorDetails(error.event, error.reason)
        if do_compose:
            self._entries, self._curve = entries, None
        return None

    def curve(self) -> AccountedCurve | PointsCurve:
        """The guarantee of everything composed so far, as a trade-off curve."""
        if self._curve is None:
            adjacency = adjacency_of(self.neighboring_relation)
            nothing_promised = PointsCurve([0.0], [1.0])
            known = _read_as_stated(self._entries.mechanism(adjacency)) if self._entries.private else nothing_promised
            self._curve = known if isinstance(known, PointsCurve) else account(known)
        return self._curve

    def fit(self, floor: float | None = None) -> Fit:
        """The tightest GDP guarantee with all that belongs to it; see `gaussdp.Fit`."""
        curve = self.curve()
        return curve.fit() if floor is None else curve.fit(floor)

    def mu(self, floor: float | None = None) -> float:
        """The tightest mu for attacks whose error rates are at least the floor (1e-10 unless given).

        >>> GdpAccountant().compose(_library.GaussianDpEvent(2.0), 4).mu()
        1.0
        """
        return self.fit(floor).mu if self._entries.private else math.inf

    def get_epsilon(self, target_delta: float) -> float:
        """The least epsilon at this delta, in [0, 1]; inf if there is none."""
        delta = number("target_delta", target_delta, PROBABILITY)
        if not self._entries.private:
            return math.inf
        if self._entries.empty:
            return 0.0
        curve, pure = self.curve(), self._entries.pure_epsilon()
        if isinstance(curve, PointsCurve) and delta < curve.noise_floor and pure < math.inf:
            return pure
        return min(self._padded(curve.epsilon(delta)), pure)

    def get_delta(self, target_epsilon: float) -> float:
        """The least delta at this epsilon, in [0, inf]."""
        epsilon = number("target_epsilon", target_epsilon, NON_NEGATIVE)
        if not self._entries.private:
            return 1.0
        if self._entries.empty or epsilon >= self._entries.pure_epsilon():
            return 0.0
        return min(self._padded(self.curve().delta(epsilon)), 1.0)

    def _padded(self, value: float) -> float:
        """The reading with its numerical error on the side of less privacy; distributions are pessimistic already."""
        return value * (1 + _READING_ERROR) if isinstance(self._curve, AccountedCurve) else value


def curve_of(distribution: Any, compositions: int = _MOST_COMPOSITIONS) -> DistributionCurve:
    """The guarantee of a dp_accounting PrivacyLossDistribution, in both directions.

    Args:
        distribution: a pessimistic PrivacyLossDistribution.
        compositions: of how many it was composed, at the most. It does not say so itself, and the rounding error of its
            masses, below which the curve refuses to speak, grows with that number.
    """
    if not isinstance(distribution, _distributions.PrivacyLossDistribution):
        kind = type(distribution).__name__
        raise DomainError("distribution", "a dp_accounting PrivacyLossDistribution", got=kind)
    return DistributionCurve.read(distribution, compositions)


def adapted(thing: object, adjacency: Adjacency | None) -> Mechanism | PointsCurve:
    """What `gaussdp.account` makes of an object of this library."""
    if isinstance(thing, _library.DpEvent):
        return _read_as_stated(mechanism_of(thing, adjacency))
    if isinstance(thing, _distributions.PrivacyLossDistribution):
        if adjacency is not None:
            raise DomainError(
                "adjacency", problem="must not be given for a PrivacyLossDistribution: it holds for its own"
            )
        return curve_of(thing)
    raise DomainError("mechanism", "a DpEvent or a PrivacyLossDistribution if it comes from dp_accounting", thing)


def _read_as_stated(mechanism: Mechanism) -> Mechanism | PointsCurve:
    """The curve of a lone statement, which needs no distribution; else the mechanism."""
    if isinstance(mechanism, Stated) and isinstance(mechanism.guarantee, ApproxDP | ProfilePoints):
        return PointsCurve.of(mechanism.guarantee)
    return mechanism


register("dp_accounting", adapted)
