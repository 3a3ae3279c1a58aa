"""The accounted guarantee of compositions with atoms: sound at every point, silent below its noise floor."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from gaussdp import conversions
from gaussdp.accounting._fit import DEFAULT_FLOOR, Fit
from gaussdp.accounting._pld import LossDistribution
from gaussdp.domains import LEVEL, PROBABILITY, checked, number
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP, ProfilePoints
from gaussdp.guarantees.base import Numbers
from gaussdp.mechanisms import Mechanism
from gaussdp.numerics import Floats

_MOST_POINTS = 20_000
_LARGEST_EPSILON = 700.0
_SUBDIVISIONS = 4  # points between neighbours at which the distances to the fitted curve are taken too


@dataclass(frozen=True)
class _Slack:
    """A slack that is known already."""

    value: float

    def slack(self) -> float:
        return self.value


class DistributionCurve(ProfilePoints):
    """A guarantee read off a pessimistic privacy loss distribution of the whole composition.

    Its profile bounds the true one from above; between grid points it is the hull, which is pessimistic again. Rates
    and deltas below `noise_floor`, where rounding errors of the transforms could speak, are refused.

    Made by `account`.
    """

    noise_floor: float

    def __init__(self, parts: Sequence[tuple[Mechanism, int]]) -> None:
        upper = LossDistribution(parts, pessimistic=True)
        last = min(upper.largest_epsilon(), _LARGEST_EPSILON)
        points = min(math.ceil(last / upper.interval) + 2, _MOST_POINTS)
        grid: Floats = upper.interval * np.arange(points, dtype=np.float64)
        if grid[-1] < last:
            grid = np.linspace(0.0, last, points)
        grid = grid[grid <= _LARGEST_EPSILON]
        super().__init__(grid, upper.delta(grid))
        object.__setattr__(self, "noise_floor", upper.noise_floor)
        object.__setattr__(self, "_parts", tuple(parts))
        object.__setattr__(self, "_grid", grid)

    _parts: tuple[tuple[Mechanism, int], ...]
    _grid: Floats

    def __repr__(self) -> str:
        return f"DistributionCurve({self.epsilons.size} points, noise floor {self.noise_floor:.1e})"

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
            floor: smallest error rate of the attacks that the fit speaks about, at least the noise floor; 1e-10 or the
                noise floor if that is larger, unless given.
        Returns:
            mu, an upper bound from the pessimistic distribution, with a lower bound from the optimistic one; slack and
            regret are those of the pessimistic curve.
        """
        level = max(DEFAULT_FLOOR, self.noise_floor) if floor is None else number("floor", floor, LEVEL)
        self._refuse_below_floor("floor", level)
        end = float(super().fnr(level))
        if end < level:
            raise DomainError(f"floor must leave attacks to speak about, got {level!r}; lower the floor")
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
            mu_lower=min(self._mu_lower(level), mu),
            mu_upper=mu,
            floor=level,
            fpr=fpr,
            fnr=float(super().fnr(fpr)),
            regret=regret,
            _distances=_Slack(slack),
        )

    @cached_property
    def _optimistic(self) -> Floats:
        """Lower bounds on delta at the grid."""
        lower = LossDistribution(self._parts, pessimistic=False)
        return np.minimum(lower.delta(self._grid), self.delta(self._grid))

    def _mu_lower(self, floor: float) -> float:
        """No smaller mu holds: at epsilons whose best attack surely has rates above the floor, delta is at least this.

        By convexity the best attack's FPR is at least (delta(e) - delta(e')) / (e^e' - e^e) for any e' > e.
        """
        grid, least = self._grid, self._optimistic
        ahead = min(grid.size - 1, max(1, grid.size // 500))
        fprs = (least[:-ahead] - self.delta(grid[ahead:])) / (np.exp(grid[ahead:]) - np.exp(grid[:-ahead]))
        usable = (fprs >= floor) & (least[:-ahead] > 0) & (least[:-ahead] < 1)
        if not usable.any():
            return 0.0
        return float(np.max(conversions.mu_from_profile(grid[:-ahead][usable], least[:-ahead][usable])))

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
        low = levels[(levels > 0) & (levels < self.noise_floor)]
        if low.size:
            raise DomainError(
                f"{name} must be 0 or at least {self.noise_floor:.2g}, the noise floor of this privacy loss"
                f" distribution, got {float(low.flat[0])!r}"
            )
