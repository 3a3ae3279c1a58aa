"""How much one client, one request and one computation may take."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What the server allows; the defaults fit one person's machine.

    Attributes:
        body_bytes: largest request body.
        body_seconds: within which a body must have arrived, and headers before it.
        requests_per_second: that one client may send in the long run.
        burst: requests that one client may send at once.
        work_cost: requests for which one computation in a worker counts.
        clients: addresses whose rate is remembered.
        connections: open at once.
        workers: processes for accounting, calibration, figures and statements.
        waiting: computations that may wait for a worker; beyond, the answer is 503.
        work_seconds: after which a computation is stopped.
        work_bytes: of memory that one computation may use.
        progress_seconds: between two lines of progress.
        grace_seconds: that an abandoned computation may still take before its process is killed; most end by
            themselves, and a new process costs more than that.
    """

    body_bytes: int = 16_384
    body_seconds: float = 10.0
    requests_per_second: float = 120.0
    burst: int = 240
    work_cost: int = 8
    clients: int = 4_096
    connections: int = 400
    workers: int = 2
    waiting: int = 8
    work_seconds: float = 60.0
    work_bytes: int = 3 << 30
    progress_seconds: float = 0.25
    grace_seconds: float = 0.2
