"""Run the calculator on a socket, in one process or several, until it is told to stop.

Of several processes on one socket this one keeps the others, counts for them and has the workers. Each runs `python -m
gaussdp.web.front`. What they must know together lies in shared memory; work is asked for here.
"""

import asyncio
import contextlib
import errno
import json
import signal
import socket
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO

from gaussdp.errors import DomainError
from gaussdp.registry import name_of
from gaussdp.risks.registry import RISKS
from gaussdp.web.app import create_app
from gaussdp.web.limits import Limits
from gaussdp.web.running import BACKLOG, LAST_SECONDS, run
from gaussdp.web.safety.connections import MOST_REFUSED
from gaussdp.web.settings import Settings
from gaussdp.web.sharing import LEDGERS, Shared, file_for
from gaussdp.web.telling import LOG, Metrics, logging_to
from gaussdp.web.work.lanes import Lanes
from gaussdp.web.work.process import environment
from gaussdp.web.work.remote import serving_desk

_AGAIN_SECONDS = 1.0  # before a process that ended is started again
_STARTING_TRIES = 3  # of a process that has never been ready


def keep_processes(settings: Settings, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Run them until interrupted.

    Raises:
        DomainError: where the system cannot share a socket.
    """
    if sys.platform == "win32":
        raise DomainError("workers", "1 on this system", settings.workers)
    asyncio.run(_Keeper(settings, listener, ready).run())


class _Keeper:
    def __init__(self, settings: Settings, listener: socket.socket, ready: Callable[[], None]) -> None:
        self.settings, self.listener, self.ready = settings, listener, ready
        self.file: IO[bytes] = file_for(settings.limits)
        self.shared = Shared(settings.limits, 0, self.file)
        self.metrics = Metrics(self.shared)
        self.lanes = Lanes(settings.limits, self.metrics)
        self.fronts: dict[int, asyncio.subprocess.Process] = {}
        self.answering: set[int] = set()
        self.ending = asyncio.Event()
        self.drain_seconds = 0.0

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        for sig in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(sig, self._told_to_end, sig)
        with tempfile.TemporaryDirectory(prefix="gaussdp-") as folder:
            path = str(Path(folder) / "work")
            async with serving_desk(self.lanes, path):
                await self.lanes.warm()
                keepers = [asyncio.create_task(self._keep(i, path)) for i in range(1, self.settings.workers + 1)]
                try:
                    await self.ending.wait()
                    await self._drain(keepers)
                finally:
                    for task in keepers:
                        task.cancel()
                    await asyncio.gather(*keepers, return_exceptions=True)
                    await self.lanes.close()

    def _told_to_end(self, sig: signal.Signals) -> None:
        """SIGTERM lets work end, Ctrl-C does not, nor does a second signal."""
        again = self.ending.is_set()
        self.drain_seconds = self.settings.limits.drain_seconds if sig == signal.SIGTERM and not again else 0.0
        if again:
            self.lanes.stop()
        self.ending.set()

    async def _drain(self, keepers: "list[asyncio.Task[None]]") -> None:
        self.lanes.refuse()
        for number, front in self.fronts.items():
            told = signal.SIGTERM if self.drain_seconds else signal.SIGINT
            with contextlib.suppress(ProcessLookupError):
                front.send_signal(told if number in self.answering else signal.SIGKILL)  # it loads, and knows nothing
        self.listener.close()  # the last that holds it: whoever comes now is refused, and does not wait for nobody
        asyncio.get_running_loop().call_later(self.drain_seconds, self.lanes.stop)
        await asyncio.wait(keepers, timeout=self.drain_seconds + 2 * LAST_SECONDS)

    async def _keep(self, number: int, path: str) -> None:
        """One process, and the next when it ends."""
        tries = 0
        while not self.ending.is_set():
            front = await self._start(number, path)
            try:
                if front.stdout is not None and await front.stdout.readline():
                    self._answers(number)
                code = await front.wait()
            except asyncio.CancelledError:
                front.kill()
                await front.wait()
                raise
            self.shared.forget(number)
            self.metrics.forget(number)
            if self.ending.is_set():
                return
            LOG.error("process %d of the server ended with code %d and is started again", number, code)
            tries += number not in self.answering
            if tries == _STARTING_TRIES:
                self.ending.set()
                return
            await asyncio.sleep(_AGAIN_SECONDS)

    def _answers(self, number: int) -> None:
        self.answering.add(number)
        if len(self.answering) == self.settings.workers:
            self.ready()
            self.ready = lambda: None

    async def _start(self, number: int, path: str) -> asyncio.subprocess.Process:
        risks = [name_of(risk) for risk in RISKS.extensions()]
        descriptors = (self.listener.fileno(), self.file.fileno())
        settings = asdict(self.settings)
        ledgers = json.dumps(list(settings.pop("ledgers")))  # not among the arguments: URLs may have passwords
        told = {"settings": settings, "number": number, "path": path, "risks": risks}
        front = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-P", "-W", "ignore", "-m", "gaussdp.web.front"),
            json.dumps({**told, "descriptors": descriptors}),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            pass_fds=descriptors,
            env={**environment(risks), LEDGERS: ledgers},
            start_new_session=True,  # Ctrl-C is for this process, which tells the others
        )
        self.fronts[number] = front
        if self.ending.is_set():
            front.kill()
        return front


_OTHER_DESCRIPTORS = 64  # files, pipes and sockets beside the connections
_OF_A_BROWSER = 6  # connections that it makes to one server


def serve(settings: Settings | None = None, *, ready: Callable[[str], None] | None = None) -> None:
    """Serve the calculator until interrupted.

    Args:
        settings: how; on this machine alone if None.
        ready: called with the address of the page once connections are accepted.
    Raises:
        DomainError: if the host is not of this machine, the port is not free, or a setting is none.
    """
    asked = settings or Settings()
    say = ready or (lambda address: None)
    with _listening(asked.host, asked.port) as listener, logging_to(asked.access_log):
        asked = replace(asked, limits=within_descriptors(asked.limits))
        if asked.workers > 1:
            if books := asked.books():  # what is wrong with them is said here and now
                books.close()
            keep_processes(asked, listener, lambda: say(address_of(listener)))
        else:
            app = create_app(asked.limits, asked.site, books=asked.books())
            run(app, asked.limits, listener, lambda: say(address_of(listener)))


def within_descriptors(limits: Limits) -> Limits:
    """The limits, with no more connections than there are file descriptors for, after asking the system for more.

    So that what is one too many is refused in words: where descriptors run out, nothing can be said any more.

    Raises:
        DomainError: if there are hardly any.
    """
    try:
        import resource
    except ImportError:
        return limits
    others = MOST_REFUSED + 3 * limits.computations + _OTHER_DESCRIPTORS
    need = limits.connections + others
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= need or soft == resource.RLIM_INFINITY:
        return limits
    most = need if hard == resource.RLIM_INFINITY else min(need, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        soft = most
    if soft >= need:
        return limits
    if soft <= others:
        raise DomainError(
            None, problem=f"{soft} file descriptors are too few", advice=f"allow at least {need} (ulimit -n)"
        )
    LOG.warning("%d file descriptors are allowed: there will be %d connections at most", soft, soft - others)
    share = limits.address_connections * (soft - others) // limits.connections  # still no address can take them all
    least = min(_OF_A_BROWSER, limits.address_connections)
    return replace(limits, connections=soft - others, address_connections=max(share, least))


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (socket.gaierror, UnicodeError):
        raise DomainError("host", "a name or an address of this machine", host) from None
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise DomainError(
                None, problem=f"port {port} is in use", advice="take another, or 0 for any that is free"
            ) from None
        if error.errno == errno.EACCES:
            raise DomainError(
                None, problem=f"port {port} may not be used by this user", advice="take one above 1023"
            ) from None
        raise DomainError("host", "a name or an address of this machine", host) from None
    return listener


def address_of(listener: socket.socket) -> str:
    """Of the page."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"
