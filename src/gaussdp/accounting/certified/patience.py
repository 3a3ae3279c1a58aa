"""Who is told what a proof is at, and when it has taken too long."""

import time
from collections.abc import Callable

from gaussdp.errors import ConvergenceError

Progress = Callable[[str], None]
"""Told what is being done."""


def silent(words: str) -> None:
    """Nobody is told."""


class Patience:
    """Tells what is being done, up to a time at which there is no proof.

    Raises:
        ConvergenceError: once the time is over, when it is told again.
    """

    seconds: float

    def __init__(self, tell: Progress, seconds: float) -> None:
        self.seconds = seconds
        self._tell, self._until = tell, time.monotonic() + seconds

    def __call__(self, words: str) -> None:
        if time.monotonic() > self._until:
            raise ConvergenceError(f"no proof was found in {self.seconds:g} seconds; it had come to {words}")
        self._tell(words)
