"""An audit that may be looked at after every pair of trials and stopped when it is clear, and its files."""

import csv
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gaussdp.auditing.betting import SETTINGS, Bets, bets_against, chances, grid_bets
from gaussdp.auditing.claims import ROUNDING, Claimed, Outcome, as_guarantee, claims_table, described
from gaussdp.auditing.counts import means_member, scores_of
from gaussdp.auditing.designs import Design
from gaussdp.auditing.result import accusing
from gaussdp.documents import Column, Displayed, Document, Rounding, Table
from gaussdp.documents.files import file_text, parsed, write_file
from gaussdp.documents.machine import dumped
from gaussdp.documents.rounding import shown_down
from gaussdp.domains import LEVEL, number, one_of, written_number
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP, ZCDP, ApproxDP, Guarantee, PureDP
from gaussdp.guarantees.claim import Claim
from gaussdp.numerics import Floats
from gaussdp.objects import Compared

Scores = npt.ArrayLike | Mapping[str, npt.ArrayLike]

TABLES = ("evidence", "growth", "claims")
ATTACK = "score"
"""The name of the attack where there is only one."""

_TOGETHER = 128  # pairs that are bet on in one go
_MARGIN = 1e-9  # relative, that the evidence must pass its limit by, for rounding
_MOST = 1e270  # that any bet may own; _TOGETHER pairs multiply it to no more than a double holds
_ROWS = 12  # of the table of growth
_ANYTIME = (
    "This holds however often one looks, and whenever one stops. Start one such audit of a claim, not several of which"
    " the best is kept; what several say together is the average of their evidence."
)


@dataclass(frozen=True, eq=False)
class Trail:
    """How the evidence grew, one entry a pair.

    Attributes:
        evidence: the e-value against the claim; empty without a claim.
        mu_lower: the bound.
    """

    evidence: Floats
    mu_lower: Floats


