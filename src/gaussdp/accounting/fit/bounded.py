"""Whether the enclosure of a fitted mu holds by bounds alone: nothing interpolated, and no error an estimate.

Tests on either side of the floor, and of the threshold at which mu is largest, have error rates with bounded errors; so
do the samples between, of which there are more and more until tangents show that no test exceeds the enclosure.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from gaussdp.accounting.fit.between import mu_between, mu_errors
from gaussdp.accounting.fit.span import Samples, Span
from gaussdp.accounting.fit.supremum import supremum
from gaussdp.accounting.inversion import aside, points_at_floor
from gaussdp.accounting.operating_points import LossTails, bounds_on_errors
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats

_MOST_SAMPLES = 400  # past which errors are too large for tangents to show anything


@dataclass(frozen=True)
class BoundedSearch:
    """The search for such tests.

    Attributes:
        tails: the loss.
        floor: error rate down to which mu was fitted.
        span: samples that span the attacks above the floor.
        tau: threshold of the test at which mu is largest.
    """

    tails: LossTails
    floor: float
    span: Span
    tau: float

    def holds(self, lower: float, upper: float) -> bool:
        """Whether mu lies between these, up to rounding."""
        with np.errstate(all="ignore"):
            try:
                return self._holds(lower, upper)
            except ConvergenceError:
                return False

    def _holds(self, lower: float, upper: float) -> bool:
        inner, outer = self._ends()
        between = np.append(self.span.known.tau, self.tau)
        between = np.unique(between[(between > inner[0]) & (between < inner[1])])
        known = self._sample(np.concatenate((outer[:1], inner[:1], between, inner[1:], outer[1:])))
        log_floor, off = math.log(self.floor), np.log1p(known.errors)
        reaches = max(known.log_fnr[0] + off[0], known.log_fpr[-1] + off[-1]) <= log_floor
        stays = min(known.log_fnr[1] - off[1], known.log_fpr[-2] - off[-2]) >= log_floor
        mu, errors = known.mu(), mu_errors(known)
        # Every sample lies between two corners on its own tangent, but for the first and the last.
        low, high = float((mu - errors)[1:-1].max()), float((mu + errors)[[0, -1]].max())
        if not (reaches and stays and lower <= low and high <= upper):
            return False

        def highest(samples: Samples) -> Floats:
            return np.full(samples.tau.size, upper)

        return supremum(known, self._sample, highest, mu_between, 0.0, 0.0, _MOST_SAMPLES).upper <= upper

    def _ends(self) -> tuple[Floats, Floats]:
        """Thresholds just above the floor and just below it, of the FNR and of the FPR."""
        near = self.span.ends(self.floor)
        ends = points_at_floor(self.tails, self.floor, np.array([near.low, near.high])).complete()
        first, last = (
            aside(self.tails, ends.take(slice(end, end + 1)), under_p=end == 0) for end in range(ends.tau.size)
        )
        apart = np.concatenate((first, -last))
        if not np.isfinite(apart).all():
            raise ConvergenceError("the errors at the floor are estimates")
        return ends.tau + apart, ends.tau - apart

    def _sample(self, tau: Floats) -> Samples:
        """Samples whose errors are bounds.

        Raises:
            ConvergenceError: if one has none.
        """
        points = self.tails.read(tau).complete()
        errors = bounds_on_errors(self.tails, points)
        if not np.isfinite(errors).all():
            raise ConvergenceError("the errors of some readings are estimates")
        return Samples.of(replace(points, errors=errors))
