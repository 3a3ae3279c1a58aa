"""Runs whose noise is so small that nothing can be computed about them."""

from collections.abc import Iterator
from contextlib import contextmanager

from gaussdp.errors import DomainError


@contextmanager
def within_doubles() -> Iterator[None]:
    """Turn losses beyond the range of a double into a refusal that says why."""
    try:
        yield
    except OverflowError:
        raise DomainError(
            "noise",
            "large enough for its privacy loss to be a number",
            got="a mechanism whose loss is beyond the range of a double",
            advice="it gives no privacy to speak of",
        ) from None
