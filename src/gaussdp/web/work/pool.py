"""A few worker processes, fair lines before them, one for what takes a moment, and an end to every computation."""

import asyncio
import contextlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from gaussdp.errors import GaussdpError
from gaussdp.registry import name_of
from gaussdp.risks.registry import RISKS
from gaussdp.web.limits import Limits
from gaussdp.web.replies import RefusalError
from gaussdp.web.sharing import Shared
from gaussdp.web.telling import LOG, Metrics
from gaussdp.web.work.waiting import RETRY_SECONDS, Ticket, WaitingLine
from gaussdp.web.work.worker import FOLDER

STARTING = "starting"

_LONGEST_LINE = 64 << 20
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_MESSAGE, _PULSE = b'{"message":', b'{"pulse":'
_END_SECONDS = 1.0
_NICER = 10  # than the process that answers: where both want one processor, that gets nine tenths of it


class WorkerDiedError(GaussdpError):
    """A worker that ended before it answered."""


class Worker:
    """One process."""

    message: str | Any

    def __init__(self, process: asyncio.subprocess.Process, folder: str = "") -> None:
        self.process = process
        self._folder = folder
        self.message = STARTING
        self._one_at_a_time = asyncio.Lock()
        self._sign_of_life = asyncio.Event()

    @classmethod
    async def start(cls, program: Sequence[str], limits: Limits) -> "Worker":
        """A new process; it takes a moment to load the library, and the risks that others registered here.

        Raises:
            OSError: if the system has no more processes or file descriptors to give.
        """
        risks = [name_of(risk) for risk in RISKS.extensions()]
        arguments = (*program, str(limits.work_bytes), str(limits.work_seconds), *risks)
        folder = _folder()
        own = {"TMPDIR": folder, FOLDER: folder} if folder else {}
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                *arguments,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env={**environment(risks), **_ONE_THREAD, "MPLBACKEND": "agg", **own},
                limit=_LONGEST_LINE,
                start_new_session=True,  # Ctrl-C is for the server, which ends its workers
            )
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        _let_go_first(process.pid)
        return cls(process, folder)

    async def answer(self, job: str, body: Mapping[str, Any]) -> bytes:
        """The last line of its answer; what it says on the way is kept as `message`.

        Raises:
            WorkerDiedError: if there is none.
        """
        requests, answers = self.process.stdin, self.process.stdout
        if requests is None or answers is None:
            raise WorkerDiedError("it has no pipes")
        async with self._one_at_a_time:
            requests.write(_request(job, body))
            while line := await answers.readline():
                self._sign_of_life.set()
                if line.startswith(_MESSAGE):
                    self.message = json.loads(line)["message"]
                elif not line.startswith(_PULSE):
                    return line
        raise WorkerDiedError(await self.how())

    async def lives(self) -> None:
        """Until it shows that it lives while it is at work: then somebody waits for its lines."""
        self._sign_of_life.clear()
        if self.process.stdin is not None:
            self.process.stdin.write(_request("pulse", {}))
        await self._sign_of_life.wait()

    async def end(self) -> None:
        """End it now."""
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
        await self.ended()

    async def ended(self) -> None:
        """Until it has ended; then what it left in its folder is taken away, since a process that is killed cannot."""
        await self.process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    async def how(self) -> str:
        """How it ended."""
        try:
            async with asyncio.timeout(_END_SECONDS):
                code = await self.process.wait()
        except TimeoutError:
            return "it closed its answers"
        return f"ended by signal {-code}" if code < 0 else f"exit code {code}"


def _let_go_first(pid: int) -> None:
    """Have a worker, also while it loads, give way to the process that answers, where the system knows of that."""
    if not hasattr(os, "setpriority"):
        return
    with contextlib.suppress(OSError):  # it has ended already
        os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, 0) + _NICER)
    with contextlib.suppress(OSError):  # Linux may weigh sessions before processes, and a worker has its own
        Path(f"/proc/{pid}/autogroup").write_text(str(_NICER))


def _folder() -> str:
    """For temporary files of one process; none where the system has no place for any."""
    try:
        return tempfile.mkdtemp(prefix="gaussdp-")
    except OSError:
        return ""


def _request(job: str, body: Mapping[str, Any]) -> bytes:
    return json.dumps({"job": job, "body": body}).encode() + b"\n"


def environment(extensions: Sequence[object]) -> dict[str, str]:
    """Of a process of the server; with where modules are found here, if it must import those of others."""
    found = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))} if extensions else {}
    return {**os.environ, **found}


Tell = Callable[[float, str], Awaitable[None]]

WORKER = ("-P", "-W", "ignore", "-m", "gaussdp.web.work.worker")

_WAITING = "waiting for other computations"
PING_SECONDS = 5.0  # an idle worker answers in a millisecond
FRESH_SECONDS = 1.0  # for which an answer about readiness is good


@dataclass(frozen=True)
class Asker:
    """Who asks for a computation.

    Attributes:
        address: whose turn it takes.
        request_id: by which the log and the client speak of it.
    """

    address: str = "unknown"
    request_id: str = "-"


class Work(Protocol):
    """A computation that has a place."""

    async def result(self, tell: Tell) -> bytes:
        """The last line of the answer. To cancel the call is to stop the work."""


class Desk(Protocol):
    """Where computations are asked for."""

    async def admit(self, asker: Asker, job: str, body: Mapping[str, Any]) -> Work:
        """A place for a computation.

        Raises:
            RefusalError: 503 if there is none.
        """

    async def ready(self) -> bool:
        """Whether a worker answers."""


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
            if worker is not None:
                self._pool.died(worker)
            LOG.error("request %s: a worker died while it did %s: %s", self._asker.request_id, self._job, error)
            raise RefusalError(503, self._told(_STOPPED), retry_after=RETRY_SECONDS) from None
        finally:
            if worker is not None:
                self._pool.replace(worker)
        if not line.startswith(FAILURE):
            return line
        self._pool.metrics.add("failures")
        LOG.error("request %s: %s failed\n%s", self._asker.request_id, self._job, json.loads(line)["failure"])
        raise RefusalError(500, self._told("the computation failed; the server's log says how"))

    def _told(self, words: str) -> str:
        return f"{words} (request {self._asker.request_id})"


FAILURE = b'{"failure":'
_STOPPED = "the computation ended without an answer: it used more than it may, or failed; try more usual numbers"


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
