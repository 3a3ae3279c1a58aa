"""JAX Privacy: the run file of a training, from its plan, its configuration, its parameters or its event.

What is read are attributes, which the released versions and the newer ones share, so that this file imports nothing of
the library.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from gaussdp.domains import integer
from gaussdp.errors import DomainError
from gaussdp.integrations._dp_events import load, mechanism_of
from gaussdp.mechanisms import DPSGD, Adjacency, Composition, Mechanism, PoissonSampled, Repeated, WithoutReplacement
from gaussdp.statements.run import Run


def write_run(
    path: str | Path, training: Any, *, unit: str, adjacency: Adjacency, steps: int | None = None, **details: Any
) -> Run:
    """Write the run file of a training with JAX Privacy; every command takes it.

    What the library does not know is left out, and the file ends with a line that lists it.

    Args:
        path: a .toml or .json file.
        training: an execution plan or its configuration (`BandMFExecutionPlanConfig`, `DpsgdConfig`, `BandMFConfig`), a
            `DPKerasConfig` with its noise multiplier, the `DpParams` of an accountant, or a DpEvent.
        unit: whom or what the guarantee protects, such as "one person".
        adjacency: "add-remove" or "replace-one": what the data of one unit may do. Where a record is zeroed out
            instead, as a plan that splits the data evenly needs it, the noise is that of add-remove.
        steps: number of updates, for DpParams, which do not tell.
        details: other arguments of `gaussdp.Run`, which must not contradict what the training says.
    Returns:
        The run; its `not_stated` lists what the file does not say.

    >>> import tempfile, dp_accounting
    >>> step = dp_accounting.PoissonSampledDpEvent(0.01, dp_accounting.GaussianDpEvent(1.0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     event = dp_accounting.SelfComposedDpEvent(step, 1000)
    ...     write_run(f"{folder}/run.toml", event, unit="one image", adjacency="add-remove").mechanism
    DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=1000)
    """
    mechanism, seen = _described(training, adjacency, steps)
    for key, value in seen.items():
        if details.get(key, value) != value:
            raise DomainError(key, f"left out or {value!r}, as the training says", details[key])
    run = Run(mechanism=mechanism, unit=unit, adjacency=adjacency, **{**seen, **details})
    run.write(path)
    return run


def _described(training: Any, adjacency: Adjacency, steps: int | None) -> tuple[Mechanism, dict[str, Any]]:
    """The mechanism, and what else is known, by the key of a run."""
    if hasattr(training, "num_samples"):
        if steps is None:
            raise DomainError("steps", problem="is missing: DpParams do not tell how many updates there were")
        return _of_parameters(training, integer("steps", steps, low=1))
    if steps is not None:
        raise DomainError("steps", problem="is told by the training itself", advice="leave it out")
    if isinstance(training, load("dp_accounting").DpEvent):
        return _trained(mechanism_of(training, adjacency)), {}
    if hasattr(training, "train_steps"):
        return _of_keras(training)
    if hasattr(training, "dp_event"):
        return _of_plan(training, adjacency)
    if hasattr(training, "l2_clip_norm"):
        if getattr(training, "noise_multiplier", None) is None and hasattr(training, "calibrate"):
            raise DomainError("noise_multiplier", problem="is not set", advice="calibrate the configuration first")
        mechanism, seen = _of_plan(training.plan if hasattr(training, "plan") else training.make(), adjacency)
        known = {"clip_norm": training.l2_clip_norm, "dataset_size": training.num_examples}
        return mechanism, seen | {key: value for key, value in known.items() if value}
    raise DomainError(
        "training", "an execution plan, a configuration, DpParams or a DpEvent", got=type(training).__name__
    )


def _of_plan(plan: Any, adjacency: Adjacency) -> tuple[Mechanism, dict[str, Any]]:
    seen: dict[str, Any] = {"clipping": "per-example"}  # by the plan's own clipped_grad
    batches = plan.batch_selection_strategy
    kind = type(batches).__name__
    if kind == "CyclicPoissonSampling":
        seen["sampling"] = "full batch" if batches.sampling_prob == 1 else "poisson"
    elif kind == "FixedBatchSampling" and not batches.replace:
        seen["sampling"] = "without replacement"
    return _trained(mechanism_of(plan.dp_event, adjacency)), seen


def _of_keras(config: Any) -> tuple[Mechanism, dict[str, Any]]:
    if config.noise_multiplier is None:
        raise DomainError(
            "noise_multiplier", problem="is not set", advice="call update_with_calibrated_noise_multiplier first"
        )
    rate = config.effective_batch_size / config.train_size
    seen = {"clipping": "per-example", "clip_norm": config.clipping_norm, "dataset_size": config.train_size}
    if getattr(config, "poisson_sampling_in_fit", False) and config.gradient_accumulation_steps == 1:
        seen["sampling"] = "poisson"  # else the batches are those of whoever calls fit
    return DPSGD(config.noise_multiplier, min(rate, 1.0), config.train_steps), seen


def _of_parameters(parameters: Any, steps: int) -> tuple[Mechanism, dict[str, Any]]:
    """DpParams: noise and batch sizes, constant or from some step on."""
    if parameters.noise_multipliers is None or not parameters.is_finite_guarantee:
        raise DomainError("noise_multipliers", problem="are missing, or the guarantee is not finite")
    for key, usual in (("truncated_batch_size", None), ("cycle_length", 1)):
        if getattr(parameters, key, None) not in (None, usual):
            raise DomainError(key, problem="is not taken from DpParams", advice="give the DpEvent of the training")
    seen: dict[str, Any] = {"dataset_size": parameters.num_samples}
    if parameters.examples_per_user:
        seen["records_per_unit"] = parameters.examples_per_user
    fixed = parameters.sampling_method.name == "FIXED_BATCH_SIZE"
    seen["sampling"] = "without replacement" if fixed else "poisson"
    stretches: list[Mechanism] = []
    for noise, batch, count in _stretches(parameters.noise_multipliers, parameters.batch_sizes, steps):
        if fixed:
            stretches.append(WithoutReplacement(noise, batch, parameters.num_samples, count))
        else:
            stretches.append(DPSGD(noise, batch / parameters.num_samples, count))
    return stretches[0] if len(stretches) == 1 else Composition(stretches), seen


def _stretches(noises: Any, batches: Any, steps: int) -> Iterator[tuple[float, int, int]]:
    """Noise, batch size and number of steps, for each stretch of steps in which neither changes."""
    by_step = [dict(_changes(values)) for values in (noises, batches)]
    starts = sorted({start for values in by_step for start in values if start < steps})
    noise, batch = (values[0] for values in by_step)
    for start, end in pairwise([*starts, steps]):
        noise, batch = by_step[0].get(start, noise), by_step[1].get(start, batch)
        yield float(noise), int(batch), end - start


def _changes(values: Any) -> Sequence[tuple[int, Any]] | Mapping[int, Any]:
    return values if isinstance(values, Sequence | Mapping) else [(0, values)]


def _trained(mechanism: Mechanism) -> Mechanism:
    """Repeated steps on Poisson samples as DP-SGD, by which run files know them; anything else as it is."""
    step, count = (mechanism.mechanism, mechanism.count) if isinstance(mechanism, Repeated) else (mechanism, 1)
    if isinstance(step, PoissonSampled):
        return DPSGD(step.mechanism.noise_multiplier, step.sample_rate, count)
    return mechanism
