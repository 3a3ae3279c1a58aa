"""Is a published number sound, loose or false for the run that it is about?"""

import math
from dataclasses import dataclass
from typing import Literal

from gaussdp.accounting import account
from gaussdp.accounting.bounds.enclosures import Enclosure
from gaussdp.accounting.fitted import DEFAULT_FLOOR
from gaussdp.documents.blocks import Column, Document, Table
from gaussdp.documents.rounding import (
    FEWEST_DIGITS,
    Rounding,
    digits_above,
    digits_at_most,
    rounded,
    shown,
    shown_above,
    shown_at_most,
    shown_down,
    shown_up,
)
from gaussdp.errors import DomainError
from gaussdp.guarantees import Guarantee
from gaussdp.guarantees.claim import Claim, as_claim
from gaussdp.statements.causes import Cause, causes
from gaussdp.statements.run import Run, within_doubles
from gaussdp.statements.smallest import Found, smallest_for
from gaussdp.words import Phrase, say

Status = Literal["sound", "loose", "false", "undecided"]

TABLES = ("verdict", "causes")
LOOSE = 0.05
"""A claim that holds is loose if it exceeds the smallest that holds by more than this share."""

USUAL_DELTA = 1e-5

_STATUSES: dict[Status, str] = {
    "sound": Phrase("sound"),
    "loose": Phrase("loose"),
    "false": Phrase("false"),
    "undecided": Phrase("undecided"),
}

_CAUSES = {
    "sampling": Phrase("sampling"),
    "tuning": Phrase("tuning"),
    "adjacency": Phrase("adjacency"),
    "unit": Phrase("unit"),
    "clt": Phrase("central limit theorem"),
    "one step": Phrase("one step"),
    "epochs for steps": Phrase("epochs for steps"),
    "rdp": Phrase("Renyi DP"),
    "amplification": Phrase("no amplification"),
    "basic composition": Phrase("basic composition"),
    "floor": Phrase("floor"),
}

_TIGHT = 1e-6  # relative: ends nearer than this are one number to a reader
_SAME = 3e-9  # relative: nearer than this the accounting does not tell numbers apart


@dataclass(frozen=True)
class Verdict:
    """What is to be said about a claim.

    Attributes:
        status: "sound" if it holds and is close to the smallest that does; "loose" if it holds and is not; "false" if
            it does not hold; "undecided" if that is not known.
        claim: what was claimed.
        lower: no smaller value of this kind holds.
        upper: this value holds.
        instead: what could be claimed, checked to hold; None if nothing finite is known to. It is of the claim's kind,
            but for a floor where a mu holds only with one, or a delta where no pure epsilon does.
        sentences: the verdict in words.
        causes: what would have given the claim.
        caveats: what the verdict takes for granted.

    >>> from gaussdp import DPSGD
    >>> run = Run(mechanism=DPSGD(1.0, 0.00512, 3907), unit="one image", adjacency="add-remove", sampling="poisson")
    >>> verdict = check_claim(run, "epsilon=2.5 delta=1e-5")
    >>> verdict.status, str(verdict.instead)
    ('loose', 'ε = 1.75 at δ = 1e-5')
    """

    status: Status
    claim: Claim
    lower: float
    upper: float
    instead: Claim | None
    sentences: tuple[str, ...]
    causes: tuple[Cause, ...]
    caveats: tuple[str, ...]

    def __repr__(self) -> str:
        ends = f"[{shown_down(self.lower, FEWEST_DIGITS)}, {shown_up(self.upper, FEWEST_DIGITS)}]"
        return f"<Verdict on {self.claim}: {self.status}; the smallest that holds is in {ends}>"

    def __str__(self) -> str:
        return " ".join((*self.sentences, *(cause.words for cause in self.causes)))

    def document(self) -> Document:
        """The verdict, what usually gives such a claim, and what is taken for granted."""

        symbol = self.claim.symbol
        table = Table(
            "verdict",
            say("The claim against the run"),
            (
                Column("claim", "claim"),
                Column("status", "verdict"),
                Column("claimed", say("{symbol} claimed", symbol=symbol)),
                Column("lower", say("no {symbol} below", symbol=symbol), Rounding.DOWN, least_digits=self.least_digits),
                Column("upper", say("{symbol} that holds", symbol=symbol), Rounding.UP, least_digits=self.least_digits),
            ),
            ((str(self.claim), _STATUSES[self.status], self.claim.value, self.lower, self.upper),),
        )
        causes = Table(
            "causes",
            say("What usually gives this number"),
            (
                Column("cause", "cause"),
                Column("value", say("{symbol} it gives", symbol=symbol), Rounding.NEAREST),
                Column("words", "what it is"),
            ),
            tuple((_CAUSES[cause.key], cause.value, cause.words) for cause in self.causes),
        )
        tables = (table, causes) if self.causes else (table,)
        first, *others = self.sentences
        return Document.tabular(first, tables, (*others, *self.caveats))

    @property
    def least_digits(self) -> int:
        """Significant digits that the two ends need to stand, rounded, on their own sides of the claim."""
        value = self.claim.value
        needed = digits_at_most(self.upper, value) if self.holds else digits_above(self.lower, value)
        return needed or 1

    @property
    def holds(self) -> bool:
        """Whether the claim is shown to hold."""
        return self.status in ("sound", "loose")


