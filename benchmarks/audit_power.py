"""What do audits prove, and at what price? The tables of docs/audit.md, written anew by

    python -m benchmarks.audit_power --write

It takes some ten minutes of one core. Everything is seeded. Columns of jax-privacy need it (pip install jax-privacy)
and are left out without.
"""

import argparse
import importlib
import runpy
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track

import gaussdp
from gaussdp.auditing import AUC, DKW, Credible, EqualLocalLevel, FixedThreshold, Method, ScoreCounts, Split
from gaussdp.auditing.methods import quantile_sum, rate_upper

Sampler = Callable[[np.random.Generator, int, int], tuple[Any, Any]]
Row = tuple[str, ...]

ROOT = Path(__file__).parents[1]
SIZES = {50: 200, 100: 200, 1000: 200, 10_000: 100, 100_000: 12}  # trials a side: audits
EPSILON_SIZES = {100: 200, 1000: 200, 10_000: 50}
ONE_RUN_SIZES = {100: 100, 1000: 40, 10_000: 12}  # canaries: runs
CONFIDENCE, DELTA = 0.95, 1e-5
CREDIBLE = 16  # audits with the credible bound, whose quadrature takes a hundred times as long
TRAINED = 40  # audits of trained models
LEAST = 0.05  # a bound worth comparing
METHODS: dict[str, Method] = {
    "EqualLocalLevel": EqualLocalLevel(),
    "DKW": DKW(),
    "AUC": AUC(),
    "Split": Split(0),
}
HINDSIGHT, ERROR = "hindsight", "±"


def gaussian(mu: float) -> Sampler:
    """The attack that mu-GDP allows."""
    return lambda random, ins, outs: (random.normal(mu, 1, ins), random.normal(0, 1, outs))


def few_exposed(random: np.random.Generator, ins: int, outs: int) -> tuple[Any, Any]:
    """One member in twenty stands out by four standard deviations, the others not at all."""
    return random.normal(4.0 * (random.random(ins) < 0.05), 1.0), random.normal(0, 1, outs)


def laplace(random: np.random.Generator, ins: int, outs: int) -> tuple[Any, Any]:
    """One count with Laplace noise, epsilon = 2."""
    return random.laplace(2, 1, ins), random.laplace(0, 1, outs)


def half_steps(random: np.random.Generator, ins: int, outs: int) -> tuple[Any, Any]:
    """A score rounded to few values: mu = 1 in steps of one half."""
    return np.round(2 * random.normal(1, 1, ins)) / 2, np.round(2 * random.normal(0, 1, outs)) / 2


def trained(random: np.random.Generator, ins: int, outs: int) -> tuple[Any, Any]:
    """Real scores: models of examples/audit_training.py whose norms differ, mu = 1, each trained for its score."""
    example = runpy.run_path(str(ROOT / "examples" / "audit_training.py"))
    trainer = example["Trainer"](clipping_norm=2.0)
    sides = ((ins, True), (outs, False))
    ins_, outs_ = ([example["scored"](trainer, random, with_canary=side) for _ in range(n)] for n, side in sides)
    return np.array(ins_), np.array(outs_)


# The sampler, the true mu, and the threshold that the truth would recommend.
SCENARIOS: dict[str, tuple[Sampler, float, float]] = {
    "Gaussian, mu = 0.5": (gaussian(0.5), 0.5, 0.25),
    "Gaussian, mu = 1": (gaussian(1.0), 1.0, 0.5),
    "Gaussian, mu = 2": (gaussian(2.0), 2.0, 1.0),
    "Gaussian, mu = 4": (gaussian(4.0), 4.0, 2.0),
    "few exposed": (few_exposed, np.inf, 2.8),
    "Laplace, epsilon = 2": (laplace, gaussdp.PureDP(2.0).implied().mu, 1.0),
    "mu = 1 in half steps": (half_steps, 1.0, 0.5),
    "trained models, mu = 1": (trained, 1.0, 1.0),
}
LARGEST = {"trained models, mu = 1": 1000}  # trials a side
UNEQUAL = ("Gaussian, mu = 1", "few exposed")
"""Also with one member to nine nonmembers, and the reverse."""


def watched(words: str, repetitions: int) -> Iterable[int]:
    """The numbers of the repetitions, with a bar on standard error for whoever looks on."""
    console = Console(stderr=True)
    return track(range(repetitions), words, console=console, transient=True, disable=not console.is_terminal)


