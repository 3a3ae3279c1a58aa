"""The calculator's server beside bare answers of the same size: alone, and from 50 clients at once, over loopback.

The peers are served by the same uvicorn on the same h11: Starlette with bytes that are ready, Starlette that encodes
the same content with msgspec, and FastAPI that reads the same body and answers with the same content. Ours is asked
another question each time, and in a row of its own the same one again, which it remembers.

A question is asked as the page asks it: first for all that it shows at once, while a hand moves; when the hand rests,
for the rest, which is its tables of other criteria, groups and repetitions. Programs that name no parts get the whole
answer, both axes of the curves and all snippets included. Each of the three has rows of its own.

Clients that ask again as soon as they are answered wait for each other: with 50 of them none can be answered sooner
than 50 requests take, whatever they ask. People pause, and so do the paced clients.

Servers have one processor and the clients another, where the system lets one choose. Processor time does not depend on
what else the machine does, waiting does: how long a server waited for its processor is told beside it.

    python -m benchmarks.web
"""

import asyncio
import contextlib
import json
import math
import os
import random
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.timing import print_table

CLIENTS = 50
SECONDS = 4.0
PAUSE = 0.25  # between two questions of a paced client, in seconds
BATCHES, BATCH = 120, 10  # of requests, one after another: short ones, which other programs may leave alone
_FIRST = 5  # batches that are not counted
_ALONE = 1000  # the number of the first client that asks alone
GOAL_MS = 20.0
GOAL_RATIO = 3.0
Ask = Callable[[str, dict[str, object]], Awaitable[bytes]]
BODIES: dict[str, dict[str, object]] = {
    "choose": {"epsilon": 1.0, "criterion": "multiplicative_advantage", "level": 1e-3},
    "understand": {"mu": 0.31, "prior": 0.01},
    "mu-through": {"fpr": 0.1, "fnr": 0.5},
}
VARIED = {"choose": "epsilon", "understand": "mu", "mu-through": "fnr"}
PARTS: dict[str, dict[str, dict[str, object]]] = {  # of an answer, as the page asks for them
    "choose": {"first": {"parts": ["tpr", "python"]}, "rest": {"parts": ["advice"]}, "whole": {}},
    "understand": {"first": {"parts": ["tpr", "python"]}, "rest": {"parts": ["tables"]}, "whole": {}},
}
COMPARED = [(path, part) for path in PARTS for part in PARTS[path]]
OURS = """
from gaussdp.web import Limits, Settings, serve
limits = Limits(requests_per_second=1e9, burst=10**9, connections=1000, address_connections=1000)
serve(Settings(port=0, limits=limits), ready=lambda address: print(address, flush=True))
"""
PEERS = """
import json, socket, sys
import uvicorn
kind, content = sys.argv[1], json.loads(sys.stdin.read())
if kind == "FastAPI":
    from typing import Any
    from fastapi import FastAPI, Request
    from pydantic import create_model
    app = FastAPI()
    def add(path, asked):
        fields = {name: (type(value), ...) for name, value in asked.items()}
        async def answer(body: create_model(path, **fields)) -> Any:
            return content[path]["answer"]
        app.post(f"/api/v1/{path}")(answer)
    for path in content:
        add(path, content[path]["asked"])  # a path for each part
else:
    import msgspec
    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import Route
    ready = {path: msgspec.json.encode(content[path]["answer"]) for path in content}
    async def answer(request):
        path = request.url.path.rpartition("/")[2]
        msgspec.json.decode(await request.body())
        body = ready[path] if kind == "Starlette" else msgspec.json.encode(content[path]["answer"])
        return Response(body, media_type="application/json")
    app = Starlette(routes=[Route(f"/api/v1/{path}", answer, methods=["POST"]) for path in content])
listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # as such, asyncio sets TCP_NODELAY
listener.bind(("127.0.0.1", 0))
listener.listen()
print(f"http://127.0.0.1:{listener.getsockname()[1]}/", flush=True)
config = uvicorn.Config(app, http="h11", loop="asyncio", access_log=False, log_level="error")
try:
    uvicorn.Server(config).run(sockets=[listener])
except KeyboardInterrupt:
    pass
"""


