r"""Several choices of bounded range together, as tightly as can be: the attacker's best game, computed backwards.

With :math:`c = e^{-\eta}` and :math:`H(x) = \delta(\log x)` of what follows, one more choice of range eta has

.. math:: H'(x) = \sup_{cx \le y \le x} \frac{(y - cx)\,H(y) + c\,(x - y)\,H(y/c)}{y\,(1 - c)},

the largest over the worst pairs of one choice (docs/mechanisms.md). H is held as its chords over e^epsilon, which lie
above it, on a grid of which eta is a multiple; between two nodes the quotient is concave in y, and its largest value is
known.
"""

import math
from dataclasses import dataclass

import numpy as np

from gaussdp.guarantees import ProfilePoints
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class ChoiceSettings:
    """What is tuned about games of choices."""

    nodes: int = 24  # to one range, at the least
    spacing: float = 0.04  # of epsilon, at the most
    most_work: float = 1.5e7  # nodes times cells times choices: tenths of a second
    largest: float = 600.0  # epsilon of all choices of a game
    least_eta: float = 1e-5  # below, slopes over a grid lose too many digits
    rounding: float = 1e-12  # relative, of one choice: far more than its sums of positive terms err


SETTINGS = ChoiceSettings()


def games(eta: float, count: int) -> list[tuple[ProfilePoints, int]]:
    """Profiles that so many choices of one range have at most, each with how often it counts; none if no game helps.

    Long games are cut into equal ones, since each takes work in proportion to the square of its length.
    """
    nodes = max(SETTINGS.nodes, math.ceil(eta / SETTINGS.spacing))
    longest = min(int(math.sqrt(SETTINGS.most_work / (2 * nodes * nodes))), int(SETTINGS.largest / eta), count)
    if longest < 2 or eta < SETTINGS.least_eta:
        return []
    times, rest = divmod(count, longest)
    found = [(_game(eta, longest, nodes), times)]
    if rest:
        found.append((_game(eta, rest, nodes), 1))
    return found


def _game(eta: float, count: int, nodes: int) -> ProfilePoints:
    """The profile of a number of choices, each made after seeing the others."""
    size = count * nodes
    epsilons = eta / nodes * np.arange(-size, size + 1)
    x = np.exp(epsilons)
    profile = np.maximum(-np.expm1(epsilons), 0.0)
    for _ in range(count):
        profile = _one_more(x, profile, math.exp(-eta), nodes)
    return ProfilePoints(epsilons[size:], profile[size:])


def _one_more(x: Floats, profile: Floats, ratio: float, nodes: int) -> Floats:
    """The largest profile with one more choice, at every node."""
    # H(x) = 1 - x left of all losses; what is right of them has no profile.
    before = x[0] * np.exp(np.log(x[1] / x[0]) * np.arange(-nodes, 0))
    wide = np.concatenate((before, x, x[-1] * np.exp(np.log(x[1] / x[0]) * np.arange(1, nodes + 1))))
    known = np.concatenate((1 - before, profile, np.zeros(nodes)))
    best = np.maximum(1 - x, 0.0)
    here = np.arange(x.size) + nodes  # places of x among the wide ones
    for back in range(1, nodes + 1):
        left = here - back
        y0, y1 = wide[left], wide[left + 1]
        near, far = (known[left], known[left + 1]), (known[left + nodes], known[left + nodes + 1])
        width = y1 - y0
        # On the cell H(y) = a + b y and H(y / c) = a' + b' y / c.
        slope, far_slope = (near[1] - near[0]) / width, (far[1] - far[0]) / width * ratio
        drop = (near[0] - slope * y0) - (far[0] - far_slope * y0 / ratio)
        with np.errstate(all="ignore"):
            y = np.sqrt(ratio * x * drop / (far_slope - slope))
        for place in (y0, y1, np.clip(np.where(np.isfinite(y), y, y0), y0, y1)):
            share = (place - y0) / width
            value = (place - ratio * x) * (near[0] + share * (near[1] - near[0]))
            value += ratio * (x - place) * (far[0] + share * (far[1] - far[0]))
            np.maximum(best, value / (place * (1 - ratio)), out=best)
    return np.minimum(best * (1 + SETTINGS.rounding), 1.0)
