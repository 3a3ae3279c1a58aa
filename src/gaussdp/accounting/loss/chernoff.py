r"""A bound on the profile of adding a record, for the price of a few moments: mostly far below that of removing one.

With the loss L of removal, adding a record has
:math:`\delta(\varepsilon) = E_Q[(1 - e^{\varepsilon + L})_+]`, and for :math:`u = -\varepsilon - L` and s > 0

.. math:: (1 - e^{-u})_+ \le \frac{1}{s + 1}\Bigl(\frac{s}{s + 1}\Bigr)^s e^{su}, \qquad
          \log \delta(\varepsilon) \le K(-s) - s\varepsilon + s \log\frac{s}{s + 1} - \log(s + 1)

as :math:`e^{-su} - e^{-(s+1)u}` is largest at :math:`u = \log(1 + 1/s)` (Canonne, Kamath & Steinke 2020, Proposition
12, for the pair of the other order). Where that is below the profile of removal, adding need not be computed.
"""

from dataclasses import dataclass

import numpy as np

from gaussdp.accounting.loss.cumulants import LossCumulants
from gaussdp.numerics import Booleans, Floats


@dataclass(frozen=True)
class ChernoffSettings:
    """What is tuned about the bound."""

    tilts: tuple[float, float, int] = (0.5, 60.0, 24)  # from, to and how many, in inverse deviations
    margin: float = 0.01  # by which the logarithm of the bound must lie below, far more than its rounding


SETTINGS = ChernoffSettings()


class AddingBound:
    """The bound for a composed loss with this deviation under Q."""

    def __init__(self, cumulants: LossCumulants, deviation: float) -> None:
        self._tilts = np.geomspace(*SETTINGS.tilts) / deviation
        s = self._tilts
        self._logs = cumulants.values(-s) + s * np.log(s / (s + 1)) - np.log1p(s)

    def below(self, epsilon: Floats, log_delta: Floats) -> Booleans:
        """At which of these epsilons the profile of adding a record surely is smaller than these deltas."""
        bounds = (self._logs - np.multiply.outer(epsilon, self._tilts)).min(axis=-1)
        smaller: Booleans = bounds < log_delta - SETTINGS.margin
        return smaller
