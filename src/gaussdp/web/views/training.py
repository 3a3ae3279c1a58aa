"""Runs and targets as the library knows them, from requests: cheap, so that bad ones are refused before any work."""

from gaussdp.calibration.dpsgd import MOST_STEPS
from gaussdp.calibration.targets import Target, budget, limit, measure
from gaussdp.choosing.notation import parse_target
from gaussdp.documents.rounding import shown
from gaussdp.errors import DomainError
from gaussdp.mechanisms import DPSGD
from gaussdp.risks import DELTA, by_value_key
from gaussdp.web.schemas.requests import AccountRequest, CalibrateRequest


def run_of(request: AccountRequest | CalibrateRequest) -> DPSGD:
    """The run that a request describes; one to be calibrated has noise 1 for now."""
    steps = request.epochs * request.dataset_size / request.batch_size
    if steps > MOST_STEPS:
        raise DomainError(
            "epochs",
            problem=f"must give at most {MOST_STEPS:,} steps (epochs times dataset_size over batch_size)",
            got=f"{steps:.3g}",
        )
    noise = request.noise_multiplier if isinstance(request, AccountRequest) else 1.0
    return DPSGD.from_training(request.dataset_size, request.batch_size, request.epochs, noise)


def target_text(request: CalibrateRequest) -> str:
    """The target in the notation of the command line, as tpr@1e-3=0.01."""
    target = request.target
    risk, name = by_value_key(target.kind), target.kind.replace("_", "-")
    if risk is None or risk.level is None:
        if target.level is not None:
            raise DomainError("target.level", f"left out for {target.kind}, which has no level")
        return f"{name}={shown(target.value)}"
    level = request.delta if risk.level is DELTA and target.level is None else target.level
    if level is None:
        raise DomainError("target.level", problem=f"is missing: {target.kind} is bounded at a level in (0, 1)")
    return f"{name}@{shown(level)}={shown(target.value)}"


def target_of(request: CalibrateRequest) -> Target:
    """The target, which some run can meet and not every run does."""
    text = target_text(request)
    try:
        target = parse_target(text, request.target.prior)
        budget(target)
    except DomainError as error:
        raise DomainError("target.value", problem=f"cannot be met: {error}") from None
    return target


def words_of(target: Target) -> str:
    """The target in words."""
    return f"{measure(target)} at most {shown(limit(target))}"
