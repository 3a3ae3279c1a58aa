"""Every kind of work beside the fastest peer that does it, in one run: the second table of docs/comparison.md.

Times are of the processor, the best of several runs in a row. gdpnum finds mu, though not on the private side;
dp_accounting finds epsilon by pessimistic privacy loss distributions. Where a peer's answer is more than 1 % off, the
table says so; where an epsilon is, there is a second row, with the coarsest grid of losses on which it is not. Where no
peer does the work there is a goal in time.
"""

import functools
import itertools
import math
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks.accounting import SETTINGS
from benchmarks.timing import print_table
from gaussdp import AtMost, Profile, TruePositiveRate, account, calibration
from gaussdp.auditing import plan_audit
from gaussdp.mechanisms import DPSGD, Composition, Laplace, Mechanism

DELTA = 1e-6
GRID = 1e-4  # of the peer's losses, as is its default
TIGHT = 0.01  # by which its epsilon may exceed the exact one
SCHEDULE = 10_000
FEW_AND_RARE = ((2.5, 4e-6, 39), (0.9, 1.5e-6, 2), (1.1, 1e-4, 10))  # where the gridded peers have little to do


class Row(NamedTuple):
    """Work that we do and that a peer does, with the goal: a ratio of times, or seconds."""

    work: str
    ours: Callable[[], Any]
    peer: Callable[[], Any] | None
    goal: float


def rows() -> Iterator[Row]:
    """Those of which all libraries are installed."""
    yield from _fits()
    yield from _epsilons()
    yield from _calibrations()
    yield from _schedules()
    for fpr, tpr, rate, steps in ((0.01, 0.05, 0.002, 10_000), (1e-3, 0.01, 1e-4, 10_000), (0.1, 0.2, 0.01, 100)):
        target = AtMost(TruePositiveRate(fpr), tpr)
        work = f"noise for TPR {tpr:g} at FPR {fpr:g}, rate {rate:g}, {steps:,} steps"
        yield Row(work, lambda t=target, r=rate, s=steps: _noise(t, r, s), None, 0.05)
    yield Row("plan of an audit, mu 0.75, claim 0.7", lambda: plan_audit(0.75, claim_mu=0.7), None, 0.2)


def _fits() -> Iterator[Row]:
    try:
        from gdpnum.dpsgd import get_mu_and_regret_for_dpsgd
    except ImportError:
        print("the tightest mu beside gdpnum: skipped, it is not installed")
        return
    for setting, goal in [(setting, 100) for setting in SETTINGS] + [(setting, 1) for setting in FEW_AND_RARE]:
        run, words = DPSGD(*setting), ", ".join(f"{value:g}" for value in setting)
        yield Row(
            f"mu of DP-SGD {words}",
            lambda r=run: account(r).fit().mu,
            lambda s=setting: float(get_mu_and_regret_for_dpsgd(*s)[0]),
            goal,
        )


def _epsilons() -> Iterator[Row]:
    from dp_accounting.pld import privacy_loss_distribution as distributions

    for scale, count in ((3.0, 40), (100.0, 10_000)):
        made = functools.partial(distributions.from_laplace_mechanism, scale)
        yield Row(f"epsilon of {count:,} Laplace({scale:g})", _epsilon(count * Laplace(scale)), _theirs(made, count), 1)
    for noise, rate, steps, goal in (
        (0.1, 0.001, 1000, 20),
        (1.0, 1e-4, 1000, 10),
        (1.0, 1e-4, 20, 10),
        (1.0, 0.01, 100, 10),
        (2.0, 1e-4, 100, 10),
    ):
        run = DPSGD(noise, rate, steps)
        made = functools.partial(
            distributions.from_gaussian_mechanism, noise, sampling_prob=rate, use_connect_dots=True
        )
        work = f"epsilon of DP-SGD {noise:g}, {rate:g}, {steps:,}"
        yield Row(work, _epsilon(run), _theirs(made, steps), goal)
        tight = _tight_grid(made, steps, _epsilon(run)())
        if tight < GRID:
            yield Row(f"... as tight, on a grid of {tight:g}", _epsilon(run), _theirs(made, steps, tight), goal)


