r"""Thresholds of given tail probabilities by the saddlepoint approximation: nearly right, for the price of a few tilts.

With K the log moment generating function of the loss, and s the distance of the tilt from 0 (for probabilities under
Q) or from 1 (under P),

.. math:: r^* = w + \frac1w \log\frac uw, \qquad w = \pm\sqrt{2 (s K' - K)}, \qquad u = s \sqrt{K''},

is nearly the normal quantile of the probability that the loss exceeds K' (Barndorff-Nielsen 1986).
"""

import math
from dataclasses import dataclass

from gaussdp.accounting.loss.cumulants import LossCumulants, Tilt


@dataclass(frozen=True)
class SaddlepointSettings:
    """What is tuned about the approximation."""

    close: float = 0.1  # quantiles between the threshold asked for and one from which a straight line leads there
    moderate: float = 1.0  # quantile from which on the formula is far from its removable singularity
    max_steps: int = 12  # tilts tried
    large_correction: float = 0.15  # of the quantile: the approximation is not to be trusted
    negligible: float = 12.0  # -log of the weight of the outputs at the cutoff from which on they do not matter
    heavy: float = 1.0  # ... and below which they rule: losses are then common or rare, with nothing in between


SETTINGS = SaddlepointSettings()


def near_quantile(
    cumulants: LossCumulants, origin: Tilt, quantile: float, pole: float, *, roughly: bool = False
) -> float | None:
    """The threshold that the loss exceeds with probability 1 - Phi(quantile), to some thousandths of a quantile.

    Args:
        cumulants: of the loss.
        origin: its tilt at 0.
        quantile: of the normal law.
        pole: 0 for the probability under Q, 1 for that under P.
        roughly: whether to take the approximation wherever there is one.
    Returns:
        None where the approximation is not known to be that good.
    """
    if abs(quantile) < SETTINGS.moderate:
        return None
    skewness = origin.third / (origin.variance * origin.deviation)
    shift = quantile / origin.deviation
    # The variance grows with the tilt; this is where w reaches the quantile if the third cumulant is constant.
    shift /= max(1 + skewness * (quantile + pole * origin.deviation) / 3, 0.5)
    low, high = (0.0, math.inf) if quantile > 0 else (-math.inf, 0.0)
    for _ in range(SETTINGS.max_steps):
        tilt = cumulants.tilt(pole + shift)
        squared = 2 * (shift * tilt.mean - tilt.value)
        cut = min((grid.cut for grid in tilt.grids), default=math.inf)
        if cut < SETTINGS.heavy or not (0 < squared < math.inf and 0 < tilt.variance < math.inf):
            return None
        w = math.copysign(math.sqrt(squared), quantile)
        correction = math.log(shift * tilt.deviation / w) / w
        miss = quantile - w - correction
        per_quantile = w / shift  # of the mean
        if abs(miss) < SETTINGS.close:
            sure = abs(correction) < SETTINGS.large_correction and cut > SETTINGS.negligible
            return tilt.mean + miss * per_quantile if sure or roughly else None
        if miss > 0:
            low = shift
        else:
            high = shift
        # The logarithm of w is nearly linear where w grows fast.
        shift += math.log(max((quantile - correction) / w, 0.1)) * w * per_quantile / tilt.variance
        if not low < shift < high:
            shift = 0.5 * (low + high) if math.isfinite(low + high) else 2 * (low if quantile > 0 else high)
    return None
