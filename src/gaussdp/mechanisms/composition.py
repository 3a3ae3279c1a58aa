"""Several releases on the same data, also described in a file, and steps known only by their guarantee.

A file has one entry a release; in TOML::

    [[releases]]
    mechanism = "dpsgd"
    noise_multiplier = 0.5
    dataset_size = 50_000
    batch_size = 100
    epochs = 20

    [[releases]]
    mechanism = "laplace"
    scale = 10.0
    times = 3
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from operator import is_
from pathlib import Path
from typing import Any

from gaussdp.documents.files import file_text, parsed, setting
from gaussdp.domains import NOISE, number, several
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP, ZCDP, ApproxDP, ApproxGDP, Guarantee, ProfilePoints, PureDP
from gaussdp.mechanisms.base import (
    KINDS,
    Adjacency,
    Elementary,
    Listed,
    Mechanism,
    PlanKeys,
    checked_adjacency,
    from_entry,
    lines,
    registered,
)
from gaussdp.mechanisms.gaussian import GDPGaussian
from gaussdp.words import say

_MOST_SHOWN = 20  # releases of a composition that stand in its repr

Statable = PureDP | ApproxDP | ProfilePoints | GDP | ApproxGDP
"""The guarantees that may stand for a release of which nothing else is known."""


@dataclass(frozen=True)
class Stated(Elementary):
    r"""A release of which only a guarantee is known.

    .. math:: f \ge f_{\text{stated}}

    Args:
        guarantee: PureDP, ApproxDP, several (epsilon, delta) statements together (ProfilePoints, ZCDP), GDP, or
            ApproxGDP.
        adjacency: the neighbours that the guarantee speaks about.
    Reference: Dong, Roth & Su (2022), Section 3: a bound on each part bounds the composition.

    >>> Stated(PureDP(0.1)).guarantee
    PureDP(epsilon=0.1)
    """

    guarantee: Statable
    adjacency: Adjacency = "add-remove"

    def __post_init__(self) -> None:
        if not isinstance(self.guarantee, Statable):
            raise DomainError("guarantee", "PureDP, ApproxDP, ProfilePoints, GDP or ApproxGDP", self.guarantee)
        if isinstance(self.guarantee, GDP | ApproxGDP) and self.guarantee.mu != 0:
            number("mu", self.guarantee.mu, NOISE)
        if isinstance(self.guarantee, ApproxGDP) and self.guarantee.delta_bound == 1:
            raise DomainError("delta", "below 1 for a release to compose", self.guarantee.delta_bound)
        known = self.guarantee.adjacency
        if checked_adjacency(self.adjacency) != (known or self.adjacency):
            raise DomainError("adjacency", f"that of the guarantee, {known}", self.adjacency)

    def parts(self) -> Iterator[tuple[Mechanism, int]]:
        """Itself; for mu-GDP the Gaussian release, which is the worst, and for its slack one that may fail."""
        if not isinstance(self.guarantee, GDP | ApproxGDP):
            yield self, 1
            return
        if self.guarantee.mu > 0:
            yield GDPGaussian.of(self.guarantee.mu, self.adjacency), 1
        fails = self.guarantee.delta_bound if isinstance(self.guarantee, ApproxGDP) else 0.0
        if fails > 0 or self.guarantee.mu == 0:
            yield Stated(ApproxDP(0.0, fails), self.adjacency), 1

    def plan_entry(self) -> dict[str, object]:
        return {"mechanism": self.guarantee.kind, **self.guarantee.parameters(), "adjacency": self.adjacency}

    @property
    def pure_epsilon(self) -> float:
        return self.guarantee.pure_epsilon


@dataclass(frozen=True)
class Bounded(Stated):
    """A release for which a guarantee was computed that need not be the least: what it loses at least is not known."""

    @property
    def bounded(self) -> bool:
        return True


@dataclass(frozen=True)
class StatedAs:
    """The kind of release of which one kind of guarantee is stated."""

    guarantee: type[Statable]

    @property
    def kind(self) -> str:
        """The guarantee's own."""
        return self.guarantee.kind

    def plan_keys(self) -> PlanKeys:
        """What builds the guarantee, and the adjacency."""
        known = signature(self.guarantee).parameters.values()
        required = tuple(one.name for one in known if one.default is one.empty)
        return PlanKeys(required, (*(one.name for one in known if one.default is not one.empty), "adjacency"))

    def from_plan(self, **parameters: Any) -> Mechanism:
        """The statement that an entry makes."""
        adjacency: Adjacency = parameters.pop("adjacency", "add-remove")
        return Stated(self.guarantee(**parameters), adjacency)


for _guarantee in (PureDP, ApproxDP, ZCDP, ProfilePoints, GDP, ApproxGDP):
    KINDS.add(StatedAs(_guarantee))


def _adjacency_of(item: object) -> Adjacency | None:
    return item.adjacency if isinstance(item, Mechanism | Guarantee) else None