def _calibrations() -> Iterator[Row]:
    import dp_accounting

    target = AtMost(Profile(1e-5), 1.0)
    for rate in (0.01, 1e-4):

        def event(noise: float, rate: float = rate) -> Any:
            sampled = dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(noise))
            return dp_accounting.SelfComposedDpEvent(sampled, 100)

        def peer(event: Callable[[float], Any] = event) -> float:
            return float(dp_accounting.calibrate_dp_mechanism(dp_accounting.pld.PLDAccountant, event, 1.0, 1e-5))

        ours = functools.partial(_noise, target, rate, 100)
        yield Row(f"noise for (1, 1e-5)-DP, rate {rate:g}, 100 steps", ours, peer, 10)


def _schedules() -> Iterator[Row]:
    noises = np.linspace(3.0, 0.9, SCHEDULE)
    turn = itertools.count(1)  # so that no schedule, and no further step, is one that has been seen

    def schedule() -> Composition:
        return Composition([DPSGD(noise, 0.01, 1) for noise in (noises + 1e-6 * next(turn)).tolist()])

    before = schedule()
    yield Row(f"epsilon of {SCHEDULE:,} different steps", lambda: account(schedule()).epsilon(DELTA), None, 3.0)
    yield Row(
        "... of one more",
        lambda: account(Composition([before, DPSGD(0.9 + 1e-3 * next(turn), 0.01, 1)])).epsilon(DELTA),
        None,
        0.05,
    )


def _epsilon(run: Mechanism) -> Callable[[], float]:
    return lambda: account(run).epsilon(DELTA)


def _theirs(make: Callable[..., Any], count: int, grid: float = GRID) -> Callable[[], float]:
    return lambda: float(make(value_discretization_interval=grid).self_compose(count).get_epsilon_for_delta(DELTA))


def _tight_grid(make: Callable[..., Any], count: int, exact: float) -> float:
    """The coarsest of ever finer grids, by powers of ten, on which the peer's epsilon is at most 1 % too large."""
    return next(
        grid for grid in (GRID * 10.0**-k for k in range(6)) if _theirs(make, count, grid)() <= (1 + TIGHT) * exact
    )


def _noise(target: AtMost, rate: float, steps: int) -> float:
    return calibration.noise_multiplier(target, sample_rate=rate, steps=steps).value


def best(job: Callable[[], Any], seconds: float = 1.0) -> float:
    """The least processor time of a job over several runs, as many as a second allows, at most fifty."""
    times: list[float] = []
    while not times or (sum(times) < seconds and len(times) < 50):
        start = time.process_time()
        job()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    """Print the table."""
    told: list[tuple[str, ...]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for row in rows():
            ours = best(row.ours)
            theirs, apart = _peer(row)
            ours = min(ours, best(row.ours, 0.5))
            reached = theirs / ours >= row.goal if theirs else ours <= row.goal
            print(f"{row.work}: {ours * 1e3:.1f} ms", flush=True)
            told.append(
                (
                    row.work,
                    f"{ours * 1e3:.1f}",
                    f"{theirs * 1e3:.0f}" if theirs else "",
                    apart,
                    f"{theirs / ours:.3g}" if theirs else "",
                    f"{row.goal:g} times" if theirs else f"{row.goal * 1e3:g} ms",
                    "" if reached else "missed",
                )
            )
    print_table(
        "Everywhere, in milliseconds of the processor",
        ("work", "ours", "peer", "peer's answer", "ratio", "goal", ""),
        told,
    )


def _peer(row: Row) -> tuple[float | None, str]:
    """The time of a peer, if there is one, and what is to be said of its answer."""
    if row.peer is None:
        return None, ""
    try:
        return best(row.peer), _apart(row.ours(), row.peer())
    except AssertionError:  # gdpnum's own check of its curve
        return math.inf, "none: it fails"


def _apart(ours: float, theirs: float) -> str:
    """How far a peer's answer lies from the exact one, if by more than a hundredth of it."""
    share = theirs / ours - 1
    if abs(share) <= TIGHT:
        return ""
    return f"{100 * abs(share):.0f} % too {'large' if share > 0 else 'small'}"


if __name__ == "__main__":
    main()
