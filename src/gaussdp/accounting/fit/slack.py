r"""What a GDP curve leaves out of an accounted one: the slack that makes a fit hold for every attack.

With the profiles :math:`\delta_M` of the mechanism and :math:`\delta_\mu` of mu-GDP, for epsilon >= 0,

.. math:: \mathrm{slack} = \sup_\varepsilon \frac{\delta_M(\varepsilon) - \delta_\mu(\varepsilon)}
          {1 - \delta_\mu(\varepsilon)},

or 0 where nothing is positive.
"""

from dataclasses import dataclass

import numpy as np

from gaussdp.accounting.fit.profiles import Profiles, largest_gap
from gaussdp.accounting.fit.supremum import supremum
from gaussdp.accounting.operating_points import LossTails, OperatingPoints
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class SlackSettings:
    """What is tuned about the search for the slack."""

    gap: float = 1e-2
    """Relative; what is reported is the bound above."""
    negligible: float = 1e-3
    """Of the floor: no search for slack below."""
    tie: float = 1e-8
    """Relative excess of the add direction over the remove direction that is none."""
    checks: int = 20
    """Epsilons at which the two directions are compared."""
    samples: int = 40
    """To begin with, over the attacks above the floor."""
    stretch: float = 1.15
    ahead: int = 12
    most_stretches: int = 60
    """Beyond, epsilon grows by this factor, in this many steps, and so often at the most."""


SETTINGS = SlackSettings()


@dataclass(frozen=True)
class SlackSearch:
    """The search for the slack, which looks far below the floor.

    Attributes:
        tails: the loss.
        mu: parameter of the GDP curve.
        floor: error rate down to which mu was fitted.
        known: operating points with rising thresholds that span the attacks above the floor.
    """

    tails: LossTails
    mu: float
    floor: float
    known: OperatingPoints

    def _add_is_worse(self) -> bool:
        """Whether adding a record is worse than removing one, at any of some epsilons.

        It is never seen to be; but that it cannot be is not a theorem for compositions.
        """
        known = self.known
        mirrored = np.flatnonzero((known.tau < 0) & (-known.tau <= known.tau[-1]))
        mirrored = mirrored[:: max(1, mirrored.size // SETTINGS.checks)]
        if mirrored.size == 0:
            return False
        remove = self.tails.read(-known.tau[mirrored]).complete().log_delta_remove
        return bool(np.any(known.log_delta_add[mirrored] > remove + SETTINGS.tie))

    def slack(self) -> float:
        """The least delta with delta_M <= delta + (1 - delta) delta_mu, rounded up by about one per cent."""
        with np.errstate(all="ignore"):
            return self._slack(both=self._add_is_worse())

    def _slack(self, *, both: bool) -> float:
        highest = max(float(self.known.tau[-1]), self.mu)
        samples, found = self._sample(np.linspace(0.0, highest, SETTINGS.samples), both=both), 0.0
        negligible = SETTINGS.negligible * self.floor * min(self.mu, 1.0)
        for _ in range(SETTINGS.most_stretches):
            found = max(found, float(_value(samples).max()))
            if samples.own[-1] <= max(SETTINGS.gap * found, negligible):
                break
            ahead = float(samples.epsilon[-1]) * np.linspace(1.0, SETTINGS.stretch, SETTINGS.ahead + 1)[1:]
            try:
                samples = Profiles.joined((samples, self._sample(ahead, both=both)))
            except ConvergenceError:
                break  # the bound at the last sample still holds
        beyond = float(samples.own[-1])
        best = supremum(
            samples,
            lambda epsilon: self._sample(epsilon, both=both),
            _value,
            _between,
            max(beyond, 1e-16),
            SETTINGS.gap,
        )
        return min(max(best.upper, beyond), 1.0)

    def _sample(self, epsilon: Floats, *, both: bool) -> Profiles:
        points = self.tails.read(epsilon).complete()
        log_delta, log_rate = points.log_delta_remove, points.log_fpr
        if both:
            mirror = self.tails.read(-epsilon).complete()
            add = mirror.log_delta_add > log_delta
            log_delta = np.where(add, mirror.log_delta_add, log_delta)
            log_rate = np.where(add, mirror.log_fnr, log_rate)
        return Profiles.of(epsilon, log_delta, log_rate, self.mu, relative=True)


def _value(profiles: Profiles) -> Floats:
    excess: Floats = np.maximum((profiles.own - profiles.gaussian) / (1 - profiles.gaussian), 0.0)
    return excess


def _between(profiles: Profiles) -> Floats:
    gap = largest_gap(profiles.epsilon, profiles.own, profiles.gaussian, profiles.gaussian_slope)
    bound: Floats = gap / (1 - profiles.gaussian[:-1])
    return bound
