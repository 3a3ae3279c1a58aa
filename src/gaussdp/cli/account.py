"""gaussdp account: from a mechanism to its guarantee."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial, wraps
from pathlib import Path
from typing import Any, get_args

import click

from gaussdp.accounting import AccountedCurve, DistributionCurve
from gaussdp.accounting import account as account_for
from gaussdp.accounting.document import (
    DEFAULT_DELTAS,
    DEFAULT_FPRS,
    TABLES,
    account_document,
    points_document,
    write_curve,
)
from gaussdp.calibration.pipelines import Pipeline
from gaussdp.cli.groups import DefaultGroup
from gaussdp.cli.options import OutputFile, Whole, levels, number, output_options, show, waiting
from gaussdp.cli.runs import described, mechanism_of, neighbour_options
from gaussdp.documents.blocks import Document
from gaussdp.documents.files import write_file
from gaussdp.errors import DomainError
from gaussdp.figures import format_of
from gaussdp.figures.accounted import accounted_plot, render_accounted
from gaussdp.guarantees import ProfilePoints, read_points
from gaussdp.guarantees.tradeoff import Directions, Meaning
from gaussdp.mechanisms import DPSGD, Mechanism, RandomAllocation, registered
from gaussdp.statements.assumptions import broken_words
from gaussdp.statements.run import Run
from gaussdp.statements.training import Training


@dataclass(frozen=True)
class _Reading:
    """What to read off a curve and how to show it: the options that every way to account has."""

    floor: float | None
    plot: Path | None
    curve: Path | None
    delta: Sequence[float]
    fpr: Sequence[float]
    style: str
    digits: int
    only: Sequence[str]

    def show(self, accounted: Mechanism | ProfilePoints, document: Callable[..., Document]) -> None:
        """Print the document of what is accounted for, and draw its curve if asked to.

        Args:
            accounted: a mechanism, or points of a curve.
            document: called with the accounted curve, the floor, the deltas, the FPRs and the digits.
        """
        ending = format_of(self.plot) if self.plot else ""
        with waiting("Accounting"):
            curve = account_for(accounted)
            content = document(curve, self.floor, self.delta, self.fpr, self.digits)
            if self.plot:
                drawing = accounted_plot(curve, self.floor, self.delta[0])
                write_file(self.plot, render_accounted(drawing, ending)[ending])
            if self.curve:
                write_curve(curve, self.curve, content.title)
        show(content, self.style, self.digits, self.only)


def _reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a reading, handed to the command as one."""

    @wraps(command)
    def read(**values: Any) -> None:
        reading = _Reading(**{field.name: values.pop(field.name) for field in fields(_Reading)})
        command(reading=reading, **values)

    for option in (
        output_options(TABLES),
        levels("--fpr", DEFAULT_FPRS, "False-positive rates at which to read the attacker's TPR"),
        levels("--delta", DEFAULT_DELTAS, "Deltas at which to read ε"),
        click.option(
            "--floor",
            type=number,
            help="Smallest error rate of the attacks that μ speaks about.  [default: 1e-10]",
        ),
        click.option(
            "--plot",
            type=OutputFile(),
            help="Also draw the curve beside its fit, and μ by floor, into this .svg, .pdf or .png file.",
        ),
        click.option(
            "--curve",
            type=OutputFile(),
            help="Also write points of the curve into this .csv, .json or .parquet file, each on the safe side.",
        ),
    ):
        read = option(read)
    return read


@click.group(cls=DefaultGroup, default="plan", by_ending={".csv": "points", ".tsv": "points"})
def account() -> None:
    """The smallest μ that holds for a mechanism, and its error.

    Followed by a TOML or JSON file, it accounts for the run or the composition that the file describes (see `gaussdp
    account plan --help`); by a CSV file, for the curve of which the file holds points (see `gaussdp account points
    --help`).

    \b
    Examples:
      gaussdp account dpsgd --noise-multiplier 0.5 --dataset-size 50000 --batch-size 100 --epochs 20 --delta 1e-5
      gaussdp account dpsgd --noise-multiplier 1 --sample-rate 0.01 --steps 1000 --format json
      gaussdp account plan.toml --plot curve.svg
      gaussdp account points.csv --floor 1e-4
    """


@account.command()
@click.option(
    "--noise-multiplier", type=number, required=True, help="Standard deviation of the noise over the clip norm."
)
@click.option("--dataset-size", type=Whole(), help="Number of records; with --batch-size.")
@click.option("--batch-size", type=Whole(), help="Expected size of a batch; with --dataset-size.")
@click.option("--sample-rate", type=number, help="Probability with which a record enters a batch, instead of the two.")
@click.option("--epochs", type=number, help="Expected number of times that a record is seen.")
@click.option("--steps", type=Whole(), help="Number of updates, instead of --epochs.")
@neighbour_options
@_reading_options
def dpsgd(
    noise_multiplier: float,
    sample_rate: float | None,
    steps: int | None,
    dataset_size: int | None,
    batch_size: int | None,
    epochs: float | None,
    unit: dict[str, Any],
    reading: _Reading,
) -> None:
    """DP-SGD with Poisson sampling.

    \b
    Examples:
      gaussdp account dpsgd --noise-multiplier 0.5 --dataset-size 50000 --batch-size 100 --epochs 20
      gaussdp account dpsgd --noise-multiplier 1 --sample-rate 0.01 --steps 1000 --floor 1e-6
      gaussdp account dpsgd --noise-multiplier 1 --sample-rate 0.01 --steps 1000 --records-per-unit 4
    """
    if (sample_rate is None) == (dataset_size is None or batch_size is None) or (steps is None) == (epochs is None):
        raise click.UsageError("give --sample-rate, or --dataset-size and --batch-size; and either --steps or --epochs")
    training = Training(
        noise_multiplier=noise_multiplier,
        dataset_size=dataset_size,
        batch_size=batch_size,
        sample_rate=sample_rate,
        epochs=epochs,
        steps=steps,
    ).mechanism
    run = DPSGD(training.noise_multiplier, training.sample_rate, training.steps, **unit)
    reading.show(run, partial(account_document, run))


