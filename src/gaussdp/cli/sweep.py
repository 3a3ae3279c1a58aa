"""gaussdp sweep: the noise of many designs, kept in a file row by row."""

import math
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from gaussdp.calibration.designs import grid
from gaussdp.calibration.dpsgd import DEFAULT_DIGITS, DEFAULT_FLOOR
from gaussdp.calibration.sweeps import Progress
from gaussdp.calibration.sweeps import sweep as run_sweep
from gaussdp.cli.options import LateCommand, Whole, at_most_option, floor_option, number, prior_option
from gaussdp.documents.rounding import shown
from gaussdp.figures.heat_maps import figure_path, heat_map

_MOST_VALUES = 100_000


def values(text: str) -> tuple[float, ...]:
    """Numbers between commas, or ranges first:last:step with both ends."""
    found: list[float] = []
    for part in text.split(","):
        pieces = [number(piece.strip()) for piece in part.split(":")]
        if len(pieces) == 1:
            found.append(pieces[0])
            continue
        if len(pieces) != 3 or not all(map(math.isfinite, pieces)) or pieces[2] <= 0 or pieces[0] > pieces[1]:
            raise click.BadParameter(f"{part!r} is not a range first:last:step with first <= last and step > 0")
        first, last, step = pieces
        count = math.floor((last - first) / step * (1 + 1e-12)) + 1
        if count > _MOST_VALUES:
            raise click.BadParameter(f"{part!r} has more than {_MOST_VALUES:,} values")
        found.extend(float(f"{first + i * step:.12g}") for i in range(count))
    return tuple(found)


def whole_values(text: str) -> tuple[int, ...]:
    """The same, for whole numbers."""
    found = values(text)
    if not all(value.is_integer() for value in found):
        raise click.BadParameter(f"{text!r} must hold whole numbers only")
    return tuple(int(value) for value in found)


@click.command(cls=LateCommand)
@click.option("--mu", type=values, default=None, metavar="N,N,...", help="Budgets μ to meet.")
@at_most_option("A bound on a risk to meet (give it again for another)", multiple=True)
@click.option("--dataset-size", type=whole_values, required=True, metavar="N,N,...", help="Numbers of records.")
@click.option("--batch-size", type=whole_values, required=True, metavar="N,N,...", help="Expected sizes of a batch.")
@click.option("--epochs", type=values, required=True, metavar="N,N,...", help="Expected passes over the data.")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="A .csv, .jsonl or .parquet file."
)
@click.option("--figure", type=click.Path(dir_okay=False, path_type=Path), help="A heat map too: .png, .pdf or .svg.")
@click.option("--workers", type=Whole(), default=-1, help="Number of processes.  [default: all cores]")
@floor_option(DEFAULT_FLOOR)
@prior_option
@click.option(
    "--digits", type=Whole(), default=DEFAULT_DIGITS, show_default=True, help="Significant digits of the noise."
)
def sweep(
    mu: Sequence[float] | None,
    at_most: Sequence[str],
    dataset_size: Sequence[int],
    batch_size: Sequence[int],
    epochs: Sequence[float],
    out: Path,
    figure: Path | None,
    workers: int,
    floor: float,
    prior: float,
    digits: int,
) -> None:
    """The least noise for every combination of targets and training runs.

    Lists are numbers between commas or ranges such as 10:100:10. Every row is written to --out as soon as it is known;
    the same command after an interruption computes only what is missing.

    \b
    Examples:
      gaussdp sweep --mu 0.5,1,2 --batch-size 128,256,512 --epochs 10:100:10 --dataset-size 50000 --out sweep.csv
      gaussdp sweep --at-most advantage=0.1 --batch-size 256 --epochs 1:30:1 --dataset-size 50000 --out runs.parquet
    """
    targets = [f"mu={shown(value)}" for value in mu or ()] + list(at_most)
    if not targets:
        raise click.UsageError("give at least one of --mu and --at-most")
    designs = grid(targets, dataset_size, batch_size, epochs, prior=prior, floor=floor, digits=digits)
    if figure is not None:
        figure_path(figure)
    kept: list[int] = []
    with _progress_bar() as bar:

        def progress(done: int, total: int) -> None:
            kept.append(done)
            bar(done, total)

        rows = run_sweep(designs, out, workers=workers, progress=progress)
    if figure is not None:
        heat_map(rows, figure)
    states = ", ".join(f"{count} {status}" for status, count in sorted(Counter(row["status"] for row in rows).items()))
    click.echo(f"{len(rows)} designs ({states}): {len(rows) - kept[0]} computed, {kept[0]} kept; {out}")


@contextmanager
def _progress_bar() -> Iterator[Progress]:
    """A bar on stderr if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    with Bar(BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task("designs", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
