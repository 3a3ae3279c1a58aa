r"""How far a GDP curve is from an accounted one, both ways, read off the privacy profiles.

With the profiles :math:`\delta_M` of the mechanism and :math:`\delta_\mu` of mu-GDP, for epsilon >= 0,

.. math:: \mathrm{regret} = \sup_\varepsilon \frac{\delta_\mu(\varepsilon) - \delta_M(\varepsilon)}{1 + e^\varepsilon},
          \qquad
          \mathrm{slack} = \sup_\varepsilon \frac{\delta_M(\varepsilon) - \delta_\mu(\varepsilon)}
          {1 - \delta_\mu(\varepsilon)},

or 0 where nothing is positive. The first is the least kappa with f(alpha + kappa) - kappa <= f_mu(alpha): tangents
of slope -e^epsilon have intercepts 1 - delta, so the quotient is the diagonal distance between parallel tangents, and
where the curves are farthest apart along the diagonal their tangents are parallel.
"""

import numpy as np
from scipy import special

from gaussdp import numerics
from gaussdp.accounting._chebyshev import Interpolant, resolve
from gaussdp.accounting._supremum import supremum
from gaussdp.accounting._tails import LossTails, OperatingPoints
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats

_REGRET_GAP = 1e-7
_SLACK_GAP = 1e-2  # relative; what is reported is the bound above
_NEGLIGIBLE = 1e-3  # of delta at the floor: no search for slack below
_TIE = 1e-8
_CHECKS = 20
_SAMPLES = 40
_STRETCH = 1.15
_MAX_STRETCHES = 60
_AHEAD = 12


class ProfileDistances:
    """The distances between the profile of a loss and that of mu-GDP.

    Args:
        tails: the loss.
        mu: parameter of the GDP curve.
        floor: error rate down to which mu was fitted.
        known: operating points with sorted thresholds that span the attacks above the floor.
    """

    def __init__(self, tails: LossTails, mu: float, floor: float, known: OperatingPoints) -> None:
        self._tails, self._mu, self._floor, self._known = tails, mu, floor, known

    def regret(self) -> float:
        """The least kappa with f(alpha + kappa) - kappa <= f_mu(alpha), rounded up by at most 1e-7.

        Only the remove direction is read: if adding a record were worse, the regret would be smaller.
        """
        highest = max(float(self._known.tau[-1]), self._mu)

        def sample(epsilon: Floats) -> Floats:
            return self._sample(epsilon, both=False)

        def value(table: Floats) -> Floats:
            epsilon, own, _, gaussian, _ = table
            distance: Floats = (gaussian - own) * special.expit(-epsilon)
            return distance

        def between(table: Floats) -> Floats:
            epsilon, own, own_slope, gaussian, _ = table
            bound: Floats = _largest_gap(epsilon, gaussian, own, own_slope) * special.expit(-epsilon[:-1])
            return bound

        try:
            function, table = resolve(0.0, highest, sample, value, lambda _: _REGRET_GAP)
            best = function.largest(0.0)[0] + function.error
        except ConvergenceError:
            table = sample(np.linspace(highest, 0.0, _SAMPLES))
            best = supremum(table[:, ::-1], sample, value, between, _REGRET_GAP, 0.0).upper
        last = table[:, 0]
        return max(best, float(last[3] * special.expit(-last[0])), 0.0)

    def smooth_regret(self) -> float | None:
        """The regret from what is known at Chebyshev points, or None if they do not resolve it."""
        tau, depth = self._known.tau, np.abs(self._known.tau)
        own = np.where(tau >= 0, self._known.log_delta_remove, self._known.log_delta_add)
        # Below threshold zero this is the same distance, seen from the other side.
        distance = (numerics.profile(np.full_like(tau, self._mu), depth) - np.exp(own)) * special.expit(-depth)
        function = Interpolant(float(tau[0]), float(tau[-1]), distance[::-1])
        if function.error > _REGRET_GAP or tau[-1] <= 0:
            return None
        return max(function.largest(max(0.0, function.low))[0] + function.error, float(distance[-1]), 0.0)

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
            bound: Floats = _largest_gap(epsilon, own, gaussian, gaussian_slope) / (1 - gaussian[:-1])
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


def _largest_gap(epsilon: Floats, upper: Floats, lower: Floats, lower_slope: Floats) -> Floats:
    """Bounds on upper - lower between neighbouring samples of two convex functions.

    The chord of the first lies above it, the tangents of the second below it; their difference is concave and
    piecewise linear, so it is largest at an end or where the tangents meet.
    """
    width = np.diff(epsilon)
    bend = np.diff(lower_slope)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (lower[:-1] - lower[1:] + lower_slope[1:] * width) / (bend * width)
    share = np.clip(np.where(np.isfinite(share), share, 0.5), 0.0, 1.0)
    chord = upper[:-1] + share * np.diff(upper)
    tangent = np.maximum(
        lower[:-1] + share * width * lower_slope[:-1], lower[1:] - (1 - share) * width * lower_slope[1:]
    )
    ends = upper - lower
    bound: Floats = np.maximum(np.maximum(ends[:-1], ends[1:]), chord - tangent)
    return bound
