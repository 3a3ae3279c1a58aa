"""Every public function and constructor, and every method of what they give, with values from the ends of every range.

What comes back is a result without NaN, or one error of gaussdp in one line: no other exception, no warning, in time.
An object that a method takes (a guarantee, a risk) is one: only its numbers are hostile.
"""

import dataclasses
import inspect
import math
import random
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np

import gaussdp
from benchmarks.fuzz.trials import LONGEST, Find, TookTooLong, Trial, ending_within
from benchmarks.fuzz.values import extreme
from gaussdp import calibration
from gaussdp.mechanisms import Toeplitz

RUN = gaussdp.Run(mechanism=gaussdp.DPSGD(1.0, 0.01, 50), unit="person", adjacency="add-remove", sampling="poisson")
GOOD: Mapping[str, Any] = {
    "adjacency": "add-remove",
    "batch_limit": 120,
    "batch_size": 10,
    "batches": 20,
    "canaries": 100,
    "categories": 3,
    "chance": 0.1,
    "claim": "epsilon=3 delta=1e-5",
    "claim_mu": 0.2,
    "claims": (gaussdp.GDP(1.0),),
    "confidence": 0.9,
    "correct": 15,
    "count": 2,
    "cycle": 2,
    "dataset_size": 1000,
    "delta": 1e-5,
    "deltas": (1e-5,),
    "designs": [calibration.Design("mu=1.0", 1000, 10, 1.0)],
    "digits": 3,
    "divisor": 5.0,
    "epochs": 1.0,
    "eta": 1.0,
    "mean_runs": 10.0,
    "sensitivities": [0.0, 1.0],
    "weights": [0.9, 0.1],
    "epsilon": 1.0,
    "epsilon_low": 0.1,
    "epsilon_high": 10.0,
    "false_negatives": 3,
    "false_positives": 2,
    "floor": 1e-6,
    "fpr": 0.1,
    "fprs": (0.01,),
    "group": 2,
    "guarantee": gaussdp.GDP(1.0),
    "guarantees": [gaussdp.GDP(1.0)],
    "guesses": 20,
    "mechanism": gaussdp.Gaussian(2.0),
    "mechanisms": [gaussdp.Gaussian(2.0), gaussdp.Laplace(3.0)],
    "members": [3.0, 1.0, 2.0],
    "most": 1000,
    "mu": 1.0,
    "noise_multiplier": 1.5,
    "nonmembers": [0.0, 1.0, 0.5],
    "policy": gaussdp.PureDP(1.0),
    "power": 0.8,
    "prior": 0.3,
    "recall": 0.1,
    "recalls": (0.1,),
    "reference": gaussdp.PureDP(1.0),
    "releases": 3,
    "rho": 0.5,
    "risk": gaussdp.Advantage(),
    "risks": [gaussdp.Profile(1e-5)],
    "run": RUN,
    "sample_rate": 0.1,
    "sampling": "poisson",
    "scale": 2.0,
    "seed": 1,
    "sensitivity": 1,
    "sigma": 2.0,
    "size": 2,
    "source": {"fpr": [0.1, 0.5], "tpr": [0.2, 0.7]},
    "spent": gaussdp.Gaussian(4.0),
    "steps": 20,
    "strategy": Toeplitz([1.0, 0.5], 4),
    "coefficients": [1.0, 0.5],
    "length": 4,
    "target": gaussdp.GDP(1.0),
    "text": "mu=1",
    "threshold": 0.4,
    "tpr": 0.2,
    "value": 0.4,
    "workers": 1,
    "xi": 0.1,
}
OWN: Mapping[str, Mapping[str, Any]] = {
    "PoissonSampled": {"mechanism": gaussdp.Gaussian(2.0), "sample_rate": 0.1},
    "ProfilePoints": {"epsilon": [0.1, 1.0], "delta": [0.2, 0.01]},
    "TradeoffPoints": {"fpr": [0.1, 0.5], "fnr": [0.8, 0.3]},
    "RandomAllocation": {"epochs": 3, "uses_per_epoch": 1},
    "RandomizedResponse": {"adjacency": "replace-one"},
    "Deployment": {
        "name": "n",
        "organisation": "o",
        "year": 2020,
        "unit": "u",
        "setting": "central",
        "covers": "c",
        "source": "s",
        "delta": 1e-5,
    },
    "Run": {"mechanism": RUN.mechanism, "unit": "person"},
    "Claim": {"mu": None},
    "audit_counts": {"scores": [0.0, 1.0], "members": [1, 5], "nonmembers": [5, 1]},
    "audit_errors": {"members": 10, "nonmembers": 10},
    "account": {"mechanism": gaussdp.DPSGD(1.0, 0.1, 20)},
    "grid": {"targets": ["mu=1"], "dataset_sizes": [1000], "batch_sizes": [10], "epochs": [1.0], "steps": []},
    "Design": {"target": "mu=1", "steps": None},
    "Pipeline": {"epochs": 2.0, "steps": None},
    "training_noise": {"pipeline": calibration.Pipeline(1000, 10, epochs=1.0)},
    "parameter": {"family": gaussdp.Gaussian, "low": 0.1, "high": 100.0},
    "noise_multiplier": {"low": 0.2, "high": 1e4},
    "sample_rate": {"low": 1e-9, "high": 1.0},
    "steps": {"most": 1000},
    "sweep": {"out": None},
}
RESULTS = (
    "AccountedCurve",
    "Assumption",
    "Audit",
    "AuditPlan",
    "Calibration",
    "Cause",
    "Choice",
    "DistributionCurve",
    "Document",
    "Explanation",
    "Fit",
    "Match",
    "OneRunAudit",
    "PointsCurve",
    "Reading",
    "Report",
    "TradeoffPlot",
    "Verdict",
)
ABSTRACT = ("Guarantee", "Mechanism", "Risk", "Status", "Target", "Ledger")
"""What nobody makes by hand: results, and what is no thing; and the book of releases, which would write files."""
INTERNAL = (
    "budgets_at",
    "covers",
    "document",
    "limited",
    "policies_at",
    "verdict",
    "matched_point",
    "render",
    "stated",
    "values",
    "write",
)
"""Methods for documents and figures, which the other fuzzers reach by the command line."""
OBJECTS = ("claim", "claims", "guarantee", "mechanism", "reference", "risk")


