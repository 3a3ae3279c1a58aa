"""The files that commands take: a run, or a plan of releases alone."""

from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

from gaussdp.calibration.pipelines import Pipeline, Sampler
from gaussdp.documents.structured import file_text, parsed
from gaussdp.domains import one_of
from gaussdp.errors import DomainError
from gaussdp.mechanisms import DPSGD, Composition, Mechanism, RandomAllocation, WithoutReplacement
from gaussdp.mechanisms.plan import parse_plan
from gaussdp.statements.run import Run

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
