"""Do the error claims of fast readings hold? Random runs, each read fast and enclosed by proof: how many claims fail.

python -m benchmarks.survey FILE [kind [runs [seed [seconds a run]]]]   compares, and adds a line to the file a run
python -m benchmarks.survey FILE                                        prints the table of what the file holds
python -m benchmarks.survey FILE docs/certified.md                      writes it there, between its two marks

Runs that the file already has are not repeated. The kinds are those of `runs.py`.
"""

import json
import math
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from fractions import Fraction
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from benchmarks.survey.claims import BOUNDED, Judged, judged_bounds, judged_points, judged_readings, methods_of
from benchmarks.survey.runs import KINDS, Draw, random_run
from gaussdp import account
from gaussdp.accounting.certified.balls import exactly
from gaussdp.accounting.certified.loss import ComposedLoss
from gaussdp.accounting.certified.prover import Prover
from gaussdp.accounting.certified.steps import Part
from gaussdp.accounting.readings import Method
from gaussdp.errors import DomainError, GaussdpError
from gaussdp.mechanisms import Mechanism

PLACES = 5  # of a run at which a line is proved: each serves several thresholds
THRESHOLDS = 4
SPREAD = 1.5  # deviations from the place within which they lie
DEEPEST = 100.0  # digits of the smallest rate
DISTRIBUTION_SHARE = 0.1  # of runs that are read off a distribution too, which takes long
MU_SHARE = 0.15  # ... whose mu is proved
FLOOR_DIGITS = (3.0, 12.0)
DEFAULTS = ("20", "0", "30")  # runs, seed, and seconds a run
MARKS = "<!-- survey -->", "<!-- /survey -->"


class _TooLongError(Exception):
    """It took longer than it may."""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def ring(number: int, frame: FrameType | None) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, max(seconds, 0.01))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _places(draw: Draw, prover: Prover, places: int) -> Iterator[tuple[float, bool]]:
    """Thresholds of random depth, and whether the line there is for removing a record."""
    for _ in range(places):
        remove = draw.random() < 0.5
        kind = str(draw.choice(["fpr", "remove"] if remove else ["fnr", "add"]))
        depth = draw.uniform(0.3, DEEPEST) ** draw.uniform(0.2, 1)
        with np.errstate(all="ignore"):
            place = prover.steering.near(kind, -math.log(10) * depth)
            tilt = prover.steering.saddle(place, 1 if remove else -1)
            deviation = math.sqrt(prover.steering.cumulants(tilt)[2])
        for shift in (0.0, *draw.uniform(-SPREAD, SPREAD, THRESHOLDS - 1)):
            yield place + deviation * float(shift), remove


@dataclass(frozen=True)
class _OfDoubles(Part):
    """A step whose noise and rate are doubles, as fast readings take them, and not what is written."""

    def sigma(self) -> Any:
        return exactly(Fraction(self.noise_multiplier))

    def rate(self) -> Any:
        return exactly(Fraction(self.sample_rate))


def _of_doubles(loss: ComposedLoss) -> ComposedLoss:
    parts = (_OfDoubles(part.noise_multiplier, part.sample_rate, part.count) for part in loss.parts)
    return replace(loss, parts=tuple(parts))


def compared(run: Mechanism, draw: Draw, seconds: float, places: int = PLACES) -> Iterator[Judged | str]:
    """All that is claimed about one run near some places, and reasons for what could not be compared."""
    curve, prover = account(run), Prover(_of_doubles(ComposedLoss.of(run)), lambda words: None)
    methods = methods_of(curve, prover)
    pessimistic = draw.random() < DISTRIBUTION_SHARE
    until = time.process_time() + seconds
    refused = 0
    for threshold, remove in _places(draw, prover, places):
        if time.process_time() > until:
            yield "the run took too long"
            continue
        try:
            with _limited(until - time.process_time()), np.errstate(all="ignore"):
                point = prover.point(threshold, 1 if remove else -1)
        except (
            _TooLongError,
            SystemError,
            GaussdpError,
        ) as error:  # integrals of balls turn what ends them into the second
            yield "no proof" if isinstance(error, GaussdpError) else "the proof took too long"
            refused += 1
            if refused >= THRESHOLDS:
                return
            continue
        try:
            with _limited(seconds), np.errstate(all="ignore"):
                yield from judged_points(methods, point, remove=remove)
                yield from judged_readings(curve, prover, point, remove=remove)
                if methods.keys() != {"closed form"} and remove and threshold > 0:
                    opposite = prover.point(-threshold, -1)
                    for name in ("enclosure", "distribution")[: 1 + pessimistic]:
                        yield from judged_bounds(curve, name, point, opposite)
        except (_TooLongError, SystemError):
            yield "the fast reading took too long"
        except GaussdpError as error:
            yield f"refused: {type(error).__name__}"
    if draw.random() < MU_SHARE:
        yield from _judged_mu(curve, run, float(10 ** -draw.uniform(*FLOOR_DIGITS)), seconds)


