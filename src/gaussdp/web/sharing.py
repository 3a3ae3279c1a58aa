"""What the processes of one server know together: who asked how much, and what was counted.

It lies in memory that all of them map. A process that dies leaves no lock behind (the system takes back a file's), and
what it held is forgotten by its column.
"""

import contextlib
import hashlib
import mmap
import struct
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import IO

from gaussdp.web.limits import Limits

MOST_PROCESSES = 16
"""Of one server, the first one included, which keeps the others."""
EVERYBODY = "*"
"""The address under which all connections are counted; its place is its own, whoever else comes."""
LEDGERS = "GAUSSDP_SERVED_LEDGERS"
"""The environment variable that tells a process the URLs of the budget books."""

_NUMBERS = 2048  # counters a process
_COUNTERS = MOST_PROCESSES * _NUMBERS * 8
_BUCKET = struct.Struct("<Qdd")  # who, tokens, when they were counted
_COUNTS = struct.Struct(f"<{MOST_PROCESSES}H")  # connections of each process
_SLOT = _BUCKET.size + _COUNTS.size
_NONE = bytes(_COUNTS.size)
_NEAR = 8  # slots in which an address may stand
_ROOM = 2  # slots for each address that is remembered


class Shared:
    """The memory, as one process sees it.

    Args:
        limits: the rate, the burst, the connections and the number of addresses.
        process: this process's column.
        file: of `file_for`, where there are others.
        clock: seconds, for tests; the same for all processes.
    """

    limits: Limits
    process: int
    clock: Callable[[], float]
    numbers: "memoryview[float]"
    columns: "list[memoryview[float]]"

    def __init__(
        self,
        limits: Limits,
        process: int = 0,
        file: IO[bytes] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limits, self.process, self.clock = limits, process, clock
        self._slots = max(_ROOM * limits.clients, _NEAR)
        self._file = file
        self._map = mmap.mmap(-1 if file is None else file.fileno(), _size(limits))
        view = memoryview(self._map)[:_COUNTERS].cast("d")
        self.columns = [view[i * _NUMBERS : (i + 1) * _NUMBERS] for i in range(MOST_PROCESSES)]
        self.numbers = self.columns[process]

    def total(self, place: int) -> float:
        """The sum of a counter over all processes."""
        return sum(column[place] for column in self.columns)

    def seconds_to_wait(self, address: str, cost: float = 1.0) -> float:
        """Take so many tokens and return 0, or take none and return when there will be enough.

        What costs more than there ever are costs all of them.
        """
        now, rate, burst = self.clock(), self.limits.requests_per_second, self.limits.burst
        cost = min(cost, burst)
        with self._alone():
            place = self._place(address)
            who, tokens, since = _BUCKET.unpack_from(self._map, place)
            tokens = min(burst, tokens + (now - since) * rate)
            wait: float = max(0.0, (cost - tokens) / rate)
            _BUCKET.pack_into(self._map, place, who, tokens - cost if wait == 0 else tokens, now)
        return wait

    def connect(self, address: str, most: int) -> bool:
        """Note one more connection of an address, unless it has so many."""
        with self._alone():
            place = self._place(address) + _BUCKET.size
            counts = list(_COUNTS.unpack_from(self._map, place))
            if sum(counts) >= most:
                return False
            counts[self.process] += 1
            _COUNTS.pack_into(self._map, place, *counts)
        return True

    def disconnect(self, address: str) -> None:
        """Note one connection less."""
        with self._alone():
            place = self._place(address) + _BUCKET.size
            counts = list(_COUNTS.unpack_from(self._map, place))
            counts[self.process] = max(0, counts[self.process] - 1)
            _COUNTS.pack_into(self._map, place, *counts)

    def connections(self, address: str) -> int:
        """Those of an address, in all processes."""
        with self._alone():
            return sum(_COUNTS.unpack_from(self._map, self._place(address) + _BUCKET.size))

    def forget(self, process: int) -> None:
        """What a process that is no more held open."""
        with self._alone():
            for slot in range(self._slots + 1):
                place = _COUNTERS + slot * _SLOT + _BUCKET.size
                counts = list(_COUNTS.unpack_from(self._map, place))
                if counts[process]:
                    counts[process] = 0
                    _COUNTS.pack_into(self._map, place, *counts)

    def _place(self, address: str) -> int:
        """Where an address stands; a new one takes the place of one long unseen that holds no connection."""
        if address == EVERYBODY:
            return _COUNTERS + self._slots * _SLOT  # behind all others, which could be chosen so as to push it out
        who = _key(address)
        first = _COUNTERS + who % self._slots * _SLOT
        if _BUCKET.unpack_from(self._map, first)[0] == who:  # as it is mostly
            return first
        places = [_COUNTERS + (who + i) % self._slots * _SLOT for i in range(_NEAR)]
        found = [_BUCKET.unpack_from(self._map, place) for place in places]
        for place, (key, _, _) in zip(places, found, strict=True):
            if key == who:
                return place
        free = [i for i, place in enumerate(places) if self._map[place + _BUCKET.size : place + _SLOT] == _NONE]
        place = places[min(free or range(_NEAR), key=lambda i: found[i][2] if found[i][0] else -1.0)]
        _BUCKET.pack_into(self._map, place, who, float(self.limits.burst), self.clock())
        self._map[place + _BUCKET.size : place + _SLOT] = _NONE
        return place

    def _alone(self) -> contextlib.AbstractContextManager[None]:
        return _NOBODY_ELSE if self._file is None else _locked(self._file)


_NOBODY_ELSE = contextlib.nullcontext()


@contextlib.contextmanager
def _locked(file: IO[bytes]) -> Iterator[None]:
    import fcntl

    fcntl.lockf(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.lockf(file, fcntl.LOCK_UN)


def file_for(limits: Limits) -> IO[bytes]:
    """A file without a name, as large as the memory must be."""
    file = tempfile.TemporaryFile()  # noqa: SIM115
    file.truncate(_size(limits))
    return file


def _size(limits: Limits) -> int:
    return _COUNTERS + (max(_ROOM * limits.clients, _NEAR) + 1) * _SLOT


@lru_cache(maxsize=4096)
def _key(address: str) -> int:
    """Never 0, which is a slot that nobody has."""
    return int.from_bytes(hashlib.blake2b(address.encode(), digest_size=8).digest(), "little") | 1