class SequentialAudit(Compared, Displayed):
    """Evidence against a claim from pairs of trials, valid at every look.

    A pair is one trial with the record and one without, each a run of its own. The evidence is an e-value: the wealth
    of somebody who bets against the claim, starting from 1, in a game that is fair or worse if the claim is true. It
    passes 1/a, at any time, with probability at most a (Ville's inequality). Trials need not be alike: the record, the
    attack and the mechanism may change from pair to pair, depending on all earlier ones, as long as the claim covers
    each.

    Args:
        claim: a mu, any guarantee with its curve, or a published claim; None for the bound on mu alone.
        confidence: in (0, 1); of the verdict at all times together, and of the bound at all times together.
        direction: "higher" or "lower": which scores mean more likely a member; decided before looking.

    >>> import numpy as np
    >>> attack = np.random.default_rng(1)
    >>> audit = SequentialAudit(claim=GDP(0.5), confidence=0.95)
    >>> while not audit.contradicted:
    ...     audit.update(members=attack.normal(1.0, 1.0, 10), nonmembers=attack.normal(0.0, 1.0, 10))
    >>> audit.pairs, audit.evidence > 20
    (..., True)
    """

    confidence: float
    direction: str

    def __init__(self, claim: Claimed | None = None, confidence: float = 0.95, *, direction: str = "higher") -> None:
        self.claim: Guarantee | None = None if claim is None else as_guarantee(claim)
        self.confidence: float = number("confidence", confidence, LEVEL)
        self.direction: str = one_of("direction", direction, ("higher", "lower"))
        self.design: Design = Design.TRIALS
        self._bets: Bets = grid_bets() if self.claim is None else grid_bets().joined(bets_against([self.claim]))
        mus = (*SETTINGS.mus, *((self.claim.mu,) if isinstance(self.claim, GDP) else ()))
        self._order = np.argsort(mus, kind="stable")  # of the claims about mu; any other claim comes after them
        self._mus = np.array(mus)[self._order]
        self._limit = (1 + _MARGIN) / (1 - self.confidence)
        self._attacks: dict[str, _Attack] = {}
        self._refuted = np.zeros(self._bets.gain.shape[0], dtype=bool)
        self._evidence: list[float] = []
        self._mu_lower: list[float] = []

    def _told(self) -> object:
        return self.claim, self.confidence, self.direction, self.scores()  # from which all else follows

    def __repr__(self) -> str:
        against = "" if self.claim is None else f" of the claim {described(self.claim)}"
        words = "" if self.claim is None else f" evidence {self._shown_evidence()},"
        return (
            f"<SequentialAudit{against} after {self.pairs} pairs:{words} μ at least {shown_down(self.mu_lower)} at"
            f" {100 * self.confidence:g} % confidence; design {self.design.value}>"
        )

    @property
    def pairs(self) -> int:
        """How many pairs were bet on."""
        return len(self._mu_lower)

    @property
    def waiting(self) -> tuple[int, int]:
        """Members and nonmembers that wait for their partner."""
        attack = next(iter(self._attacks.values()), None)
        return (0, 0) if attack is None else (attack.members.size - self.pairs, attack.nonmembers.size - self.pairs)

    @property
    def attacks(self) -> tuple[str, ...]:
        """The names of the attacks whose evidence is averaged."""
        return tuple(self._attacks)

    @property
    def mu_lower(self) -> float:
        """With the stated confidence, at all times together, the mechanism is mu-GDP for no mu of this or below.

        The largest claim on a grid in steps of 0.05 and more such that it and all smaller ones are refuted; 0 if none.
        """
        return self._mu_lower[-1] if self._mu_lower else 0.0

    @property
    def evidence(self) -> float:
        """The e-value against the claim now: 1 at the start; at 1 / (1 - confidence) the claim is contradicted."""
        self._must_have_a_claim()
        return self._evidence[-1] if self._evidence else 1.0

    @property
    def contradicted(self) -> bool:
        """Whether the evidence has ever reached its limit; for a mu, together with that against all smaller ones."""
        self._must_have_a_claim()
        if isinstance(self.claim, GDP):
            return bool(self._refuted[self._order][self._mus <= self.claim.mu].all())
        return bool(self._refuted[-1])

    @property
    def trail(self) -> Trail:
        """How evidence and bound grew."""
        return Trail(np.array(self._evidence), np.array(self._mu_lower))

    def scores(self) -> dict[str, tuple[Floats, Floats]]:
        """The scores of members and of nonmembers so far, by attack, as they were given."""
        return {name: (attack.members, attack.nonmembers) for name, attack in self._attacks.items()}

    def update(self, *, members: Scores, nonmembers: Scores) -> None:
        """Add trials in the order in which they came; those without a partner wait for one.

        Args:
            members: scores of trials with the record; for several attacks on the same trials, a dict by their names.
            nonmembers: scores of trials without it.
        """
        ins, outs = _by_attack("members", members), _by_attack("nonmembers", nonmembers)
        known = self.attacks or tuple(ins)
        for side, given in (("members", ins), ("nonmembers", outs)):
            if set(given) != set(known):
                raise DomainError(side, f"scores of the attacks {', '.join(known)}", got=", ".join(given) or "none")
            if len({scores.size for scores in given.values()}) > 1:
                raise DomainError(side, problem="must hold as many scores of each attack", got="different numbers")
        if not self._attacks:
            shape = self._bets.stakes.shape
            self._attacks = {name: _Attack(shape) for name in known}
        for name, attack in self._attacks.items():
            attack.members = np.concatenate((attack.members, ins[name]))
            attack.nonmembers = np.concatenate((attack.nonmembers, outs[name]))
        first = next(iter(self._attacks.values()))
        while self.pairs < min(first.members.size, first.nonmembers.size):
            until = min(first.members.size, first.nonmembers.size, _renewed(self.pairs)[1], self.pairs + _TOGETHER)
            self._bet(slice(self.pairs, until))

    def verdict(self) -> Outcome:
        """Whether the claim is contradicted, and the sentence that says so."""
        self._must_have_a_claim()
        assert self.claim is not None
        level, pairs = f"{100 * self.confidence:.4g} % confidence", f"after {self.pairs} pairs"
        if self.contradicted:
            words = f"The claim {described(self.claim)} is contradicted at {level}, {pairs}; one may stop."
            return Outcome(True, words)
        words = f"The scores are consistent with the claim {described(self.claim)} at {level}, {pairs}"
        return Outcome(False, f"{words}; that is no proof of it.")

    def document(self) -> Document:
        """The evidence, how it grew, and the verdict."""
        claimed = self.claim is not None
        columns = [
            Column("pairs", "pairs"),
            *([Column("evidence", "evidence against the claim", Rounding.DOWN)] if claimed else []),
            Column("mu_lower", "μ at least", Rounding.DOWN),
        ]
        level = (Column("needed", "evidence needed", Rounding.UP), Column("confidence", "confidence"))
        last = self._row(self.pairs - 1)
        evidence = Table(
            "evidence",
            "What the pairs prove so far",
            (*columns, *level, Column("attacks", "attacks"), Column("design", "design")),
            (
                (
                    *last,
                    1 / (1 - self.confidence),
                    self.confidence,
                    ", ".join(self.attacks) or "none",
                    self.design.value,
                ),
            ),
        )
        places = np.unique(np.geomspace(1, max(1, self.pairs), _ROWS).round().astype(int)) - 1
        notes, tables = (
            [self.design.assumption, accusing(lower=self.direction == "lower"), _ANYTIME, ROUNDING],
            [evidence],
        )
        if self.pairs:
            rows = tuple(self._row(int(place)) for place in places)
            tables.append(Table("growth", "How it grew", tuple(columns), rows))
        if self.claim is not None:
            outcome = self.verdict()
            tables.append(claims_table([self.claim], ["contradicted" if outcome.contradicted else "consistent"]))
            notes.insert(0, outcome.sentence)
        return Document.tabular("What pairs of trials prove, at any time", tables, notes)

    def _row(self, place: int) -> tuple[float, ...]:
        """Pairs, evidence where there is a claim, and bound after the pair in this place; before all pairs at -1."""
        wealth = [] if self.claim is None else [self._evidence[place] if place >= 0 else 1.0]
        return place + 1, *wealth, self._mu_lower[place] if place >= 0 else 0.0

    def _bet(self, now: slice) -> None:
        """Bet on these pairs, all with quantiles of the same earlier ones."""
        wealth = sum(attack.bet(now, self._bets, self.direction) for attack in self._attacks.values())
        for row in np.minimum(wealth / len(self._attacks), _MOST):
            self._refuted |= row >= self._limit
            smaller = int(np.argmin(np.append(self._refuted[self._order], False)))  # refuted without a gap
            self._mu_lower.append(float(self._mus[smaller - 1]) if smaller else 0.0)
            if self.claim is not None:
                self._evidence.append(float(row[-1]))

    def _shown_evidence(self) -> str:
        return shown_down(self.evidence, 3)

    def _must_have_a_claim(self) -> None:
        if self.claim is None:
            raise DomainError("claim", problem="must be stated when the audit starts", advice="mu_lower needs none")


