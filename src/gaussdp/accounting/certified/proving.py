"""From a mechanism to its certificate: which points to prove, so that mu, delta and epsilon follow from them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from itertools import pairwise

import numpy as np
from scipy import special

from gaussdp.accounting.certified import derived
from gaussdp.accounting.certified.balls import arb, enclosure, precision
from gaussdp.accounting.certified.certificate import (
    Certificate,
    ProvedDelta,
    ProvedEpsilon,
    ProvedMu,
    ProvedRates,
)
from gaussdp.accounting.certified.loss import ComposedLoss
from gaussdp.accounting.certified.proved import Patience, Progress, ProvedNumber, ProvedPoint, silent
from gaussdp.accounting.certified.prover import Prover
from gaussdp.domains import LEVEL, NON_NEGATIVE, POSITIVE, Domain, checked, number
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.mechanisms import Composition, Mechanism

MOST_SECONDS = 600.0
"""Unless another time is given; most proofs take one."""


@dataclass(frozen=True)
class CertifySettings:
    """What is tuned about which points are proved; no proof rests on it."""

    first_points: int = 17  # thresholds between the floors that a search for mu starts with
    relative_gap: float = 1e-9  # between the bounds of mu, at which a search ends
    wider: float = 2.0  # times the width of the largest mu at a point is a gap beyond which little is gained
    worth: float = 0.5  # share of the gap by which a bound between points exceeds those at them, if more points help
    most_points: int = 2000  # of a certificate
    least_digits: int = 1  # of a number, below which its proof is not worth stating
    steps: int = 80  # of a search for a threshold
    close: float = 1e-14  # relative step of such a search, at which it ends
    halving: int = 12  # steps after which it only halves its bracket


SETTINGS = CertifySettings()


def certify(
    mechanism: Mechanism,
    floor: float | None = None,
    epsilons: Sequence[float] = (),
    deltas: Sequence[float] = (),
    fprs: Sequence[float] = (),
    progress: Progress | None = None,
    seconds: float = MOST_SECONDS,
) -> Certificate:
    """Prove what a composition of plain and Poisson-sampled Gaussian releases guarantees.

    Args:
        mechanism: the run.
        floor: smallest error rate of the attacks that mu speaks about, in (0, 1); None for no mu.
        epsilons: at which to enclose delta.
        deltas: at which to enclose epsilon, in (0, 1).
        fprs: at which to enclose the FNR of either direction, in (0, 1).
        progress: told what is being done.
        seconds: after which the search for a proof ends, above 0.
    Returns:
        The enclosures with their witness.
    Raises:
        DomainError: if a part of the mechanism is not Gaussian.
        ConvergenceError: if no proof is known, or none was found in time: rates so small that the transform hardly
            decays, or steps so few.
        MissingExtraError: if python-flint is not installed.

    >>> from gaussdp.mechanisms import DPSGD
    >>> proved = certify(DPSGD(noise_multiplier=9.4, sample_rate=0.328, steps=2000), epsilons=[4.0])
    >>> proved.deltas[0].delta.lower, proved.deltas[0].delta.upper
    (0.01505318877364772..., 0.01505318877364772...)
    """
    levels = _levels("delta", deltas, LEVEL)
    at = _levels("epsilon", epsilons, NON_NEGATIVE)
    least = None if floor is None else number("floor", floor, LEVEL)
    most_seconds = number("seconds", seconds, POSITIVE)
    tell = Patience(progress or silent, most_seconds)
    run = Composition([part if count == 1 else count * part for part, count in mechanism.releases()])
    prover = Prover(ComposedLoss.of(run), tell, most_seconds)
    rates_at = _levels("fpr", fprs, LEVEL)
    with np.errstate(all="ignore"):  # floats only steer
        found_deltas = tuple(_delta(prover, epsilon) for epsilon in at)
        found_epsilons = tuple(_epsilon(prover, level) for level in levels)
        rates = tuple(_rates(prover, fpr) for fpr in rates_at)
        mus = () if least is None else (_mu(prover, least, tell),)
    versions = tuple((name, version(name)) for name in ("gaussdp", "python-flint"))
    return _renumbered(
        Certificate(run, mus, found_deltas, found_epsilons, rates, tuple(prover.points), tuple(prover.lines), versions)
    )


def _levels(name: str, values: Sequence[float], domain: Domain) -> list[float]:
    """The levels, of which there may be none; one number stands for a list of one."""
    if isinstance(values, Sequence) and len(values) == 0:
        return []
    found: list[float] = checked(name, values, domain).ravel().tolist()
    return found


def _delta(prover: Prover, epsilon: float) -> ProvedDelta:
    try:
        remove, add = prover.place(epsilon, 1), prover.place(-epsilon, -1)
    except DomainError:  # of the decimals that a certificate holds
        raise ConvergenceError(f"no proof: delta at epsilon {epsilon:g} lies below all that is computed") from None
    with precision(derived.BITS):
        larger = enclosure(derived.larger(prover.points[remove].remove, prover.points[add].add))
    if larger.digits < SETTINGS.least_digits:
        raise ConvergenceError(f"no proof: delta at epsilon {epsilon:g} can only be enclosed in {larger}")
    return ProvedDelta(epsilon, larger, remove, add)


def _epsilon(prover: Prover, delta: float) -> ProvedEpsilon:
    remove, add = _bracket(prover, "remove", delta), _bracket(prover, "add", delta)
    points = [[prover.points[one] for one in numbers] for numbers in (remove, add)]
    return ProvedEpsilon(delta, *derived.epsilon_between(delta, *points), remove, add)


def _bracket(prover: Prover, name: str, delta: float) -> tuple[int, ...]:
    """The numbers of two points with delta of at least and of at most the target; of one at 0 if that is enough."""
    sign = 1 if name == "remove" else -1

    def place(epsilon: float) -> int:
        return prover.place(sign * epsilon, sign)

    def enclosed(epsilon: float) -> ProvedNumber:
        found: ProvedNumber = getattr(prover.points[place(epsilon)], name)
        return found

    if enclosed(0.0).at_most(delta):
        return (place(0.0),)
    epsilon = max(sign * prover.near(name, math.log(delta)), 1e-12)
    low, high = 0.0, math.inf
    for _ in range(SETTINGS.steps):
        here = enclosed(epsilon)
        if here.at_most(delta):
            high = min(high, epsilon)
        elif here.at_least(delta):
            low = max(low, epsilon)
        else:
            break
        point = prover.points[place(epsilon)]
        rate, value = _middle(point.fpr if sign > 0 else point.fnr), _middle(here)
        moved = math.nan
        if rate > 0 and value > 0:  # Newton on log delta, whose slope is -e^epsilon * rate / delta
            moved = epsilon + math.log(value / delta) * math.exp(math.log(value / rate) - epsilon)
        if not low < moved < high:
            moved = 0.5 * (low + high) if high < math.inf else 2 * epsilon
        if abs(moved - epsilon) <= SETTINGS.close * epsilon:
            break
        epsilon = moved
    below = _nearest(lambda shift: epsilon * (1 - shift), lambda at: enclosed(at).at_least(delta))
    above = _nearest(lambda shift: epsilon * (1 + shift), lambda at: enclosed(at).at_most(delta))
    return place(below), place(above)


def _middle(enclosed: ProvedNumber) -> float:
    return 0.5 * (enclosed.lower + enclosed.upper)


def _nearest(at: Callable[[float], float], proved: Callable[[float], bool]) -> float:
    """The nearest place to a root at which the side is proved."""
    for power in range(-51, 0):
        if proved(at(2.0**power)):
            return at(2.0**power)
    raise ConvergenceError("no proof: a threshold cannot be enclosed")


def _root(rising: Callable[[float], float], start: float, scale: float, lowest: float) -> float:
    """Where a rising function is 0: by the secant rule inside a bracket that starts open, below at the least loss."""
    low, high = lowest, math.inf
    at, value, last, before = max(start, lowest + 1e-3 * scale), 0.0, math.nan, math.nan
    for count in range(SETTINGS.steps):
        value = rising(at)
        if value == 0:
            break
        low, high = (at, high) if value < 0 else (low, at)
        with np.errstate(all="ignore"):
            moved = float(at - value * np.float64(at - last) / np.float64(value - before))
        last, before = at, value
        if not low < moved < high or count > SETTINGS.halving:
            step = math.copysign(scale * 0.01 * 4.0**count, -value)
            moved = at + step
            if not low < moved < high:
                moved = 0.5 * (low + high)
        if abs(moved - at) <= SETTINGS.close * max(abs(at), 1e-3 * scale):
            break
        at = moved
    return at


def _floor_points(prover: Prover, name: str, floor: float) -> list[ProvedPoint]:
    """Two points at which a rate is proved to be at least and at most the floor, by the secant rule on quantiles."""
    target = float(special.ndtri(floor))
    sign = 1 if name == "fnr" else -1

    def miss(tau: float) -> float:
        """Rises with the threshold, nearly in proportion, and is 0 where the rate is the floor."""
        rate = _middle(getattr(prover.point(tau), name))
        return sign * (float(special.ndtri(min(max(rate, 0.0), 1.0))) - target)

    def proved(tau: float, *, above: bool) -> bool:
        rate: ProvedNumber = getattr(prover.point(tau), name)
        return rate.at_least(floor) if above else rate.at_most(floor)

    deviation = math.sqrt(prover.steering.cumulants(0.5)[2])
    tau = _root(miss, prover.near(name, math.log(floor)), deviation, prover.loss.lowest)
    scale = max(abs(tau), 1e-3 * deviation)
    inside = _nearest(lambda shift: tau + sign * scale * shift, lambda at: proved(at, above=True))
    outside = _nearest(lambda shift: tau - sign * scale * shift, lambda at: proved(at, above=False))
    return _sorted([prover.point(inside), prover.point(outside)])


def _rates(prover: Prover, fpr: float) -> ProvedRates:
    remove, add = _floor_points(prover, "fpr", fpr), _floor_points(prover, "fnr", fpr)
    places = [tuple(prover.place(point.threshold) for point in points) for points in (remove, add)]
    found = derived.rates_between(fpr, remove, add)
    if min(one.digits for one in found) < SETTINGS.least_digits:
        words = " and ".join(map(str, found))
        raise ConvergenceError(f"no proof: the FNR at FPR {fpr:g} can only be enclosed in {words}")
    return ProvedRates(fpr, *found, *places)


def _mu(prover: Prover, floor: float, tell: Progress) -> ProvedMu:
    if not prover.loss.parts:
        return _gaussian_mu(prover, floor)
    high = _floor_points(prover, "fpr", floor)  # where a proof is refused, if anywhere
    low = _floor_points(prover, "fnr", floor)
    first, last = low[0].threshold, high[-1].threshold
    if low[1].threshold >= high[0].threshold:
        raise DomainError("floor", problem="must leave attacks to speak about", value=floor, advice="lower the floor")
    inner = [first + (last - first) * k / (SETTINGS.first_points - 1) for k in range(1, SETTINGS.first_points - 1)]
    points = _sorted([*low, *high, *(prover.point(tau) for tau in inner if low[1].threshold < tau < high[0].threshold)])
    bounds: dict[tuple[float, float], arb] = {}
    best, gap = arb(0), SETTINGS.relative_gap
    while True:
        for point in points:
            if derived.above_floor(point, floor):
                here = derived.point_mu(point)
                if here.lower() > best:
                    width = float((here.rad() / here.lower()).upper())
                    best, gap = here.lower(), max(SETTINGS.relative_gap, SETTINGS.wider * width)
        active = []
        for left, right in pairwise(points):
            key = left.threshold, right.threshold
            if key not in bounds:
                bounds[key] = derived.mu_of_interval(left, right)
            at_ends = derived.point_mu(left).upper().max(derived.point_mu(right).upper())
            if not (bounds[key] <= best * (1 + gap) or bounds[key] <= at_ends * (1 + SETTINGS.worth * gap)):
                active.append(0.5 * (left.threshold + right.threshold))
        fresh = [tau for tau in active if tau not in {point.threshold for point in points}]
        if not fresh or len(points) + len(fresh) > SETTINGS.most_points:
            break
        try:
            tell(f"{len(points)} points")
            points = _sorted([*points, *(prover.point(tau) for tau in fresh)])
        except ConvergenceError:  # there is no more time, and these points prove something
            break
    points = _thinned(points, best, floor, gap)
    with precision(derived.BITS):
        known = derived.mu_between(points, floor)
        if not known.is_finite():
            least, _ = enclosure(best).rounded(3)
            raise ConvergenceError(f"no proof: mu above {floor:g} can only be said to be at least {least}")
        mu = enclosure(known)
    if mu.digits < SETTINGS.least_digits:
        raise ConvergenceError(f"no proof: mu above {floor:g} can only be enclosed in {mu}")
    return ProvedMu(floor, mu, tuple(prover.place(point.threshold) for point in points))


def _gaussian_mu(prover: Prover, floor: float) -> ProvedMu:
    with precision(derived.BITS):
        return ProvedMu(floor, enclosure(prover.loss.squared_mu().sqrt()), ())


def _sorted(points: Sequence[ProvedPoint]) -> list[ProvedPoint]:
    return sorted({point.threshold: point for point in points}.values(), key=lambda point: point.threshold)


def _thinned(points: Sequence[ProvedPoint], best: arb, floor: float, gap: float) -> list[ProvedPoint]:
    """Those points without which the bounds of mu would be wider."""
    kept = [points[0]]
    for point, following in pairwise(points[1:]):
        needed = not derived.mu_of_interval(kept[-1], following) <= best * (1 + gap)
        if needed or (derived.above_floor(point, floor) and not derived.point_mu(point).lower() < best):
            kept.append(point)
    return [*kept, points[-1]]


def _renumbered(certificate: Certificate) -> Certificate:
    """The same without points and lines that nothing follows from."""
    used = sorted(
        {place for mu in certificate.mus for place in mu.points}
        | {place for one in certificate.deltas for place in (one.remove, one.add)}
        | {place for one in certificate.epsilons for place in (*one.remove, *one.add)}
        | {place for one in certificate.rates for place in (*one.remove_points, *one.add_points)}
    )
    places = {old: new for new, old in enumerate(used)}
    points = [certificate.points[old] for old in used]
    lines = sorted({point.line for point in points if point.line is not None})
    numbers = {old: new for new, old in enumerate(lines)}

    def moved(old: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(places[one] for one in old)

    return replace(
        certificate,
        mus=tuple(replace(one, points=moved(one.points)) for one in certificate.mus),
        deltas=tuple(replace(one, remove=places[one.remove], add=places[one.add]) for one in certificate.deltas),
        epsilons=tuple(replace(one, remove=moved(one.remove), add=moved(one.add)) for one in certificate.epsilons),
        rates=tuple(
            replace(one, remove_points=moved(one.remove_points), add_points=moved(one.add_points))
            for one in certificate.rates
        ),
        points=tuple(point if point.line is None else replace(point, line=numbers[point.line]) for point in points),
        lines=tuple(certificate.lines[old] for old in lines),
    )
