"""Worker processes say how they ended."""

import asyncio
import sys
from pathlib import Path

from gaussdp.web import Limits
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


def test_how_one_ended():
    async def scenario(worker):
        worker.process.kill()
        return await worker.how()

    assert with_a_worker(scenario) == ("exit code 1" if sys.platform == "win32" else "ended by signal 9")
