r"""What a GDP curve leaves out of an accounted one: the slack that makes a fit hold for every attack.

With the profiles :math:`\delta_M` of the mechanism and :math:`\delta_\mu` of mu-GDP, for epsilon >= 0,

.. math:: \mathrm{slack} = \sup_\varepsilon \frac{\delta_M(\varepsilon) - \delta_\mu(\varepsilon)}
          {1 - \delta_\mu(\varepsilon)},

or 0 where nothing is positive. Where the best attack at epsilon has both error rates above the floor nothing is, since
the fit holds for that attack: the search begins where one of them falls below. Both directions are searched; that
removing a record is always the worse one is not a theorem for compositions.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from gaussdp import numerics
from gaussdp.accounting.columns import Columns
from gaussdp.accounting.fit.supremum import gaussian_fall, largest_gap, supremum
from gaussdp.accounting.operating_points import LossTails, OperatingPoints
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
class SlackSearch:
    """The search for the slack, which looks far below the floor.

    Attributes:
        tails: the loss.
        mu: parameter of the GDP curve, which holds for all attacks above the floor.
        floor: error rate down to which mu was fitted.
        known: operating points with rising thresholds that span the attacks above the floor.
    """

    tails: LossTails
    mu: float
    floor: float
    known: OperatingPoints

    def slack(self) -> float:
        """The least delta with delta_M <= delta + (1 - delta) delta_mu, rounded up by about one per cent."""
        with np.errstate(all="ignore"):
            try:
                return max(self._slack(remove=False, found=self._slack(remove=True, found=0.0)), 0.0)
            except ConvergenceError:
                return 1.0  # nothing is known below the floor

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
        known, log_floor = self.known, math.log(self.floor)
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
