"""Claims to hold an audit against: a mu, or any guarantee with its curve."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gaussdp.auditing.designs import CHOICES, Design
from gaussdp.documents import Column, Displayed, Document, Rounding, Table
from gaussdp.domains import PROBABILITY, number, several
from gaussdp.errors import GaussdpError
from gaussdp.guarantees import GDP, ApproxDP, Guarantee
from gaussdp.guarantees.claim import Claim
from gaussdp.numerics import LARGEST_EXPONENT, Floats

Claimed = float | Guarantee | Claim
"""A mu, a guarantee with its curve, or a published claim."""

UNDECIDED = "no verdict without a design"
ROUNDING = "Lower bounds are rounded down and upper bounds up: nothing shown says more than was proved."

_SHOWN = 4
_CLAIM_DIGITS = 15  # as somebody wrote it
_TAIL = (1e-8, 1e-2, 200)  # rates at either end of a curve whose area is taken, and how many of them
_ROUNDING = 1e-12  # of the sum that is an area
_ABSOLUTE_WIDTH = 1e-10  # of an epsilon


@dataclass(frozen=True)
class Outcome:
    """Whether the scores contradict a claim, and the sentence that says so.

    Attributes:
        contradicted: True only with the audit's confidence; False is no proof of the claim.
        sentence: one line to print.
    """

    contradicted: bool
    sentence: str


def as_guarantee(claim: Claimed) -> Guarantee:
    """The claim's curve; a number is the mu of GDP."""
    if isinstance(claim, Claim):
        return claim.guarantee
    return claim if isinstance(claim, Guarantee) else GDP(claim)


def below_curve(guarantee: Guarantee, fpr: Floats, fnr: Floats) -> bool:
    """Whether some point of error rates is one that no attack on the guarantee reaches."""
    useful = fpr + fnr < 1
    return bool(useful.any()) and bool((fnr[useful] < guarantee.fnr(fpr[useful])).any())


def largest_area(guarantee: Guarantee) -> float:
    """An upper bound on the area under the guarantee's ROC curve, within 1e-4 of it.

    The curve is concave, so the midpoint rule errs upwards only.
    """
    tail = np.geomspace(*_TAIL, endpoint=False)
    middle = np.linspace(_TAIL[1], 1 - _TAIL[1], 2 * _TAIL[2])
    edges = np.concatenate(([0.0], tail, middle, 1 - tail[::-1], [1.0]))
    area = float(np.dot(np.diff(edges), guarantee.tpr((edges[1:] + edges[:-1]) / 2)))
    return area + _ROUNDING


def pure_epsilon(guarantee: Guarantee) -> float:
    """The epsilon that the guarantee promises without a delta; infinite if none, or if it cannot say."""
    try:
        return float(guarantee.epsilon(0.0))
    except GaussdpError:
        return math.inf


def epsilon_by_area(auc_lower: float, delta: float) -> float:
    """An epsilon that (epsilon, delta)-DP cannot have with an area of at least this, within rounding of the largest."""

    def too_small(epsilon: float) -> bool:
        return largest_area(ApproxDP(epsilon, delta)) < auc_lower

    low, high = 0.0, 1.0
    if not too_small(low):
        return 0.0
    while too_small(high):
        low, high = high, 2 * high
        if high > LARGEST_EXPONENT:
            return low
    while high - low > _ABSOLUTE_WIDTH * max(1.0, high):
        middle = (low + high) / 2
        low, high = (middle, high) if too_small(middle) else (low, middle)
    return low


def described(claim: Claimed) -> str:
    """The claim as a reader knows it, to follow the word claim."""
    return as_guarantee(claim).stated(digits=_CLAIM_DIGITS) or "of the given curve"


class Evidence(Displayed, ABC):
    """What an audit found, to hold claims against."""

    confidence: float
    kind: str
    design: Design

    def contradicts(self, claim: Claimed) -> bool:
        """Whether the claim, a mu or any guarantee, is refuted at the audit's confidence.

        Raises:
            DomainError: if it was not stated how the scores came about.
        """
        self.design.must_be_stated()
        return self._contradicts(claim)

    @abstractmethod
    def _contradicts(self, claim: Claimed) -> bool:
        """The same, if the scores came about as assumed."""

    @abstractmethod
    def epsilon_lower(self, delta: float) -> float:
        """The epsilon below which (epsilon, delta)-DP is refuted at the same confidence."""

    def verdict(self, claim: Claimed) -> Outcome:
        """The claim's verdict: consistent with it, or contradicted at this confidence.

        Raises:
            DomainError: if it was not stated how the scores came about.
        """
        self.design.must_be_stated()
        if self._contradicts(claim):
            return Outcome(True, f"The claim {described(claim)} is contradicted at {self._level()}.")
        words = (
            f"The scores are consistent with the claim {described(claim)} at {self._level()}; that is no proof of it."
        )
        return Outcome(False, words)

    def judged(self, claim: Claimed) -> tuple[str, str]:
        """A word for tables and a sentence: the verdict, or that there is no verdict without a design."""
        if self.design is Design.UNSTATED:
            would = "would be contradicted" if self._contradicts(claim) else "would stand"
            return UNDECIDED, (
                f"No verdict on the claim {described(claim)}, since no design was stated: say {CHOICES}. Only if each"
                f" score has its own run, it {would} at {self._level()}."
            )
        outcome = self.verdict(claim)
        return "contradicted" if outcome.contradicted else "consistent", outcome.sentence

    def _level(self) -> str:
        share = f"{100 * self.confidence:.{_SHOWN}g} %"
        return f"{share} posterior probability" if self.kind == "credible" else f"{share} confidence"

    def _document(
        self,
        title: str,
        tables: Sequence[Table],
        claims: Sequence[Claimed],
        deltas: Sequence[float],
        notes: Sequence[str],
    ) -> Document:
        """These tables, what epsilon is refuted at each delta, and the outcome for each claim."""
        shown = list(tables)
        levels = [number("delta", delta, PROBABILITY) for delta in several("deltas", deltas, "a list of deltas")]
        if levels:
            columns = (Column("delta", "δ"), Column("epsilon_lower", "ε at least", Rounding.DOWN))
            rows = tuple((delta, self.epsilon_lower(delta)) for delta in levels)
            shown.append(Table("epsilon", "As (ε, δ)-DP, without going through μ", columns, rows))
        stated = several("claims", claims, "a list of claims")
        outcomes = [self.judged(claim) for claim in stated]
        if claims:
            shown.append(claims_table(claims, [word for word, _ in outcomes]))
        sentences = [sentence for _, sentence in outcomes]
        said = (*sentences, self.design.assumption, *notes, ROUNDING)
        return Document.tabular(self.design.titled(title), shown, said)


def claims_table(claims: Sequence[Claimed], verdicts: Sequence[str]) -> Table:
    """Each claim with its verdict."""
    rows = tuple((described(claim), verdict) for claim, verdict in zip(claims, verdicts, strict=True))
    return Table("claims", "Claims", (Column("claim", "claim"), Column("verdict", "verdict")), rows)
