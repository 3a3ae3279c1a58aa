r"""The privacy loss of a release of bounded range on a grid, from the closed form of its profile.

With :math:`y = e^{\varepsilon/2}` the profile over :math:`e^\varepsilon` has the chord of slope
:math:`-\frac{s}{1 - s^2}(\frac{2}{y + y'} - s)` between two epsilons, :math:`s = e^{-\eta/2}`. The changes of slope are
the masses of the distribution that joins the dots, which is pessimistic; they are sums of positive terms here.
"""

import math

import numpy as np


def logistic_masses(eta: float, interval: float, *, pessimistic: bool) -> dict[int, float]:
    """Probabilities, with the record, of the losses j * interval; for a lower bound each is moved one place down."""
    last = max(math.ceil(eta / interval), 1)
    root, rest = math.exp(-0.5 * eta), -math.expm1(-eta)
    places = np.arange(1, last + 1)
    y = np.exp(0.5 * interval * np.arange(last + 1))
    without = np.empty(last)  # the same without the record, at 1 to last
    without[: last - 1] = 2 * root / rest * (y[2:] - y[:-2]) / ((y[:-2] + y[1:-1]) * (y[1:-1] + y[2:]))
    # The last chord ends at delta = 0, at or beyond eta.
    before = math.expm1(0.5 * min((last - 1) * interval - eta, 0.0)) ** 2 / rest
    steep = before / (y[-2] ** 2 * math.expm1(interval))
    if last > 1:
        flat = root / rest * (2 / (y[-3] + y[-2]) - root)
        without[-2] = max(flat - steep, 0.0)
    without[-1] = steep
    shift = 0 if pessimistic else -1
    masses = {int(j) + shift: float(q) for j, q in zip(places, without * y[1:] ** 2, strict=True)}
    masses |= {-int(j) + shift: float(q) for j, q in zip(places, without, strict=True)}
    masses[shift] = max(1 - math.fsum(masses.values()), 0.0)
    return masses
