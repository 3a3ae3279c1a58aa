"""Account and calibrate: the guarantee of a run or of releases, and the noise that meets a target."""

import math
from collections.abc import Callable

from gaussdp import calibration
from gaussdp.calibration import Calibration
from gaussdp.calibration.free_numbers import LEAST_NOISE, MOST_NOISE
from gaussdp.calibration.results import STATUS_WORDS
from gaussdp.calibration.targets import budget, limit
from gaussdp.documents.rounding import Rounding, rounded, shown
from gaussdp.documents.written import number_up, written
from gaussdp.domains import NOISE
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP, ApproxDP
from gaussdp.mechanisms import DPSGD, Gaussian, Mechanism, WithoutReplacement
from gaussdp.statements.run import Run
from gaussdp.web.schemas.requests import AccountRequest, CalibrateRequest, ReleasesRequest
from gaussdp.web.schemas.responses import AccountCurves, AccountResult, Scale, TprAtFpr
from gaussdp.web.views.showing import budget_text, curve_rates, guarantee_text, level_text, percent_text, read_off
from gaussdp.web.views.snippets import account_snippets, calibrate_snippets, run_snippets
from gaussdp.web.views.training import Aimed, Holding, bound, holding, run_of, target_of, words_of
from gaussdp.words import numeral, say

Tell = Callable[[str], None]

FPRS = (1e-2, 1e-3, 1e-5)
_CHECK_DIGITS = 8
_SPAN = 1e9  # neighbours, records of a unit and tuning move the noise by less than that


def account(request: AccountRequest, tell: Tell) -> AccountResult:
    """The guarantee of the run as one number and as a curve."""
    run = run_of(request)
    result = described(run, request, tell)
    plain = isinstance(run.mechanism, DPSGD) and run.sampling == "poisson" and run.accounted is run.mechanism
    if plain and result["exact"]:
        result["snippets"] = account_snippets(request, result)
    return result


def releases(request: ReleasesRequest, tell: Tell) -> AccountResult:
    """The guarantee of several releases together; with a target, the least noise that meets it."""
    if request.target is None:
        return described(run_of(request), request, tell)
    result = calibrate(request, tell)
    noise = written(result["noise_multiplier"])
    scales = [number_up(noise * written(one.sensitivity)) for one in request.releases]
    result["scales"] = [
        Scale(
            times=one.times, sensitivity_text=numeral(shown(one.sensitivity)), scale=scale, text=guarantee_text(scale)
        )
        for one, scale in zip(request.releases, scales, strict=True)
    ]
    return result


def calibrate(request: Aimed, tell: Tell) -> AccountResult:
    """The least noise with which the run meets the target, and the guarantee it then has."""
    found, target = _search(request, tell), target_of(request)
    run = run_of(request, found.value)
    result = described(run, request, tell, found.floor)
    result["achieved"] = found.achieved
    result["achieved_text"] = numeral(shown(min(rounded(found.achieved, Rounding.UP, _CHECK_DIGITS), limit(target))))
    result["target_text"] = words_of(target)
    result["status"] = say(STATUS_WORDS[found.status])
    result["noise_multiplier"] = found.value
    result["noise_multiplier_text"] = numeral(shown(found.value))
    if isinstance(request, CalibrateRequest) and _accounted(run_of(request)):
        result["snippets"] = calibrate_snippets(request, result)
    return result


def settled(request: AccountRequest | Aimed, tell: Tell) -> Run:
    """The run; with a target, that with the least noise that meets it."""
    if isinstance(request, AccountRequest) or request.target is None:
        return run_of(request)
    return run_of(request, _search(request, tell).value)


def _accounted(run: Run) -> bool:
    """Whether the calibration of DP-SGD itself knows such runs: Poisson samples, nothing but the final run."""
    known = run.mechanism.protecting(run.adjacency or "add-remove", run.records_per_unit or 1) is not None
    clipped = run.clipping in (None, "per-example")
    return known and clipped and run.sampling == "poisson" and run.tuning in (None, "none")


