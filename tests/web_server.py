"""The calculator as a process of its own, on a free port of this machine."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

PROGRAM = "import sys, json; from gaussdp.web import serve, Limits; serve(port=0, limits=Limits(**json.loads(sys.argv[1])), ready=lambda address: print(address, flush=True))"  # noqa: E501


class Server:
    """A running server."""

    def __init__(self, process, address):
        self.process, self.address = process, address
        self.port = urlsplit(address).port

    def workers(self):
        """The process ids of its workers."""
        children = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        return {int(pid) for path in children for pid in path.read_text().split()}


@contextlib.contextmanager
def running(**limits):
    """A server with these limits; it ends by Ctrl-C, cleanly and without leaving a worker."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, json.dumps(limits)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        server = Server(process, process.stdout.readline().strip())
        yield server
        workers = server.workers()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        assert process.returncode == 0
        assert errors == ""
        assert not any(os.path.exists(f"/proc/{pid}") for pid in workers)  # noqa: PTH110
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
