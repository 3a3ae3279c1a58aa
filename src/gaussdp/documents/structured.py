"""TOML and JSON files that people write: read as text, with every key once."""

import json
import tomllib
from pathlib import Path
from typing import Any

from gaussdp.errors import DomainError


def file_text(path: str | Path) -> tuple[str, str]:
    """The text of a file and its name for messages, or a DomainError that says why there is none.

    The mark that some editors put in front of UTF-8 is no part of the text.
    """
    file = Path(path)
    try:
        return file.read_text(encoding="utf-8-sig"), file.name
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise DomainError(None, place=str(file), problem=f"cannot be read: {reason}") from None


def parsed(text: str, name: str) -> Any:
    """The content of a TOML or JSON text, told apart by the ending of its name."""
    plain = text.removeprefix("\ufeff")
    try:
        if name.endswith(".toml"):
            return tomllib.loads(plain)
        if name.endswith(".json"):
            return json.loads(plain, object_pairs_hook=_each_key_once)
    except ValueError as error:  # what both parsers raise, also for a number of thousands of digits
        raise DomainError(None, place=name, problem=str(error)) from None
    except RecursionError:
        raise DomainError(None, place=name, problem="is nested too deeply to be read") from None
    raise DomainError(None, place=name, problem="the name must end in .toml or .json")


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object, which TOML would refuse with a key twice: which of the two is meant, nobody knows."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"states the key {twice[:40]!r} twice; keep one")
    return found
