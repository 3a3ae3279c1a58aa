"""What all descriptions of mechanisms share: an adjacency, repetition, parts, words, and a name in plan files."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields
from itertools import groupby
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, TypeVar

from gaussdp.documents.rounding import shown_nearest
from gaussdp.domains import WordChoice, integer, one_of
from gaussdp.errors import DomainError
from gaussdp.objects import guard
from gaussdp.registry import Registry
from gaussdp.words import Phrase, say

_FEWEST = 4  # releases that are told together; fewer are phases, told one by one
_MOST_LINES = 12  # of one list of releases
_DIGITS = 4


class Stretch(NamedTuple):
    """Steps of one kind with the same numbers.

    Attributes:
        name: what they are.
        steps: how many.
        numbers: their numbers, by name.
    """

    name: str
    steps: int
    numbers: tuple[tuple[str, float], ...]

    @property
    def kind(self) -> tuple[str, ...]:
        """What neighbours must share to be told in one line."""
        return (self.name, *(name for name, _ in self.numbers))

    def times(self, count: int) -> "Stretch":
        """The same again and again."""
        return self._replace(steps=self.steps * count)


class Listed(NamedTuple):
    """Releases from first to last, counted from 1, in one line."""

    first: int
    last: int
    words: str


def lines(releases: Iterable[tuple[str, Stretch | None]]) -> list[Listed]:
    """Releases, each with its sentence and the stretch that it is, in few lines."""
    found: list[Listed] = []
    place = 1
    for kind, group in groupby(releases, key=lambda one: one[1] and one[1].kind):
        members = list(group)
        stretches = [stretch for _, stretch in members if stretch is not None]
        if kind is not None and len(members) >= _FEWEST:
            found.append(Listed(place, place + len(members) - 1, _together(stretches)))
        else:
            found += [Listed(place + i, place + i, words) for i, (words, _) in enumerate(members)]
        place += len(members)
    if len(found) > _MOST_LINES:
        rest = place - found[_MOST_LINES - 1].first
        found[_MOST_LINES - 1 :] = [
            Listed(found[_MOST_LINES - 1].first, place - 1, say("{rest:,} further releases", rest=rest))
        ]
    return found


def _together(stretches: Sequence[Stretch]) -> str:
    names = [name for name, _ in stretches[0].numbers]
    told = [_course(name, [dict(stretch.numbers)[name] for stretch in stretches]) for name in names]
    steps = sum(stretch.steps for stretch in stretches)
    return say("{name}, {steps:,} steps: {numbers}", name=stretches[0].name, steps=steps, numbers=", ".join(told))


def _course(name: str, values: Sequence[float]) -> str:
    """How a number goes from its first value to its last, and how far it strays."""
    first, last, low, high = (
        shown_nearest(value, _DIGITS) for value in (values[0], values[-1], min(values), max(values))
    )
    if low == high:
        return say("{name} {first}", name=name, first=first)
    strays = "" if {first, last} == {low, high} else say(" (between {low} and {high})", low=low, high=high)
    return say("{name} {first} → {last}{strays}", name=name, first=first, last=last, strays=strays)


Adjacency = Literal["add-remove", "replace-one"]
"""Which datasets are neighbours: one record more or less, or one record exchanged for another."""

ADJACENCIES: Mapping[Adjacency, WordChoice] = {
    "add-remove": WordChoice(
        Phrase("add or remove a record"), Phrase("add-remove: the data with and without one unit")
    ),
    "replace-one": WordChoice(
        Phrase("replace a record"), Phrase("replace-one: the data with one unit exchanged for another")
    ),
}


class PlanKeys(NamedTuple):
    """What an entry of a plan file must hold for one kind of mechanism, and what it may."""

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mechanism(ABC):
    """A randomised release, described by its parameters, which are the fields of a frozen dataclass.

    Repetition is written `steps * mechanism`; several releases together are a `Composition`.

    A subclass needs `adjacency` and `parts`; a mechanism that consists of known ones needs no analysis of its own. With
    a `kind` it can be registered (`gaussdp.mechanisms.register`) and is then known to plan files and run files, to what
    reads them, and to statements.

    Attributes:
        kind: its name in a plan file.

    >>> from gaussdp import Gaussian
    >>> isinstance(Gaussian(2.0), Mechanism), Gaussian(2.0).adjacency
    (True, 'add-remove')
    """

    kind: ClassVar[str] = ""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        _guard(cls)

    @property
    @abstractmethod
    def adjacency(self) -> Adjacency:
        """Which datasets are neighbours."""

    @abstractmethod
    def parts(self) -> Iterator[tuple["Mechanism", int]]:
        """The elementary mechanisms this one consists of, each with how often it runs."""

    @classmethod
    def plan_keys(cls) -> PlanKeys:
        """What its entry in a plan file holds: its fields, of which those with a default may be left out."""
        known = fields(cls)
        required = tuple(field.name for field in known if field.default is MISSING)
        return PlanKeys(required, tuple(field.name for field in known if field.default is not MISSING))

    @classmethod
    def from_plan(cls, **parameters: Any) -> "Mechanism":
        """The mechanism that such an entry describes."""
        return cls(**parameters)

    def plan_entry(self) -> dict[str, object]:
        """The entry that describes it."""
        keys = self.plan_keys()
        known = [field.name for field in fields(self) if field.name in keys.required + keys.optional]
        return {"mechanism": self.kind, **{name: getattr(self, name) for name in known}}

    def releases(self, times: int = 1) -> list[tuple["Mechanism", int]]:
        """Itself as a list of releases in a plan file, with how often each runs."""
        return [(self, times)]

    @property
    def sentence(self) -> str:
        """The mechanism in one line."""
        words = repr(self)
        for adjacency in ADJACENCIES:
            words = words.replace(f", adjacency={adjacency!r}", "")
        return words

    @property
    def stretch(self) -> Stretch | None:
        """Itself as a part of a schedule; None if it is told by its sentence only."""
        return None

    def facts(self, dataset_size: int | None = None) -> tuple[tuple[str, str], ...]:
        """What a statement says about its parameters, beyond the sentence: names and values."""
        return ()

    @property
    def pure_epsilon(self) -> float:
        """The smallest epsilon of pure DP, infinite if there is none: losses of independent releases add up."""
        return math.fsum(count * part.pure_epsilon for part, count in self.parts())

    @property
    def sampled(self) -> bool:
        """Whether its guarantee relies on random batches."""
        return any(part.sampled for part, _ in self.parts())

    @property
    def samplings(self) -> frozenset[str]:
        """How the random batches are made on which its guarantee relies, as run files say it."""
        return frozenset[str]().union(*(part.samplings for part, _ in self.parts()))

    @property
    def trains(self) -> bool:
        """Whether it is, or holds, DP-SGD, where gradients are clipped."""
        return any(part.trains for part, _ in self.parts())

    @property
    def bounded(self) -> bool:
        """Whether its account is known to hold but not to be the least: a parameter of it is itself a bound."""
        return any(part.bounded for part, _ in self.parts())

    @property
    def least(self) -> "Mechanism | None":
        """A release that surely loses no more; None if none is known.

        It is the mechanism itself where its parameters are what they say. Where one of them is itself a bound, or was
        rounded up, an account of the mechanism says what it loses at most, and nothing about what it loses at least. So
        every lower end, whatever is asked, is one of the account of this release, or 0.
        """
        return None if self.bounded else self

    def protecting(self, adjacency: Adjacency, records: int = 1) -> "Mechanism | None":
        """The same release described for other neighbours.

        Args:
            adjacency: which data sets are neighbours.
            records: how many records a unit may have.
        Returns:
            The mechanism whose account is exact for them; None if none is known.
        """
        return self if adjacency == self.adjacency and records == 1 else None

    def __mul__(self, count: int) -> "Repeated":
        """This mechanism, run count times on the same data."""
        return Repeated(self, count)

    __rmul__ = __mul__


def checked_adjacency(value: object) -> Adjacency:
    """The adjacency, or a DomainError that lists what there is."""
    return one_of("adjacency", value, tuple(ADJACENCIES))


def _guard(kind: type) -> None:
    """The same names mean the same in every mechanism."""
    guard(
        kind,
        adjacency=lambda name, value: checked_adjacency(value),
        records=lambda name, value: integer(name, value, low=1),
        times=lambda name, value: integer(name, value, low=1),
        dataset_size=lambda name, value: None if value is None else integer(name, value, low=1),
    )


_guard(Mechanism)


class Elementary(Mechanism):
    """A mechanism that is its own only part.

    Attributes:
        sampling: how it makes its batches where these are random, as a run file says it.
    """

    sampling: ClassVar[str] = "poisson"

    def parts(self) -> Iterator[tuple[Mechanism, int]]:
        yield self, 1

    @property
    def pure_epsilon(self) -> float:
        return math.inf

    @property
    def sampled(self) -> bool:
        return False

    @property
    def samplings(self) -> frozenset[str]:
        return frozenset({self.sampling} if self.sampled else ())

    @property
    def trains(self) -> bool:
        return False

    @property
    def bounded(self) -> bool:
        return False


class SampledStep(Elementary):
    """A step of training on a random part of the data."""

    @property
    def sampled(self) -> bool:
        return True

    @property
    def trains(self) -> bool:
        return True


@dataclass(frozen=True)
class Repeated(Mechanism):
    r"""A mechanism run several times on the same data, with fresh noise; written `count * mechanism`.

    .. math:: f^{\otimes n}

    Reference: Dong, Roth & Su (2022), Section 3.

    >>> from gaussdp.mechanisms import Laplace
    >>> (3 * Laplace(scale=10.0)).count
    3
    """

    mechanism: Mechanism
    count: int

    def __post_init__(self) -> None:
        if not isinstance(self.mechanism, Mechanism):
            raise DomainError("mechanism", "a mechanism", self.mechanism)
        object.__setattr__(self, "count", integer("count", self.count, low=1))
        for _, count in self.parts():
            integer("count", count, low=1)  # all in all, where it repeats what is repeated already

    @property
    def adjacency(self) -> Adjacency:
        """The adjacency of the repeated mechanism."""
        return self.mechanism.adjacency

    def parts(self) -> Iterator[tuple[Mechanism, int]]:
        for part, count in self.mechanism.parts():
            yield part, count * self.count

    def releases(self, times: int = 1) -> list[tuple[Mechanism, int]]:
        return self.mechanism.releases(times * self.count)

    def protecting(self, adjacency: Adjacency, records: int = 1) -> Mechanism | None:
        known = self.mechanism.protecting(adjacency, records)
        return None if known is None else Repeated(known, self.count)

    @property
    def sentence(self) -> str:
        return say("{count:,} times {what}", count=self.count, what=self.mechanism.sentence)

    @property
    def stretch(self) -> Stretch | None:
        known = self.mechanism.stretch
        return None if known is None else known.times(self.count)

    @property
    def trains(self) -> bool:
        return self.mechanism.trains

    @property
    def bounded(self) -> bool:
        return self.mechanism.bounded

    @property
    def least(self) -> Mechanism | None:
        known = self.mechanism.least
        return self if known is self.mechanism else None if known is None else Repeated(known, self.count)


Class = TypeVar("Class", bound=type[Mechanism])


class Kind(Protocol):
    """One kind of release in a plan file: a mechanism, or a guarantee that stands for one."""

    @property
    def kind(self) -> str:
        """Its name there."""

    def plan_keys(self) -> PlanKeys:
        """What its entry holds."""

    def from_plan(self, **parameters: object) -> Mechanism:
        """The mechanism that such an entry describes."""


KINDS: Registry[Kind] = Registry("mechanism", lambda known: known.kind)


def register(mechanism: Class) -> Class:
    """Know a mechanism by its `kind` in plan files, run files and statements; usable as a decorator.

    Raises:
        DomainError: if it has no kind, or another mechanism has the same.

    >>> from gaussdp import Gaussian
    >>> Gaussian.kind in registered()  # registering it again is refused
    True
    """
    KINDS.add(mechanism)
    return mechanism


def registered() -> tuple[str, ...]:
    """The kinds that are known, in order.

    >>> registered()[:2]
    ('gaussian', 'gaussian-zcdp')
    """
    return KINDS.keys


def from_entry(entry: Mapping[str, Any]) -> Mechanism:
    """The mechanism that an entry of a plan file describes, which names its `mechanism`.

    Raises:
        DomainError: if there is no such mechanism, or it has other parameters.
    """
    parameters = dict(entry)
    name = parameters.pop("mechanism")
    kind = KINDS.get(str(name))
    if kind is None:
        raise DomainError(None, problem=f"unknown mechanism {name!r}", advice=f"known are {', '.join(registered())}")
    times = parameters.pop("times", 1)
    keys = kind.plan_keys()
    for key in parameters:
        if key not in keys.required + keys.optional:
            known = ", ".join((*keys.required, *keys.optional, "times"))
            raise DomainError(None, problem=f"{name} has no parameter {key!r}", advice=f"it has {known}")
    for key in keys.required:
        if key not in parameters:
            raise DomainError(None, problem=f"{name} needs {key}")
    mechanism, count = kind.from_plan(**parameters), integer("times", times, low=1)
    return mechanism if count == 1 else count * mechanism


@contextmanager
def extended(*mechanisms: type[Mechanism]) -> Iterator[None]:
    """With these mechanisms too, for a while.

    >>> with extended():  # nothing more
    ...     len(registered()) > 20
    True
    """
    with KINDS.kept():
        for mechanism in mechanisms:
            register(mechanism)
        yield
