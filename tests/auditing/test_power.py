"""The study of power in small: its tables can be made, the default leads, and every valid method holds its level."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def power():
    sys.path.insert(0, str(ROOT))
    yield import_module("benchmarks.audit_power")
    sys.path.remove(str(ROOT))


def test_the_default_is_the_best_that_holds_its_level(power):
    shares = power.summary(power.study({500: 5}, ["Gaussian, mu = 1", "Gaussian, mu = 4", "few exposed"]))
    by_mean = {method: shares[method]["mean share of the best"] for method in power.METHODS}
    assert max(by_mean, key=by_mean.get) == "EqualLocalLevel"
    assert all(shares[method]["share of bounds above the truth"] <= 1 / 5 for method in power.METHODS)


def test_hindsight_exceeds_every_method_on_real_scores(power):
    shares = power.summary(power.study({100: 3}, ["trained models, mu = 1"]))
    assert shares[power.HINDSIGHT]["mean share of the best"] > 1
    assert shares["EqualLocalLevel"]["mean share of hindsight"] < 1


def test_the_page_holds_every_table(power):
    page = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
    for name in power.TABLES:
        _, _, rest = page.partition(f"<!-- audit_power: {name} -->")
        table, _, _ = rest.partition("<!-- end -->")
        assert table.count("\n|") > 4, f"python -m benchmarks.audit_power --write {name}"


def test_a_table_is_written_between_its_marks(power):
    page = "a\n<!-- audit_power: x -->\nold\n<!-- end -->\nb\n<!-- end -->"
    table = power.markdown(iter([("one", "two"), ("1", "2")]))
    assert table == "| one | two |\n|---|---|\n| 1 | 2 |"
    assert power.written(page, "x", table) == page.replace("old", f"\n{table}\n")