@dataclass(frozen=True)
class Composition(Mechanism):
    r"""Several mechanisms on the same data, all of one adjacency; a stated guarantee may stand for one.

    .. math:: f = f_1 \otimes f_2 \otimes \cdots \otimes f_n

    Reference: Dong, Roth & Su (2022), Section 3: adaptive choices included.

    >>> from gaussdp.mechanisms import Gaussian
    >>> nested = Composition([Gaussian(4.0), 2 * Composition([Gaussian(4.0), 3 * Gaussian(1.0)])])
    >>> dict(nested.parts()) == {Gaussian(4.0): 3, Gaussian(1.0): 6}
    True
    """

    mechanisms: tuple[Mechanism, ...]

    def __init__(self, mechanisms: Iterable[Mechanism | Statable]) -> None:
        given = tuple(several("mechanisms", mechanisms, "a sequence of mechanisms"))
        known: Adjacency = next(filter(None, (_adjacency_of(item) for item in given)), "add-remove")
        described = tuple(Stated(item, known) if isinstance(item, Statable) else item for item in given)
        if not described:
            raise DomainError("mechanisms", problem="must not be empty", advice="give at least one mechanism")
        for item in described:
            if not isinstance(item, Mechanism):
                raise DomainError("mechanisms", value=item, problem="must hold mechanisms only")
            if item.adjacency != known:
                raise DomainError(
                    "adjacency",
                    "the same for all mechanisms of a composition",
                    got=f"{known} and {item.adjacency}",
                    advice="restate the noise of one of them for the other's neighbours",
                )
        object.__setattr__(self, "mechanisms", described)

    def __repr__(self) -> str:
        """All of it; of a long schedule the ends."""
        shown = [repr(mechanism) for mechanism in self.mechanisms[:_MOST_SHOWN]]
        if len(self.mechanisms) > _MOST_SHOWN:
            shown[_MOST_SHOWN // 2 :] = [
                f"<{len(self.mechanisms) - _MOST_SHOWN // 2 - 1} more>",
                repr(self.mechanisms[-1]),
            ]
        return f"Composition(mechanisms=({', '.join(shown)}{',' if len(shown) == 1 else ''}))"

    @property
    def adjacency(self) -> Adjacency:
        """The one adjacency of all parts."""
        return self.mechanisms[0].adjacency

    def parts(self) -> Iterator[tuple[Mechanism, int]]:
        yield from self._counts.items()

    @cached_property
    def _counts(self) -> dict[Mechanism, int]:
        """The parts in order of their first run; those of a composition that this one extends are known already."""
        first = self.mechanisms[0]
        counts = dict(first._counts) if isinstance(first, Composition) else {}
        for mechanism in self.mechanisms[1 if counts else 0 :]:
            for part, count in mechanism.parts():
                counts[part] = counts.get(part, 0) + count
        return counts

    def protecting(self, adjacency: Adjacency, records: int = 1) -> Mechanism | None:
        known = [mechanism.protecting(adjacency, records) for mechanism in self.mechanisms]
        return Composition([one for one in known if one is not None]) if None not in known else None

    def releases(self, times: int = 1) -> list[tuple[Mechanism, int]]:
        return [release for mechanism in self.mechanisms for release in mechanism.releases(times)]

    @property
    def sentence(self) -> str:
        """Its releases, those of a schedule in one line."""
        return "; ".join(line.words for line in self._lines)

    def facts(self, dataset_size: int | None = None) -> tuple[tuple[str, str], ...]:
        if len(self._lines) == 1:
            return ()
        return tuple(
            (
                say("Release {first}", first=line.first)
                if line.first == line.last
                else say("Releases {first} to {last}", first=line.first, last=line.last),
                line.words,
            )
            for line in self._lines
        )

    @property
    def _lines(self) -> list[Listed]:
        return lines((mechanism.sentence, mechanism.stretch) for mechanism in self.mechanisms)

    @property
    def trains(self) -> bool:
        return any(mechanism.trains for mechanism in self.mechanisms)

    @property
    def bounded(self) -> bool:
        return any(mechanism.bounded for mechanism in self.mechanisms)

    @property
    def least(self) -> Mechanism | None:
        """Of those whose least loss is known."""
        known = [one for mechanism in self.mechanisms if (one := mechanism.least) is not None]
        if len(known) == len(self.mechanisms) and all(map(is_, known, self.mechanisms)):
            return self
        return Composition(known) if known else None


def read_plan(path: str | Path) -> Composition:
    """The composition that a file describes.

    Args:
        path: a .toml or .json file with a list `releases`; each has a `mechanism`, the parameters of that kind, and
            optionally `times`.
    Raises:
        DomainError: naming the file, the line and what is wrong there.
    """
    return parse_plan(*file_text(path))


def parse_plan(text: str, name: str) -> Composition:
    """The composition that a text describes; its name ends in .toml or .json and stands in the messages."""
    content = parsed(text, name)
    releases = content.get("releases") if isinstance(content, dict) else None
    if not isinstance(releases, list) or not releases:
        raise DomainError(None, place=name, problem="must hold a list `releases` with at least one entry")
    unknown = sorted(set(content) - {"releases"})
    if unknown:
        raise DomainError(
            None,
            place=f"{name}, line {line_of(text, unknown[0])}",
            problem=f"unknown key {unknown[0]!r}",
            advice="only `releases` is known",
        )
    return composed(releases, text, name)


def composed(releases: list[Any], text: str, name: str) -> Composition:
    """The composition of the entries of `releases`, which stand in this text of this name."""
    return Composition([_release(text, name, number, entry) for number, entry in enumerate(releases, start=1)])


def _release(text: str, name: str, number: int, entry: Any) -> Mechanism:
    """The mechanism of one entry."""
    if not isinstance(entry, dict) or "mechanism" not in entry:
        raise DomainError(
            None, place=name, problem=f"release {number} must name its `mechanism`: one of {', '.join(registered())}"
        )
    try:
        return from_entry(entry)
    except DomainError as error:
        raise error.at(f"{name}, line {line_of(text, 'mechanism', number)}") from None


def line_of(text: str, key: str, occurrence: int = 1) -> int:
    """The line of the nth place where this key is set; it reads the text, so it is for the one refusal."""
    places = [match.start() for match in setting(key).finditer(text)]
    place = places[min(occurrence, len(places)) - 1] if places else 0
    return text.count("\n", 0, place + 1) + 1
