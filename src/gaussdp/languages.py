"""In which language documents and messages speak."""

from collections.abc import Iterator
from contextlib import contextmanager

from gaussdp.domains import one_of
from gaussdp.words import LANGUAGES, speaking


@contextmanager
def language(tag: str) -> Iterator[None]:
    """Speak this language for a while, in this thread or task: explanations, choices, advice, records, refusals.

    Args:
        tag: "en" or "de".
    Raises:
        DomainError: if there is no such language.

    >>> import gaussdp
    >>> with gaussdp.language("de"):
    ...     gaussdp.explain(1.0).title
    'Was μ = 1 bedeutet'
    """
    with speaking(one_of("language", tag, tuple(LANGUAGES))):
        yield
