"""gaussdp risk: from mu to what an attacker can achieve."""

from collections.abc import Mapping, Sequence

import click

from gaussdp.choosing.tables import risk_document, table_keys
from gaussdp.cli.options import (
    LateCommand,
    level_options,
    number,
    output_options,
    prior_option,
    show,
)
from gaussdp.guarantees import GDP
from gaussdp.risks import registered
from gaussdp.risks.levels import capital


@click.command(cls=LateCommand)
@click.option("--mu", type=number, required=True, help="The GDP parameter μ.")
@level_options(lambda level, risks: capital(level.plural), of=registered)
@prior_option
@output_options(table_keys)
def risk(
    mu: float,
    levels: Mapping[str, Sequence[float]],
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
    show(risk_document(GDP(mu), levels, prior), style, digits, only)
