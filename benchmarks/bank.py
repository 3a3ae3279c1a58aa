"""Did any answer change? A bank of runs and questions is answered once, and later answered again and compared.

python -m benchmarks.bank FILE [runs [seed]]   answers the questions about runs that the file does not have yet
python -m benchmarks.bank FILE again           answers all of them again; prints what contradicts or lost its exactness

Each run has a process of its own with a limit on time and memory. Two answers contradict each other if the intervals
that they claim do not meet. The exit code of the second form tells whether any did, or was lost.
"""

import json
import math
import multiprocessing
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import corners
from benchmarks.survey.runs import KINDS as TYPICAL
from benchmarks.timing import print_table
from gaussdp import accounting
from gaussdp.errors import GaussdpError
from gaussdp.mechanisms import (
    DPSGD,
    BestOf,
    Composition,
    DiscreteGaussian,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    MatrixMechanism,
    Mechanism,
    MixtureOfGaussians,
    Participation,
    RandomizedResponse,
    Toeplitz,
    ZCDPGaussian,
)

SECONDS, MEGABYTES = 120, 4000
"""Of the processor and of memory, at which a run is ended, with all its questions."""
PROCESSES = 2
DEFAULTS = ("720", "2026")
TINY = 1e-290
"""Below this, doubles have fewer digits than an answer claims: two such answers agree."""

Draw = np.random.Generator


def _interval(reading: Any) -> tuple[float, float, str]:
    value, error = float(reading.value), float(reading.error)
    if not error < math.inf:
        return (-math.inf, math.inf, str(reading.method))
    return value - error * abs(value), value + error * abs(value), str(reading.method)


def _fitted(fit: Any) -> tuple[float, float, str]:
    return float(fit.mu_lower), float(fit.mu_upper), str(fit.method)


QUESTIONS: dict[str, Callable[[Any], tuple[float, float, str]]] = {
    "epsilon(1e-5)": lambda curve: _interval(curve.reading.epsilon(1e-5)),
    "epsilon(1e-12)": lambda curve: _interval(curve.reading.epsilon(1e-12)),
    "delta(1)": lambda curve: _interval(curve.reading.delta(1.0)),
    "tpr(1e-3)": lambda curve: _interval(curve.reading.tpr(1e-3)),
    "fnr(1e-9)": lambda curve: _interval(curve.reading.fnr(1e-9)),
    "fit()": lambda curve: _fitted(curve.fit()),
    "fit(1e-5)": lambda curve: _fitted(curve.fit(1e-5)),
}


