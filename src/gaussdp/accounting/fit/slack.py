r"""What a GDP curve leaves out of an accounted one: the slack that makes a fit hold for every attack.

With the profiles :math:`\delta_M` of the mechanism and :math:`\delta_\mu` of mu-GDP, for epsilon >= 0,

.. math:: \mathrm{slack} = \sup_\varepsilon \frac{\delta_M(\varepsilon) - \delta_\mu(\varepsilon)}
          {1 - \delta_\mu(\varepsilon)},

or 0 where nothing is positive.
"""

import numpy as np
from scipy import special

from gaussdp import numerics
from gaussdp.accounting.fit.supremum import largest_gap, supremum
from gaussdp.accounting.operating_points import LossTails, OperatingPoints
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats

_SLACK_GAP = 1e-2  # relative; what is reported is the bound above
_NEGLIGIBLE = 1e-3  # of delta at the floor: no search for slack below
_TIE = 1e-8
_CHECKS = 20
_SAMPLES = 40
_STRETCH = 1.15
_MAX_STRETCHES = 60
_AHEAD = 12


class SlackSearch:
    """The search for the slack, which looks far below the floor.

    Args:
        tails: the loss.
        mu: parameter of the GDP curve.
        floor: error rate down to which mu was fitted.
        known: operating points with sorted thresholds that span the attacks above the floor.
    """

    def __init__(self, tails: LossTails, mu: float, floor: float, known: OperatingPoints) -> None:
        self._tails, self._mu, self._floor, self._known = tails, mu, floor, known

    def _add_is_worse(self) -> bool:
        """Whether adding a record is worse than removing one, at any of some epsilons.

        It is never seen to be; but that it cannot be is not a theorem for compositions.
        """
        known = self._known
        mirrored = np.flatnonzero((known.tau < 0) & (-known.tau <= known.tau[-1]))
        mirrored = mirrored[:: max(1, mirrored.size // _CHECKS)]
        if mirrored.size == 0:
            return False
        remove = self._tails.read(-known.tau[mirrored]).log_delta_remove
        return bool(np.any(known.log_delta_add[mirrored] > remove + _TIE))

    def slack(self) -> float:
        """The least delta with delta_M <= delta + (1 - delta) delta_mu, rounded up by about one per cent."""

        def value(table: Floats) -> Floats:
            _, own, _, gaussian, _ = table
            excess: Floats = np.maximum((own - gaussian) / (1 - gaussian), 0.0)
            return excess

        def between(table: Floats) -> Floats:
            epsilon, own, _, gaussian, gaussian_slope = table
            bound: Floats = largest_gap(epsilon, own, gaussian, gaussian_slope) / (1 - gaussian[:-1])
            return bound

        both = self._add_is_worse()
        highest = max(float(self._known.tau[-1]), self._mu)
        table, found = self._sample(np.linspace(0.0, highest, _SAMPLES), both=both), 0.0
        negligible = _NEGLIGIBLE * self._floor * min(self._mu, 1.0)
        for _ in range(_MAX_STRETCHES):
            found = max(found, float(value(table).max()))
            if table[1, -1] <= max(_SLACK_GAP * found, negligible):
                break
            ahead = float(table[0, -1]) * np.linspace(1.0, _STRETCH, _AHEAD + 1)[1:]
            try:
                table = np.hstack((table, self._sample(ahead, both=both)))
            except ConvergenceError:
                break  # the bound at the last sample still holds
        beyond = float(table[1, -1])
        best = supremum(
            table, lambda epsilon: self._sample(epsilon, both=both), value, between, max(beyond, 1e-16), _SLACK_GAP
        )
        return min(max(best.upper, beyond), 1.0)

    def _sample(self, epsilon: Floats, *, both: bool) -> Floats:
        points = self._tails.read(epsilon)
        log_delta, log_rate = points.log_delta_remove, points.log_fpr
        if both:
            mirror = self._tails.read(-epsilon)
            add = mirror.log_delta_add > log_delta
            log_delta = np.where(add, mirror.log_delta_add, log_delta)
            log_rate = np.where(add, mirror.log_fnr, log_rate)
        return self._table(epsilon, log_delta, log_rate)

    def _table(self, epsilon: Floats, log_delta: Floats, log_rate: Floats) -> Floats:
        """Rows epsilon, delta_M and its slope, delta_mu and its slope; a profile's slope is -e^epsilon times a rate."""
        mu = self._mu
        return np.stack(
            (
                epsilon,
                np.exp(log_delta),
                -np.exp(epsilon + log_rate),
                numerics.profile(np.full_like(epsilon, mu), epsilon),
                -np.exp(epsilon + special.log_ndtr(-epsilon / mu - 0.5 * mu)),
            )
        )
