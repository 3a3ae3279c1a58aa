"""gaussdp risk: from mu to what an attacker can achieve."""

from collections.abc import Sequence

import click

from gaussdp.choosing.budgets import DEFAULT_DELTAS, DEFAULT_FPRS, DEFAULT_RECALLS
from gaussdp.choosing.risk_levels import TABLES, risk_document
from gaussdp.cli.options import levels, number, output_options, prior_option, show
from gaussdp.guarantees import GDP


@click.command()
@click.option("--mu", type=number, required=True, help="The GDP parameter μ.")
@levels("--fpr", DEFAULT_FPRS, "False-positive rates")
@levels("--recall", DEFAULT_RECALLS, "Recalls (true-positive rates)")
@levels("--delta", DEFAULT_DELTAS, "Deltas")
@prior_option
@output_options(TABLES)
def risk(
    mu: float,
    fpr: Sequence[float],
    recall: Sequence[float],
    delta: Sequence[float],
    prior: float,
    style: str,
    digits: int,
    only: Sequence[str],
) -> None:
    """What a μ-GDP release lets the best membership attacker achieve.

    \b
    Examples:
      gaussdp risk --mu 0.31
      gaussdp risk --mu 1 --fpr 1e-4 --prior 0.01
      gaussdp risk --mu 0.5 --table delta --delta 1e-5,1e-9 --format json
    """
    show(risk_document(GDP(mu), fpr, recall, delta, prior), style, digits, only)
