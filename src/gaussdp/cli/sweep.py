"""gaussdp sweep: the noise of many designs, kept in a file row by row."""

import math
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any

import click

from gaussdp import domains
from gaussdp.accounting.fitted import DEFAULT_FLOOR
from gaussdp.calibration.free_numbers import DEFAULT_DIGITS
from gaussdp.calibration.pipelines import Sampler
from gaussdp.calibration.sweep_designs import Design, Row, grid
from gaussdp.calibration.sweeps import Progress
from gaussdp.calibration.sweeps import sweep as run_sweep
from gaussdp.cli.options import (
    LateCommand,
    OutputFile,
    Whole,
    at_most_option,
    criterion_option,
    floor_option,
    level_options,
    number,
    prior_option,
)
from gaussdp.cli.runs import neighbour_options, refuse_beside_file, sampling_option, training_of
from gaussdp.documents.rounding import Rounding, rounded, shown
from gaussdp.domains import SAMPLE_RATE
from gaussdp.figures.maps import figure_path, heat_map
from gaussdp.risks import by_level

_MOST_VALUES = 100_000
_DIGITS = 12  # of a budget that matches a policy
_ASKED = "gaussdp.sweep.asked"


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


def _in_order(ctx: click.Context, option: click.Parameter, value: object) -> object:
    """Keep the order in which targets were asked for."""
    if value:
        ctx.meta.setdefault(_ASKED, []).append(option.name)
    return value


@click.command(cls=LateCommand)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.option(
    "--mu", type=values, default=None, metavar="N,N,...", callback=_in_order, help="Budgets μ of the run to meet."
)
@at_most_option("A bound on a risk to meet (give it again for another)", multiple=True, callback=_in_order)
@click.option(
    "--target-epsilon",
    type=values,
    metavar="N,N,...",
    callback=_in_order,
    help="(ε, δ)-DP of the run itself: its ε; with --target-delta.",
)
@click.option("--target-delta", type=number, help="The δ at which the run must have such an ε.")
@click.option(
    "--policy-epsilon",
    type=values,
    metavar="N,N,...",
    callback=_in_order,
    help="Policies to match: the ε of pure DP; with the level to match at.",
)
@level_options(
    lambda level, risks: f"Match policies on {' or '.join(risk.phrase for risk in risks)} at this {level.words}",
    one=True,
)
@criterion_option("Which criterion to match, where several have that level.  [default: the first]")
@click.option("--dataset-size", type=whole_values, metavar="N,N,...", help="Numbers of records; with --batch-size.")
@click.option("--batch-size", type=whole_values, metavar="N,N,...", help="Expected sizes of a batch.")
@click.option(
    "--sample-rate",
    type=values,
    metavar="N,N,...",
    help="Sample rates, instead of the two; rows hold the least sizes with that quotient.",
)
@click.option("--epochs", type=values, metavar="N,N,...", help="Expected passes over the data.")
@click.option("--steps", type=whole_values, metavar="N,N,...", help="Numbers of updates, instead.")
@sampling_option
@neighbour_options
@click.option("--out", type=OutputFile(), required=True, help="A .csv, .jsonl or .parquet file.")
@click.option("--figure", type=OutputFile(), help="A heat map too: .png, .pdf or .svg.")
@click.option("--workers", type=Whole(), default=-1, help="Number of processes.  [default: all cores]")
@floor_option(DEFAULT_FLOOR)
@prior_option
@click.option(
    "--digits", type=Whole(), default=DEFAULT_DIGITS, show_default=True, help="Significant digits of the noise."
)
@click.pass_context
def sweep(
    ctx: click.Context,
    file: Path | None,
    mu: Sequence[float] | None,
    at_most: Sequence[str],
    target_epsilon: Sequence[float] | None,
    target_delta: float | None,
    policy_epsilon: Sequence[float] | None,
    levels: Mapping[str, float | None],
    criterion: str | None,
    dataset_size: Sequence[int] | None,
    batch_size: Sequence[int] | None,
    sample_rate: Sequence[float] | None,
    epochs: Sequence[float] | None,
    steps: Sequence[int] | None,
    sampling: Sampler,
    unit: dict[str, Any],
    out: Path,
    figure: Path | None,
    workers: int,
    floor: float,
    prior: float,
    digits: int,
) -> None:
    """The least noise for every combination of targets and training runs.

    Lists are numbers between commas or ranges such as 10:100:10. Every row is written to --out as soon as it is known;
    the same command after an interruption computes only what is missing. Rows stand in the order of the lists.

    FILE, a run file, tells the run instead of the options; --steps or --epochs vary its length, and with them
    --dataset-size and --batch-size its sizes.

    \b
    Examples:
      gaussdp sweep --mu 0.5,1,2 --batch-size 128,256,512 --epochs 10:100:10 --dataset-size 50000 --out sweep.csv
      gaussdp sweep --at-most advantage=0.1 --batch-size 256 --epochs 1:30:1 --dataset-size 50000 --out runs.parquet
      gaussdp sweep --policy-epsilon 1,3 --fpr 1e-3 --batch-size 256 --steps 1000 --dataset-size 50000 --out policy.csv
      gaussdp sweep --mu 0.5,1 --sample-rate 0.005,0.01 --steps 1000,2000 --out rates.csv
      gaussdp sweep run.toml --mu 0.5,1,2 --steps 1000,2000,4000 --out run.csv
      gaussdp sweep --mu 1 --sampling "random allocation" --batch-size 250 --epochs 5,10 --dataset-size 5000 --out a.csv
    """
    if file is not None:
        refuse_beside_file(ctx)
        run = training_of(file)
        sampling, unit = run.sampling, {"adjacency": run.adjacency, "records_per_unit": run.records_per_unit}
        if not (dataset_size or batch_size or sample_rate):
            dataset_size, batch_size = (run.dataset_size,), (run.batch_size,)
            steps = steps if epochs or steps else (run.updates,)
    if bool(epochs) == bool(steps):
        raise click.UsageError("give --epochs or --steps, and not both")
    matched = _matched(policy_epsilon or (), levels, criterion, prior)
    asked = {"mu": [f"mu={shown(value)}" for value in mu or ()], "at_most": list(at_most), "policy_epsilon": matched}
    targets = _targets(ctx, {"target_epsilon": _pairs(target_epsilon, target_delta), **asked})
    same: dict[str, Any] = {"prior": prior, "floor": floor, "digits": digits, "sampling": sampling, **unit}
    sizes = _sizes(dataset_size, batch_size, sample_rate, sampling)
    found = (grid([target], *of, epochs or (), steps=steps or (), **same) for target in targets for of in sizes)
    designs = list(dict.fromkeys(chain.from_iterable(found)))
    if figure is not None:
        figure_path(figure)
    rows, kept = _computed(designs, out, workers)
    if figure is not None:
        heat_map(rows, figure)
    states = ", ".join(f"{count} {status}" for status, count in sorted(Counter(row["status"] for row in rows).items()))
    click.echo(f"{len(rows)} designs ({states}): {len(rows) - kept} computed, {kept} kept; {out}")


