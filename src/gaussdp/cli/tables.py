"""gaussdp tables: the tables of the paper for any rows and columns."""

from collections.abc import Mapping, Sequence

import click

from gaussdp.choosing.tables import EPSILON, MU, Grid, grid_document, grids
from gaussdp.cli.options import LateCommand, level_options, output_options, show
from gaussdp.cli.options import levels as list_option
from gaussdp.risks import criteria

ROUNDINGS = ("nearest", "one-sided")


def _all() -> tuple[Grid, ...]:
    return grids(criteria())


@click.command(cls=LateCommand)
@list_option("--epsilon", EPSILON.usual, "Columns of the tables from ε to μ")
@list_option("--mu", MU.usual, "Columns of the tables from μ to a risk")
@level_options(lambda level, risks: f"Rows: {level.plural}")
@click.option(
    "--rounding",
    type=click.Choice(ROUNDINGS),
    default=ROUNDINGS[0],
    show_default=True,
    help="To nearest, as the paper prints; or budgets down and risks up, which never claims too much privacy.",
)
@output_options(lambda: [grid.key for grid in _all()], digits=None)
def tables(
    epsilon: Sequence[float],
    mu: Sequence[float],
    levels: Mapping[str, Sequence[float]],
    rounding: str,
    style: str,
    digits: int | None,
    only: Sequence[str],
) -> None:
    """The six tables of the paper and two on identification, for your own levels, ε and μ.

    Without options: the paper's 144 numbers, digit for digit, and those of the two.

    \b
    Examples:
      gaussdp tables
      gaussdp tables --table mu_by_profile --delta 1e-6,1e-9 --epsilon 0.5,1,3,8 --rounding one-sided
      gaussdp tables --table precision_by_mu --mu 0.3,0.6 --format latex
    """
    chosen = [grid for grid in _all() if not only or grid.key in only]
    values = {"epsilon": epsilon, "mu": mu, **levels}
    document, significant = grid_document(chosen, values, rounding == "one-sided", digits)
    show(document, style, significant, only)
