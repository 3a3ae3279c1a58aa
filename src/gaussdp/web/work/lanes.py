"""Two lines of work: a long one, and a quick one for what takes a moment."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gaussdp.web.limits import Limits
from gaussdp.web.telling import Metrics
from gaussdp.web.work.desk import Asker
from gaussdp.web.work.pool import Pool, PoolWork
from gaussdp.web.work.process import WORKER

_QUICK_JOBS = ("choose", "rules", "advise", "import")
_QUICK_VIEWS = ("choose", "understand", "advise")  # whose figures and statements are closed forms
_RENDERED = ("figure", "statement", "entry")


class Lanes:
    """Where computations are asked for, in the process that has the workers.

    Args:
        limits: of both lines; in the quick one, one computation at once.
        metrics: what is counted.
        program: what Python runs as a worker.
    """

    long: Pool
    quick: Pool

    def __init__(self, limits: Limits, metrics: Metrics, program: Sequence[str] = WORKER) -> None:
        quick = replace(limits, computations=1, work_seconds=limits.quick_seconds)
        self.long = Pool(limits, program, metrics)
        self.quick = Pool(quick, program, metrics, first="draw")

    async def admit(self, asker: Asker, job: str, body: Mapping[str, Any]) -> PoolWork:
        """A place in the line where it belongs."""
        quick = job in _QUICK_JOBS or (job in _RENDERED and body.get("view") in _QUICK_VIEWS)
        return await (self.quick if quick else self.long).admit(asker, job, body)

    async def ready(self) -> bool:
        """Whether both have a worker that answers."""
        return all(await asyncio.gather(self.long.ready(), self.quick.ready()))

    async def warm(self) -> None:
        """Start a worker for each before it is needed."""
        await self.long.warm()
        await self.quick.warm()

    def refuse(self) -> None:
        """Take no new work."""
        self.long.line.stopping = self.quick.line.stopping = True

    def stop(self) -> None:
        """End what is under way, with an error for whoever waits for it."""
        self.long.stop()
        self.quick.stop()

    async def close(self) -> None:
        """End every process."""
        await self.long.close()
        await self.quick.close()
