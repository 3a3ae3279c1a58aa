"""Many releases that differ in their numbers only, in one line: a schedule."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from gaussdp.documents.rounding import shown_nearest
from gaussdp.words import say

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
