"""Several processes on one socket: limits hold for all together, and one that dies is replaced."""

import contextlib
import os
import signal
import socket
import sys
import time
from pathlib import Path

import httpx
import pytest

from web_server import alive, running, started

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes through /proc")

RUN = {"noise_multiplier": 1, "dataset_size": 50_000, "batch_size": 256, "epochs": 30}


def test_limits_are_shared():
    """Each request on a connection of its own, so that both processes answer."""
    with running({"workers": 2}, requests_per_second=0.001, burst=40, work_cost=1) as server:
        with httpx.Client(base_url=server.address, timeout=60) as client:
            lines = client.post("/api/v1/account", json=RUN).text.splitlines()
        statuses = [httpx.get(f"{server.address}docs").status_code for _ in range(50)]
        health = httpx.get(f"{server.address}healthz", headers={"host": "anything"})
    assert '"mu_text":"0.5563"' in lines[-1]
    assert statuses == [200] * 39 + [429] * 11
    assert health.status_code == 200


def test_one_that_dies_is_replaced_and_its_connections_are_forgotten():
    with started({"workers": 2}, connections=6, address_connections=6) as server:
        held = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(4)]
        time.sleep(0.3)
        fronts = {pid for pid in server.workers() if b"web.front" in Path(f"/proc/{pid}/cmdline").read_bytes()}
        assert len(fronts) == 2
        for pid in fronts:
            os.kill(pid, signal.SIGKILL)
        for connection in held:
            connection.close()
        assert wait_for_one_connection(server)
        server.process.send_signal(signal.SIGINT)
        _, errors = server.process.communicate(timeout=60)
        assert "of the server ended with code -9 and is started again" in errors
        assert server.process.returncode == 0
        assert not any(map(alive, fronts))


def wait_for_one_connection(server, seconds=60):
    """Whether the server comes to answer, and to know of no other connection than the one that asks."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with contextlib.suppress(httpx.TransportError):
            if "\ngaussdp_connections 1\n" in httpx.get(f"{server.address}metrics", timeout=5).text:
                return True
        time.sleep(0.2)
    return False
