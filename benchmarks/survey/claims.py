"""One reading against what is proved: how far it lies outside, as a share of the error that it claims."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Context, Decimal

import numpy as np

from gaussdp.accounting.certified.proved import ProvedNumber, ProvedPoint
from gaussdp.accounting.certified.prover import Prover
from gaussdp.accounting.curve import AccountedCurve
from gaussdp.accounting.density.tails import DensityTails
from gaussdp.accounting.directions import Direction
from gaussdp.accounting.lines.bent import BentTails
from gaussdp.accounting.lines.tails import LineTails
from gaussdp.accounting.loss.closed_forms import GaussianTails, OneStepTails
from gaussdp.accounting.loss.steps import SampledGaussianLoss
from gaussdp.accounting.operating_points import LossTails
from gaussdp.accounting.readings import Method, Reading
from gaussdp.errors import ConvergenceError

_EXACTLY = Context(60)
_LEAST = Decimal("1e-300")  # rates that a double holds to all its digits
BOUNDED = "line, bounded"
WIDE = "proved to fewer digits than the claim has"


@dataclass(frozen=True)
class Judged:
    """A claim that was compared: whose it is, what it is about, and the share of it that was used up."""

    method: str
    claim: str
    level: float
    share: float


def methods_of(curve: AccountedCurve, prover: Prover) -> dict[str, LossTails]:
    """Every method by itself, wherever the curve would not ask it too."""
    parts = prover.loss.parts
    with np.errstate(all="ignore"):
        squared_mu = prover.steering.squared_mu
        if prover.loss.closed:
            if parts:
                return {"closed form": OneStepTails(parts[0].noise_multiplier, parts[0].sample_rate)}
            return {"closed form": GaussianTails(math.sqrt(squared_mu))}
        steps = [(SampledGaussianLoss(part.noise_multiplier, part.sample_rate), part.count) for part in parts]
        lines = LineTails(squared_mu, steps)
        found: dict[str, LossTails] = {"line": lines}
        if BentTails.covers(steps):
            found["bent line"] = BentTails(squared_mu, steps)
        if sum(part.count.bit_length() + part.count.bit_count() for part in parts) < 40:
            found["density"] = DensityTails(squared_mu, steps)
    return found


def share_of(value: Decimal, error: float, proved: ProvedNumber) -> float | None:
    """The distance from the enclosure over the claim; None where the enclosure is wider than the claim."""
    low, high = Decimal(proved.low), Decimal(proved.high)
    claim = _EXACTLY.multiply(Decimal(error), value)
    if _EXACTLY.subtract(high, low) > claim:
        return None if high > low else (0.0 if value == low else math.inf)
    distance = max(_EXACTLY.subtract(low, value), _EXACTLY.subtract(value, high), Decimal(0))
    return float(distance / claim) if distance else 0.0


def judged_points(methods: dict[str, LossTails], point: ProvedPoint, *, remove: bool) -> Iterator[Judged | str]:
    """What each method claims about the rates and the profile at a threshold."""
    for name, tails in methods.items():
        try:
            with np.errstate(all="ignore"):
                read = tails.read(np.array([point.threshold]))
        except ConvergenceError:
            continue
        if not read.answered[0]:
            continue
        profile = "remove" if point.threshold >= 0 else "add"
        pairs = (("fpr", "tnr"), ("fnr", "tpr"), (f"delta_{profile}", f"delta_{profile}"))
        for claim, sides in zip(("FPR", "FNR", "delta"), pairs, strict=True):
            if claim == "delta" and remove != (profile == "remove"):
                continue  # that line does not know it well
            logs = {side: float(getattr(read, f"log_{side}")[0]) for side in sides}
            side = min(logs, key=lambda one: logs[one])
            if not math.isfinite(logs[side]):
                continue
            value = _EXACTLY.exp(Decimal(logs[side]))
            if value < _LEAST:
                continue
            share = share_of(value, float(read.errors[0]), getattr(point, side.removeprefix("delta_")))
            yield WIDE if share is None else Judged(name, claim, point.threshold, share)


def judged_readings(
    curve: AccountedCurve, prover: Prover, point: ProvedPoint, *, remove: bool
) -> Iterator[Judged | str]:
    """What the curve's own direction claims at levels that this point has: delta, FNR, TPR and epsilon."""
    direction = curve.remove if remove else curve.add
    tau = point.threshold if remove else -point.threshold
    mine, rate, missed, caught = (
        (point.remove, point.fpr, point.fnr, point.tpr) if remove else (point.add, point.fnr, point.fpr, point.tnr)
    )
    if abs(point.threshold) > 0:
        values = direction.values("delta", np.array([tau]))
        yield from _judged("delta", values, mine, tau)
        bound = float(direction._delta_bounds(np.array([tau]))[0]) if values.method[0] == Method.LINE else math.inf
        if bound < 1 and values.value[0] > float(_LEAST):
            share = share_of(Decimal(float(values.value[0])), bound, mine)
            yield WIDE if share is None else Judged(BOUNDED, "delta", tau, share)
    level = float(rate.high)
    if Decimal(level) < Decimal(rate.high):
        level = math.nextafter(level, math.inf)
    if float(_LEAST) < level < 1:
        # The curve is convex and falls: past this point it lies below it, and above its tangent of slope -e^tau.
        gap = _EXACTLY.multiply(_EXACTLY.exp(Decimal(tau)), Decimal(level) - Decimal(rate.low))
        for name, side in (("FNR at an FPR", missed), ("TPR at an FPR", caught)):
            around = ProvedNumber(
                str(_EXACTLY.subtract(Decimal(side.low), gap)), str(_EXACTLY.add(Decimal(side.high), gap))
            )
            values = direction.values(name[:3].lower(), np.array([level]))
            yield from _judged(name, values, around, level)
            if values.method[0] == Method.LINE:
                yield from _judged_bounds_of_rate(direction, name, around, level)
    delta = float(mine.low)
    if tau > 0 and float(_LEAST) < delta < 1:
        yield from _judged_epsilon(direction, prover, delta, remove=remove)