def _pairs(epsilons: Sequence[float] | None, delta: float | None) -> list[str]:
    if (epsilons is None) != (delta is None):
        raise click.UsageError("--target-epsilon and --target-delta go together")
    return [f"epsilon@{delta!r}={shown(value)}" for value in epsilons or ()]


def _targets(ctx: click.Context, asked: Mapping[str, Sequence[str]]) -> list[str]:
    """All targets, in the order of the options on the command line."""
    targets = [target for name in ctx.meta.get(_ASKED, ()) for target in asked[name]]
    if not targets:
        raise click.UsageError("give at least one of --mu, --at-most, --target-epsilon and --policy-epsilon")
    return targets


def _computed(designs: Sequence[Design], out: Path, workers: int) -> tuple[list[Row], int]:
    """The rows of all designs, and how many were there already."""
    kept: list[int] = []
    with _progress_bar() as bar:

        def progress(done: int, total: int) -> None:
            kept.append(done)
            bar(done, total)

        return run_sweep(designs, out, workers=workers, progress=progress), kept[0]


def _sizes(
    records: Sequence[int] | None, batches: Sequence[int] | None, rates: Sequence[float] | None, sampling: Sampler
) -> list[tuple[Sequence[int], Sequence[int]]]:
    """The numbers of records and the sizes of a batch to combine; a sample rate is its own least fraction."""
    if (rates is None) == (not records or not batches) or (rates is not None and (records or batches)):
        raise click.UsageError("give --dataset-size and --batch-size, or --sample-rate")
    if rates is None:
        return [(records or (), batches or ())]
    if sampling != "poisson":
        raise click.UsageError(f"--sampling {sampling!r} needs --dataset-size and --batch-size")
    shares = [Fraction(repr(domains.number("sample_rate", rate, SAMPLE_RATE))) for rate in rates]
    return [((share.denominator,), (share.numerator,)) for share in shares]


def _matched(
    epsilons: Sequence[float], levels: Mapping[str, float | None], criterion: str | None, prior: float
) -> list[str]:
    """The budgets that match policies at the one level given."""
    given = [(key, value) for key, value in levels.items() if value is not None]
    if len(given) != bool(epsilons):
        options = ", ".join(f"--{level.key.replace('_', '-')}" for level in by_level())
        raise click.UsageError(f"--policy-epsilon goes with one of {options}")
    if not given:
        return []
    ((key, value),) = given
    found = [risk for level, risks in by_level().items() if level.key == key for risk in risks]
    named = [risk for risk in found if criterion is None or risk.key == criterion.replace("-", "_")]
    if not named:
        raise click.UsageError(f"--criterion {criterion} is not matched at --{key.replace('_', '-')}")
    risk = named[0].at(value, prior)
    return [f"mu={shown(rounded(risk.mu_from_epsilon(one), Rounding.DOWN, _DIGITS))}" for one in epsilons]


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
