"""gaussdp deployments: published deployments, and where a mu stands among them."""

from collections.abc import Sequence
from pathlib import Path

import click

from gaussdp.cli.options import OutputFile, number, output_options, show
from gaussdp.documents.files import write_file
from gaussdp.figures import format_of
from gaussdp.figures.deployed import render_deployments
from gaussdp.published import TABLES, deployment_document, read_registry
from gaussdp.published import deployments as catalogue


@click.command()
@click.option("--mu", type=number, help="Your μ, to compare with theirs.")
@click.option(
    "--plot",
    type=OutputFile(),
    help='Draw them on one axis into this file (.svg, .pdf, .png); needs pip install "gaussdp[plot]".',
)
@click.option(
    "--import",
    "imported",
    type=click.Path(path_type=Path),
    multiple=True,
    help="Take in this file of OpenDP's Deployments Registry, or all of this folder; give it again for more. YAML needs"
    ' pip install "gaussdp[registry]".',
)
@click.option("--only-imported", is_flag=True, help="Leave out the catalogue.")
@click.option("--per-year", is_flag=True, help="Give each μ for a year: what is spent anew each day or month adds up.")
@output_options(TABLES)
def deployments(
    mu: float | None,
    plot: Path | None,
    imported: Sequence[Path],
    only_imported: bool,
    per_year: bool,
    style: str,
    digits: int,
    only: Sequence[str],
) -> None:
    """Published deployments of differential privacy, and where your μ stands among them.

    Each comes with its unit of privacy, its setting, what its number covers, its source, and the basis of its μ: exact
    for Gaussian noise, implied for pure DP, none for a bare (ε, δ).

    \b
    Examples:
      gaussdp deployments
      gaussdp deployments --mu 0.8 --table deployments
      gaussdp deployments --mu 0.8 --plot deployments.svg
      gaussdp deployments --mu 3 --per-year
      gaussdp deployments --import entry.yaml
      gaussdp deployments --format json
    """
    if only_imported and not imported:
        raise click.UsageError("--only-imported goes with --import")
    taken = tuple(use for path in imported for use in read_registry(path))
    uses = taken if only_imported else (*catalogue(), *taken)
    document = deployment_document(mu, uses, digits=digits, per_year=per_year)
    if plot is not None:
        ending = format_of(plot)
        write_file(plot, render_deployments(ending, mu=mu, uses=uses, per_year=per_year)[ending])
    show(document, style, digits, only)
