r"""A guarantee known at points of its profile, with its tightest mu, slack and regret, all three at corners.

The region above a GDP curve is convex, and so is its image under scaling by 1 - s. A curve that is straight between
corners lies in either exactly if its corners do. So the tightest mu binds at a corner, and the slack is the least s
with which each corner (a, b) has b >= (1 - s) f_mu(a / (1 - s)). The regret's quotient is, between neighbouring
epsilons of the points, a convex function of e^epsilon over a linear one: largest at an end.
"""

import math
from dataclasses import dataclass
from typing import NoReturn, Self

import numpy as np
import numpy.typing as npt
from scipy import special

from gaussdp import numerics
from gaussdp.accounting.fitted import DEFAULT_FLOOR, Fit, KnownDistances
from gaussdp.accounting.readings import Columns, Method, Readings, Values
from gaussdp.documents.rounding import shown_up
from gaussdp.domains import LEVEL, PROBABILITY, checked, instance, number, yes_or_no
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP, ApproxDP, ProfilePoints, TradeoffPoints
from gaussdp.guarantees.base import Numbers, of_delta, of_fpr, of_tpr, speaking_about
from gaussdp.guarantees.numeric import LARGEST_EPSILON
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class CornerSettings:
    """What is tuned about corners; the first three are relative rounding errors."""

    line: float = 1e-15  # of a height on a line
    mu: float = 4e-15  # of mu through a point
    curve: float = 1e-13  # of a rate of a GDP curve
    close: float = 1e-9  # relative change of a slack at which the search for it ends
    newton_steps: int = 60  # ... as it does after so many; each of them leaves a bound that holds


SETTINGS = CornerSettings()


@dataclass(frozen=True, slots=True)
class Corners(Columns):
    """Corners of a curve up to its diagonal, by falling FPR; the TPR is rounded up, the FNR down.

    Each lies on or above the lines that meet there, so the polygon through them bounds the curve however the FPRs are
    rounded.
    """

    fpr: Floats
    fnr: Floats
    tpr: Floats

    @classmethod
    def of(cls, points: ProfilePoints) -> "Corners":
        """The corners of what (epsilon, delta) statements say together."""
        growth, deltas, kinks = np.exp(points.epsilons), points.deltas, points._kinks
        diagonal = (1 - deltas[:1]) / (1 + growth[:1])
        fpr = np.concatenate((diagonal, kinks))
        before = deltas + growth * fpr  # on the line of each point where it begins
        after = np.concatenate((before[:1], deltas[:-1] + growth[:-1] * kinks))
        return cls._rounded(fpr, np.maximum(before, after)).take(fpr <= diagonal)

    @classmethod
    def at(cls, points: ProfilePoints, fpr: float) -> "Corners":
        """The point of the curve at one FPR, as if it were a corner."""
        at = np.array([fpr])
        line = points._line(at)
        return cls._rounded(at, points.deltas[line] + np.exp(points.epsilons[line]) * at)

    @classmethod
    def _rounded(cls, fpr: Floats, tpr: Floats) -> "Corners":
        fnr = np.maximum(1 - tpr - SETTINGS.line * tpr, 0.0)
        return cls(fpr, fnr, np.minimum(tpr * (1 + SETTINGS.line), 1.0))

    def mu(self) -> Floats:
        """The mu of the GDP curve through each, rounded up."""
        return numerics.mu_through_point(self.fpr, self.fnr, self.tpr) * (1 + SETTINGS.mu)

    def slack(self, mu: float) -> float:
        """The least s with which all of them lie above the scaled GDP curve, rounded up; 0 if there are none.

        s + (1 - s) tpr_mu(fpr / (1 - s)) grows with s and is concave, so Newton's steps from 0 stay below the least s
        that brings it up to the TPR; and an s that is too small gives one that is too large.
        """
        curve, s, corners, best = GDP(mu), np.zeros(self.fpr.size), self, 0.0
        for _ in range(SETTINGS.newton_steps):
            if s.size == 0:
                break
            bound, miss, slope = corners._missing(curve, s)
            best = float(bound.max())
            with np.errstate(divide="ignore", invalid="ignore"):
                ahead = np.fmin(s + np.maximum(miss, 0.0) / slope, bound) * (1 - SETTINGS.curve)
            if best == 0 or float(np.max(ahead - s)) <= SETTINGS.close * best:
                break
            open_ = bound > float(ahead.max())  # the others are no rivals
            s, corners = np.maximum(ahead, s)[open_], corners.take(open_)
        return min(best, 1.0)

    def _missing(self, curve: GDP, s: Floats) -> tuple[Floats, Floats, Floats]:
        """From slacks that are too small: ones that are large enough; what is missing of the TPR; and its slope."""
        fpr = np.minimum(self.fpr / (1 - s), 1.0)
        tpr, fnr = curve.tpr(fpr), curve.fnr(fpr)
        small = self.tpr < 0.5
        more, less = 1 + SETTINGS.curve, 1 - SETTINGS.curve
        excess = np.where(small, self.tpr * more - tpr * less, fnr * more - self.fnr * less)
        with np.errstate(divide="ignore", invalid="ignore"):
            bound = np.where(fnr > 0, np.clip(excess / fnr, 0.0, 1.0), 1.0)
            rise = fpr * np.exp(-curve.mu * (special.ndtri(fpr) + 0.5 * curve.mu))
        return bound, excess - s * fnr, fnr + rise


