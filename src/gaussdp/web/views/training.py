"""Runs and targets as the library knows them, from requests, and the guarantee that holds for a run as described."""

from dataclasses import dataclass

from gaussdp.accounting import AccountedCurve, DistributionCurve, Fit, account
from gaussdp.calibration.free_numbers import MOST_STEPS
from gaussdp.calibration.targets import Target, budget, limit, measure
from gaussdp.choosing.requirements import parse_target
from gaussdp.documents.rounding import Rounding, rounded, shown
from gaussdp.domains import SCALE, integer, number
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP
from gaussdp.guarantees.claim import Claim
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
from gaussdp.statements.assumptions import assumptions, unmet
from gaussdp.statements.run import Run
from gaussdp.statements.smallest import Found, smallest_for
from gaussdp.statements.training import Training
from gaussdp.web.schemas.requests import (
    AccountRequest,
    CalibrateRequest,
    DescribedRun,
    ReleaseRequest,
    ReleasesRequest,
    TargetRequest,
    Trained,
)
from gaussdp.web.views.showing import DIGITS, budget_text, guarantee_text
from gaussdp.words import say

UNNAMED = "one unit"  # until the person says whom the guarantee protects


def run_of(request: AccountRequest | CalibrateRequest | ReleasesRequest, noise: float = 1.0) -> Run:
    """The run that a request describes; one to be calibrated has this noise."""
    if isinstance(request, ReleasesRequest):
        sought = None if request.target is None else noise
        return _run(request, Composition([_release(one, i, sought) for i, one in enumerate(request.releases)]))
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


def _release(request: ReleaseRequest, at: int, sought: float | None) -> Mechanism:
    """So many releases with this noise; its scale and sensitivity are refused by their place in the list.

    Args:
        request: what is released.
        at: its place.
        sought: the noise over the sensitivity where that is sought, which the request then leaves out.
    """
    where = f"releases.{at}"
    scale, sensitivity = request.scale, request.sensitivity
    if sought is not None:
        if scale is not None:
            raise DomainError(f"{where}.scale", say("left out where the noise is sought"), scale)
        if request.noise != "gaussian":
            raise DomainError(f"{where}.noise", say("gaussian where the noise is sought"), request.noise)
        return request.times * Gaussian(sought) if request.times > 1 else Gaussian(sought)
    if scale is None:
        raise DomainError(f"{where}.scale", problem=say("is missing"))
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


Aimed = CalibrateRequest | ReleasesRequest
"""What may have a target, for which its noise is sought."""


def _target(request: Aimed) -> TargetRequest:
    if request.target is None:
        raise DomainError("target", problem=say("is missing"))
    return request.target


def target_text(request: Aimed) -> str:
    """The target in the notation of the command line, as tpr@1e-3=0.01."""
    target = _target(request)
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


def target_of(request: Aimed) -> Target:
    """The target, which some run can meet and not every run does."""
    text = target_text(request)
    try:
        target = parse_target(text, _target(request).prior)
        budget(target)
    except DomainError as error:
        raise DomainError("target.value", problem=say("cannot be met: {error}", error=error)) from None
    return target


def words_of(target: Target) -> str:
    """The target in words."""
    return say("{words} at most {text}", words=measure(target), text=shown(limit(target)))


_EXCHANGEABLE = ("shuffle", "fixed batches")  # batches whose bound needs no floor


@dataclass(frozen=True)
class Holding:
    """What holds for a run.

    Attributes:
        curve: to read the guarantee off: the exact one, or that of the μ that is known to hold.
        fit: of the exact curve; None where there is none.
        mu, epsilon: what holds.
        mu_lower, epsilon_lower: what no smaller number can be.
        sentences: what is taken for granted, and what else must be known to read the number.
    """

    curve: AccountedCurve | DistributionCurve | GDP
    fit: Fit | None
    mu: float
    mu_lower: float
    epsilon: float
    epsilon_lower: float
    sentences: tuple[str, ...]


def holding(run: Run, floor: float, delta: float) -> Holding:
    """What holds for the run.

    Args:
        run: as described.
        floor: smallest error rate of the attacks that μ speaks about.
        delta: where to read ε.
    """
    curve = account(run.protected)
    fit, raised = _fit(curve, floor)
    judged = assumptions(run, curve)
    if unmet(judged):
        return _enclosed(run, floor, delta)
    unstated = tuple(one.words for one in judged if one.remark or (one.decisive and one.verdict == "not stated"))
    epsilon = curve.epsilon(delta)
    return Holding(curve, fit, fit.mu, fit.mu_lower, epsilon, epsilon, (*raised, *fit.notes(), *unstated))


def _enclosed(run: Run, floor: float, delta: float) -> Holding:
    found, at_delta = bound(run, floor), smallest_for(run, Claim(epsilon=1.0, delta=delta))
    mu, epsilon = found.enclosure, at_delta.enclosure
    sentences = (found.nothing_finite(DIGITS) or _between(mu.lower, mu.upper), *found.caveats)
    return Holding(GDP(mu.upper), None, mu.upper, mu.lower, epsilon.upper, epsilon.lower, sentences)


def bound(run: Run, floor: float, *, quickly: bool = False) -> Found:
    """The smallest μ that holds for the run, enclosed.

    Args:
        run: as described.
        floor: smallest error rate of the attacks that μ speaks about.
        quickly: whether only the upper end is asked for; the lower one may then be of attacks without a floor.
    """
    at = None if quickly and run.sampled and run.sampling in _EXCHANGEABLE else floor
    return smallest_for(run, Claim(mu=1.0, floor=at))


def _between(lower: float, upper: float) -> str:
    return say(
        "No exact account of this run is known. The smallest μ that holds lies between {lower}"
        " and {upper}; what is shown is the upper end, which holds.",
        lower=budget_text(lower),
        upper=guarantee_text(upper),
    )


def _fit(curve: AccountedCurve | DistributionCurve, floor: float) -> tuple[Fit, tuple[str, ...]]:
    """The fit at the floor, or at the noise floor where the accounting does not reach below."""
    try:
        return curve.fit(floor), ()
    except DomainError:
        if not isinstance(curve, DistributionCurve) or floor >= curve.noise_floor:
            raise
    level = rounded(curve.noise_floor, Rounding.UP, 2)
    return curve.fit(level), (
        say("The floor is raised to {level}: the accounting does not reach below.", level=shown(level)),
    )
