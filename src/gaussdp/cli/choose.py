"""gaussdp choose: from a policy epsilon to a budget mu."""

from collections.abc import Mapping, Sequence

import click

from gaussdp.choosing.budgets import TABLES, budget_document
from gaussdp.cli.options import (
    LateCommand,
    criterion_option,
    level_options,
    matching,
    number,
    output_options,
    prior_option,
    rule_option,
    show,
)
from gaussdp.risks import criteria_at


@click.command(cls=LateCommand)
@click.option("--epsilon", type=number, required=True, help="The policy: the ε of pure differential privacy.")
@criterion_option("Match by this criterion only (give it again for another).  [default: all]", multiple=True)
@level_options(matching)
@rule_option
@prior_option
@output_options(TABLES)
def choose(
    epsilon: float,
    criteria: Sequence[str],
    levels: Mapping[str, Sequence[float]],
    divisors: Sequence[float],
    prior: float,
    style: str,
    digits: int,
    only: Sequence[str],
) -> None:
    """The GDP budget μ for a policy stated as pure-DP ε.

    Matches what the best membership attack can achieve, by each criterion at the levels you choose; says what each
    μ allows an attacker, and whether the rules of thumb μ = ε/5 and ε/3 are conservative.

    \b
    Examples:
      gaussdp choose --epsilon 1
      gaussdp choose --epsilon 2 --criterion profile --delta 1e-6,1e-9
      gaussdp choose --epsilon 1 --table budgets --format csv
    """
    chosen = criteria_at(levels, [name.replace("-", "_") for name in criteria], prior)
    show(budget_document(epsilon, chosen, divisors, prior, digits), style, digits, only)
