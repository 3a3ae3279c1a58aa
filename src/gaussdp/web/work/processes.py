"""One worker process, and the lines to and from it."""

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from gaussdp.errors import GaussdpError
from gaussdp.registry import name_of
from gaussdp.risks.registry import RISKS
from gaussdp.web.limits import Limits

STARTING = "starting"

_LONGEST_LINE = 64 << 20
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_MESSAGE = b'{"message":'
_END_SECONDS = 1.0


class WorkerDiedError(GaussdpError):
    """A worker that ended before it answered."""


class Worker:
    """One process."""

    message: str | Any

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.message = STARTING
        self._one_at_a_time = asyncio.Lock()

    @classmethod
    async def start(cls, program: Sequence[str], limits: Limits) -> "Worker":
        """A new process; it takes a moment to load the library, and the risks that others registered here.

        Raises:
            OSError: if the system has no more processes or file descriptors to give.
        """
        risks = [name_of(risk) for risk in RISKS.extensions()]
        arguments = (*program, str(limits.work_bytes), str(limits.work_seconds), *risks)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**environment(risks), **_ONE_THREAD, "MPLBACKEND": "agg"},
            limit=_LONGEST_LINE,
            start_new_session=True,  # Ctrl-C is for the server, which ends its workers
        )
        return cls(process)

    async def answer(self, job: str, body: Mapping[str, Any]) -> bytes:
        """The last line of its answer; what it says on the way is kept as `message`.

        Raises:
            WorkerDiedError: if there is none.
        """
        requests, answers = self.process.stdin, self.process.stdout
        if requests is None or answers is None:
            raise WorkerDiedError("it has no pipes")
        async with self._one_at_a_time:
            requests.write(json.dumps({"job": job, "body": body}).encode() + b"\n")
            while line := await answers.readline():
                if not line.startswith(_MESSAGE):
                    return line
                self.message = json.loads(line)["message"]
        raise WorkerDiedError(await self._how())

    async def end(self) -> None:
        """End it now."""
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
        await self.process.wait()

    async def _how(self) -> str:
        """How it ended."""
        try:
            async with asyncio.timeout(_END_SECONDS):
                code = await self.process.wait()
        except TimeoutError:
            return "it closed its answers"
        return f"ended by signal {-code}" if code < 0 else f"exit code {code}"


def environment(extensions: Sequence[object]) -> dict[str, str]:
    """Of a process of the server; with where modules are found here, if it must import those of others."""
    found = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))} if extensions else {}
    return {**os.environ, **found}
