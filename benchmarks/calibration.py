"""Calibration beside riskcal, judged on the exact curve, and a sweep on one and on two workers."""

import importlib
import os
import time
import warnings
from typing import Any

from benchmarks.timing import best_seconds, print_table
from gaussdp import Advantage, AtMost, TruePositiveRate, calibration
from gaussdp.accounting import account
from gaussdp.mechanisms import DPSGD

RATE, STEPS = 0.002, 10_000
FASTER = 200
SPEED_UP = 1.7


def main() -> None:
    """Print both tables."""
    against_riskcal()
    by_workers()


def against_riskcal() -> None:
    """The same two targets for both; riskcal solves once, as it takes seconds."""
    try:
        from riskcal.calibration.dpsgd import (
            find_noise_multiplier_for_advantage,
            find_noise_multiplier_for_err_rates,
        )
    except ImportError:
        print('\nCalibration beside riskcal: skipped, it is not installed (pip install "gaussdp[bench]")')
        return
    cases = (
        (
            "advantage 0.1",
            AtMost(Advantage(), 0.1),
            lambda: find_noise_multiplier_for_advantage(0.1, sample_rate=RATE, num_steps=STEPS),
        ),
        (
            "TPR 0.05 at FPR 0.01",
            AtMost(TruePositiveRate(0.01), 0.05),
            lambda: find_noise_multiplier_for_err_rates(
                alpha=0.01, beta=0.95, sample_rate=RATE, num_steps=STEPS, grid_step=1e-3
            ),
        ),
    )
    rows = []
    for name, target, theirs in cases:
        calibration.noise_multiplier(target, sample_rate=0.1, steps=100)  # first calls load libraries
        found: dict[str, float] = {}

        def ours(target: AtMost = target, found: dict[str, float] = found) -> None:
            result = calibration.noise_multiplier(target, sample_rate=RATE, steps=STEPS)
            found["ours"], found["evaluations"] = result.value, result.evaluations

        before = best_seconds({"ours": ours}, rounds=5)["ours"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            start = time.perf_counter()
            noise = float(theirs())
            seconds = time.perf_counter() - start
        own = min(before, best_seconds({"ours": ours}, rounds=5)["ours"])
        rows.append(
            (
                name,
                f"{own * 1e3:.1f}",
                f"{seconds * 1e3:.0f}",
                f"{seconds / own:.0f}",
                f"{found['evaluations']:.0f}",
                f"{found['ours']:.6g}",
                f"{noise:.6g}",
                f"{target.risk.of(account(DPSGD(found['ours'], RATE, STEPS))):.6f}",
                f"{target.risk.of(account(DPSGD(noise, RATE, STEPS))):.6f}",
            )
        )
    print_table(
        f"DP-SGD at sample rate {RATE}, {STEPS:,} steps (goal: ratio {FASTER}; risks are of the exact curve)",
        ("target", "ours ms", "riskcal ms", "ratio", "evaluations", "noise", "riskcal noise", "risk", "riskcal risk"),
        rows,
    )


def by_workers() -> None:
    """A thousand designs, one worker against two, beside plain loops that show what the machine has to give."""
    try:
        joblib = importlib.import_module("joblib")
    except ImportError:
        print('\nSweep by workers: skipped, joblib is not installed (pip install "gaussdp[sweep]")')
        return
    designs = calibration.grid(
        [f"tpr@0.01={value}" for value in (0.02, 0.03, 0.05, 0.1)],
        [50_000],
        [128, 256, 384, 512, 640, 768, 896, 1024, 1536, 2048],
        range(4, 104, 4),
    )
    for workers in (1, 2):
        calibration.sweep(designs[:4], workers=workers)  # starts the processes
    plain = best_seconds({str(workers): lambda w=workers: _loops(joblib, w) for workers in (1, 2)}, rounds=2)
    jobs = {str(workers): lambda w=workers: calibration.sweep(designs, workers=w) for workers in (1, 2)}
    seconds = best_seconds(jobs, rounds=1)
    print_table(
        f"A sweep of {len(designs):,} designs on {os.cpu_count()} cores (goal: {SPEED_UP} where plain loops reach 2)",
        ("workers", "seconds", "designs a second", "speed-up", "of plain loops"),
        [
            (
                workers,
                f"{spent:.1f}",
                f"{len(designs) / spent:.0f}",
                f"{seconds['1'] / spent:.2f}",
                f"{plain['1'] / plain[workers]:.2f}",
            )
            for workers, spent in seconds.items()
        ],
    )


def _loops(joblib: Any, workers: int) -> None:
    joblib.Parallel(n_jobs=workers, batch_size=1)(joblib.delayed(_loop)(5_000_000) for _ in range(4))


def _loop(count: int) -> int:
    return sum(range(count)) + sum(i & 1 for i in range(count))


if __name__ == "__main__":
    main()