def regret(points: ProfilePoints, mu: float) -> float:
    """The least kappa with f(alpha + kappa) - kappa <= f_mu(alpha), rounded up."""
    epsilons = np.append(points.epsilons, 0.0)
    curve = GDP(mu)
    gap = curve.delta(epsilons) * (1 + SETTINGS.curve) - points.delta(epsilons) * (1 - SETTINGS.line)
    return max(float(np.max(gap / (1 + np.exp(epsilons)))), 0.0)


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
        adjacency = guarantee.adjacency
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
        curve = PointsCurve(guarantee.epsilons, guarantee.deltas, silent_below=silent)
        return speaking_about(curve, adjacency)

    @property
    def _reveals(self) -> bool:
        """Whether what is stated allows that everything is revealed."""
        return bool(self.deltas[-1] > 0)

    def implied(self) -> GDP:
        """The GDP with the least mu that follows for every attack: infinite where everything may be revealed.

        Raises:
            DomainError: if no mu is known, as below the noise floor of a distribution whose tails were cut.
        """
        return GDP(math.inf) if self._reveals else super().implied()

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

    def certify(self, floor: float | None = DEFAULT_FLOOR, **asked: object) -> NoReturn:
        """Refuse: proofs are of Gaussian releases, plain or Poisson-sampled, and of nothing else.

        Args:
            floor: as of `AccountedCurve.certify`, as is the rest.
            **asked: what was to be proved.
        Raises:
            DomainError: always.
        """
        raise DomainError(
            "mechanism",
            problem="cannot be certified: this curve is known from points or a distribution of its losses",
            advice="only Gaussian and Poisson-sampled Gaussian releases can be",
        )

    def fit(self, floor: float | None = None, *, certified: bool = False) -> Fit:
        """The tightest GDP guarantee for all attacks whose FPR and FNR are at least the floor.

        Args:
            floor: smallest error rate of the attacks that the fit speaks about, at least the noise floor. Unless given,
                the largest of 1e-10, the noise floor, and the rate below which what is stated says no more than its
                least delta: the smallest rate of (FPR, FNR) points, or where the last (epsilon, delta) pair takes over.
            certified: whether mu is to be proved, which it cannot be here.
        Returns:
            mu, an upper bound, with a lower bound where one is known; slack and regret are those of this curve.
        """
        level = self._default_floor() if floor is None else number("floor", floor, LEVEL)
        if yes_or_no("certified", certified):
            self.certify(level)
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
            methods=(self._method,),
            adjacency=self.adjacency,
            # Beyond the last point the GDP profile falls to 0, and this one does not.
            _distances=KnownDistances(max(corners.take(~above).slack(mu), float(self.deltas[-1])), regret(self, mu)),
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
                f"0 or at least {shown_up(self.noise_floor, 2)}, the noise floor of this privacy loss distribution",
                float(low.flat[0]),
            )
