"""The flat functions on 10^6 everyday inputs, against scipy.special.ndtri and a loop of brentq."""

import math

import numpy as np
from scipy import special
from scipy.optimize import brentq

import gaussdp
from benchmarks.timing import best_seconds, print_table

ELEMENTS = 1_000_000
LOOPED = 300  # elements the brentq loop is timed on
CLOSED_FORM_LIMIT, SOLVER_LIMIT, BRENTQ_LIMIT = 10, 60, 100


def _textbook_profile(mu: float, epsilon: float) -> float:
    tail = math.exp(epsilon) * special.ndtr(-epsilon / mu - mu / 2)
    return float(special.ndtr(-epsilon / mu + mu / 2) - tail)


def main() -> None:
    """Print the table of ratios."""
    rng = np.random.default_rng(0)
    epsilon = 10 ** rng.uniform(-2, 1, ELEMENTS)
    level = 10 ** rng.uniform(-8, math.log10(0.5), ELEMENTS)
    delta = 10 ** rng.uniform(-10, -3, ELEMENTS)
    mu = 10 ** rng.uniform(-2, 1, ELEMENTS)

    calls = {
        "mu_from_multiplicative_advantage": (epsilon, level),
        "mu_from_precision": (epsilon, level),
        "delta_from_mu": (mu, epsilon),
        "fnr_from_mu": (mu, level),
        "multiplicative_advantage_from_mu": (mu, level),
        "precision_from_mu": (mu, level),
        "advantage_from_mu": (mu,),
        "mu_from_profile": (epsilon, delta),
        "epsilon_from_mu": (mu, delta),
    }
    jobs = {name: lambda n=name, a=args: getattr(gaussdp, n)(*a) for name, args in calls.items()}
    seconds = best_seconds({"ndtri": lambda: special.ndtri(level), **jobs})

    def solve_mu() -> None:
        for e, d in zip(epsilon[:LOOPED], delta[:LOOPED], strict=True):
            brentq(lambda m, e=e, d=d: _textbook_profile(m, e) - d, 1e-6, 50)

    def solve_epsilon() -> None:
        for m, d in zip(mu[:LOOPED], delta[:LOOPED], strict=True):
            if _textbook_profile(m, 0.0) > d:
                brentq(lambda e, m=m, d=d: _textbook_profile(m, e) - d, 0, 500)

    loops = best_seconds({"mu_from_profile": solve_mu, "epsilon_from_mu": solve_epsilon}, rounds=2)

    rows = []
    for name in calls:
        ratio = seconds[name] / seconds["ndtri"]
        limit = SOLVER_LIMIT if name in loops else CLOSED_FORM_LIMIT
        nanoseconds = f"{seconds[name] / ELEMENTS * 1e9:.0f}"
        speedup = ""
        if name in loops:
            factor = loops[name] / LOOPED / (seconds[name] / ELEMENTS)
            speedup = f"{factor:.0f} times faster (goal: {BRENTQ_LIMIT})"
        rows.append((name, nanoseconds, f"{ratio:.1f}", str(limit), speedup))
    each = seconds["ndtri"] / ELEMENTS * 1e9
    print_table(
        f"Flat functions on {ELEMENTS:,} random everyday inputs (ndtri: {each:.0f} ns each)",
        ("function", "ns each", "times ndtri", "goal", "against brentq"),
        rows,
    )


if __name__ == "__main__":
    main()
