"""Entries of OpenDP's registry of deployments, read as ours: in every layout that its data files have had."""

import json
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from gaussdp.documents.structured import file_text
from gaussdp.errors import DomainError, MissingExtraError
from gaussdp.published.catalogue import Deployment, Period, Setting
from gaussdp.words import say

_ENDINGS = (".yaml", ".yml", ".json")
_LONGEST = 200_000  # characters of an entry; the longest of the registry has 12,000
_KEPT = 300  # characters of a description
_NOT_STATED = "not stated"

# Where the registry has kept a thing: the newest place first.
_BASIC = (("deployment", "basic"), ("deployment", "product"), ("deployment",))
_VARIANT = (("deployment", "dp_variant"), ("deployment", "dp_flavor"))
_LOSS = (("deployment", "privacy_loss"),)
_MODEL = (("deployment", "deployment_model"), ("deployment", "model"))
_WORK = (("deployment", "implementation"), ("deployment", "accounting"), ("deployment", "additional_dp_information"))
_BACKGROUND = (("deployment", "administrative"), ("deployment", "resources"), ("deployment",))

_SETTINGS: dict[str, Setting] = {
    "central": "central",
    "local": "local",
    "shuffle": "shuffle",
    "federated": "federated",
    "varies": "varies",
}
_PERIOD = re.compile(r"\b(?:(day|dai)|(week)|(month)|(quarter)|(year|annual))(?:s|ly)?\b", re.I)
_PERIODS: tuple[Period, ...] = ("day", "week", "month", "quarter", "year")
_OTHER_NOISE = re.compile(
    r"laplace|exponential|geometric|randomi[sz]ed response|report.noisy.max|noisy.?max|skellam|permute.and.flip|"
    r"staircase|hadamard|threshold",
    re.I,
)
_ADDRESS = re.compile(r"https://[^\s\"'<>)\]]+")


def read_registry(path: str | Path) -> tuple[Deployment, ...]:
    """The deployments in a file of OpenDP's registry, or in all of a folder.

    A mu is derived from a pure epsilon, and from a rho where the entry speaks of Gaussian noise and of no other; from
    anything else none follows. What is released often gets the period that its unit of privacy names; where it names
    none, it is not known what a year spends.

    Args:
        path: a .yaml, .yml or .json file, or a folder of them; YAML needs pip install "gaussdp[registry]".
    Raises:
        DomainError: naming the file and what is wrong.
        MissingExtraError: for YAML, if PyYAML is not installed.
    Reference: github.com/opendp/deployments-registry-data; see docs/deployments.md for the versions.
    """
    place = Path(path)
    files = sorted(one for one in place.iterdir() if one.suffix in _ENDINGS) if place.is_dir() else [place]
    if not files:
        raise DomainError(None, place=str(place), problem=f"holds no file that ends in {', '.join(_ENDINGS)}")
    return tuple(parse_registry(*file_text(file)) for file in files)


def parse_registry(text: str, name: str) -> Deployment:
    """The deployment in the text of a file of this name; see `read_registry`."""
    return _deployment(_content(text, name), name)