def told(found: Mapping[str, Sequence[float]]) -> Row:
    """How many audits there were, the mean of each method, and the largest standard error of a mean."""
    errors = [np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0 for values in found.values()]
    most = max(map(len, found.values()))
    return f"{most:,}", *(f"{np.mean(values):.3f}" for values in found.values()), f"{max(errors):.3f}"


def hindsight(members: Any, nonmembers: Any) -> float:
    """The bound at the threshold that is best on these scores, as if it had been fixed: no valid bound."""
    counts, tail = ScoreCounts.from_scores(members, nonmembers), (1 - CONFIDENCE) / 2
    fpr = rate_upper(counts.false_positives, counts.nonmember_total, tail)
    fnr = rate_upper(counts.false_negatives, counts.member_total, tail)
    return float(quantile_sum(fpr, fnr).max())


def questions(sizes: dict[int, int], names: Sequence[str]) -> Iterator[tuple[str, int, int, int]]:
    """Scenario, members, nonmembers and repetitions."""
    for name in names:
        for size, repetitions in sizes.items():
            if size <= LARGEST.get(name, size):
                yield name, size, size, min(repetitions, TRAINED) if name in LARGEST else repetitions
                if name in UNEQUAL and size >= 1000:
                    yield name, size // 5, 9 * size // 5, repetitions
                    yield name, 9 * size // 5, size // 5, repetitions


def study(
    sizes: dict[int, int] | None = None, names: Sequence[str] = tuple(SCENARIOS)
) -> list[tuple[str, int, int, dict[str, list[float]]]]:
    """Scenario, members, nonmembers and the bounds of each method in all repetitions."""
    rows = []
    for name, ins, outs, repetitions in questions(sizes or SIZES, names):
        sampler, _, threshold = SCENARIOS[name]
        methods = {**METHODS, "known threshold": FixedThreshold(threshold), "Credible": Credible(threshold)}
        found: dict[str, list[float]] = {method: [] for method in (*methods, HINDSIGHT)}
        random = np.random.default_rng(2026)
        for repetition in watched(f"{name}, {ins:,} and {outs:,}", repetitions):
            members, nonmembers = sampler(random, ins, outs)
            for label, method in methods.items():
                if isinstance(method, Credible) and repetition >= CREDIBLE:
                    continue
                found[label].append(
                    gaussdp.audit(members=members, nonmembers=nonmembers, confidence=CONFIDENCE, method=method).mu_lower
                )
            found[HINDSIGHT].append(hindsight(members, nonmembers))
        rows.append((name, ins, outs, found))
    return rows


def summary(rows: Sequence[tuple[str, int, int, dict[str, list[float]]]]) -> dict[str, dict[str, float]]:
    """For each method its shares of the best valid one and of hindsight, and how often it claimed too much."""
    found: dict[str, dict[str, list[float]]] = {}
    for name, _, _, bounds in rows:
        means = {label: float(np.mean(values)) for label, values in bounds.items()}
        best = max(means[method] for method in METHODS)
        for label, values in bounds.items():
            kept = found.setdefault(label, {"best": [], HINDSIGHT: [], "failed": [], "audits": []})
            kept["failed"].append(int(np.sum(np.array(values) > SCENARIOS[name][1] * (1 + 1e-12))))
            kept["audits"].append(len(values))
            if best >= LEAST:
                kept["best"].append(means[label] / best)
                kept[HINDSIGHT].append(means[label] / means[HINDSIGHT])
    return {
        label: {
            "mean share of the best": float(np.mean(kept["best"])),
            "least share of the best": min(kept["best"]),
            "mean share of hindsight": float(np.mean(kept[HINDSIGHT])),
            "share of bounds above the truth": sum(kept["failed"]) / sum(kept["audits"]),
            "largest such share of a row": max(np.array(kept["failed"]) / kept["audits"]),
        }
        for label, kept in found.items()
    }


def trials_table(sizes: dict[int, int] | None = None) -> Iterator[Row]:
    """The means of the study, and its summary."""
    rows = study(sizes)
    labels = list(rows[0][3])
    yield "scores", "members", "nonmembers", "audits", *labels, ERROR
    for name, ins, outs, bounds in rows:
        yield name, f"{ins:,}", f"{outs:,}", *told(bounds)
    shares = summary(rows)
    for title in next(iter(shares.values())):
        yield f"**{title}**", "", "", "", *(f"{shares[label][title]:.2f}" for label in labels), ""


