"""A guarantee known at points of its profile, with the one number mu that sums it up."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from gaussdp.accounting.readings import DEFAULT_FLOOR, Fit, KnownSlack, Method, Readings, Values
from gaussdp.domains import LEVEL, PROBABILITY, checked, number
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP, ApproxDP, ProfilePoints, TradeoffPoints
from gaussdp.guarantees.base import Numbers
from gaussdp.guarantees.numeric import LARGEST_EPSILON
from gaussdp.numerics import Floats

_SUBDIVISIONS = 4  # points between neighbours at which the distances to the fitted curve are taken too


@dataclass(frozen=True, eq=False, init=False, repr=False)
class PointsCurve(ProfilePoints):
    """A guarantee at points of its profile, the hull between them, and `fit` for its tightest mu.

    Made by `account`, from statements about a mechanism or from a privacy loss distribution. Positive rates and deltas
    below `noise_floor`, where rounding errors could speak, are refused unless a pure epsilon is known; it is 0 for
    plain statements.
    """

    short = "accounted curve"

    noise_floor: float

    _silent_below: float
    _method = Method.STATED
    _error = 0.0

    def __init__(
        self, epsilon: npt.ArrayLike, delta: npt.ArrayLike, noise_floor: float = 0.0, silent_below: float = 0.0
    ) -> None:
        super().__init__(epsilon, delta)
        object.__setattr__(self, "noise_floor", noise_floor)
        object.__setattr__(self, "_silent_below", silent_below)

    @classmethod
    def of(cls, guarantee: ApproxDP | ProfilePoints) -> "PointsCurve":
        """The curve of one stated guarantee, with nothing added to it."""
        if isinstance(guarantee, ApproxDP):
            epsilon, delta = guarantee.epsilon_bound, guarantee.delta_bound
            # A larger epsilon than can be computed with promises next to nothing.
            guarantee = ProfilePoints([epsilon], [delta]) if epsilon <= LARGEST_EPSILON else ProfilePoints([0.0], [1.0])
        least, steepest = float(guarantee.deltas[-1]), float(guarantee.epsilons[-1])
        kinks = guarantee._kinks[guarantee._kinks > 0]
        if least == 0:
            silent = 0.0
        elif isinstance(guarantee, TradeoffPoints):
            rates = np.concatenate([guarantee.fprs, guarantee.fnrs])
            silent = float(np.min(rates[rates > 0], initial=0.5))
        else:
            silent = float(kinks.min()) if kinks.size else least * math.exp(-steepest)
        return cls(guarantee.epsilons, guarantee.deltas, silent_below=silent)

    @property
    def reading(self) -> Readings:
        """The five readings with the method and the error of each value."""
        return Readings(self)

    def values(self, name: str, levels: Floats) -> Values:
        """The reading of this name at each level."""
        return Values.of(np.asarray(getattr(self, name)(levels), np.float64), self._method, self._error)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._content() == self._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def _content(self) -> tuple[object, ...]:
        return self.epsilons.tobytes(), self.deltas.tobytes(), self.noise_floor, self._silent_below

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.epsilons.size} points, noise floor {self.noise_floor:.1e})"

    def fnr(self, fpr: Numbers) -> Numbers:
        self._refuse_below_floor("fpr", fpr)
        return super().fnr(fpr)

    def tpr(self, fpr: Numbers) -> Numbers:
        self._refuse_below_floor("fpr", fpr)
        return super().tpr(fpr)

    def fpr(self, tpr: Numbers) -> Numbers:
        self._refuse_below_floor("tpr", tpr)
        return super().fpr(tpr)

    def epsilon(self, delta: Numbers) -> Numbers:
        self._refuse_below_floor("delta", delta)
        return super().epsilon(delta)

    def fit(self, floor: float | None = None) -> Fit:
        """The tightest GDP guarantee for all attacks whose FPR and FNR are at least the floor.

        Args:
            floor: smallest error rate of the attacks that the fit speaks about, at least the noise floor. Unless given,
                the largest of 1e-10, the noise floor, and the rate below which what is stated says no more than its
                least delta: the smallest rate of (FPR, FNR) points, or where the last (epsilon, delta) pair takes over.
        Returns:
            mu, an upper bound, with a lower bound where one is known; slack and regret are those of this curve.
        """
        level = self._default_floor() if floor is None else number("floor", floor, LEVEL)
        self._refuse_below_floor("floor", level)
        end = float(super().fnr(level))
        if end < level:
            way = "lower the floor" if end > 0 else "no mu holds there"
            raise DomainError(
                "floor",
                problem="must leave attacks to speak about",
                got=f"{level!r}: an attack with this FPR may have FNR {end:.3g}",
                advice=way,
            )
        corner = float((1 - self.deltas[0]) / (1 + math.exp(self.epsilons[0])))
        rates = np.unique(
            np.concatenate([self._kinks[(self._kinks > level) & (self._kinks < corner)], [level, corner]])
        )
        mus = self.mu_at_fpr(rates)
        best = int(np.argmax(mus))
        mu = float(mus[best])
        fpr = float(rates[best])
        slack, regret = self._distances(mu)
        return Fit(
            mu=mu,
            mu_lower=min(self._mu_lower(level, mu), mu),
            mu_upper=mu,
            floor=level,
            fpr=fpr,
            fnr=float(super().fnr(fpr)),
            regret=regret,
            methods=(self._method,),
            _distances=KnownSlack(slack),
        )

    def _default_floor(self) -> float:
        return max(DEFAULT_FLOOR, self.noise_floor, self._silent_below)

    def _mu_lower(self, floor: float, mu: float) -> float:
        """No smaller mu follows from what is stated; what the mechanism behind it does is not known."""
        return mu

    def _distances(self, mu: float) -> tuple[float, float]:
        """Slack and regret of the fitted mu: the largest weighted gaps between the two profiles, either way."""
        finer = np.linspace(self.epsilons[:-1], self.epsilons[1:], _SUBDIVISIONS, endpoint=False, axis=1).ravel()
        grid = np.append(finer, self.epsilons[-1])
        ours, theirs = self.delta(grid), GDP(mu).delta(grid)
        with np.errstate(divide="ignore", invalid="ignore"):
            slack = np.where(theirs < 1, (ours - theirs) / (1 - theirs), 0.0)
        everlasting = float(self.deltas[-1])  # beyond the last point the GDP profile falls to 0, ours does not
        regret = (theirs - ours) / (1 + np.exp(grid))
        return max(float(slack.max()), everlasting, 0.0), max(float(regret.max()), 0.0)

    def _refuse_below_floor(self, name: str, value: npt.ArrayLike) -> None:
        levels = checked(name, value, PROBABILITY)
        if self.deltas[-1] == 0:  # below the floor the pure epsilon still bounds every rate
            return
        low = levels[(levels > 0) & (levels < self.noise_floor)]
        if low.size:
            raise DomainError(
                name,
                f"0 or at least {self.noise_floor:.2g}, the noise floor of this privacy loss distribution",
                float(low.flat[0]),
            )
