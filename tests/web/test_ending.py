"""How a server ends: after its work, or at once and with all its processes; and what it says when things run out."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest

from web_server import alive, children, started

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes through /proc")

RUN = {"noise_multiplier": 1, "dataset_size": 50_000, "batch_size": 256, "epochs": 30}
ENDLESS = {"noise_multiplier": 0.3, "dataset_size": 10**9, "batch_size": 1, "epochs": 1, "adjacency": "replace-one"}
LIMITS = {"progress_seconds": 0.05, "drain_seconds": 1.0, "computations": 1}


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


@pytest.mark.parametrize("workers", [1, 2])
def test_sigterm_drains(workers):
    """Work under way has its time; then the stream ends with an error line, and no process is left."""
    with started({"workers": workers}, **LIMITS) as server, httpx.Client(base_url=server.address, timeout=30) as client:
        assert wait_until(lambda: client.get("/readyz").status_code == 200)
        server.halt_workers()
        with client.stream("POST", "/api/v1/account", json=RUN) as response:
            lines = response.iter_lines()
            next(lines)
            processes = server.workers()
            began = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            *_, last = map(json.loads, lines)
        assert "stopping" in last["error"]["message"]
        assert time.monotonic() - began >= 0.9
        _, errors = server.process.communicate(timeout=30)
        assert server.process.returncode == 0
        assert "Traceback" not in errors
        assert wait_until(lambda: not any(map(alive, processes)))


@pytest.mark.parametrize("workers", [1, 2])
def test_who_comes_while_it_drains_is_refused(workers):
    limits = LIMITS | {"drain_seconds": 30.0}
    with started({"workers": workers}, **limits) as server, httpx.Client(base_url=server.address, timeout=60) as client:
        assert wait_until(lambda: client.get("/readyz").status_code == 200)
        server.halt_workers()
        with client.stream("POST", "/api/v1/account", json=RUN) as response:
            next(response.iter_lines())
            server.process.send_signal(signal.SIGTERM)
            assert wait_until(lambda: refused(server.port), seconds=10)
            server.process.send_signal(signal.SIGTERM)
        server.process.communicate(timeout=30)
        assert server.process.returncode == 0


def refused(port):
    """Whether nobody listens, not even to keep one waiting."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except ConnectionRefusedError:
        return True
    return False


def test_sigterm_lets_work_end():
    limits = LIMITS | {"drain_seconds": 20.0}
    with started(**limits) as server, httpx.Client(base_url=server.address, timeout=30) as client:
        assert wait_until(lambda: client.get("/readyz").status_code == 200)
        server.halt_workers()
        with client.stream("POST", "/api/v1/calibrate", json=CALIBRATE) as response:
            lines = response.iter_lines()
            next(lines)
            server.process.send_signal(signal.SIGTERM)
            assert wait_until(lambda: refused(server.port))
            server.resume_workers()
            *_, last = map(json.loads, lines)
        assert last["result"]["mu"] <= 0.5
        server.process.communicate(timeout=30)
        assert server.process.returncode == 0


CALIBRATE = {"target": {"kind": "mu", "value": 0.5}, "dataset_size": 50_000, "batch_size": 256, "epochs": 30}


def test_kill_leaves_no_process_burning():
    with started({"workers": 2}, **LIMITS) as server:
        client = httpx.Client(base_url=server.address, timeout=30)
        with client, client.stream("POST", "/api/v1/account", json=ENDLESS) as response:
            next(response.iter_lines())
            processes = server.workers() | {pid for child in server.workers() for pid in children(child)}
            assert len(processes) >= 2
            server.process.kill()
            assert wait_until(lambda: not any(map(alive, processes)))


def test_kill_leaves_no_file(tmp_path):
    with started({"workers": 2}, f"import os; os.environ['TMPDIR'] = {str(tmp_path)!r}\n", **LIMITS) as server:
        assert wait_until(lambda: httpx.get(f"{server.address}readyz", timeout=30).status_code == 200)
        assert any(tmp_path.iterdir())
        server.process.kill()
        assert wait_until(lambda: not any(tmp_path.iterdir()), seconds=10)


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_leave_no_files(tmp_path, end):
    """Also where the home cannot be written: then matplotlib keeps its fonts in the temporary directory."""
    there = f"import os; os.environ.update(TMPDIR={str(tmp_path)!r}, HOME='/proc/none')\n"
    there += "for name in ('MPLCONFIGDIR', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME'): os.environ.pop(name, None)\n"
    figure = {"view": "understand", "format": "svg", "state": {"mu": 1}}
    with started({}, there, **LIMITS) as server, httpx.Client(base_url=server.address, timeout=60) as client:
        assert client.post("/api/v1/figure", json=figure).status_code == 200
        left = set(tmp_path.rglob("matplotlib-*"))
        assert left
        for pid in server.workers():
            os.kill(pid, signal.SIGKILL)
        assert wait_until(lambda: not any(path.exists() for path in left), seconds=10)
        assert client.post("/api/v1/figure", json=figure | {"format": "png"}).status_code == 200
        server.process.send_signal(end)
        assert wait_until(lambda: not any(tmp_path.iterdir()), seconds=10)


