"""gaussdp choose: from a policy epsilon to a budget mu."""

from collections.abc import Sequence

import click

from gaussdp.choosing.budgets import DEFAULT_DELTAS, DEFAULT_FPRS, DEFAULT_RECALLS, TABLES, Criterion, budget_document
from gaussdp.cli.options import levels, number, output_options, prior_option, rule_option, show
from gaussdp.risks import MultiplicativeAdvantage, Precision, Profile

CRITERIA = ("multiplicative-advantage", "precision", "profile")


@click.command()
@click.option("--epsilon", type=number, required=True, help="The policy: the ε of pure differential privacy.")
@click.option(
    "--criterion",
    "criteria",
    type=click.Choice(CRITERIA),
    multiple=True,
    help="Match by this criterion only (give it again for another).  [default: all three]",
)
@levels("--fpr", DEFAULT_FPRS, "False-positive rates at which to match multiplicative advantage")
@levels("--recall", DEFAULT_RECALLS, "Recalls at which to match precision")
@levels("--delta", DEFAULT_DELTAS, "Deltas at which to match the privacy profile")
@rule_option
@prior_option
@output_options(TABLES)
def choose(
    epsilon: float,
    criteria: Sequence[str],
    fpr: Sequence[float],
    recall: Sequence[float],
    delta: Sequence[float],
    divisors: Sequence[float],
    prior: float,
    style: str,
    digits: int,
    only: Sequence[str],
) -> None:
    """The GDP budget μ for a policy stated as pure-DP ε.

    Matches what the best membership attack can achieve, by three criteria and at the levels you choose; says what each
    μ allows an attacker, and whether the rules of thumb μ = ε/5 and ε/3 are conservative.

    \b
    Examples:
      gaussdp choose --epsilon 1
      gaussdp choose --epsilon 2 --criterion profile --delta 1e-6,1e-9
      gaussdp choose --epsilon 1 --table budgets --format csv
    """
    by_name: dict[str, list[Criterion]] = {
        "multiplicative-advantage": [MultiplicativeAdvantage(level) for level in fpr],
        "precision": [Precision(level, prior) for level in recall],
        "profile": [Profile(level) for level in delta],
    }
    chosen = [criterion for name in CRITERIA if not criteria or name in criteria for criterion in by_name[name]]
    show(budget_document(epsilon, chosen, divisors, prior, digits), style, digits, only)
