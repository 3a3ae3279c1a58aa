"""gaussdp plot: trade-off curves, and any figure of the paper for any mu, epsilon and levels."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import click

from gaussdp.cli.claims import named_guarantee, named_point
from gaussdp.cli.options import OutputFile, numbers
from gaussdp.documents.files import write_file
from gaussdp.figures import FIGURES, Figure, figure, format_of, render
from gaussdp.figures.tradeoffs import DEFAULT_FPRS, TradeoffPlot, comparison_figure, tradeoff_figure
from gaussdp.guarantees import GDP, Guarantee

DATA = ".dat"
CURVES = {"tradeoff": ("mu", "guarantee", "fpr"), "comparison": ("mu", "guarantee", "point")}


class Chart(Protocol):
    """What can be written as points."""

    def data_text(self) -> str:
        """The points."""


@click.command()
@click.argument("name", metavar="FIGURE", type=click.Choice([*CURVES, *FIGURES]))
@click.option("--mu", type=numbers, metavar="N,N,...", help="The μ of the curve, or of each curve.")
@click.option(
    "--guarantee",
    multiple=True,
    metavar="TEXT",
    help='A curve: "mu=0.8", "epsilon=1", "epsilon=1 delta=1e-5", "rho=0.5", or a run file or plan to account for; '
    'with a name for the legend, "ours: run.toml" (give it again for another).',
)
@click.option(
    "--point", multiple=True, metavar="TEXT", help='An attack to mark: "our attack: 0.01,0.03", its FPR and TPR.'
)
@click.option("--epsilon", type=numbers, metavar="N", help="Where the axis of ε ends, for the figures from ε to μ.")
@click.option(
    "--fpr",
    type=numbers,
    metavar="N,N,...",
    help="False-positive rates: the named attacks of tradeoff, the curves of fig1b, the arrow of fig1a.",
)
@click.option("--recall", type=numbers, metavar="N,N,...", help="Recalls: the curves of fig2b.")
@click.option("--delta", type=numbers, metavar="N,N,...", help="Deltas: the curves of fig3b.")
@click.option(
    "--out",
    type=OutputFile(),
    multiple=True,
    help="File to write, by its ending .svg, .pdf, .png, or .dat for the points alone (give it again for another)."
    "  [default: FIGURE.svg]",
)
def plot(name: str, out: Sequence[Path], **given: Sequence[float] | Sequence[str] | None) -> None:
    """Trade-off curves, or a figure of the paper for your own μ, ε and levels.

    \b
    Figures:
      tradeoff    a guarantee, its points named   --mu or --guarantee, --fpr
      comparison  up to eight guarantees          --mu, --guarantee, --point
      fig1a  TPR by FPR, and its ratio at one     --mu, --fpr
      fig1b  μ by ε, by multiplicative advantage  --fpr, --epsilon
      fig2a  precision by recall                  --mu
      fig2b  μ by ε, by precision                 --recall, --epsilon
      fig3a  privacy profile                      --mu
      fig3b  μ by ε, by the privacy profile       --delta, --epsilon
      fig4a  multiplicative advantage by FPR      --mu, one curve each
      fig5a  precision by recall                  --mu, one curve each
      fig6a  privacy profiles                     --mu, one curve each

    \b
    Examples:
      gaussdp plot tradeoff --mu 0.8 --out curve.pdf
      gaussdp plot comparison --mu 0.8 --guarantee epsilon=2 --guarantee "ours: plan.toml" --point "attack: 0.01,0.03"
      gaussdp plot fig1b --fpr 1e-6,1e-4 --epsilon 8 --out budgets.pdf
      gaussdp plot fig4a --mu 0.3,0.6,1.2 --out risk.svg --out risk.png
    """
    paths = list(out) or [Path(f"{name}.svg")]
    for path in paths:
        if path.suffix != DATA:
            format_of(path)
    chosen = {key: values for key, values in given.items() if values}
    if name in CURVES:
        plotted = _curves(name, chosen)
        for path in paths:
            write_file(path, _points(plotted) if path.suffix == DATA else plotted.render(format_of(path)))
            click.echo(f"Trade-off {'curves' if name == 'comparison' else 'curve'}: {path}")
        return
    chart = figure(name, **_parameters(name, chosen))
    for path in paths:
        write_file(path, _content(chart, path))
        click.echo(f"{chart.title}: {path}")


def _curves(name: str, given: dict[str, Sequence[float] | Sequence[str]]) -> TradeoffPlot:
    _refuse_others(name, CURVES[name], given)
    mus = [GDP(float(mu)) for mu in given.get("mu", ())]
    named: list[tuple[str, Guarantee]] = [(guarantee.legend, guarantee) for guarantee in mus]
    for text in given.get("guarantee", ()):
        words, guarantee = named_guarantee(str(text))
        named.append((words or guarantee.legend, guarantee))
    if not named:
        raise click.UsageError(f"{name} takes --mu or --guarantee")
    twice = next((words for i, (words, _) in enumerate(named) if words in dict(named[:i])), None)
    if twice is not None:
        raise click.UsageError(f"two curves are named {twice!r}; give another name, as in --guarantee 'ours: mu=0.8'")
    if name == "comparison":
        return comparison_figure(dict(named), points=dict(named_point(str(text)) for text in given.get("point", ())))
    if len(named) != 1:
        raise click.UsageError(f"tradeoff takes one guarantee, got {len(named)}; comparison takes several")
    words, guarantee = named[0]
    return tradeoff_figure(guarantee, fpr=[float(level) for level in given.get("fpr", DEFAULT_FPRS)], name=words)


def _refuse_others(name: str, takes: Sequence[str], given: dict[str, Sequence[float] | Sequence[str]]) -> None:
    for key in given:
        if key not in takes:
            known = " and ".join(f"--{parameter}" for parameter in takes)
            raise click.UsageError(f"{name} takes {known}, not --{key}")


def _parameters(
    name: str, given: dict[str, Sequence[float] | Sequence[str]]
) -> dict[str, float | str | Sequence[float] | Sequence[str]]:
    entry = FIGURES[name]
    _refuse_others(name, entry.takes, given)
    for key, values in given.items():
        if key in entry.one and len(values) != 1:
            raise click.UsageError(f"{name} takes one value of --{key}, got {len(values)}")
    return {key: values[0] if key in entry.one else values for key, values in given.items()}


def _content(chart: Figure, path: Path) -> bytes:
    if path.suffix == DATA:
        return _points(chart)
    ending = format_of(path)
    return render(chart, ending)[ending]


def _points(chart: Chart) -> bytes:
    return chart.data_text().encode()
