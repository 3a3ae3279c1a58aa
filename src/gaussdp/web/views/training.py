"""Runs and targets as the library knows them, from requests: cheap, so that bad ones are refused before any work."""

from gaussdp.calibration.dpsgd import MOST_STEPS
from gaussdp.calibration.targets import Target, budget, limit, measure
from gaussdp.choosing.notation import parse_target
from gaussdp.documents.rounding import shown
from gaussdp.domains import SCALE, integer, number
from gaussdp.errors import DomainError
from gaussdp.mechanisms import (
    DPSGD,
    Composition,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Mechanism,
    WithoutReplacement,
)
from gaussdp.risks import DELTA, by_value_key
from gaussdp.statements.run import Run
from gaussdp.statements.training import Training
from gaussdp.web.schemas.requests import (
    AccountRequest,
    CalibrateRequest,
    DescribedRun,
    ReleaseRequest,
    ReleasesRequest,
    Trained,
)
from gaussdp.words import say

UNNAMED = "one unit"  # until the person says whom the guarantee protects


def run_of(request: AccountRequest | CalibrateRequest | ReleasesRequest, noise: float = 1.0) -> Run:
    """The run that a request describes; one to be calibrated has this noise."""
    if isinstance(request, ReleasesRequest):
        return _run(request, Composition([_release(one, i) for i, one in enumerate(request.releases)]))
    mechanism = trained(request, request.noise_multiplier if isinstance(request, AccountRequest) else noise)
    rest = {"sampling": request.sampling, "clipping": request.clipping, "dataset_size": request.dataset_size}
    return _run(request, mechanism, **rest, drop_last=_drops(request), batches_per_pass=_batches(request))


def _drops(request: Trained) -> bool | None:
    """Whether a last, incomplete batch is dropped, as far as it is stated."""
    return None if request.last_batch is None else request.last_batch == "dropped"


def _run(request: DescribedRun, mechanism: Mechanism, **rest: object) -> Run:
    names = ("adjacency", "records_per_unit", "tuning", "tuning_runs", "tuning_mean", "randomness")
    described = {name: getattr(request, name) for name in names}
    return Run(mechanism=mechanism, unit=request.unit or UNNAMED, **described, **rest)  # type: ignore[arg-type]


def _batches(request: Trained) -> int | None:
    """Of records that are dealt to batches, how many there are; the fewest, if what becomes of a rest is not stated."""
    if request.batches_per_pass is not None:
        return request.batches_per_pass
    if request.sampling != "random allocation" or request.last_batch is not None:
        return None
    return max(request.dataset_size // request.batch_size, 1)


def trained(request: Trained, noise: float) -> DPSGD | WithoutReplacement:
    """DP-SGD with these sizes and this noise."""
    steps = request.epochs * request.dataset_size / request.batch_size
    if steps > MOST_STEPS:
        raise DomainError(
            "epochs",
            problem=say(
                "must give at most {most_steps:,} steps (epochs times dataset_size over batch_size)",
                most_steps=MOST_STEPS,
            ),
            got=f"{steps:.3g}",
        )
    run = Training(
        noise_multiplier=noise,
        dataset_size=request.dataset_size,
        batch_size=request.batch_size,
        epochs=request.epochs,
        drop_last=_drops(request),
        batches_per_pass=_batches(request),
    ).mechanism
    drawn = request.sampling == "without replacement" and request.adjacency == "replace-one"
    if drawn and request.records_per_unit == 1:  # the one case of such batches of which more than an enclosure is known
        return WithoutReplacement(noise, request.batch_size, request.dataset_size, run.steps)
    return run


def _release(request: ReleaseRequest, at: int) -> Mechanism:
    """So many releases with this noise; its scale and sensitivity are refused by their place in the list."""
    where = f"releases.{at}"
    scale, sensitivity = request.scale, request.sensitivity
    if request.noise.startswith("discrete"):
        if not sensitivity.is_integer():
            raise DomainError(f"{where}.sensitivity", say("a whole number for discrete noise"), sensitivity)
        whole = integer(f"{where}.sensitivity", int(sensitivity), low=1)
        number(f"{where}.scale", scale / sensitivity, SCALE)
        made: Mechanism = (
            DiscreteGaussian(scale, whole) if request.noise == "discrete-gaussian" else DiscreteLaplace(scale, whole)
        )
    else:
        relative = number(f"{where}.scale", scale / sensitivity, SCALE)
        made = Gaussian(relative) if request.noise == "gaussian" else Laplace(relative)
    return request.times * made if request.times > 1 else made


def target_text(request: CalibrateRequest) -> str:
    """The target in the notation of the command line, as tpr@1e-3=0.01."""
    target = request.target
    risk, name = by_value_key(target.kind), target.kind.replace("_", "-")
    if risk is None or risk.level is None:
        if target.level is not None:
            raise DomainError("target.level", say("left out for {kind}, which has no level", kind=target.kind))
        return f"{name}={shown(target.value)}"
    level = request.delta if risk.level is DELTA and target.level is None else target.level
    if level is None:
        raise DomainError(
            "target.level", problem=say("is missing: {kind} is bounded at a level in (0, 1)", kind=target.kind)
        )
    return f"{name}@{shown(level)}={shown(target.value)}"


def target_of(request: CalibrateRequest) -> Target:
    """The target, which some run can meet and not every run does."""
    text = target_text(request)
    try:
        target = parse_target(text, request.target.prior)
        budget(target)
    except DomainError as error:
        raise DomainError("target.value", problem=say("cannot be met: {error}", error=error)) from None
    return target


def words_of(target: Target) -> str:
    """The target in words."""
    return say("{words} at most {text}", words=measure(target), text=shown(limit(target)))
