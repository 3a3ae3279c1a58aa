"""Certificates proved again, from the run and the witness alone: nothing here searches or steers."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gaussdp.accounting.certified import derived
from gaussdp.accounting.certified.balls import confirms, precision
from gaussdp.accounting.certified.bent import ProvedBentLine
from gaussdp.accounting.certified.brackets import ProvedBracket
from gaussdp.accounting.certified.lines import ProvedLine, Tails
from gaussdp.accounting.certified.loss import ComposedLoss
from gaussdp.accounting.certified.proved import RATES, ProvedPoint, silent
from gaussdp.accounting.certified.witnesses import BentWitness, BracketWitness, Witness
from gaussdp.errors import ConvergenceError

if TYPE_CHECKING:
    from gaussdp.accounting.certified.certificate import Certificate
    from gaussdp.accounting.certified.proved import Progress

MORE_BITS = 32
"""Than the proof used, so that its rounding is confirmed and not repeated."""
CLOSED_BITS = (256, 1024, 4096)
"""Tried one after the other for what is closed form."""


def failures(certificate: "Certificate", progress: "Progress") -> Iterator[str]:
    """What does not hold, in words."""
    loss = ComposedLoss.of(certificate.mechanism)
    for number, witness in enumerate(certificate.lines):
        name = f"line {number + 1} of {len(certificate.lines)}"

        def tell(words: str, name: str = name) -> None:
            progress(f"{name}, {words}")

        with precision(witness.bits + MORE_BITS):
            try:
                tell("its place")
                line = line_of(loss, witness, tell)
                for point in certificate.points:
                    if point.line == number:
                        yield from _differences(point, line.read(point.threshold))
            except (ConvergenceError, ValueError, ArithmeticError) as error:
                yield f"line {number} cannot be computed: {error}"
    for point in certificate.points:
        if point.line is None:
            yield from _closed(loss, point)
    place = -1
    for place, claim in enumerate(_claims(certificate, loss)):
        if claim:
            yield f"{claim} (statement {place})"
    if place < 0:
        yield "it states no number that could be proved"


def line_of(
    loss: ComposedLoss, witness: Witness, tell: "Progress" = silent
) -> ProvedLine | ProvedBentLine | ProvedBracket:
    """The line that a witness describes, in the current precision."""
    if isinstance(witness, BentWitness):
        return ProvedBentLine(loss.squared_mu(), loss.parts, witness, tell=tell)
    if isinstance(witness, BracketWitness):
        return ProvedBracket(loss.squared_mu, loss.plain, loss.parts, witness, tell)
    return ProvedLine(loss.squared_mu(), loss.parts, witness, tell)


def _closed(loss: ComposedLoss, point: ProvedPoint) -> Iterator[str]:
    found: list[str] = []
    for bits in CLOSED_BITS:
        with precision(bits):
            tails = loss.below(point.threshold) or (loss.closed_tails(point.threshold) if loss.closed else None)
            if tails is None:
                yield f"the point at threshold {point.threshold!r} needs a line"
                return
            found = list(_differences(point, tails))
        if not found:
            return
    yield from found


def _differences(point: ProvedPoint, tails: Tails) -> Iterator[str]:
    for name, value in zip(RATES, tails.rates(), strict=True):
        if not confirms(value, getattr(point, name)):
            yield f"{name} at threshold {point.threshold!r} is not proved to lie in {getattr(point, name)}"


def _claims(certificate: "Certificate", loss: ComposedLoss) -> Iterator[str]:
    """For each statement what is wrong with it, or nothing."""
    points = certificate.points
    with precision(derived.BITS + MORE_BITS):
        for mu in certificate.mus:
            used = [points[place] for place in mu.points]
            if loss.parts and not derived.spans(used, mu.floor):
                yield f"the points of mu do not span all attacks above {mu.floor!r}"
                continue
            try:
                proved = derived.mu_between(used, mu.floor) if loss.parts else loss.squared_mu().sqrt()
            except ConvergenceError as error:
                yield str(error)
                continue
            yield "" if confirms(proved, mu.mu) else f"mu is not proved to lie in {mu.mu}"
        for one in certificate.deltas:
            remove, add = points[one.remove], points[one.add]
            right = remove.threshold == one.epsilon == -add.threshold
            proved = derived.larger(remove.remove, add.add)
            yield "" if right and confirms(proved, one.delta) else f"delta at {one.epsilon!r} does not follow"
        for rates in certificate.rates:
            sides = [[points[place] for place in places] for places in (rates.remove_points, rates.add_points)]
            try:
                right = derived.rates_between(rates.fpr, *sides) == (rates.remove, rates.add)
            except (ConvergenceError, ValueError):
                right = False
            yield "" if right else f"the FNR at FPR {rates.fpr!r} does not follow"
        for bracket in certificate.epsilons:
            sides = [[points[place] for place in places] for places in (bracket.remove, bracket.add)]
            try:
                low, high = derived.epsilon_between(bracket.delta, *sides)
            except ConvergenceError as error:
                yield str(error)
                continue
            fits = bracket.low <= low <= high <= bracket.high
            yield "" if fits else f"epsilon at {bracket.delta!r} does not follow"
