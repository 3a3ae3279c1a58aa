"""What a worker can do, by name: each from the body of a request to JSON."""

import base64
from collections.abc import Callable, Mapping
from typing import Any

from gaussdp.documents.rendering import ENDINGS
from gaussdp.web.schemas.reading import read
from gaussdp.web.schemas.requests import AccountRequest, CalibrateRequest, FigureRequest, StatementRequest, state_of
from gaussdp.web.views.account import Tell, account, calibrate
from gaussdp.web.views.pictures import picture
from gaussdp.web.views.statements import statement

Job = Callable[[dict[str, Any], Tell], Any]

_PICTURES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
_DOCUMENTS = {
    "markdown": "text/markdown",
    "html": "text/html",
    "latex": "application/x-tex",
    "json": "application/json",
    "text": "text/plain",
}
PICTURE_TYPES, DOCUMENT_TYPES = tuple(_PICTURES.values()), tuple(_DOCUMENTS.values())


def _account(body: dict[str, Any], tell: Tell) -> Any:
    return account(read(AccountRequest, body), tell)


def _calibrate(body: dict[str, Any], tell: Tell) -> Any:
    return calibrate(read(CalibrateRequest, body), tell)


def _figure(body: dict[str, Any], tell: Tell) -> Any:
    request = read(FigureRequest, body)
    content = picture(state_of(request), request.format, tell)
    return _file(f"gaussdp-{request.view}.{request.format}", _PICTURES[request.format], content)


def _statement(body: dict[str, Any], tell: Tell) -> Any:
    request = read(StatementRequest, body)
    content = statement(request, state_of(request), tell).encode()
    return _file(f"gaussdp-{request.view}.{ENDINGS[request.format]}", _DOCUMENTS[request.format], content)


def _file(name: str, kind: str, content: bytes) -> dict[str, str]:
    return {"name": name, "type": kind, "content": base64.b64encode(content).decode()}


JOBS: Mapping[str, Job] = {
    "account": _account,
    "calibrate": _calibrate,
    "figure": _figure,
    "statement": _statement,
}
