"""Which audit proves most? The table of docs/audit.md: python -m benchmarks.audit_power

Each cell is the mean lower bound on mu over simulated audits at 95 % confidence, with as many members as nonmembers.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import gaussdp
from gaussdp.auditing import AUC, DKW, EqualLocalLevel, FixedThreshold, Method, Split

Sampler = Callable[[np.random.Generator, int], tuple[Any, Any]]
SIZES = {100: 300, 1000: 200, 10_000: 60}  # trials a side: repetitions
LEAST = 0.05  # a bound worth comparing
METHODS: dict[str, Method] = {
    "EqualLocalLevel": EqualLocalLevel(),
    "DKW": DKW(),
    "AUC": AUC(),
    "Split": Split(0),
}


def gaussian(mu: float) -> Sampler:
    """The attack that mu-GDP allows."""
    return lambda random, n: (random.normal(mu, 1, n), random.normal(0, 1, n))


def few_exposed(random: np.random.Generator, n: int) -> tuple[Any, Any]:
    """One member in twenty stands out by four standard deviations, the others not at all."""
    return random.normal(4.0 * (random.random(n) < 0.05), 1.0), random.normal(0, 1, n)


def laplace(random: np.random.Generator, n: int) -> tuple[Any, Any]:
    """One count with Laplace noise, epsilon = 2."""
    return random.laplace(2, 1, n), random.laplace(0, 1, n)


def ten_steps(random: np.random.Generator, n: int) -> tuple[Any, Any]:
    """A score rounded to few values: mu = 1 in steps of one half."""
    return np.round(2 * random.normal(1, 1, n)) / 2, np.round(2 * random.normal(0, 1, n)) / 2


# The sampler and the threshold that the truth would recommend.
SCENARIOS: dict[str, tuple[Sampler, float]] = {
    "Gaussian, mu = 0.5": (gaussian(0.5), 0.25),
    "Gaussian, mu = 1": (gaussian(1.0), 0.5),
    "Gaussian, mu = 2": (gaussian(2.0), 1.0),
    "Gaussian, mu = 4": (gaussian(4.0), 2.0),
    "few exposed": (few_exposed, 2.8),
    "Laplace, epsilon = 2": (laplace, 1.0),
    "mu = 1 in half steps": (ten_steps, 0.5),
}


def study(sizes: dict[int, int] | None = None) -> list[tuple[str, int, dict[str, float]]]:
    """Rows of (scenario, trials a side, mean mu_lower by method)."""
    rows = []
    for name, (sampler, threshold) in SCENARIOS.items():
        for size, repetitions in (sizes or SIZES).items():
            methods = {**METHODS, "known threshold": FixedThreshold(threshold)}
            found: dict[str, list[float]] = {method: [] for method in methods}
            random = np.random.default_rng(2026)
            for _ in range(repetitions):
                members, nonmembers = sampler(random, size)
                for label, method in methods.items():
                    found[label].append(gaussdp.audit(members, nonmembers, method=method).mu_lower)
            rows.append((name, size, {label: float(np.mean(values)) for label, values in found.items()}))
    return rows


def summary(rows: Sequence[tuple[str, int, dict[str, float]]]) -> dict[str, tuple[float, float]]:
    """For each method the mean and the least share of the best method's bound, over rows where something is proved."""
    shares: dict[str, list[float]] = {method: [] for method in METHODS}
    for _, _, means in rows:
        best = max(means[method] for method in METHODS)
        if best < LEAST:
            continue
        for method in METHODS:
            shares[method].append(means[method] / best)
    return {method: (float(np.mean(values)), min(values)) for method, values in shares.items()}


def main() -> None:
    """Print the study as Markdown."""
    rows = study()
    labels = list(rows[0][2])
    print("| scores | trials a side | " + " | ".join(labels) + " |")
    print("|---|---|" + "---|" * len(labels))
    for name, size, means in rows:
        cells = [f"{means[label]:.3f}" for label in labels]
        print(f"| {name} | {size} | " + " | ".join(cells) + " |")
    shares = summary(rows)
    for title, place in (("mean share of the best", 0), ("least share of the best", 1)):
        print(f"| **{title}** | | " + " | ".join(f"{shares[method][place]:.2f}" for method in METHODS) + " | |")


if __name__ == "__main__":
    main()
