"""Timing by the best of a few interleaved rounds, so that a busy machine disturbs both sides alike."""

import time
from collections.abc import Callable, Mapping
from typing import Any


def best_seconds(jobs: Mapping[str, Callable[[], Any]], rounds: int = 5) -> dict[str, float]:
    """The least wall time of each job over the rounds; every round runs every job once."""
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(rounds):
        for name, job in jobs.items():
            start = time.perf_counter()
            job()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def print_table(title: str, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """A plain table with aligned columns."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    print(f"\n{title}")
    for row in [header, tuple("-" * width for width in widths), *rows]:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
