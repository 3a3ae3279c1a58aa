"""A real PostgreSQL for the tests: Debian's, as its own user, in a folder of its own, on a loopback port."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

NO_POSTGRES = "no PostgreSQL: books in it were not tested (Debian: apt-get install postgresql)"
_OWN_USER = "postgres"


def binaries():
    """The folder of the newest PostgreSQL, None if there is none."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    found = [path for path in folders if (path / "initdb").exists()]
    on_path = shutil.which("initdb")
    return found[-1] if found else Path(on_path).parent if on_path else None


class Server:
    """A server in a folder of its own.

    Args:
        durable: whether it waits for its disk; a crash of the server alone loses nothing that was handed to the system.
    """

    def __init__(self, *, durable=False):
        # Not below pytest's own folders, which are for its user alone, and short, since the name of a socket is.
        self.folder = Path(tempfile.mkdtemp(prefix="gdp-pg-", dir="/tmp"))
        self._user = _OWN_USER if os.getuid() == 0 else None
        if self._user:
            shutil.chown(self.folder, self._user)
        port = _free_port()
        self.url = f"postgresql+psycopg://postgres@127.0.0.1:{port}/postgres"
        settings = {"listen_addresses": "127.0.0.1", "port": port, "unix_socket_directories": self.folder}
        settings |= {"max_connections": 120, "fsync": "on" if durable else "off"}
        settings["wal_writer_delay"] = "10s"  # it writes what somebody waits for, and little else
        self._options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        self._run("initdb", "--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8")

    def start(self):
        """Start, or start again."""
        self._run("pg_ctl", "start", "-w", "-l", self.folder / "log", "-o", self._options)

    def crash(self):
        """Stop without any farewell; what was not written to its log is lost."""
        self._run("pg_ctl", "stop", "-m", "immediate")

    def _run(self, tool, *arguments):
        command = [binaries() / tool, *arguments, "-D", self.folder / "data"]
        subprocess.run(
            command, check=True, user=self._user, cwd=self.folder, capture_output=True, env={"LC_ALL": "C.UTF-8"}
        )


@contextmanager
def server(*, durable=False):
    """A fresh server that runs, and ends with the block."""
    made = Server(durable=durable)
    made.start()
    try:
        yield made
    finally:
        made.crash()
        shutil.rmtree(made.folder, ignore_errors=True)


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


if __name__ == "__main__":
    sys.exit(0 if binaries() else 1)
