"""The audit of independent trials: raw scores, counts per score, or the errors of one attack."""

import numpy as np
import numpy.typing as npt

from gaussdp.auditing.bands import EqualLocalLevel
from gaussdp.auditing.counts import MOST_TRIALS, ScoreCounts
from gaussdp.auditing.methods import FixedThreshold, Method
from gaussdp.auditing.result import Audit
from gaussdp.domains import LEVEL, integer, number
from gaussdp.errors import DomainError

DEFAULT_METHOD = EqualLocalLevel()


def audit(
    members: npt.ArrayLike, nonmembers: npt.ArrayLike, confidence: float = 0.95, method: Method = DEFAULT_METHOD
) -> Audit:
    """A lower bound on mu from the scores that an attack gave to members and to nonmembers.

    Each score comes from a trial of its own: mechanism and attack run independently, or canaries that do not influence
    each other's scores. Higher means more likely a member, and the attack accuses whoever scores above a threshold;
    ties are fine. Decide on the direction and the method before looking. `Split` tells people apart by their place, so
    give the scores in the order of the trials.

    Args:
        members: scores of members, at least one; infinities are fine, NaN is not.
        nonmembers: scores of nonmembers, at least one.
        confidence: in (0, 1): the bound exceeds the true mu in at most a share 1 - confidence of audits.
        method: `EqualLocalLevel()`, `DKW()`, `AUC()`, `Split(seed)`, `FixedThreshold(threshold)`, or
            `Credible(threshold)`, which is no confidence bound.

    >>> import numpy as np
    >>> attack = np.random.default_rng(0)
    >>> found = audit(attack.normal(1.0, 1.0, 2000), attack.normal(0.0, 1.0, 2000))
    >>> found
    Audit(mu_lower=0.83..., method=EqualLocalLevel(), threshold=..., confidence=0.95)
    >>> found.contradicts(0.5), found.contradicts(1.0)
    (True, False)
    """
    return audit_score_counts(ScoreCounts.from_scores(members, nonmembers), confidence, method)


def audit_counts(
    scores: npt.ArrayLike,
    members: npt.ArrayLike,
    nonmembers: npt.ArrayLike,
    confidence: float = 0.95,
    method: Method = DEFAULT_METHOD,
) -> Audit:
    """The same audit from counts per score, which any database can make.

    Scores rounded by a rule fixed in advance are scores like any other, so counts per bin of a histogram do, too.

    Args:
        scores: distinct, ascending.
        members: how many members have each score; whole numbers.
        nonmembers: how many nonmembers have each score.
        confidence: in (0, 1).
        method: as for `audit`, but for `Split`, which needs to know who has which score.

    >>> audit_counts([0, 1, 2], members=[100, 300, 600], nonmembers=[700, 295, 5]).mu_lower
    2.22678...
    """
    return audit_score_counts(ScoreCounts(scores, members, nonmembers), confidence, method)  # type: ignore[arg-type]


def audit_errors(
    false_positives: int, nonmembers: int, false_negatives: int, members: int, confidence: float = 0.95
) -> Audit:
    """The bound from the errors of one attack that decided on its threshold in advance.

    Args:
        false_positives: nonmembers accused, at most nonmembers.
        nonmembers: trials without the record, at least 1.
        false_negatives: members not accused, at most members.
        members: trials with the record, at least 1.
        confidence: in (0, 1).

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
    return audit_score_counts(counts, confidence, FixedThreshold(0.0))


def audit_score_counts(counts: ScoreCounts, confidence: float = 0.95, method: Method = DEFAULT_METHOD) -> Audit:
    """The same audit from counts that may know who has which score, such as those of a file."""
    if not isinstance(method, Method):
        raise DomainError("method", "one such as gaussdp.EqualLocalLevel()", method)
    return method.run(counts, number("confidence", confidence, LEVEL))
