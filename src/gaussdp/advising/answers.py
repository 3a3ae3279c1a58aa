"""What is asked of somebody who has to choose a budget, in plain words, and the answers: the file policy.toml."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

from gaussdp.advising.published import Published
from gaussdp.choosing.requirements import Requirement, parse_policy
from gaussdp.documents.files import file_text, parsed, toml, write_file
from gaussdp.documents.rounding import Rounding, rounded, shown_level
from gaussdp.domains import LEVEL, Domain, instance, integer, nearest, number, one_of, written_share
from gaussdp.errors import DomainError, brief
from gaussdp.numerics import TINY
from gaussdp.objects import cached_property
from gaussdp.risks import Accuracy, AtMost, Identification
from gaussdp.risks.base import EVEN
from gaussdp.risks.identification import AIMS
from gaussdp.words import Phrase, say

MEMBERSHIP = "membership"


@dataclass(frozen=True)
class Option:
    """One answer to choose: its word in files, its label, and what it means."""

    value: str
    label: str
    meaning: str


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes:
        key: of the answer, in files and options.
        text: the question itself.
        why: what the answer is for, and how to find it.
        kind: one of some words, a chance or share, a whole number, or any number.
        default: what is assumed by who does not know; None where that depends on the answer about what is to be kept.
        options: for one of some words.
    """

    key: str
    text: str
    why: str
    kind: Literal["choice", "share", "whole", "number"]
    default: str | float | int | None
    options: tuple[Option, ...] = ()


@dataclass(frozen=True)
class Usual:
    """Where to begin for one thing that must not be learnt.

    Attributes:
        chance: of a blind guess.
        acceptable: the chance that is allowed with the release.
        example: both in a sentence.
    """

    chance: float
    acceptable: float
    example: str


USUAL = {
    MEMBERSHIP: Usual(0.5, 0.6, Phrase("Whether somebody is in the data: a coin is right 50 times of 100; allow 60.")),
    "identification": Usual(
        1e-3, 1e-2, Phrase("Who of 1,000 candidates it is: a blind guess is right once; allow 10 times.")
    ),
    "attribute": Usual(
        0.1, 0.2, Phrase("An illness that 1 in 10 people have: a blind guess finds 10 of 100; allow 20.")
    ),
    "reconstruction": Usual(
        1e-6, 1e-5, Phrase("The whole record: a blind guess is right once in a million; allow 10 times.")
    ),
    "description": Usual(
        1e-6,
        1e-5,
        Phrase(
            "A description that 1 in a million people fit: a person chosen in advance fits it once in a million;"
            " allow 10 times."
        ),
    ),
}
"""A start to be changed: where the numbers come from nobody but here, the advice says so."""

_QUESTIONS = {AIM: aim.question for AIM, aim in AIMS.items()}

