"""A few seeded trials of every fuzzer; `python -m benchmarks.fuzz` makes as many as one likes."""

import inspect
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TRIALS = {"library": 600, "cli": 60, "files": 800, "audits": 18, "crash": 5}


@pytest.fixture(scope="module")
def fuzz():
    """The module with the trials, found beside the tests."""
    sys.path.insert(0, str(ROOT))
    yield import_module("benchmarks.fuzz.trials")
    sys.path.remove(str(ROOT))


@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # of JAX, where another test has loaded it
@pytest.mark.parametrize("name", TRIALS)
def test_nothing_is_found(name, fuzz):
    areas = import_module(f"benchmarks.fuzz.{name}").AREAS
    tallies = fuzz.run(name, areas, seed=1, seconds=300, most=TRIALS[name], quiet=True)
    assert [find for tally in tallies.values() for find in tally.finds] == []
    assert sum(tally.tried for tally in tallies.values()) == TRIALS[name]


def test_every_public_class_is_tried_or_listed_with_a_reason(fuzz):
    objects = import_module("benchmarks.fuzz.objects")
    tried = {type(thing).__name__ for _, thing in objects.things()}
    public = objects.classes()
    assert set(public) - tried - set(objects.NOT_MADE) <= {"PoissonSampled"}, "one of them makes another class"
    assert set(objects.MADE) | set(objects.NOT_MADE) <= set(public)
    for method in objects.NOT_CALLED:
        kind, name = method.split(".")
        assert hasattr(public[kind], name), method


def test_every_method_has_good_values(fuzz):
    """So that it is tried beyond its first refusal."""
    objects, library = import_module("benchmarks.fuzz.objects"), import_module("benchmarks.fuzz.library")
    for _, name, method in objects.methods():
        needed = {
            key
            for key, one in inspect.signature(method).parameters.items()
            if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        }
        assert needed <= set(library.good(method, name)), method.__qualname__


def test_what_a_fuzzer_of_audits_calls_too_many(fuzz):
    judged = import_module("benchmarks.fuzz.audits").judged
    assert judged(20, 0.95, "") == "held"
    with pytest.raises(fuzz.Find, match="45 of 200 bounds above the truth"):
        judged(45, 0.95, "")


def test_what_a_fuzzer_of_crashes_calls_torn(fuzz):
    hold = import_module("benchmarks.fuzz.crash").hold
    old, new = {"a.svg": b"old", "rows.csv": b"1\n"}, {"a.svg": b"new", "rows.csv": b"1\n2\n"}
    hold("", "", {"a.svg": b"new", "rows.csv": b"1\n2"}, old, new)
    for found in ({"a.svg": b"ne", "rows.csv": b"1\n"}, {"a.svg": b"old"}, {"a.svg": b"old", "rows.csv": b""}):
        with pytest.raises(fuzz.Find):
            hold("", "", found, old, new)


def test_a_find_is_told_with_what_repeats_it(fuzz):
    def trial(draw):
        if draw.random() < 0.5:
            raise fuzz.Find("this must not be")
        return "answered"

    tallies = fuzz.run("x", {"area": trial}, seed=3, most=20, quiet=True)
    finds = tallies["area"].finds
    assert 0 < len(finds) < 20
    number = int(finds[0].split("--trial ")[1].split(":")[0])
    assert fuzz.run("x", {"area": trial}, seed=3, only=number, quiet=True)["area"].finds == finds[:1]
    header, [row] = fuzz.rows(tallies)
    assert dict(zip(header, row, strict=True))["tried"] == "20"
