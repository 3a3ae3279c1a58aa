"""gaussdp explain: what a mu means, in words and odds."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from gaussdp.cli.options import OutputFile, WholeRange, levels, number, show, style_option, whole
from gaussdp.documents.files import write_file
from gaussdp.documents.rounding import MOST_DIGITS
from gaussdp.explaining import explain as explained
from gaussdp.explaining.explanation import (
    DEFAULT_DELTAS,
    DEFAULT_FPRS,
    DEFAULT_GROUPS,
    DEFAULT_RECALLS,
    DEFAULT_RELEASES,
)
from gaussdp.figures import format_of


def _counts(text: str | Sequence[int]) -> tuple[int, ...]:
    """Whole numbers between commas; a default comes as numbers already."""
    return tuple(whole(part) for part in text.split(",")) if isinstance(text, str) else tuple(text)


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.option("--mu", type=number, help="The GDP parameter μ, instead of FILE.")
@click.option(
    "--prior",
    type=number,
    default=0.5,
    show_default=True,
    help="Share of members among the people in question; even odds are always told too.",
)
@levels("--fpr", DEFAULT_FPRS, "False-positive rates: how many nonmembers may be accused")
@levels("--recall", DEFAULT_RECALLS, "Recalls: which share of the members is to be found")
@levels("--delta", DEFAULT_DELTAS, "Deltas, for the ε of the privacy profile")
@click.option(
    "--group",
    type=_counts,
    default=DEFAULT_GROUPS,
    metavar="N,N,...",
    help=f"Sizes of groups of people, between commas. [default: {','.join(map(str, DEFAULT_GROUPS))}]",
)
@click.option(
    "--releases",
    type=_counts,
    default=DEFAULT_RELEASES,
    metavar="N,N,...",
    help=f"Numbers of releases, between commas. [default: {','.join(map(str, DEFAULT_RELEASES))}]",
)
@click.option(
    "--plot",
    type=OutputFile(),
    help='Draw the icon arrays into this file (.svg, .pdf, .png); needs pip install "gaussdp[plot]".',
)
@click.option(
    "--digits",
    type=WholeRange(1, MOST_DIGITS),
    default=4,
    show_default=True,
    help="Significant digits in the tables, rounded to the side of less privacy.",
)
@style_option("How to print; html is a page that needs nothing else.")
def explain(
    file: Path | None,
    mu: float | None,
    prior: float,
    fpr: Sequence[float],
    recall: Sequence[float],
    delta: Sequence[float],
    group: Sequence[int],
    releases: Sequence[int],
    plot: Path | None,
    digits: int,
    style: str,
) -> None:
    """What μ, or a run file, means in words and odds, for people who are no cryptographers.

    FILE is a run or plan file, TOML or JSON, or a CSV file with points of a curve. It is explained by its own curve.

    \b
    Examples:
      gaussdp explain --mu 0.8
      gaussdp explain run.toml
      gaussdp explain --mu 0.8 --prior 0.01
      gaussdp explain --mu 0.8 --group 4 --releases 12,52 --format html > meaning.html
      gaussdp explain --mu 0.8 --plot icons.svg
    """
    if (file is None) == (mu is None):
        raise click.UsageError("give either --mu or a FILE")
    subject = mu if mu is not None else _described(file)
    explanation = explained(subject, prior=prior, fpr=fpr, recall=recall, delta=delta, group=group, releases=releases)
    if plot is not None:
        write_file(plot, explanation.figure(format_of(plot)))
    show(explanation.document(), style, digits)


def _described(file: Path | None) -> Any:
    """What a file describes: a run, a composition, or a curve by its points."""
    from gaussdp.cli.runs import described
    from gaussdp.guarantees import read_points

    path = file or Path()
    return read_points(path) if path.suffix.lower() in (".csv", ".tsv") else described(path)
