"""A process that computes: requests come as lines of JSON, answers leave as lines of JSON.

Run as `python -m gaussdp.web.work.worker BYTES SECONDS [MODULE:RISK ...]`. Apart from the server, so that a computation
can be killed without harm, use no more memory and time than it may, and never keep the event loop waiting.
"""

import base64
import json
import os
import queue
import shutil
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Any

from gaussdp.errors import DomainError, GaussdpError
from gaussdp.registry import named
from gaussdp.risks import register
from gaussdp.web.replies import RefusalError, encoded, field_of, refusal_body
from gaussdp.web.schemas.kinds import read
from gaussdp.web.schemas.requests import (
    AccountRequest,
    AdviseRequest,
    CalibrateRequest,
    ChooseRequest,
    EntryRequest,
    FigureRequest,
    ImportRequest,
    ReleasesRequest,
    RulesRequest,
    StatementRequest,
    UnderstandRequest,
    state_of,
)
from gaussdp.web.views.account import Tell, account, calibrate, releases
from gaussdp.web.views.advise import advised
from gaussdp.web.views.choose import choose, rules
from gaussdp.web.views.deployments import imported
from gaussdp.web.views.statements import TYPES, picture, registry_entry, statement
from gaussdp.words import ENGLISH, speaking, spoken

Job = Callable[[dict[str, Any], Tell], Any]

_PICTURES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
PICTURE_TYPES, DOCUMENT_TYPES = tuple(_PICTURES.values()), tuple(TYPES.values())


def _account(body: dict[str, Any], tell: Tell) -> Any:
    return account(read(AccountRequest, body), tell)


def _calibrate(body: dict[str, Any], tell: Tell) -> Any:
    return calibrate(read(CalibrateRequest, body), tell)


def _releases(body: dict[str, Any], tell: Tell) -> Any:
    return releases(read(ReleasesRequest, body), tell)


def _figure(body: dict[str, Any], tell: Tell) -> Any:
    request = read(FigureRequest, body)
    content = picture(state_of(request), request.format, tell)
    return _file(f"gaussdp-{request.view}.{request.format}", _PICTURES[request.format], content)


def _statement(body: dict[str, Any], tell: Tell) -> Any:
    request = read(StatementRequest, body)
    return _file(*statement(request, state_of(request), tell))


def _entry(body: dict[str, Any], tell: Tell) -> Any:
    request = read(EntryRequest, body)
    return _file(*registry_entry(request, state_of(request), tell))


def _import(body: dict[str, Any], tell: Tell) -> Any:
    return imported(read(ImportRequest, body))


def _file(name: str, kind: str, content: bytes) -> dict[str, str]:
    return {"name": name, "type": kind, "content": base64.b64encode(content).decode()}


def _choose(body: dict[str, Any], tell: Tell) -> Any:
    return choose(read(ChooseRequest, body))


def _rules(body: dict[str, Any], tell: Tell) -> Any:
    return rules(read(RulesRequest, body))


def _advise(body: dict[str, Any], tell: Tell) -> Any:
    return advised(read(AdviseRequest, body))


def _ping(body: dict[str, Any], tell: Tell) -> Any:
    return "here"


def _draw(body: dict[str, Any], tell: Tell) -> Any:
    """Have everything loaded that a figure needs, fonts included."""
    picture(UnderstandRequest(mu=1.0), "svg", tell)
    return "drawn"


JOBS: Mapping[str, Job] = {
    "account": _account,
    "calibrate": _calibrate,
    "releases": _releases,
    "figure": _figure,
    "statement": _statement,
    "choose": _choose,
    "rules": _rules,
    "advise": _advise,
    "entry": _entry,
    "import": _import,
    "ping": _ping,
    "draw": _draw,
}

PULSE = "pulse"
"""What no job is called: asks whether the process lives."""
FOLDER = "GAUSSDP_WORKER_FOLDER"
"""The environment variable that tells a process its folder for temporary files, which goes with it."""
LANGUAGE = "speak"  # in a body, beside the fields that its request has
_MORE_SECONDS = 5.0  # beyond the limit that the server keeps itself; for when the server is gone


def spoken_to(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body for a worker, who is to answer in the language that is spoken here."""
    return {**body, LANGUAGE: spoken()}


def main(most_bytes: int, most_seconds: float, risks: Sequence[str] = ()) -> None:
    """Answer requests until there are no more.

    Args:
        most_bytes, most_seconds: what a computation may use.
        risks: where to find those that are registered and not gaussdp's own.
    """
    for name in risks:
        register(named(name))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not stand among the answers
    _limit("RLIMIT_AS", most_bytes)
    for asked in _requests(answers):
        _limit("RLIMIT_CPU", int(time.process_time() + most_seconds + _MORE_SECONDS))
        _write(answers, _answer(asked["job"], asked["body"], answers))


def _requests(answers: IO[bytes]) -> Iterator[dict[str, Any]]:
    """What the server asks, but for whether this process lives, which is answered at once, whatever it is doing.

    The lines end with the server, upon which this process ends too.
    """
    asked: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()

    def listen() -> None:
        for line in sys.stdin.buffer:
            request = json.loads(line)
            if request["job"] == PULSE:
                _write(answers, {PULSE: True})
            else:
                asked.put(request)
        if folder := os.environ.get(FOLDER):
            shutil.rmtree(folder, ignore_errors=True)  # as the server does, which may have been killed
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        yield asked.get()


def _answer(job: str, body: dict[str, Any], answers: IO[bytes]) -> dict[str, Any]:
    def tell(message: str) -> None:
        _write(answers, {"message": message})

    try:
        with speaking(body.pop(LANGUAGE, ENGLISH)):
            return {"result": JOBS[job](body, tell)}
    except RefusalError as error:
        return refusal_body(str(error), error.field)
    except DomainError as error:
        return refusal_body(str(error), field_of(error, body))
    except GaussdpError as error:
        return refusal_body(str(error))
    except MemoryError:
        return refusal_body("this needs more memory than one computation may use; try smaller or more usual numbers")
    except Exception:
        return {"failure": traceback.format_exc()}


def _write(answers: IO[bytes], content: dict[str, Any]) -> None:
    answers.write(encoded(content) + b"\n")
    answers.flush()


def _limit(what: str, most: int) -> None:
    """Hold this process to so much, where the system can."""
    try:
        import resource
    except ImportError:
        return
    kind = getattr(resource, what)
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:])
