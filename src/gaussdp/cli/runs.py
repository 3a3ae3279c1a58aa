"""Run files and plans that commands take, the options of training runs, and those of entries of a registry."""

from fractions import Fraction
from functools import wraps
from pathlib import Path
from typing import Any, cast, get_args

import click
from click.core import ParameterSource

from gaussdp.calibration.pipelines import Pipeline, Sampler
from gaussdp.cli.options import Command, OutputFile, Whole
from gaussdp.documents.files import file_text, parsed
from gaussdp.domains import one_of
from gaussdp.errors import DomainError
from gaussdp.mechanisms import DPSGD, Composition, Mechanism, RandomAllocation, WithoutReplacement
from gaussdp.mechanisms.base import ADJACENCIES, Adjacency
from gaussdp.mechanisms.composition import parse_plan
from gaussdp.published.opendp_registry import RegistryFacts
from gaussdp.statements.run import Run


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


_PLAIN = 10**9  # records of which a sample rate is taken to be a share


def described(file: Path) -> Run | Composition:
    """What a file describes: releases alone are a plan, anything more is a run."""
    text, name = file_text(file)
    content = parsed(text, name)
    if isinstance(content, dict) and "releases" in content and "training" not in content and len(content) == 1:
        return parse_plan(text, name)
    return Run.parse(text, name)


def mechanism_of(found: Run | Composition, name: str) -> Mechanism:
    """What is accounted for: of a run, with its tuning, for its neighbours and its unit.

    Raises:
        DomainError: if no exact account is known for these neighbours.
    """
    if not isinstance(found, Run):
        return found
    mechanism = found.protecting(found.accounted)
    if mechanism is None:
        raise DomainError(None, problem="no exact account is known for the neighbours and the unit", place=name)
    return mechanism


def training_of(file: Path) -> Pipeline:
    """The training run that a file describes, without its noise, which is solved for.

    Raises:
        DomainError: if the noise that meets a target is not known for such a run.
    """
    run = Run.read(file)
    trained = run.mechanism
    if isinstance(trained, DPSGD) and (trained.adjacency, trained.records_per_unit) == ("add-remove", 1):
        sampling, sizes = "poisson", _sizes(trained.sample_rate, run.dataset_size)
    elif isinstance(trained, RandomAllocation) and trained.uses_per_epoch == 1:
        sampling, sizes = trained.sampling, (trained.batches, 1)
    elif isinstance(trained, WithoutReplacement):
        sampling, sizes = trained.sampling, (trained.dataset_size, trained.batch_size)
    else:
        raise DomainError("mechanism", "one whose noise is solved for", got=trained.sentence, place=file.name)
    if run.tuning not in (None, "none"):
        raise DomainError("tuning", '"none" where the noise of one run is solved for', run.tuning, place=file.name)
    if run.clipping not in (None, "per-example"):
        raise DomainError("clipping", '"per-example" where noise is solved for', run.clipping, place=file.name)
    made = sampling if run.sampling in (None, "full batch") else run.sampling
    unit: dict[str, Any] = {"adjacency": run.adjacency, "records_per_unit": run.records_per_unit or 1}
    try:
        return Pipeline(*sizes, steps=trained.steps, sampling=one_of("sampling", made, get_args(Sampler)), **unit)
    except DomainError as error:
        raise error.at(file.name) from None


def _sizes(rate: float, dataset_size: int | None) -> tuple[int, int]:
    """Records and expected batch that make this sample rate, to the bit: the run's if it tells them, else the least."""
    batch = round(rate * (dataset_size or 0))
    if dataset_size and batch / dataset_size == rate:
        return dataset_size, batch
    near = Fraction(rate).limit_denominator(_PLAIN)
    share = near if float(near) == rate else Fraction(repr(rate))
    return share.denominator, share.numerator


Registering = tuple[Path, RegistryFacts] | None
"""Where an entry goes, and what people say of it."""

_KEYS = "curator, curator_type, intended_use, region, author; also name, description, published, product, sector"


def registry_options(command: Command) -> Command:
    """--registry-entry and --registry; the command gets them as `entry` and `told`."""
    told = click.option(
        "--registry",
        "told",
        multiple=True,
        metavar="KEY=VALUE",
        help=f"What the registry asks besides: {_KEYS}. Give it again for each.",
    )
    entry = click.option(
        "--registry-entry",
        "entry",
        type=OutputFile(),
        help="Write an entry for OpenDP's Deployments Registry into this file (.yaml).",
    )
    return entry(told(command))


def registering(entry: Path | None, told: tuple[str, ...]) -> Registering:
    """Where the entry goes and its facts; None if none is asked for."""
    pairs = [text.partition("=") for text in told]
    if any(not equals for _, equals, _ in pairs):
        raise click.UsageError("--registry takes KEY=VALUE, as in --registry curator=Town")
    if entry is None:
        if told:
            raise click.UsageError("--registry goes with --registry-entry")
        return None
    return entry, RegistryFacts.from_mapping({key.strip(): value.strip() for key, _, value in pairs})
