"""Is a published number sound, loose or false for the run that it is about?"""

import math
from dataclasses import dataclass
from typing import Literal

from gaussdp.accounting import account
from gaussdp.accounting.bounds.enclosures import Enclosure
from gaussdp.documents.blocks import Document
from gaussdp.documents.rounding import Rounding, rounded, shown
from gaussdp.documents.tables import Column, Table
from gaussdp.errors import DomainError
from gaussdp.guarantees.claim import Claim, as_claim
from gaussdp.statements.causes import Cause, causes
from gaussdp.statements.pipelines import smallest_for
from gaussdp.statements.run import Run, within_doubles

Status = Literal["sound", "loose", "false", "undecided"]

TABLES = ("verdict", "causes")
LOOSE = 0.05
"""A claim that holds is loose if it exceeds the smallest that holds by more than this share."""

DEFAULT_FLOOR = 1e-10

_DIGITS = 3
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
        instead: what could be claimed; None if nothing finite is known to hold.
        sentences: the verdict in words.
        causes: the mistakes that would have given the claim.
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
        ends = f"[{_down(self.lower)}, {_up(self.upper)}]"
        return f"<Verdict on {self.claim}: {self.status}; the smallest that holds is in {ends}>"

    def __str__(self) -> str:
        return " ".join((*self.sentences, *(cause.words for cause in self.causes)))

    def document(self) -> Document:
        """The verdict, the usual mistakes that would have given the claim, and what is taken for granted."""

        symbol = self.claim.symbol
        table = Table(
            "verdict",
            "The claim against the run",
            (
                Column("claim", "claim"),
                Column("status", "verdict"),
                Column("claimed", f"{symbol} claimed"),
                Column("lower", f"no {symbol} below", Rounding.DOWN),
                Column("upper", f"{symbol} that holds", Rounding.UP),
            ),
            ((str(self.claim), self.status, self.claim.value, self.lower, self.upper),),
        )
        causes = Table(
            "causes",
            "Usual mistakes that give the claim",
            (
                Column("cause", "mistake"),
                Column("value", f"{symbol} it gives", Rounding.NEAREST),
                Column("words", "what it is"),
            ),
            tuple((cause.key, cause.value, cause.words) for cause in self.causes),
        )
        tables = (table, causes) if self.causes else (table,)
        first, *others = self.sentences
        return Document.tabular(first, tables, (*others, *self.caveats))

    @property
    def holds(self) -> bool:
        """Whether the claim is shown to hold."""
        return self.status in ("sound", "loose")


def check_claim(run: Run, claim: Claim | str) -> Verdict:
    """Hold a claim against the run that it is about.

    The smallest value that holds is enclosed from the exact curve of the mechanism, so that "false" means that no
    accountant could support the claim.

    Args:
        run: what was run and what it protects.
        claim: a Claim or its text, such as "epsilon=3.0 delta=1e-5", "mu=0.8 floor=1e-10", "rho=0.5".
    Returns:
        The verdict, with the usual mistakes that would have given the claim.

    >>> from gaussdp import Gaussian
    >>> run = Run(mechanism=Gaussian(2.0), unit="one person", adjacency="add-remove")
    >>> check_claim(run, "mu=0.25").status
    'false'
    """
    if not isinstance(run, Run):
        raise DomainError("run", "a Run", run, "make one with gaussdp.Run or Run.read", got=type(run).__name__)
    stated = as_claim(claim)
    with within_doubles():
        return _checked(run, stated)


def _checked(run: Run, stated: Claim) -> Verdict:
    found = smallest_for(run, stated)
    status = _status(stated.value, found.enclosure)
    instead = _instead(run, stated, status, found.enclosure)
    return Verdict(
        status=status,
        claim=stated,
        lower=found.enclosure.lower,
        upper=found.enclosure.upper,
        instead=instead,
        sentences=tuple(_sentences(run, stated, status, found.enclosure, instead)),
        causes=() if status == "sound" else causes(run, stated, status),
        caveats=found.caveats,
    )


def _status(value: float, enclosure: Enclosure) -> Status:
    if value * (1 + _SAME) >= enclosure.upper:
        return "sound" if value <= enclosure.upper * (1 + LOOSE) else "loose"
    return "false" if value < enclosure.lower else "undecided"


def _instead(run: Run, claim: Claim, status: Status, found: Enclosure) -> Claim | None:
    """The smallest claim of the same kind that holds; a mu gets a floor where it is useless without."""
    if claim.kind == "gdp" and claim.floor is None and run.sampled and status in ("false", "undecided"):
        floored = Claim(mu=claim.mu, floor=DEFAULT_FLOOR)
        upper = smallest_for(run, floored).enclosure.upper
        if upper < found.upper:
            return floored.with_value(rounded(upper, Rounding.UP, _DIGITS))
    return claim.with_value(rounded(found.upper, Rounding.UP, _DIGITS)) if math.isfinite(found.upper) else None


def _sentences(run: Run, claim: Claim, status: Status, found: Enclosure, instead: Claim | None) -> list[str]:
    lower, upper = _down(found.lower), _up(found.upper)
    if status == "sound":
        return [f"Sound: {claim} holds; the smallest {claim.symbol} that does is {upper}."]
    if status == "loose":
        share = found.upper and claim.value / found.upper
        amount = f"{_down(share)} times" if found.upper else "above"
        return [
            f"Loose: {claim} holds, and is {amount} the smallest {claim.symbol} that does, {upper}.",
            f"One could claim {instead}.",
        ]
    if status == "undecided":
        ends = f"at least {lower}" if math.isinf(found.upper) else f"between {lower} and {upper}"
        words = [f"Undecided: the smallest {claim.symbol} that holds is {ends}, and {claim} is not above that."]
        return [*words, f"What is known to hold is {instead}."] if instead else words
    words = [f"False: {claim} does not hold; no accountant can go below {claim.symbol} = {lower}."]
    if math.isinf(found.lower):
        words = [f"False: {claim} does not hold; no finite {claim.symbol} does."]
        if claim.kind == "pure":
            words.append("Gaussian noise gives no pure ε; claim an ε with its δ.")
    elif claim.value > 0:
        words.append(f"The claim is too small by a factor of {_down(found.lower / claim.value)}.")
    words += _true_delta(run, claim)
    return [*words, f"One could claim {instead}."] if instead else words


def _true_delta(run: Run, claim: Claim) -> list[str]:
    """What delta the claimed epsilon has in truth, where the curve of the run is exact."""
    plain = run.adjacency == run.mechanism.adjacency and (run.records_per_unit or 1) == 1
    if claim.kind != "approximate" or not plain or (run.sampled and run.sampling not in ("poisson", None)):
        return []
    read = account(run.accounted).reading.delta(claim.value)
    delta = read.value
    if not read.weakest.exact or delta <= 0:
        return []
    times = _down(delta / float(claim.delta or 1.0))
    return [f"At ε = {shown(claim.value)} the true δ is {_down(delta)}, {times} times the δ claimed."]


def _up(value: float) -> str:
    return shown(rounded(value, Rounding.UP, _DIGITS))


def _down(value: float) -> str:
    return shown(rounded(value, Rounding.DOWN, _DIGITS))
