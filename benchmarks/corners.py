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
    RandomAllocation,
    RandomizedResponse,
    TruncatedPoisson,
    WithoutReplacement,
)

CONTEXT = multiprocessing.get_context("fork")
SECONDS, MEGABYTES = 120, 4000  # at which a run is ended
LEAST_ALLOCATED = 0.05  # noise under random allocation: the least that is allowed
LEAST_SCALE = 1e-3  # of Laplace noise, for each unit of sensitivity: about the least that is allowed
SLOW, LARGE = 2.0, 1000.0  # seconds of the processor and megabytes that are told

QUESTIONS = {
    "epsilon(1e-5)": lambda curve: curve.reading.epsilon(1e-5),
    "epsilon(1e-12)": lambda curve: curve.reading.epsilon(1e-12),
    "delta(1)": lambda curve: curve.reading.delta(1.0),
    "tpr(1e-3)": lambda curve: curve.reading.tpr(1e-3),
    "fnr(1e-9)": lambda curve: curve.reading.fnr(1e-9),
    "fit": lambda curve: curve.fit(),
    "fit(0.1).slack": lambda curve: curve.fit(0.1).slack,
}


def noise_of(draw: np.random.Generator) -> float:
    """Noise anywhere in its range, mostly below 10."""
    return float(10 ** (draw.uniform(-3, 9) if draw.random() < 0.3 else draw.uniform(-3, 1)))


def rate_of(draw: np.random.Generator) -> float:
    """A sample rate anywhere in its range, near an end as often as not."""
    kind = draw.random()
    if kind < 0.2:
        return float(10 ** draw.uniform(-100, -10))
    if kind < 0.7:
        return float(10 ** draw.uniform(-10, 0))
    return 1 - float(10 ** draw.uniform(-16, -0.5))


def many(draw: np.random.Generator, decades: float = 9) -> int:
    """A whole number from 1 to a power of ten, of any size alike."""
    return int(10 ** draw.uniform(0, decades))


def sampled(draw: np.random.Generator) -> DPSGD:
    """A run of DP-SGD anywhere in its ranges."""
    return DPSGD(noise_of(draw), rate_of(draw), many(draw))


def of_units(draw: np.random.Generator) -> DPSGD:
    """The same for units of several records."""
    return DPSGD(noise_of(draw), rate_of(draw), many(draw), records_per_unit=int(2 ** draw.uniform(1, 6)))


def exchanged(draw: np.random.Generator) -> DPSGD:
    """The same by exchange of a record."""
    return DPSGD(noise_of(draw), rate_of(draw), many(draw), "replace-one")


def batched(draw: np.random.Generator) -> Mechanism:
    """DP-SGD on batches of limited or fixed size, or with random allocation."""
    noise, size = noise_of(draw), max(2, many(draw))
    part = min(size - 1, max(1, int(size * rate_of(draw))))
    kind = draw.random()
    if kind < 0.4:
        rate = min(1.0, max(part / size * float(10 ** draw.uniform(-1, 1)), 1e-100))
        relation = "add-remove" if draw.random() < 0.5 else "replace-one"
        return TruncatedPoisson(noise, rate, many(draw), part, size, relation)
    if kind < 0.7:
        return WithoutReplacement(noise, part, size, many(draw))
    batches = many(draw, 7)
    uses = 1 if draw.random() < 0.7 else int(batches ** draw.random())
    return RandomAllocation(max(noise, LEAST_ALLOCATED), batches, many(draw, 5), uses)


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


def composed(draw: np.random.Generator) -> Mechanism:
    """Several runs of DP-SGD together, of one kind of neighbours, or one with a plain release."""
    if draw.random() < 0.4:
        return Composition([sampled(draw), Gaussian(float(10 ** draw.uniform(-3, 6)))])
    kinds = [exchanged] if draw.random() < 0.2 else [sampled, sampled, of_units]
    return Composition([kinds[draw.integers(len(kinds))](draw) for _ in range(draw.integers(2, 6))])


KINDS = (sampled, of_units, exchanged, composed, batched, atoms)


def runs(count: int, seed: int) -> Iterator[Mechanism]:
    """Seeded draws of every kind in turn, all equally often."""
    draw = np.random.default_rng(seed)
    for index in range(count):
        yield KINDS[index % len(KINDS)](draw)


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
    middle, most = np.quantile(seconds, [0.5, 0.99])
    figures = (f"{middle:.2f}", f"{most:.2f}", f"{max(seconds):.1f}", f"{max(megabytes):.0f}")
    header = ("runs", *ends, "median s", "99 % s", "worst s", "worst MB")
    print_table("Corners", header, [(str(count), *map(str, ends.values()), *figures)])
    return int(bool(set(ends) - {"answered", "refused"}))


if __name__ == "__main__":
    sys.exit(main())