def peer() -> Any:
    """jax-privacy's auditing module, or None."""
    try:
        return importlib.import_module("jax_privacy.auditing")
    except ImportError:
        return None


def epsilon_table(sizes: dict[int, int] | None = None) -> Iterator[Row]:
    """Epsilon at DELTA refuted by independent trials: ours without going through mu, and jax-privacy's."""
    tool = peer()
    labels = "gaussdp", *(("jax-privacy, Bonferroni", "jax-privacy, split") if tool else ())
    yield "scores", "trials a side", "audits", *labels, ERROR
    for name in ("Gaussian, mu = 1", "Gaussian, mu = 4", "few exposed", "mu = 1 in half steps"):
        for size, repetitions in (sizes or EPSILON_SIZES).items():
            random, found = np.random.default_rng(2026), []
            for _ in watched(f"{name}, {size:,}", repetitions):
                ins, outs = SCENARIOS[name][0](random, size, size)
                row = [gaussdp.audit(members=ins, nonmembers=outs, confidence=CONFIDENCE).epsilon_lower(DELTA)]
                if tool:
                    auditor = tool.CanaryScoreAuditor(ins, outs)
                    row += [
                        auditor.epsilon_clopper_pearson(1 - CONFIDENCE, DELTA, threshold_strategy=strategy)
                        for strategy in (tool.Bonferroni(), tool.Split(seed=0))
                    ]
                found.append(row)
            yield name, f"{size:,}", *told(dict(zip(labels, zip(*found, strict=True), strict=True)))


def one_run_table(sizes: dict[int, int] | None = None) -> Iterator[Row]:
    """Epsilon at DELTA from the canaries of one run."""
    tool = peer()
    labels = (
        *("gaussdp, Gaussian curve", "the same, a fifth guessed", "gaussdp, any mechanism"),
        *(("jax-privacy f-DP", "its split", "jax-privacy, Steinke et al.") if tool else ()),
    )
    yield "scores", "canaries", "runs", *labels, ERROR
    for name in ("Gaussian, mu = 1", "Gaussian, mu = 2", "Gaussian, mu = 4", "few exposed"):
        for size, repetitions in (sizes or ONE_RUN_SIZES).items():
            random, found = np.random.default_rng(2026), []
            for _ in watched(f"{name}, one run with {size:,}", repetitions):
                inside = int(random.binomial(size, 0.5))
                ins, outs = SCENARIOS[name][0](random, inside, size - inside)
                ours = gaussdp.audit(members=ins, nonmembers=outs, confidence=CONFIDENCE, design="one-run")
                fifth = gaussdp.audit(
                    members=ins, nonmembers=outs, confidence=CONFIDENCE, design="one-run", guesses=size // 5
                )
                row = [ours.guarantee.epsilon(DELTA), fifth.guarantee.epsilon(DELTA), ours.epsilon_lower(DELTA)]
                if tool:
                    auditor = tool.CanaryScoreAuditor(ins, outs)
                    row += [
                        auditor.epsilon_one_run_fdp(1 - CONFIDENCE, DELTA),
                        auditor.epsilon_one_run_fdp(1 - CONFIDENCE, DELTA, threshold_strategy=tool.Split(seed=0)),
                        auditor.epsilon_one_run(1 - CONFIDENCE, DELTA),
                    ]
                found.append(row)
            yield name, f"{size:,}", *told(dict(zip(labels, zip(*found, strict=True), strict=True)))


