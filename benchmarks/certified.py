"""Do the error claims of fast readings hold? Random runs, each read fast and enclosed by proof: how many claims fail.

python -m benchmarks.certified [runs] [seed] [seconds a run] [all, one or typical]

All runs of the documented ranges, many of which have no proof; one step; or what is typical of training.
"""

import math
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from types import FrameType

import numpy as np

from gaussdp import DPSGD, Composition, Gaussian, account
from gaussdp.accounting import Reading
from gaussdp.accounting.certified.certificate import ProvedDelta
from gaussdp.accounting.certified.proving import certify
from gaussdp.errors import GaussdpError
from gaussdp.mechanisms import Mechanism

READINGS = 8  # of delta, for each run
GAUSSIAN_SHARE = 0.2  # of mixtures that hold a plain release as well


class _TooLongError(Exception):
    """A run took longer than it may."""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def ring(number: int, frame: FrameType | None) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def random_run(draw: np.random.Generator, kind: str = "all") -> Mechanism:
    """A run from the documented ranges: most of one kind of step, some of up to 50; or of another kind."""
    if kind == "one":
        return DPSGD(float(10 ** draw.uniform(-1, 2)), float(10 ** draw.uniform(-6, 0)), 1)
    if kind == "typical":
        noise, rate = float(10 ** draw.uniform(-0.4, 1.5)), float(10 ** draw.uniform(-3, -0.1))
        return DPSGD(noise, rate, int(10 ** draw.uniform(2, 6)))

    def step(most: float) -> DPSGD:
        noise = 10 ** draw.uniform(-1, 2)
        rate = min(10 ** draw.uniform(-6, 0), 1.0)
        return DPSGD(float(noise), float(rate), round(10 ** draw.uniform(0, most)))

    if draw.random() < 0.7:
        return step(7)
    parts: list[Mechanism] = [step(4) for _ in range(int(2 + 48 * draw.random() ** 3))]
    if draw.random() < GAUSSIAN_SHARE:
        parts.append(Gaussian(float(10 ** draw.uniform(-0.5, 2))))
    return Composition(parts)


def exceeded(value: float, error: float, proved: ProvedDelta) -> float:
    """By which factor the distance from the enclosure exceeds the claim; at most 1 if the claim holds."""
    low, high = Decimal(proved.delta.low), Decimal(proved.delta.high)
    distance = max(low - Decimal(value), Decimal(value) - high, Decimal(0))
    if distance == 0:
        return 0.0
    claim = Decimal(error) * Decimal(value)
    return float(distance / claim) if claim > 0 else math.inf


def _proved(
    run: Mechanism, readings: list[tuple[float, Reading[float]]], seconds: float, counts: Counter[str]
) -> Iterator[tuple[float, Reading[float], ProvedDelta]]:
    """The readings with their proofs: all at once, or one by one if not all can be proved."""
    try:
        with _limited(seconds):
            found = certify(run, epsilons=[epsilon for epsilon, _ in readings]).deltas
    except _TooLongError:
        counts["proof took too long"] += len(readings)
    except GaussdpError:
        if len(readings) == 1:
            counts["no proof"] += 1
            return
        for one in readings:
            yield from _proved(run, [one], seconds, counts)
    else:
        for (epsilon, reading), proved in zip(readings, found, strict=True):
            yield epsilon, reading, proved


def main(runs: int = 100, seed: int = 0, seconds: float = 20.0, kind: str = "all") -> None:
    """Print what was compared, refused and exceeded."""
    draw = np.random.default_rng(seed)
    counts: Counter[str] = Counter()
    worst = 0.0
    began = time.process_time()
    for number in range(runs):
        run = random_run(draw, kind)
        depths = -(draw.uniform(1, 100, READINGS) ** draw.uniform(0, 1, READINGS))
        try:
            with _limited(seconds), np.errstate(all="ignore"):
                curve = account(run)
                epsilons = sorted({float(curve.epsilon(float(10**depth))) for depth in depths} - {0.0})
                epsilons = [epsilon for epsilon in epsilons if math.isfinite(epsilon)]
                fast = [curve.reading.delta(epsilon) for epsilon in epsilons]
        except _TooLongError:
            counts["fast path took too long"] += 1
            continue
        except Exception as error:  # whatever it is, the survey goes on and counts it
            counts[f"fast path raised {type(error).__name__}"] += 1
            continue
        exact = [(epsilon, reading) for epsilon, reading in zip(epsilons, fast, strict=True) if reading.method.exact]
        counts["from a distribution"] += len(fast) - len(exact)
        for epsilon, reading, proved in _proved(run, exact, seconds, counts):
            counts["compared"] += 1
            counts[f"compared, {reading.method}"] += 1
            counts["proved to less than 12 digits"] += proved.delta.digits < 12
            factor = exceeded(reading.value, reading.error, proved)
            worst = max(worst, factor)
            if factor > 1:
                counts["exceeded"] += 1
                print(
                    f"exceeded {factor:.3g}: {run!r} delta({epsilon!r}) = {reading} proved {proved.delta}", flush=True
                )
        if number % 10 == 9:
            print(
                f"{number + 1} runs, {time.process_time() - began:.0f} s: {dict(counts)}, worst {worst:.3g}", flush=True
            )
    print("| what | readings |\n|---|---|")
    for what, count in sorted(counts.items()):
        print(f"| {what} | {count} |")
    print(f"worst distance over claim: {worst:.3g}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]), *map(float, sys.argv[3:4]), *sys.argv[4:5])
