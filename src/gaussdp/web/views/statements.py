"""Statements: a view as a document to keep."""

from gaussdp.choosing.budgets import budget_document
from gaussdp.documents.rendering import render
from gaussdp.errors import DomainError
from gaussdp.statements import report_run
from gaussdp.statements.run import Run
from gaussdp.web.schemas.requests import (
    AccountRequest,
    CalibrateRequest,
    ChooseRequest,
    Described,
    ReleasesRequest,
    State,
    StatementRequest,
    UnderstandRequest,
)
from gaussdp.web.views.account import Tell, calibrated
from gaussdp.web.views.training import run_of
from gaussdp.web.views.understand import explanation


def statement(request: StatementRequest, state: State, tell: Tell) -> str:
    """The view as a document in the format asked for."""
    match state:
        case ChooseRequest():
            return render(budget_document(state.epsilon, [state.risk]), request.format)
        case UnderstandRequest():
            return render(explanation(state).document(), request.format)
        case AccountRequest() | ReleasesRequest():
            return _report(request, state, run_of(state), tell)
        case CalibrateRequest():
            return _report(request, state, calibrated(state, tell), tell)


def check_statement(state: State) -> None:
    """Refuse, before any work, a run that does not say whom it protects."""
    if isinstance(state, Described) and not state.unit:
        raise DomainError("state.unit", problem="is missing: a guarantee says nothing until it says whom it protects")


def _report(request: StatementRequest, state: Described, run: Run, tell: Tell) -> str:
    tell("writing the statement")
    report = report_run(run, floor=state.floor, deltas=[state.delta])
    return render(report.document(), request.format, report.digits)
