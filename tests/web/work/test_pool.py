"""Computations end: with an answer, too late, or because nobody waits for them any more."""

import asyncio
import json
import logging
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from gaussdp.web import Limits
from gaussdp.web.replies import RefusalError
from gaussdp.web.work import pool as pool_module
from gaussdp.web.work.desk import Asker
from gaussdp.web.work.pool import Pool

PROGRAM = [str(Path(__file__).with_name("worker_of_test.py"))]
LIMITS = replace(
    Limits(),
    computations=2,
    address_computations=2,
    waiting=1,
    address_waiting=1,
    work_seconds=20.0,
    progress_seconds=0.02,
    grace_seconds=0.05,
)


async def silent(seconds, message):
    return


def in_a_pool(scenario, **limits):
    """Run the scenario with a pool, and see that it leaves no process behind."""

    async def run():
        pool = Pool(replace(LIMITS, **limits), PROGRAM)
        try:
            return await scenario(pool)
        finally:
            workers = list(pool.workers)
            await pool.close()
            assert all(worker.process.returncode is not None for worker in workers)

    return asyncio.run(run())


async def pid(pool, address="a", **body):
    work = await pool.admit(Asker(address, "id-of-the-test"), "job", body)
    return json.loads(await work.result(silent))["result"]


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

        work = await pool.admit(Asker(), "job", {"seconds": 0.4})
        await work.result(tell)
        assert told[-1][1] == "at work"
        assert [seconds for seconds, _ in told] == sorted(seconds for seconds, _ in told)

    in_a_pool(scenario)


def test_a_burst_in_one_tick_takes_no_more_than_there_is():
    async def scenario(pool):
        asked = [asyncio.create_task(pid(pool, f"address {i % 7}", seconds=0.1)) for i in range(100)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        refused = [answer for answer in answers if isinstance(answer, RefusalError)]
        assert [(error.status, error.retry_after) for error in refused] == [(503, 2)] * 90
        assert len(pool.workers) == 2
        assert pool.line.at_work == pool.line.waiting == 0
        await pid(pool)

    in_a_pool(scenario, waiting=8, address_waiting=8)


def test_too_many_are_refused_and_the_waiting_are_served():
    async def scenario(pool):
        running = [asyncio.create_task(pid(pool, seconds=0.5)) for _ in range(3)]
        await until(lambda: pool.line.waiting == 1)
        with pytest.raises(RefusalError, match="of yours") as caught:
            await pid(pool)
        assert (caught.value.status, caught.value.retry_after) == (503, 2)
        with pytest.raises(RefusalError, match="too many computations are waiting"):
            await pid(pool, "b")
        assert len(set(await asyncio.gather(*running))) == 2
        await pid(pool)

    in_a_pool(scenario)


def test_one_address_leaves_a_worker_to_others():
    async def scenario(pool):
        greedy = [asyncio.create_task(pid(pool, "greedy", seconds=60)) for _ in range(3)]
        await until(lambda: pool.line.waiting == 2)
        assert await pid(pool, "modest") > 0
        for task in greedy:
            task.cancel()
        await asyncio.wait(greedy)

    in_a_pool(scenario, address_computations=1, waiting=4, address_waiting=4)


def test_too_long():
    async def scenario(pool):
        await pid(pool)
        worker = next(iter(pool.workers))
        with pytest.raises(RefusalError, match=r"stopped after 0\.3 seconds"):
            await pid(pool, seconds=60)
        await until(lambda: worker.process.returncode is not None)
        assert await pid(pool) != worker.process.pid

    in_a_pool(scenario, work_seconds=0.3, computations=1)


def test_abandoned_work_is_stopped_and_its_place_is_free_again():
    async def scenario(pool):
        task = asyncio.create_task(pid(pool, seconds=60))
        await until(lambda: pool.workers)
        worker = next(iter(pool.workers))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: worker.process.returncode is not None)
        assert await pid(pool) != worker.process.pid

    in_a_pool(scenario, computations=1)


def test_abandoned_work_that_ends_soon_keeps_its_process():
    async def scenario(pool):
        before = await pid(pool)
        task = asyncio.create_task(pid(pool, seconds=0.2))
        await asyncio.sleep(0.05)
        task.cancel()
        assert await pid(pool) == before

    in_a_pool(scenario, computations=1, grace_seconds=5.0)


def test_abandoned_while_waiting():
    async def scenario(pool):
        first = asyncio.create_task(pid(pool, seconds=0.3))
        await asyncio.sleep(0.05)
        second = asyncio.create_task(pid(pool))
        await until(lambda: pool.line.waiting == 1)
        second.cancel()
        await asyncio.wait([second])
        assert pool.line.waiting == 0
        await first
        await pid(pool)

    in_a_pool(scenario, computations=1)


def test_many_cancelled_at_once_leave_the_pool_whole():
    async def scenario(pool):
        for _ in range(5):
            tasks = [asyncio.create_task(pid(pool, seconds=0.01)) for _ in range(3)]
            await asyncio.sleep(0.002)
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        await until(lambda: pool.line.at_work == 0)
        assert len(set(await asyncio.gather(pid(pool, seconds=0.3), pid(pool, seconds=0.3)))) == 2

    in_a_pool(scenario, grace_seconds=0.0)


