"""OpenDP's registry of deployments: its entries read as ours, and entries written so that its schema accepts them."""

import json
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path
from typing import Any, Literal

from gaussdp.documents.files import file_text
from gaussdp.domains import one_of
from gaussdp.errors import DomainError
from gaussdp.published.catalogue import Deployment, Setting
from gaussdp.published.entry_text import entry_content, number_in
from gaussdp.published.periods import Period, period_named
from gaussdp.words import say

_ENDINGS = (".yaml", ".yml", ".json")
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
_OTHER_NOISE = re.compile(
    r"laplace|exponential|geometric|randomi[sz]ed response|report.noisy.max|noisy.?max|skellam|permute.and.flip|"
    r"staircase|hadamard|threshold",
    re.I,
)
_SEVERAL_UNITS = re.compile(r";|\band\b", re.I)
_ADDRESS = re.compile(r"https://[^\s\"'<>)\]]+")


def read_registry(path: str | Path) -> tuple[Deployment, ...]:
    """The deployments in a file of OpenDP's registry, or in all of a folder.

    A mu is derived from a pure epsilon, and from a rho where the entry speaks of Gaussian noise and of no other; from
    anything else none follows, nor where one number is said of several units of privacy. The period is the one that the
    unit of privacy names; where it names none and the entry does not say that it is released once, it is not known what
    a year spends. A time that is not understood is refused.

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
    if not name.endswith(_ENDINGS):
        problem = say("the name must end in {endings}", endings=", ".join(_ENDINGS))
        raise DomainError(None, place=name, problem=problem)
    try:
        return Deployment(**_fields(entry_content(text, name), name))
    except DomainError as error:
        raise error.at(name) from None


def _fields(content: Any, name: str) -> dict[str, Any]:
    if not isinstance(content, Mapping) or not isinstance(content.get("deployment"), Mapping):
        raise DomainError(None, problem=say("is no entry of the registry: it has no {key}", key="deployment"))
    unit = _text(content, _LOSS, "privacy_unit") or _NOT_STATED
    model = _text(content, _MODEL, "model_name", "model_type").lower()
    return {
        "name": _short(_needed(content, "name", "short_name")),
        "organisation": _short(_curators(content)) or _NOT_STATED,
        "year": _year(content),
        "unit": _short(unit),
        "setting": _SETTINGS.get(model, "not stated"),
        "covers": _covers(content),
        "source": f"OpenDP Deployments Registry, {_short(_text(content, ((),), 'url_slug')) or name}",
        "url": _address(content),
        "period": _period(content, unit),
        **_guarantee(content, several=bool(_SEVERAL_UNITS.search(unit))),
    }


def _guarantee(content: Mapping[str, Any], several: bool) -> dict[str, Any]:
    """The numbers, and whether a mu may be derived from them: not where one number is said of several units."""
    parameters = _found(content, _LOSS, "privacy_parameters")
    numbers = {key: _number(parameters, key) for key in ("epsilon", "delta", "rho")}
    variant = _text(content, _VARIANT, "variant_name", "name").lower()
    pure = "pure" in variant and not _has(parameters, "delta") and not several
    gaussian = _only_gaussian(content) and not several
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
    if not isinstance(value, str):
        return value
    try:
        return number_in(value.strip())
    except DomainError as error:
        raise error.changed(parameter=key) from None


def _has(parameters: Any, key: str) -> bool:
    return isinstance(parameters, Mapping) and parameters.get(key) not in (None, "", 0)


def _period(content: Mapping[str, Any], unit: str) -> Period:
    """The one that the unit names; without one, "" for what is said to be released once."""
    kind = _text(content, _MODEL, "release_type").lower()
    once = kind.startswith("one") or (not kind and _found(content, _MODEL, "is_many_release") is False)
    return period_named(unit) or ("" if once else "not stated")


def _covers(content: Mapping[str, Any]) -> str:
    parts = (
        ("", _text(content, _BASIC, "description", "data_product_description")),
        ("Unit of privacy: ", _text(content, _LOSS, "privacy_unit_details", "privacy_unit_description")),
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


def _year(content: Mapping[str, Any]) -> int:
    date = _needed(content, "publication_date")
    if not re.match(r"\d{4}\b", date):
        raise DomainError(None, problem=say("publication_date must be a date such as 2026-01-31"), got=date[:40])
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


def _needed(content: Mapping[str, Any], *keys: str) -> str:
    found = _text(content, _BASIC, *keys)
    if not found:
        raise DomainError(None, problem=say("is no entry of the registry: it has no {key}", key=keys[0]))
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


CURATORS = ("Government", "Industry", "Nonprofit")
SECTORS = ("Technology", "Healthcare", "Education", "Government", "Energy", "Finance")
PRODUCTS = (
    "Summary statistics",
    "Machine learning model",
    "Dataset",
    "Synthetic data",
    "Interactive API",
    "SQL queries",
)
Variant = Literal["Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom"]

_HIDDEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")  # what YAML wants escaped and JSON does not escape


@dataclass(frozen=True, kw_only=True)
class RegistryFacts:
    """What an entry of the registry needs that no run and no decision knows.

    Args:
        curator: who publishes.
        curator_type: "Government", "Industry" or "Nonprofit".
        intended_use: of what is published.
        region: whom the data describe, or whose laws apply.
        author: who fills out the entry.
        name: of what is published; the title of the run or decision if empty.
        description: of it; made from the run or decision if empty.
        published: the date; today if empty.
        product: such as "Summary statistics"; made from what is released if empty.
        sector: such as "Healthcare"; left out if empty.

    >>> RegistryFacts.from_mapping({"curator": "Town"})
    Traceback (most recent call last):
        ...
    gaussdp.errors.DomainError: an entry of the registry needs curator_type, intended_use, region, author
    """

    curator: str = ""
    curator_type: str = ""
    intended_use: str = ""
    region: str = ""
    author: str = ""
    name: str = ""
    description: str = ""
    published: str = ""
    product: str = ""
    sector: str = ""

    def __post_init__(self) -> None:
        needed = ("curator", "curator_type", "intended_use", "region", "author")
        missing = [key for key in needed if not getattr(self, key)]
        if missing:
            raise DomainError(None, problem=f"an entry of the registry needs {', '.join(missing)}")
        for key, known in (("curator_type", CURATORS), ("product", PRODUCTS), ("sector", SECTORS)):
            if getattr(self, key):
                one_of(key, getattr(self, key), known)
        if self.published:
            try:
                date.fromisoformat(self.published)
            except ValueError:
                raise DomainError("published", "a date such as 2026-01-31", self.published) from None

    @classmethod
    def from_mapping(cls, content: Mapping[str, str]) -> "RegistryFacts":
        """The facts by their names, as the command line takes them."""
        known = tuple(field.name for field in fields(cls))
        for key in content:
            one_of("registry", key, known)
        return cls(**content)


@dataclass(frozen=True, kw_only=True)
class RegistryEntry:
    """An entry of the registry, at its tier 2.

    Args:
        facts: what people say of it.
        name, description, product: where the facts are silent.
        variant: of differential privacy.
        parameters: its numbers, rounded up.
        unit, unit_details: whom it protects.
        parameters_details: what else must be known to read the numbers, such as the mu.
        releases: how many there are, in words, and whether more than one.
        mechanisms, composition, tuning: in words; left out if empty.
    """

    facts: RegistryFacts
    name: str
    description: str
    product: str
    variant: Variant
    parameters: Mapping[str, float]
    unit: str
    unit_details: str
    parameters_details: str
    releases: tuple[str, bool]
    mechanisms: str = ""
    composition: str = ""
    tuning: str = ""

    def as_mapping(self) -> dict[str, Any]:
        """The entry as its schema has it."""
        facts, (words, many) = self.facts, self.releases
        day = facts.published or date.today().isoformat()
        name = facts.name or self.name
        loss = {
            "privacy_unit": self.unit,
            "privacy_unit_details": self.unit_details,
            "privacy_parameters": dict(self.parameters),
            "privacy_parameters_details": self.parameters_details,
        }
        return {
            "url_slug": _slug(f"{name} {facts.curator} {day[:4]}"),
            "deployment": {
                "basic": _without_empty(
                    {
                        "name": name,
                        "data_curators": [
                            {"data_curator_name": facts.curator, "data_curator_type": facts.curator_type}
                        ],
                        "description": facts.description or self.description,
                        "intended_use": facts.intended_use,
                        "data_product_type": facts.product or self.product,
                        "data_product_region": facts.region,
                        "data_product_sector": facts.sector,
                        "publication_date": day,
                    }
                ),
                "dp_variant": {"variant_name": self.variant},
                "privacy_loss": _without_empty(loss),
                "deployment_model": {
                    "model_name": "Central",
                    "release_type": "Many releases" if many else "One release",
                    "release_type_details": words,
                    "access_type": "Non-interactive",
                },
                "implementation": _without_empty(
                    {
                        "preprocessing_and_hyperparameter_tuning": self.tuning,
                        "mechanisms": self.mechanisms,
                        "composition": self.composition,
                    }
                ),
                "administrative": {"status": "Draft", "registry_authors": [facts.author], "tier": 2},
            },
        }

    def as_yaml(self) -> str:
        """The entry as a file of the registry."""
        return "\n".join(_lines(self.as_mapping(), 0)) + "\n"


def _without_empty(content: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in content.items() if value not in ("", {}, None)}


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "deployment"


def _lines(content: Mapping[str, Any], depth: int) -> list[str]:
    """YAML of mappings, lists of either, and scalars."""
    found, space = [], "  " * depth
    for key, value in content.items():
        if isinstance(value, Mapping):
            found += [f"{space}{key}:", *_lines(value, depth + 1)]
        elif isinstance(value, list):
            found.append(f"{space}{key}:")
            for one in value:
                inside = _lines(one, depth + 2) if isinstance(one, Mapping) else [f"{space}    {_scalar(one)}"]
                found += [f"{space}  - {inside[0].strip()}", *inside[1:]]
        else:
            found.append(f"{space}{key}: {_scalar(value)}")
    return found


def _scalar(value: Any) -> str:
    """A number with a point before its exponent, without which YAML 1.1 sees a text; texts as JSON writes them."""
    if isinstance(value, str):
        return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))
    if isinstance(value, float):
        if not math.isfinite(value):
            raise DomainError(None, problem="a number that is not finite cannot stand in an entry of the registry")
        digits, e, exponent = repr(value).partition("e")
        return f"{digits}{'' if '.' in digits else '.0'}{e}{exponent}"
    return str(value)