def test_a_worker_that_is_killed_is_told_logged_counted_and_replaced():
    with started({"access_log": "json"}, **LIMITS) as server:
        with httpx.Client(base_url=server.address, timeout=30) as client:
            assert wait_until(lambda: client.get("/readyz").status_code == 200)
            server.halt_workers()
            with client.stream("POST", "/api/v1/account", json=RUN) as response:
                lines = response.iter_lines()
                next(lines)
                killed = server.workers()  # one at work, and one that has nothing to do
                for pid in killed:
                    os.kill(pid, signal.SIGKILL)
                *_, last = map(json.loads, lines)
                request_id = response.headers["x-request-id"]
            assert f"(request {request_id})" in last["error"]["message"]
            again = client.post("/api/v1/account", json=RUN)
            assert json.loads(again.text.splitlines()[-1])["result"]["mu_text"] == "0.5563"
            numbers = client.get("/metrics").text
        server.process.send_signal(signal.SIGINT)
        _, errors = server.process.communicate(timeout=30)
    assert f"\ngaussdp_worker_deaths_total {len(killed)}\n" in numbers
    records = [json.loads(line) for line in errors.splitlines()]
    errors = [record["message"] for record in records if record["level"] == "error"]
    assert f"request {request_id}: a worker died while it did account: ended by signal 9" in errors
    assert "a worker that had nothing to do died: ended by signal 9" in errors
    (access,) = [record for record in records if record.get("request_id") == request_id]
    assert (access["address"], access["method"], access["path"], access["status"]) == (
        "127.0.0.1",
        "POST",
        "/api/v1/account",
        200,
    )


def limited(descriptors):
    return f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({descriptors}, {descriptors}))"


def test_few_file_descriptors():
    """As many connections as there are descriptors for; what is more is refused in words, and work has its own."""
    with started(before=limited(130)) as server, httpx.Client(base_url=server.address, timeout=30) as client:
        with contextlib.ExitStack() as stack:
            begun = b"POST /api/v1/choose HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n"
            for _ in range(30):
                connection = socket.create_connection(("127.0.0.1", server.port))
                stack.enter_context(connection).sendall(begun)
            time.sleep(0.3)
            assert client.get("/").status_code == 503
            assert client.get("/healthz").status_code == 200
            with httpx.Client(transport=httpx.HTTPTransport(local_address="127.0.0.2")) as other:
                assert other.get(server.address).status_code == 200
        assert wait_until(lambda: client.get("/").status_code == 200)
        assert "result" in json.loads(client.post("/api/v1/account", json=RUN).text.splitlines()[-1])
        server.process.send_signal(signal.SIGINT)
        _, errors = server.process.communicate(timeout=30)
    assert "130 file descriptors are allowed: there will be 25 connections at most" in errors


def test_more_connections_at_once_than_file_descriptors():
    """They are taken a few at a time: descriptors do not run out, which would stop all others and flood the log."""
    with started(before=limited(130)) as server, contextlib.ExitStack() as stack:
        many = [stack.enter_context(socket.socket()) for _ in range(300)]
        for connection in many:
            connection.setblocking(False)
            connection.connect_ex(("127.0.0.1", server.port))
        with httpx.Client(transport=httpx.HTTPTransport(local_address="127.0.0.2"), timeout=30) as other:
            assert other.get(server.address).status_code == 200
        server.process.send_signal(signal.SIGINT)
        _, errors = server.process.communicate(timeout=30)
    assert "out of system resource" not in errors
    assert len(errors.splitlines()) == 1


def test_hardly_any_file_descriptors():
    with started(before=limited(50)) as server:
        _, errors = server.process.communicate(timeout=30)
    assert "50 file descriptors are too few; allow at least" in errors


LOADING = """
import sys
from gaussdp.__main__ import run
sys.argv = ["gaussdp", "serve", "--port", "0", "--no-open", *sys.argv[1:]]
print("loading", flush=True)
run()
"""


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("seconds", [0.02, 0.15, 0.4, 1.0])
def test_ctrl_c_while_it_starts(workers, seconds):
    """Whatever is being imported or started then, it ends without a word and leaves no process.

    Once the command runs, the line of a terminal that shows ^C is ended.
    """
    command = [sys.executable, "-c", LOADING, "--workers", str(workers)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "loading\n"
    time.sleep(seconds)
    processes = children(process.pid)
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate(timeout=60)
    assert errors in ("", "\n")
    assert process.returncode in ((0,) if said else (0, 130))
    assert wait_until(lambda: not any(map(alive, processes)))
