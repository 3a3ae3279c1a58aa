r"""Distributions on a grid that stand for releases of which only an envelope is known, above and below.

**Profiles in closed form** are laid on a grid by joining the dots, which is pessimistic. With :math:`y =
e^{\varepsilon/2}` the profile over :math:`e^\varepsilon` is, up to the largest loss, :math:`1 - y/y_0` for Laplace
noise with :math:`y_0 = e^{1/2b}`, and :math:`(1 - sy)^2/(1 - s^2)` for a choice of bounded range with :math:`s =
e^{-\eta/2}`. Between neighbours of a grid of spacing h its chord has the slope :math:`-\frac{1}{y_0(y + y')}` or
:math:`-\frac{s}{1 - s^2}(\frac{2}{y + y'} - s)`. The masses without the record are the changes of slope, both times
multiples of :math:`\tanh(h/4)/y` but for the last two, so nothing cancels.

**Several choices of bounded range** together are the attacker's best game, computed backwards. With :math:`c =
e^{-\eta}` and :math:`H(x) = \delta(\log x)` of what follows, one more choice of range eta has

.. math:: H'(x) = \sup_{cx \le y \le x} \frac{(y - cx)\,H(y) + c\,(x - y)\,H(y/c)}{y\,(1 - c)},

the largest over the worst pairs of one choice (docs/mechanisms.md). H is held as its chords over e^epsilon, which lie
above it, on a grid of which eta is a multiple; between two nodes the quotient is concave in y, and its largest value is
known.
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from gaussdp.accounting.allocation import Atoms, above, below, largest_loss
from gaussdp.domains import RHO
from gaussdp.guarantees import ZCDP, ProfilePoints, PureDP
from gaussdp.mechanisms import (
    ExponentialMechanism,
    Mechanism,
    RandomAllocation,
    RandomizedResponse,
    Stated,
    ZCDPGaussian,
)
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


_ROUNDOFF = 2.0**-52


def together(parts: Iterable[tuple[Mechanism, int]]) -> list[tuple[Mechanism, int]]:
    """What is known to lose no less: of several uses of a pass, one at a time; of all zCDP statements, one.

    Their rho and xi add up, which is tighter than their worst pairs; and so is the best game of several choices.
    """
    counted = _played([(inner, count * times) for part, count in parts for inner, times in _apart(part).parts()])
    stated = [(known, count) for part, count in counted if (known := _zcdp(part))]
    if sum(count for _, count in stated) <= 1:
        return counted
    rho, xi = (math.fsum(count * getattr(known, name) for known, count in stated) for name in ("rho", "xi"))
    whole = Stated(ZCDP(rho * (1 + _ROUNDOFF), xi * (1 + _ROUNDOFF)), counted[0][0].adjacency)
    return [*((part, count) for part, count in counted if not _zcdp(part)), (whole, 1)]


def least(parts: Iterable[tuple[Mechanism, int]]) -> list[tuple[Mechanism, int]]:
    """Mechanisms that lose no more, and that there may be.

    What is known of choices of bounded range and of zCDP is an envelope of many pairs. One of them, made after
    everything else, attains it, but not several: these are taken as randomized response and as Gaussian releases. Of
    what is only bounded from above a release is taken that it may be, if one is known.
    """
    counted = [
        (inner, count * times) for part, count in parts for inner, times in (part.least or Stated(PureDP(0.0))).parts()
    ]
    if sum(count for part, count in counted if isinstance(part, ExponentialMechanism) or _zcdp(part)) <= 1:
        return counted
    return [(_attained(part), count) for part, count in counted]


def _played(parts: list[tuple[Mechanism, int]]) -> list[tuple[Mechanism, int]]:
    """The parts, with all choices of one range as one release."""
    ranges: Counter[float] = Counter()
    for part, count in parts:
        if isinstance(part, ExponentialMechanism):
            ranges[part.eta] += count
    found = {eta: games(eta, count) for eta, count in ranges.items()}
    others = [
        (part, count) for part, count in parts if not (isinstance(part, ExponentialMechanism) and found[part.eta])
    ]
    adjacency = parts[0][0].adjacency
    return [*others, *((Stated(points, adjacency), times) for game in found.values() for points, times in game)]


def _apart(part: Mechanism) -> Mechanism:
    return part.apart if isinstance(part, RandomAllocation) else part


def _attained(part: Mechanism) -> Mechanism:
    if isinstance(part, ExponentialMechanism):
        return RandomizedResponse(part.eta / 2)
    known = _zcdp(part)
    if known is None:
        return part
    return ZCDPGaussian(known.rho) if known.rho >= RHO.low else Stated(PureDP(0.0))


def _zcdp(part: Mechanism) -> ZCDP | None:
    """The zCDP statement that is all one knows of a release, if it is that."""
    known = part.guarantee if isinstance(part, Stated) else None
    return known if isinstance(known, ZCDP) and known.rho > 0 else None


def allocated(library: ModuleType, part: RandomAllocation, interval: float, *, pessimistic: bool) -> Any:
    """The distribution of one pass in which a record is in one batch."""
    law, place = (above, _spread) if pessimistic else (below, _moved_down)
    return place(library, law(part.noise_multiplier, part.batches), interval)


def allocation_reach(part: RandomAllocation) -> float:
    """About the largest loss of a pass that is likely enough to matter."""
    return largest_loss(part.noise_multiplier, part.batches)


def allocation_error(part: RandomAllocation, *, pessimistic: bool) -> float:
    """Of the probabilities of a pass, relatively."""
    return (above if pessimistic else below)(part.noise_multiplier, part.batches).error


def _spread(library: ModuleType, atoms: Atoms, interval: float) -> Any:
    """Each ratio moved to the points of the grid around it, which keeps its mean: larger in convex order again."""
    places = np.floor(atoms.losses / interval)
    to_next = np.clip(np.expm1(atoms.losses - places * interval) / math.expm1(interval), 0.0, 1.0)
    first = int(places.min())
    slots = places.astype(np.int64) - first
    without = np.zeros(int(slots.max()) + 2)
    np.add.at(without, slots, atoms.under_q * (1 - to_next))
    np.add.at(without, slots + 1, atoms.under_q * to_next)
    losses = np.arange(first, first + without.size)
    with_record = without * np.exp(losses * interval)
    return _distribution(
        library, losses, with_record, -losses, without, interval, atoms.infinite, atoms.zero, pessimistic=True
    )


def _moved_down(library: ModuleType, atoms: Atoms, interval: float) -> Any:
    """Each loss moved down, in either direction."""
    removed, added = (np.floor(sign * atoms.losses / interval) for sign in (1, -1))
    return _distribution(library, removed, atoms.under_p, added, atoms.under_q, interval, 0.0, 0.0, pessimistic=False)


def _distribution(
    library: ModuleType,
    removed: Any,
    with_record: Floats,
    added: Any,
    without: Floats,
    interval: float,
    infinite: float,
    zero: float,
    *,
    pessimistic: bool,
) -> Any:
    return library.PrivacyLossDistribution.create_from_rounded_probability(
        _allocated_masses(removed, with_record),
        infinite,
        interval,
        pessimistic_estimate=pessimistic,
        rounded_probability_mass_function_add=_allocated_masses(added, without),
        infinity_mass_add=zero,
        symmetric=False,
    )


def _allocated_masses(places: Any, masses: Floats) -> dict[int, float]:
    found: dict[int, float] = {}
    for place, mass in zip(places.astype(np.int64).tolist(), masses.tolist(), strict=True):
        found[place] = found.get(place, 0.0) + mass
    return found
