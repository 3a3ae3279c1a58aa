"""Computations end: with an answer, too late, or because nobody waits for them any more."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from gaussdp.web import Limits
from gaussdp.web.answers import RefusalError
from gaussdp.web.work.pool import Pool

PROGRAM = [str(Path(__file__).with_name("worker_of_test.py"))]
LIMITS = replace(Limits(), workers=2, waiting=1, work_seconds=20.0, progress_seconds=0.02, grace_seconds=0.05)


async def silent(seconds, message):
    return


def in_a_pool(scenario, **limits):
    """Run the scenario with a pool, and see that it leaves no process behind."""

    async def run():
        pool = Pool(replace(LIMITS, **limits), PROGRAM)
        try:
            return await scenario(pool)
        finally:
            workers = list(pool._workers)
            await pool.close()
            assert all(worker.process.returncode is not None for worker in workers)

    return asyncio.run(run())


async def pid(pool, **body):
    return json.loads(await pool.run("job", body, silent))["result"]


async def until(condition):
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.01)


def test_a_worker_serves_again():
    async def scenario(pool):
        assert await pid(pool) == await pid(pool) == await pid(pool)

    in_a_pool(scenario)


def test_progress():
    async def scenario(pool):
        told = []

        async def tell(seconds, message):
            told.append((seconds, message))

        await pool.run("job", {"seconds": 0.4}, tell)
        assert told[-1][1] == "at work"
        assert [seconds for seconds, _ in told] == sorted(seconds for seconds, _ in told)

    in_a_pool(scenario)


def test_too_many_are_refused_and_the_waiting_are_served():
    async def scenario(pool):
        running = [asyncio.create_task(pid(pool, seconds=0.5)) for _ in range(3)]
        await until(lambda: pool.waiting == 1)
        with pytest.raises(RefusalError) as caught:
            await pid(pool)
        assert (caught.value.status, caught.value.retry_after) == (503, 2)
        assert len(set(await asyncio.gather(*running))) == 2
        assert not pool.full
        await pid(pool)

    in_a_pool(scenario)


def test_too_long():
    async def scenario(pool):
        await pid(pool)
        worker = next(iter(pool._workers))
        with pytest.raises(RefusalError, match=r"stopped after 0\.3 seconds"):
            await pid(pool, seconds=60)
        await until(lambda: worker.process.returncode is not None)
        assert await pid(pool) != worker.process.pid

    in_a_pool(scenario, work_seconds=0.3, workers=1)


def test_abandoned_work_is_stopped_and_its_place_is_free_again():
    async def scenario(pool):
        task = asyncio.create_task(pid(pool, seconds=60))
        await until(lambda: pool._workers)
        worker = next(iter(pool._workers))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: worker.process.returncode is not None)
        assert await pid(pool) != worker.process.pid

    in_a_pool(scenario, workers=1)


def test_abandoned_work_that_ends_soon_keeps_its_process():
    async def scenario(pool):
        before = await pid(pool)
        task = asyncio.create_task(pid(pool, seconds=0.2))
        await asyncio.sleep(0.05)
        task.cancel()
        assert await pid(pool) == before

    in_a_pool(scenario, workers=1, grace_seconds=5.0)


def test_abandoned_while_waiting():
    async def scenario(pool):
        first = asyncio.create_task(pid(pool, seconds=0.3))
        await asyncio.sleep(0.05)
        second = asyncio.create_task(pid(pool))
        await until(lambda: pool.waiting == 1)
        second.cancel()
        await asyncio.wait([second])
        assert pool.waiting == 0
        await first
        await pid(pool)

    in_a_pool(scenario, workers=1)


def test_many_cancelled_at_once_leave_the_pool_whole():
    async def scenario(pool):
        for _ in range(5):
            tasks = [asyncio.create_task(pid(pool, seconds=0.01)) for _ in range(3)]
            await asyncio.sleep(0.002)
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        await until(lambda: not pool._tasks)
        assert not pool.full
        assert len(set(await asyncio.gather(pid(pool, seconds=0.3), pid(pool, seconds=0.3)))) == 2

    in_a_pool(scenario, grace_seconds=0.0)


def test_a_worker_that_dies():
    async def scenario(pool):
        with pytest.raises(RefusalError) as caught:
            await pid(pool, die=True)
        assert caught.value.status == 503
        assert await pid(pool) > 0

    in_a_pool(scenario)


def test_a_program_that_does_not_start():
    async def scenario(pool):
        pool.program = ["-c", "raise SystemExit(1)"]
        with pytest.raises(RefusalError):
            await pid(pool)

    in_a_pool(scenario)
