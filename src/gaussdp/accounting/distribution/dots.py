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
    short = min((last - 1) * interval - epsilon, 0.0)
    flat = math.exp(0.5 * short) / (1 + math.exp(-0.5 * interval))
    return _masses(last, interval, -0.5 * epsilon, -math.expm1(0.5 * short), flat)


def logistic_masses(eta: float, interval: float) -> Floats:
    """The same for a choice of bounded range eta."""
    last = max(math.ceil(eta / interval), 1)
    short, rest = min((last - 1) * interval - eta, 0.0), -math.expm1(-eta)
    flat = (2 * math.exp(0.5 * short) / (1 + math.exp(-0.5 * interval)) - math.exp(short)) / rest
    return _masses(last, interval, math.log(2 / rest) - 0.5 * eta, math.expm1(0.5 * short) ** 2 / rest, flat)


def _masses(last: int, interval: float, log_factor: float, before: float, flat: float) -> Floats:
    """The masses of a symmetric loss.

    Args:
        last: place of the first epsilon at which delta is 0.
        interval: spacing of the grid.
        log_factor: logarithm of the factor of tanh(h / 4) / y, the masses without the record.
        before: delta at the epsilon before the last.
        flat: minus the slope of the chord that ends there, times e^epsilon there.
    """
    growth = interval * np.arange(1, last + 1)
    narrow = math.tanh(0.25 * interval)
    without, with_record = (narrow * np.exp(log_factor + sign * growth) for sign in (-0.5, 0.5))
    decay = math.exp(-(last - 1) * interval)
    steep = before / math.expm1(interval)  # of the last chord, likewise
    if last > 1:
        with_record[-2] = max(flat - steep, 0.0)
        without[-2] = with_record[-2] * decay
    without[-1], with_record[-1] = steep * decay, steep * math.exp(interval)
    rest = max(1 - math.fsum(without) - math.fsum(with_record), 0.0)
    return np.concatenate((without[::-1], [rest], with_record))
