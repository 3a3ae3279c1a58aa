"""Options that the commands for training runs share."""

from functools import wraps
from typing import Any, cast, get_args

import click
from click.core import ParameterSource

from gaussdp.calibration.pipelines import Sampler
from gaussdp.cli.options import Command, Whole
from gaussdp.mechanisms.base import ADJACENCIES, Adjacency


def neighbour_options(command: Command) -> Command:
    """Which data sets are neighbours, and how many records a unit has: `unit`, the arguments of DPSGD."""

    @wraps(command)
    def with_unit(*args: Any, adjacency: Adjacency, records_per_unit: int, **values: Any) -> Any:
        return command(*args, unit={"adjacency": adjacency, "records_per_unit": records_per_unit}, **values)

    for option in (
        click.option(
            "--records-per-unit",
            type=Whole(),
            default=1,
            show_default=True,
            help="How many records the unit of protection may have, such as a person.",
        ),
        click.option(
            "--adjacency",
            type=click.Choice(list(ADJACENCIES)),
            default="add-remove",
            show_default=True,
            help="Which data sets are neighbours.",
        ),
    ):
        with_unit = option(with_unit)
    return cast(Command, with_unit)


def refuse_beside_file(ctx: click.Context, *names: str) -> None:
    """Refuse options that a run file tells: these, and how batches are made and whom the run protects."""
    given = [
        f"--{name.replace('_', '-')}"
        for name in (*names, "sampling", "adjacency", "records_per_unit")
        if ctx.get_parameter_source(name) not in (None, ParameterSource.DEFAULT)
    ]
    if given:
        raise click.UsageError(f"FILE tells the run: leave {' and '.join(given)} out")


def sampling_option(command: Command) -> Command:
    """--sampling, of those for which the noise for a target is known."""
    return click.option(
        "--sampling",
        type=click.Choice(get_args(Sampler)),
        default="poisson",
        show_default=True,
        help="How batches are made; by random allocation a record is in one random batch a pass.",
    )(command)
