"""What a worker can do, by name: each from the body of a request to JSON."""

from collections.abc import Callable, Mapping
from typing import Any

from gaussdp.web.schemas.reading import read
from gaussdp.web.schemas.requests import AccountRequest, CalibrateRequest
from gaussdp.web.views.account import Tell, account, calibrate

Job = Callable[[dict[str, Any], Tell], Any]


def _account(body: dict[str, Any], tell: Tell) -> Any:
    return account(read(AccountRequest, body), tell)


def _calibrate(body: dict[str, Any], tell: Tell) -> Any:
    return calibrate(read(CalibrateRequest, body), tell)


JOBS: Mapping[str, Job] = {"account": _account, "calibrate": _calibrate}
