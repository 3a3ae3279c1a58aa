"""What waits for nothing is done in the turn of the loop in which it is asked for; two turns less for each answer."""

import asyncio
import contextvars
from collections.abc import Callable, Coroutine, Generator
from typing import Any

Work = Coroutine[Any, Any, None]


class Started:
    """In place of the loop, while uvicorn reads what has come: keeps the work on a request that it would begin.

    It also is, for uvicorn, the task that it asks for.
    """

    works: list[Work]

    def __init__(self) -> None:
        self.works = []

    def create_task(self, work: Work, **options: Any) -> "Started":
        """Keep the work."""
        self.works.append(work)
        return self

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        """Whoever begins the work sees to it."""


def begun(work: Work, loop: asyncio.AbstractEventLoop) -> "asyncio.Task[None] | None":
    """Do the work up to where it waits: the task that does the rest, None if nothing is left.

    Args:
        work: that asks for no task of its own before it first waits.
        loop: for the rest.
    """
    context = contextvars.copy_context()  # as a task has one
    try:
        awaited = context.run(work.send, None)
    except StopIteration:
        return None
    return loop.create_task(_done(_Rest(work, awaited)), context=context)


class _Rest:
    """What is left of work that waits for something."""

    def __init__(self, work: Work, awaited: Any) -> None:
        self._work, self._awaited = work, awaited

    def __await__(self) -> Generator[Any, Any, None]:
        step: Callable[[Any], Any]
        while True:
            try:
                given, step = (yield self._awaited), self._work.send
            except BaseException as error:  # as when it is cancelled
                given, step = error, self._work.throw
            try:
                self._awaited = step(given)
            except StopIteration:
                return


async def _done(rest: _Rest) -> None:
    await rest
