"""Where do two exact methods disagree most, as a share of what both claim? A search uphill from random runs.

Random draws miss what is rare. From each run the search moves to neighbouring ones as long as the share grows, then
starts anew; a share above 1 is a false claim of either method.

    python -m benchmarks.survey.uphill FIRST SECOND [seconds [seed [kinds of steps]]]

with line, bent or density.
"""

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gaussdp.accounting.density.tails import DensityTails
from gaussdp.accounting.lines.bent import BentTails
from gaussdp.accounting.lines.tails import LineTails
from gaussdp.accounting.loss.steps import SampledGaussianLoss
from gaussdp.errors import ConvergenceError, GaussdpError

Run = tuple[tuple[float, float, int], ...]  # noise, rate and number of the steps of each kind
Counted = Sequence[tuple[SampledGaussianLoss, int]]

NOISES, RATES, STEPS = (-0.5, 1.9), (-6.0, -0.7), (0.3, 6.0)  # powers of ten
THRESHOLDS = np.union1d(np.geomspace(0.01, 300.0, 40), np.linspace(5.0, 250.0, 40))
DEEPEST = -690.0  # logarithm of the least rate: below, doubles lose digits
MOVES = (0.03, 0.2, 0.2)  # deviations of the logarithms from one run to the next
STALE = 25  # moves without a larger share after which the search starts anew
COMPARED = (("log_fpr", "log_tnr"), ("log_tpr", "log_fnr"), ("log_delta_remove", ""))  # where below what it is beside


class Worst(NamedTuple):
    """The largest share of a run, what it is of, and where."""

    share: float = 0.0
    rate: str = ""
    threshold: float = 0.0
    run: Run = ()


def _bent(steps: Counted) -> BentTails:
    if not BentTails.covers(steps):
        raise ConvergenceError("bent lines do not cover such steps")
    return BentTails(0.0, steps)


METHODS: dict[str, Callable[[Counted], Any]] = {
    "line": lambda steps: LineTails(0.0, steps),
    "bent": _bent,
    "density": lambda steps: DensityTails(0.0, steps),
}


def worst_of(run: Run, methods: Sequence[str]) -> Worst:
    """The largest share of the claims of two methods by which they differ; 0 where they cannot be compared."""
    steps = [(SampledGaussianLoss(noise, rate), count) for noise, rate, count in run]
    try:
        with np.errstate(all="ignore"):
            first, second = (METHODS[name](steps) for name in methods)
            one = first.read(THRESHOLDS)
            tau = THRESHOLDS[one.answered & (one.log_fpr > DEEPEST)]
            if tau.size == 0:
                return Worst()
            one, other = first.read(tau), second.read(tau)
    except GaussdpError:
        return Worst()
    worst = Worst()
    for rate, beside in COMPARED:
        mine, theirs = getattr(one, rate), getattr(other, rate)
        known = one.answered & other.answered & ((mine <= getattr(one, beside)) if beside else True)
        with np.errstate(invalid="ignore"):
            shares = np.where(known, np.abs(mine - theirs) / (one.errors + other.errors), 0.0)
        top = int(np.nan_to_num(shares).argmax())
        worst = max(worst, Worst(float(np.nan_to_num(shares)[top]), rate, float(tau[top]), run))
    return worst


def main(first: str, second: str, seconds: str = "60", seed: str = "0", kinds: str = "1") -> None:
    """Search for so long, and tell of every larger share."""
    rng, end = np.random.default_rng(int(seed)), time.process_time() + float(seconds)
    found, runs = Worst(), 0

    def drawn() -> Run:
        draws = (10.0 ** rng.uniform(*np.transpose([NOISES, RATES, STEPS])) for _ in range(int(kinds)))
        return tuple((float(noise), float(rate), int(steps)) for noise, rate, steps in draws)

    def moved(run: Run) -> Run:
        near = (np.array(part) * np.exp(np.array(MOVES) * rng.normal(size=3)) for part in run)
        return tuple((float(noise), min(float(rate), 0.5), max(int(steps), 1)) for noise, rate, steps in near)

    while time.process_time() < end:
        here, stale, runs = worst_of(drawn(), (first, second)), 0, runs + 1
        while here.share > 0 and stale < STALE and time.process_time() < end:
            there, runs = worst_of(moved(here.run), (first, second)), runs + 1
            here, stale = (there, 0) if there > here else (here, stale + 1)
        if here > found:
            found = here
            print(f"{runs} runs: {found.share:.3g} of the claims, {found.rate} at {found.threshold!r} of {found.run}")
    print(f"{runs} runs, the largest share {found.share:.3g}")


if __name__ == "__main__":
    main(*sys.argv[1:])
