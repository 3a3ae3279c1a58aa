"""TOML and JSON files that people write: read as text, with every key once; and TOML written."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gaussdp.errors import DomainError

_MOST_CHARACTERS = 1 << 25  # a file that people write has far fewer; a device has no end


def file_text(path: str | Path) -> tuple[str, str]:
    """The text of a file and its name for messages, or a DomainError that says why there is none.

    The mark that some editors put in front of UTF-8 is no part of the text.
    """
    file = Path(path)
    try:
        with file.open(encoding="utf-8-sig") as stream:
            text = stream.read(_MOST_CHARACTERS + 1)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise DomainError(None, place=str(file), problem=f"cannot be read: {reason}") from None
    if len(text) > _MOST_CHARACTERS:
        raise DomainError(None, place=str(file), problem=f"is too large: more than {_MOST_CHARACTERS:,} characters")
    return text, file.name


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


def toml(content: Mapping[str, Any]) -> str:
    """A mapping as TOML: its own keys first, then its tables and its lists of tables.

    >>> print(toml({"training": {"steps": 3}, "unit": "one person"}), end="")
    unit = "one person"
    <BLANKLINE>
    [training]
    steps = 3
    """
    plain = {key: value for key, value in content.items() if not _tables(value) and not isinstance(value, Mapping)}
    text = _lines(plain)
    for key, value in content.items():
        if isinstance(value, Mapping):
            named = value and all(isinstance(one, Mapping) for one in value.values())
            inner = {f"{key}.{_value(name)}": one for name, one in value.items()} if named else {key: value}
            text += "".join(f"\n[{head}]\n{_lines(one)}" for head, one in inner.items())
        elif _tables(value):
            text += "".join(f"\n[[{key}]]\n{_lines(entry)}" for entry in value)
    return text


def _tables(value: object) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(entry, Mapping) for entry in value)


def _lines(content: Mapping[str, Any]) -> str:
    return "".join(f"{key} = {_value(value)}\n" for key, value in content.items())


def _value(value: object) -> str:
    """A value in one line: texts, truths, numbers, lists and tables of these."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {_value(entry)}' for key, entry in value.items())} }}"
    return repr(value)
