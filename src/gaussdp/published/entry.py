"""Entries for OpenDP's registry of deployments, written so that its schema accepts them."""

import json
import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date
from typing import Any, Literal

from gaussdp.domains import one_of
from gaussdp.errors import DomainError

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
