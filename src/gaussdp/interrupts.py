"""Ctrl-C while a program still loads: it ends, with the exit code of an interrupt and without a word."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130


@contextmanager
def ending_at_once() -> Iterator[None]:
    """Where nothing is under way that an end could spoil; elsewhere Ctrl-C is an exception, which unwinds it.

    Modules that are being imported cannot be relied on to pass that exception on: some print it, some take it for a
    module that is missing.
    """
    try:
        before = signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))
    except ValueError:  # not the thread that signals are for
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
