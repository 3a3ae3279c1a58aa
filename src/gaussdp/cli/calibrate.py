"""gaussdp calibrate: from a policy to the noise, the steps or the sample rate of DP-SGD."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from gaussdp import calibration
from gaussdp.accounting.fitted import DEFAULT_FLOOR
from gaussdp.calibration.pipelines import Sampler
from gaussdp.calibration.results import TABLES, Calibration
from gaussdp.calibration.targets import Target
from gaussdp.choosing import match
from gaussdp.choosing.requirements import parse_target
from gaussdp.cli.options import (
    LateCommand,
    Whole,
    at_most_option,
    criterion_option,
    floor_option,
    level_options,
    number,
    output_options,
    prior_option,
    show,
)
from gaussdp.cli.runs import neighbour_options, refuse_beside_file, sampling_option, training_of
from gaussdp.documents.rounding import Rounding, rounded, shown
from gaussdp.guarantees import GDP, PureDP
from gaussdp.mechanisms import DPSGD
from gaussdp.risks import DELTA, AtMost, Profile, by_level
from gaussdp.statements.training import Training


@click.command(cls=LateCommand)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.option("--target-epsilon", type=number, help="(ε, δ)-DP of the run itself: its ε; with --target-delta.")
@click.option("--target-delta", type=number, help="The δ at which the run must have that ε.")
@click.option("--policy-epsilon", type=number, help="A policy to match: the ε of pure DP; with the level to match at.")
@click.option("--epsilon", type=number, help="The same, but not with --delta: the two read as (ε, δ)-DP.")
@level_options(
    lambda level, risks: f"Match the policy on {' or '.join(risk.phrase for risk in risks)} at this {level.words}",
    one=True,
)
@criterion_option("Which criterion to match, where several have that level.  [default: the first]")
@click.option("--mu", type=number, help="The budget μ itself, instead of a policy.")
@at_most_option("A bound on one risk of the exact curve, instead of a policy")
@click.option("--noise-multiplier", type=number, help="Fix the noise, and solve for the steps or the sample rate.")
@click.option("--sample-rate", type=number, help="Probability with which a record enters a batch.")
@click.option("--steps", type=Whole(), help="Number of updates.")
@click.option("--dataset-size", type=Whole(), help="Number of records; with --batch-size, gives the sample rate.")
@click.option("--batch-size", type=Whole(), help="Expected size of a batch.")
@click.option("--epochs", type=number, help="Expected number of times that a record is seen, instead of --steps.")
@click.option(
    "--releases",
    type=Whole(),
    help="Finds the Gaussian noise of so many counts, sums or tables that share the target alike, instead of training.",
)
@click.option(
    "--sensitivity",
    type=number,
    help="The most that one unit of protection changes each of these releases, in L2 norm; with --releases."
    "  [default: 1]",
)
@sampling_option
@neighbour_options
@floor_option(DEFAULT_FLOOR)
@prior_option
@output_options(TABLES)
@click.pass_context
def calibrate(
    ctx: click.Context,
    file: Path | None,
    target_epsilon: float | None,
    target_delta: float | None,
    policy_epsilon: float | None,
    epsilon: float | None,
    levels: Mapping[str, float | None],
    criterion: str | None,
    mu: float | None,
    at_most: str | None,
    noise_multiplier: float | None,
    sample_rate: float | None,
    steps: int | None,
    dataset_size: int | None,
    batch_size: int | None,
    epochs: float | None,
    releases: int | None,
    sensitivity: float | None,
    sampling: Sampler,
    unit: dict[str, Any],
    floor: float,
    prior: float,
    style: str,
    digits: int,
    only: Sequence[str],
) -> None:
    """The least noise with which DP-SGD, or counts, sums and tables, meet a policy, a budget μ, or a bound on a risk.

    The answer is rounded to the side of more privacy, to --digits, and checked against the exact curve. With
    --noise-multiplier it is the largest number of steps, or the largest sample rate, that meets the target.

    FILE, a run file, tells the run instead of the options: how long it is, how batches are made, whom it protects. Its
    noise is solved for.

    \b
    Examples:
      gaussdp calibrate --target-epsilon 1 --target-delta 1e-5 --sample-rate 0.01 --steps 1000
      gaussdp calibrate --policy-epsilon 1 --fpr 1e-3 --dataset-size 50000 --batch-size 256 --epochs 30
      gaussdp calibrate --mu 0.5 --sample-rate 0.01 --steps 1000
      gaussdp calibrate --mu 0.5066 --releases 12 --sensitivity 50
      gaussdp calibrate run.toml --mu 0.5
      gaussdp calibrate --at-most tpr@1e-3=0.01 --sample-rate 0.01 --steps 1000 --format json
      gaussdp calibrate --mu 1 --noise-multiplier 0.8 --dataset-size 50000 --batch-size 256
      gaussdp calibrate --mu 1 --sampling "random allocation" --dataset-size 50000 --batch-size 250 --epochs 10
    """
    policy = _policy(policy_epsilon, epsilon, levels.get(DELTA.key))
    pair = _pair(target_epsilon, target_delta)
    target, origin = _target(policy, levels, criterion, mu, at_most, pair, prior)
    training = ("noise_multiplier", "sample_rate", "steps", "dataset_size", "batch_size", "epochs")
    if releases is not None or sensitivity is not None:
        if releases is None:
            raise click.UsageError("--sensitivity goes with --releases, their number")
        _refuse_beside_releases(ctx, "file", *training, "sampling", "adjacency", "records_per_unit", "floor")
        found = calibration.gaussian_noise_multiplier(target, releases=releases, digits=digits)
        show(found.document(origin, sensitivity=1.0 if sensitivity is None else sensitivity), style, digits, only)
        return
    if file is not None:
        refuse_beside_file(ctx, *training)
        found = calibration.training_noise(target, training_of(file), floor=floor, digits=digits)
        show(found.document(origin), style, digits, only)
        return
    if sampling != "poisson":
        if dataset_size is None or batch_size is None or (sample_rate, noise_multiplier) != (None, None):
            raise click.UsageError(
                f"--sampling {sampling!r} solves for the noise, from --dataset-size, --batch-size and --epochs or"
                " --steps"
            )
        run = calibration.Pipeline(dataset_size, batch_size, epochs, steps, sampling, **unit)
        show(calibration.training_noise(target, run, floor=floor, digits=digits).document(origin), style, digits, only)
        return
    rate, count = _sampling(sample_rate, steps, dataset_size, batch_size, epochs)
    result = _third(target, noise_multiplier, rate, count, {"floor": floor, **unit}, digits)
    show(result.document(origin), style, digits, only)


def _refuse_beside_releases(ctx: click.Context, *names: str) -> None:
    """Refuse what describes training, and units: the sensitivity is that to the unit, under its neighbours."""
    given = [
        "FILE" if name == "file" else f"--{name.replace('_', '-')}"
        for name in names
        if ctx.get_parameter_source(name) not in (None, ParameterSource.DEFAULT)
    ]
    if given:
        raise click.UsageError(
            f"--releases are no training run: leave {' and '.join(given)} out, and give the --sensitivity to what is"
            " protected"
        )


def _third(
    target: Target, noise: float | None, rate: float | None, count: int | None, same: dict[str, Any], digits: int
) -> Calibration:
    """Of the noise, the sample rate and the steps, the one that is not given."""
    if noise is None and rate is not None and count is not None:
        return calibration.noise_multiplier(target, sample_rate=rate, steps=count, digits=digits, **same)
    if noise is not None and rate is not None and count is None:
        return calibration.steps(target, noise_multiplier=noise, sample_rate=rate, **same)
    if noise is not None and rate is None and count is not None:
        return calibration.sample_rate(target, noise_multiplier=noise, steps=count, digits=digits, **same)
    raise click.UsageError(
        "give two of the noise (--noise-multiplier), the sample rate (--sample-rate, or --dataset-size and"
        " --batch-size) and the steps (--steps or --epochs); the third is solved for"
    )


def _target(
    epsilon: float | None,
    levels: Mapping[str, float | None],
    criterion: str | None,
    mu: float | None,
    at_most: str | None,
    pair: AtMost | None,
    prior: float,
) -> tuple[Target, str]:
    """The target, and where it comes from if that is a policy."""
    given = {key: value for key, value in levels.items() if value is not None}
    policy = 0.0 if epsilon is None else epsilon
    if sum(choice is not None for choice in (epsilon, mu, at_most, pair)) != 1 or len(given) != (epsilon is not None):
        options = ", ".join(f"--{level.key.replace('_', '-')}" for level in by_level())
        raise click.UsageError(
            f"give one of --target-epsilon (with --target-delta), --policy-epsilon (with one of {options}), --mu and"
            " --at-most"
        )
    if pair is not None:
        return pair, ""
    if mu is not None:
        return GDP(mu), ""
    if at_most is not None:
        return parse_target(at_most, prior), ""
    ((key, value),) = given.items()
    found = [risk for level, risks in by_level().items() if level.key == key for risk in risks]
    named = [risk for risk in found if criterion is None or risk.key == criterion.replace("-", "_")]
    if not named:
        raise click.UsageError(f"--criterion {criterion} is not matched at --{key.replace('_', '-')}")
    matched = match(PureDP(policy), named[0].at(value, prior))
    return matched.budget, (
        f"A policy of ε = {shown(policy)}, matched on {matched.risk.phrase} at {matched.risk.place}, is a budget of"
        f" μ = {shown(rounded(matched.mu, Rounding.DOWN))}. {matched.warning or matched.cost}"
    ).strip()


def _policy(policy: float | None, epsilon: float | None, delta: float | None) -> float | None:
    """The epsilon to match; one that stands beside a delta and may mean (epsilon, delta)-DP is refused."""
    if policy is not None and epsilon is not None:
        raise click.UsageError("--policy-epsilon and --epsilon are the same: give one")
    if epsilon is not None and delta is not None:
        raise click.UsageError(
            f"--epsilon with --delta may mean two things: give --target-epsilon {shown(epsilon)} --target-delta"
            f" {shown(delta)} for (ε, δ)-DP of the run, or --policy-epsilon {shown(epsilon)} --delta {shown(delta)} for"
            " the budget μ that matches pure DP on its privacy profile, which takes more noise"
        )
    return policy if epsilon is None else epsilon


def _pair(epsilon: float | None, delta: float | None) -> AtMost | None:
    if (epsilon is None) != (delta is None):
        raise click.UsageError("--target-epsilon and --target-delta go together")
    return None if epsilon is None or delta is None else AtMost(Profile(delta), epsilon)


def _sampling(
    sample_rate: float | None,
    steps: int | None,
    dataset_size: int | None,
    batch_size: int | None,
    epochs: float | None,
) -> tuple[float | None, int | None]:
    """Sample rate and steps, as far as they are given."""
    if (dataset_size is None) != (batch_size is None) or (epochs is not None and (sample_rate or dataset_size) is None):
        raise click.UsageError("--dataset-size and --batch-size go together, and --epochs needs them or --sample-rate")
    if (sample_rate is not None and dataset_size is not None) or (epochs is not None and steps is not None):
        raise click.UsageError("give the sample rate once, directly or by the sizes; and either --steps or --epochs")
    if dataset_size is None or batch_size is None:
        if sample_rate is None or epochs is None:
            return sample_rate, steps
        return sample_rate, Training(noise_multiplier=1.0, sample_rate=sample_rate, epochs=epochs).mechanism.steps
    run = DPSGD.from_training(dataset_size, batch_size, 1.0 if epochs is None else epochs, noise_multiplier=1.0)
    return run.sample_rate, steps if epochs is None else run.steps
