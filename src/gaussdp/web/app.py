"""The calculator as an ASGI application: routes, and what stands before them."""

import contextlib
from collections.abc import AsyncIterator, Collection
from importlib.metadata import version
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gaussdp.web.encoding import json_response
from gaussdp.web.endpoints import closed_form, in_a_thread
from gaussdp.web.limits import Limits
from gaussdp.web.refusals import RefusalError, refusal_response
from gaussdp.web.safety.bodies import BodyLimit
from gaussdp.web.safety.headers import SafeHeaders
from gaussdp.web.safety.hosts import LOOPBACK_NAMES, KnownHosts
from gaussdp.web.safety.rates import RateLimit
from gaussdp.web.schemas.requests import (
    AccountRequest,
    CalibrateRequest,
    ChooseRequest,
    PointRequest,
    RulesRequest,
    UnderstandRequest,
)
from gaussdp.web.schemas.responses import Health
from gaussdp.web.static_files import StaticFiles
from gaussdp.web.streaming import in_a_worker
from gaussdp.web.views.choose import choose
from gaussdp.web.views.deployments import deployments
from gaussdp.web.views.point import mu_through
from gaussdp.web.views.rules import rules
from gaussdp.web.views.training import run_of, target_of
from gaussdp.web.views.understand import understand
from gaussdp.web.work.pool import Pool

API = "/api/v1"
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
    routes = [
        Route("/", files.page, methods=["GET"]),
        Route("/static/{path:path}", files.file, methods=["GET"]),
        Route("/healthz", _health, methods=["GET"]),
        Route(f"{API}/choose", closed_form(ChooseRequest, choose), methods=["POST"]),
        Route(f"{API}/rules", in_a_thread(RulesRequest, rules), methods=["POST"]),
        Route(f"{API}/understand", closed_form(UnderstandRequest, understand), methods=["POST"]),
        Route(f"{API}/mu-through", closed_form(PointRequest, mu_through), methods=["POST"]),
        Route(f"{API}/deployments", _deployments, methods=["GET"]),
        Route(f"{API}/account", in_a_worker(AccountRequest, "account", pool, run_of), methods=["POST"]),
        Route(f"{API}/calibrate", in_a_worker(CalibrateRequest, "calibrate", pool, _check), methods=["POST"]),
    ]
    costs = {f"{API}/{name}": allowed.work_cost for name in ("account", "calibrate", "figure", "statement")}
    middleware = [
        Middleware(SafeHeaders),
        Middleware(KnownHosts, names=hosts, addresses=any_address),
        Middleware(RateLimit, limits=allowed, costs=costs),
        Middleware(BodyLimit, limits=allowed),
    ]
    handlers: dict[Any, Any] = {RefusalError: _refuse, HTTPException: _refuse_by_status, 500: _fail}
    return Starlette(
        routes=routes, middleware=middleware, exception_handlers=handlers, lifespan=lambda app: _running(pool)
    )


@contextlib.asynccontextmanager
async def _running(pool: Pool) -> AsyncIterator[None]:
    await pool.warm()
    try:
        yield
    finally:
        await pool.close()


def _check(request: CalibrateRequest) -> None:
    run_of(request)
    target_of(request)


async def _health(request: Request) -> Response:
    return json_response(Health(status="ok", version=version("gaussdp")))


async def _deployments(request: Request) -> Response:
    return json_response(deployments())


async def _refuse(request: Request, refusal: RefusalError) -> Response:
    return refusal.response()


async def _refuse_by_status(request: Request, error: HTTPException) -> Response:
    return refusal_response(error.status_code, _WORDS.get(error.status_code, error.detail), headers=error.headers)


async def _fail(request: Request, error: Exception) -> Response:
    return refusal_response(500, "the server failed; its log says how")
