"""Understand: what a GDP guarantee lets an attacker achieve."""

import math

from gaussdp.guarantees import GDP
from gaussdp.report.rounding import Rounding, rounded_to_decimals, shown
from gaussdp.web.schemas.requests import CRITERIA, CriterionName, UnderstandRequest
from gaussdp.web.schemas.responses import (
    Curve,
    EpsilonAtDelta,
    Equivalent,
    Group,
    Guesses,
    PrecisionAtRecall,
    Repeated,
    Share,
    TprAtFpr,
    UnderstandResponse,
)
from gaussdp.web.snippets import understand_snippets
from gaussdp.web.views.sampling import curve_rates
from gaussdp.web.wording import guarantee_text, level_text, percent_text

FPRS = (1e-2, 1e-3, 1e-5)
GROUPS = (2, 4, 8)
RELEASES = (2, 4, 16, 64)
_OF = 100
_EQUIVALENT_LEVELS: dict[CriterionName, tuple[float, ...]] = {
    "multiplicative_advantage": (1e-2, 1e-3, 1e-5),
    "precision": (1e-2, 1e-3),
    "profile": (1e-5, 1e-8),
}


def understand(request: UnderstandRequest) -> UnderstandResponse:
    """The guarantee in TPRs, precision, ε, right guesses, groups and repetition."""
    release = GDP(request.mu)
    precision, epsilon, advantage = (
        release.precision(request.recall, request.prior),
        release.epsilon(request.delta),
        release.advantage(),
    )
    fpr = curve_rates(*([request.fpr] if request.fpr is not None else []))
    guesses = _guesses(release, 0.5)
    return UnderstandResponse(
        mu=request.mu,
        mu_text=guarantee_text(request.mu),
        tpr=tpr_rows(release, fprs_of(request)),
        precision=PrecisionAtRecall(
            recall=request.recall, prior=request.prior, value=precision, text=percent_text(precision)
        ),
        epsilon=EpsilonAtDelta(delta=request.delta, epsilon=epsilon, text=guarantee_text(epsilon)),
        advantage=Share(value=advantage, text=percent_text(advantage)),
        guesses=guesses,
        guesses_prior=_guesses(release, request.prior),
        group=[Group(k=k, mu=release.group(k).mu, mu_text=guarantee_text(release.group(k).mu)) for k in GROUPS],
        repeated=[_repeated(release, count) for count in RELEASES],
        equivalents=[_equivalent(release, name, level) for name in CRITERIA for level in _EQUIVALENT_LEVELS[name]],
        curve=Curve(fpr=fpr.tolist(), fnr=release.fnr(fpr).tolist(), tpr=release.tpr(fpr).tolist()),
        sentences=[guesses["sentence"]],
        snippets=understand_snippets(request, epsilon, precision),
    )


def fprs_of(request: UnderstandRequest) -> list[float]:
    """The false-positive rates at which to read the TPR: the usual ones, and the user's own if it is another."""
    return [*FPRS, *([request.fpr] if request.fpr is not None and request.fpr not in FPRS else [])]


def tpr_rows(release: GDP, fprs: list[float]) -> list[TprAtFpr]:
    """The best attack at each of these rates."""
    return [
        TprAtFpr(fpr=fpr, fpr_text=level_text(fpr), tpr=release.tpr(fpr), text=percent_text(release.tpr(fpr)))
        for fpr in fprs
    ]


def _repeated(release: GDP, count: int) -> Repeated:
    mu = math.sqrt(count) * release.mu
    return Repeated(releases=count, mu=mu, mu_text=guarantee_text(mu))


def _guesses(release: GDP, prior: float) -> Guesses:
    before, after = max(prior, 1 - prior), release.accuracy(prior)
    shown_before = shown(rounded_to_decimals(_OF * before, Rounding.NEAREST, 1))
    shown_after = shown(rounded_to_decimals(_OF * after, Rounding.UP, 1))
    return Guesses(
        of=_OF,
        prior=prior,
        before=_OF * before,
        before_text=shown_before,
        after=_OF * after,
        after_text=shown_after,
        sentence=(
            f"Of {_OF} guesses whether a person took part, {shown_before} are right without the release and at most"
            f" {shown_after} with it."
        ),
    )


def _equivalent(release: GDP, name: CriterionName, level: float) -> Equivalent:
    """The ε of pure DP that allows the same risk at this level."""
    if name == "multiplicative_advantage":
        epsilon = _log_ratio(release, level)
    elif name == "precision":
        fpr = release.fpr(level)
        epsilon = math.log(level / fpr) if fpr > 0 else math.inf
    else:
        epsilon = release.epsilon(level)
    return Equivalent(
        criterion=name, level=level, level_text=level_text(level), epsilon=epsilon, text=guarantee_text(epsilon)
    )


def _log_ratio(release: GDP, fpr: float) -> float:
    """Pure DP passes through a point with the larger of log(TPR/FPR) and log((1 − FPR)/FNR)."""
    fnr = release.fnr(fpr)
    upper = math.log((1 - fpr) / fnr) if fnr > 0 else math.inf
    return max(math.log(release.multiplicative_advantage(fpr)), upper)
