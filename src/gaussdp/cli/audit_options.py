"""Options that the commands of audits share."""

from collections.abc import Sequence
from pathlib import Path

import click

from gaussdp.cli.guarantees import guarantee
from gaussdp.cli.options import Command, number
from gaussdp.guarantees import GDP, ApproxDP, Guarantee, PureDP


def claim_options(command: Command) -> Command:
    """--claim, and its older forms, which still work."""
    for option in (
        click.option("--claim-plan", hidden=True),
        click.option("--claim-delta", type=number, default=0.0, hidden=True),
        click.option("--claim-epsilon", type=number, hidden=True),
        click.option("--claim-mu", type=number, hidden=True),
        click.option(
            "--claim",
            "claims",
            multiple=True,
            help='Judge this claim: "mu=1", "epsilon=2 delta=1e-5", "epsilon=2", "rho=0.5", or a plan file, of which'
            " the exact curve is judged (give it again for another).",
        ),
    ):
        command = option(command)
    return command


def confidence_option(command: Command) -> Command:
    """--confidence."""
    return click.option(
        "--confidence",
        type=number,
        default=0.95,
        show_default=True,
        help="How sure the bound is, in (0, 1): it exceeds the true μ in at most the remaining share of audits.",
    )(command)


def stated_claims(
    claims: Sequence[str],
    claim_mu: float | None,
    claim_epsilon: float | None,
    claim_delta: float,
    claim_plan: str | None,
) -> list[Guarantee]:
    """The claims of all forms, in order."""
    if claim_delta and claim_epsilon is None:
        raise click.UsageError("--claim-delta needs --claim-epsilon")
    older: list[Guarantee] = [] if claim_mu is None else [GDP(claim_mu)]
    if claim_epsilon is not None:
        older.append(ApproxDP(claim_epsilon, claim_delta) if claim_delta else PureDP(claim_epsilon))
    return [*map(guarantee, claims), *older, *([guarantee(claim_plan)] if claim_plan else [])]


def picture_format(file: Path) -> str:
    """The ending of a picture's file, known to be one that is drawn; figures are loaded for whoever wants one."""
    from gaussdp.figures import format_of

    return format_of(file)