def _judged(claim: str, values: object, proved: ProvedNumber, level: float) -> Iterator[Judged | str]:
    value, error, method = (float(getattr(values, name)[0]) for name in ("value", "error", "method"))
    if not float(_LEAST) < value < math.inf:
        return
    share = share_of(Decimal(value), error, proved)
    yield WIDE if share is None else Judged(str(Method(int(method))), claim, level, share)


def _judged_bounds_of_rate(
    direction: Direction, claim: str, proved: ProvedNumber, level: float
) -> Iterator[Judged | str]:
    """Between which numbers a rate is said to lie, seen from their middle."""
    low, high = (Decimal(float(end[0])) for end in direction._rate_bounds(claim[:3].lower(), np.array([level])))
    if low > _LEAST and high < 1:
        middle = (low + high) / 2
        share = share_of(middle, float((high - low) / 2 / middle), proved)
        yield WIDE if share is None else Judged(BOUNDED, claim, level, share)


def _judged_epsilon(direction: Direction, prover: Prover, delta: float, *, remove: bool) -> Iterator[Judged | str]:
    """epsilon at a delta holds if delta lies between the profiles at both ends of what is claimed."""
    read: Reading[float] = direction.reading.epsilon(delta)
    if not 0 < read.value < math.inf:
        return
    sign, name = (1, "remove") if remove else (-1, "add")

    def profile(epsilon: float) -> ProvedNumber:
        found: ProvedNumber = getattr(prover.point(sign * epsilon, sign), name)
        return found

    low, high = profile(read.value * (1 - read.error)), profile(read.value * (1 + read.error))
    if low.at_least(delta) and high.at_most(delta):
        here = Decimal(profile(read.value).low)
        # The profile falls: where it is larger than delta at the value, the truth lies above.
        end = Decimal(high.high if here > Decimal(delta) else low.low)
        share = float((here - Decimal(delta)) / (here - end)) if here != end else 0.0
        yield Judged(str(read.method), "epsilon at a delta", delta, share)
    elif low.at_most(delta) or high.at_least(delta):
        yield Judged(str(read.method), "epsilon at a delta", delta, math.inf)
    else:
        yield WIDE


def judged_bounds(curve: AccountedCurve, name: str, remove: ProvedPoint, add: ProvedPoint) -> Iterator[Judged | str]:
    """A pessimistic or enclosing delta: no smaller than what is proved, and no farther from it than it says."""
    other = curve.enclosed if name == "enclosure" else curve.by_distribution
    epsilon = remove.threshold
    values = other.values("delta", np.array([epsilon]))
    value, error = Decimal(float(values.value[0])), float(values.error[0])
    truth = [max(Decimal(getattr(remove.remove, end)), Decimal(getattr(add.add, end))) for end in ("low", "high")]
    below = value * (1 - Decimal(error)) if math.isfinite(error) else Decimal(0)
    holds = value >= truth[0] and below * (1 - Decimal("1e-13")) <= truth[1]
    yield Judged(name, "delta", epsilon, 0.0 if holds else math.inf)
