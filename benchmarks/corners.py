"""Random runs at the corners of what may be described: is each answered, or refused with a reason, soon and in little?

python -m benchmarks.corners [runs] [seed]

Each run has a process of its own with a limit on time and memory.
"""

import multiprocessing
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator

import numpy as np

from benchmarks.timing import print_table
from gaussdp import accounting
from gaussdp.errors import GaussdpError
from gaussdp.mechanisms import (
    DPSGD,
    Composition,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Mechanism,
    RandomizedResponse,
)

CONTEXT = multiprocessing.get_context("fork")
SECONDS, MEGABYTES = 120, 4000  # at which a run is ended
LEAST_SCALE = 1e-3  # of Laplace noise, for each unit of sensitivity: about the least that is allowed
SLOW, LARGE = 5.0, 1000.0  # seconds of the processor and megabytes that are told

QUESTIONS = {
    "epsilon(1e-5)": lambda curve: curve.reading.epsilon(1e-5),
    "epsilon(1e-12)": lambda curve: curve.reading.epsilon(1e-12),
    "delta(1)": lambda curve: curve.reading.delta(1.0),
    "tpr(1e-3)": lambda curve: curve.reading.tpr(1e-3),
    "fnr(1e-9)": lambda curve: curve.reading.fnr(1e-9),
    "fit": lambda curve: curve.fit(),
    "fit(0.1).slack": lambda curve: curve.fit(0.1).slack,
}


def sampled(draw: np.random.Generator) -> DPSGD:
    """A run of DP-SGD anywhere in its ranges, near an end as often as not."""
    noise = float(10 ** (draw.uniform(-3, 9) if draw.random() < 0.3 else draw.uniform(-3, 1)))
    kind = draw.random()
    if kind < 0.2:
        rate = float(10 ** draw.uniform(-100, -10))
    elif kind < 0.7:
        rate = float(10 ** draw.uniform(-10, 0))
    else:
        rate = 1 - float(10 ** draw.uniform(-16, -0.5))
    return DPSGD(noise, rate, int(10 ** draw.uniform(0, 9)))


def atoms(draw: np.random.Generator) -> Mechanism:
    """Releases whose loss has atoms."""
    size = float(10 ** draw.uniform(-4, 6))
    apart = int(10 ** draw.uniform(0, 3))
    release = (
        Laplace(max(size, LEAST_SCALE)),
        DiscreteLaplace(max(size, LEAST_SCALE * apart), apart),
        DiscreteGaussian(size, max(1, int(size * draw.random()))),
        RandomizedResponse(min(size, 600.0), int(draw.integers(2, 20))),
    )[draw.integers(4)]
    return int(10 ** draw.uniform(0, 6)) * release


def runs(count: int, seed: int) -> Iterator[Mechanism]:
    """Seeded draws: most of them DP-SGD, some compositions, some with atoms."""
    draw = np.random.default_rng(seed)
    for _ in range(count):
        kind = draw.random()
        if kind < 0.6:
            yield sampled(draw)
        elif kind < 0.75:
            yield Composition([sampled(draw) for _ in range(draw.integers(2, 6))])
        elif kind < 0.85:
            yield Composition([sampled(draw), Gaussian(float(10 ** draw.uniform(-3, 6)))])
        else:
            yield atoms(draw)


def answered(run: Mechanism, question: str) -> dict[str, object]:
    """How one question about one run ends."""
    start = time.process_time()
    try:
        found = QUESTIONS[question](accounting.account(run))
        how = "answered"
        said = f"{found!r} by {getattr(found, 'method', '')}"
        values = [getattr(found, "value", getattr(found, "mu", found)), getattr(found, "error", 0.0)]
        if any(np.isnan(value) for value in values):
            how = "not a number"
    except GaussdpError as error:
        how, said = "refused", f"{type(error).__name__}: {error}"
    except Exception as error:
        how, said = "raised", f"{type(error).__name__}: {error}"
    seconds = time.process_time() - start
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"how": how, "said": said, "seconds": seconds, "megabytes": megabytes}


def alone(run: Mechanism, question: str) -> dict[str, object]:
    """The same in a process of its own."""
    here, there = CONTEXT.Pipe(duplex=False)

    def work() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20, MEGABYTES << 20))
        there.send(answered(run, question))

    process = CONTEXT.Process(target=work)
    process.start()
    there.close()
    try:
        if here.poll(SECONDS):
            result: dict[str, object] = here.recv()
            return result
        return {"how": "too slow", "said": f"over {SECONDS} s", "seconds": float(SECONDS), "megabytes": 0.0}
    except EOFError:
        return {"how": "died", "said": "", "seconds": 0.0, "megabytes": float(MEGABYTES)}
    finally:
        process.kill()
        process.join()


def main() -> int:
    """Print how many ended how; the exit code tells whether all were answered or refused."""
    count, seed = (int(value) for value in (sys.argv[1:] + ["100", "1"][len(sys.argv) - 1 :])[:2])
    names = list(QUESTIONS)
    ends, seconds, megabytes = Counter[str](), [], []
    for index, run in enumerate(runs(count, seed)):
        question = names[index % len(names)]
        result = alone(run, question)
        how, took, used = str(result["how"]), float(str(result["seconds"])), float(str(result["megabytes"]))
        ends[how] += 1
        seconds.append(took)
        megabytes.append(used)
        if how not in ("answered", "refused") or took > SLOW or used > LARGE:
            print(f"{question} {how}, {took:.1f} s, {used:.0f} MB: {str(result['said'])[:160]} of {run!r}", flush=True)
    figures = (f"{np.median(seconds):.2f}", f"{max(seconds):.1f}", f"{max(megabytes):.0f}")
    header = ("runs", *ends, "median s", "worst s", "worst MB")
    print_table("Corners", header, [(str(count), *map(str, ends.values()), *figures)])
    return int(bool(set(ends) - {"answered", "refused"}))


if __name__ == "__main__":
    sys.exit(main())