def main() -> None:
    """Print the tables."""
    try:
        import gaussdp.web.app  # noqa: F401
    except ImportError:
        print('\nThe calculator: skipped, its server is not installed (pip install "gaussdp[web]")')
        return
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    print(f"\nThe machine: {os.cpu_count()} processors, {load} programs at work before (1, 5 and 15 minutes)")
    own, servers_own = _processors()
    kinds = ["Starlette", "msgspec"]
    if find_spec("fastapi"):
        kinds.append("FastAPI")
    else:
        print("\nFastAPI is not installed, and not compared with (make bench installs it)")
    with contextlib.ExitStack() as servers:
        servers.enter_context(_on(servers_own))  # which the servers inherit
        ours = servers.enter_context(_server(OURS))
        cases = [Case(f"{path}, {part}", *ours, path, part, crowded=part == "first") for path, part in COMPARED]
        cases += [Case(f"{path}, asked before", *ours, path, "first", varied=False) for path in PARTS]
        cases.append(Case("mu-through", *ours, "mu-through"))
        content = {
            f"{path}-{part}": asyncio.run(_question(ours[0], Case("", *ours, path, part))) for path, part in COMPARED
        }
        for kind in kinds:
            peer = servers.enter_context(_server(PEERS, kind, given=json.dumps(content)))
            cases += [
                Case(f"{kind}, {path}, {part}", *peer, path, part, theirs=True, crowded=part == "first")
                for path, part in COMPARED
            ]
        with _on(own):
            asyncio.run(_measure(cases))
            figure = asyncio.run(_figure(ours[0]))
    print_table(
        f"Over loopback (goal: p99 below {GOAL_MS:g} ms with {CLIENTS} clients; a figure in 150 ms)",
        (
            *("request", "server CPU ms", "p50 ms", "p99 ms", f"requests/s, {CLIENTS} clients", "p50 ms", "p99 ms"),
            *("waited for CPU", f"{CLIENTS} paced: p50 ms", "p99 ms", "CPU ms", "waited for CPU ms"),
        ),
        [*(case.row() for case in cases), ("figure", "", *figure, *[""] * 8)],
    )
    found = {case.name: case for case in cases}

    def ratios(name: str, path: str, part: str) -> list[str]:
        ours, others = found[name].cpu, [found[f"{kind}, {path}, {part}"] for kind in kinds]
        return [*(f"{ours / (other.cpu or math.nan):.2f}" for other in others), f"{others[0].size / 1e3:.1f}"]

    print_table(
        f"Processor time beside bare answers of the same size (goal: each within {GOAL_RATIO:g} times Starlette's)",
        ("request", *(f"times {kind}" for kind in kinds), "kB"),
        [(f"{path}, {part}", *ratios(f"{path}, {part}", path, part)) for path, part in COMPARED]
        + [(f"{path}, asked before", *ratios(f"{path}, asked before", path, "first")) for path in PARTS],
    )


@dataclass
class Case:
    """One kind of request to one server: what it costs, and how long it takes alone, in a crowd and in a paced one."""

    name: str
    address: str
    pid: int
    path: str
    part: str = ""
    varied: bool = True
    theirs: bool = False
    crowded: bool = True
    size: int = 0
    spent: list[float] = field(default_factory=list)
    alone: list[float] = field(default_factory=list)
    together: list[float] = field(default_factory=list)
    paced: list[float] = field(default_factory=list)
    held_up: float = 0.0  # share of the time for which the server waited for its processor, with all at once
    busy: tuple[float, float] = (0.0, 0.0)

    @property
    def cpu(self) -> float:
        """Processor time of the server for one request, in milliseconds, in the middle of all batches."""
        return 1e3 * statistics.median(self.spent)

    @property
    def asked(self) -> dict[str, object]:
        """The question, before it is varied."""
        return BODIES[self.path] | PARTS.get(self.path, {}).get(self.part, {})

    @property
    def target(self) -> str:
        """The path under which it is asked."""
        return f"{self.path}-{self.part}" if self.theirs else self.path

    def row(self) -> tuple[str, ...]:
        """As it is printed."""
        if not self.crowded:
            return (self.name, f"{self.cpu:.2f}", *(f"{_quantile(self.alone, q):.1f}" for q in (0.5, 0.99)), *[""] * 8)
        every = (self.alone, self.together, self.paced)
        waits = [f"{_quantile(times, q):.1f}" for times in every for q in (0.5, 0.99)]
        rate = f"{len(self.together) / SECONDS:.0f}"
        busy = [f"{1e3 * seconds / len(self.paced):.2f}" for seconds in self.busy]
        return (self.name, f"{self.cpu:.2f}", *waits[:2], rate, *waits[2:4], f"{self.held_up:.1%}", *waits[4:], *busy)


def _processors() -> tuple[set[int], set[int]]:
    """For the clients, and for the servers; the same where there is but one, or none can be chosen."""
    if not hasattr(os, "sched_getaffinity"):
        return set(), set()
    every = sorted(os.sched_getaffinity(0))
    return {every[0]}, {every[-1]}


