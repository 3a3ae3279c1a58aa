"""gaussdp rules: where the rules of thumb mu = epsilon / k are conservative."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from gaussdp.choosing.rule_tables import DEFAULT_RANGE, TABLES, rule_document
from gaussdp.cli.options import (
    LateCommand,
    OutputFile,
    folder_option,
    level_options,
    matching,
    numbers,
    output_options,
    rule_option,
    show,
)
from gaussdp.documents.files import check_folder, write_file, write_files
from gaussdp.documents.rendering import document_files
from gaussdp.errors import DomainError
from gaussdp.figures import FORMATS, format_of
from gaussdp.figures.maps import render_rule_map, rule_map
from gaussdp.risks import criteria_at


@click.command(cls=LateCommand)
@rule_option
@click.option(
    "--epsilon-range",
    type=numbers,
    default=DEFAULT_RANGE,
    metavar="LOW,HIGH",
    help="The policies ε for which one k is to serve.  [default: 0.1,10]",
)
@level_options(matching)
@click.option(
    "--plot",
    "plots",
    type=OutputFile(),
    multiple=True,
    help="Draw the map of μ/ε too, into this .svg, .pdf or .png (give it again for another).",
)
@folder_option(
    "--out", words="Write the tables in every format and the map as SVG, PDF and PNG into this directory instead."
)
@output_options(TABLES)
def rules(
    divisors: Sequence[float],
    epsilon_range: Sequence[float],
    levels: Mapping[str, Sequence[float]],
    plots: Sequence[Path],
    out: Path | None,
    overwrite: bool,
    style: str,
    digits: int,
    only: Sequence[str],
) -> None:
    """Where the rules of thumb μ = ε/k are conservative, and the best single k.

    A rule is conservative where it spends at most the budget that the criterion matches. By criterion and level: the
    policies ε for which each rule is; the smallest k that is over a whole range; and what follows for the paper's
    advice of ε/5 and ε/3.

    \b
    Examples:
      gaussdp rules
      gaussdp rules --rule 6 --epsilon-range 0.5,4 --delta 1e-6,1e-9 --plot map.pdf
      gaussdp rules --table divisors --format csv
    """
    if len(epsilon_range) != 2:
        raise DomainError(None, problem="--epsilon-range takes two numbers, LOW,HIGH", got=f"{len(epsilon_range)}")
    low, high = epsilon_range
    endings = [format_of(path) for path in plots]
    if out:
        check_folder(out, ["rules.txt"], overwrite)
    document = rule_document(criteria_at(levels), divisors, (low, high), digits)
    if plots or out:
        chart = rule_map((low, high), divisors=divisors)
    for path, ending in zip(plots, endings, strict=True):
        write_file(path, render_rule_map(chart, ending)[ending])
    if out:
        pictures = {f"rules.{ending}": content for ending, content in render_rule_map(chart, *FORMATS).items()}
        files = {**document_files("rules", document, digits, "text", "markdown", "csv", "latex"), **pictures}
        write_files(out, files, overwrite=overwrite)
        click.echo(f"Rules of thumb: tables and map in {out}")
    else:
        show(document, style, digits, only)