@account.command()
@click.option(
    "--noise-multiplier", type=number, required=True, help="Standard deviation of the noise over the clip norm."
)
@click.option("--batches", type=Whole(), help="Number of batches of a pass.")
@click.option("--dataset-size", type=Whole(), help="Number of records; with --batch-size, instead of --batches.")
@click.option("--batch-size", type=Whole(), help="Size of a batch.")
@click.option("--epochs", type=Whole(), help="Number of passes.")
@click.option(
    "--steps", type=Whole(), help="Number of updates, instead of --epochs; a pass that they begin counts in full."
)
@click.option(
    "--uses-per-epoch",
    type=Whole(),
    default=1,
    show_default=True,
    help="In how many batches of a pass a record is.",
)
@_reading_options
def random_allocation(
    noise_multiplier: float,
    batches: int | None,
    dataset_size: int | None,
    batch_size: int | None,
    epochs: int | None,
    steps: int | None,
    uses_per_epoch: int,
    reading: _Reading,
) -> None:
    """DP-SGD in passes, in each of which every record is put into a random batch, also called balls and bins.

    \b
    Examples:
      gaussdp account random-allocation --noise-multiplier 1 --batches 195 --epochs 20 --delta 1e-5
      gaussdp account random-allocation --noise-multiplier 1 --dataset-size 50000 --batch-size 256 --epochs 20
    """
    if (batches is None) == (dataset_size is None or batch_size is None) or (steps is None) == (epochs is None):
        raise click.UsageError("give --batches, or --dataset-size and --batch-size; and either --steps or --epochs")
    sizes = (dataset_size or batches or 1, batch_size or 1)
    pipeline = Pipeline(*sizes, epochs, steps, sampling="random allocation")
    cut = sizes[0] // sizes[1]
    run = RandomAllocation(noise_multiplier, cut, pipeline.updates // cut, uses_per_epoch)
    reading.show(run, partial(account_document, run))


class _PlanCommand(click.Command):
    """Lists the mechanisms that are registered when its help is asked for."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        with formatter.indentation():
            formatter.write_paragraph()
            kinds = ", ".join(registered())
            formatter.write_text(
                f"Mechanisms: {kinds}. Those whose privacy loss has atoms need the extra `accounting`."
            )


@account.command(cls=_PlanCommand)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@_reading_options
def plan(file: Path, reading: _Reading) -> None:
    """The run or the composition described in FILE, a TOML or JSON file.

    It is a run file, as for `gaussdp report`, or holds a list `releases`: each entry has a `mechanism`, its parameters
    and optionally `times`.

    \b
    Example:
      [[releases]]
      mechanism = "laplace"
      scale = 10.0
      times = 3
    """
    found = described(file)
    mechanism = mechanism_of(found, file.name)

    def document(curve: AccountedCurve | DistributionCurve, floor: float | None, *levels: Any) -> Document:
        content = account_document(mechanism, curve, floor, *levels)
        told = "".join(broken_words(found, curve)) if isinstance(found, Run) else ""
        if not told:
            return content
        if reading.curve:
            raise DomainError(
                None, problem=told.rstrip("."), advice="points of its curve would be read without these words"
            )
        if reading.style == "csv":  # a table without words
            click.echo(f"gaussdp: {told}", err=True)
        notes = ("What follows would hold if the run were as the account assumes.", *content.notes)
        return Document.tabular(f"{content.title}. {told}", content.tables, notes)

    reading.show(mechanism, document)


@account.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--meaning",
    type=click.Choice(get_args(Meaning)),
    default="bounds",
    show_default=True,
    help="What (fpr, fnr) points are: bounds with nothing known between, or corners of a curve of straight pieces.",
)
@click.option(
    "--directions",
    type=click.Choice(get_args(Directions)),
    default="both",
    show_default=True,
    help="Whether (fpr, fnr) points hold for both of two neighbouring datasets as the member's, or for one.",
)
@_reading_options
def points(file: Path, meaning: Meaning, directions: Directions, reading: _Reading) -> None:
    """The curve of which FILE, a CSV or TSV file, holds points: of another tool, or of a paper.

    Its header names two columns: fpr and fnr (or tpr), also called alpha and beta (or recall, power), or epsilon and
    delta. Measured attacks are no guarantee; for these there is `gaussdp audit`.

    \b
    Examples:
      gaussdp account points.csv
      gaussdp account points roc.csv --meaning vertices --directions one --floor 1e-5 --plot curve.svg
    """
    stated = read_points(file, meaning=meaning, directions=directions)
    reading.show(stated, partial(points_document, file.name, stated))
