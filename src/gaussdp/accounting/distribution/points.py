"""A guarantee known at points of its profile, with the one number mu that sums it up."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from gaussdp.accounting.distribution.corners import Corners, regret
from gaussdp.accounting.readings import DEFAULT_FLOOR, Fit, KnownSlack, Method, Readings, Values
from gaussdp.domains import LEVEL, PROBABILITY, checked, instance, number
from gaussdp.errors import DomainError
from gaussdp.guarantees import ApproxDP, ProfilePoints, TradeoffPoints
from gaussdp.guarantees.base import Numbers
from gaussdp.guarantees.numeric import LARGEST_EPSILON
from gaussdp.guarantees.vectorised import of_delta, of_fpr, of_tpr
from gaussdp.numerics import Floats


@dataclass(frozen=True, eq=False, init=False, repr=False)
class PointsCurve(ProfilePoints):
    r"""A guarantee at points of its profile, the hull between them, and `fit` for its tightest mu.

    .. math::
        f(\alpha) = \sup_i \max\{0, 1 - \delta_i - e^{\varepsilon_i}\alpha, e^{-\varepsilon_i}(1 - \delta_i - \alpha)\}

    Made by `account`, from statements about a mechanism or from a privacy loss distribution. Positive rates and deltas
    below `noise_floor`, where rounding errors could speak, are refused unless a pure epsilon is known; it is 0 for
    plain statements.

    Reference: Dong, Roth & Su (2022), Proposition 2.12.

    >>> from gaussdp import ApproxDP, account
    >>> account(ApproxDP(1.0, 1e-5)).epsilon(1e-5)
    1.0
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
        instance("guarantee", guarantee, (ApproxDP, ProfilePoints), "ApproxDP or ProfilePoints")
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
        return PointsCurve(guarantee.epsilons, guarantee.deltas, silent_below=silent)

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

    @of_fpr
    def fnr(self, fpr: Numbers) -> Numbers:
        self._refuse_below_floor("fpr", fpr)
        return super().fnr(fpr)

    @of_fpr
    def tpr(self, fpr: Numbers) -> Numbers:
        self._refuse_below_floor("fpr", fpr)
        return super().tpr(fpr)

    @of_tpr
    def fpr(self, tpr: Numbers) -> Numbers:
        self._refuse_below_floor("tpr", tpr)
        return super().fpr(tpr)

    @of_delta
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
        corners = Corners.of(self)
        above = corners.fpr > level
        candidates = Corners.joined((Corners.at(self, level), corners.take(above)))
        mus = candidates.mu()
        best = int(np.argmax(mus))
        mu = float(mus[best]) if self.delta(0.0) > 0 else 0.0  # not even by rounding is anything told
        return Fit(
            mu=mu,
            mu_lower=min(self._mu_lower(level, mu), mu),
            mu_upper=mu,
            floor=level,
            fpr=float(candidates.fpr[best]),
            fnr=float(candidates.fnr[best]),
            regret=regret(self, mu),
            methods=(self._method,),
            # Beyond the last point the GDP profile falls to 0, and this one does not.
            _distances=KnownSlack(max(corners.take(~above).slack(mu), float(self.deltas[-1]))),
        )

    def _default_floor(self) -> float:
        return max(DEFAULT_FLOOR, self.noise_floor, self._silent_below)

    def _mu_lower(self, floor: float, mu: float) -> float:
        """No smaller mu follows from what is stated; what the mechanism behind it does is not known."""
        return mu

    def _refuse_below_floor(self, name: str, value: npt.ArrayLike) -> None:
        levels = checked(name, value, PROBABILITY)
        if self.pure_epsilon < math.inf:  # below the floor it still bounds every rate
            return
        low = levels[(levels > 0) & (levels < self.noise_floor)]
        if low.size:
            raise DomainError(
                name,
                f"0 or at least {self.noise_floor:.2g}, the noise floor of this privacy loss distribution",
                float(low.flat[0]),
            )
