"""What programs get of a report, in a schema that has a version; the schema itself is beside this file."""

import json
from importlib import resources
from typing import Any

from gaussdp.accounting.export import curve_points
from gaussdp.documents.machine import records
from gaussdp.documents.rounding import Rounding, rounded
from gaussdp.mechanisms import registered
from gaussdp.statements.content import guarantee_words, holding_words, title
from gaussdp.statements.findings import Findings

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
        "protected": {
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
        },
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
