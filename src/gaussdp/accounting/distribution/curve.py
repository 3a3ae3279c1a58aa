"""The accounted guarantee of compositions with atoms: sound at every point, silent below its noise floor."""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from gaussdp import conversions
from gaussdp.accounting.distribution.pld import GivenDistribution, LossDistribution, ReadProfile
from gaussdp.accounting.distribution.points import PointsCurve
from gaussdp.accounting.distribution.releases import largest_loss
from gaussdp.accounting.readings import Method
from gaussdp.documents import Document
from gaussdp.domains import NON_NEGATIVE, PROBABILITY, Domain, evaluate, number
from gaussdp.errors import ConvergenceError
from gaussdp.guarantees import ProfilePoints
from gaussdp.guarantees.base import Numbers, of_delta, of_epsilon
from gaussdp.mechanisms import Adjacency, Mechanism
from gaussdp.numerics import LARGEST_EXPONENT, Floats
from gaussdp.objects import Described

_MOST_POINTS = 20_000


class DistributionCurve(PointsCurve):
    r"""A guarantee read off a pessimistic privacy loss distribution of the whole composition.

    .. math:: \delta(\varepsilon) = \mathrm{E}_P\,(1 - e^{\varepsilon - L})_+

    Its profile bounds the true one from above. Deltas and epsilons are read off its masses, rates off points of the
    profile, which are made when they are needed: between points the curve is the hull, which is pessimistic again.
    Where the loss of every part has a largest value, but for a stated probability, their sums are one more point:
    (epsilon, delta)-DP composes to the sum of the epsilons and the probability that one part fails, of parameters as
    they are written. Where that delta is not 0, rates and deltas below `noise_floor`, where rounding errors of the
    transforms could speak, are refused.

    Made by `account`; of a distribution that somebody else made, by `read`.

    Reference: Koskela, Jälkö & Honkela (2020); Doroshenko et al. (2022).

    >>> from gaussdp import Laplace, account
    >>> type(account(3 * Laplace(10.0))).__name__
    'DistributionCurve'
    """

    title = "Accounted guarantee, from a privacy loss distribution"

    _method = Method.DISTRIBUTION
    _error = math.inf  # the truth lies below, by an amount that nothing tells
    _parts: tuple[tuple[Mechanism, int], ...]
    _upper: GivenDistribution | LossDistribution
    _largest: float  # an epsilon that no loss exceeds ...
    _fails: float  # ... but with this probability, in which everything is revealed

    _surely: tuple[tuple[Mechanism, int], ...]  # the parts of what surely loses no more

    def __init__(
        self,
        parts: Sequence[tuple[Mechanism, int]] | GivenDistribution,
        least: Sequence[tuple[Mechanism, int]] | None = None,
    ) -> None:
        upper: GivenDistribution | LossDistribution
        known: tuple[tuple[Mechanism, int], ...] = ()
        if isinstance(parts, GivenDistribution):
            upper = parts
        else:
            upper, known = LossDistribution(parts, pessimistic=True), tuple(parts)
        largest, fails = largest_loss(known) if known else (math.inf, 0.0)
        object.__setattr__(self, "noise_floor", upper.noise_floor)
        object.__setattr__(self, "_silent_below", 0.0)
        object.__setattr__(self, "_parts", known)
        object.__setattr__(self, "_surely", known if least is None else tuple(least))
        object.__setattr__(self, "_upper", upper)
        object.__setattr__(self, "_largest", largest)
        object.__setattr__(self, "_fails", fails)

    @cached_property
    def _grid(self) -> Floats:
        """Epsilons up to where the profile is flat, all of the distribution's or as many as are bearable."""
        upper = self._upper
        last = min(upper.largest_epsilon(), LARGEST_EXPONENT)
        points = min(math.ceil(last / upper.interval) + 2, _MOST_POINTS)
        grid: Floats = upper.interval * np.arange(points, dtype=np.float64)
        if grid[-1] < last:
            grid = np.linspace(0.0, last, points)
        return grid[grid <= LARGEST_EXPONENT]

    @cached_property
    def _points(self) -> ProfilePoints:
        """The hull of the profile at the grid."""
        grid, deltas = self._grid, self._upper.delta(self._grid)
        if self._largest <= LARGEST_EXPONENT:
            grid, deltas = np.append(grid, self._largest), np.append(deltas, self._fails)
        return ProfilePoints(grid, deltas)

    @property
    def epsilons(self) -> Floats:
        """Of the points, rising."""
        return self._points.epsilons

    @property
    def deltas(self) -> Floats:
        """Of the points."""
        return self._points.deltas

    @property
    def _kinks(self) -> Floats:
        return self._points._kinks

    @property
    def pure_epsilon(self) -> float:
        """The sum of those of the parts; inf if one has none, or if it is too large to compute with."""
        return self._largest if self._largest <= LARGEST_EXPONENT and self._fails == 0 else math.inf

    @property
    def _reveals(self) -> bool:
        """Whether it is stated that everything may be revealed; cut tails alone do not say so."""
        return self._fails > 0

    @property
    def adjacency(self) -> Adjacency | None:
        """The neighbours of what it was made of; None for a distribution that was made elsewhere."""
        return self._parts[0][0].adjacency if self._parts else None

    def __reduce__(self) -> Any:
        """A curve is made again from its mechanisms; one off a given distribution takes its points along."""
        made = list(self._parts), list(self._surely)
        return (DistributionCurve, made) if self._parts else super().__reduce__()

    def __repr__(self) -> str:
        of = ", ".join(f"{count} * {part!r}" if count > 1 else repr(part) for part, count in self._parts)
        return f"DistributionCurve({of or 'given'}, {self.epsilons.size} points, noise floor {self.noise_floor:.1e})"

    @classmethod
    def read(cls, distribution: Any, compositions: int) -> "DistributionCurve":
        """The curve of a dp_accounting PrivacyLossDistribution, composed of this many at the most.

        Raises:
            DomainError: if it is an optimistic estimate, which bounds the privacy loss from the wrong side.
        """
        return cls(GivenDistribution(distribution, compositions))

    @property
    def remove(self) -> "OneDirection":
        """The attack that tells data with the record (P) from data without (Q)."""
        return OneDirection(self, 0)

    @property
    def add(self) -> "OneDirection":
        """The attack that tells data without the record from data with it."""
        return OneDirection(self, -1)

    def document(self) -> Document:
        """The fitted mu beside what is read off the curve."""
        return self.fit().beside(super().document())

    @of_epsilon
    def delta(self, epsilon: Numbers) -> Numbers:
        """The least delta with which the distribution promises (epsilon, delta)-DP."""

        def read(levels: Floats) -> Floats:
            deltas = self._upper.delta(levels)
            return np.where(levels < self._largest, deltas, np.minimum(deltas, self._fails))

        value: Numbers = evaluate(read, epsilon=(epsilon, NON_NEGATIVE))
        return value

    @of_delta
    def epsilon(self, delta: Numbers) -> Numbers:
        """The least epsilon with which the distribution promises (epsilon, delta)-DP."""
        self._refuse_below_floor("delta", delta)

        def read(levels: Floats) -> Floats:
            found = [self._upper.epsilon(level) if level > 0 else math.inf for level in levels.ravel().tolist()]
            bound = np.where(levels < self._fails, math.inf, self._largest)
            least: Floats = np.minimum(np.reshape(found, levels.shape), bound)
            return least

        value: Numbers = evaluate(read, delta=(delta, PROBABILITY))
        return value

    def epsilon_lower(self, delta: float) -> float:
        """A lower bound on the least epsilon with which (epsilon, delta)-DP holds; `epsilon` bounds it from above.

        Args:
            delta: in [0, 1].
        Returns:
            The epsilon at which an optimistic distribution comes down to delta, inf if it never does; 0 where only a
            pessimistic distribution is known.
        """
        level = number("delta", delta, PROBABILITY)
        return self._lower.epsilon(level) if self._parts else 0.0

    @cached_property
    def _lower(self) -> LossDistribution:
        return LossDistribution(self._surely, pessimistic=False)

    @cached_property
    def _optimistic(self) -> Floats:
        """Lower bounds on delta at the grid."""
        return np.minimum(self._lower.delta(self._grid), self.delta(self._grid))

    def _mu_lower(self, floor: float, mu: float) -> float:
        """No smaller mu holds: at epsilons whose best attack surely has rates above the floor, delta is at least this.

        By convexity the best attack's FPR is at least (delta(e) - delta(e')) / (e^e' - e^e) for any e' > e. Where only
        the pessimistic distribution can be read there is no such bound.
        """
        if not self._parts:
            return 0.0
        try:
            grid, least = self._grid, self._optimistic
        except ConvergenceError:
            return 0.0
        ahead = min(grid.size - 1, max(1, grid.size // 500))
        fprs = (least[:-ahead] - self.delta(grid[ahead:])) / (np.exp(grid[ahead:]) - np.exp(grid[:-ahead]))
        usable = (fprs >= floor) & (least[:-ahead] > 0) & (least[:-ahead] < 1)
        if not usable.any():
            return 0.0
        return float(np.max(conversions.mu_from_profile(grid[:-ahead][usable], least[:-ahead][usable])))


def distribution_of(mechanism: Mechanism, parts: Sequence[tuple[Mechanism, int]] | None = None) -> DistributionCurve:
    """The curve of a mechanism, whose lower ends are those of what surely loses no more.

    Args:
        mechanism: what is released.
        parts: what is known to lose no less than its parts; they themselves if None.
    """
    least = mechanism.least
    surely = None if least is None or least is mechanism else list(least.parts())
    return DistributionCurve(list(mechanism.parts()) if parts is None else parts, surely)


class OneDirection(Described):
    """The profile of a curve in one direction (0 to remove a record, -1 to add one), an upper bound as the curve's."""

    def __init__(self, curve: DistributionCurve, direction: int) -> None:
        self._curve, self._direction = curve, direction

    def _describe(self) -> tuple[object, ...]:
        return self._curve, self._direction

    @cached_property
    def _profile(self) -> ReadProfile:
        return self._curve._upper.only(self._direction)

    def delta(self, epsilon: Numbers) -> Numbers:
        """The largest P(S) - e^epsilon Q(S) over events S, or a bound; epsilon at least 0."""
        value: Numbers = evaluate(self._profile.delta, epsilon=(epsilon, NON_NEGATIVE))
        return value

    def epsilon(self, delta: Numbers) -> Numbers:
        """The least epsilon >= 0 at which delta of this direction is known to be at most this, inf if none."""

        def read(levels: Floats) -> Floats:
            return np.array([self._profile.epsilon(level) for level in levels.tolist()])

        value: Numbers = evaluate(read, delta=(delta, Domain(self._curve.noise_floor, 1.0)))
        return value
