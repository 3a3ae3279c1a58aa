"""Accounting for DP-SGD: time beside gdpnum, and how it grows with the number of steps."""

import math
import resource
import warnings

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


def main() -> None:
    """Print both tables."""
    against_gdpnum()
    by_steps()
    print(f"\nPeak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def against_gdpnum() -> None:
    """mu and regret from both tools, for the five settings of the goal; ours runs first, in 20 MB or so."""
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
            seconds = best_seconds(jobs, rounds=3)
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
    rows, times = [], []
    for steps in (10**3, 10**4, 10**5, 10**6, 10**7):
        run = DPSGD(noise_multiplier=max(0.6, 0.01 * math.sqrt(steps)), sample_rate=0.01, steps=steps)
        fits = []
        seconds = best_seconds({"ours": lambda r=run, f=fits: f.append(account(r).fit())}, rounds=3)["ours"]
        times.append(seconds)
        rows.append((f"{steps:,}", f"{run.noise_multiplier:g}", f"{fits[0].mu:.4f}", f"{seconds * 1e3:.1f}"))
    print_table(
        f"Time by steps at sample rate 0.01 (goal: flat within {FLAT_WITHIN}; here {max(times) / min(times):.1f})",
        ("steps", "noise", "mu", "ms"),
        rows,
    )
