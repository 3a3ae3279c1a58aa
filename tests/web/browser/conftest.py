"""A real server, a real browser, and pages that must end without a fault."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from browsers import CHROMIUM, NO_CHROMIUM
from calculator import ARGUMENTS, PATIENCE, Calculator


@pytest.fixture(scope="session")
def chromium() -> str:
    if CHROMIUM is None:
        pytest.skip(NO_CHROMIUM)
    return CHROMIUM


@pytest.fixture(scope="session")
def address(chromium: str) -> Iterator[str]:
    """Where a server of the calculator listens."""
    command = [sys.executable, "-m", "gaussdp", "serve", "--port", "0", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        yield line.split(" at ")[1].split()[0]
        server.terminate()


@pytest.fixture(scope="package")
def browser(chromium: str) -> Iterator[Any]:
    """A browser for the tests of this folder only: while it runs, no other test in this process could start asyncio."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def new_calculator(browser: Any, address: str) -> Iterator[Callable[..., Calculator]]:
    """Pages in contexts of their own, which must end without a fault."""
    made: list[tuple[Any, Calculator]] = []

    def make(address: str = address, **options: Any) -> Calculator:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        made.append((context, Calculator(context, address)))
        return made[-1][1]

    yield make
    faults = [fault for _, calculator in made for fault in calculator.all_faults()]
    for context, _ in made:
        context.close()
    assert not faults


@pytest.fixture
def calculator(new_calculator: Callable[..., Calculator]) -> Calculator:
    return new_calculator()
