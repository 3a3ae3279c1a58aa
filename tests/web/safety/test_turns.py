"""Work that waits for nothing is done at once; what waits goes on as a task, in the same context."""

import asyncio
import contextvars

import pytest

from gaussdp.web.safety.turns import Started, begun
from gaussdp.words import speaking, spoken


def test_what_waits_for_nothing_is_done_at_once():
    done = []

    async def work():
        done.append(asyncio.get_running_loop())

    async def scenario():
        assert begun(work(), asyncio.get_running_loop()) is None
        assert len(done) == 1

    asyncio.run(scenario())


def test_what_waits_goes_on_as_a_task_and_in_its_language():
    said = []

    async def work(future):
        with speaking("de"):
            said.append(await future)
            await asyncio.sleep(0)
            async with asyncio.timeout(20):  # which asks for a task
                await asyncio.sleep(0.001)
            said.append(spoken())

    async def scenario():
        future = asyncio.get_running_loop().create_future()
        task = begun(work(future), asyncio.get_running_loop())
        assert spoken() == "en"
        future.set_result("there")
        await task
        assert said == ["there", "de"]
        assert spoken() == "en"

    asyncio.run(scenario())


def test_what_is_cancelled_hears_of_it_and_what_fails_says_so():
    heard = []

    async def cancelled():
        try:
            await asyncio.sleep(60)
        finally:
            heard.append("cancelled")

    async def failing():
        await asyncio.sleep(0)
        raise KeyError("lost")

    async def scenario():
        loop = asyncio.get_running_loop()
        task = begun(cancelled(), loop)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(KeyError, match="lost"):
            await begun(failing(), loop)

    asyncio.run(scenario())
    assert heard == ["cancelled"]


def test_what_work_sets_stays_its_own():
    name = contextvars.ContextVar("name", default="outside")

    async def work():
        name.set("inside")

    async def scenario():
        begun(work(), asyncio.get_running_loop())
        assert name.get() == "outside"

    asyncio.run(scenario())


def test_work_is_kept_until_it_is_begun():
    async def work():
        return

    started, one = Started(), work()
    started.create_task(one, context=None).add_done_callback(print)
    assert started.works == [one]
    one.close()