def _judged_mu(curve: Any, run: Mechanism, floor: float, seconds: float) -> Iterator[Judged | str]:
    try:
        with _limited(seconds):
            fit, proved = curve.fit(floor), curve.certify(floor).mu
    except _TooLongError:
        yield "the proof of mu took too long"
    except GaussdpError:
        yield "no proof of mu"
    else:
        outside = max(fit.mu_lower - proved.upper, proved.lower - fit.mu_upper, 0.0)
        width = fit.mu_upper - fit.mu_lower
        method = BOUNDED if fit.method == Method.LINE and fit.error_kind == "bound" else str(fit.method)
        yield Judged(method, "mu", floor, 0.0 if outside == 0 else 1 + outside / width if width else math.inf)


def survey(file: Path, kind: str, runs: int, seed: int, seconds: float) -> None:
    """Compare runs that the file does not have yet."""
    done = {(record["kind"], record["seed"], record["number"]) for record in _records(file)}
    with file.open("a") as out:
        for number in range(runs):
            if (kind, seed, number) in done:
                continue
            run, draw = random_run(kind, seed, number)
            began = time.process_time()
            skipped: Counter[str] = Counter()
            found: list[Judged] = []
            try:
                for one in compared(run, draw, seconds):
                    if isinstance(one, str):
                        skipped[one] += 1
                    else:
                        found.append(one)
            except (GaussdpError, _TooLongError, SystemError) as error:
                skipped[f"refused: {type(error).__name__}"] += 1
            for one in found:
                if one.share > 1:
                    print(f"exceeded {one.share:.3g}: {run!r} {one}", flush=True)
            record = {
                "kind": kind,
                "seed": seed,
                "number": number,
                "run": repr(run),
                "seconds": round(time.process_time() - began, 2),
                "skipped": skipped,
                "readings": [astuple(one) for one in found],
            }
            out.write(json.dumps(record) + "\n")
            out.flush()


def _records(file: Path) -> Iterator[dict[str, Any]]:
    if file.exists():
        with file.open() as lines:
            yield from map(json.loads, lines)


def table(records: Iterable[dict[str, Any]]) -> str:
    """By method and claim how many were compared and exceeded, and how close the closest came; what was skipped."""
    shares: dict[tuple[str, str], list[float]] = defaultdict(list)
    skipped: Counter[str] = Counter()
    runs: Counter[str] = Counter()
    for record in records:
        runs[record["kind"]] += 1
        skipped.update(record["skipped"])
        for method, claim, _, share in record["readings"]:
            shares[method, claim].append(share)
    total = [share for many in shares.values() for share in many]
    rows = ["| method | claim | readings | exceeded | worst share |", "|---|---|---|---|---|"]
    for (method, claim), many in sorted(shares.items()):
        worst = max(many)
        rows.append(f"| {method} | {claim} | {len(many)} | {sum(share > 1 for share in many)} | {worst:.2g} |")
    rows.append(f"| all | | {len(total)} | {sum(share > 1 for share in total)} | {max(total, default=0.0):.2g} |")
    rows += ["", f"Runs: {', '.join(f'{count} {kind}' for kind, count in sorted(runs.items()))}. Not compared:", ""]
    rows += [f"- {reason}: {count}" for reason, count in sorted(skipped.items())]
    return "\n".join(rows)


def write_table(records: Iterable[dict[str, Any]], page: Path) -> None:
    """Put the table between the two marks of a page."""
    before, rest = page.read_text().split(MARKS[0])
    page.write_text(f"{before}{MARKS[0]}\n{table(records)}\n{MARKS[1]}{rest.split(MARKS[1])[1]}")


def main() -> None:
    """Compare, or tell what was compared."""
    names, rest = sys.argv[1:2], sys.argv[2:]
    if not names or (rest and rest[0] not in KINDS and not rest[0].endswith(".md")):
        raise DomainError("kind", f"one of {', '.join(KINDS)}, after a file", sys.argv[1:])
    chosen = Path(names[0])
    if rest and rest[0].endswith(".md"):
        write_table(_records(chosen), Path(rest[0]))
        return
    if rest:
        runs, seed, seconds = (int(value) for value in [*rest[1:4], *DEFAULTS[len(rest) - 1 :]])
        survey(chosen, rest[0], runs, seed, seconds)
    print(table(_records(chosen)))


if __name__ == "__main__":
    main()