@contextlib.contextmanager
def _on(processors: set[int]) -> Iterator[None]:
    """What starts meanwhile stays on these processors."""
    if not processors:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, processors)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def _server(program: str, *arguments: str, given: str = "") -> Iterator[tuple[str, int]]:
    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(given)
        process.stdin.close()
        yield process.stdout.readline().strip(), process.pid
    finally:
        process.send_signal(signal.SIGINT)
        process.stdout.close()
        process.wait(timeout=30)


async def _measure(cases: Sequence[Case]) -> None:
    """All in turn, in another order each time, so that what else is done disturbs them alike; then many clients."""
    order = random.Random(0)
    async with contextlib.AsyncExitStack() as connections:
        asks = [await connections.enter_async_context(_connected(case.address)) for case in cases]
        numbered = list(zip(range(_ALONE, _ALONE + len(cases)), cases, asks, strict=True))
        for batch in range(BATCHES):
            order.shuffle(numbered)
            for number, case, ask in numbered:
                before = _cpu_seconds(case.pid)[0]
                times = [await _asked(ask, case, BATCH * batch + i, number) for i in range(BATCH)]
                if batch >= _FIRST:  # which load what is loaded when used
                    case.spent.append((_cpu_seconds(case.pid)[0] - before) / BATCH)
                    case.alone += times
    for case in (case for case in cases if case.crowded):
        before = _cpu_seconds(case.pid)
        case.together = await _crowd(case, 2, 0.0)
        case.held_up = (_cpu_seconds(case.pid)[1] - before[1]) / SECONDS
        before = _cpu_seconds(case.pid)
        case.paced = await _crowd(case, 3 + CLIENTS, PAUSE)
        after = _cpu_seconds(case.pid)
        case.busy = after[0] - before[0], after[1] - before[1]


async def _crowd(case: Case, first: int, pause: float) -> list[float]:
    """How long answers take when many ask at once."""
    until = time.perf_counter() + SECONDS

    async def client(number: int) -> list[float]:
        times = []
        async with _connected(case.address) as ask:
            await asyncio.sleep(pause * (number * 0.6180339887498949 % 1))  # paced clients are not in step
            while time.perf_counter() < until:
                times.append(await _asked(ask, case, len(times), number))
                await asyncio.sleep(pause)
        return times

    found = await asyncio.gather(*(client(first + i) for i in range(CLIENTS)))
    return [duration for times in found for duration in times]


async def _asked(ask: Ask, case: Case, count: int, number: int) -> float:
    """How long the answer takes, in seconds."""
    value = 0.1 + 0.7 * ((count * 0.6180339887498949 + number * 0.7548776662466927) % 1)  # none comes twice
    body = case.asked | ({VARIED[case.path]: value} if case.varied else {})
    start = time.perf_counter()
    case.size = len(await ask(case.target, body))
    return time.perf_counter() - start


async def _question(address: str, case: Case) -> dict[str, object]:
    """What is asked, and what is answered."""
    async with _connected(address) as ask:
        return {"asked": case.asked, "answer": json.loads(await ask(case.path, case.asked))}


async def _figure(address: str) -> tuple[str, str]:
    """p50 and p99 of a figure, after the server has had time to load what draws."""
    times = []
    async with _connected(address) as ask:
        for i in range(12):
            state = {**BODIES["choose"], "epsilon": 1 + i / 10}
            start = time.perf_counter()
            await ask("figure", {"view": "choose", "format": "svg", "state": state})
            times.append(time.perf_counter() - start)
    return f"{_quantile(times, 0.5):.0f}", f"{_quantile(times, 0.99):.0f}"


@contextlib.asynccontextmanager
async def _connected(address: str):  # noqa: ANN202  a function that asks, of one connection
    parts = urlsplit(address)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)

    async def ask(path: str, body: dict[str, object]) -> bytes:
        content = json.dumps(body).encode()
        head = (
            f"POST /api/v1/{path} HTTP/1.1\r\nHost: {parts.hostname}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(content)}\r\n\r\n"
        )
        writer.write(head.encode() + content)
        answer = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        if not answer.startswith("http/1.1 200"):
            raise RuntimeError(answer)
        return await reader.readexactly(int(answer.partition("content-length: ")[2].partition("\r\n")[0]))

    try:
        yield ask
    finally:
        writer.close()
        await writer.wait_closed()


def _quantile(times: list[float], share: float) -> float:
    """In milliseconds."""
    ordered = sorted(times)
    return 1e3 * ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def _cpu_seconds(pid: int) -> tuple[float, float]:
    """Processor time of a process, and how long it waited for a processor; 0 where that cannot be read."""
    spent = Path(f"/proc/{pid}/schedstat")  # of the thread that answers, in nanoseconds
    if not spent.exists():
        return 0.0, 0.0
    ran, waited, _ = map(int, spent.read_text().split())
    return 1e-9 * ran, 1e-9 * waited


if __name__ == "__main__":
    main()
