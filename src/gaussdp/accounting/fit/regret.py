r"""How far a GDP curve lies below an accounted one: the regret of reporting mu alone.

With the profiles :math:`\delta_M` of the mechanism and :math:`\delta_\mu` of mu-GDP,

.. math:: \mathrm{regret} = \sup_{\varepsilon \ge 0} \frac{\delta_\mu(\varepsilon) - \delta_M(\varepsilon)}
          {1 + e^\varepsilon},

or 0 where nothing is positive: the least kappa with f(alpha + kappa) - kappa <= f_mu(alpha). Tangents of slope
-e^epsilon have intercepts 1 - delta, so the quotient is the diagonal distance between parallel tangents, and where the
curves are farthest apart along the diagonal their tangents are parallel.

Only the remove direction is read: if adding a record were worse, the regret would be smaller.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from gaussdp.accounting.columns import Columns
from gaussdp.accounting.fit.chebyshev import Interpolant, chebyshev_points, resolve
from gaussdp.accounting.fit.span import Piece, Sample
from gaussdp.accounting.fit.supremum import gaussian_fall, largest_gap, supremum
from gaussdp.accounting.operating_points import OperatingPoints
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class RegretSettings:
    """What is tuned about the search for the regret."""

    gap: float = 1e-7  # by which the regret may be rounded up
    degree: int = 16  # of the first interpolant
    negligible_quantile: float = 6.0  # normal quantile whose tail, 1e-9, is far below the gap
    steepest: float = 0.2
    """Change of the quotient with mu: delta_mu changes by at most 1 / sqrt(2 pi), and is halved at least."""


SETTINGS = RegretSettings()


def interpolated_regret(piece: Piece, mu: float) -> float | None:
    """The regret from samples at Chebyshev points from zero on, if they tell; rounded up by at most 1e-7."""
    if piece.low != 0:
        return None
    profiles = _Profiles.of(piece.samples, mu)
    values = _value(profiles)
    function = Interpolant(piece.low, piece.high, values)
    beyond = _beyond(profiles, 0)
    if function.error > SETTINGS.gap or beyond > max(float(values.max()), SETTINGS.gap):
        return None
    return max(function.largest(piece.low, piece.high)[0] + function.error, beyond, 0.0)


class RegretSearch:
    """Where the regret is to be sought, and then the regret itself.

    Args:
        known: operating points at rising thresholds; zero is one of them.
        mu: of the GDP curve, nearly; the last digits may follow when the regret is asked for.
    """

    open: bool

    def __init__(self, known: OperatingPoints, mu: float) -> None:
        self._mu = mu
        profiles = _Profiles.of(known, mu)
        self._epsilon = profiles.epsilon
        values, bounds = _value(profiles), _between(profiles)
        top = int(values.argmax())
        active = np.flatnonzero(bounds > max(float(values[top]), 0.0))
        first, last = max(top - 1, 0), min(top + 1, values.size - 1)
        if active.size:
            first, last = min(first, int(active[0])), max(last, int(active[-1]) + 1)
        self._low, self._high = float(self._epsilon[first]), float(self._epsilon[last])
        beyond = _beyond(profiles, -1)
        self.open = beyond > max(float(values[top]), SETTINGS.gap)  # whether the regret may be beyond what is known
        self._elsewhere = max(float(bounds[:first].max(initial=beyond)), float(bounds[last:].max(initial=0.0)))

    @property
    def thresholds(self) -> Floats:
        """Where the loss is to be read: Chebyshev points of an interval that holds the regret."""
        return chebyshev_points(self._low, self._high, SETTINGS.degree)

    def regret(self, mu: float, points: OperatingPoints, read: Sample) -> float:
        """The regret, rounded up by at most 1e-7.

        Args:
            mu: all digits of mu.
            points: the operating points at the thresholds.
            read: reads the loss, for more of them.
        """

        def sample(epsilon: Floats) -> _Profiles:
            return _Profiles.of(read(epsilon), mu)

        elsewhere = self._elsewhere + SETTINGS.steepest * abs(mu - self._mu)
        try:
            first = _Profiles.of(points, mu)
            function, _ = resolve(self._low, self._high, first, sample, _value, lambda _: SETTINGS.gap)
            best = function.largest(self._low, self._high)[0] + function.error
            if elsewhere <= best + SETTINGS.gap:
                return max(best, elsewhere, 0.0)
        except ConvergenceError:
            pass
        known = sample(self._epsilon)
        return max(supremum(known, sample, _value, _between, SETTINGS.gap, 0.0).upper, _beyond(known, -1), 0.0)


def farthest(mu: float) -> float:
    """An epsilon past which mu-GDP has no delta to speak of."""
    return mu * (SETTINGS.negligible_quantile + 0.5 * mu)


@dataclass(frozen=True, slots=True)
class _Profiles(Columns):
    """delta of mu-GDP and of the mechanism at epsilons, the latter with e^epsilon times the rate of its best attack."""

    epsilon: Floats
    gaussian: Floats
    own: Floats
    own_fall: Floats

    @classmethod
    def of(cls, points: OperatingPoints, mu: float) -> "_Profiles":
        """At thresholds from zero on, with the errors of the points on the safe side."""
        upper = points.tau >= 0
        epsilon, errors = points.tau[upper], points.errors[upper]
        gaussian = special.ndtr(0.5 * mu - epsilon / mu) - gaussian_fall(epsilon, mu)
        own, rate = points.log_delta_remove[upper] - errors, points.log_fpr[upper] + errors
        return cls(epsilon, gaussian, np.exp(own), np.exp(epsilon + rate))


def _beyond(profiles: _Profiles, last: int) -> float:
    """A bound on the quotient past the last sample."""
    return float(profiles.gaussian[last] * special.expit(-profiles.epsilon[last]))


def _value(profiles: _Profiles) -> Floats:
    distance: Floats = (profiles.gaussian - profiles.own) * special.expit(-profiles.epsilon)
    return distance


def _between(profiles: _Profiles) -> Floats:
    gaps, drops = profiles.gaussian - profiles.own, -np.diff(profiles.gaussian)
    bounds = largest_gap(profiles.epsilon, gaps, drops, profiles.own_fall)
    bounds *= special.expit(-profiles.epsilon[:-1])
    return bounds
