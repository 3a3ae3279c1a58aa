"""The calculator as an ASGI application: routes, and what stands before them."""

import contextlib
from collections.abc import AsyncIterator, Callable, Collection
from importlib.metadata import version
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gaussdp.web.answers import RefusalError, encoded, json_response, refusal_response
from gaussdp.web.docs_page import docs_page
from gaussdp.web.endpoints import MEDIA_TYPE as NDJSON
from gaussdp.web.endpoints import Endpoint, closed_form, file_from_worker, in_a_thread, in_a_worker
from gaussdp.web.limits import Limits
from gaussdp.web.openapi import API, JSON, Operation, openapi
from gaussdp.web.safety.bodies import BodyLimit
from gaussdp.web.safety.headers import HEADERS, SafeHeaders
from gaussdp.web.safety.hosts import LOOPBACK_NAMES, KnownHosts
from gaussdp.web.safety.rates import RateLimit
from gaussdp.web.schemas.reading import Request as Asked
from gaussdp.web.schemas.requests import (
    AccountRequest,
    CalibrateRequest,
    ChooseRequest,
    FigureRequest,
    PointRequest,
    ReleasesRequest,
    RulesRequest,
    State,
    StatementRequest,
    UnderstandRequest,
    state_of,
)
from gaussdp.web.schemas.responses import (
    ChooseResponse,
    Definitions,
    DeploymentsResponse,
    Health,
    Mu,
    RulesResponse,
    StreamLine,
    UnderstandResponse,
)
from gaussdp.web.static_files import StaticFiles
from gaussdp.web.views.choose import choose, rules
from gaussdp.web.views.definitions import definitions
from gaussdp.web.views.deployments import deployments
from gaussdp.web.views.statements import check_statement
from gaussdp.web.views.training import run_of, target_of
from gaussdp.web.views.understand import mu_through, understand
from gaussdp.web.work.pool import Pool
from gaussdp.web.work.worker import DOCUMENT_TYPES, PICTURE_TYPES

_WORDS = {404: "there is no such page", 405: "this page takes another method"}


def create_app(
    limits: Limits | None = None, hosts: Collection[str] = LOOPBACK_NAMES, *, any_address: bool = False
) -> Starlette:
    """The calculator.

    Args:
        limits: what clients, requests and computations may take; `Limits()` if None.
        hosts: names under which it answers, any port.
        any_address: whether it also answers under any IP address.
    """
    allowed = limits or Limits()
    files, pool = StaticFiles(), Pool(allowed)
    operations = _operations(pool)
    document = openapi(operations)
    described, page = encoded(document), docs_page(document).encode()
    routes = [
        Route("/", files.page, methods=["GET"]),
        Route("/static/{path:path}", files.file, methods=["GET"]),
        Route("/openapi.json", _fixed(described, JSON), methods=["GET"]),
        Route("/docs", _fixed(page, "text/html"), methods=["GET"]),
        *(operation.route() for operation in operations),
    ]
    costs = {operation.path: allowed.work_cost for operation in operations if operation.works}
    middleware = [
        Middleware(SafeHeaders),
        Middleware(KnownHosts, names=hosts, addresses=any_address),
        Middleware(RateLimit, limits=allowed, costs=costs),
        Middleware(BodyLimit, limits=allowed),
    ]
    handlers: dict[Any, Any] = {RefusalError: _refuse, HTTPException: _refuse_by_status, 500: _fail}
    app = Starlette(
        routes=routes, middleware=middleware, exception_handlers=handlers, lifespan=lambda app: _running(pool)
    )
    app.router.redirect_slashes = False
    return app


def _operations(pool: Pool) -> list[Operation]:
    def closed(
        name: str, asked: type[Asked], answer: Callable[[Asked], Any], answered: type, summary: str
    ) -> Operation:
        return Operation(f"{API}/{name}", "POST", summary, closed_form(asked, answer), asked, answered)

    def streamed(name: str, asked: type[Asked], check: Callable[[Asked], object], summary: str) -> Operation:
        endpoint = in_a_worker(asked, name, pool, check)
        return Operation(f"{API}/{name}", "POST", summary, endpoint, asked, StreamLine, (NDJSON,), works=True)

    return [
        closed("choose", ChooseRequest, choose, ChooseResponse, "The budget μ for a policy of pure ε-DP."),
        Operation(
            f"{API}/rules",
            "POST",
            "Where the rules of thumb μ = ε/5 and ε/3 are conservative.",
            in_a_thread(RulesRequest, rules),
            RulesRequest,
            RulesResponse,
        ),
        closed("understand", UnderstandRequest, understand, UnderstandResponse, "What μ-GDP lets an attacker achieve."),
        closed("mu-through", PointRequest, mu_through, Mu, "The μ of the GDP curve through an operating point."),
        Operation(
            f"{API}/definitions", "GET", "What can be chosen, with its words.", _definitions, answered=Definitions
        ),
        Operation(f"{API}/deployments", "GET", "Published deployments.", _deployments, answered=DeploymentsResponse),
        streamed("account", AccountRequest, run_of, "The guarantee of a run of DP-SGD, with progress."),
        streamed("releases", ReleasesRequest, run_of, "The guarantee of counts, sums or tables with noise."),
        streamed("calibrate", CalibrateRequest, _check_calibration, "The least noise for a target, with progress."),
        Operation(
            f"{API}/figure",
            "POST",
            "A view as a picture.",
            file_from_worker(FigureRequest, "figure", pool, _check_figure),
            FigureRequest,
            media=PICTURE_TYPES,
            works=True,
        ),
        Operation(
            f"{API}/statement",
            "POST",
            "A view as a document.",
            file_from_worker(StatementRequest, "statement", pool, _check_statement),
            StatementRequest,
            media=DOCUMENT_TYPES,
            works=True,
        ),
        Operation("/healthz", "GET", "Whether the server runs.", _health, answered=Health),
    ]


@contextlib.asynccontextmanager
async def _running(pool: Pool) -> AsyncIterator[None]:
    await pool.warm()
    try:
        yield
    finally:
        await pool.close()


def _check_calibration(request: CalibrateRequest) -> None:
    run_of(request)
    target_of(request)


def _check_figure(request: FigureRequest) -> None:
    _check_state(state_of(request))


def _check_statement(request: StatementRequest) -> None:
    state = state_of(request)
    _check_state(state)
    check_statement(state)


def _check_state(state: State) -> None:
    if isinstance(state, AccountRequest | ReleasesRequest):
        run_of(state)
    elif isinstance(state, CalibrateRequest):
        _check_calibration(state)


def _fixed(content: bytes, media_type: str) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return Response(content, media_type=media_type)

    return endpoint


async def _health(request: Request) -> Response:
    return json_response(Health(status="ok", version=version("gaussdp")))


async def _definitions(request: Request) -> Response:
    return json_response(definitions())


async def _deployments(request: Request) -> Response:
    return json_response(deployments())


async def _refuse(request: Request, refusal: RefusalError) -> Response:
    return refusal.response()


async def _refuse_by_status(request: Request, error: HTTPException) -> Response:
    return refusal_response(error.status_code, _WORDS.get(error.status_code, error.detail), headers=error.headers)


async def _fail(request: Request, error: Exception) -> Response:
    # Made outside of the middleware, which would have added the headers.
    return refusal_response(
        500, "the server failed; its log says how", headers={**HEADERS, "Cache-Control": "no-store"}
    )
