"""Figures of the views."""

from gaussdp.advising import advise, record
from gaussdp.choosing import choose
from gaussdp.figures.accounted import accounted_plot, render_accounted
from gaussdp.figures.tradeoffs import Attack, render_tradeoffs, tradeoff_plot
from gaussdp.guarantees import GDP, Guarantee
from gaussdp.statements.run import Run
from gaussdp.web.schemas.requests import (
    AccountRequest,
    AdviseRequest,
    CalibrateRequest,
    ChooseRequest,
    DescribedRun,
    ReleasesRequest,
    State,
    UnderstandRequest,
)
from gaussdp.web.views.account import Tell, calibrated
from gaussdp.web.views.advise import answers_of
from gaussdp.web.views.choose import curve_of, matched_point
from gaussdp.web.views.holding import holding
from gaussdp.web.views.showing import budget_text, guarantee_text, level_text, percent_text
from gaussdp.web.views.training import run_of
from gaussdp.web.views.understand import fprs_of
from gaussdp.words import say


def picture(state: State, ending: str, tell: Tell) -> bytes:
    """The view as a picture in this format."""
    match state:
        case ChooseRequest():
            return _choose(state, ending)
        case UnderstandRequest():
            return _understand(state, ending)
        case AdviseRequest():
            return record(advise(answers_of(state))).picture(ending)
        case AccountRequest() | ReleasesRequest():
            return _account(run_of(state), state, ending, tell)
        case CalibrateRequest():
            return _account(calibrated(state, tell), state, ending, tell)


def _choose(state: ChooseRequest, ending: str) -> bytes:
    choice = choose(*state.asked)
    point, policy = matched_point(choice), curve_of(choice.binding)
    curves: dict[str, Guarantee] = {say("budget: GDP, μ = {mu}", mu=budget_text(choice.mu)): GDP(choice.mu)}
    if policy is not None:
        curves[say("policy: {stated}", stated=policy.label)] = policy
    words = say("matched here") if choice.binding.matches else say("met here")
    attacks = [Attack(point["fpr"], point["tpr"], words)] if point and 0 < point["fpr"] < 1 else []
    return render_tradeoffs(tradeoff_plot(curves, attacks), ending)[ending]


def _understand(state: UnderstandRequest, ending: str) -> bytes:
    release = GDP(state.mu)
    rates = [(fpr, release.tpr(fpr)) for fpr in fprs_of(state)]
    attacks = [
        Attack(fpr, tpr, say("FPR {fpr}: TPR {tpr}", fpr=level_text(fpr), tpr=percent_text(tpr))) for fpr, tpr in rates
    ]
    return render_tradeoffs(
        tradeoff_plot({say("GDP, μ = {mu}", mu=guarantee_text(state.mu)): release}, attacks), ending
    )[ending]


def _account(run: Run, state: DescribedRun, ending: str, tell: Tell) -> bytes:
    tell(say("reading the tails of the privacy loss"))
    found = holding(run, state.floor, state.delta)
    tell(say("drawing"))
    if isinstance(found.curve, GDP):
        held: dict[str, Guarantee] = {say("what holds: μ ≤ {mu}", mu=guarantee_text(found.mu)): found.curve}
        return render_tradeoffs(tradeoff_plot(held), ending)[ending]
    floor = found.fit.floor if found.fit and not found.fit.unconditional else state.floor
    return render_accounted(accounted_plot(found.curve, floor, state.delta), ending)[ending]
