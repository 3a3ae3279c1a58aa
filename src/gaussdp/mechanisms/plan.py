"""A composition described in a file: TOML or JSON, with one entry a release.

The format, in TOML::

    [[releases]]
    mechanism = "dpsgd"
    noise_multiplier = 0.5
    dataset_size = 50_000
    batch_size = 100
    epochs = 20

    [[releases]]
    mechanism = "laplace"
    scale = 10.0
    times = 3
"""

import re
from pathlib import Path
from typing import Any

from gaussdp.documents.structured import file_text, parsed
from gaussdp.errors import DomainError
from gaussdp.mechanisms.base import Mechanism
from gaussdp.mechanisms.composition import Composition
from gaussdp.mechanisms.registry import from_entry, registered


def read_plan(path: str | Path) -> Composition:
    """The composition that a file describes.

    Args:
        path: a .toml or .json file with a list `releases`; each has a `mechanism`, the parameters of that kind, and
            optionally `times`.
    Raises:
        DomainError: naming the file, the line and what is wrong there.
    """
    return parse_plan(*file_text(path))


def parse_plan(text: str, name: str) -> Composition:
    """The composition that a text describes; its name ends in .toml or .json and stands in the messages."""
    content = parsed(text, name)
    releases = content.get("releases") if isinstance(content, dict) else None
    if not isinstance(releases, list) or not releases:
        raise DomainError(None, place=name, problem="must hold a list `releases` with at least one entry")
    unknown = sorted(set(content) - {"releases"})
    if unknown:
        raise DomainError(
            None,
            place=f"{name}, line {line_of(text, unknown[0])}",
            problem=f"unknown key {unknown[0]!r}",
            advice="only `releases` is known",
        )
    return composed(releases, text, name)


def composed(releases: list[Any], text: str, name: str) -> Composition:
    """The composition of the entries of `releases`, which stand in this text of this name."""
    return Composition([_release(text, name, number, entry) for number, entry in enumerate(releases, start=1)])


def _release(text: str, name: str, number: int, entry: Any) -> Mechanism:
    """The mechanism of one entry."""
    if not isinstance(entry, dict) or "mechanism" not in entry:
        raise DomainError(
            None, place=name, problem=f"release {number} must name its `mechanism`: one of {', '.join(registered())}"
        )
    here = f"{name}, line {line_of(text, 'mechanism', number)}"
    try:
        return from_entry(entry)
    except DomainError as error:
        raise error.at(here) from None


def line_of(text: str, key: str, occurrence: int = 1) -> int:
    """The line of the nth place where this key is set."""
    places = [match.start() for match in re.finditer(rf'(?m)(?:^|[\s{{,])"?{re.escape(key)}"?\s*[=:]', text)]
    place = places[min(occurrence, len(places)) - 1] if places else 0
    return text.count("\n", 0, place + 1) + 1
