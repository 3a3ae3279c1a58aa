"""Trials that arrive one by one: rows of a CSV that grows, and the file of a sequential audit."""

import csv
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gaussdp.auditing.claims import Claimed
from gaussdp.auditing.counts import means_member
from gaussdp.auditing.sequential import SequentialAudit
from gaussdp.documents.files import write_file
from gaussdp.documents.machine import dumped
from gaussdp.documents.structured import file_text, parsed
from gaussdp.domains import written_number
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP, ZCDP, ApproxDP, PureDP
from gaussdp.guarantees.claim import Claim

SCHEMA = "gaussdp-sequential-audit-1"

_LONGEST_LINE = 100_000  # characters; the reader of CSV refuses fields a little longer

Trial = tuple[bool, dict[str, float]]
"""Whether it was with the record, and its score by attack."""


def trials_of(
    lines: Iterable[str], name: str, scores: tuple[str, ...], member: str, member_value: str | None
) -> Iterator[Trial]:
    """The trials of a CSV, each as soon as its line is there.

    Args:
        lines: of which the first is the header.
        name: of the file, for messages.
        scores: the columns with the scores of each attack.
        member: the column with the labels.
        member_value: the label that means member; None recognises the usual ones.
    """
    rows = csv.reader(_whole(lines, name))
    header = [column.strip().removeprefix("\ufeff") for column in next(rows, [])]
    for column in (*scores, member):
        if header.count(column) != 1:
            raise DomainError(name, problem=f"must have one column {column!r}", got=", ".join(header) or "none")
    places, label_at = [header.index(column) for column in scores], header.index(member)
    for row in rows:
        if not row:
            continue
        try:
            found = {column: _score(row[place]) for column, place in zip(scores, places, strict=True)}
            label = row[label_at]
        except (ValueError, IndexError):
            raise DomainError(
                None,
                value=",".join(row)[:60],
                place=f"{name}, line {rows.line_num}",
                problem=f"a row needs a number in {', '.join(map(repr, scores))} and a label in {member!r}",
            ) from None
        yield means_member(label, member_value), found


def _whole(lines: Iterable[str], name: str) -> Iterator[str]:
    """The lines, none of which holds what CSV cannot."""
    for place, line in enumerate(lines, start=1):
        if "\0" in line or len(line) > _LONGEST_LINE:
            raise DomainError(None, place=f"{name}, line {place}", problem="is no line of a CSV")
        yield line


def _score(text: str) -> float:
    """A number that is none but NaN."""
    score = written_number(text)
    if math.isnan(score):
        raise ValueError("NaN is no score")
    return score


def add_trial(audit: SequentialAudit, trial: Trial) -> None:
    """Add one trial, which may wait for its partner."""
    is_member, scores = trial
    one, none = {name: [score] for name, score in scores.items()}, {name: list[float]() for name in scores}
    audit.update(one, none) if is_member else audit.update(none, one)


def save_audit(audit: SequentialAudit, path: str | Path) -> None:
    """Write everything from which the audit can be continued: claim, confidence and scores."""
    claim = next((shape(audit.claim) for kind, shape in _STATED.items() if type(audit.claim) is kind), None)
    if audit.claim is not None and claim is None:
        claim = {"curve": repr(audit.claim)}
    content = {
        "schema": SCHEMA,
        "claim": claim,
        "confidence": audit.confidence,
        "direction": audit.direction,
        "attacks": {
            name: {"members": members.tolist(), "nonmembers": nonmembers.tolist()}
            for name, (members, nonmembers) in audit.scores().items()
        },
    }
    write_file(path, dumped(content, compact=True).encode())


def load_audit(path: str | Path, claim: Claimed | None = None) -> SequentialAudit:
    """The audit of a file, at the very evidence at which it was saved: its bets are made again.

    Args:
        path: as `save_audit` wrote it.
        claim: needed where the claim is a curve, which the file does not hold; must not differ from the file's.
    Raises:
        DomainError: if the file is none of a sequential audit, or holds another claim.
    """
    text, name = file_text(path)
    content = parsed(text, name)
    try:
        if not isinstance(content, Mapping) or content["schema"] != SCHEMA:
            raise DomainError(None, place=name, problem="is no file of a sequential audit")
        stated, attacks = content["claim"], content["attacks"]
        audit = SequentialAudit(
            _claim(stated, claim, name), _number(content["confidence"]), direction=content["direction"]
        )
        sides = (
            {attack: [_number(score) for score in held[side]] for attack, held in attacks.items()}
            for side in ("members", "nonmembers")
        )
        if attacks:
            audit.update(*sides)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        if isinstance(error, DomainError):
            raise
        raise DomainError(None, place=name, problem=f"is damaged: {type(error).__name__} {error}") from None
    return audit


def must_be_new(audit: SequentialAudit, trials: Iterable[Trial]) -> Iterator[Trial]:
    """The trials, unless they begin with all those that the audit has: they would count twice."""
    held = {name: (list(members), list(nonmembers)) for name, (members, nonmembers) in audit.scores().items()}
    kept = max((len(members) + len(nonmembers) for members, nonmembers in held.values()), default=0)
    seen: list[Trial] = []
    for trial in trials:
        if not kept:
            yield trial
            continue
        seen.append(trial)
        place = sum(is_member is trial[0] for is_member, _ in seen) - 1
        side = 0 if trial[0] else 1
        same = all(held[name][side][place : place + 1] == [score] for name, score in trial[1].items() if name in held)
        if same and len(seen) == kept:
            raise DomainError(
                None,
                problem="these trials begin with all that the state already holds, and would count twice",
                advice="a growing file needs no state: leave it out, and the whole file is read",
            )
        if not same:
            kept = 0
            yield from seen
    if kept:
        yield from seen


_STATED: Mapping[type, Any] = {
    GDP: lambda claim: {"mu": claim.mu},
    PureDP: lambda claim: {"epsilon": claim.epsilon_bound},
    ApproxDP: lambda claim: {"epsilon": claim.epsilon_bound, "delta": claim.delta_bound},
    ZCDP: lambda claim: {"rho": claim.rho},
}


def _claim(stated: Any, given: Claimed | None, name: str) -> Claimed | None:
    if stated is not None and "curve" in stated:
        if given is None:
            raise DomainError("claim", problem=f"must be given again: {name} holds scores of an audit of a curve")
        return given
    held = None if stated is None else Claim(**{key: _number(value) for key, value in stated.items()}).guarantee
    asked = given.guarantee if isinstance(given, Claim) else GDP(given) if isinstance(given, int | float) else given
    if asked is not None and asked != held:
        raise DomainError("claim", problem=f"must be the one of {name}, {stated}: an audit keeps its claim")
    return held


def _number(value: Any) -> float:
    """A number, infinities as words."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise TypeError("a number is none")
    return float(value)
