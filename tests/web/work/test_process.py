"""Worker processes give way to the one that answers, and say how they ended."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from gaussdp.web import Limits
from gaussdp.web.work import process as process_module
from gaussdp.web.work.process import Worker

PROGRAM = [str(Path(__file__).with_name("worker_of_test.py"))]


def with_a_worker(scenario):
    async def run():
        worker = await Worker.start(PROGRAM, Limits())
        try:
            return await scenario(worker)
        finally:
            await worker.end()

    return asyncio.run(run())


@pytest.mark.skipif(not hasattr(os, "getpriority"), reason="this system knows no such priorities")
def test_a_worker_gives_way_to_the_process_that_answers():
    async def scenario(worker):
        return os.getpriority(os.PRIO_PROCESS, worker.process.pid)

    assert with_a_worker(scenario) == min(os.getpriority(os.PRIO_PROCESS, 0) + 5, 19)


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="this system weighs no sessions")
def test_its_session_gives_way_too_when_the_system_listens_again(monkeypatch):
    writes = []

    def write(path, text):
        writes.append((str(path), text))
        if len(writes) == 1:
            raise BlockingIOError

    monkeypatch.setattr(Path, "write_text", write)
    monkeypatch.setattr(process_module, "TOLD_AGAIN_SECONDS", 0.0)

    async def scenario(worker):
        async with asyncio.timeout(20):
            while len(writes) < 2:
                await asyncio.sleep(0.01)
        return worker.process.pid

    pid = with_a_worker(scenario)
    assert writes == [(f"/proc/{pid}/autogroup", "5")] * 2


def test_how_one_ended():
    async def scenario(worker):
        worker.process.kill()
        return await worker.how()

    assert with_a_worker(scenario) == ("exit code 1" if sys.platform == "win32" else "ended by signal 9")