def entries() -> dict[str, Callable[..., Any]]:
    """The public functions and constructors, by name."""
    names = {name: getattr(gaussdp, name) for name in gaussdp.__all__}
    names |= {name: getattr(calibration, name) for name in calibration.__all__}
    return {
        name: value
        for name, value in names.items()
        if name not in RESULTS + ABSTRACT
        and not inspect.ismodule(value)
        and not (isinstance(value, type) and issubclass(value, BaseException))
    }


@cache
def objects() -> list[tuple[str, Any]]:
    """One of each thing whose methods are tried."""
    things: list[Any] = [
        gaussdp.GDP(0.0),
        gaussdp.GDP(1.0),
        gaussdp.GDP(math.inf),
        gaussdp.PureDP(1.0),
        gaussdp.PureDP(math.inf),
        gaussdp.ApproxDP(1.0, 1e-3),
        gaussdp.ZCDP(0.5),
        gaussdp.LaplaceDP(2.0),
        gaussdp.LaplaceDP(1e300),
        gaussdp.ProfilePoints([0.1, 1.0], [0.2, 0.01]),
        gaussdp.TradeoffPoints([0.1, 0.5], [0.8, 0.3]),
        *(gaussdp.Advantage(), gaussdp.Accuracy(0.2), gaussdp.Profile(1e-5), gaussdp.Precision(0.1, 0.3)),
        *(gaussdp.MultiplicativeAdvantage(1e-3), gaussdp.TruePositiveRate(0.01), gaussdp.RuleOfThumb(5.0)),
        gaussdp.audit([3.0, 1.0, 2.0, 5.0], [0.0, 1.0, 0.5, 0.0], design="trials"),
        gaussdp.audit_one_run(100, 20, 15),
        gaussdp.account(gaussdp.Gaussian(2.0)),
        gaussdp.account(gaussdp.DPSGD(1.0, 0.1, 20)),
        gaussdp.AtMost(gaussdp.Advantage(), 0.3),
    ]
    return [(repr(thing), thing) for thing in things]