def _content(text: str, name: str) -> Any:
    if len(text) > _LONGEST:
        raise DomainError(
            None, place=name, problem=say("is longer than an entry of {most:,} characters", most=_LONGEST)
        )
    if not name.endswith(_ENDINGS):
        problem = say("the name must end in {endings}", endings=", ".join(_ENDINGS))
        raise DomainError(None, place=name, problem=problem)
    if name.endswith(".json"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise DomainError(None, place=name, problem=str(error)) from None
    try:
        yaml = import_module("yaml")
    except ImportError:
        raise MissingExtraError('files of the registry need PyYAML: pip install "gaussdp[registry]"') from None
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise DomainError(
            None, place=name, problem=say("is no YAML: {error}", error=" ".join(str(error).split())[:200])
        ) from None


def _deployment(content: Any, name: str) -> Deployment:
    if not isinstance(content, Mapping) or not isinstance(content.get("deployment"), Mapping):
        raise DomainError(
            None, place=name, problem=say("is no entry of the registry: it has no {key}", key="deployment")
        )
    try:
        return Deployment(**_fields(content, name))
    except DomainError as error:
        raise error.at(name) from None


def _fields(content: Mapping[str, Any], name: str) -> dict[str, Any]:
    unit = _text(content, _LOSS, "privacy_unit") or _NOT_STATED
    model = _text(content, _MODEL, "model_name", "model_type").lower()
    return {
        "name": _needed(content, name, "name", "short_name"),
        "organisation": _curators(content) or _NOT_STATED,
        "year": _year(content, name),
        "unit": unit,
        "setting": _SETTINGS.get(model, "not stated"),
        "covers": _covers(content),
        "source": f"OpenDP Deployments Registry, {_text(content, ((),), 'url_slug') or name}",
        "url": _address(content),
        "period": _period(content, unit),
        **_guarantee(content),
    }


def _guarantee(content: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers, and whether a mu may be derived from them."""
    parameters = _found(content, _LOSS, "privacy_parameters")
    numbers = {key: _number(parameters, key) for key in ("epsilon", "delta", "rho")}
    variant = _text(content, _VARIANT, "variant_name", "name").lower()
    pure, gaussian = "pure" in variant and not _has(parameters, "delta"), _only_gaussian(content)
    if numbers["rho"] is not None and ("concentrated" in variant or numbers["epsilon"] is None):
        return {"rho": numbers["rho"], "follows": gaussian}
    epsilon, delta = numbers["epsilon"], numbers["delta"]
    return {"epsilon": epsilon, "delta": delta, "follows": epsilon is not None and pure}


def _only_gaussian(content: Mapping[str, Any]) -> bool:
    """Whether its words on mechanisms name Gaussian noise and none besides."""
    words = _text(content, _WORK, "mechanisms")
    return "gaussian" in words.lower() and not _OTHER_NOISE.search(words)


def _number(parameters: Any, key: str) -> Any:
    """The number; None where there is none, or only a formula."""
    value = parameters.get(key) if isinstance(parameters, Mapping) else None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    return value


def _has(parameters: Any, key: str) -> bool:
    return isinstance(parameters, Mapping) and parameters.get(key) not in (None, "", 0)


def _period(content: Mapping[str, Any], unit: str) -> Period:
    found = _PERIOD.search(unit.replace("-", " ").replace("_", " "))
    if found:
        return next(period for period, part in zip(_PERIODS, found.groups(), strict=True) if part)
    often = _text(content, _MODEL, "release_type").lower() in ("many releases", "continual")
    return "not stated" if often or _found(content, _MODEL, "is_many_release") is True else ""


def _covers(content: Mapping[str, Any]) -> str:
    parts = (
        ("", _text(content, _BASIC, "description", "data_product_description")),
        ("Composition: ", _text(content, _WORK, "composition")),
        ("Not protected: ", _text(content, _VARIANT, "unprotected_quantities")),
    )
    return " ".join(f"{head}{_short(words)}" for head, words in parts if words) or _NOT_STATED


def _short(words: str) -> str:
    return words if len(words) <= _KEPT else f"{words[:_KEPT].rsplit(' ', 1)[0]} …"


def _curators(content: Mapping[str, Any]) -> str:
    found = _found(content, _BASIC, "data_curators", "data_curator")
    listed = found if isinstance(found, list) else [found]
    names = (one.get("data_curator_name") if isinstance(one, Mapping) else one for one in listed)
    return " and ".join(_line(name) for name in names if name)


def _year(content: Mapping[str, Any], name: str) -> int:
    date = _needed(content, name, "publication_date")
    if not re.match(r"\d{4}\b", date):
        raise DomainError(
            None, place=name, problem=say("publication_date must be a date such as 2026-01-31"), got=date[:40]
        )
    return int(date[:4])


def _address(content: Mapping[str, Any]) -> str:
    """The first address under its sources; without them none."""
    for place in _BACKGROUND:
        inside = _at(content, place)
        for key in ("evidence_sources", "sources", "additional_information_url"):
            if isinstance(inside, Mapping) and (found := _ADDRESS.search(" ".join(_strings(inside.get(key))))):
                return found[0].rstrip(".,;")
    return ""


def _strings(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth < 4 and isinstance(value, Mapping | list):
        for inside in value.values() if isinstance(value, Mapping) else value:
            yield from _strings(inside, depth + 1)


def _needed(content: Mapping[str, Any], name: str, *keys: str) -> str:
    found = _text(content, _BASIC, *keys)
    if not found:
        raise DomainError(None, place=name, problem=say("is no entry of the registry: it has no {key}", key=keys[0]))
    return found


def _text(content: Mapping[str, Any], places: tuple[tuple[str, ...], ...], *keys: str) -> str:
    """The first of these in the first of these places, on one line; "" if there is none."""
    return _line(_found(content, places, *keys))


def _found(content: Mapping[str, Any], places: tuple[tuple[str, ...], ...], *keys: str) -> Any:
    for place in places:
        inside = _at(content, place)
        for key in keys:
            if isinstance(inside, Mapping) and inside.get(key) not in (None, ""):
                return inside[key]
    return None


def _at(content: Any, place: tuple[str, ...]) -> Any:
    for key in place:
        content = content.get(key) if isinstance(content, Mapping) else None
    return content


def _line(value: Any) -> str:
    return "" if value is None or isinstance(value, Mapping | list) else " ".join(str(value).split())
