"""The log: one line a request, if wanted, and always what went wrong."""

import contextlib
import json
import logging
import sys
import time
from collections.abc import Iterator
from typing import Any, Literal, TextIO

Kind = Literal["off", "text", "json"]
KINDS: tuple[Kind, ...] = ("off", "text", "json")

LOG = logging.getLogger("gaussdp.serve")
ACCESS = logging.getLogger("gaussdp.serve.access")
_OTHERS = ("uvicorn.error", "asyncio")  # what they report belongs to the same log


class _Text(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        facts: dict[str, Any] | None = getattr(record, "facts", None)
        words = record.getMessage() if facts is None else _request(facts)
        trace = f"\n{self.formatException(record.exc_info)}" if record.exc_info else ""
        return f"{_time(record.created)} {record.levelname.lower()} {words}{trace}"


class _JSON(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        content = {"time": _time(record.created), "level": record.levelname.lower(), "message": record.getMessage()}
        content |= getattr(record, "facts", {})
        if record.exc_info:
            content["traceback"] = self.formatException(record.exc_info)
        return json.dumps(content, ensure_ascii=True)


def _request(facts: dict[str, Any]) -> str:
    return (
        f"{facts['address']} {facts['method']} {facts['path']} {facts['status']} {facts['bytes']} bytes"
        f" {facts['milliseconds']:g} ms {facts['request_id']}"
    )


def _time(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds % 1 * 1000):03d}Z"


def log_request(**facts: Any) -> None:
    """One line of the access log. What a client wrote is shown in ASCII: it can neither break nor paint lines."""
    if ACCESS.isEnabledFor(logging.INFO):
        shown = {name: _plain(fact) if isinstance(fact, str) else fact for name, fact in facts.items()}
        ACCESS.info("request", extra={"facts": shown})


def _plain(text: str) -> str:
    return "".join(c if 32 < ord(c) < 127 else f"%{ord(c):02x}" for c in text[:_LONGEST])


_LONGEST = 500


@contextlib.contextmanager
def logging_to(kind: Kind, stream: TextIO | None = None) -> Iterator[None]:
    """Write the log to a stream, stderr if None; without the lines of requests if off."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(_JSON() if kind == "json" else _Text())
    loggers = [LOG, *(logging.getLogger(name) for name in _OTHERS)]
    before = [(logger, logger.propagate) for logger in loggers]
    ACCESS.setLevel(logging.INFO if kind != "off" else logging.WARNING)
    LOG.setLevel(logging.INFO)
    for logger in loggers:
        logger.addHandler(handler)
        logger.propagate = False
    try:
        yield
    finally:
        for logger, propagate in before:
            logger.removeHandler(handler)
            logger.propagate = propagate