QUESTIONS = (
    Question(
        "unit",
        Phrase("Who is protected?"),
        Phrase("The guarantee speaks about one of these, with everything that is in the data about it."),
        "choice",
        "person",
        (
            Option("person", Phrase("a person"), Phrase("all records of one person together")),
            Option("household", Phrase("a household"), Phrase("all people of one household together")),
            Option("device", Phrase("a device"), Phrase("one phone or computer; a person with two is protected less")),
            Option(
                "record",
                Phrase("a record"),
                Phrase("one visit, trip or purchase; a person with many is protected less"),
            ),
        ),
    ),
    Question(
        "records_per_unit",
        Phrase("How many records can one of them have in the data, at most?"),
        Phrase("What one can change, and so the noise, grows with it. Where there is no limit, make one and cut."),
        "whole",
        1,
    ),
    Question(
        "aim",
        Phrase("What must not be learnt about them?"),
        Phrase(
            "An attacker may guess without the release too: what counts is how much better the guess becomes by it."
        ),
        "choice",
        MEMBERSHIP,
        (
            Option(MEMBERSHIP, Phrase("whether they are in the data"), USUAL[MEMBERSHIP].example),
            *(Option(key, _QUESTIONS[key], USUAL[key].example) for key in AIMS),
        ),
    ),
    Question(
        "chance",
        Phrase("With which chance is a guess right without the data?"),
        Phrase("One over the number of candidates, or the share of people who have the attribute; 0.5 for a coin."),
        "share",
        None,
    ),
    Question(
        "acceptable",
        Phrase("With which chance may a guess be right after everything is published?"),
        Phrase("For the best attacker there can be, who knows all other records. Nobody can set this number for you."),
        "share",
        None,
    ),
    Question(
        "people",
        Phrase("About how many people are in the data?"),
        Phrase("For the size of the noise beside the numbers, and for how many people a chance means."),
        "whole",
        10_000,
    ),
    Question(
        "every",
        Phrase("How often is something published?"),
        Phrase("Each release spends; what they spend adds in squares, also if later ones depend on earlier ones."),
        "choice",
        "once",
        (
            Option("once", Phrase("once"), Phrase("one release")),
            Option("day", Phrase("daily"), Phrase("366 releases a year")),
            Option("week", Phrase("weekly"), Phrase("53 releases a year")),
            Option("month", Phrase("monthly"), Phrase("12 releases a year")),
            Option("quarter", Phrase("quarterly"), Phrase("4 releases a year")),
            Option("year", Phrase("yearly"), Phrase("1 release a year")),
        ),
    ),
    Question(
        "years",
        Phrase("For how many years?"),
        Phrase(
            "The budget is for all of them together; afterwards no further release about the same people is covered."
        ),
        "number",
        1.0,
    ),
    Question(
        "attacker",
        Phrase("Who might attack?"),
        Phrase(
            "It changes no number: the guarantee holds against everybody. It belongs into the record of the decision."
        ),
        "choice",
        "anyone",
        (
            Option("anyone", Phrase("anyone"), Phrase("the results are public")),
            Option("recipients", Phrase("named recipients"), Phrase("the results go to some, under terms of use")),
            Option("insiders", Phrase("insiders"), Phrase("people with access to parts of the data")),
        ),
    ),
)
BY_KEY = {question.key: question for question in QUESTIONS}
_PEOPLE = int(BY_KEY["people"].default or 1)


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
            words = say("above the chance of a guess without the data")
            raise DomainError("acceptable", words, self.filled["acceptable"])
        for _, changes in self.scenarios:
            self._changed(changes)

    @property
    def filled(self) -> dict[str, Any]:
        """The answers to all questions, with what is assumed where nothing was said."""
        found = {key: getattr(self, key) for key in _ASKED}
        aim, chance, bound = self._followed
        found |= {"aim": aim, "chance": chance, "people": self.people or max(_PEOPLE, self._largest_batch)}
        if self.acceptable is None:
            found["acceptable"] = bound.value if self.tells_limit else _risk(aim, chance).of(bound.by_mu())
        return {key: BY_KEY[key].default if value is None else value for key, value in found.items()}

    @cached_property
    def _followed(self) -> tuple[str, float, AtMost]:
        """What must not be learnt, the chance of a blind guess, and what is allowed, as far as given; else the usual.

        What is usual gives way to what is given: no guess about membership is right less often than a coin, and no
        limit lies below the chance of a blind guess.
        """
        given = [one for one in (self.chance, self.acceptable) if one is not None]
        aim = self.aim or ("identification" if given and min(given) < EVEN else MEMBERSHIP)
        usual = USUAL[aim]
        chance = usual.chance if self.chance is None else self.chance
        if self.acceptable is None:
            return aim, chance, _usual_bound(aim, chance)
        if self.chance is None and aim != MEMBERSHIP and self.acceptable <= chance:
            reached = (
                _usual_bound(aim, chance).by_mu().fpr(self.acceptable)
            )  # whence the usual mu leads to what is given
            chance = rounded(max(reached, TINY), Rounding.UP, 2)
        return aim, chance, AtMost(_risk(aim, chance), self.acceptable)

    @property
    def tells_limit(self) -> bool:
        """Whether what is allowed is told for the chance of a blind guess, and not for the usual one."""
        _, chance, bound = self._followed
        return chance == (bound.risk.prior if isinstance(bound.risk, Accuracy) else bound.risk.level_value)

    @property
    def _largest_batch(self) -> int:
        return max((one.batch_size or 0 for one in self.published), default=0)

    @property
    def given_way(self) -> tuple[str, ...]:
        """What is usually assumed and could not be here, and what is assumed instead: a sentence each."""
        aim, chance, bound = self._followed
        found = []
        if self.aim is None and aim != MEMBERSHIP:
            found.append(
                say(
                    "A guess about membership is right at least half of the time. You gave a smaller chance, so the"
                    " advice is about identification."
                )
            )
        if self.chance is None and chance != USUAL[aim].chance:
            found.append(
                say(
                    "The usual chance of a blind guess is not below what you allow, so {chance} is assumed.",
                    chance=shown_level(chance),
                )
            )
        if not self.tells_limit:
            found.append(
                say(
                    "No limit is usual for the chance that you gave. The usual limit is assumed: {words}.",
                    words=bound.words,
                )
            )
        if self.people is None and self._largest_batch > _PEOPLE:
            found.append(
                say("A batch has {count:,} records, so at least as many people are assumed.", count=self._largest_batch)
            )
        return tuple(found)

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
        source = say("nobody: assumed here") if self.acceptable is None else ""
        return Requirement(self._followed[2], source=source)

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


def _risk(aim: str, chance: float) -> Accuracy | Identification:
    """What a guess achieves, for somebody who starts with this chance."""
    return Accuracy(chance) if aim == MEMBERSHIP else Identification(chance, aim)


def _usual_bound(aim: str, chance: float) -> AtMost:
    """What is allowed where nobody says: the usual, or what its mu allows for another chance if that can be told."""
    usual = USUAL[aim]
    bound = AtMost(_risk(aim, usual.chance), usual.acceptable)
    if aim == MEMBERSHIP or chance == usual.chance:
        return bound
    short = rounded(_risk(aim, chance).of(bound.by_mu()), Rounding.DOWN, 2)
    return AtMost(_risk(aim, chance), short) if chance < short < 1 else bound


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
