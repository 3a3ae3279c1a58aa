"""Audits of 10^7 scores a side, beside sorting them: python -m benchmarks.audit_scale"""

import numpy as np

import gaussdp
from benchmarks.timing import best_seconds, print_table

SIZE = 10_000_000


def main() -> None:
    """Print seconds and ratios."""
    random = np.random.default_rng(0)
    members, nonmembers = random.normal(1, 1, SIZE), random.normal(0, 1, SIZE)
    methods = (gaussdp.EqualLocalLevel(), gaussdp.DKW(), gaussdp.AUC(), gaussdp.FixedThreshold(0.5), gaussdp.Split(0))
    jobs = {"numpy.sort of all scores": lambda: np.sort(np.concatenate((members, nonmembers)))}
    jobs |= {
        str(method): lambda m=method: gaussdp.audit(members=members, nonmembers=nonmembers, method=m)
        for method in methods
    }
    seconds = best_seconds(jobs, rounds=1)
    base = seconds["numpy.sort of all scores"]
    rows = [(name, f"{took:.1f}", f"{took / base:.1f}") for name, took in seconds.items()]
    print_table(f"{SIZE:,} scores a side", ("job", "s", "ratio"), rows)


if __name__ == "__main__":
    main()
