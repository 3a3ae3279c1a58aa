"""The six tables: the paper's own values, other rows and columns, and both roundings."""

import csv
import json
from pathlib import Path

import pytest

import gaussdp
from gaussdp.choosing.tables import EPSILON, GRIDS, KEYS, MU, column_label, grid_document, risk_document
from gaussdp.documents import render
from gaussdp.documents.rounding import Rounding

with (Path(__file__).parents[1] / "reference" / "paper_tables.csv").open() as file:
    PRINTED = list(csv.DictReader(file))


def cells(document, digits):
    for table in document.tables:
        for level, *values in table.text_rows(digits):
            for column, value in zip(table.columns[1:], values, strict=True):
                yield table.key, level, column.label, value


def test_the_144_values_as_printed():
    document, digits = grid_document()
    ours = list(cells(document, digits))
    assert len(ours) == 144
    assert ours == [(row["table"], row["row_value"], row["column_value"], row["printed"]) for row in PRINTED]


@pytest.mark.parametrize("style", ["text", "markdown", "csv", "latex"])
def test_every_rendering_holds_the_printed_values(style):
    for grid in GRIDS:
        document, digits = grid_document([grid])
        rendered = render(document, style, digits).replace('"', "")
        for row in PRINTED:
            if row["table"] == grid.key:
                assert row["printed"] in rendered


def test_the_note_says_how_it_rounds():
    assert "nearest" in grid_document()[0].notes[0]
    assert "down" in grid_document(one_sided=True)[0].notes[0]


def test_own_rows_and_columns():
    document, digits = grid_document([GRIDS[2]], {"delta": [1e-6, 3e-9], "epsilon": [1, 8]}, digits=6)
    assert digits == 6
    (table,) = document.tables
    assert [row[0] for row in table.rows] == [1e-6, 3e-9]
    assert table.headings() == ["δ", "ε = 1.0", "ε = 8.0"]
    assert table.rows[1][2] == gaussdp.mu_from_profile(8.0, 3e-9)
    assert table.text_rows(6)[0] == ["1e-6", "0.236704", "1.53155"]


def test_one_sided_never_claims_too_much_privacy():
    nearest, _ = grid_document()
    sided, digits = grid_document(one_sided=True)
    assert digits == 4
    for grid, exact, table in zip(GRIDS, nearest.tables, sided.tables, strict=True):
        for true, shown in zip(exact.rows, table.rounded_rows(digits), strict=True):
            for value, claim in zip(true[1:], shown[1:], strict=True):
                assert claim <= value if grid.side is Rounding.DOWN else claim >= value
                assert claim == pytest.approx(value, rel=1e-3)


def test_limits():
    document, digits = grid_document(values={"epsilon": [0.0, float("inf")], "mu": [0.0, float("inf")]})
    texts = {table.key: table.text_rows(digits)[0][1:] for table in document.tables}
    assert texts["mu_by_multiplicative_advantage"] == ["0", "inf"]
    assert texts["multiplicative_advantage_by_mu"] == ["1.00", "100.00"]
    assert texts["precision_by_mu"] == ["0.500", "1.000"]
    assert texts["epsilon_by_mu"] == ["0", "inf"]


def test_json_holds_numbers():
    document, digits = grid_document([GRIDS[3]])
    rows = json.loads(render(document, "json", digits))["tables"]["multiplicative_advantage_by_mu"]["rows"]
    assert rows[3] == {
        "fpr": 1e-5,
        "mu=0.1": 1.56,
        "mu=0.25": 2.97,
        "mu=0.5": 8.33,
        "mu=1": 54.75,
        "mu=1.5": 284.71,
    } | {"mu=2": 1175.97}


def test_latex_has_a_spanning_head():
    document, digits = grid_document([GRIDS[1]])
    latex = render(document, "latex", digits)
    assert r" & \multicolumn{6}{c}{$\varepsilon$} \\" in latex
    assert r"\cmidrule(l){2-7}" in latex
    assert r"recall $\bar\beta$ & 0.1 & 0.2 & 0.5 & 1.0 & 1.5 & 2.0 \\" in latex
    assert r"$10^{-2}$ & 0.037 & 0.074 & 0.18 & 0.35 & 0.52 & 0.67 \\" in latex


def test_labels():
    assert column_label(EPSILON, 10.0) == "10.0"
    assert column_label(EPSILON, 0.25) == "0.25"
    assert column_label(MU, 2.0) == "2"
    assert len(set(KEYS)) == 6


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"fpr": [1.5]}, "fpr must be in (0, 1), got 1.5"),
        ({"epsilon": [-1.0]}, "epsilon must be in [0, inf], got -1.0"),
        ({"mu": []}, "mu must not be empty"),
        ({"delta": [float("nan")]}, "delta must be in (0, 1), got nan"),
    ],
)
def test_bad_values(values, words):
    with pytest.raises(gaussdp.DomainError) as refusal:
        grid_document(values=values)
    assert words in str(refusal.value)


def test_budgets_that_stand_for_nothing_are_named():
    values = {"fpr": [1e-2, 1e-5], "epsilon": [1.0, 8.0], "recall": [1e-3], "delta": [1e-6]}
    document, _ = grid_document(GRIDS, values)
    assert [note for note in document.notes if note.startswith("Saturated")] == [
        "Saturated, so that the budget stands for nothing: multiplicative advantage at FPR 1e-2 from ε = 3.48 on."
    ]
    assert len(grid_document()[0].notes) == 1  # none on the paper's own tables


OWN = 0.31


def rows(document):
    return {
        table.key: [
            dict(zip((column.key for column in table.columns), row, strict=True)) for row in table.rounded_rows(4)
        ]
        for table in document.tables
    }


def test_every_number_is_on_the_side_of_less_privacy():
    guarantee = gaussdp.GDP(OWN)
    found = rows(risk_document(guarantee, {"fpr": [1e-3], "recall": [0.02], "delta": [1e-6]}, prior=0.1))
    (at_fpr,), (at_recall,), (at_delta,), (overall,) = (found[key] for key in ("fpr", "recall", "delta", "overall"))
    for shown, exact in (
        (at_fpr["tpr"], guarantee.tpr(1e-3)),
        (at_fpr["multiplicative_advantage"], guarantee.multiplicative_advantage(1e-3)),
        (at_recall["precision"], guarantee.precision(0.02, 0.1)),
        (at_delta["epsilon"], guarantee.epsilon(1e-6)),
        (overall["advantage"], guarantee.advantage()),
        (overall["right_of_100"], 100 * guarantee.accuracy(0.1)),
    ):
        assert exact <= shown <= exact * (1 + 1e-3)
    for shown, exact in ((at_fpr["fnr"], guarantee.fnr(1e-3)), (at_recall["fpr"], guarantee.fpr(0.02))):
        assert exact * (1 - 1e-3) <= shown <= exact
    assert overall["right_of_100_before"] == 90


def test_no_privacy_and_full_privacy_can_be_shown():
    for mu in (0.0, float("inf")):
        found = rows(risk_document(gaussdp.GDP(mu), {"fpr": [1e-3], "recall": [0.02], "delta": [1e-6]}))
        assert found["delta"][0]["epsilon"] == mu


def test_bad_level():
    with pytest.raises(gaussdp.DomainError, match=r"^recall must be in \(0, 1\), got 1.0"):
        risk_document(gaussdp.GDP(1.0), {"recall": [1.0]})
