"""One of several processes that answer requests; `gaussdp.web.serving` starts it and tells it what to know.

Run as `python -m gaussdp.web.front JSON`.
"""

import json
import os
import shutil
import socket
import sys
import threading
from pathlib import Path

from gaussdp.registry import named
from gaussdp.risks import register
from gaussdp.web.app import create_app
from gaussdp.web.limits import Limits
from gaussdp.web.running import run
from gaussdp.web.settings import Settings
from gaussdp.web.sharing import LEDGERS, Shared
from gaussdp.web.telling import logging_to
from gaussdp.web.work.remote import RemoteDesk


def main(told: str) -> None:
    """Answer requests until the keeper says otherwise, or is gone."""
    known = json.loads(told)
    threading.Thread(target=_end_with_the_keeper, args=(Path(known["path"]).parent,), daemon=True).start()
    for risk in known["risks"]:
        register(named(risk))
    limits = Limits(**known["settings"].pop("limits"))
    ledgers = json.loads(os.environ.get(LEDGERS, "[]"))
    settings = Settings(**known["settings"], ledgers=ledgers, limits=limits)
    listener, memory = known["descriptors"]
    with logging_to(settings.access_log), open(memory, "r+b", buffering=0) as file:  # noqa: PTH123
        shared = Shared(limits, known["number"], file)
        desk = RemoteDesk(known["path"])
        app = create_app(limits, settings.site, shared=shared, desk=desk, books=settings.books())
        run(app, limits, socket.socket(fileno=listener), lambda: print("ready", flush=True))  # noqa: T201


def _end_with_the_keeper(folder: Path) -> None:
    while os.read(0, 1):  # not through sys.stdin, whose lock an orderly end would wait for
        pass
    shutil.rmtree(folder, ignore_errors=True)  # of its socket, which it leaves behind if it was killed
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
