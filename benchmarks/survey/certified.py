"""What is proved, refused or too slow on random runs: `python -m benchmarks.survey.certified FILE runs seed seconds`.

Every run is asked for delta at the epsilons where it is about 1e-3, 1e-6, 1e-12 and 1e-30, and for mu above 1e-10, each
within the seconds. One line of JSON a question goes into the file; without further arguments its table is printed.
"""

import json
import math
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from gaussdp.accounting import account
from gaussdp.accounting.certified.proved import ProvedNumber
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.mechanisms import DPSGD, Composition, Gaussian, Mechanism

DEPTHS = (1e-3, 1e-6, 1e-12, 1e-30)
FLOOR = 1e-10
GRACE = 5.0
"""Seconds beyond the limit after which a question hangs."""
KINDS = ("all", "all", "rare", "few", "mixture", "beside", "one")


def part(draw: np.random.Generator, rates: tuple[float, float], steps: tuple[float, float]) -> DPSGD:
    """A run within ranges of logarithms of rates and steps."""
    noise = float(10 ** draw.uniform(-1, 2))
    return DPSGD(noise, float(10 ** draw.uniform(*rates)), int(10 ** draw.uniform(*steps)))


def random_run(seed: int, number: int) -> tuple[str, Mechanism]:
    """One of a kind in turn."""
    draw, kind = np.random.default_rng([seed, number]), KINDS[number % len(KINDS)]
    if kind == "rare":
        return kind, part(draw, (-6, -3), (1, 6))
    if kind == "few":
        return kind, part(draw, (-6, 0), (0.4, 2))
    if kind == "one":
        return kind, part(draw, (-6, 0), (0, 0))
    if kind == "mixture":
        return kind, Composition([part(draw, (-6, 0), (0, 5)) for _ in range(int(draw.integers(2, 6)))])
    one = part(draw, (-6, 0), (0, 7))
    return kind, Composition([one, Gaussian(float(10 ** draw.uniform(-0.5, 2)))]) if kind == "beside" else one


def asked(run: Mechanism, seconds: float) -> Iterator[tuple[str, str, float, float]]:
    """Each question with its verdict, the relative width of what was proved, and its seconds."""
    curve = account(run)
    questions: list[tuple[str, Callable[[], ProvedNumber | None]]] = []
    for depth in DEPTHS:

        def delta(depth: float = depth) -> ProvedNumber | None:
            epsilon = float(curve.epsilon(depth))
            return curve.certify(None, epsilons=[epsilon], seconds=seconds).deltas[0].delta if epsilon > 0 else None

        questions.append((f"delta {depth:g}", delta))
    questions.append((f"mu {FLOOR:g}", lambda: curve.certify(FLOOR, seconds=seconds).mu))
    for name, ask in questions:
        start, width = time.perf_counter(), math.nan
        signal.setitimer(signal.ITIMER_REAL, seconds + GRACE)
        try:
            found = ask()
            verdict = "proved" if found else "epsilon is 0"
            if found:
                width = (found.upper - found.lower) / found.upper
        except TimeoutError:
            verdict = "hung"
        except ConvergenceError as error:
            verdict = "timed out" if "seconds" in str(error) else f"refused: {str(error)[:60]}"
        except DomainError as error:
            verdict = f"refused: {str(error)[:60]}"
        except Exception as error:
            verdict = f"{type(error).__name__}: {str(error)[:50]}"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        yield name, verdict, width, time.perf_counter() - start


def table(lines: list[dict[str, Any]]) -> str:
    """Verdicts by question and by kind, with medians of widths and times."""
    rows = [
        "| kind | question | asked | proved | refused | too slow | median width | widest | median s |",
        "|" + "---|" * 9,
    ]
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        if line["verdict"] != "epsilon is 0":
            for kind in (line["kind"], "~ all"):
                groups[kind, line["question"].split()[0]].append(line)
    for (kind, question), found in sorted(groups.items()):
        widths = [one["width"] for one in found if one["verdict"] == "proved"] or [math.nan]
        slow = sum(one["verdict"] in ("hung", "timed out") for one in found)
        proved = sum(one["verdict"] == "proved" for one in found)
        rows.append(
            f"| {kind} | {question} | {len(found)} | {proved} | {len(found) - proved - slow} | {slow} "
            f"| {np.median(widths):.1e} | {np.max(widths):.1e} | {np.median([one['seconds'] for one in found]):.1f} |"
        )
    reasons = Counter(one["verdict"] for one in lines if one["verdict"] not in ("proved", "epsilon is 0"))
    return "\n".join([*rows, "", *(f"- {count}: {reason}" for reason, count in reasons.most_common())])


def _hang(*_: object) -> None:
    raise TimeoutError


def main(file: str, runs: int = 0, seed: int = 22, seconds: float = 20.0) -> None:
    """Ask, and write; or print what was written."""
    path = Path(file)
    if not runs:
        print(table([json.loads(line) for line in path.read_text().splitlines()]))
        return
    signal.signal(signal.SIGALRM, _hang)
    with path.open("a") as out:
        for number in range(runs):
            kind, run = random_run(seed, number)
            for question, verdict, width, took in asked(run, seconds):
                line = {"number": number, "kind": kind, "run": str(run), "question": question, "verdict": verdict}
                out.write(json.dumps({**line, "width": width, "seconds": round(took, 2)}) + "\n")
                out.flush()


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:4]), *map(float, sys.argv[4:5]))