class _Attack:
    """The scores of one attack, and what its bets own."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.members = self.nonmembers = np.empty(0)
        self.capital = np.ones(shape)
        self.earlier: tuple[int, Floats] = 0, np.empty(0)

    def bet(self, now: slice, bets: Bets, direction: str) -> Floats:
        """The wealth against each claim after each of these pairs."""
        sign = -1.0 if direction == "lower" else 1.0
        taken = _renewed(now.start)[0]
        if taken == 0:
            return np.ones((now.stop - now.start, self.capital.shape[0]))
        if self.earlier[0] != taken:
            pooled = np.concatenate((self.members[:taken], self.nonmembers[:taken]))
            self.earlier = taken, np.sort(sign * pooled)
        member, nonmember = (
            chances(sign * side[now], self.earlier[1], bets.quantiles) for side in (self.members, self.nonmembers)
        )
        factors = bets.factors(member, nonmember)
        factors[0] *= self.capital
        capital: Floats = np.multiply.accumulate(factors, axis=0)
        self.capital = np.minimum(capital[-1], _MOST)
        return bets.wealth(capital)


def _renewed(pairs: int) -> tuple[int, int]:
    """From how many of so many pairs the quantiles are taken, 0 for none; at how many they are taken anew."""
    if pairs < SETTINGS.first:
        return 0, SETTINGS.first
    taken = SETTINGS.first
    while taken < SETTINGS.frozen:
        following = min(SETTINGS.frozen, max(taken + 1, math.floor(SETTINGS.renewal * taken)))
        if following > pairs:
            return taken, following
        taken = following
    return taken, 2**62


def _by_attack(side: str, scores: Scores) -> dict[str, Floats]:
    given = scores if isinstance(scores, Mapping) else {ATTACK: scores}
    if not given:
        raise DomainError(side, problem="must hold the scores of at least one attack", got="none")
    return {str(name): scores_of(side, column, may_be_empty=True) for name, column in given.items()}


SCHEMA = "gaussdp-sequential-audit-1"

LONGEST_TRIAL = 100_000  # characters of a line; the reader of CSV refuses fields a little longer

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
    if member in scores:
        raise DomainError(None, problem=f"column {member!r} cannot hold both the scores and the labels")
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
        if "\0" in line or len(line) > LONGEST_TRIAL:
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
    members, nonmembers = (one, none) if is_member else (none, one)
    audit.update(members=members, nonmembers=nonmembers)


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
        sides = {
            side: {attack: [_number(score) for score in held[side]] for attack, held in attacks.items()}
            for side in ("members", "nonmembers")
        }
        if attacks:
            audit.update(**sides)
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
