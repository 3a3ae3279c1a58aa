"""Every rendering shows the same numbers."""

import csv
import io
import json
import re

import pytest

from gaussdp.choosing.budgets import budget_document
from gaussdp.choosing.risk_levels import risk_document
from gaussdp.documents.escaping import latex_words
from gaussdp.documents.renderings import RENDERINGS, latex_cell
from gaussdp.documents.tables import Column, Document, Table
from gaussdp.guarantees import GDP
from gaussdp.risks import MultiplicativeAdvantage, Precision, Profile

DOCUMENTS = {
    "budgets": budget_document(1.0, [MultiplicativeAdvantage(1e-3), Precision(1e-2), Profile(1e-6)]),
    "risks": risk_document(GDP(0.31), {"fpr": [1e-3, 1e-5], "recall": [0.01], "delta": [1e-5]}, prior=0.1),
    "odd": Document.tabular(
        "A_B & 100%",
        (Table("t", "x | y", (Column("a", "a|b"), Column("b", "μ")), (("p|q_1", float("inf")), ("r, s", 1e-12))),),
    ),
}


def numbers_of(document, digits=4):
    return [cell for table in document.tables for row in table.text_rows(digits) for cell in row]


def cells_of_text(rendered):
    return [cell for line in rendered.splitlines() for cell in re.split(r"\s{2,}", line.strip())]


def cells_of_markdown(rendered):
    rows = [line for line in rendered.splitlines() if line.startswith("| ")]
    return [cell.strip().replace(r"\|", "|") for row in rows for cell in re.split(r"(?<!\\)\|", row)[1:-1]]


def cells_of_csv(rendered):
    return [cell for row in csv.reader(io.StringIO(rendered)) for cell in row]


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize(
    ("style", "cells_of"), [("text", cells_of_text), ("markdown", cells_of_markdown), ("csv", cells_of_csv)]
)
def test_cells_in_order(name, style, cells_of):
    document = DOCUMENTS[name]
    found = iter(cells_of(RENDERINGS[style](document, **({"width": 250} if style == "text" else {}))))
    for expected in numbers_of(document):
        assert expected in found, f"{expected} is missing or out of order"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_json(name):
    document = DOCUMENTS[name]
    content = json.loads(RENDERINGS["json"](document))
    assert content["title"] == document.title
    assert content["notes"] == list(document.notes)
    for table in document.tables:
        rows = content["tables"][table.key]["rows"]
        values = [["inf" if value == float("inf") else value for value in row] for row in table.rounded_rows(4)]
        assert [list(row.values()) for row in rows] == values
        assert list(rows[0]) == [column.key for column in table.columns]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_latex(name):
    document = DOCUMENTS[name]
    rendered = RENDERINGS["latex"](document)
    body = [line for line in rendered.splitlines() if line.endswith(r"\\")]
    rows = [[latex_cell(cell) for cell in row] for table in document.tables for row in table.text_rows(4)]
    for row in rows:
        assert " & ".join(row) + r" \\" in body
    assert rendered.count(r"\begin{tabular}") == rendered.count(r"\end{tabular}") == len(document.tables)
    assert rendered.count(r"\toprule") == len(document.tables)


def test_latex_escapes():
    assert latex_words("A_B & 100% {x}") == r"A\_B \& 100\% \{x\}"
    assert latex_cell("1e-5") == "$10^{-5}$"
    assert latex_cell("2.5e-5") == r"$2.5 \cdot 10^{-5}$"
    assert latex_cell("0.31") == "0.31"
    assert latex_cell("inf") == r"$\infty$"
    assert latex_cell("privacy profile") == "privacy profile"


def test_digits_reach_every_rendering():
    document = DOCUMENTS["risks"]
    for style, render in RENDERINGS.items():
        assert render(document, 3) != render(document, 8), style


def test_text_fits_a_narrow_terminal():
    assert all(len(line) <= 80 for line in RENDERINGS["text"](DOCUMENTS["risks"], 4, width=80).splitlines()[2:])


@pytest.mark.parametrize("name", DOCUMENTS)
def test_text_is_the_same_inside_a_notebook(name, monkeypatch):
    outside = RENDERINGS["text"](DOCUMENTS[name])
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    assert RENDERINGS["text"](DOCUMENTS[name]) == outside
