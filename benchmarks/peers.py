"""What other tools say of the same runs, each held between bounds of a third: the tables of docs/comparison.md.

`python -m benchmarks.peers` writes them into that page (`make comparison`), and needs all tools; a test compares what
is installed. A tool under-reports where its number lies below dp_accounting's optimistic privacy loss distribution,
which bounds the truth from below.
"""

import logging
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dp_accounting.pld import privacy_loss_distribution
from opacus.accountants.analysis.gdp import compute_eps_poisson

from gaussdp import DPSGD, GDP, account
from gaussdp.documents import Column, Document, Rounding, Table, render

DELTA = 1e-5
GRID = 1e-5
SETTINGS = {  # records, batch, epochs, noise multiplier
    "60,000 records, batch 256, 15 epochs, noise 1.1": (60_000, 256, 15, 1.1),
    "50,000 records, batch 100, 20 epochs, noise 0.5": (50_000, 100, 20, 0.5),
    "25,000 records, batch 64, 5 epochs, noise 0.6": (25_000, 64, 5, 0.6),
    "500,000 records, batch 500, 4 epochs, noise 0.6": (500_000, 500, 4, 0.6),
}
TARGET_FPR, TARGET_TPR = 0.01, 0.05
PAGE = Path(__file__).parents[1] / "docs" / "comparison.md"
HEAD = ("| tool | run | ε it gives | no ε below | ε that holds | verdict |", "| --- | --- | --- | --- | --- | --- |")


@dataclass(frozen=True)
class Peer:
    """A tool: its name, what is asked of it, and its ε at the δ of the tables."""

    name: str
    epsilon: Callable[[DPSGD], float]


def by_limit(run: DPSGD) -> float:
    """Opacus's "gdp": the central limit theorem, taken to be reached."""
    return float(
        compute_eps_poisson(
            steps=run.steps, noise_multiplier=run.noise_multiplier, sample_rate=run.sample_rate, delta=DELTA
        )
    )


def by_gdpnum(run: DPSGD) -> float:
    """gdpnum's μ, read as the guarantee it is called."""
    from gdpnum.dpsgd import get_mu_and_regret_for_dpsgd

    mu, _ = get_mu_and_regret_for_dpsgd(run.noise_multiplier, run.sample_rate, run.steps)
    return GDP(float(mu)).epsilon(DELTA)


def ours(run: DPSGD) -> float:
    """The exact curve."""
    return account(run).epsilon(DELTA)


PEERS = (Peer("gaussdp", ours), Peer('Opacus "gdp"', by_limit), Peer("gdpnum", by_gdpnum))


@cache
def bounds(run: DPSGD) -> tuple[float, float]:
    """The ε below which no claim is true, and one that is: dp_accounting's distributions from either side."""
    logging.getLogger().setLevel(logging.ERROR)  # it warns that a lower bound needs another algorithm
    return tuple(
        float(
            privacy_loss_distribution.from_gaussian_mechanism(
                run.noise_multiplier,
                sampling_prob=run.sample_rate,
                pessimistic_estimate=pessimistic,
                value_discretization_interval=GRID,
                use_connect_dots=pessimistic,
            )
            .self_compose(run.steps)
            .get_epsilon_for_delta(DELTA)
        )
        for pessimistic in (False, True)
    )


def rows(peer: Peer) -> Iterator[tuple[str, str, float, float, float, str]]:
    """What a tool says of each run, and the verdict of the third."""
    for words, numbers in SETTINGS.items():
        run = DPSGD.from_training(*numbers)
        low, high = bounds(run)
        said = peer.epsilon(run)
        yield peer.name, words, said, low, high, verdict(said, low, high)


def verdict(said: float, low: float, high: float) -> str:
    """Whether a number under-reports, by the bounds of a third tool."""
    if said < low:
        return f"under-reports, by {int(100 * (1 - said / low))} % at least"
    return "holds" if said >= high else "between the bounds"


def table(*peers: Peer) -> str:
    """The table in Markdown."""
    columns = (
        Column("tool", "tool"),
        Column("run", "run"),
        Column("said", "ε it gives", Rounding.NEAREST, decimals=4),
        Column("low", "no ε below", Rounding.DOWN, decimals=4),
        Column("high", "ε that holds", Rounding.UP, decimals=4),
        Column("verdict", "verdict"),
    )
    found = tuple(row for peer in peers for row in rows(peer))
    document = Document.tabular("", (Table("peers", "", columns, found),))
    return "\n".join(line for line in render(document, "markdown").splitlines() if line.startswith("|"))


def riskcal_words() -> str:
    """What noise riskcal finds for a bound on an attack, and the TPR that it leaves."""
    from riskcal.calibration.dpsgd import find_noise_multiplier_for_err_rates

    run = DPSGD.from_training(50_000, 100, 20, 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        noise = find_noise_multiplier_for_err_rates(
            alpha=TARGET_FPR, beta=1 - TARGET_TPR, sample_rate=run.sample_rate, num_steps=run.steps, grid_step=1e-3
        )
    left = account(DPSGD(float(noise), run.sample_rate, run.steps)).tpr(TARGET_FPR)
    return f"riskcal: noise {noise:.6g} for TPR {TARGET_TPR} at FPR {TARGET_FPR} leaves a TPR of {left:.6f}"


def write(page: Path, calibrated: str) -> None:
    """Put the table, and the numbers of the sentence about calibration, into the page."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(rf"{re.escape(HEAD[0])}\n(\|.*\n)+", lambda _: table(*PEERS) + "\n", text)
    noise, left = re.findall(r"(?:noise|TPR of) ([\d.]+)", calibrated)
    found = f"finds a noise of {noise}, which leaves a TPR of {left}"
    page.write_text(re.sub(r"finds a noise of \S+, which leaves a TPR of \d\.\d+", found, text), encoding="utf-8")


if __name__ == "__main__":
    write(PAGE, riskcal_words())
