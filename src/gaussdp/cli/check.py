"""gaussdp check: is a published number sound, loose or false for the run that it is about?"""

from collections.abc import Sequence
from pathlib import Path

import click

from gaussdp.cli.options import output_options, show, waiting
from gaussdp.guarantees.claim import Claim
from gaussdp.statements.run import Run
from gaussdp.statements.verdict import TABLES, check_claim

FALSE = 1
UNDECIDED = 3


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--claim",
    help='What was published: "epsilon=3.0 delta=1e-5", "epsilon=2", "mu=0.8", "mu=0.8 floor=1e-10" or "rho=0.5".'
    "  [default: the claim in FILE]",
)
@output_options(TABLES)
def check(file: Path, claim: str | None, style: str, digits: int, only: Sequence[str]) -> int:
    """Hold a published number against the run described in FILE, a TOML or JSON file.

    It says whether the claim is sound, loose (by how much, and what could be claimed) or false (by how much), from the
    exact curve of the mechanism, and names what usually gives such a number: mistakes, or analyses that are not tight.
    What it says could be claimed instead has been checked in the same way.

    The exit code is 0 if the claim is sound or loose, 1 if it is false, 3 if that cannot be decided, and 2 for bad
    input.

    \b
    Examples:
      gaussdp check run.toml --claim "epsilon=3.0 delta=1e-5"
      gaussdp check run.toml --claim "mu=0.8 floor=1e-10" --format json
    """
    run = Run.read(file)
    stated = Claim.parse(claim) if claim is not None else run.claim
    if stated is None:
        raise click.UsageError(f'{file.name} holds no claim; give --claim, such as --claim "epsilon=3.0 delta=1e-5"')
    with waiting("Accounting"):
        verdict = check_claim(run, stated)
    show(verdict.document(), style, digits, only)
    return 0 if verdict.holds else FALSE if verdict.status == "false" else UNDECIDED
