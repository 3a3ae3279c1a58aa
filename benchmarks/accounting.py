"""Accounting for DP-SGD: time beside gdpnum, and how it grows with the number of steps."""

import math
import resource
import subprocess
import sys
import warnings
from pathlib import Path

from benchmarks.timing import best_seconds, print_table
from gaussdp.accounting import account
from gaussdp.mechanisms import DPSGD

SETTINGS = (
    (9.4, 0.328, 2_000),
    (0.5, 0.002, 10_000),
    (1.0, 0.00512, 20_000),
    (0.7, 1e-4, 100_000),
    (21.1, 0.5, 1_000),
)
LEAST, MEDIAN = 20, 50
FLAT_WITHIN = 3
MEMORY_MB = 100


def main() -> None:
    """Print both tables and what our own memory comes to."""
    against_gdpnum()
    by_steps()
    own_memory()


def against_gdpnum() -> None:
    """mu and regret from both tools, for the five settings of the goal."""
    try:
        from gdpnum.dpsgd import get_mu_and_regret_for_dpsgd
    except ImportError:
        print('\nAccounting beside gdpnum: skipped, it is not installed (pip install "gaussdp[bench]")')
        return
    account(DPSGD(2.0, 0.1, 10)).fit()  # first calls load libraries on both sides
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        get_mu_and_regret_for_dpsgd(2.0, 0.1, 10)
        rows, ratios = [], []
        for setting in SETTINGS:
            run = DPSGD(*setting)
            jobs = {
                "ours": lambda r=run: account(r).fit(),
                "gdpnum": lambda s=setting: get_mu_and_regret_for_dpsgd(*s),
            }
            seconds = best_seconds(jobs)
            ours, theirs = jobs["ours"](), jobs["gdpnum"]()
            ratios.append(seconds["gdpnum"] / seconds["ours"])
            rows.append(
                (
                    ", ".join(f"{value:g}" for value in setting),
                    f"{seconds['ours'] * 1e3:.1f}",
                    f"{seconds['gdpnum'] * 1e3:.0f}",
                    f"{ratios[-1]:.0f}",
                    f"{ours.mu:.6f}",
                    f"{float(theirs[0]):.6f}",
                    f"{ours.regret:.2g}",
                    f"{float(theirs[1]):.2g}",
                )
            )
    header = ("noise, rate, steps", "ours ms", "gdpnum ms", "ratio", "mu", "gdpnum mu", "regret", "gdpnum regret")
    median = sorted(ratios)[len(ratios) // 2]
    print_table(
        f"DP-SGD at floor 1e-10 (goal: {LEAST} times faster on each, {MEDIAN} in the median; here {median:.0f})",
        header,
        rows,
    )


def by_steps() -> None:
    """The same sample rate, the noise scaled to keep mu near 1."""
    runs = [
        DPSGD(noise_multiplier=max(0.6, 0.01 * math.sqrt(steps)), sample_rate=0.01, steps=steps)
        for steps in (10**3, 10**4, 10**5, 10**6, 10**7)
    ]
    seconds = best_seconds({f"{run.steps:,}": lambda r=run: account(r).fit() for run in runs}, rounds=20)
    rows = [
        (steps, f"{run.noise_multiplier:g}", f"{account(run).fit().mu:.4f}", f"{time * 1e3:.1f}")
        for run, (steps, time) in zip(runs, seconds.items(), strict=True)
    ]
    flatness = max(seconds.values()) / min(seconds.values())
    print_table(
        f"Time by steps at sample rate 0.01 (goal: flat within {FLAT_WITHIN}; here {flatness:.1f})",
        ("steps", "noise", "mu", "ms"),
        rows,
    )


def own_memory() -> None:
    """Peak memory of the five fits in a process of their own, which never imports gdpnum."""
    child = "from benchmarks.accounting import print_peaks; print_peaks()"
    done = subprocess.run([sys.executable, "-c", child], check=True, capture_output=True, text=True)
    imported, fitted = map(float, done.stdout.split())
    print(
        f"\nOur memory: peak {fitted:.0f} MB after the five fits, {fitted - imported:.1f} MB above importing gaussdp"
        f" (goal: below {MEMORY_MB} MB)"
    )


def print_peaks() -> None:
    """Peak memory in MB once gaussdp is imported, and once the five fits are made."""
    imported = _peak_megabytes()
    for setting in SETTINGS:
        account(DPSGD(*setting)).fit()
    print(imported, _peak_megabytes())


def _peak_megabytes() -> float:
    """Largest resident size of this program so far."""
    status = Path("/proc/self/status")
    if status.exists():
        # Linux counts the parent of a fresh process into ru_maxrss, but not into this.
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    main()
