r"""What a GDP curve leaves out of an accounted one, its slack, and how far it lies below, its regret.

**Slack** makes a fit hold for every attack. With the profiles :math:`\delta_M` of the mechanism and :math:`\delta_\mu`
of mu-GDP, for epsilon >= 0,

.. math:: \mathrm{slack} = \sup_\varepsilon \frac{\delta_M(\varepsilon) - \delta_\mu(\varepsilon)}
          {1 - \delta_\mu(\varepsilon)},

or 0 where nothing is positive. Where the best attack at epsilon has both error rates above the floor nothing is, since
the fit holds for that attack: the search begins where one of them falls below. Both directions are searched; that
removing a record is always the worse one is not a theorem for compositions.

**Regret** is what reporting mu alone costs,

.. math:: \mathrm{regret} = \sup_{\varepsilon \ge 0} \frac{\delta_\mu(\varepsilon) - \delta_M(\varepsilon)}
          {1 + e^\varepsilon},

or 0 where nothing is positive: the least kappa with f(alpha + kappa) - kappa <= f_mu(alpha). Tangents of slope
-e^epsilon have intercepts 1 - delta, so the quotient is the diagonal distance between parallel tangents, and where the
curves are farthest apart along the diagonal their tangents are parallel.

Only the remove direction is read for it: if adding a record were worse, the regret would be smaller.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from gaussdp import numerics
from gaussdp.accounting.fit.span import Piece, Span
from gaussdp.accounting.fit.supremum import Interpolant, chebyshev_points, gaussian_fall, largest_gap, resolve, supremum
from gaussdp.accounting.operating_points import LossTails, OperatingPoints
from gaussdp.accounting.readings import Columns
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class SlackSettings:
    """What is tuned about the search for the slack."""

    gap: float = 1e-2  # relative; what is reported is the bound above
    negligible: float = 1e-3  # of the floor: no search for slack below
    rounding: float = 1e-13  # relative, of the profile of mu-GDP
    stretch: float = 0.15
    ahead: int = 12
    most_stretches: int = 80  # epsilon grows by this share, in this many steps, and so often at the most


SETTINGS = SlackSettings()


@dataclass(frozen=True)
class CurveDistances:
    """The searches for the slack, which looks far below the floor, and for the regret.

    Attributes:
        tails: the loss.
        mu: parameter of the GDP curve, which holds for all attacks above the floor.
        floor: error rate down to which mu was fitted.
        span: samples that span the attacks above the floor.
    """

    tails: LossTails
    mu: float
    floor: float
    span: Span

    def slack(self) -> float:
        """The least delta with delta_M <= delta + (1 - delta) delta_mu, rounded up by about one per cent."""
        with np.errstate(all="ignore"):
            try:
                return max(self._slack(remove=False, found=self._slack(remove=True, found=0.0)), 0.0)
            except ConvergenceError:
                return 1.0  # nothing is known below the floor

    def regret(self) -> float:
        """The least kappa with f(alpha + kappa) - kappa <= f_mu(alpha), rounded up by at most 1e-7."""
        with np.errstate(all="ignore"):
            found = interpolated_regret(self.span.pieces[0], self.mu)
            if found is not None:
                return found
            try:
                return self._regret()
            except ConvergenceError:
                return 0.5 * math.erf(self.mu / math.sqrt(8))  # at most: as if nothing were told

    def _regret(self) -> float:
        known: OperatingPoints = self.span.known
        if known.tau[0] <= 0 <= known.tau[-1]:
            search = RegretSearch(known, self.mu)
            if not search.open:
                return search.regret(self._read)
        # The floor leaves only a part of the curve; the regret is that of the whole.
        whole = np.linspace(0.0, max(float(known.tau[-1]), farthest(self.mu)), REGRET.samples)
        known = OperatingPoints.joined((known, self._read(whole))).in_order().without_repeats()
        return RegretSearch(known, self.mu).regret(self._read)

    def _read(self, tau: Floats) -> OperatingPoints:
        return self.tails.read(tau).complete()

    def _slack(self, *, remove: bool, found: float) -> float:
        """The larger of what was found before and the slack of one direction."""

        def read(epsilon: Floats) -> _Profiles:
            return _Profiles.of(self.tails.read(epsilon if remove else -epsilon).complete(), self.mu, remove=remove)

        samples = self._start(remove=remove) or read(np.zeros(1))
        negligible = SETTINGS.negligible * self.floor * min(self.mu, 1.0)
        shares = SETTINGS.stretch * np.arange(1, SETTINGS.ahead + 1) / SETTINGS.ahead
        for _ in range(SETTINGS.most_stretches):
            found = max(found, float(samples.value().max()))
            if samples.own[-1] <= max(SETTINGS.gap * found, negligible):
                break
            last = float(samples.epsilon[-1])
            try:
                samples = _Profiles.joined((samples, read(last + max(last, self.mu) * shares)))
            except ConvergenceError:
                break  # the bound at the last sample still holds
        beyond = float(samples.own[-1])
        try:
            slack = supremum(
                samples, read, _Profiles.value, _Profiles.between, SETTINGS.gap * negligible, SETTINGS.gap
            ).upper
        except ConvergenceError:
            slack = float(samples.between().max(initial=found))
        return min(max(slack, beyond, found), 1.0)

    def _start(self, *, remove: bool) -> "_Profiles | None":
        """The last known sample before which both error rates are above the floor from zero on, if there is one."""
        known = self.span.known
        log_floor = math.log(self.floor)
        high, low = known.log_fpr >= log_floor, known.log_fnr >= log_floor
        if remove:
            from_zero, inside = bool(low[known.tau <= 0].any()), np.flatnonzero(high & (known.tau >= 0))[-1:]
        else:
            from_zero, inside = bool(high[known.tau >= 0].any()), np.flatnonzero(low & (known.tau <= 0))[:1]
        return _Profiles.of(known.take(inside), self.mu, remove=remove) if from_zero and inside.size else None


@dataclass(frozen=True, slots=True)
class _Profiles(Columns):
    """delta of the mechanism and of mu-GDP at epsilons, and their complements, with errors on the safe side."""

    epsilon: Floats
    own: Floats
    own_rest: Floats
    gaussian: Floats
    gaussian_rest: Floats
    gaussian_fall: Floats

    @classmethod
    def of(cls, points: OperatingPoints, mu: float, *, remove: bool) -> "_Profiles":
        """At thresholds epsilon of one direction.

        Raises:
            ConvergenceError: if something there is not a number.
        """
        if remove:
            epsilon, log_delta, log_rate, log_other = (
                points.tau,
                points.log_delta_remove,
                points.log_fpr,
                points.log_fnr,
            )
        else:
            epsilon, log_delta, log_rate, log_other = -points.tau, points.log_delta_add, points.log_fnr, points.log_fpr
        fall, rounding = gaussian_fall(epsilon, mu), SETTINGS.rounding
        profiles = cls(
            epsilon,
            np.minimum(np.exp(log_delta) * (1 + points.errors), 1.0),
            np.exp(np.logaddexp(log_other, log_rate + epsilon)) * (1 - points.errors),
            numerics.profile(np.full_like(epsilon, mu), epsilon) * (1 - rounding),
            (special.ndtr(epsilon / mu - 0.5 * mu) + fall) * (1 + rounding),
            fall,
        )
        if not np.isfinite(profiles.own + profiles.own_rest + profiles.gaussian + profiles.gaussian_rest).all():
            raise ConvergenceError("the privacy profile cannot be read so far below the floor")
        return profiles

    def value(self) -> Floats:
        """The quotient whose supremum is the slack, or 0."""
        excess = self._excess()
        return np.where(excess > 0, excess / self.gaussian_rest, 0.0)

    def between(self) -> Floats:
        """Bounds on it between neighbouring samples."""
        small = self.own[:-1] < 0.5
        drops = np.where(small, -np.diff(self.own), np.diff(self.own_rest))
        gaps = largest_gap(self.epsilon, self._excess(), drops, self.gaussian_fall)
        return np.where(gaps > 0, gaps / self.gaussian_rest[:-1], 0.0)

    def _excess(self) -> Floats:
        """own - gaussian, from whichever of the two and their complements are smaller."""
        return np.where(self.own < 0.5, self.own - self.gaussian, self.gaussian_rest - self.own_rest)


@dataclass(frozen=True)
class RegretSettings:
    """What is tuned about the search for the regret."""

    gap: float = 1e-7  # by which the regret may be rounded up
    degree: int = 16  # of the first interpolant
    samples: int = 40  # thresholds of the whole curve where the floor leaves only a part of it
    negligible_quantile: float = 6.0  # normal quantile whose tail, 1e-9, is far below the gap


REGRET = RegretSettings()


def interpolated_regret(piece: Piece, mu: float) -> float | None:
    """The regret from samples at Chebyshev points from zero on, if they tell; rounded up by at most 1e-7."""
    if piece.low != 0:
        return None
    profiles = _Gaps.of(piece.samples, mu)
    values = _value(profiles)
    function = Interpolant(piece.low, piece.high, values)
    beyond = _beyond(profiles, 0)
    if function.error > REGRET.gap or beyond > max(float(values.max()), REGRET.gap):
        return None
    return max(function.largest(piece.low, piece.high)[0] + function.error, beyond, 0.0)


class RegretSearch:
    """Where the regret is to be sought, and then the regret itself.

    Args:
        known: operating points at rising thresholds; zero is one of them.
        mu: of the GDP curve.
    """

    open: bool

    def __init__(self, known: OperatingPoints, mu: float) -> None:
        self._mu = mu
        profiles = _Gaps.of(known, mu)
        self._epsilon = profiles.epsilon
        values, bounds = _value(profiles), _between(profiles)
        top = int(values.argmax())
        active = np.flatnonzero(bounds > max(float(values[top]), 0.0))
        first, last = max(top - 1, 0), min(top + 1, values.size - 1)
        if active.size:
            first, last = min(first, int(active[0])), max(last, int(active[-1]) + 1)
        self._low, self._high = float(self._epsilon[first]), float(self._epsilon[last])
        beyond = _beyond(profiles, -1)
        self.open = beyond > max(float(values[top]), REGRET.gap)  # whether the regret may be beyond what is known
        self._elsewhere = max(float(bounds[:first].max(initial=beyond)), float(bounds[last:].max(initial=0.0)))

    def regret(self, read: Callable[[Floats], OperatingPoints]) -> float:
        """The regret, rounded up by at most 1e-7, by further points."""

        def sample(epsilon: Floats) -> _Gaps:
            return _Gaps.of(read(epsilon), self._mu)

        first = sample(chebyshev_points(self._low, self._high, REGRET.degree))
        try:
            function, _ = resolve(self._low, self._high, first, sample, _value, lambda _: REGRET.gap)
            best = function.largest(self._low, self._high)[0] + function.error
            if self._elsewhere <= best + REGRET.gap:
                return max(best, self._elsewhere, 0.0)
        except ConvergenceError:
            pass
        known = sample(self._epsilon)
        return max(supremum(known, sample, _value, _between, REGRET.gap, 0.0).upper, _beyond(known, -1), 0.0)


def farthest(mu: float) -> float:
    """An epsilon past which mu-GDP has no delta to speak of."""
    return mu * (REGRET.negligible_quantile + 0.5 * mu)


@dataclass(frozen=True, slots=True)
class _Gaps(Columns):
    """delta of mu-GDP and of the mechanism at epsilons, the latter with e^epsilon times the rate of its best attack."""

    epsilon: Floats
    gaussian: Floats
    own: Floats
    own_fall: Floats

    @classmethod
    def of(cls, points: OperatingPoints, mu: float) -> "_Gaps":
        """At thresholds from zero on, with the errors of the points on the safe side."""
        upper = points.tau >= 0
        some = slice(None) if upper.all() else upper
        epsilon, errors = points.tau[some], points.errors[some]
        gaussian = special.ndtr(0.5 * mu - epsilon / mu) - gaussian_fall(epsilon, mu)
        own, rate = points.log_delta_remove[some] - errors, points.log_fpr[some] + errors
        return cls(epsilon, gaussian, np.exp(own), np.exp(epsilon + rate))


def _beyond(profiles: _Gaps, last: int) -> float:
    """A bound on the quotient past the last sample."""
    return float(profiles.gaussian[last] * special.expit(-profiles.epsilon[last]))


def _value(profiles: _Gaps) -> Floats:
    distance: Floats = (profiles.gaussian - profiles.own) * special.expit(-profiles.epsilon)
    return distance


def _between(profiles: _Gaps) -> Floats:
    gaps, drops = profiles.gaussian - profiles.own, -np.diff(profiles.gaussian)
    bounds = largest_gap(profiles.epsilon, gaps, drops, profiles.own_fall)
    bounds *= special.expit(-profiles.epsilon[:-1])
    return bounds
