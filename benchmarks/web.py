"""The calculator's server: closed forms one after the other and from 50 clients at once, over loopback."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.timing import print_table

FRAME_MS = 16.0
CLIENTS = 50
SECONDS = 3.0
BODIES = {
    "choose": {"epsilon": 1.0, "criterion": "multiplicative_advantage", "level": 1e-3},
    "understand": {"mu": 0.31, "prior": 0.01},
    "mu-through": {"fpr": 0.1, "fnr": 0.5},
}
VARIED = {"choose": "epsilon", "understand": "mu", "mu-through": "fnr"}
PROGRAM = """
from gaussdp.web import Limits, serve
serve(port=0, limits=Limits(requests_per_second=1e9, burst=10**9), ready=lambda address: print(address, flush=True))
"""


def main() -> None:
    """Print the table."""
    try:
        import gaussdp.web.app  # noqa: F401
    except ImportError:
        print('\nThe calculator: skipped, its server is not installed (pip install "gaussdp[web]")')
        return
    with _server() as (host, port, pid):
        rows = [asyncio.run(_measured(host, port, pid, path)) for path in BODIES]
    print_table(
        f"The calculator's closed forms over loopback (goal: p99 below {FRAME_MS:g} ms, one animation frame)",
        (
            "request",
            "server CPU ms",
            "p50 ms",
            "p99 ms",
            f"requests/s, {CLIENTS} clients",
            f"p50 ms, {CLIENTS} clients",
            f"p99 ms, {CLIENTS} clients",
        ),
        rows,
    )


@contextlib.contextmanager
def _server() -> Iterator[tuple[str, int, int]]:
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        address = urlsplit(process.stdout.readline().strip())
        yield str(address.hostname), int(address.port or 0), process.pid
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


async def _measured(host: str, port: int, pid: int, path: str) -> tuple[str, ...]:
    await _client(host, port, path, time.perf_counter() + 0.3)  # first requests load what is loaded when used
    before = _cpu_seconds(pid)
    alone = sorted(await _client(host, port, path, time.perf_counter() + SECONDS))
    spent = _cpu_seconds(pid) - before
    start = time.perf_counter()
    together = await asyncio.gather(*(_client(host, port, path, start + SECONDS, i) for i in range(CLIENTS)))
    seconds = time.perf_counter() - start
    times = sorted(duration for client in together for duration in client)
    return (
        path,
        f"{1e3 * spent / len(alone):.1f}" if spent else "",
        f"{_quantile(alone, 0.5):.1f}",
        f"{_quantile(alone, 0.99):.1f}",
        f"{len(times) / seconds:.0f}",
        f"{_quantile(times, 0.5):.0f}",
        f"{_quantile(times, 0.99):.0f}",
    )


async def _client(host: str, port: int, path: str, until: float, number: int = 0) -> list[float]:
    """Ask again and again, each time with another number, and note how long each answer takes."""
    reader, writer = await asyncio.open_connection(host, port)
    times = []
    count = 0
    while time.perf_counter() < until:
        count += 1
        body = {**BODIES[path], VARIED[path]: 0.1 + 0.7 * ((count * 37 + number * 11) % 1000) / 1000}
        content = json.dumps(body).encode()
        head = (
            f"POST /api/v1/{path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(content)}\r\n\r\n"
        )
        start = time.perf_counter()
        writer.write(head.encode() + content)
        answer = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        if not answer.startswith("http/1.1 200"):
            raise RuntimeError(answer)
        await reader.readexactly(int(answer.partition("content-length: ")[2].partition("\r\n")[0]))
        times.append(time.perf_counter() - start)
    writer.close()
    await writer.wait_closed()
    return times


def _quantile(ordered: list[float], share: float) -> float:
    """In milliseconds."""
    return 1e3 * ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def _cpu_seconds(pid: int) -> float:
    """Processor time of a process, which a busy machine does not stretch; 0 where it cannot be read."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return 0.0
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
