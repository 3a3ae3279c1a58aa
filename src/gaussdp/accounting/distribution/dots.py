r"""Losses whose profile has a closed form, on a grid: the distribution that joins the dots, which is pessimistic.

With :math:`y = e^{\varepsilon/2}` the profile over :math:`e^\varepsilon` is, up to the largest loss, :math:`1 - y/y_0`
for Laplace noise with :math:`y_0 = e^{1/2b}`, and :math:`(1 - sy)^2/(1 - s^2)` for a choice of bounded range with
:math:`s = e^{-\eta/2}`. Between neighbours of a grid of spacing h its chord has the slope
:math:`-\frac{1}{y_0(y + y')}` or :math:`-\frac{s}{1 - s^2}(\frac{2}{y + y'} - s)`. The masses without the record are
the changes of slope, both times multiples of :math:`\tanh(h/4)/y` but for the last two, so nothing cancels.
"""

import math

import numpy as np

from gaussdp.numerics import Floats


def laplace_masses(epsilon: float, interval: float) -> Floats:
    """Probabilities, with the record, of the losses j * interval from -n to n, for noise of scale 1 / epsilon."""
    last = max(math.ceil(epsilon / interval), 1)
    before = -math.expm1(0.5 * min((last - 1) * interval - epsilon, 0.0))
    factor = math.exp(-0.5 * epsilon)
    flat = factor * math.exp(-0.5 * (last - 1) * interval) / (1 + math.exp(-0.5 * interval))
    return _masses(last, interval, factor, before, flat)


def logistic_masses(eta: float, interval: float) -> Floats:
    """The same for a choice of bounded range eta."""
    last = max(math.ceil(eta / interval), 1)
    root, rest = math.exp(-0.5 * eta), -math.expm1(-eta)
    before = math.expm1(0.5 * min((last - 1) * interval - eta, 0.0)) ** 2 / rest
    steps = math.exp(-0.5 * (last - 1) * interval) / (1 + math.exp(-0.5 * interval))
    return _masses(last, interval, 2 * root / rest, before, root / rest * (2 * steps - root))


def _masses(last: int, interval: float, factor: float, before: float, flat: float) -> Floats:
    """The masses of a symmetric loss.

    Args:
        last: place of the first epsilon at which delta is 0.
        interval: spacing of the grid.
        factor: of tanh(h / 4) / y, the masses without the record.
        before: delta at the epsilon before the last.
        flat: minus the slope of the chord that ends there.
    """
    growth = interval * np.arange(1, last + 1)
    without = factor * math.tanh(0.25 * interval) * np.exp(-0.5 * growth)
    steep = before * math.exp(-(last - 1) * interval) / math.expm1(interval)  # of the last chord
    if last > 1:
        without[-2] = max(flat - steep, 0.0)
    without[-1] = steep
    with_record = without * np.exp(growth)
    rest = max(1 - math.fsum(without) - math.fsum(with_record), 0.0)
    return np.concatenate((without[::-1], [rest], with_record))
