"""The 144 values that the paper prints, at its digits."""

import csv
from pathlib import Path

import pytest

import gaussdp

with (Path(__file__).parent / "reference" / "paper_tables.csv").open() as file:
    CELLS = list(csv.DictReader(file))

TABLES = {
    "mu_by_multiplicative_advantage": (gaussdp.mu_from_multiplicative_advantage, lambda v: f"{float(f'{v:.2g}'):g}"),
    "mu_by_precision": (gaussdp.mu_from_precision, lambda v: f"{float(f'{v:.2g}'):g}"),
    "mu_by_profile": (gaussdp.mu_from_profile, lambda v: f"{float(f'{v:.2g}'):g}"),
    "multiplicative_advantage_by_mu": (gaussdp.multiplicative_advantage_from_mu, lambda v: f"{v:,.2f}"),
    "precision_by_mu": (gaussdp.precision_from_mu, lambda v: f"{v:.3f}"),
    "epsilon_by_mu": (gaussdp.epsilon_from_mu, lambda v: f"{float(f'{v:.2g}'):g}"),
}


def test_there_are_144():
    assert len(CELLS) == 144
    assert {cell["table"] for cell in CELLS} == set(TABLES)


@pytest.mark.parametrize("table", TABLES)
def test_printed_values(table):
    function, printed = TABLES[table]
    for cell in (cell for cell in CELLS if cell["table"] == table):
        arguments = {
            cell["row_parameter"]: float(cell["row_value"]),
            cell["column_parameter"]: float(cell["column_value"]),
        }
        assert printed(function(**arguments)) == cell["printed"], cell
