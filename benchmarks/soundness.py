"""Random runs of DP-SGD, accounted for by every method there is: do any two of them contradict each other?

python -m benchmarks.soundness [settings] [seed]
"""

import sys
import time
from dataclasses import dataclass, field

import numpy as np
from rich.progress import track

from benchmarks.timing import print_table
from gaussdp.accounting import account
from gaussdp.accounting.density.tails import DensityTails
from gaussdp.accounting.distribution.pld import LossDistribution
from gaussdp.accounting.lines.tails import LineTails
from gaussdp.accounting.loss.steps import SampledGaussianLoss
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.guarantees import GDP
from gaussdp.mechanisms import DPSGD

SHARES = np.array([0.5, 0.1, 1e-2, 1e-4, 1e-7])  # of delta(0), at which profiles are compared
LEVELS = np.log(np.array([0.2, 1e-3, 1e-6, 1e-12, 1e-24, 1e-60, 1e-100]))
FIELDS = ("log_fpr", "log_tnr", "log_fnr", "log_tpr", "log_delta_remove", "log_delta_add")
ROUNDING = 1e-9
LARGEST_EPSILON = 700.0  # past which dp_accounting's profiles overflow


@dataclass
class Findings:
    """What was compared, what was contradicted, and how far apart things were at the most."""

    compared: int = 0
    worst: float = 0.0
    contradicted: list[str] = field(default_factory=list)

    def add(self, name: str, ratios: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
        """Ratios of a difference to what is allowed: above 1 is a contradiction."""
        self.compared += ratios.size
        self.worst = max(self.worst, float(ratios.max(initial=0.0)))
        if ratios.size and not ratios.max() <= 1:
            self.contradicted.append(f"{name}: {ratios.max():.3g} times what is allowed")


def main() -> int:
    """Print the findings; the exit code tells whether there was a contradiction."""
    count, seed = (int(value) for value in (sys.argv[1:] + ["100", "1"][len(sys.argv) - 1 :])[:2])
    findings = {name: Findings() for name in ("brackets", "fits", "methods")}
    seconds, fallbacks, fell = [], 0, []
    for run in track(list(settings(count, seed)), description=f"{count} settings"):
        start = time.perf_counter()
        curve = account(run)
        epsilon = curve.epsilon(SHARES * curve.delta(0.0))
        ours = curve.delta(epsilon)
        try:
            fit = curve.fit()
        except DomainError:  # no attack above the floor
            fit = None
        seconds.append(time.perf_counter() - start)
        if curve.fell_back:
            fallbacks += 1
            fell.append(str(run))
            continue
        parts = list(run.parts())
        lower, upper = (LossDistribution(parts, pessimistic=side) for side in (False, True))
        order = np.argsort(epsilon)
        order = order[epsilon[order] < LARGEST_EPSILON]
        below, above = (bound.delta(epsilon[order]) for bound in (lower, upper))
        findings["brackets"].add(str(run), below * (1 - ROUNDING) / ours[order])
        findings["brackets"].add(str(run), ours[order] * (1 - ROUNDING) / above)
        if fit is not None:
            grid = np.linspace(0.0, min(float(epsilon.max()), LARGEST_EPSILON), 60)
            claimed = fit.slack + (1 - fit.slack) * GDP(fit.mu).delta(grid)
            findings["fits"].add(str(run), lower.delta(grid) * (1 - ROUNDING) / np.maximum(claimed, 1e-300))
        compare_methods(run, findings["methods"])
    print_table(
        f"{count} random runs (seed {seed}); a ratio above 1 is a contradiction",
        ("what", "compared", "largest ratio", "contradictions"),
        [
            (title, f"{found.compared:,}", f"{found.worst:.6f}", str(len(found.contradicted)))
            for title, found in (
                ("delta within dp_accounting's brackets", findings["brackets"]),
                ("mu against dp_accounting's lower bounds", findings["fits"]),
                ("lines against densities, over their claimed errors", findings["methods"]),
            )
        ],
    )
    contradictions = [text for found in findings.values() for text in found.contradicted]
    print("\n".join(contradictions))
    print(
        f"\nProfile and fit took {np.median(seconds):.2g} s in the median, {max(seconds):.2g} s at the most;"
        f" {fallbacks} of {count} came from a distribution {' '.join(fell)}"
    )
    return 1 if contradictions else 0


def settings(count: int, seed: int) -> list[DPSGD]:
    """From a few steps to a hundred thousand, from large sample rates to tiny ones."""
    draw = np.random.default_rng(seed)
    return [
        DPSGD(
            noise_multiplier=float(np.exp(draw.uniform(np.log(0.4), np.log(20)))),
            sample_rate=float(10 ** draw.uniform(-5, -0.1)),
            steps=int(10 ** draw.uniform(0.3, 4)),
        )
        for _ in range(count)
    ]


def compare_methods(run: DPSGD, findings: Findings) -> None:
    """Where lines and the density both answer, their difference over the sum of their claimed errors."""
    ((part, count),) = run.parts()
    steps = [(SampledGaussianLoss(part.mechanism.noise_multiplier, part.sample_rate), count)]
    lines, density = LineTails(0.0, steps), DensityTails(0.0, steps)
    rest = np.log1p(-np.exp(LEVELS))
    for level, other in zip(LEVELS, rest, strict=True):
        for ask in ("at_fpr", "at_fnr"):
            try:
                with np.errstate(all="ignore"):
                    tau = getattr(density, ask)(np.array([level]), np.array([other])).tau
                    if tau[0] - density.lowest < 1e-6 * abs(density.lowest):
                        continue  # where a threshold has few digits
                    got, expected = lines.read(tau), density.read(tau)
            except ConvergenceError:
                continue
            apart = np.array([abs(getattr(got, name) - getattr(expected, name))[0] for name in FIELDS])
            findings.add(f"{run} at {ask} {np.exp(level):g}", apart / (got.errors + expected.errors))


if __name__ == "__main__":
    sys.exit(main())
