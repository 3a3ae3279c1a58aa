"""What programs get of a report, in a schema that has a version, and JSON Schemas of the files that people write.

Schemas of plan files and run files are made from what reads them. A schema knows the keys and the kinds of values;
their ranges, and which may stand together, are for who reads the file.
"""

import json
import types
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from importlib import resources
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from gaussdp.accounting.document import curve_points
from gaussdp.documents.machine import records
from gaussdp.documents.rounding import Rounding, rounded
from gaussdp.mechanisms import registered
from gaussdp.mechanisms.base import KINDS
from gaussdp.statements.content import guarantee_words, holding_words, title
from gaussdp.statements.findings import Findings
from gaussdp.statements.run import Run
from gaussdp.statements.training import Training

SCHEMA_VERSION = 1


def schema() -> dict[str, Any]:
    """The JSON Schema that the JSON of a report follows, with the mechanisms that are registered."""
    name = f"statement-{SCHEMA_VERSION}.schema.json"
    text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    release = content["properties"]["mechanism"]["properties"]["releases"]["items"]
    release["properties"]["mechanism"]["enum"] = list(registered())
    return content


def content(report: Findings) -> dict[str, Any]:
    """The report for programs; numbers are rounded as in the other formats."""
    run, fit = report.run, report.fit
    (guarantee,) = records(report.guarantee, report.digits)
    (overall,) = records(report.overall, report.digits)
    return {
        "schema": "gaussdp-statement",
        "schema_version": SCHEMA_VERSION,
        "gaussdp_version": report.version,
        "title": title(report),
        "digits": report.digits,
        "standing": report.standing,
        "guarantee": {
            **guarantee,
            "adjacency": run.protected.adjacency,
            "unconditional": fit.unconditional,
            "report_the_curve": report.curve_matters,
            "sentences": guarantee_words(report),
        },
        **_holding(report),
        "mechanism": {
            "description": run.accounted.sentence,
            "releases": [{**part.plan_entry(), "times": times} for part, times in run.accounted.releases()],
            "dataset_size": run.dataset_size,
            "clip_norm": run.clip_norm,
        },
        "accounting": {"method": report.method, "software": f"gaussdp {report.version}"},
        "protected": _protected(run),
        "assumptions": [
            {
                "key": item.key,
                "assumption": item.title,
                "verdict": item.verdict,
                "decisive": item.decisive,
                "words": item.words,
            }
            for item in report.assumptions
        ],
        "epsilon": records(report.epsilon, report.digits),
        "risks": {
            "attacker": records(report.attacker, report.digits),
            "precision": records(report.precision, report.digits),
            "overall": overall,
        },
        "notes": list(report.notes),
        "claim": _claim(report),
        **({"curve": curve_points(report.curve)} if report.curve_matters else {}),
    }


def _protected(run: Run) -> dict[str, object]:
    return {
        "unit": run.unit,
        "adjacency": run.adjacency,
        "records_per_unit": run.records_per_unit,
        "data": run.data or None,
        "accesses": list(run.accesses),
        "outputs": list(run.outputs),
        "tuning": run.tuning,
        "tuning_runs": run.tuning_runs,
        **({"tuning_mean": run.tuning_mean, "tuning_shape": run.tuning_shape} if run.tuning_mean else {}),
        "sampling": run.sampling,
        "clipping": run.clipping,
        "randomness": run.randomness,
        "contact": run.contact or None,
    }


def _holding(report: Findings) -> dict[str, object]:
    if report.holding is None:
        return {}
    ends, digits = report.holding.enclosure, report.digits
    return {
        "holding": {
            "mu": rounded(ends.upper, Rounding.UP, digits),
            "mu_lower": rounded(ends.lower, Rounding.DOWN, digits),
            "floor": report.fit.floor,
            "sentences": list(holding_words(report)),
        }
    }


def _claim(report: Findings) -> dict[str, object] | None:
    verdict = report.verdict
    if verdict is None:
        return None
    digits = max(report.digits, verdict.least_digits)
    stated = {key: getattr(verdict.claim, key) for key in ("epsilon", "delta", "mu", "floor", "rho")}
    return {
        "claim": {key: value for key, value in stated.items() if value is not None},
        "status": verdict.status,
        "sentences": [*verdict.sentences, *verdict.caveats],
        "lower": rounded(verdict.lower, Rounding.DOWN, digits),
        "upper": rounded(verdict.upper, Rounding.UP, digits),
        "causes": [
            {"key": item.key, "value": rounded(item.value, Rounding.NEAREST, report.digits), "words": item.words}
            for item in verdict.causes
        ],
    }


_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_KINDS: dict[object, dict[str, Any]] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
}


def plan_schema() -> dict[str, Any]:
    """The schema of a plan file, with every mechanism that is registered.

    >>> plan_schema()["required"]
    ['releases']
    """
    return {
        "$schema": _DIALECT,
        "title": "A plan file of gaussdp: releases on the same data",
        "type": "object",
        "required": ["releases"],
        "additionalProperties": False,
        "properties": {"releases": _releases()},
        "$defs": _definitions(),
    }


def run_schema() -> dict[str, Any]:
    """The schema of a run file: what was run, by [training] or by [[releases]], and what it protects.

    >>> run_schema()["oneOf"]
    [{'required': ['training']}, {'required': ['releases']}]
    """
    keys = {key: kind for key, kind in _typed(Run).items() if key != "mechanism"}
    return {
        "$schema": _DIALECT,
        "title": "A run file of gaussdp: what was run and what it protects",
        "type": "object",
        "required": ["unit", "adjacency"],
        "oneOf": [{"required": ["training"]}, {"required": ["releases"]}],
        "additionalProperties": False,
        "properties": {
            **keys,
            "claim": {"type": "string", "description": "such as epsilon=3.0 delta=1e-5"},
            "training": {
                "type": "object",
                "required": ["noise_multiplier"],
                "additionalProperties": False,
                "properties": _typed(Training),
            },
            "releases": _releases(),
        },
        "$defs": _definitions(),
    }


def _releases() -> dict[str, Any]:
    return {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/release"}}


def _definitions() -> dict[str, Any]:
    return {"release": {"oneOf": [_entry(key) for key in KINDS.keys]}}


def _entry(key: str) -> dict[str, Any]:
    """An entry of `releases` for one kind of mechanism."""
    kind = KINDS.get(key)
    if kind is None:
        return {}
    keys, known = kind.plan_keys(), _typed(kind)
    parameters = {name: known.get(name, {}) for name in (*keys.required, *keys.optional)}
    return {
        "type": "object",
        "required": ["mechanism", *keys.required],
        "additionalProperties": False,
        "properties": {"mechanism": {"const": key}, "times": {"type": "integer", "minimum": 1}, **parameters},
    }


def _typed(thing: Any) -> dict[str, dict[str, Any]]:
    """The schema of each field of a dataclass, as far as its annotation says one; nothing for other things."""
    if not is_dataclass(thing):
        return {}
    hints = get_type_hints(thing if isinstance(thing, type) else type(thing))
    return {field.name: _schema(hints[field.name]) for field in fields(thing)}


def _schema(hint: Any) -> dict[str, Any]:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        found = [_schema(part) for part in get_args(hint) if part is not type(None)]
        return found[0] if len(found) == 1 else {}
    if origin is Literal:
        return {"enum": list(get_args(hint))}
    if origin in (tuple, list, Sequence):
        return {"type": "array", "items": _schema(get_args(hint)[0])}
    return dict(_KINDS.get(hint, {}))
