"""Every public function, constructor, method and property, with values from the ends of every range.

What comes back is a result without NaN, or one error of gaussdp in one line: no other exception, no warning, in time.
"""

import dataclasses
import inspect
import math
import random
import tempfile
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import chdir
from functools import cache
from typing import Any

import numpy as np

import gaussdp
from benchmarks.fuzz.objects import MADE, NOT_MADE, NOT_TRIED, RUN, methods, properties, rooms
from benchmarks.fuzz.trials import LONGEST, Find, TookTooLong, Trial, ending_within
from benchmarks.fuzz.values import extreme
from gaussdp import calibration
from gaussdp.auditing import ScoreCounts
from gaussdp.mechanisms import Toeplitz

WRITING = {"register": "changes what is registered", "extended": "the same", "Adjacency": "a type", "Target": "a type"}
"""Public names that are not called, with the reason."""
GOOD: Mapping[str, Any] = {
    "adjacency": "add-remove",
    "between": (0.9, 1.0),
    "budget": "health",
    "candidates": 1000,
    "content": {
        "unit": "person",
        "adjacency": "add-remove",
        "sampling": "poisson",
        "training": {"noise_multiplier": 1.0, "sample_rate": 0.01, "steps": 20},
    },
    "counts": ScoreCounts.from_scores([3.0, 1.0, 2.0], [0.0, 1.0, 0.5]),
    "decay": 0.5,
    "decays": [0.5],
    "found": gaussdp.match(gaussdp.PureDP(1.0), gaussdp.Profile(1e-5)),
    "folder": "folder",
    "key": "one",
    "keys": ("plan",),
    "level": 0.1,
    "levels": (0.1, 0.01),
    "name": "delta",
    "noise": 1.5,
    "participation": gaussdp.Participation(1, 1),
    "path": "out.svg",
    "people": 1000,
    "reason": "a mistake",
    "records": 3,
    "release": gaussdp.Gaussian(4.0),
    "scales": [0.5],
    "tables": (),
    "title": "a title",
    "total": gaussdp.GDP(1.0),
    "training": gaussdp.Training(noise_multiplier=1.0, sample_rate=0.01, steps=20),
    "unit": "person",
    "url": "sqlite:///new.db",
    "values": (0.1, 0.01),
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
        "epsilon": 1.0,
        "delta": 1e-5,
    },
    "Dense": {"rows": [[1.0, 0.0], [0.5, 1.0]]},
    "Training": {"sample_rate": 0.01, "steps": 20},
    "Run": {"mechanism": RUN.mechanism, "unit": "person", "adjacency": "add-remove"},
    "Claim": {"mu": 1.0, "epsilon": None, "delta": None},
    "of(guarantee)": {"guarantee": gaussdp.ApproxDP(1.0, 1e-5)},
    "contradicts": {"claim": gaussdp.GDP(1.0)},
    "judged": {"claim": gaussdp.GDP(1.0)},
    "verdict(claim)": {"claim": gaussdp.GDP(1.0)},
    "mu_for": {"value": 0.6},
    "steering_mu": {"value": 0.6},
    "values": {"levels": np.array([0.1, 0.01])},
    "budget": {"name": "health"},
    "plan(budget, releases, weights)": {"releases": 3},
    "from_training(training, rest)": {"rest": {"unit": "person", "adjacency": "add-remove"}},
    "parse(text, name)": {"text": "unit = 'person'"},
    "with_value": {"value": 2.0},
    "from_tpr": {"fpr": [0.1, 0.5], "tpr": [0.2, 0.7]},
    "audit_counts": {"scores": [0.0, 1.0], "members": [1, 5], "nonmembers": [5, 1]},
    "audit_errors": {"members": 10, "nonmembers": 10},
    "account": {"mechanism": gaussdp.DPSGD(1.0, 0.1, 20)},
    "grid": {"targets": ["mu=1"], "dataset_sizes": [1000], "batch_sizes": [10], "epochs": [1.0], "steps": []},
    "Design": {"target": "mu=1", "epochs": 1.0, "steps": None},
    "Pipeline": {"epochs": 2.0, "steps": None},
    "training_noise": {"pipeline": calibration.Pipeline(1000, 10, epochs=1.0)},
    "parameter": {"family": gaussdp.Gaussian, "low": 0.1, "high": 100.0},
    "noise_multiplier": {"low": 0.2, "high": 1e4},
    "sample_rate": {"low": 1e-9, "high": 1.0},
    "steps": {"most": 1000},
    "sweep": {"out": None},
}
ODD: tuple[Any, ...] = (gaussdp.GDP(1.0), gaussdp.Gaussian, gaussdp.Gaussian(2.0), gaussdp.Advantage(), RUN)
"""Things of ours where others belong."""


