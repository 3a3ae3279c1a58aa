"""Account and calibrate: the guarantee of a run of DP-SGD, and the noise that meets a target."""

from collections.abc import Callable

from gaussdp import calibration
from gaussdp.accounting import AccountedCurve, DistributionCurve
from gaussdp.accounting import account as account_for
from gaussdp.accounting.document import account_document
from gaussdp.calibration import Calibration
from gaussdp.calibration.document import STATUS_WORDS
from gaussdp.calibration.targets import limit
from gaussdp.documents.rounding import Rounding, rounded, shown
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP, ApproxDP, Guarantee
from gaussdp.mechanisms import DPSGD
from gaussdp.web.schemas.requests import AccountRequest, CalibrateRequest
from gaussdp.web.schemas.responses import AccountCurves, AccountResult, TprAtFpr
from gaussdp.web.views.sampling import curve_rates
from gaussdp.web.views.snippets import account_snippets, calibrate_snippets
from gaussdp.web.views.training import run_of, target_of, words_of
from gaussdp.web.views.wording import guarantee_text, level_text, percent_text

Tell = Callable[[str], None]
Accounted = AccountedCurve | DistributionCurve

FPRS = (1e-2, 1e-3, 1e-5)
_CHECK_DIGITS = 8


def account(request: AccountRequest, tell: Tell) -> AccountResult:
    """The guarantee of the run as one number and as a curve."""
    run = run_of(request)
    tell("reading the tails of the privacy loss")
    result = described(run, account_for(run), request.floor, request.delta, tell)
    result["snippets"] = account_snippets(request, result)
    return result


def calibrate(request: CalibrateRequest, tell: Tell) -> AccountResult:
    """The least noise with which the run meets the target, and the guarantee it then has."""
    found, target = _search(request, tell), target_of(request)
    result = described(_run(found), _accounted(found.curve), request.floor, request.delta, tell)
    result["achieved"] = found.achieved
    result["achieved_text"] = shown(min(rounded(found.achieved, Rounding.UP, _CHECK_DIGITS), limit(target)))
    result["target_text"] = words_of(target)
    result["status"] = STATUS_WORDS[found.status]
    result["snippets"] = calibrate_snippets(request, result)
    return result


def calibrated(request: CalibrateRequest, tell: Tell) -> DPSGD:
    """The run with the least noise that meets the target."""
    return _run(_search(request, tell))


def _search(request: CalibrateRequest, tell: Tell) -> Calibration:
    run, target = run_of(request), target_of(request)
    tell("searching for the least noise")
    return calibration.noise_multiplier(target, sample_rate=run.sample_rate, steps=run.steps, floor=request.floor)


def _run(found: Calibration) -> DPSGD:
    if not isinstance(found.mechanism, DPSGD):
        raise DomainError("mechanism", "DPSGD", found.mechanism, got=type(found.mechanism).__name__)
    return found.mechanism


def described(run: DPSGD, curve: Accounted, floor: float, delta: float, tell: Tell) -> AccountResult:
    """All that the page shows about an accounted run, but the snippets."""
    tell("fitting μ")
    fit = curve.fit(floor)
    tell("reading ε and the curve")
    document = account_document(run, curve, floor, (delta,), FPRS[:1])
    epsilon = curve.epsilon(delta)
    return AccountResult(
        noise_multiplier=run.noise_multiplier,
        noise_multiplier_text=shown(run.noise_multiplier),
        sample_rate=run.sample_rate,
        sample_rate_text=guarantee_text(run.sample_rate),
        steps=run.steps,
        mu=fit.mu,
        mu_text=guarantee_text(fit.mu),
        mu_lower=fit.mu_lower,
        floor=fit.floor,
        floor_text=level_text(fit.floor),
        slack=fit.slack,
        slack_text=guarantee_text(fit.slack, 3),
        regret=fit.regret,
        regret_text=guarantee_text(fit.regret, 3),
        advice=list(document.notes),
        delta=delta,
        epsilon=epsilon,
        epsilon_text=guarantee_text(epsilon),
        method=fit.method.words,
        tpr=_tpr_rows(curve),
        curves=_curves(curve, fit.guarantee, ApproxDP(epsilon, delta)),
        snippets={"python": "", "cli": "", "latex": "", "json": ""},
    )


def _curves(curve: Accounted, fitted: GDP, statement: ApproxDP) -> AccountCurves:
    fpr = curve_rates()
    return AccountCurves(
        fpr=fpr.tolist(),
        exact=curve.fnr(fpr).tolist(),
        gdp=fitted.fnr(fpr).tolist(),
        approx=statement.fnr(fpr).tolist(),
        exact_tpr=curve.tpr(fpr).tolist(),
        gdp_tpr=fitted.tpr(fpr).tolist(),
        approx_tpr=statement.tpr(fpr).tolist(),
    )


def _tpr_rows(curve: Accounted) -> list[TprAtFpr]:
    rates = [(fpr, curve.tpr(fpr)) for fpr in FPRS]
    return [TprAtFpr(fpr=fpr, fpr_text=level_text(fpr), tpr=tpr, text=percent_text(tpr)) for fpr, tpr in rates]


def _accounted(curve: Guarantee) -> Accounted:
    if not isinstance(curve, AccountedCurve | DistributionCurve):
        raise DomainError("curve", "an accounted one", curve, got=type(curve).__name__)
    return curve
