"""Statements: a view as a document to keep."""

from gaussdp.choosing.budgets import budget_document
from gaussdp.documents.rendering import render
from gaussdp.errors import DomainError
from gaussdp.mechanisms import DPSGD
from gaussdp.statements import report_run
from gaussdp.statements.run import Run
from gaussdp.web.schemas.requests import (
    AccountRequest,
    CalibrateRequest,
    ChooseRequest,
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
        case AccountRequest():
            return _report(request, state, run_of(state), tell)
        case CalibrateRequest():
            return _report(request, state, calibrated(state, tell), tell)


def check_statement(request: StatementRequest, state: State) -> None:
    """Refuse, before any work, a run that does not say whom it protects."""
    if isinstance(state, AccountRequest | CalibrateRequest):
        described_run(request, state, run_of(state))


def described_run(request: StatementRequest, state: AccountRequest | CalibrateRequest, run: DPSGD) -> Run:
    """The run with what the statement must know about it."""
    described = Run(
        mechanism=run,
        unit=request.unit or "",
        adjacency=request.adjacency,
        sampling=request.sampling,
        dataset_size=state.dataset_size,
    )
    if request.sampling is None:
        raise DomainError(
            "sampling", problem='is missing: say how batches are really made, for example "poisson" or "shuffle"'
        )
    return described


def _report(request: StatementRequest, state: AccountRequest | CalibrateRequest, run: DPSGD, tell: Tell) -> str:
    tell("writing the statement")
    report = report_run(described_run(request, state, run), floor=state.floor, deltas=[state.delta])
    return render(report.document(), request.format, report.digits)
