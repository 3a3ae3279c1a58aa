"""Run files: TOML or JSON, strict, with the key and the line in every refusal.

In TOML::

    unit = "one person"
    adjacency = "add-remove"
    sampling = "poisson"

    [training]
    noise_multiplier = 1.0
    dataset_size = 50_000
    batch_size = 256
    epochs = 20

Instead of `training`, a list `releases` as in a plan file describes any composition.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from gaussdp.domains import brief, nearest
from gaussdp.errors import DomainError
from gaussdp.mechanisms.plan import composed, file_text, parsed
from gaussdp.statements.run import KEYS, Run
from gaussdp.statements.training import Training

Built = TypeVar("Built")

TRAINING_KEYS = tuple(field.name for field in fields(Training))
TOP_KEYS = ("training", "releases", *(key for key in KEYS if key != "clip_norm"))


def read_run(path: str | Path) -> Run:
    """The run that a .toml or .json file describes."""
    return parse_run(*file_text(path))


def parse_run(text: str, name: str) -> Run:
    """The run that a text describes; its name ends in .toml or .json and stands in the messages."""
    return run_from(parsed(text, name), text, name)


def run_from(content: object, text: str = "", name: str = "run") -> Run:
    """The run that a mapping describes, as a run file would hold it.

    Args:
        content: the mapping.
        text: where it was read, to name lines.
        name: of the file, for messages.

    >>> training = {"noise_multiplier": 1.0, "sample_rate": 0.00512, "steps": 3907}
    >>> run_from({"unit": "one image", "adjacency": "add-remove", "training": training}).unit
    'one image'
    """
    where = _Place(text, name)
    if not isinstance(content, Mapping):
        raise DomainError(
            None,
            value=content,
            place=name,
            problem="must be a table of keys",
            got=type(content).__name__,
            advice="see docs/report.md",
        )
    where.refuse_unknown(content, TOP_KEYS, "")
    described = [key for key in ("training", "releases") if key in content]
    if len(described) != 1:
        got = "both" if described else "neither"
        raise DomainError(
            None,
            value=got,
            place=name,
            problem="must describe the mechanism by either a table [training] or a list [[releases]]",
            got=str(got),
        )
    rest = {key: value for key, value in content.items() if key not in ("training", "releases")}
    for key, value in rest.items():
        if value is None or value == "":
            raise where.located(
                DomainError(key, problem="must not be empty", advice="write a value, or leave the key out"), key
            )
    if "training" in content:
        if "dataset_size" in rest:
            raise where.located(
                DomainError("dataset_size", problem="belongs under [training], beside batch_size"), "dataset_size"
            )
        table = content["training"]
        if isinstance(table, Mapping):
            where.refuse_unknown(table, TRAINING_KEYS, "training")
        training = where.guarded(table, "training", lambda: _training(table))
        return where.guarded(content, "", lambda: Run.from_training(training, **rest))
    releases = content["releases"]
    if not isinstance(releases, list) or not releases:
        raise where.located(
            DomainError("releases", "a list with at least one entry, each with its `mechanism`"), "releases"
        )
    mechanism = composed(releases, text, name)
    return where.guarded(content, "", lambda: Run(mechanism=mechanism, **rest))


def _training(table: object) -> Training:
    if not isinstance(table, Mapping):
        raise DomainError(
            "training", "a table with noise_multiplier, dataset_size, batch_size and epochs", table, got=brief(table)
        )
    if "noise_multiplier" not in table:
        raise DomainError(
            "noise_multiplier",
            problem="is missing",
            advice="write the noise's standard deviation over the clipping norm",
        )
    for key, value in table.items():
        if value is None:
            raise DomainError(key, problem="must not be empty", advice="write a number, or leave the key out")
    return Training(**table)


class _Place:
    """A text with its name: puts file and line before a refusal."""

    def __init__(self, text: str, name: str) -> None:
        self._text, self._name = text, name

    def located(self, error: DomainError, key: object, inside: str = "") -> DomainError:
        """The refusal after the file and, if the key is set there, its line."""
        start = self._place(inside) if inside else 0
        place = self._place(key, start or 0)
        line = "" if place is None else f", line {self._text.count(chr(10), 0, place) + 1}"
        return error.at(f"{self._name}{line}")

    def _place(self, key: object, start: int = 0) -> int | None:
        """Where the key is set, as a value or as the head of a table, from this place on."""
        name = re.escape(str(key))
        setting = re.compile(rf'(?:^|(?<=[\s{{,]))"?{name}"?\s*[=:]|^\s*\[+\s*{name}\s*\]+', re.MULTILINE)
        found = setting.search(self._text, start) if self._text else None
        return found and found.end() - 1

    def refuse_unknown(self, table: Mapping[Any, object], known: tuple[str, ...], inside: str) -> None:
        """Refuse keys that nobody would read, with the nearest that someone would."""
        for key in table:
            if key in known:
                continue
            suggestion = nearest(key, known)
            hint = f"did you mean {suggestion!r}?" if suggestion else f"known are {', '.join(known)}"
            if inside and key in TOP_KEYS:
                hint = f"it belongs above [{inside}]"
            elif not inside and key in TRAINING_KEYS:
                hint = "it belongs under [training]"
            where = f" in [{inside}]" if inside else ""
            raise self.located(DomainError(None, problem=f"unknown key {brief(key)}{where}", advice=hint), key, inside)

    def guarded(self, table: object, inside: str, build: Callable[[], Built]) -> Built:
        """What build gives; its refusal gets the line of its parameter."""
        try:
            return build()
        except DomainError as error:
            present = isinstance(table, Mapping) and error.parameter in table
            raise self.located(
                error, error.parameter if present else inside or None, inside if present else ""
            ) from None
