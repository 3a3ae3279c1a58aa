"""What all descriptions of mechanisms share: an adjacency, repetition, and their parts."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from gaussdp.domains import Choice
from gaussdp.errors import DomainError

if TYPE_CHECKING:
    from gaussdp.mechanisms.composition import Repeated

Adjacency = Literal["add-remove", "replace-one"]
"""Which datasets are neighbours: one record more or less, or one record exchanged for another."""

ADJACENCIES: Mapping[Adjacency, Choice] = {
    "add-remove": Choice("add or remove a record", "add-remove: the data with and without one unit"),
    "replace-one": Choice("replace a record", "replace-one: the data with one unit exchanged for another"),
}


@dataclass(frozen=True)
class Mechanism(ABC):
    """A randomised release, described by its parameters, which are the fields of a frozen dataclass.

    Repetition is written `steps * mechanism`; several releases together are a `Composition`.
    """

    @property
    @abstractmethod
    def adjacency(self) -> Adjacency:
        """Which datasets are neighbours."""

    @abstractmethod
    def parts(self) -> Iterator[tuple["Mechanism", int]]:
        """The elementary mechanisms this one consists of, each with how often it runs."""

    def __mul__(self, count: int) -> "Repeated":
        """This mechanism, run count times on the same data."""
        from gaussdp.mechanisms.composition import Repeated  # composition builds on this module

        return Repeated(self, count)

    __rmul__ = __mul__


class Elementary(Mechanism):
    """A mechanism that is its own only part."""

    def parts(self) -> Iterator[tuple[Mechanism, int]]:
        yield self, 1


def checked_adjacency(value: object) -> Adjacency:
    """The adjacency, or a DomainError that lists what there is."""
    for known in ADJACENCIES:
        if value == known:
            return known
    raise DomainError("adjacency", f"one of {', '.join(ADJACENCIES)}", value)