def check_claim(run: Run, claim: Claim | Guarantee | str) -> Verdict:
    """Hold a claim against the run that it is about.

    The smallest value that holds is enclosed from the exact curve of the mechanism, so that "false" means that no
    accountant could support the claim.

    Args:
        run: what was run and what it protects.
        claim: a Claim or its text, such as "epsilon=3.0 delta=1e-5", "mu=0.8 floor=1e-10", "rho=0.5"; or an ApproxDP,
            PureDP, GDP or ZCDP.
    Returns:
        The verdict, with what would have given the claim: usual mistakes, and analyses that are not tight.

    >>> from gaussdp import Gaussian
    >>> run = Run(mechanism=Gaussian(2.0), unit="one person", adjacency="add-remove")
    >>> check_claim(run, "mu=0.25").status
    'false'
    >>> from gaussdp import ApproxDP
    >>> check_claim(run, ApproxDP(2.5, 1e-5)).status
    'loose'
    """
    if not isinstance(run, Run):
        raise DomainError("run", "a Run", run, "make one with gaussdp.Run or Run.read")
    stated = as_claim(claim)
    with within_doubles():
        return _checked(run, stated)


def _checked(run: Run, stated: Claim) -> Verdict:
    found = smallest_for(run, stated)
    status = _status(stated.value, found.enclosure)
    instead = _instead(run, stated, status, found.enclosure)
    first, *others = _sentences(run, stated, status, found.enclosure, instead)
    return Verdict(
        status=status,
        claim=stated,
        lower=found.enclosure.lower,
        upper=found.enclosure.upper,
        instead=instead,
        sentences=(first + _resting(status, found), *others),
        causes=() if status == "sound" else causes(run, stated, status, found.enclosure.upper, instead),
        caveats=found.caveats,
    )


def _resting(status: Status, found: Found) -> str:
    """Where the verdict rests on what is not stated, that it does: at the head, which may be all that is read."""
    names = () if status == "undecided" else found.unstated(below=status == "false")
    if not names:
        return ""
    return " " + say("Whether this verdict holds depends on what is not stated: {names}.", names=", ".join(names))


def _status(value: float, enclosure: Enclosure) -> Status:
    if value * (1 + _SAME) >= enclosure.upper:
        return "sound" if value <= enclosure.upper * (1 + LOOSE) else "loose"
    return "false" if value < enclosure.lower else "undecided"


def _instead(run: Run, claim: Claim, status: Status, found: Enclosure) -> Claim | None:
    """The smallest claim of the same kind that holds; a mu gets a floor, and an epsilon a delta, where it needs one."""
    own = _holding(claim, found)
    if status in ("sound", "loose"):
        return own
    other = None
    if claim.kind == "gdp" and claim.floor is None:
        other = Claim(mu=claim.mu, floor=DEFAULT_FLOOR)
    elif claim.kind == "pure" and own is None:
        other = Claim(epsilon=claim.epsilon, delta=USUAL_DELTA)
    if other is None:
        return own
    try:
        better = _holding(other, smallest_for(run, other).enclosure)
    except DomainError:  # the floor leaves no attack to speak about
        return own
    return better if better and (own is None or better.value * (1 + LOOSE) < own.value) else own


def _holding(claim: Claim, found: Enclosure) -> Claim | None:
    """The smallest claim of the kind that the enclosure is of, to few digits, if it holds as claims are checked."""
    if not math.isfinite(found.upper):
        return None
    smallest = claim.with_value(rounded(found.upper, Rounding.UP, FEWEST_DIGITS))
    return smallest if _status(smallest.value, found) in ("sound", "loose") else None


