"""A few worker processes, a short queue before them, and an end to every computation."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from gaussdp.registry import name_of
from gaussdp.risks.registry import RISKS
from gaussdp.web.answers import RefusalError
from gaussdp.web.limits import Limits

Tell = Callable[[float, str], Awaitable[None]]

WORKER = ("-P", "-W", "ignore", "-m", "gaussdp.web.work.worker")

_LONGEST_LINE = 64 << 20
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_WAITING = "waiting for other computations"
_STARTING = "starting"
_STOPPED = "the computation ended without an answer: it used more than it may, or failed; try more usual numbers"


class Worker:
    """One process, and the lines to and from it."""

    message: str | Any

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.message = _STARTING

    @classmethod
    async def start(cls, program: Sequence[str], limits: Limits) -> "Worker":
        """A new process; it takes a moment to load the library, and the risks that others registered here."""
        risks = [name_of(risk) for risk in RISKS.extensions()]
        arguments = (*program, str(limits.work_bytes), str(limits.work_seconds), *risks)
        found = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))} if risks else {}
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, **found, **_ONE_THREAD, "MPLBACKEND": "agg"},
            limit=_LONGEST_LINE,
            start_new_session=True,  # Ctrl-C is for the server, which ends its workers
        )
        return cls(process)

    async def answer(self, job: str, body: Mapping[str, Any]) -> bytes:
        """The last line of its answer; what it says on the way is kept as `message`."""
        requests, answers = self.process.stdin, self.process.stdout
        if requests is None or answers is None:
            raise RefusalError(503, _STOPPED)
        requests.write(json.dumps({"job": job, "body": body}).encode() + b"\n")
        while line := await answers.readline():
            if not line.startswith(b'{"message":'):
                return line
            self.message = json.loads(line)["message"]
        raise RefusalError(503, _STOPPED)

    async def end(self) -> None:
        """End it now."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()


class Pool:
    """Runs computations: so many at once, so many waiting, each for so long.

    Args:
        limits: how many and how long.
        program: what Python runs as a worker.
    """

    limits: Limits
    program: Sequence[str]
    waiting: int

    def __init__(self, limits: Limits, program: Sequence[str] = WORKER) -> None:
        self.limits, self.program = limits, program
        self.waiting = 0
        self._places = asyncio.Semaphore(limits.workers)
        self._idle: list[Worker] = []
        self._workers: set[Worker] = set()
        self._tasks: set[asyncio.Task[bytes]] = set()
        self._others: set[asyncio.Task[None]] = set()
        self._closing = False

    @property
    def full(self) -> bool:
        """Whether one more computation would be refused."""
        return self._places.locked() and self.waiting >= self.limits.waiting

    async def warm(self) -> None:
        """Start a worker before it is needed."""
        self._idle.append(await self._start())

    async def run(self, job: str, body: Mapping[str, Any], tell: Tell) -> bytes:
        """The last line of the answer. To cancel the call is to stop the work.

        Args:
            job: its name.
            body: of the request, read and found good.
            tell: awaited every moment with the seconds since the start and what is being done.
        Raises:
            RefusalError: 503 if too many are waiting, or if it takes too long.
        """
        if self.full:
            raise RefusalError(503, "too many computations are waiting; try again in a moment", retry_after=2)
        clock = asyncio.get_running_loop().time
        start = clock()
        await self._take_place(lambda: tell(clock() - start, _WAITING))
        work = self._begin(job, body)
        try:
            deadline = clock() + self.limits.work_seconds
            while not work.task.done() and clock() < deadline:
                await asyncio.wait([work.task], timeout=self.limits.progress_seconds)
                if not work.task.done():
                    await tell(clock() - start, work.message)
        finally:
            if not work.task.done():
                # Most computations end by themselves sooner than a new process would be ready.
                overdue = clock() >= deadline
                asyncio.get_running_loop().call_later(0.0 if overdue else self.limits.grace_seconds, work.task.cancel)
        if not work.task.done():
            seconds = f"{self.limits.work_seconds:g}"
            raise RefusalError(503, f"the computation was stopped after {seconds} seconds; try more usual numbers")
        return work.task.result()

    async def close(self) -> None:
        """End every process."""
        self._closing = True
        tasks: list[asyncio.Task[Any]] = [*self._tasks, *self._others]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(worker.end() for worker in list(self._workers)))

    async def _take_place(self, tell: Callable[[], Awaitable[None]]) -> None:
        self.waiting += 1
        place = asyncio.ensure_future(self._places.acquire())
        taken = False
        try:
            while not place.done():
                await asyncio.wait([place], timeout=self.limits.progress_seconds)
                if not place.done():
                    await tell()
            taken = True
        finally:
            self.waiting -= 1
            if not taken and not place.cancel():
                self._places.release()

    def _begin(self, job: str, body: Mapping[str, Any]) -> "_Work":
        work = _Work()
        work.task = asyncio.create_task(self._work(job, body, work))
        self._tasks.add(work.task)
        work.task.add_done_callback(self._end)  # and not in the task, which may be cancelled before it starts
        return work

    def _end(self, task: "asyncio.Task[bytes]") -> None:
        self._tasks.discard(task)
        self._places.release()
        if not task.cancelled():
            task.exception()  # seen, also where nobody waits for it any more

    async def _work(self, job: str, body: Mapping[str, Any], work: "_Work") -> bytes:
        worker = None
        try:
            worker = self._ready() or await self._start()
            work.worker = worker
            line = await worker.answer(job, body)
            self._idle.append(worker)
            worker = None
            return line
        finally:
            if worker is not None:
                self._replace(worker)

    def _replace(self, worker: Worker) -> None:
        """End this process, and have the next one load the library while nobody waits for it."""

        async def replace() -> None:
            await worker.end()
            self._workers.discard(worker)
            if not self._closing and len(self._workers) < self.limits.workers:
                await self.warm()

        task = asyncio.create_task(replace())
        self._others.add(task)
        task.add_done_callback(self._others.discard)

    def _ready(self) -> Worker | None:
        while self._idle:
            worker = self._idle.pop()
            if worker.process.returncode is None:
                return worker
            self._workers.discard(worker)
        return None

    async def _start(self) -> Worker:
        worker = await Worker.start(self.program, self.limits)
        self._workers.add(worker)
        return worker


class _Work:
    """A computation under way."""

    task: "asyncio.Task[bytes]"
    worker: Worker | None = None

    @property
    def message(self) -> str:
        return self.worker.message if self.worker else _STARTING