def sequential_table(repetitions: int = 200) -> Iterator[Row]:
    """Pairs until a claim is refuted, beside what is planned and what fixed designs take, with power 0.9."""
    found = "audits", "median", "mean", ERROR, "nine in ten"
    yield "truth", "claim", *found, "planned mean", "planned 0.9", "known threshold", "default"
    for mu, claim in ((1.0, 0.5), (0.5, 0.0), (2.0, 1.0), (1.0, 0.75), (4.0, 1.0), (4.0, 3.0)):
        plan = gaussdp.plan_audit(mu, claim)
        assert plan.sequential
        assert plan.fixed_threshold
        assert plan.equal_local_level
        random, ends = np.random.default_rng(2026), []
        most = 3 * plan.sequential.pairs
        for _ in watched(f"truth {mu:g}, claim {claim:g}", repetitions if most < 1000 else repetitions // 4):
            audit = gaussdp.SequentialAudit(claim, CONFIDENCE)
            while not audit.contradicted and audit.pairs < most:
                audit.update(members=random.normal(mu, 1, 10), nonmembers=random.normal(0, 1, 10))
            refuted = audit.trail.mu_lower >= claim if claim else audit.trail.evidence >= 20
            ends.append(1 + int(np.argmax(refuted)) if audit.contradicted else most)
        error = np.std(ends, ddof=1) / np.sqrt(len(ends))
        shown = (len(ends), np.median(ends), np.mean(ends), error, np.quantile(ends, 0.9))
        planned = (plan.sequential.expected, plan.sequential.pairs)
        fixed = (plan.fixed_threshold.trials, plan.equal_local_level.trials)
        yield f"{mu:g}", f"{claim:g}", *(f"{value:.0f}" for value in (*shown, *planned, *fixed))


def alarms_table(repetitions: int = 400, pairs: int = 200) -> Iterator[Row]:
    """How often a true claim is contradicted at any of so many looks, one after every pair."""
    yield "scores on the claimed curve", "audits", "looks each", "contradicted", ERROR
    exact = {"Gaussian": gaussian(0.5), "Gaussian in half steps": lambda r, i, o: _rounded(gaussian(0.5)(r, i, o))}
    for name, sampler in {**exact, "two values": _two_values}.items():
        random = np.random.default_rng(2026)
        alarms = 0
        for _ in watched(f"true claim, {name}", repetitions):
            audit = gaussdp.SequentialAudit(0.5, CONFIDENCE)
            members, nonmembers = sampler(random, pairs, pairs)
            audit.update(members=members, nonmembers=nonmembers)
            alarms += bool(audit.trail.evidence.max() >= 20)
        share = alarms / repetitions
        error = np.sqrt(share * (1 - share) / repetitions)
        yield name, f"{repetitions:,}", f"{pairs:,}", f"{100 * share:.1f} %", f"{100 * error:.1f} %"


def _rounded(sides: tuple[Any, Any]) -> tuple[Any, Any]:
    return np.round(2 * sides[0]) / 2, np.round(2 * sides[1]) / 2


def _two_values(random: np.random.Generator, ins: int, outs: int) -> tuple[Any, Any]:
    """A bit that is right as often as 0.5-GDP allows."""
    right = (1 + gaussdp.GDP(0.5).delta(0.0)) / 2
    return 1.0 * (random.random(ins) < right), 1.0 * (random.random(outs) >= right)


TABLES: dict[str, Callable[[], Iterator[Row]]] = {
    "trials": trials_table,
    "epsilon": epsilon_table,
    "one-run": one_run_table,
    "sequential": sequential_table,
    "alarms": alarms_table,
}


def markdown(rows: Iterator[Row]) -> str:
    """The rows as a table; the first is the header."""
    header, *rest = rows
    lines = [header, ["---"] * len(header), *rest]
    return "\n".join(f"| {' | '.join(line)} |".replace("| --- ", "|---").replace("--- |", "---|") for line in lines)


def written(text: str, name: str, table: str) -> str:
    """The text with the table between the marks of this name."""
    start, end = f"<!-- audit_power: {name} -->", "<!-- end -->"
    before, _, rest = text.partition(start)
    _, _, after = rest.partition(end)
    return f"{before}{start}\n\n{table}\n\n{end}{after}"


def main() -> None:
    """Print the tables, or write them into docs/audit.md."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true", help="into docs/audit.md, instead of printing")
    parser.add_argument("tables", nargs="*", default=[], help=f"of {', '.join(TABLES)}; all if none is named")
    chosen = parser.parse_args()
    page = ROOT / "docs" / "audit.md"
    for name in chosen.tables or TABLES:
        start = time.perf_counter()
        table = markdown(TABLES[name]())
        print(f"{name}: {time.perf_counter() - start:.0f} s\n\n{table}\n", flush=True)
        if chosen.write:
            page.write_text(written(page.read_text(encoding="utf-8"), name, table), encoding="utf-8")


if __name__ == "__main__":
    main()
