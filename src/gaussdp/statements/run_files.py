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

from collections.abc import Callable, Mapping
from dataclasses import fields
from os import PathLike
from pathlib import Path
from typing import Any, Protocol, TypeVar

from gaussdp.documents.files import file_text, parsed, setting
from gaussdp.domains import instance, nearest
from gaussdp.errors import DomainError, brief
from gaussdp.mechanisms import DPSGD, Mechanism, registered
from gaussdp.mechanisms.composition import composed
from gaussdp.statements.training import TOLD, Training

Built = TypeVar("Built")
Made = TypeVar("Made", covariant=True)

TRAINING_KEYS = tuple(field.name for field in fields(Training))


class RunKind(Protocol[Made]):
    """What can be built from a file: a class with these ways to make one."""

    def file_keys(self) -> tuple[str, ...]:
        """What a file may hold besides the mechanism."""

    def __call__(self, *args: Any, **kwargs: Any) -> Made:
        """From a mechanism."""

    def from_training(self, training: Training, **rest: Any) -> Made:
        """From the numbers of a training script."""


def read_file(run: RunKind[Built], path: str | Path) -> Built:
    """The run that a .toml or .json file describes."""
    instance("path", path, (str, PathLike), "a path")
    return parse_text(run, *file_text(path))


def parse_text(run: RunKind[Built], text: str, name: str) -> Built:
    """The run that a text describes; its name ends in .toml or .json and stands in the messages."""
    for parameter, value in (("text", text), ("name", name)):
        instance(parameter, value, str, "a text")
    return run_from(run, parsed(text, name), text, name)


def run_from(run: RunKind[Built], content: object, text: str = "", name: str = "run") -> Built:
    """The run that a mapping describes, as a run file would hold it.

    Args:
        run: what to build: the class of runs.
        content: the mapping.
        text: where it was read, to name lines.
        name: of the file, for messages.
    """
    where = _Place(text, name, ("training", "releases", *run.file_keys()))
    if not isinstance(content, Mapping):
        raise DomainError(
            None, value=content, place=name, problem="must be a table of keys", advice="see docs/report.md"
        )
    where.refuse_unknown(content, where.top_keys, "")
    described = [key for key in ("training", "releases") if key in content]
    if len(described) != 1:
        got = "both" if described else "neither"
        raise DomainError(
            None,
            got=got,
            place=name,
            problem="must describe the mechanism by either a table [training] or a list [[releases]]",
        )
    rest = {key: value for key, value in content.items() if key not in ("training", "releases")}
    for key, value in rest.items():
        if value is None or value == "":
            raise where.located(
                DomainError(key, problem="must not be empty", advice="write a value, or leave the key out"), key
            )
    if "training" in content:
        for key in TOLD:
            if key in rest:
                raise where.located(DomainError(key, problem="belongs under [training], beside batch_size"), key)
        table = content["training"]
        if isinstance(table, Mapping):
            where.refuse_unknown(table, TRAINING_KEYS, "training")
        training = where.guarded(table, "training", lambda: _training(table))
        return where.guarded(content, "", lambda: run.from_training(training, **rest))
    releases = content["releases"]
    if not isinstance(releases, list) or not releases:
        raise where.located(
            DomainError("releases", "a list with at least one entry, each with its `mechanism`"), "releases"
        )
    mechanism = composed(releases, text, name)
    return where.guarded(content, "", lambda: run(mechanism=mechanism, **rest))


def described(mechanism: Mechanism, told: Mapping[str, object]) -> dict[str, Any]:
    """A mechanism as a run file holds it: as a training, with what is told of that, or as releases beside it.

    Raises:
        DomainError: if it is, or holds, a mechanism that files do not know.
    """
    if isinstance(mechanism, DPSGD) and (mechanism.adjacency, mechanism.records_per_unit) == ("add-remove", 1):
        numbers = ("noise_multiplier", "sample_rate", "steps")
        return {"training": {**{key: getattr(mechanism, key) for key in numbers}, **told}}
    releases = [(one.plan_entry(), {"times": count} if count > 1 else {}) for one, count in mechanism.releases()]
    for entry, _ in releases:
        if entry["mechanism"] not in registered():
            raise DomainError("mechanism", "one that run files know", mechanism)
    return {**told, "releases": [{**entry, **times} for entry, times in releases]}


def _training(table: object) -> Training:
    if not isinstance(table, Mapping):
        raise DomainError("training", "a table with noise_multiplier, dataset_size, batch_size and epochs", table)
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

    def __init__(self, text: str, name: str, top_keys: tuple[str, ...]) -> None:
        self._text, self._name, self.top_keys = text, name, top_keys

    def located(self, error: DomainError, key: object, inside: str = "") -> DomainError:
        """The refusal after the file and, if the key is set there, its line."""
        start = self._place(inside) if inside else 0
        place = self._place(key, start or 0)
        line = "" if place is None else f", line {self._text.count(chr(10), 0, place) + 1}"
        return error.at(f"{self._name}{line}")

    def _place(self, key: object, start: int = 0) -> int | None:
        """Where the key is set, as a value or as the head of a table, from this place on."""
        found = setting(str(key)).search(self._text, start) if self._text else None
        return found and found.end() - 1

    def refuse_unknown(self, table: Mapping[Any, object], known: tuple[str, ...], inside: str) -> None:
        """Refuse keys that nobody would read, with the nearest that someone would."""
        for key in table:
            if key in known:
                continue
            suggestion = nearest(key, known)
            hint = f"did you mean {suggestion!r}?" if suggestion else f"known are {', '.join(known)}"
            if inside and key in self.top_keys:
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
