"""Operating points of DP-SGD in the remove direction against values from 200-bit ball arithmetic."""

import csv
from functools import cache
from pathlib import Path

import pytest

from gaussdp.accounting import account
from gaussdp.mechanisms import DPSGD

with (Path(__file__).parents[1] / "reference" / "dpsgd_points.csv").open() as file:
    ROWS = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


@cache
def curve(noise_multiplier, sample_rate, steps):
    return account(DPSGD(noise_multiplier, sample_rate, steps))


def of(row):
    return curve(row["noise_multiplier"], row["sample_rate"], int(row["steps"]))


@pytest.mark.parametrize("row", ROWS)
def test_delta(row):
    assert of(row).remove.delta(row["tau"]) == pytest.approx(row["delta"], rel=1e-11)


@pytest.mark.parametrize("row", [row for row in ROWS if row["fpr"] < 0.999])
def test_fnr_at_fpr(row):
    assert of(row).remove.fnr(row["fpr"]) == pytest.approx(row["fnr"], rel=1e-10)


@pytest.mark.parametrize("row", [row for row in ROWS if row["fnr"] < 0.999])
def test_the_add_direction_is_the_inverse(row):
    assert of(row).add.fnr(row["fnr"]) == pytest.approx(row["fpr"], rel=1e-10)


@pytest.mark.parametrize("row", [row for row in ROWS if row["tau"] > 0])
def test_the_guarantee_equals_the_remove_direction_above_threshold_zero(row):
    assert of(row).delta(row["tau"]) == pytest.approx(row["delta"], rel=1e-11)
    assert of(row).fnr(row["fpr"]) == pytest.approx(row["fnr"], rel=1e-10)


@pytest.mark.parametrize("row", [row for row in ROWS if row["tau"] > 0])
def test_epsilon_inverts_delta(row):
    assert of(row).remove.epsilon(row["delta"]) == pytest.approx(row["tau"], rel=1e-10)
