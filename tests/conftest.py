"""Hypothesis draws the same examples in every run; set HYPOTHESIS_PROFILE=explore to look further."""

import os

import pytest
from hypothesis import HealthCheck, settings

os.environ.pop("COLUMNS", None)  # of the processes that run tests side by side: what is printed would keep to it

pytest.register_assert_rewrite("contracts_of_guarantees", "commands")

settings.register_profile("default", derandomize=True, deadline=None, max_examples=100)
settings.register_profile(
    "explore", deadline=None, max_examples=3000, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say aloud, once, what could not be tested here: a quiet run would look like a proof."""
    skipped = [report.longrepr[2].removeprefix("Skipped: ") for report in terminalreporter.stats.get("skipped", [])]
    for reason in sorted({reason for reason in skipped if reason.startswith("no ")}):
        terminalreporter.write_sep("!", f"{skipped.count(reason)} tests skipped, {reason}")