def _sentences(run: Run, claim: Claim, status: Status, found: Enclosure, instead: Claim | None) -> list[str]:
    if status == "sound":
        return [_sound(claim, found)]
    if status == "undecided":
        words = [f"{say('Undecided: whether {claim} holds is not known.', claim=claim)}{_known(claim, found)}"]
        return [*words, say("What is known to hold is {instead}.", instead=instead)] if instead else words
    better = [say("One could claim {instead}.", instead=instead)] if instead else []
    if status == "loose":
        return [_loose(claim, found), *better]
    return [*_false(claim, found), *_true_delta(run, claim), *better]


def _smallest(claim: Claim, found: Enclosure) -> str:
    if found.upper <= found.lower * (1 + _TIGHT):
        return say("the smallest {symbol} that does", symbol=claim.symbol)
    return say("the smallest {symbol} we can prove", symbol=claim.symbol)


def _sound(claim: Claim, found: Enclosure) -> str:
    least = shown_at_most(found.upper, claim.value)
    if least is not None:
        smallest = _smallest(claim, found)
        return say("Sound: {claim} holds; {smallest} is at most {least}.", claim=claim, smallest=smallest, least=least)
    if found.upper <= found.lower * (1 + _TIGHT):  # equal, as far as the accounting tells
        return say("Sound: {claim} holds; no smaller {symbol} does.", claim=claim, symbol=claim.symbol)
    return say("Sound: {claim} holds; no smaller {symbol} can be proved.", claim=claim, symbol=claim.symbol)


def _loose(claim: Claim, found: Enclosure) -> str:
    printed = rounded(found.upper, Rounding.UP, FEWEST_DIGITS)
    named = {"claim": claim, "smallest": _smallest(claim, found), "printed": shown(printed)}
    if not printed:
        return say("Loose: {claim} holds, and is above {smallest}, which is at most {printed}.", **named)
    times = shown_down(claim.value / printed, FEWEST_DIGITS)
    return say(
        "Loose: {claim} holds, and is at least {times} times {smallest}, which is at most {printed}.",
        times=times,
        **named,
    )


def _known(claim: Claim, found: Enclosure) -> str:
    """What is known of the smallest value that holds, where it lies on both sides of the claim."""
    low = shown_down(found.lower, FEWEST_DIGITS)
    high = shown_up(found.upper, FEWEST_DIGITS) if math.isfinite(found.upper) else ""
    if not high:
        words = say(" The smallest {symbol} that does is at least {low}.", symbol=claim.symbol, low=low)
        return words if found.lower > 0 else ""
    if found.lower <= 0:
        return say(" The smallest {symbol} that does is at most {high}.", symbol=claim.symbol, high=high)
    return say(
        " The smallest {symbol} that does is at least {low} and at most {high}.",
        symbol=claim.symbol,
        low=low,
        high=high,
    )


def _false(claim: Claim, found: Enclosure) -> list[str]:
    if math.isinf(found.lower):
        return [say("False: {claim} does not hold; no finite {symbol} does.", claim=claim, symbol=claim.symbol)]
    lower = shown_above(found.lower, claim.value)
    words = say(
        "False: {claim} does not hold; no accountant can go below {symbol} = {lower}.",
        claim=claim,
        symbol=claim.symbol,
        lower=lower,
    )
    factor = shown_above(float(str(lower)) / claim.value, 1.0) if claim.value > 0 else None
    return (
        [words, say("The claim is too small by a factor of at least {factor}.", factor=factor)] if factor else [words]
    )


def _true_delta(run: Run, claim: Claim) -> list[str]:
    """What delta the claimed epsilon has in truth, where the curve of the run is exact and that of the run as done."""
    neighbours = run.adjacency == run.mechanism.adjacency and (run.records_per_unit or 1) == 1
    batches = run.sampling in ("poisson", None) or not run.sampled
    clipped = run.clipping in ("per-example", None) or not run.trains
    as_accounted = neighbours and batches and clipped and run.tuning != "not counted" and not run.accounted.bounded
    if claim.kind != "approximate" or not as_accounted:
        return []
    read = account(run.accounted).reading.delta(claim.value)
    stated = float(claim.delta or 1.0)
    delta = shown_above(read.value, stated)
    if not read.weakest.exact or delta is None:
        return []
    times = shown_above(float(delta) / stated, 1.0)
    named = {"epsilon": shown(claim.value), "delta": delta}
    if times is None:
        return [say("At ε = {epsilon} the true δ is at least {delta}.", **named)]
    return [
        say(
            "At ε = {epsilon} the true δ is at least {delta}, which is at least {times} times the δ claimed.",
            **named,
            times=times,
        )
    ]
