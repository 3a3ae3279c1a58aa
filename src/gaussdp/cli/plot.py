"""gaussdp plot: any figure of the paper for any mu, epsilon and levels."""

from collections.abc import Sequence
from pathlib import Path

import click

from gaussdp.cli.options import numbers
from gaussdp.report.figures import FIGURES, Figure, figure, format_of, render

DATA = ".dat"


@click.command()
@click.argument("name", metavar="FIGURE", type=click.Choice(list(FIGURES)))
@click.option("--mu", type=numbers, metavar="N,N,...", help="The μ of the curve, or of each curve.")
@click.option("--epsilon", type=numbers, metavar="N", help="Where the axis of ε ends, for the figures from ε to μ.")
@click.option(
    "--fpr", type=numbers, metavar="N,N,...", help="False-positive rates: the curves of fig1b, the arrow of fig1a."
)
@click.option("--recall", type=numbers, metavar="N,N,...", help="Recalls: the curves of fig2b.")
@click.option("--delta", type=numbers, metavar="N,N,...", help="Deltas: the curves of fig3b.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    multiple=True,
    help="File to write, by its ending .svg, .pdf, .png, or .dat for the points alone (give it again for another)."
    "  [default: FIGURE.svg]",
)
def plot(name: str, out: Sequence[Path], **given: Sequence[float] | None) -> None:
    """A figure of the paper, for your own μ, ε and levels.

    \b
    Figures:
      fig1a  TPR by FPR, with multiplicative advantage at one FPR   --mu, --fpr
      fig1b  μ by ε, matched on multiplicative advantage            --fpr, --epsilon
      fig2a  precision by recall                                    --mu
      fig2b  μ by ε, matched on precision                           --recall, --epsilon
      fig3a  privacy profile                                        --mu
      fig3b  μ by ε, matched on the privacy profile                 --delta, --epsilon
      fig4a  multiplicative advantage by FPR, one curve a μ         --mu
      fig5a  precision by recall, one curve a μ                     --mu
      fig6a  privacy profiles, one curve a μ                        --mu

    \b
    Examples:
      gaussdp plot fig1b --fpr 1e-6,1e-4 --epsilon 8 --out budgets.pdf
      gaussdp plot fig4a --mu 0.3,0.6,1.2 --out risk.svg --out risk.png
    """
    paths = list(out) or [Path(f"{name}.svg")]
    for path in paths:
        if path.suffix != DATA:
            format_of(path)
    chart = figure(name, **_parameters(name, {key: values for key, values in given.items() if values is not None}))
    for path in paths:
        path.write_bytes(_content(chart, path))
        click.echo(f"{chart.title}: {path}")


def _parameters(name: str, given: dict[str, Sequence[float]]) -> dict[str, float | Sequence[float]]:
    entry = FIGURES[name]
    for key, values in given.items():
        if key not in entry.takes:
            takes = " and ".join(f"--{parameter}" for parameter in entry.takes)
            raise click.UsageError(f"{name} takes {takes}, not --{key}")
        if key in entry.one and len(values) != 1:
            raise click.UsageError(f"{name} takes one value of --{key}, got {len(values)}")
    return {key: values[0] if key in entry.one else values for key, values in given.items()}


def _content(chart: Figure, path: Path) -> bytes:
    if path.suffix == DATA:
        return chart.data_text().encode()
    ending = format_of(path)
    return render(chart, ending)[ending]