def test_a_worker_that_dies_is_in_the_log_by_the_id_that_the_client_is_told(caplog):
    async def scenario(pool):
        with pytest.raises(RefusalError, match="request id-of-the-test") as caught:
            await pid(pool, die=True)
        assert caught.value.status == 503
        assert await pid(pool) > 0
        assert pool.metrics.value("worker_deaths") == pool.metrics.value("worker_restarts") == 1

    with caplog.at_level(logging.ERROR, "gaussdp.serve"):
        in_a_pool(scenario)
    assert "request id-of-the-test: a worker died while it did job: exit code 3" in caplog.text


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ({"signal": signal.SIGKILL}, "something outside the server ended the process"),
        ({"signal": signal.SIGTERM}, "something outside the server ended the process"),
        ({"signal": signal.SIGXCPU}, "it used more than it may, or failed"),
        ({"signal": signal.SIGABRT}, "it used more than it may, or failed"),
        ({"die": True}, "it used more than it may, or failed"),
    ],
)
def test_the_client_is_told_who_ended_the_worker(end, words):
    async def scenario(pool):
        with pytest.raises(RefusalError, match=words):
            await pid(pool, **end)

    in_a_pool(scenario)


def test_a_worker_that_is_killed_just_before_a_request_is_not_blamed_on_it():
    """Whether its death is seen before or after the request goes out, which the system decides."""

    async def scenario(pool):
        first = await pid(pool)
        os.kill(first, signal.SIGKILL)
        (answer,) = await asyncio.gather(pid(pool), return_exceptions=True)
        assert isinstance(answer, int) or "something outside the server ended the process" in str(answer)
        assert answer != first

    in_a_pool(scenario)


@pytest.mark.parametrize("finder", ["ready", "worker"])
def test_a_worker_that_dies_without_work_is_counted_and_in_the_log(caplog, finder):
    """While it is asked whether it lives, or found dead before anybody was told."""

    async def scenario(pool):
        await pool.warm()
        (worker,) = pool.workers
        os.kill(worker.process.pid, signal.SIGSTOP)
        asked = asyncio.create_task(pool.ready()) if finder == "ready" else None
        await asyncio.sleep(0.05)
        worker.process.kill()
        if asked:
            assert not await asked
        else:
            while worker.process.returncode is None:  # seen before whoever waits for its end
                await asyncio.sleep(0)
            await pool.worker()
        await until(lambda: pool.metrics.value("worker_deaths") > 0)
        await asyncio.sleep(0.05)
        assert pool.metrics.value("worker_deaths") == pool.metrics.value("worker_restarts") == 1

    with caplog.at_level(logging.ERROR, "gaussdp.serve"):
        in_a_pool(scenario)
    assert caplog.text.count("ended by signal 9") == 1


def test_an_error_that_is_not_meant_is_masked_and_in_the_log(caplog):
    async def scenario(pool):
        with pytest.raises(RefusalError, match=r"log says how \(request id-of-the-test\)") as caught:
            await pid(pool, fail="secret")
        assert caught.value.status == 500
        assert "secret" not in str(caught.value)

    with caplog.at_level(logging.ERROR, "gaussdp.serve"):
        in_a_pool(scenario)
    assert "request id-of-the-test: job failed\nsecret" in caplog.text


def test_a_program_that_does_not_start():
    async def scenario(pool):
        pool.program = ["-c", "raise SystemExit(1)"]
        with pytest.raises(RefusalError):
            await pid(pool)
        assert not await pool.ready()

    in_a_pool(scenario)


def test_no_more_processes_to_be_had(monkeypatch):
    async def none(*arguments, **options):
        raise OSError(24, "Too many open files")

    async def scenario(pool):
        monkeypatch.setattr(asyncio, "create_subprocess_exec", none)
        with pytest.raises(RefusalError, match="cannot start a computation now") as caught:
            await pid(pool)
        assert (caught.value.status, caught.value.retry_after) == (503, 2)
        assert not await pool.ready()
        assert pool.line.at_work == 0

    in_a_pool(scenario)


def test_ready_while_a_worker_answers_or_is_at_work():
    async def scenario(pool):
        assert await pool.ready()
        task = asyncio.create_task(pid(pool, seconds=0.3))
        await asyncio.sleep(0.05)
        assert await pool.ready()
        await task
        pool.stop()
        assert not await pool.ready()

    in_a_pool(scenario, computations=1)


def test_not_ready_while_the_only_worker_is_at_work_and_stopped(monkeypatch):
    monkeypatch.setattr(pool_module, "PING_SECONDS", 0.5)

    async def scenario(pool):
        await pid(pool)
        (worker,) = pool.workers
        os.kill(worker.process.pid, signal.SIGSTOP)
        task = asyncio.create_task(pid(pool, seconds=0.1))
        await asyncio.sleep(0.05)
        assert not await pool.ready()
        os.kill(worker.process.pid, signal.SIGCONT)
        assert await task == worker.process.pid  # what it said of itself is no answer to anything else
        assert await pid(pool) == worker.process.pid
        await asyncio.sleep(pool_module.FRESH_SECONDS)
        assert await pool.ready()

    in_a_pool(scenario, computations=1)


def test_stopping_ends_what_is_at_work_and_what_waits():
    async def scenario(pool):
        asked = [asyncio.create_task(pid(pool, seconds=60)) for _ in range(2)]
        await until(lambda: pool.line.waiting == 1)
        pool.stop()
        answers = await asyncio.gather(*asked, return_exceptions=True)
        assert all(isinstance(answer, RefusalError) and "stopping" in str(answer) for answer in answers)
        with pytest.raises(RefusalError, match="stopping"):
            await pid(pool)

    in_a_pool(scenario, computations=1)
