"""gaussdp choose: from what a policy asks for to a budget mu."""

from collections.abc import Mapping, Sequence

import click

from gaussdp.choosing.budgets import TABLES, budget_document
from gaussdp.choosing.requirements import CLAIMS, Policy, Requirement, notations, parse_policy
from gaussdp.cli.options import (
    LateCommand,
    criterion_option,
    late,
    level_options,
    matching,
    number,
    output_options,
    prior_option,
    rule_option,
    show,
)
from gaussdp.domains import FINITE_NON_NEGATIVE
from gaussdp.domains import number as finite
from gaussdp.guarantees import ApproxDP, Guarantee, PureDP
from gaussdp.risks import DELTA, Risk, criteria_at

_REQUIRE = "Something that must hold, in any currency (give it again for more, all hold together)"


@click.command(cls=LateCommand)
@click.option("--epsilon", type=number, help="The policy: the ε of pure DP or, with --delta, of (ε, δ)-DP.")
@click.option("--delta", type=number, help="The δ of the policy, which then is (ε, δ)-DP; μ-GDP meets it as it stands.")
@late(
    lambda: [
        click.Option(
            ["--require"], metavar="TEXT", multiple=True, help=f"{_REQUIRE}: {', '.join((*CLAIMS, *notations()))}."
        )
    ]
)
@criterion_option("Match by this criterion only (give it again for another).  [default: all]", multiple=True)
@level_options(matching, renamed={DELTA.key: "match-delta"})
@rule_option
@prior_option
@output_options(TABLES)
def choose(
    epsilon: float | None,
    delta: float | None,
    require: Sequence[str],
    criteria: Sequence[str],
    levels: Mapping[str, Sequence[float]],
    divisors: Sequence[float],
    prior: float,
    style: str,
    digits: int,
    only: Sequence[str],
) -> None:
    """The GDP budget μ for a policy, in any currency, and a recommendation.

    (ε, δ)-DP, a ρ, a μ and bounds on what an attacker achieves are met by every μ up to a largest one. Pure ε-DP,
    which Gaussian noise does not have, is matched: by each criterion at the levels you choose, the μ that lets the
    best attack achieve as much. Says what a match costs at other levels, where it is saturated and stands for nothing,
    and whether the rules of thumb μ = ε/5 and ε/3 are conservative.

    \b
    Examples:
      gaussdp choose --epsilon 1
      gaussdp choose --epsilon 3 --delta 1e-5
      gaussdp choose --epsilon 2 --criterion profile --match-delta 1e-6,1e-9
      gaussdp choose --require "identification@1/1000=1%" --require accuracy=0.55 --require rho=0.1
      gaussdp choose --epsilon 1 --table budgets --format csv
    """
    if epsilon is None and delta is not None:
        raise click.UsageError("--delta goes with --epsilon")
    policies: list[Policy] = []
    if epsilon is not None:
        finite("epsilon", epsilon, FINITE_NON_NEGATIVE)
        policies.append(ApproxDP(epsilon, delta) if delta else PureDP(epsilon))
    policies += (parse_policy(text, prior) for text in require)
    if not policies:
        raise click.UsageError("give the policy: --epsilon, with or without --delta, or --require")
    if delta and criteria and DELTA.key not in _given(levels):
        levels = {**levels, DELTA.key: (delta,)}
    chosen = criteria_at(levels, [name.replace("-", "_") for name in criteria], prior)
    asked = [Requirement(policy, _criteria(policy, chosen, bool(criteria))) for policy in policies]
    show(budget_document(asked, (), divisors, prior, digits), style, digits, only)


def _given(levels: Mapping[str, Sequence[float]]) -> set[str]:
    """The levels that are not the usual ones."""
    return {DELTA.key} if tuple(levels[DELTA.key]) != DELTA.usual else set()


def _criteria(policy: Policy, chosen: Sequence[Risk], named: bool) -> tuple[Risk, ...]:
    """By which to match: pure DP always, other guarantees where a criterion is named."""
    return tuple(chosen) if isinstance(policy, PureDP) or (named and isinstance(policy, Guarantee)) else ()
