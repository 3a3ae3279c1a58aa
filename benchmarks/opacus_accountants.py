"""By how much Opacus's "gdp" accountant under-reports: the table of docs/integrations/opacus.md."""

import warnings
from collections.abc import Iterator

from opacus.accountants import IAccountant, create_accountant
from opacus.accountants.analysis.gdp import compute_mu_poisson

import gaussdp.integrations.opacus  # noqa: F401  registers "gaussdp"
from gaussdp import DPSGD
from gaussdp.documents import Column, Document, Rounding, Table, render

DELTA = 1e-5
SETTINGS = [  # records, batch, epochs, noise multiplier
    (60_000, 256, 15, 1.1),
    (60_000, 64, 10, 1.0),
    (50_000, 512, 20, 1.0),
    (50_000, 4096, 100, 3.0),
    (50_000, 100, 20, 0.5),
    (25_000, 64, 5, 0.6),
    (200_000, 1024, 10, 0.7),
    (500_000, 500, 4, 0.6),
]
COLUMNS = (
    Column("records", "records", decimals=0),
    Column("batch", "batch"),
    Column("epochs", "epochs"),
    Column("noise_multiplier", "noise multiplier"),
    Column("epsilon_gdp", 'ε by "gdp"', Rounding.NEAREST, decimals=2),
    Column("epsilon_prv", 'ε by "prv"', Rounding.UP, decimals=2),
    Column("epsilon", 'ε by "gaussdp"', Rounding.UP, decimals=2),
    Column("epsilon_missing", '"gdp" leaves out', decimals=None),
    Column("mu_gdp", 'μ by "gdp"', Rounding.NEAREST, decimals=3),
    Column("mu", 'μ by "gaussdp"', Rounding.UP, decimals=3),
    Column("mu_missing", '"gdp" leaves out', decimals=None),
)


def accountant(name: str, mechanism: DPSGD) -> IAccountant:
    """An accountant of Opacus that has seen all steps of a run."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "GDP accounting is experimental")
        created = create_accountant(name)
    created.history = [(mechanism.noise_multiplier, mechanism.sample_rate, mechanism.steps)]
    return created


def rows() -> Iterator[tuple[float | str, ...]]:
    """Each setting with what the accountants say."""
    for records, batch, epochs, noise in SETTINGS:
        run = DPSGD.from_training(records, batch, epochs, noise)
        by_name = {name: float(accountant(name, run).get_epsilon(DELTA)) for name in ("gdp", "prv", "gaussdp")}
        limit = float(
            compute_mu_poisson(steps=run.steps, noise_multiplier=run.noise_multiplier, sample_rate=run.sample_rate)
        )
        mu = accountant("gaussdp", run).mu()
        yield (
            float(records),
            float(batch),
            float(epochs),
            noise,
            by_name["gdp"],
            by_name["prv"],
            by_name["gaussdp"],
            share_missing(by_name["gdp"], by_name["gaussdp"]),
            limit,
            mu,
            share_missing(limit, mu),
        )


def share_missing(reported: float, true: float) -> str:
    """How much of the truth is not reported, in whole percent, rounded down."""
    return f"{int(100 * (1 - reported / true))} %"


def table() -> str:
    """The table in Markdown."""
    document = Document.tabular("", (Table("accountants", "", COLUMNS, tuple(rows())),))
    return "\n".join(line for line in render(document, "markdown").splitlines() if line.startswith("|"))


if __name__ == "__main__":
    print(table())