@cache
def entries() -> dict[str, Callable[..., Any]]:
    """The public functions and the constructors for people, by name."""
    return {
        name: value
        for name, value in rooms()
        if callable(value)
        and name not in {*MADE, *NOT_MADE, *WRITING}
        and not (isinstance(value, type) and issubclass(value, BaseException))
    }


def call(draw: random.Random, label: str, function: Callable[..., Any], name: str) -> str:
    """Call it with good values but for one or two."""
    given = arguments(draw, function, name)
    shown = f"{label}({', '.join(f'{key}={brief(value)}' for key, value in given.items())})"
    try:
        with tempfile.TemporaryDirectory() as place, chdir(place), warnings.catch_warnings(), ending_within(LONGEST):
            warnings.simplefilter("error")
            positional, named = laid_out(function, given)
            result = function(*positional, **named)
            held(shown, result)
            repr(result)
    except gaussdp.GaussdpError as error:
        said = str(error)
        if "\n" in said or len(said) > 600 or " at 0x" in said:
            raise Find(f"{shown} is refused in other than one line: {said[:800]!r}") from None
        return "refused"
    except Find:
        raise
    except OSError as error:
        if error.filename is None:
            raise Find(f"{shown}: {type(error).__name__} without a file: {error}") from None
        return "refused"  # by the system
    except (Exception, TookTooLong) as error:
        raise Find(f"{shown}: {type(error).__name__}: {str(error)[:200]}") from None
    return "answered"


def laid_out(function: Callable[..., Any], given: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The values by place and by name, as the function takes them: one for those that may be several."""
    parameters = inspect.signature(function).parameters.values()
    kinds = {one.name: one.kind for one in parameters}
    by_place = inspect.Parameter.VAR_POSITIONAL in [kinds[key] for key in given]
    placed = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_POSITIONAL) if by_place else ()
    positional = [value for key, value in given.items() if kinds[key] in placed]
    named = {key: value for key, value in given.items() if kinds[key] not in (*placed, inspect.Parameter.VAR_KEYWORD)}
    rest = [value for key, value in given.items() if kinds[key] is inspect.Parameter.VAR_KEYWORD]
    return positional, {**named, **(rest[0] if rest and isinstance(rest[0], dict) else {})}


def arguments(draw: random.Random, function: Callable[..., Any], name: str) -> dict[str, Any]:
    """Good values for what must be given, and extreme ones for one or two parameters."""
    parameters = inspect.signature(function).parameters
    tried = [key for key, one in parameters.items() if key not in NOT_TRIED and one.kind is not one.VAR_KEYWORD]
    given = good(function, name)
    for key in draw.sample(tried, min(len(tried), draw.choice((1, 1, 1, 2)))):
        given[key] = extreme(draw) if draw.random() < 0.9 else draw.choice(ODD)
    if name == "sweep":
        given["out"] = None
    if name == "Claim" and not any(given.get(key) is not None for key in ("epsilon", "mu", "rho")):
        given["mu"] = 1.0
    return {key: given[key] for key in parameters if key in given}


def good(function: Callable[..., Any], name: str) -> dict[str, Any]:
    """Good values for what must be given."""
    parameters = inspect.signature(function).parameters
    given = {key: GOOD[key] for key, one in parameters.items() if one.default is one.empty and key in GOOD}
    own = {**OWN.get(name, {}), **OWN.get(f"{name}({', '.join(parameters)})", {})}
    return {key: value for key, value in {**given, **own}.items() if key in parameters}


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


def _method(draw: random.Random) -> str:
    shown, method, function = draw.choice(methods())
    return call(draw, f"{shown}.{method}", function, method)


def _property(draw: random.Random) -> str:
    shown, name, thing = draw.choice(properties())
    return call(draw, f"{shown}.{name}", lambda: getattr(thing, name), name)


AREAS: Mapping[str, Trial] = {
    "functions": _function,
    "constructors": _constructor,
    "methods": _method,
    "more methods": _method,  # there are many
    "properties": _property,
}
