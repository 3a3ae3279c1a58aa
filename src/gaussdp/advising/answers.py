"""The answers from which advice follows, and the file policy.toml that holds them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from gaussdp.advising.published import Published
from gaussdp.advising.questions import BY_KEY, MEMBERSHIP, QUESTIONS, USUAL
from gaussdp.choosing.notation import parse_policy
from gaussdp.choosing.requirements import Requirement
from gaussdp.documents.files import write_file
from gaussdp.documents.rounding import Rounding, rounded
from gaussdp.documents.structured import file_text, parsed, toml
from gaussdp.domains import LEVEL, Domain, instance, integer, nearest, number, one_of, written_share
from gaussdp.errors import DomainError, brief
from gaussdp.risks import Accuracy, AtMost, Identification

_A_YEAR = {"once": 0.0, "day": 365.25, "week": 365.25 / 7, "month": 12.0, "quarter": 4.0, "year": 1.0}
YEARS = Domain(0.0, 1000.0, closed_low=False)
_ASKED = tuple(question.key for question in QUESTIONS)
_OWN = ("title", "decided_by", "contact")


@dataclass(frozen=True)
class Asked:
    """A requirement that somebody has set: its text in any currency, and who."""

    policy: str
    source: str = ""

    def __post_init__(self) -> None:
        parse_policy(self.policy)
        instance("source", self.source, str, "a text")

    @property
    def requirement(self) -> Requirement:
        """The requirement itself."""
        return Requirement(parse_policy(self.policy), source=self.source)


@dataclass(frozen=True, kw_only=True)
class Answers:
    """What is known about a planned release; None for "I don't know".

    Args:
        title: of the plan.
        unit, records_per_unit, aim, chance, acceptable, people, every, years, attacker: as `QUESTIONS` asks.
        published: what each release holds; a count, if nothing is said.
        requirements: what else must hold, set by law, contract or a board.
        scenarios: other plans to compare, by name: the answers that differ.
        decided_by, contact: for the record of the decision.

    >>> Answers(aim="identification", chance=1e-3, acceptable=0.01, every="month").releases
    12
    """

    title: str = ""
    unit: str | None = None
    records_per_unit: int | None = None
    aim: str | None = None
    chance: float | None = None
    acceptable: float | None = None
    people: int | None = None
    every: str | None = None
    years: float | None = None
    attacker: str | None = None
    published: tuple[Published, ...] = ()
    requirements: tuple[Asked, ...] = ()
    scenarios: tuple[tuple[str, tuple[tuple[str, Any], ...]], ...] = ()
    decided_by: str = ""
    contact: str = ""

    def __post_init__(self) -> None:
        for key, question in BY_KEY.items():
            value = getattr(self, key)
            if value is None:
                continue
            if question.kind == "choice":
                one_of(key, value, tuple(option.value for option in question.options))
            elif question.kind == "whole":
                integer(key, value, low=1)
            else:
                domain = LEVEL if question.kind == "share" else YEARS
                object.__setattr__(self, key, number(key, value, domain))
        try:
            allowed = self.goal.low
        except DomainError as error:
            raise error.changed(parameter="acceptable") from None
        if allowed == 0:
            raise DomainError("acceptable", "above the chance of a guess without the data", self.filled["acceptable"])
        for _, changes in self.scenarios:
            self._changed(changes)

    @property
    def filled(self) -> dict[str, Any]:
        """The answers to all questions, with what is assumed where nothing was said."""
        found = {key: getattr(self, key) for key in _ASKED}
        usual = USUAL[found["aim"] or MEMBERSHIP]
        found["chance"] = usual.chance if found["chance"] is None else found["chance"]
        if found["acceptable"] is None:
            found["acceptable"] = _acceptable(found["aim"] or MEMBERSHIP, found["chance"])
        return {key: BY_KEY[key].default if value is None else value for key, value in found.items()}

    @property
    def assumed(self) -> tuple[str, ...]:
        """The questions that nobody answered."""
        return tuple(key for key in _ASKED if getattr(self, key) is None)

    @property
    def statistics(self) -> tuple[Published, ...]:
        """What each release holds."""
        return self.published or (Published(kind="count"),)

    @property
    def releases(self) -> int:
        """How many releases there are in all."""
        full = self.filled
        return max(1, math.ceil(_A_YEAR[full["every"]] * float(full["years"])))

    @property
    def goal(self) -> Requirement:
        """What must not be learnt, as a requirement."""
        full = self.filled
        if full["aim"] == MEMBERSHIP:
            bound = AtMost(Accuracy(full["chance"]), full["acceptable"])
        else:
            bound = AtMost(Identification(full["chance"], full["aim"]), full["acceptable"])
        return Requirement(bound, source="nobody: assumed here" if self.acceptable is None else "")

    def all_requirements(self) -> tuple[Requirement, ...]:
        """The goal, unless nothing is said of it while others have set something; and what these have set."""
        set_by_others = tuple(asked.requirement for asked in self.requirements)
        silent = self.aim is None and self.chance is None and self.acceptable is None
        return set_by_others if silent and set_by_others else (self.goal, *set_by_others)

    def variants(self) -> tuple[tuple[str, "Answers"], ...]:
        """The scenarios as answers of their own, by name."""
        return tuple((name, self._changed(changes)) for name, changes in self.scenarios)

    def _changed(self, changes: tuple[tuple[str, Any], ...]) -> "Answers":
        return replace(self, **{**dict(changes), "scenarios": ()})

    @classmethod
    def from_mapping(cls, content: object, name: str = "policy") -> "Answers":
        """The answers that a mapping holds, as a policy file would.

        Raises:
            DomainError: for what is unknown or wrong, with the name.
        """
        try:
            return cls(**_arguments(content))
        except DomainError as error:
            raise error.at(name) from None

    @classmethod
    def read(cls, path: str | Path) -> "Answers":
        """The answers in a .toml or .json file."""
        text, name = file_text(path)
        return cls.from_mapping(parsed(text, name), name)

    def as_mapping(self) -> dict[str, Any]:
        """The answers as a policy file holds them; what nobody answered is left out."""
        found = {key: getattr(self, key) for key in (*_OWN, *_ASKED) if getattr(self, key) not in (None, "")}
        if self.published:
            found["published"] = [one.as_object() for one in self.published]
        if self.requirements:
            found["requirements"] = [
                {"policy": one.policy} | ({"source": one.source} if one.source else {}) for one in self.requirements
            ]
        if self.scenarios:
            found["scenarios"] = {name: _plain(dict(changes)) for name, changes in self.scenarios}
        return found

    def as_toml(self) -> str:
        """The policy file."""
        return toml(self.as_mapping())

    def write(self, path: str | Path) -> None:
        """Write the policy file."""
        write_file(path, self.as_toml().encode())


def _acceptable(aim: str, chance: float) -> float:
    """What is allowed where nobody says: for the usual chance the usual answer, else what the same mu allows."""
    usual = USUAL[aim]
    if chance == usual.chance:
        return usual.acceptable
    if aim == MEMBERSHIP:
        return Accuracy(chance).of(AtMost(Accuracy(), usual.acceptable).by_mu())
    allowed = Identification(chance).of(AtMost(Identification(usual.chance), usual.acceptable).by_mu())
    short = rounded(allowed, Rounding.DOWN, 2)
    return short if short > chance else allowed


def _arguments(content: object) -> dict[str, Any]:
    known = tuple(field.name for field in fields(Answers))
    if not isinstance(content, Mapping):
        raise DomainError(None, problem="must be a table of answers", got=brief(content))
    for key in content:
        if key not in known:
            suggestion = nearest(key, known)
            hint = f"did you mean {suggestion!r}?" if suggestion else f"known are {', '.join(known)}"
            raise DomainError(None, problem=f"has no answer {brief(key)}", advice=hint)
    found: dict[str, Any] = {key: _value(key, value) for key, value in content.items()}
    if "scenarios" in found:
        found["scenarios"] = tuple(
            (str(name), tuple(_arguments(changes).items())) for name, changes in _table("scenarios", found["scenarios"])
        )
    return found


def _value(key: str, value: object) -> Any:
    if key == "published":
        return tuple(_made(Published, key, entry) for entry in _entries(key, value))
    if key == "requirements":
        return tuple(
            Asked(entry) if isinstance(entry, str) else _made(Asked, key, entry) for entry in _entries(key, value)
        )
    if key in _OWN and not isinstance(value, str):
        raise DomainError(key, "a text", got=brief(value))
    if isinstance(value, str) and key in BY_KEY and BY_KEY[key].kind in ("share", "number"):
        try:
            return written_share(value)
        except ValueError:
            raise DomainError(key, "a number such as 0.01, 1% or 1/100", value) from None
    return value


def _entries(key: str, value: object) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise DomainError(key, "a list", got=brief(value))
    return list(value)


def _table(key: str, value: object) -> list[tuple[Any, Any]]:
    if not isinstance(value, Mapping):
        raise DomainError(key, "a table with a table of answers for each name", got=brief(value))
    return list(value.items())


def _made(kind: type[Any], key: str, entry: object) -> Any:
    if isinstance(entry, kind):
        return entry
    known = tuple(field.name for field in fields(kind))
    if not isinstance(entry, Mapping) or not set(entry) <= set(known):
        raise DomainError(key, f"made of entries with {', '.join(known)}", got=brief(entry))
    try:
        return kind(**entry)
    except TypeError:
        raise DomainError(key, problem=f"needs {known[0]} in each entry") from None


def _plain(changes: dict[str, Any]) -> dict[str, Any]:
    """Changes as a file holds them."""
    made = dict(changes)
    for key in ("published", "requirements"):
        if key in made:
            entries = (vars(one) if isinstance(one, Asked) else one.as_object() for one in made[key])
            made[key] = [dict(entry) for entry in entries]
    return made
