"""gaussdp tables: the six tables of the paper for any rows and columns."""

from collections.abc import Sequence

import click

from gaussdp.choosing.grids import DELTA, EPSILON, FPR, GRIDS, KEYS, MU, RECALL, grid_document
from gaussdp.cli.options import levels, output_options, show

ROUNDINGS = ("nearest", "one-sided")


@click.command()
@levels("--epsilon", EPSILON.usual, "Columns of the tables from ε to μ")
@levels("--mu", MU.usual, "Columns of the tables from μ to a risk")
@levels("--fpr", FPR.usual, "Rows: false-positive rates")
@levels("--recall", RECALL.usual, "Rows: recalls (true-positive rates)")
@levels("--delta", DELTA.usual, "Rows: deltas")
@click.option(
    "--rounding",
    type=click.Choice(ROUNDINGS),
    default=ROUNDINGS[0],
    show_default=True,
    help="To nearest, as the paper prints; or budgets down and risks up, which never claims too much privacy.",
)
@output_options(KEYS, digits=None)
def tables(
    epsilon: Sequence[float],
    mu: Sequence[float],
    fpr: Sequence[float],
    recall: Sequence[float],
    delta: Sequence[float],
    rounding: str,
    style: str,
    digits: int | None,
    only: Sequence[str],
) -> None:
    """The six tables of the paper, for your own levels, ε and μ.

    Without options: the paper's 144 numbers, digit for digit.

    \b
    Examples:
      gaussdp tables
      gaussdp tables --table mu_by_profile --delta 1e-6,1e-9 --epsilon 0.5,1,3,8 --rounding one-sided
      gaussdp tables --table precision_by_mu --mu 0.3,0.6 --format latex
    """
    chosen = [grid for grid in GRIDS if not only or grid.key in only]
    values = {"epsilon": epsilon, "mu": mu, "fpr": fpr, "recall": recall, "delta": delta}
    document, significant = grid_document(chosen, values, rounding == "one-sided", digits)
    show(document, style, significant, only)