@cache
def methods() -> list[tuple[str, str, Callable[..., Any]]]:
    """An object, the name of each of its methods that takes something, and the method."""
    found = []
    for shown, thing in objects():
        for method, function in inspect.getmembers(thing, callable):
            if method.startswith("_") or method in INTERNAL or isinstance(function, type):
                continue
            if _tried(function, objects_too=False):
                found.append((shown, method, function))
    return found


def call(draw: random.Random, label: str, function: Callable[..., Any], name: str) -> str:
    """Call it with good values but for one or two."""
    given = arguments(draw, function, name)
    shown = f"{label}({', '.join(f'{key}={brief(value)}' for key, value in given.items())})"
    try:
        with warnings.catch_warnings(), ending_within(LONGEST):
            warnings.simplefilter("error")
            several = [
                key for key, one in inspect.signature(function).parameters.items() if one.kind is one.VAR_POSITIONAL
            ]
            positional = [given.pop(key) for key in list(given) if key in several]
            result = function(*positional, **given)
            held(shown, result)
            repr(result)
    except gaussdp.GaussdpError as error:
        said = str(error)
        if "\n" in said or len(said) > 600 or " at 0x" in said:
            raise Find(f"{shown} is refused in other than one line: {said[:800]!r}") from None
        return "refused"
    except Find:
        raise
    except (Exception, TookTooLong) as error:
        raise Find(f"{shown}: {type(error).__name__}: {str(error)[:200]}") from None
    return "answered"


def arguments(draw: random.Random, function: Callable[..., Any], name: str) -> dict[str, Any]:
    """Good values for what must be given, and extreme ones for one or two parameters."""
    parameters = inspect.signature(function).parameters
    tried = _tried(function, objects_too=not inspect.ismethod(function))
    given = {key: GOOD[key] for key, one in parameters.items() if one.default is one.empty and key in GOOD}
    given |= OWN.get(name, {})
    for key in draw.sample(tried, min(len(tried), draw.choice((1, 1, 1, 2)))):
        given[key] = extreme(draw)
    if name == "sweep":
        given["out"] = None
    if name == "Claim" and not any(given.get(key) is not None for key in ("epsilon", "mu", "rho")):
        given["mu"] = 1.0
    return {key: given[key] for key in parameters if key in given}


def _tried(function: Callable[..., Any], objects_too: bool) -> list[str]:
    """The parameters that are given extreme values."""
    names = inspect.signature(function).parameters
    return [name for name in names if name != "progress" and (objects_too or name not in OBJECTS)]


def held(shown: str, result: Any, depth: int = 0) -> None:
    """No NaN anywhere in a result."""
    if depth > 4:
        return
    if isinstance(result, float | np.floating) and math.isnan(result):
        raise Find(f"{shown} gives NaN")
    if isinstance(result, np.ndarray) and result.dtype.kind == "f" and np.isnan(result).any():
        raise Find(f"{shown} gives NaN in an array")
    if isinstance(result, Mapping):
        result = list(result.values())
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        result = [getattr(result, one.name, None) for one in dataclasses.fields(result)]
    if isinstance(result, Iterable) and not isinstance(result, str | bytes | np.ndarray) and hasattr(result, "__len__"):
        for item in list(result)[:50]:
            held(shown, item, depth + 1)


def brief(value: Any) -> str:
    """A value as one would write it, cut."""
    if isinstance(value, int) and abs(value) > 10**30:
        return f"{'-' if value < 0 else ''}10**{round(math.log10(abs(value)))}"
    text = repr(value)
    return text if len(text) < 80 else f"{text[:70]}..."


def _function(draw: random.Random) -> str:
    name = draw.choice([name for name, value in entries().items() if not isinstance(value, type)])
    return call(draw, name, entries()[name], name)


def _constructor(draw: random.Random) -> str:
    name = draw.choice([name for name, value in entries().items() if isinstance(value, type)])
    return call(draw, name, entries()[name], name)


def _reading(draw: random.Random) -> str:
    shown, method, function = draw.choice(methods())
    return call(draw, f"{shown}.{method}", function, method)


AREAS: Mapping[str, Trial] = {"functions": _function, "constructors": _constructor, "methods": _reading}
