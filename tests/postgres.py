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


@contextmanager
def server(*, durable=False):
    """The URL of a fresh server, which ends with the block; only a durable one waits for its disk."""
    # Not below pytest's own folders, which are for its user alone, and short, since the name of a socket is.
    folder = Path(tempfile.mkdtemp(prefix="gdp-pg-", dir="/tmp"))
    user = _OWN_USER if os.getuid() == 0 else None
    if user:
        shutil.chown(folder, user)
    tools, data, port = binaries(), folder / "data", _free_port()

    def run(*command):
        subprocess.run(command, check=True, user=user, cwd=folder, capture_output=True, env={"LC_ALL": "C.UTF-8"})

    run(tools / "initdb", "--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8", "-D", data)
    settings = {"listen_addresses": "127.0.0.1", "port": port, "unix_socket_directories": folder}
    settings |= {"max_connections": 120, "fsync": "on" if durable else "off"}
    options = " ".join(f"-c {name}={value}" for name, value in settings.items())
    run(tools / "pg_ctl", "start", "-w", "-D", data, "-l", folder / "log", "-o", options)
    try:
        yield f"postgresql+psycopg://postgres@127.0.0.1:{port}/postgres"
    finally:
        run(tools / "pg_ctl", "stop", "-m", "immediate", "-D", data)
        shutil.rmtree(folder, ignore_errors=True)


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


if __name__ == "__main__":
    sys.exit(0 if binaries() else 1)
