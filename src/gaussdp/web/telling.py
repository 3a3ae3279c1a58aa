"""What the server tells its keeper: a log, and numbers for a monitor."""

import contextlib
import json
import logging
import sys
import time
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, Literal, TextIO

from gaussdp.web.sharing import Shared

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


def logs_requests() -> bool:
    """Whether there is an access log."""
    return ACCESS.isEnabledFor(logging.INFO)


def log_request(**facts: Any) -> None:
    """One line of the access log. What a client wrote is shown in ASCII: it can neither break nor paint lines."""
    if logs_requests():
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


MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
OTHER = "other"
STATUSES = (200, 304, 308, 400, 403, 404, 405, 408, 413, 415, 421, 422, 429, 500, 503)
REASONS = ("connections", "descriptors", "host", "queue", "rate", "site", "stopping")
SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
GAUGES = {
    "connections": "Connections that are open.",
    "waiting": "Computations that wait for their turn.",
    "computing": "Computations at work.",
}
COUNTERS = {
    "worker_restarts": "Worker processes that ended and were replaced.",
    "worker_deaths": "Worker processes that ended without being stopped, at work or not.",
    "failures": "Requests whose answer failed inside the server; the log has them by their id.",
}


class Metrics:
    """Counters of one process, and the sums over all.

    Args:
        shared: where they stand.
    """

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self._statuses = {status: i for i, status in enumerate((*STATUSES, OTHER))}
        self._numbers = shared.numbers
        names = (*GAUGES, *COUNTERS, *(f"refused {reason}" for reason in REASONS))
        self._single = {name: i for i, name in enumerate(names)}
        self._width = len(SECONDS) + 2  # the last bucket, which has no end, and the sum
        self.count_apart(())

    def count_apart(self, paths: Sequence[str]) -> None:
        """Count these paths each for itself, all others as one; the same in every process, before the first request."""
        self._paths = {path: i for i, path in enumerate((*paths, OTHER))}
        self._requests = len(self._single)
        self._latencies = self._requests + len(self._paths) * len(self._statuses)

    def answered(self, path: str, status: int, seconds: float) -> None:
        """One request with its status and how long it took."""
        row = self._paths.get(path, len(self._paths) - 1)
        column = self._statuses.get(status, len(self._statuses) - 1)
        self._numbers[self._requests + row * len(self._statuses) + column] += 1
        first = self._latencies + row * self._width
        self._numbers[first + bisect_left(SECONDS, seconds)] += 1
        self._numbers[first + self._width - 1] += seconds

    def add(self, name: str, change: float = 1) -> None:
        """Count one of the gauges, counters or, as "refused REASON", refusals up or down."""
        self._numbers[self._single[name]] += change

    def forget(self, process: int) -> None:
        """What a process that is no more had open."""
        for name in GAUGES:
            self.shared.columns[process][self._single[name]] = 0

    def value(self, name: str) -> float:
        """The sum of a gauge or a counter."""
        return self.shared.total(self._single[name])

    def text(self) -> str:
        """All of it."""
        return "\n".join([*self._lines(), ""])

    def _lines(self) -> Iterator[str]:
        for kind, names in (("gauge", GAUGES), ("counter", COUNTERS)):
            for name, meaning in names.items():
                full = f"gaussdp_{name}" + ("_total" if kind == "counter" else "")
                yield from _head(full, kind, meaning)
                yield f"{full} {self.value(name):g}"
        yield from _head("gaussdp_refusals_total", "counter", "Requests that were refused to protect the server.")
        for reason in REASONS:
            yield f'gaussdp_refusals_total{{reason="{reason}"}} {self.value(f"refused {reason}"):.0f}'
        yield from _head("gaussdp_requests_total", "counter", "Requests by path and status.")
        for path, row in self._paths.items():
            for status, column in self._statuses.items():
                count = self.shared.total(self._requests + row * len(self._statuses) + column)
                if count:
                    yield f'gaussdp_requests_total{{path="{path}",status="{status}"}} {count:.0f}'
        yield from _head(
            "gaussdp_request_seconds", "histogram", "From the headers of a request to the end of its answer."
        )
        for path, row in self._paths.items():
            yield from self._histogram(path, self._latencies + row * self._width)

    def _histogram(self, path: str, first: int) -> Iterator[str]:
        counts = [self.shared.total(first + i) for i in range(self._width - 1)]
        if not any(counts):
            return
        so_far = 0.0
        for most, count in zip((*SECONDS, "+Inf"), counts, strict=True):
            so_far += count
            yield f'gaussdp_request_seconds_bucket{{path="{path}",le="{most}"}} {so_far:.0f}'
        yield f'gaussdp_request_seconds_sum{{path="{path}"}} {self.shared.total(first + self._width - 1):.9g}'
        yield f'gaussdp_request_seconds_count{{path="{path}"}} {so_far:.0f}'


def _head(name: str, kind: str, meaning: str) -> Iterator[str]:
    yield f"# HELP {name} {meaning}"
    yield f"# TYPE {name} {kind}"