def _search(request: Aimed, tell: Tell) -> Calibration:
    run, target = run_of(request), target_of(request)
    tell(say("searching for the least noise"))
    if isinstance(request, CalibrateRequest) and _accounted(run) and isinstance(run.mechanism, DPSGD):
        return calibration.noise_multiplier(
            target,
            sample_rate=run.mechanism.sample_rate,
            steps=run.mechanism.steps,
            floor=request.floor,
            adjacency=request.adjacency,
            records_per_unit=request.records_per_unit,
        )
    low, high, start = LEAST_NOISE, MOST_NOISE, None
    if isinstance(request, ReleasesRequest):  # their mu is the root of their number over the noise
        start = math.sqrt(sum(one.times for one in request.releases)) / budget(target)
        low, high = max(start / _SPAN, NOISE.low), min(start * _SPAN, NOISE.high)
        run = run_of(request, start)
    fit = holding(run, request.floor, request.delta).fit
    return calibration.parameter(
        target,
        lambda noise: _known(run_of(request, noise), request.floor, exact=fit is not None),
        low,
        high,
        start=start,
        floor=fit.floor if fit and fit.floor else request.floor,
        name="noise_multiplier",
    )


def _known(run: Run, floor: float, *, exact: bool) -> Mechanism:
    return run.protected if exact else _release_that_bounds(run, floor)


def _release_that_bounds(run: Run, floor: float) -> Mechanism:
    """A Gaussian release with the μ that is known to hold for the run."""
    mu = bound(run, floor, quickly=True).enclosure.upper
    if mu == math.inf:
        raise DomainError(
            "noise_multiplier", problem=say("cannot be found: no finite μ is known to hold for such a run")
        )
    return Gaussian(1 / mu, run.adjacency or "add-remove")


def described(
    run: Run, request: AccountRequest | CalibrateRequest | ReleasesRequest, tell: Tell, floor: float | None = None
) -> AccountResult:
    """All that the page shows about a run; at another floor than asked for if one is given."""
    tell(say("reading the tails of the privacy loss"))
    found = holding(run, floor or request.floor, request.delta)
    tell(say("reading the curve"))
    fit = found.fit
    level = fit.floor if fit else request.floor
    result = AccountResult(
        exact=fit is not None,
        mu=found.mu,
        mu_text=guarantee_text(found.mu),
        mu_lower=found.mu_lower,
        mu_lower_text=budget_text(found.mu_lower),
        floor=level,
        floor_text=level_text(level),
        slack=fit.slack if fit else None,
        slack_text=guarantee_text(fit.slack, 3) if fit else None,
        regret=fit.regret if fit else None,
        regret_text=guarantee_text(fit.regret, 3) if fit else None,
        sentences=list(found.sentences),
        delta=request.delta,
        epsilon=found.epsilon,
        epsilon_text=guarantee_text(found.epsilon),
        epsilon_lower=found.epsilon_lower,
        method=fit.method.words if fit else say("proved bounds"),
        tpr=_tpr_rows(found),
        curves=_curves(found, request.delta),
        snippets=run_snippets(run, found, request),
    )
    if isinstance(run.mechanism, DPSGD | WithoutReplacement):
        result["noise_multiplier"] = run.mechanism.noise_multiplier
        result["noise_multiplier_text"] = numeral(shown(run.mechanism.noise_multiplier))
        result["sample_rate"] = run.mechanism.sample_rate
        result["sample_rate_text"] = guarantee_text(run.mechanism.sample_rate)
        result["steps"] = run.mechanism.steps
    return result


def _curves(found: Holding, delta: float) -> AccountCurves:
    fpr = curve_rates()
    rates = fpr.numbers
    fitted, statement = found.fit.guarantee if found.fit else GDP(found.mu), ApproxDP(found.epsilon, delta)
    return AccountCurves(
        fpr=fpr,
        exact=read_off(found.curve, rates, "fnr") if found.fit else None,
        gdp=read_off(fitted, rates, "fnr"),
        approx=read_off(statement, rates, "fnr"),
        exact_tpr=read_off(found.curve, rates, "tpr") if found.fit else None,
        gdp_tpr=read_off(fitted, rates, "tpr"),
        approx_tpr=read_off(statement, rates, "tpr"),
    )


def _tpr_rows(found: Holding) -> list[TprAtFpr]:
    rates = [(fpr, float(found.curve.tpr(fpr))) for fpr in FPRS]
    return [TprAtFpr(fpr=fpr, fpr_text=level_text(fpr), tpr=tpr, text=percent_text(tpr)) for fpr, tpr in rates]
