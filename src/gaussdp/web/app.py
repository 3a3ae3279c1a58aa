"""The calculator as an ASGI application: routes, and what stands before them."""

import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from importlib.metadata import version
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from gaussdp.errors import GaussdpError
from gaussdp.risks import criteria
from gaussdp.web.books import Books
from gaussdp.web.endpoints import MEDIA_TYPE as NDJSON
from gaussdp.web.endpoints import Endpoint, Slow, closed_form, file_from_worker, in_a_worker, remembered_from_worker
from gaussdp.web.limits import Limits
from gaussdp.web.openapi import API, JSON, Operation, docs_page, openapi
from gaussdp.web.reception import House, Reception
from gaussdp.web.replies import RefusalError, encoded, json_response, refusal_response
from gaussdp.web.safety.hosts import KnownHosts, Proxies, checked_root
from gaussdp.web.schemas.kinds import Request as Asked
from gaussdp.web.schemas.requests import (
    AccountRequest,
    AdviseRequest,
    CalibrateRequest,
    ChooseRequest,
    EntryRequest,
    FigureRequest,
    ImportRequest,
    PointRequest,
    ReleasesRequest,
    RulesRequest,
    State,
    StatementRequest,
    UnderstandRequest,
    state_of,
)
from gaussdp.web.schemas.responses import (
    AdviseResponse,
    ChooseResponse,
    Definitions,
    DeploymentsResponse,
    Health,
    Mu,
    RulesResponse,
    StreamLine,
    UnderstandResponse,
)
from gaussdp.web.settings import Site
from gaussdp.web.sharing import Shared
from gaussdp.web.static_files import StaticFiles
from gaussdp.web.telling import MEDIA_TYPE as METRICS_TYPE
from gaussdp.web.telling import Metrics
from gaussdp.web.views.advise import answers_of
from gaussdp.web.views.choose import choose
from gaussdp.web.views.definitions import definitions
from gaussdp.web.views.deployments import deployments
from gaussdp.web.views.statements import ENTRY_TYPE, check_statement, check_unit
from gaussdp.web.views.training import run_of, target_of
from gaussdp.web.views.understand import mu_through, understand
from gaussdp.web.work.desk import Desk
from gaussdp.web.work.lanes import Lanes
from gaussdp.web.work.worker import DOCUMENT_TYPES, PICTURE_TYPES

_WORDS = {404: "there is no such page", 405: "this page takes another method"}


def create_app(
    limits: Limits | None = None,
    site: Site | None = None,
    *,
    shared: Shared | None = None,
    desk: Desk | None = None,
    books: Books | None = None,
) -> Starlette:
    """The calculator.

    Args:
        limits: what clients, requests and computations may take; `Limits()` if None.
        site: where it stands; on this machine alone if None.
        shared: what its processes know together; nothing else has it if None.
        desk: where computations are asked for; workers of its own if None.
        books: budget books to show, and to spend from if they have a token.
    Raises:
        DomainError: if a name, a proxy or the path is none.
    """
    allowed, place = limits or Limits(), site or Site()
    known = shared or Shared(allowed)
    metrics = Metrics(known)
    lanes = Lanes(allowed, metrics)
    where = desk or lanes
    shown = books.operations() if books else []
    operations = [*_operations(where), *shown, *_for_monitors(where, metrics)]
    house = House(
        allowed,
        known,
        metrics,
        KnownHosts(place.hosts, place.more_hosts, addresses=place.any_address),
        Proxies(place.trusted_proxies),
        checked_root(place.root_path),
    )
    costs = {operation.path: allowed.work_cost for operation in operations if operation.works}
    endpoints: dict[tuple[str, str], Endpoint] = {(one.method, one.path): one.endpoint for one in operations}
    metrics.count_apart(["/", "/static", "/docs", "/openapi.json", *(operation.path for operation in operations)])
    handlers: dict[Any, Any] = {RefusalError: _refuse, HTTPException: _refuse_by_status}
    app = _Calculator(
        routes=_routes(operations, "" if books is None else "spends" if books.spends else "shown"),
        middleware=[Middleware(Reception, house=house, costs=costs, endpoints=endpoints)],
        exception_handlers=handlers,
        lifespan=lambda app: _running(lanes if desk is None else None, books),
    )
    app.router.redirect_slashes = False
    app.state.house, app.state.lanes = house, lanes
    return app


class _Calculator(Starlette):
    """Without what Starlette answers where something fails: the reception does, and says more."""

    def build_middleware_stack(self) -> ASGIApp:
        stack = super().build_middleware_stack()
        return stack.app if isinstance(stack, ServerErrorMiddleware) else stack


def _routes(operations: Sequence[Operation], ledger: str) -> list[Route]:
    document, files = openapi(operations), StaticFiles(ledger=ledger)
    return [
        *(operation.route() for operation in operations),
        Route("/", files.page, methods=["GET"]),
        Route("/static/{path:path}", files.file, methods=["GET"]),
        Route("/openapi.json", _fixed(encoded(document), JSON), methods=["GET"]),
        Route("/docs", _fixed(docs_page(document).encode(), "text/html"), methods=["GET"]),
    ]


