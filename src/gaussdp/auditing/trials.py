"""The audit of scores, raw, as counts or as the errors of one attack, by the design that they come from."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NoReturn, overload

import numpy as np
import numpy.typing as npt

from gaussdp.auditing.bands import EqualLocalLevel
from gaussdp.auditing.claims import Claimed, claims_table, described
from gaussdp.auditing.counts import MOST_TRIALS, ScoreCounts
from gaussdp.auditing.designs import DIRECTIONS, Design, DesignName, Direction, design_named, wrong_way
from gaussdp.auditing.methods import FixedThreshold, Method, unbounded_band
from gaussdp.auditing.one_run import OneRunAudit, audit_ranks
from gaussdp.auditing.result import Audit, RocBand, accusing
from gaussdp.documents import Column, Displayed, Document, Rounding, Table
from gaussdp.domains import LEVEL, PROBABILITY, instance, integer, number, one_of
from gaussdp.errors import DomainError

TABLES = ("attack", "curve", "claims")
_UNJUDGED = "no verdict for this design"
_FPRS = (0.001, 0.01, 0.1)
_WHY = (
    "What can be concluded: how well this attack tells these members from these nonmembers, on this one model.",
    "What cannot: anything about a guarantee. The scores share one run, so they are not independent, and the two groups"
    " may differ for reasons other than training.",
    "For a bound, put each row in by its own fair coin (--design one-run), or train anew for each score"
    " (--design trials).",
)


@dataclass(frozen=True)
class Description(Displayed):
    """What an attack achieves on the rows of one model: observed rates, no bound and no verdict.

    Attributes:
        auc: observed area under the ROC curve.
        members, nonmembers: how many scores there are.
        lower: whether lower scores mean members.
        band: the observed curve.
        design: one-model.
    """

    auc: float
    members: int
    nonmembers: int
    lower: bool = field(repr=False)
    band: RocBand = field(repr=False, compare=False)
    design: Design = field(default=Design.ONE_MODEL, init=False)

    @classmethod
    def of(cls, counts: ScoreCounts, *, lower: bool) -> "Description":
        """The description of these counts, in which higher means member."""
        return cls(counts.area(), counts.member_total, counts.nonmember_total, lower, unbounded_band(counts))

    def tpr(self, fpr: float) -> float:
        """The largest observed true-positive rate at an observed false-positive rate of at most this."""
        allowed = self.band.fpr <= number("fpr", fpr, PROBABILITY)
        return float(1 - np.min(self.band.fnr[allowed], initial=1.0))

    def contradicts(self, claim: Claimed) -> NoReturn:
        """Refused: rows of one model refute no claim."""
        raise DomainError(
            "design",
            problem=f"one-model gives no verdict on the claim {described(claim)}",
            advice="put each row in by its own fair coin (one-run), or train anew for each score (trials)",
        )

    verdict = contradicts

    def document(self, claims: Sequence[Claimed] = ()) -> Document:
        """The observed rates, and what they do not say."""
        attack = Table(
            "attack",
            "What the attack does on this model",
            (
                Column("design", "design"),
                Column("members", "members"),
                Column("nonmembers", "nonmembers"),
                Column("auc", "AUC observed", Rounding.NEAREST),
            ),
            ((self.design.value, self.members, self.nonmembers, self.auc),),
        )
        curve = Table(
            "curve",
            "Observed curve, without a claim",
            (Column("fpr", "FPR at most"), Column("tpr", "TPR observed", Rounding.NEAREST)),
            tuple((fpr, self.tpr(fpr)) for fpr in _FPRS),
        )
        refused = [f"No verdict on the claim {described(claim)}: one-model scores refute none." for claim in claims]
        judged = [claims_table(claims, [_UNJUDGED] * len(claims))] if claims else []
        notes = [self.design.assumption, *refused, *_WHY, accusing(lower=self.lower)]
        if self.auc < 0.5:
            notes.append(wrong_way(self.auc, lower=self.lower, payable=False))
        return Document.tabular(
            "What the attack scores of one model show: no bound, no verdict", (attack, curve, *judged), notes
        )


DEFAULT_METHOD = EqualLocalLevel()

Found = Audit | OneRunAudit | Description


@overload
def audit(
    *,
    members: npt.ArrayLike | None = None,
    nonmembers: npt.ArrayLike | None = None,
    scores: npt.ArrayLike | None = None,
    member: npt.ArrayLike | None = None,
    confidence: float = 0.95,
    method: Method = DEFAULT_METHOD,
    design: Literal["trials"] | None = None,
    direction: Direction = "higher",
) -> Audit: ...
@overload
def audit(
    *,
    members: npt.ArrayLike | None = None,
    nonmembers: npt.ArrayLike | None = None,
    scores: npt.ArrayLike | None = None,
    member: npt.ArrayLike | None = None,
    confidence: float = 0.95,
    design: Literal["one-run"],
    direction: Direction = "higher",
    guesses: int | Sequence[int] | None = None,
    guessed: str = "both",
) -> OneRunAudit: ...
@overload
def audit(
    *,
    members: npt.ArrayLike | None = None,
    nonmembers: npt.ArrayLike | None = None,
    scores: npt.ArrayLike | None = None,
    member: npt.ArrayLike | None = None,
    confidence: float = 0.95,
    design: Literal["one-model"],
    direction: Direction = "higher",
    by_coin: Literal[False] = False,
) -> Description: ...
@overload
def audit(
    *,
    members: npt.ArrayLike | None = None,
    nonmembers: npt.ArrayLike | None = None,
    scores: npt.ArrayLike | None = None,
    member: npt.ArrayLike | None = None,
    confidence: float = 0.95,
    design: Literal["one-model"],
    by_coin: Literal[True],
    direction: Direction = "higher",
    guesses: int | Sequence[int] | None = None,
    guessed: str = "both",
) -> OneRunAudit: ...
def audit(
    *positional: object,
    members: npt.ArrayLike | None = None,
    nonmembers: npt.ArrayLike | None = None,
    scores: npt.ArrayLike | None = None,
    member: npt.ArrayLike | None = None,
    confidence: float = 0.95,
    method: Method = DEFAULT_METHOD,
    design: DesignName | None = None,
    direction: Direction = "higher",
    by_coin: bool = False,
    guesses: int | Sequence[int] | None = None,
    guessed: str = "both",
) -> Found:
    """A lower bound on mu from the scores that an attack gave to members and to nonmembers.

    The design says how the scores came about, and there is no verdict on a claim without it:

    - "trials": each score comes from its own run of mechanism and attack, with or without the record.
    - "one-run": the scores of many canaries in one run, each put in by its own fair coin.
    - "one-model": members and nonmembers of one trained model: the analysis of one run if each was put in `by_coin`,
      else a description, which proves nothing.

    Higher means more likely a member, and the attack accuses whoever scores above a threshold; ties are fine. Decide on
    the direction and the method before looking. `Split` tells people apart by their place, so give the scores in the
    order of the trials.

    The scores are given by name, in one of two ways: `members` and `nonmembers`, or `scores` and `member`. Arguments by
    place are refused, since scikit-learn's order (labels, scores) would be read as two groups.

    Args:
        members: scores of members, at least one; infinities are fine, NaN is not.
        nonmembers: scores of nonmembers, at least one.
        scores: instead of these two, the scores of members and nonmembers together.
        member: for each of `scores`, whether it is of a member: True or False, 1 or 0, "in" or "out", and the like.
        confidence: in (0, 1): the bound exceeds the true mu in at most a share 1 - confidence of audits.
        method: of independent trials: `EqualLocalLevel()`, `DKW()`, `AUC()`, `Split(seed)`,
            `FixedThreshold(threshold)`, or `Credible(threshold)`, which is no confidence bound.
        design: how the scores came about; None assumes trials and says so.
        direction: "higher", "lower" if low scores mean member, or "either", which tries both at half the error each.
        by_coin: for one model, whether each of these rows was put into training by its own fair coin.
        guesses: for one run, how many canaries are guessed, fixed before looking; several share the error; None for a
            few that suit most attacks.
        guessed: for one run with given guesses: "both" (half in, half out), "in" or "out".

    >>> import numpy as np
    >>> attack = np.random.default_rng(0)
    >>> members, nonmembers = attack.normal(1.0, 1.0, 2000), attack.normal(0.0, 1.0, 2000)
    >>> found = audit(members=members, nonmembers=nonmembers, design="trials")
    >>> found
    Audit(mu_lower=0.83..., method=EqualLocalLevel(), threshold=..., confidence=0.95, design='trials')
    >>> scores, member = np.concatenate((members, nonmembers)), np.repeat([True, False], 2000)
    >>> audit(scores=scores, member=member, design="trials") == found
    True
    >>> found.contradicts(0.5), found.contradicts(1.0)
    (True, False)
    """
    counts = _named_scores(positional, members, nonmembers, scores, member)
    return audit_score_counts(
        counts,
        confidence,
        method,
        design=design,
        direction=direction,
        by_coin=by_coin,
        guesses=guesses,
        guessed=guessed,
    )


def _named_scores(
    positional: tuple[object, ...], members: Any, nonmembers: Any, scores: Any, member: Any
) -> ScoreCounts:
    """The counts of the scores, which are given by name in one of two ways."""
    sides, labelled = (members, nonmembers), (scores, member)
    by_side, by_label = (all(one is not None for one in pair) for pair in (sides, labelled))
    if positional or by_side == by_label or any(one is not None for one in (labelled if by_side else sides)):
        raise DomainError(
            None,
            problem="an audit takes scores by name, in one of two ways",
            got=f"{len(positional)} without a name" if positional else "",
            advice="write audit(members=..., nonmembers=...) for the scores of two groups, or audit(scores=...,"
            " member=...) for scores with a label each",
        )
    return ScoreCounts.from_scores(*sides) if by_side else ScoreCounts.labelled(*labelled)


def audit_counts(
    scores: npt.ArrayLike,
    *,
    members: npt.ArrayLike,
    nonmembers: npt.ArrayLike,
    confidence: float = 0.95,
    method: Method = DEFAULT_METHOD,
    design: Literal["trials"] | None = None,
    direction: Direction = "higher",
) -> Audit:
    """The same audit of independent trials from counts per score, which any database can make.

    Scores rounded by a rule fixed in advance are scores like any other, so counts per bin of a histogram do, too.

    Args:
        scores: distinct, ascending.
        members: how many members have each score; whole numbers.
        nonmembers: how many nonmembers have each score.
        confidence: in (0, 1).
        method: as for `audit`, but for `Split`, which needs to know who has which score.
        design: "trials", for a verdict on a claim.
        direction: as for `audit`.

    >>> audit_counts([0, 1, 2], members=[100, 300, 600], nonmembers=[700, 295, 5]).mu_lower
    2.22678...
    """
    counts = ScoreCounts(scores, members, nonmembers)  # type: ignore[arg-type]
    return audit_trials(counts, confidence, method, _of_trials(design), direction)


def audit_errors(
    *,
    false_positives: int,
    nonmembers: int,
    false_negatives: int,
    members: int,
    confidence: float = 0.95,
    design: Literal["trials"] | None = None,
) -> Audit:
    """The bound from the errors of one attack that decided on its threshold in advance.

    Args:
        false_positives: nonmembers accused, at most nonmembers.
        nonmembers: trials without the record, at least 1.
        false_negatives: members not accused, at most members.
        members: trials with the record, at least 1.
        confidence: in (0, 1).
        design: "trials", for a verdict on a claim.

    >>> audit_errors(false_positives=5, nonmembers=1000, false_negatives=400, members=1000).mu_lower
    2.44267...
    """
    outs, ins = integer("nonmembers", nonmembers, low=1), integer("members", members, low=1)
    accused = integer("false_positives", false_positives, low=0)
    missed = integer("false_negatives", false_negatives, low=0)
    for side, trials in (("nonmembers", outs), ("members", ins)):
        if trials > MOST_TRIALS:
            raise DomainError(side, f"at most {MOST_TRIALS:,}", trials)
    for name, errors, side, trials in (
        ("false_positives", accused, "nonmembers", outs),
        ("false_negatives", missed, "members", ins),
    ):
        if errors > trials:
            raise DomainError(name, f"at most {side} = {trials}", errors, got=str(errors))
    counts = ScoreCounts(np.array([0.0, 1.0]), np.array([missed, ins - missed]), np.array([outs - accused, accused]))
    return audit_trials(counts, confidence, FixedThreshold(0.0), _of_trials(design))


def audit_score_counts(
    counts: ScoreCounts,
    confidence: float = 0.95,
    method: Method = DEFAULT_METHOD,
    *,
    design: DesignName | None = None,
    direction: Direction = "higher",
    by_coin: bool = False,
    guesses: int | Sequence[int] | None = None,
    guessed: str = "both",
) -> Found:
    """The same audit from counts that may know who has which score, such as those of a file."""
    came, way = design_named(design), one_of("direction", direction, DIRECTIONS)
    if instance("by_coin", by_coin, bool, "True or False"):
        if came is not Design.ONE_MODEL:
            raise DomainError("by_coin", problem="belongs to the design one-model", got=f"it with {came.value}")
        came = Design.ONE_RUN
    if came is not Design.ONE_RUN and (guesses is not None or guessed != "both"):
        raise DomainError("guesses", problem="belong to the design one-run", got=f"them with {came.value}")
    if came in (Design.TRIALS, Design.UNSTATED):
        return audit_trials(counts, confidence, method, came, way)
    if method != DEFAULT_METHOD:
        raise DomainError("method", problem="belongs to the design trials", got=f"{method} with {came.value}")
    level = number("confidence", confidence, LEVEL)
    if came is Design.ONE_RUN:
        return audit_ranks(counts, guesses, level, guessed, way)
    if way == "either":
        raise DomainError("direction", "higher or lower for a description", way)
    return Description.of(counts.flipped() if way == "lower" else counts, lower=way == "lower")


def audit_trials(
    counts: ScoreCounts, confidence: float, method: Method, design: Design, direction: Direction = "higher"
) -> Audit:
    """The audit of independent trials, stated or assumed."""
    if not isinstance(method, Method):
        raise DomainError("method", "one such as gaussdp.EqualLocalLevel()", method)
    level, way = number("confidence", confidence, LEVEL), one_of("direction", direction, DIRECTIONS)
    if way != "either":
        return _one_way(counts, level, method, design, lower=way == "lower")
    ways = [_one_way(counts, (1 + level) / 2, method, design, lower=lower) for lower in (False, True)]
    best = max(ways, key=lambda found: found.mu_lower)
    return replace(best, confidence=level, either=True)


def _one_way(counts: ScoreCounts, level: float, method: Method, design: Design, *, lower: bool) -> Audit:
    found = (method.flipped() if lower else method).run(counts.flipped() if lower else counts, level)
    if not lower:
        return replace(found, design=design)
    threshold = None if found.threshold is None else -found.threshold
    band = replace(found.band, thresholds=-found.band.thresholds)
    return replace(found, method=method, threshold=threshold, band=band, design=design, lower=True)


def _of_trials(design: Literal["trials"] | None) -> Design:
    return Design.UNSTATED if design is None else Design(one_of("design", design, ("trials",)))
