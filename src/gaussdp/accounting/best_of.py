r"""The best of a random number of runs: a bound on its profile from that of one run.

.. math:: \delta(\varepsilon) \le m\,\delta_1(\varepsilon - (\eta + 1)\log C),\qquad
          C = \min_{\varepsilon_1 \ge 0}\; e^{\varepsilon_1} + \frac{1-\gamma}{\gamma}\,\delta_1(\varepsilon_1)

for truncated negative binomial numbers of runs with mean m, shape eta and parameter gamma; docs/mechanisms.md has the
derivation. What is minimised is convex in :math:`e^{\varepsilon_1}`, and any epsilon_1 gives a bound.
"""

import math
from dataclasses import dataclass

import numpy as np

from gaussdp.guarantees import Guarantee, ProfilePoints
from gaussdp.mechanisms import BestOf
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class BestOfSettings:
    """What is tuned about the profile of the best run."""

    points: int = 2000  # of the profile of one run
    deepest: float = 1e-60  # delta of one run down to which its profile is read
    largest: float = 600.0  # epsilon of a point
    error: float = 1e-9  # relative, of the deltas of an accounted curve
    rounds: int = 6  # of the search for the least factor, each between the neighbours of the best so far
    tried: int = 24  # in each
    rounding: float = 1e-14  # relative, of the few operations on what was read


SETTINGS = BestOfSettings()


def best_of_profile(best: BestOf, one: Guarantee) -> ProfilePoints:
    """Points of a profile that holds for the best run, from the guarantee of one run."""
    if isinstance(one, ProfilePoints):
        grid, deltas = one.epsilons, one.deltas
    else:
        last = min(one.epsilon(SETTINGS.deepest), SETTINGS.largest)
        grid = np.linspace(0.0, last, SETTINGS.points)
        deltas = np.minimum(one.delta(grid) * (1 + SETTINGS.error), 1.0)
    shift = (best.eta + 1) * _log_factor(best, one, float(grid[-1]))
    moved, scaled = grid + shift, best.mean_runs * deltas
    kept = (moved <= SETTINGS.largest) & (scaled < 1)
    if not kept.any():
        return ProfilePoints([0.0], [1.0])
    return ProfilePoints(moved[kept], scaled[kept] * (1 + SETTINGS.rounding))


def _log_factor(best: BestOf, one: Guarantee, most: float) -> float:
    """log C, rounded up: the least of many that hold."""
    odds = (1 - best.gamma) / best.gamma

    def logs(tried: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            found: Floats = np.logaddexp(tried, math.log(odds) + np.log(one.delta(tried) * (1 + SETTINGS.error)))
        return found

    low, high = 0.0, most
    best_log = math.inf
    for _ in range(SETTINGS.rounds):
        tried: Floats = np.linspace(low, high, SETTINGS.tried)
        found = logs(tried)
        place = int(np.argmin(found))
        best_log = min(best_log, float(found[place]))
        low, high = float(tried[max(place - 1, 0)]), float(tried[min(place + 1, SETTINGS.tried - 1)])
    return best_log * (1 + SETTINGS.rounding)
