"""The calculator as a process of its own, on a free port of this machine."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

PROGRAM = """
import json, sys
from gaussdp.web import Limits, Settings, serve
told = json.loads(sys.argv[1])
settings = Settings(port=0, limits=Limits(**told.pop("limits")), **told)
serve(settings, ready=lambda address: print(address, flush=True))
"""


class Server:
    """A running server."""

    def __init__(self, process, address):
        self.process, self.address = process, address
        self.port = urlsplit(address).port

    def workers(self):
        """The process ids of its workers."""
        return children(self.process.pid)

    def halt_workers(self):
        """Stop the processes that compute: what they are asked has no end, however fast the machine or the library."""
        self._signal_workers(signal.SIGSTOP)

    def resume_workers(self):
        """Let them go on."""
        self._signal_workers(signal.SIGCONT)

    def _signal_workers(self, number):
        for pid in self.workers():
            if b"gaussdp.web.work.worker" in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, number)


def children(pid):
    """The process ids that a process started."""
    found = Path(f"/proc/{pid}/task").glob("*/children")
    return {int(child) for path in found for child in path.read_text().split()}


def alive(pid):
    """Whether a process runs; one that ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def started(settings=None, before="", **limits):
    """A server with these settings and limits, after a line of a program; what becomes of it is the test's."""
    told = {"limits": limits, **(settings or {})}
    command = [sys.executable, "-c", before + PROGRAM, json.dumps(told)]
    with tempfile.TemporaryDirectory() as folder:  # what processes that are killed leave
        there = {**os.environ, "TMPDIR": folder}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=there)
        try:
            yield Server(process, process.stdout.readline().strip())
        finally:
            if process.poll() is None:
                halted = children(process.pid)  # those that were stopped do not see that the server is gone
                process.kill()
                for pid in halted:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            process.communicate()


@contextlib.contextmanager
def running(settings=None, **limits):
    """A server with these settings and limits; it ends by Ctrl-C, cleanly and without leaving a worker."""
    with started(settings, **limits) as server:
        yield server
        workers = server.workers()
        server.process.send_signal(signal.SIGINT)
        _, errors = server.process.communicate(timeout=30)
        assert server.process.returncode == 0
        assert errors == "", errors
        assert not any(os.path.exists(f"/proc/{pid}") for pid in workers)  # noqa: PTH110
