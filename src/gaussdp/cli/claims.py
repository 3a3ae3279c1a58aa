"""Claims, guarantees and points as the command line writes them, one notation everywhere, and the options of audits."""

from collections.abc import Sequence
from pathlib import Path

import click

from gaussdp.cli.options import Command, number
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP, ApproxDP, Guarantee, PureDP
from gaussdp.guarantees.claim import Claim

_NAME_ENDS = ": "


def guarantee(text: str) -> Guarantee:
    """A claim, "mu=0.8", "epsilon=1 delta=1e-5", "rho=0.5", or a run file or plan, whose exact curve it is.

    Raises:
        DomainError: if the run was not as its account assumes, so that the curve is not its own.
    """
    if "=" in text:
        return Claim.parse(text).guarantee
    from gaussdp.accounting import account  # takes a while to load, and few claims are files
    from gaussdp.cli.runs import described, mechanism_of
    from gaussdp.statements.assumptions import broken_words
    from gaussdp.statements.run import Run

    file = Path(text)
    found = described(file)
    curve = account(mechanism_of(found, file.name))
    for words in broken_words(found, curve) if isinstance(found, Run) else ():
        raise DomainError(None, problem=words.rstrip("."), place=file.name)
    return curve


def named_guarantee(text: str) -> tuple[str, Guarantee]:
    """A name, empty if none is given but that of a file, and a guarantee: "ours: epsilon=1 delta=1e-5", "plan.toml"."""
    name, ends, rest = text.partition(_NAME_ENDS)
    name, written = (name.strip(), rest.strip()) if ends else ("", text.strip())
    return name or ("" if "=" in written else Path(written).stem), guarantee(written)


def named_point(text: str) -> tuple[str, tuple[float, float]]:
    """A name and the rates of an attack: "our attack: 0.01,0.03" has an FPR of 0.01 and a TPR of 0.03."""
    name, ends, rates = text.rpartition(_NAME_ENDS)
    try:
        fpr, tpr = (float(part) for part in rates.split(","))
    except ValueError:
        raise click.BadParameter(f"a point is NAME: FPR,TPR, such as 'our attack: 0.01,0.03', got {text!r}") from None
    if not ends or not name.strip():
        raise click.BadParameter(f"a point needs a name, such as 'our attack: 0.01,0.03', got {text!r}")
    return name.strip(), (fpr, tpr)


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
            help='Judge this claim: "mu=1", "epsilon=2 delta=1e-5", "epsilon=2", "rho=0.5", or a run file or'
            " plan, of which the exact curve is judged (give it again for another).",
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
