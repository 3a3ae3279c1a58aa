"""Words that a person wrote into a run: kept to one printable line, so that no rendering can be led astray."""

import unicodedata

from gaussdp.errors import DomainError

LONGEST = 2000
MOST_ENTRIES = 100

_BIDIRECTIONAL = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # they reorder what follows


def line_of_words(key: str, value: object, example: str) -> str:
    """The value as one line without control characters; white space is folded.

    Args:
        key: its name in messages.
        value: what was given.
        example: what one could write instead.
    """
    if not isinstance(value, str):
        raise DomainError(key, "text", value, f"write, for example, {example}")
    words = " ".join(value.split())
    if not words:
        raise DomainError(key, problem="must not be empty", advice=f"write, for example, {example}")
    if len(words) > LONGEST:
        raise DomainError(
            key, problem=f"must have at most {LONGEST} characters", got=f"{len(words)}", advice="shorten it"
        )
    for character in words:
        if unicodedata.category(character) in ("Cc", "Cs") or character in _BIDIRECTIONAL:
            raise DomainError(
                key, "printable text", got=f"the control character U+{ord(character):04X}", advice="leave it out"
            )
    return words


def lines_of_words(key: str, value: object, example: str) -> tuple[str, ...]:
    """The value as a tuple of such lines; one text stands for a list of one."""
    if isinstance(value, str):
        return (line_of_words(key, value, example),)
    if not isinstance(value, list | tuple):
        raise DomainError(key, "a list of texts", value, f"write, for example, {example}")
    if len(value) > MOST_ENTRIES:
        raise DomainError(key, problem=f"must have at most {MOST_ENTRIES} entries", got=f"{len(value)}")
    return tuple(line_of_words(key, entry, example) for entry in value)
