"""What stands for releases of which only an envelope of many pairs is known: above, and below."""

import math
from collections import Counter
from collections.abc import Iterable

from gaussdp.accounting.distribution.choices import games
from gaussdp.domains import RHO
from gaussdp.guarantees import ZCDP, PureDP
from gaussdp.mechanisms import (
    ExponentialMechanism,
    Mechanism,
    RandomAllocation,
    RandomizedResponse,
    Stated,
    ZCDPGaussian,
)

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
