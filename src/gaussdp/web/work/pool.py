"""A few worker processes, a fair line before them, and an end to every computation."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from gaussdp.web.limits import Limits
from gaussdp.web.replies import RefusalError
from gaussdp.web.sharing import Shared
from gaussdp.web.telling import LOG, Metrics
from gaussdp.web.work.desk import Asker, Tell
from gaussdp.web.work.process import STARTING, WORKER, Worker, WorkerDiedError
from gaussdp.web.work.waiting import RETRY_SECONDS, Ticket, WaitingLine

PING_SECONDS = 5.0  # an idle worker answers in a millisecond
FRESH_SECONDS = 1.0  # for which an answer about readiness is good
_WAITING = "waiting for other computations"
_STOPPED = "the computation ended without an answer: it used more than it may, or failed; try more usual numbers"
_KILLED = "something outside the server ended the process, perhaps before it began this; try again in a moment"
_FAILURE = b'{"failure":'


class Pool:
    """Runs computations: so many at once, so many waiting, each for so long.

    Args:
        limits: how many and how long.
        program: what Python runs as a worker.
        metrics: what is counted.
        first: a job that a new worker does before any other, so that it has loaded what they need.
    """

    limits: Limits
    program: Sequence[str]
    first: str | None
    metrics: Metrics
    line: WaitingLine
    workers: set[Worker]

    def __init__(
        self,
        limits: Limits,
        program: Sequence[str] = WORKER,
        metrics: Metrics | None = None,
        first: str | None = None,
    ) -> None:
        self.limits, self.program, self.first = limits, program, first
        self.metrics = metrics or Metrics(Shared(limits))
        self.line = WaitingLine(limits, self.metrics)
        self._idle: list[Worker] = []
        self.workers = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closing = False
        self._stopped = asyncio.Event()
        self._asked: asyncio.Task[bool] | None = None
        self._asked_at = 0.0

    async def admit(self, asker: Asker, job: str, body: Mapping[str, Any]) -> "PoolWork":
        """A place for a computation: taken before anything else can happen.

        Args:
            asker: who asks.
            job: its name.
            body: of the request, read and found good.
        Raises:
            RefusalError: 503 if there is none.
        """
        return PoolWork(self, self.line.enter(asker.address), asker, job, body)

    async def warm(self) -> None:
        """Start a worker before it is needed."""
        worker = await self._start()
        self._idle.append(worker)
        if self.first is not None:
            self.later(self._ask(worker, self.first))

    async def ready(self) -> bool:
        """Whether a worker answers, one that is at work if all are; asked anew at most once a second."""
        if self._asked is None or (self._asked.done() and time.monotonic() - self._asked_at >= FRESH_SECONDS):
            self._asked, self._asked_at = self.later(self._answers()), time.monotonic()
        await asyncio.wait([self._asked], timeout=PING_SECONDS)  # and the question stays open, for the next probe
        return self._asked.done() and self._asked.result() and not self.line.stopping

    def stop(self) -> None:
        """Refuse new work and end what is under way, with an error for whoever waits for it."""
        self.line.stopping = True
        self._stopped.set()

    async def close(self) -> None:
        """End every process."""
        self._closing = True
        self.stop()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(worker.end() for worker in list(self.workers)))

    async def worker(self) -> Worker:
        """One that is ready, or a new one."""
        while self._idle:
            worker = self._idle.pop()
            if worker.process.returncode is None:
                return worker
            await self._died_idle(worker)
        return await self._start()

    def keep(self, worker: Worker) -> None:
        """For the next computation."""
        self._idle.append(worker)

    def replace(self, worker: Worker) -> None:
        """End this process, and have the next one load the library while nobody waits for it."""

        async def replaced() -> None:
            await worker.end()
            self._gone(worker)
            if not self._closing and len(self.workers) < self.limits.computations:
                try:
                    await self.warm()
                except RefusalError:
                    return  # said in the log; the next computation tries again

        self.later(replaced())

    def later(self, work: Any) -> "asyncio.Task[Any]":
        """Do it besides; ended with the pool."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def stopped(self) -> None:
        """Until the pool is stopped."""
        await self._stopped.wait()

    def _gone(self, worker: Worker) -> None:
        """Count it once, whoever finds it gone."""
        if worker in self.workers:
            self.workers.discard(worker)
            if not self._closing:
                self.metrics.add("worker_restarts")

    async def _watch(self, worker: Worker) -> None:
        """Tell of a worker that ends while it has nothing to do; whoever waits for another tells of that one."""
        await worker.ended()
        if worker in self._idle and not self._closing:
            self._idle.remove(worker)
            await self._died_idle(worker)  # and no other in its place: the next might do no better

    async def _died_idle(self, worker: Worker) -> None:
        if self.died(worker):
            LOG.error("a worker that had nothing to do died: %s", await worker.how())

    def died(self, worker: Worker) -> bool:
        """Count the death of a worker; whether nobody has found it before."""
        news = worker in self.workers
        self._gone(worker)
        if news:
            self.metrics.add("worker_deaths")
        return news

    async def _start(self) -> Worker:
        try:
            worker = await Worker.start(self.program, self.limits)
        except OSError as error:
            LOG.error("no worker process could be started: %s", error)
            self.metrics.add("refused descriptors")
            raise RefusalError(
                503, "the server cannot start a computation now; try again in a moment", retry_after=RETRY_SECONDS
            ) from None
        self.workers.add(worker)
        self.later(self._watch(worker))
        return worker

    async def _answers(self) -> bool:
        busy = [worker for worker in self.workers if worker not in self._idle and worker.process.returncode is None]
        if not self._idle and busy:
            signs = [asyncio.ensure_future(worker.lives()) for worker in busy]
            shown, _ = await asyncio.wait(signs, timeout=PING_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            for sign in signs:
                sign.cancel()
            return bool(shown)
        try:
            worker = await self.worker()
        except RefusalError:
            return False
        self._idle.append(worker)
        return await self._ask(worker, "ping")

    async def _ask(self, worker: Worker, job: str) -> bool:
        """Whether a worker does this; a computation that comes to it meanwhile waits for that."""
        try:
            await worker.answer(job, {})
        except WorkerDiedError as error:
            if worker in self._idle:
                self._idle.remove(worker)
            if self.died(worker):
                LOG.error("a worker did not answer to %s: %s", job, error)
            self.later(worker.end())  # and no other in its place: the next might do no better
            return False
        return True


class PoolWork:
    """A computation with its ticket, from the line to the last line of its answer."""

    def __init__(self, pool: Pool, ticket: Ticket, asker: Asker, job: str, body: Mapping[str, Any]) -> None:
        self._pool, self._ticket, self._asker, self._job, self._body = pool, ticket, asker, job, body
        self._worker: Worker | None = None

    def abandon(self) -> None:
        """Give the place back without computing."""
        self._pool.line.leave(self._ticket)

    async def result(self, tell: Tell) -> bytes:
        """The last line of the answer. To cancel the call is to stop the work.

        Args:
            tell: awaited every moment with the seconds since the start and what is being done.
        Raises:
            RefusalError: 503 if it takes too long, or its process dies, or the server stops.
        """
        limits, clock = self._pool.limits, time.monotonic
        start = clock()
        stopped = asyncio.ensure_future(self._pool.stopped())
        try:
            await self._turn(stopped, lambda: tell(clock() - start, _WAITING))
        except BaseException:
            stopped.cancel()
            self.abandon()
            raise
        task = self._pool.later(self._computed())
        task.add_done_callback(self._end)  # and not in the task, which may be cancelled before it starts
        deadline = clock() + limits.work_seconds
        hurry = False
        try:
            while not task.done() and clock() < deadline and not stopped.done():
                await asyncio.wait(
                    [task, stopped], timeout=limits.progress_seconds, return_when=asyncio.FIRST_COMPLETED
                )
                if not task.done() and not stopped.done():
                    await tell(clock() - start, self._worker.message if self._worker else STARTING)
            hurry = True
        finally:
            stopped.cancel()
            if not task.done():
                # Most abandoned computations end by themselves sooner than a new process would be ready.
                asyncio.get_running_loop().call_later(0.0 if hurry else limits.grace_seconds, task.cancel)
        if task.done():
            line: bytes = task.result()
            return line
        if self._pool.line.stopping:
            raise RefusalError(503, "the server is stopping, and the computation with it", retry_after=RETRY_SECONDS)
        seconds = f"{limits.work_seconds:g}"
        raise RefusalError(
            503,
            f"the computation was stopped after {seconds} seconds; try more usual numbers",
            retry_after=RETRY_SECONDS,
        )

    async def _turn(self, stopped: "asyncio.Future[None]", tell: Callable[[], Awaitable[None]]) -> None:
        turn = self._ticket.turn
        while not turn.done():
            await asyncio.wait(
                [turn, stopped],
                timeout=self._pool.limits.progress_seconds,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if stopped.done() and not turn.done():
                raise RefusalError(503, "the server is stopping", retry_after=RETRY_SECONDS)
            if not turn.done():
                await tell()

    def _end(self, task: "asyncio.Task[bytes]") -> None:
        self._pool.line.leave(self._ticket)
        if not task.cancelled():
            task.exception()  # seen, also where nobody waits for it any more

    async def _computed(self) -> bytes:
        worker = None
        try:
            worker = self._worker = await self._pool.worker()
            line = await worker.answer(self._job, self._body)
            self._pool.keep(worker)
            worker = None
        except WorkerDiedError as error:
            words = _STOPPED
            if worker is not None:
                self._pool.died(worker)
                words = _KILLED if worker.killed else _STOPPED
            LOG.error("request %s: a worker died while it did %s: %s", self._asker.request_id, self._job, error)
            raise RefusalError(503, self._told(words), retry_after=RETRY_SECONDS) from None
        finally:
            if worker is not None:
                self._pool.replace(worker)
        if not line.startswith(_FAILURE):
            return line
        self._pool.metrics.add("failures")
        LOG.error("request %s: %s failed\n%s", self._asker.request_id, self._job, json.loads(line)["failure"])
        raise RefusalError(500, self._told("the computation failed; the server's log says how"))

    def _told(self, words: str) -> str:
        return f"{words} (request {self._asker.request_id})"
