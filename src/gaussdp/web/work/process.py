"""One process that computes, as the server sees it: started, asked, ended."""

import asyncio
import contextlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from gaussdp.errors import GaussdpError
from gaussdp.registry import name_of
from gaussdp.risks.registry import RISKS
from gaussdp.web.limits import Limits
from gaussdp.web.work.worker import FOLDER

WORKER = ("-P", "-W", "ignore", "-m", "gaussdp.web.work.worker")
"""What Python runs as a worker."""
STARTING = "starting"

_LONGEST_LINE = 64 << 20
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_MESSAGE, _PULSE = b'{"message":', b'{"pulse":'
_END_SECONDS = 1.0
_KILLED = (-9, -15)  # SIGKILL and SIGTERM; a computation beyond its time gets SIGXCPU, one beyond its memory an error


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
        own = {FOLDER: folder, **({"TMPDIR": folder} if folder else {})}  # of our own making alone: it goes with them
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

    @property
    def killed(self) -> bool:
        """Whether a person or the system has ended it, which says nothing about what it was asked."""
        return self.process.returncode in _KILLED

    async def how(self) -> str:
        """How it ended."""
        try:
            async with asyncio.timeout(_END_SECONDS):
                code = await self.process.wait()
        except TimeoutError:
            return "it closed its answers"
        return f"ended by signal {-code}" if code < 0 else f"exit code {code}"


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
