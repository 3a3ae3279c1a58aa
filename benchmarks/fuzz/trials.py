"""What all fuzzers share: numbered trials that can be repeated one by one, a bound on time, and the table at the end.

A fuzzer is a module with `AREAS`, from a name to a function that takes a `random.Random` and makes one trial. It
returns how that went, in a word ("answered", "refused"), and raises `Find` for what must not be.
"""

import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

Trial = Callable[[random.Random], str]

LONGEST = 20  # seconds of computing in one call; beyond, it is taken for one that does not end
WAITING = 6  # times as long it may take on a busy machine


class Find(Exception):  # noqa: N818 - a finding, not an error of the fuzzer
    """Something that must not be, in words that reproduce it."""


class TookTooLong(BaseException):
    """A call that did not end in time; no error that the call may catch."""


@dataclass
class Tally:
    """How the trials of one area went."""

    words: Counter[str] = field(default_factory=Counter)
    finds: list[str] = field(default_factory=list)

    @property
    def tried(self) -> int:
        """The trials made."""
        return self.words.total() + len(self.finds)


@contextmanager
def ending_within(seconds: int) -> Iterator[None]:
    """Raise TookTooLong where the body computes longer; where there is no such clock, let it run."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TookTooLong(f"more than {seconds} s")

    if not hasattr(signal, "setitimer"):
        yield
        return
    clocks = {signal.ITIMER_PROF: (signal.SIGPROF, seconds), signal.ITIMER_REAL: (signal.SIGALRM, WAITING * seconds)}
    before = {sent: signal.signal(sent, stop) for sent, _ in clocks.values()}
    for clock, (_, limit) in clocks.items():
        signal.setitimer(clock, limit)
    try:
        yield
    finally:
        for clock in clocks:
            signal.setitimer(clock, 0)
        for sent, handler in before.items():
            signal.signal(sent, handler)


def run(
    name: str,
    areas: Mapping[str, Trial],
    *,
    seed: int = 0,
    seconds: float = 60.0,
    most: int | None = None,
    only: int | None = None,
    quiet: bool = False,
) -> dict[str, Tally]:
    """Make trials in turn, until the time is over or so many are made; the same seed makes the same ones."""
    tallies = {area: Tally() for area in areas}
    order = list(areas)
    end = time.monotonic() + seconds
    number = 0 if only is None else only
    while (most is None or number < most) and time.monotonic() < end:
        area = order[number % len(order)]
        tally = tallies[area]
        try:
            tally.words[areas[area](random.Random(f"{name} {seed} {number}"))] += 1
        except Find as find:
            tally.finds.append(f"{area}, --seed {seed} --trial {number}: {find}")
        number += 1
        if not quiet:
            found, left = sum(len(one.finds) for one in tallies.values()), max(0.0, end - time.monotonic())
            sys.stderr.write(f"\r{name}: {number:,} trials, {found} finds, {left:.0f} s left   ")
        if only is not None:
            break
    if not quiet:
        sys.stderr.write("\n")
    return tallies


def rows(tallies: Mapping[str, Tally]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The header and the rows of the table at the end."""
    words = sorted({word for tally in tallies.values() for word in tally.words})
    header = ("area", "tried", *words, "finds")
    return header, [
        (area, f"{tally.tried:,}", *(f"{tally.words[word]:,}" for word in words), str(len(tally.finds)))
        for area, tally in tallies.items()
    ]
