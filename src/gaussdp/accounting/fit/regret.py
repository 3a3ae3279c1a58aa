r"""How far a GDP curve lies below an accounted one: the regret of reporting mu alone.

With the profiles :math:`\delta_M` of the mechanism and :math:`\delta_\mu` of mu-GDP,

.. math:: \mathrm{regret} = \sup_{\varepsilon \ge 0} \frac{\delta_\mu(\varepsilon) - \delta_M(\varepsilon)}
          {1 + e^\varepsilon},

or 0 where nothing is positive: the least kappa with f(alpha + kappa) - kappa <= f_mu(alpha). Tangents of slope
-e^epsilon have intercepts 1 - delta, so the quotient is the diagonal distance between parallel tangents, and where the
curves are farthest apart along the diagonal their tangents are parallel.

Only the remove direction is read: if adding a record were worse, the regret would be smaller.
"""

import numpy as np
from scipy import special

from gaussdp.accounting.fit.chebyshev import Interpolant, chebyshev_points, resolve
from gaussdp.accounting.fit.span import Piece, as_points
from gaussdp.accounting.fit.supremum import largest_gap, supremum
from gaussdp.accounting.operating_points import LossTails, OperatingPoints
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats

_GAP = 1e-7
_DEGREE = 16
_NEGLIGIBLE_QUANTILE = 6.0
_STEEPEST = 0.2  # change of the quotient with mu: delta_mu changes by at most 1 / sqrt(2 pi), and is halved at least


def interpolated_regret(piece: Piece, mu: float) -> float | None:
    """The regret from samples at Chebyshev points from zero on, if they tell; rounded up by at most 1e-7."""
    if piece.low != 0:
        return None
    table = _table(as_points(piece.table), mu)
    values = _value(table)
    function = Interpolant(piece.low, piece.high, values)
    beyond = float(table[3, 0] * special.expit(-table[0, 0]))
    if function.error > _GAP or beyond > max(float(values.max()), _GAP):
        return None
    return max(function.largest(piece.low, piece.high)[0] + function.error, beyond, 0.0)


class RegretSearch:
    """Where the regret is to be sought, and then the regret itself.

    Args:
        known: operating points at rising thresholds; zero is one of them.
        mu: of the GDP curve, nearly; the last digits may follow when the regret is asked for.
    """

    def __init__(self, known: OperatingPoints, mu: float) -> None:
        self._mu = mu
        self._known = table = _table(known, mu)
        values, bounds = _value(table), _between(table)
        top = int(values.argmax())
        active = np.flatnonzero(bounds > max(float(values[top]), 0.0))
        first, last = max(top - 1, 0), min(top + 1, values.size - 1)
        if active.size:
            first, last = min(first, int(active[0])), max(last, int(active[-1]) + 1)
        self._low, self._high = float(table[0, first]), float(table[0, last])
        beyond = float(table[3, -1] * special.expit(-table[0, -1]))
        self.open = beyond > max(float(values[top]), _GAP)  # whether the regret may be beyond what is known
        self._elsewhere = max(float(bounds[:first].max(initial=beyond)), float(bounds[last:].max(initial=0.0)))

    @property
    def thresholds(self) -> Floats:
        """Where the loss is to be read: Chebyshev points of an interval that holds the regret."""
        return chebyshev_points(self._low, self._high, _DEGREE)

    def regret(self, mu: float, points: OperatingPoints, tails: LossTails) -> float:
        """The regret, rounded up by at most 1e-7.

        Args:
            mu: all digits of mu.
            points: the operating points at the thresholds.
            tails: the loss, for more of them.
        """

        def sample(epsilon: Floats) -> Floats:
            return _table(tails.read(epsilon), mu)

        elsewhere = self._elsewhere + _STEEPEST * abs(mu - self._mu)
        try:
            function, _ = resolve(self._low, self._high, _table(points, mu), sample, _value, lambda _: _GAP)
            best = function.largest(self._low, self._high)[0] + function.error
            if elsewhere <= best + _GAP:
                return max(best, elsewhere, 0.0)
        except ConvergenceError:
            pass
        known = sample(self._known[0])
        beyond = float(known[3, -1] * special.expit(-known[0, -1]))
        return max(supremum(known, sample, _value, _between, _GAP, 0.0).upper, beyond, 0.0)


def farthest(mu: float) -> float:
    """An epsilon past which mu-GDP has no delta to speak of."""
    return mu * (_NEGLIGIBLE_QUANTILE + 0.5 * mu)


def _table(points: OperatingPoints, mu: float) -> Floats:
    """Rows epsilon, delta_M and its slope, and delta_mu: at thresholds from zero on, with absolute accuracy."""
    upper = points.tau >= 0
    epsilon, log_delta, log_rate = points.tau[upper], points.log_delta_remove[upper], points.log_fpr[upper]
    table = np.empty((4, epsilon.size))
    table[0] = epsilon
    table[1] = np.exp(log_delta)
    table[2] = -np.exp(epsilon + log_rate)
    m, h = epsilon / mu, 0.5 * mu
    table[3] = special.ndtr(h - m) - np.exp(epsilon + special.log_ndtr(-h - m))
    return table


def _value(table: Floats) -> Floats:
    distance: Floats = (table[3] - table[1]) * special.expit(-table[0])
    return distance


def _between(table: Floats) -> Floats:
    epsilon, own, own_slope, gaussian = table
    bounds: Floats = largest_gap(epsilon, gaussian, own, own_slope) * special.expit(-epsilon[:-1])
    return bounds
