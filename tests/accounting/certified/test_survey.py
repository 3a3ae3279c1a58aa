"""A small survey: on some random runs, what every method claims against what is proved (`benchmarks/survey`)."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[3]
SEED = 2611
"""That of the table in docs/certified.md."""
RUNS = [
    ("typical", 1, 3, {"line", "line, bounded", "bent line", "density"}),
    ("many", 0, 3, {"line", "line, bounded", "density"}),
    ("mixtures", 7, 1, {"line", "line, bounded"}),
    ("split mixtures", 8, 2, {"line", "line, bounded"}),
    ("one", 0, 2, {"closed form"}),
]
"""Kind, number, places, and methods that are compared at least."""


@pytest.fixture(scope="module")
def survey() -> Iterator[Any]:
    sys.path.insert(0, str(ROOT))
    yield import_module("benchmarks.survey.__main__")
    sys.path.remove(str(ROOT))


@pytest.mark.parametrize(("kind", "number", "places", "methods"), RUNS, ids=[f"{run[0]} {run[1]}" for run in RUNS])
def test_no_claim_is_exceeded(survey: Any, kind: str, number: int, places: int, methods: set[str]) -> None:
    run, draw = survey.random_run(kind, SEED, number)
    with np.errstate(all="ignore"):
        found = [one for one in survey.compared(run, draw, 60.0, places) if isinstance(one, survey.Judged)]
    assert methods <= {one.method for one in found}
    assert not [one for one in found if not one.share <= 1]