def _operations(desk: Desk) -> list[Operation]:
    def closed(
        name: str,
        asked: type[Asked],
        answer: Callable[[Asked], Any],
        answered: type,
        summary: str,
        slow: Callable[[Asked], bool] | None = None,
    ) -> Operation:
        endpoint = closed_form(asked, answer, None if slow is None else Slow(slow, name, desk))
        return Operation(f"{API}/{name}", "POST", summary, endpoint, asked, answered, may_wait=slow is not None)

    def streamed(name: str, asked: type[Asked], check: Callable[[Asked], object], summary: str) -> Operation:
        endpoint = in_a_worker(asked, name, desk, check)
        return Operation(f"{API}/{name}", "POST", summary, endpoint, asked, StreamLine, (NDJSON,), works=True)

    def remembered(name: str, asked: type[Asked], answered: type, summary: str, work: str = "") -> Operation:
        endpoint = remembered_from_worker(asked, work or name, desk)
        return Operation(f"{API}/{name}", "POST", summary, endpoint, asked, answered, may_wait=True)

    def filed(
        name: str, asked: type[Asked], check: Callable[[Asked], object], media: tuple[str, ...], summary: str, work: str
    ) -> Operation:
        endpoint = file_from_worker(asked, work, desk, check)
        return Operation(f"{API}/{name}", "POST", summary, endpoint, asked, media=media, works=True)

    entry = "A run or a decision as an entry of OpenDP's registry of deployments."
    registry = "A file of OpenDP's registry, as the catalogue of deployments has it."
    return [
        closed(
            *("choose", ChooseRequest, choose, ChooseResponse, "The budget μ for a policy of pure ε-DP."),
            slow=lambda request: request.of_a_region,
        ),
        remembered("rules", RulesRequest, RulesResponse, "Where the rules of thumb μ = ε/5 and ε/3 are conservative."),
        remembered(
            "advise", AdviseRequest, AdviseResponse, "A range of μ for what is planned, from answers in plain words."
        ),
        closed("understand", UnderstandRequest, understand, UnderstandResponse, "What μ-GDP lets an attacker achieve."),
        closed("mu-through", PointRequest, mu_through, Mu, "The μ of the GDP curve through an operating point."),
        Operation(
            f"{API}/definitions", "GET", "What can be chosen, with its words.", _definitions, answered=Definitions
        ),
        Operation(f"{API}/deployments", "GET", "Published deployments.", _deployments, answered=DeploymentsResponse),
        streamed("account", AccountRequest, run_of, "The guarantee of a run of DP-SGD, with progress."),
        streamed(
            "releases",
            ReleasesRequest,
            _check_run,
            "The guarantee of counts, sums or tables, or their noise for a target.",
        ),
        streamed("calibrate", CalibrateRequest, _check_run, "The least noise for a target, with progress."),
        filed("figure", FigureRequest, _check_figure, PICTURE_TYPES, "A view as a picture.", "figure"),
        filed("statement", StatementRequest, _check_statement, DOCUMENT_TYPES, "A view as a document.", "statement"),
        filed("registry-entry", EntryRequest, _check_entry, (ENTRY_TYPE,), entry, "entry"),
        remembered("registry-import", ImportRequest, DeploymentsResponse, registry, "import"),
    ]


def _for_monitors(desk: Desk, metrics: Metrics) -> list[Operation]:
    health = {status: encoded(Health(status=status, version=version("gaussdp"))) for status in ("ok", "ready")}

    async def ready(request: Request) -> Response:
        if not await desk.ready():
            raise RefusalError(503, "no worker answers, or the server is stopping", retry_after=1)
        return Response(health["ready"], media_type=JSON)

    async def measured(request: Request) -> Response:
        return Response(metrics.text(), media_type=METRICS_TYPE)

    text = METRICS_TYPE.partition(";")[0]
    return [
        Operation("/healthz", "GET", "Whether the server runs.", _fixed(health["ok"], JSON), answered=Health),
        Operation("/readyz", "GET", "Whether it can compute.", ready, answered=Health, may_wait=True),
        Operation("/metrics", "GET", "Counts and latencies for Prometheus.", measured, media=(text,)),
    ]


@contextlib.asynccontextmanager
async def _running(lanes: Lanes | None, books: Books | None) -> AsyncIterator[None]:
    _answer_once()
    try:
        if lanes is not None:
            await lanes.warm()
        yield
    finally:
        if lanes is not None:
            await lanes.close()
        if books is not None:
            books.close()


def _answer_once() -> None:
    """What the first answers have to load and to find out would take others the time for theirs."""
    for criterion in criteria():
        level = criterion.level.initial if criterion.level else 1e-3
        with contextlib.suppress(GaussdpError):  # one that somebody else registered may have no answer
            encoded(choose(ChooseRequest(epsilon=1.0, criterion=criterion.key, level=level)))
    encoded(understand(UnderstandRequest(mu=1.0, prior=0.01)))
    encoded(mu_through(PointRequest(fpr=0.1, fnr=0.5)))


def _check_run(request: AccountRequest | CalibrateRequest | ReleasesRequest) -> None:
    run_of(request)
    if not isinstance(request, AccountRequest) and request.target is not None:
        target_of(request)


def _check_figure(request: FigureRequest) -> None:
    _check_state(state_of(request))


def _check_statement(request: StatementRequest) -> None:
    state = state_of(request)
    _check_state(state)
    check_statement(request, state)


def _check_entry(request: EntryRequest) -> None:
    state = state_of(request)
    _check_state(state)
    check_unit(state)


def _check_state(state: State) -> None:
    if isinstance(state, AccountRequest | CalibrateRequest | ReleasesRequest):
        _check_run(state)
    elif isinstance(state, AdviseRequest):
        answers_of(state)


def _fixed(content: bytes, media_type: str) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return Response(content, media_type=media_type)

    return endpoint


async def _definitions(request: Request) -> Response:
    return json_response(definitions())


async def _deployments(request: Request) -> Response:
    return json_response(deployments())


async def _refuse(request: Request, refusal: RefusalError) -> Response:
    return refusal.response()


async def _refuse_by_status(request: Request, error: HTTPException) -> Response:
    return refusal_response(error.status_code, _WORDS.get(error.status_code, error.detail), headers=error.headers)