def _matrix(draw: Draw) -> Mechanism:
    size = int(draw.integers(2, 9))
    times = int(draw.integers(1, 1 + size // 2))
    strategy = Toeplitz([1.0, *sorted(draw.uniform(0, 1, int(draw.integers(0, size - 1))), reverse=True)], size)
    return MatrixMechanism(float(10 ** draw.uniform(-0.5, 1)), strategy, Participation(times, max(1, size // times)))


def _mixture(draw: Draw) -> Mechanism:
    sizes = sorted(draw.uniform(0, 3, int(draw.integers(2, 5))))
    if draw.random() < 0.7:
        sizes[0] = 0.0
    weights = draw.dirichlet(np.ones(len(sizes)))
    weights[-1] = 1 - sum(map(float, weights[:-1]))
    step = MixtureOfGaussians(
        float(10 ** draw.uniform(-0.2, 1.2)), tuple(map(float, sizes)), tuple(map(float, weights))
    )
    return int(10 ** draw.uniform(0, 4)) * step


def _selection(draw: Draw) -> Mechanism:
    release = (
        ExponentialMechanism(float(10 ** draw.uniform(-2, 0.5))),
        BestOf(Gaussian(float(10 ** draw.uniform(0, 1))), float(10 ** draw.uniform(0, 2))),
        RandomizedResponse(float(10 ** draw.uniform(-1, 1))),
        Laplace(float(10 ** draw.uniform(0, 3))),
        DiscreteGaussian(float(10 ** draw.uniform(0, 1))),
        ZCDPGaussian(float(10 ** draw.uniform(-3, 0.5))),
    )[draw.integers(6)]
    return release if isinstance(release, BestOf) else int(10 ** draw.uniform(0, 2)) * release


def _usual_units(draw: Draw) -> Mechanism:
    noise, rate = float(10 ** draw.uniform(-0.2, 1.2)), float(10 ** draw.uniform(-3, -0.5))
    return DPSGD(noise, rate, int(10 ** draw.uniform(1, 4)), records_per_unit=int(draw.integers(2, 9)))


def _usual_exchange(draw: Draw) -> Mechanism:
    noise, rate = float(10 ** draw.uniform(-0.2, 1.2)), float(10 ** draw.uniform(-4, -0.5))
    return DPSGD(noise, rate, int(10 ** draw.uniform(0, 5)), "replace-one")


def _schedule(draw: Draw) -> Mechanism:
    rate = float(10 ** draw.uniform(-3, -1))
    parts = [DPSGD(float(noise), rate, int(10 ** draw.uniform(0, 3))) for noise in draw.uniform(0.6, 3, 4)]
    return Composition([*parts, Gaussian(float(10 ** draw.uniform(0, 1.5)))])


KINDS: dict[str, Callable[[Draw], Mechanism]] = {
    **TYPICAL,
    **{f"corner {kind.__name__}": kind for kind in corners.KINDS},
    "matrix": _matrix,
    "mixture": _mixture,
    "selection": _selection,
    "units": _usual_units,
    "exchange": _usual_exchange,
    "schedule": _schedule,
}


def run_of(seed: int, number: int) -> tuple[str, Mechanism]:
    """The run of a number: kinds take turns, and each run depends on seed and number alone."""
    kind = list(KINDS)[number % len(KINDS)]
    return kind, KINDS[kind](np.random.default_rng([seed, number]))


def answers(run: Mechanism) -> Iterator[dict[str, Any]]:
    """How each question ends, asked of one curve in turn."""
    for question, ask in QUESTIONS.items():
        began = time.process_time()
        found: dict[str, Any] = {"question": question}
        try:
            found["low"], found["high"], found["method"] = ask(accounting.account(run))
        except GaussdpError as error:
            found["refused"] = f"{type(error).__name__}: {error}"[:200]
        except Exception as error:
            found["raised"] = f"{type(error).__name__}: {error}"[:200]
        found["seconds"] = round(time.process_time() - began, 4)
        yield found


def answered_alone(seed: int, number: int) -> list[dict[str, Any]]:
    """The same in a process of its own; a question that it did not come to was too slow or took too much memory."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    kind, run = run_of(seed, number)
    about = {"seed": seed, "number": number, "kind": kind, "run": repr(run)[:300]}

    def work() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20, MEGABYTES << 20))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        for one in answers(run):
            there.send(one)

    process = context.Process(target=work)
    process.start()
    there.close()
    found: list[dict[str, Any]] = []
    try:
        while len(found) < len(QUESTIONS):
            found.append(about | here.recv())
    except EOFError:
        pass
    finally:
        process.kill()
        process.join()
        here.close()
    missing = list(QUESTIONS)[len(found) :]
    return found + [about | {"question": question, "raised": "no answer", "seconds": SECONDS} for question in missing]


def records(file: Path) -> list[dict[str, Any]]:
    """What the file holds, a record an answer."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def fill(file: Path, runs: int, seed: int) -> None:
    """Answer what the file does not have yet."""
    done = {(record["seed"], record["number"]) for record in records(file)}
    wanted = [number for number in range(runs) if (seed, number) not in done]
    with file.open("a") as out, ThreadPoolExecutor(PROCESSES) as pool:
        for found in pool.map(lambda number: answered_alone(seed, number), wanted):
            out.writelines(json.dumps(one) + "\n" for one in found)
            out.flush()


EXACT = {"CLOSED_FORM", "VANISHING", "LINE", "DENSITY"}


def verdict(before: dict[str, Any], now: dict[str, Any]) -> str:
    """How two answers to one question compare."""
    if "low" not in before:
        return "answered now" if "low" in now else "no answer, as before"
    if "low" not in now:
        return "LOST"
    apart = max(before["low"] - now["high"], now["low"] - before["high"])
    if apart > TINY and not math.isclose(before["low"], now["high"], rel_tol=1e-15):
        return "CONTRADICTION"
    if exact(before) and not exact(now):
        return "NO LONGER EXACT"
    return "same bits" if all(before[key] == now[key] for key in ("low", "high")) else "agrees"


def exact(record: dict[str, Any]) -> bool:
    """Whether the answer is the mechanism's own number, and not a bound on it."""
    return str(record["method"]).rpartition(".")[2].upper().replace(" ", "_") in EXACT


def again(file: Path) -> int:
    """Answer all questions again, and tell how they compare."""
    before = {(one["seed"], one["number"], one["question"]): one for one in records(file)}
    runs = sorted({key[:2] for key in before})
    verdicts, seconds, earlier = Counter[str](), [], []
    with ThreadPoolExecutor(PROCESSES) as pool:
        for found in pool.map(lambda key: answered_alone(*key), runs):
            for now in found:
                old = before[now["seed"], now["number"], now["question"]]
                how = verdict(old, now)
                verdicts[how] += 1
                seconds.append(now["seconds"])
                earlier.append(old["seconds"])
                if how.isupper():
                    print(f"{how}: {now['question']} of {now['run']}\n  before {old}\n  now    {now}", flush=True)
    print_table("Answers", ("verdict", "questions"), [(how, str(count)) for how, count in verdicts.most_common()])
    rows = [
        (name, *(f"{1e3 * x:.1f}" for x in (np.median(times), np.quantile(times, 0.95), max(times), sum(times))))
        for name, times in (("before", earlier), ("now", seconds))
    ]
    print_table("Milliseconds of the processor", ("", "median", "95 %", "worst", "sum"), rows)
    return int(any(how.isupper() for how in verdicts))


def main() -> int:
    """Fill the bank, or ask again."""
    file, rest = Path(sys.argv[1]), sys.argv[2:]
    if rest == ["again"]:
        return again(file)
    runs, seed = (int(value) for value in [*rest, *DEFAULTS[len(rest) :]])
    fill(file, runs, seed)
    print(Counter("answered" if "low" in one else "refused" if "refused" in one else "raised" for one in records(file)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
