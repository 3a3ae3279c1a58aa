"""Every format shows the same blocks and the same numbers, and nothing in the words passes for markup."""

import csv
import io
import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussdp import DomainError
from gaussdp.choosing.budgets import budget_document
from gaussdp.choosing.tables import risk_document
from gaussdp.documents import (
    FORMATS,
    PROSE_FORMATS,
    Code,
    Column,
    Document,
    Facts,
    Headline,
    IconArray,
    Items,
    Judgement,
    Links,
    Picture,
    Section,
    Table,
    Words,
    render,
)
from gaussdp.documents.html import fragment
from gaussdp.documents.latex import latex_cell, latex_words
from gaussdp.documents.text import text
from gaussdp.guarantees import GDP
from gaussdp.risks import MultiplicativeAdvantage, Precision, Profile

DOCUMENTS = {
    "budgets": budget_document(1.0, [MultiplicativeAdvantage(1e-3), Precision(1e-2), Profile(1e-6)]),
    "risks": risk_document(GDP(0.31), {"fpr": [1e-3, 1e-5], "recall": [0.01], "delta": [1e-5]}, prior=0.1),
    "odd": Document.tabular(
        "A_B & 100%",
        (Table("t", "x | y", (Column("a", "a|b"), Column("b", "μ")), (("p|q_1", float("inf")), ("r, s", 1e-12))),),
        ("a note",),
    ),
}
HOSTILE = r"""<script>alert(1)</script> & \input{x} %_^~#${} | `rm` *b* [l](javascript:0) "q" 名"""
EVERY_BLOCK = Document(
    HOSTILE,
    (
        Headline("μ = 0.5", HOSTILE, struck=True),
        Words(HOSTILE, "strong"),
        Section(
            "one",
            HOSTILE,
            (
                Words(HOSTILE, "warning"),
                Items((HOSTILE, "second")),
                Facts(((HOSTILE, "fact"), ("name", HOSTILE))),
                Judgement(HOSTILE, "met", "good", "because"),
                Judgement("other", "not met", "bad", HOSTILE),
                Picture("tradeoff", HOSTILE, HOSTILE, lambda ending: b"<svg width='1'><path/></svg>"),
                IconArray(HOSTILE, 50, 16, ("right", "more", "wrong")),
                Links(((HOSTILE, "file.csv"),)),
                Code(HOSTILE + "\n" + HOSTILE),
                Table("t", HOSTILE, (Column("a", HOSTILE), Column("b", "number")), ((HOSTILE, 1.5), ("x", 2.5))),
            ),
        ),
    ),
)


def numbers_of(document, digits=4):
    return [cell for table in document.tables for row in table.text_rows(digits) for cell in row]


def cells_of_text(rendered):
    return [cell for line in rendered.splitlines() for cell in re.split(r"\s{2,}", line.strip())]


def cells_of_markdown(rendered):
    rows = [line for line in rendered.splitlines() if line.startswith("| ")]
    cells = [cell.strip() for row in rows for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
    return [re.sub(r"\\(.)", r"\1", cell) for cell in cells]


def cells_of_csv(rendered):
    return [cell for row in csv.reader(io.StringIO(rendered)) for cell in row]


class Cells(HTMLParser):
    """The texts of the cells of tables, and whether every element is closed in order."""

    def __init__(self, page):
        super().__init__()
        self.cells, self.open, self.loaded = [], [], []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.loaded += [value for key, value in attrs if key == "src"]
        if tag not in ("meta", "img"):
            self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.cells[-1] += data


@pytest.mark.parametrize("text", ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "=c|' /C'!A0"])
def test_no_cell_of_a_csv_is_run_by_a_spreadsheet(text):
    columns = (Column("a", "a"), Column("b", "b"), Column("c", "c"))
    table = Table("t", "t", columns, ((text, -0.5, "-1e-5"), ("x" + text, 2, "-inf")))
    first, second = list(csv.reader(io.StringIO(render(Document.tabular("d", (table,)), "csv"), newline="")))[1:]
    plain = text.replace("\r", " ")
    assert first == [f"'{plain}", "-0.5", "-1e-5"]  # numbers stay numbers
    assert second == ["x" + plain, "2", "-inf"]


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize(
    ("style", "cells_of"),
    [
        ("text", cells_of_text),
        ("markdown", cells_of_markdown),
        ("csv", cells_of_csv),
        ("html", lambda page: Cells(page).cells),
    ],
)
def test_cells_in_order(name, style, cells_of):
    found = iter(cells_of(render(DOCUMENTS[name], style)))
    for expected in numbers_of(DOCUMENTS[name]):
        assert expected in found, f"{expected} is missing or out of order"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_json(name):
    document = DOCUMENTS[name]
    content = json.loads(render(document, "json"))
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
    rendered = render(document, "latex")
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


@pytest.mark.parametrize("style", FORMATS)
def test_digits_reach_every_format(style):
    assert render(DOCUMENTS["risks"], style, 3) != render(DOCUMENTS["risks"], style, 8)


@pytest.mark.parametrize("style", PROSE_FORMATS)
def test_every_block_has_a_place_in_every_format(style):
    rendered = render(EVERY_BLOCK, style)
    said = ["1.5"] if style == "json" else ["second", "fact", "met", "because", "more", "1.5", "μ = 0.5"]
    flat = rendered.replace(r"$\mu$", "μ")
    assert [words for words in said if words not in flat] == []


@pytest.mark.parametrize("page", [render(EVERY_BLOCK, "html"), fragment(EVERY_BLOCK, 4)])
def test_words_are_no_markup_on_a_page(page):
    assert "<script" not in page
    assert Cells(page).loaded == []
    assert "@import" not in page
    assert "url(" not in page


def test_words_are_no_markup_in_markdown():
    rendered = re.sub(r"^```text\n.*?\n```$", "", render(EVERY_BLOCK, "markdown"), flags=re.DOTALL | re.MULTILINE)
    for markup in ("<script>", "[l](", "`rm`", " *b* "):
        assert markup not in rendered


def test_nothing_in_code_ends_it_in_markdown():
    rendered = render(Document("t", (Code("a\n````\n<script>"),)), "markdown")
    assert rendered.endswith("`````text\na\n````\n<script>\n`````\n")


def test_words_are_no_markup_in_latex():
    assert r"\input{x}" not in render(EVERY_BLOCK, "latex")


def test_pictures_that_are_files_are_pointed_to():
    document = Document("t", (Section("s", "s", (Picture("plots/a", "a", "caption", width=300),)),))
    assert Cells(render(document, "html")).loaded == ["plots/a.svg"]
    assert "](plots/a.png)" in render(document, "markdown")
    assert "{plots/a.pdf}" in render(document, "latex")


def test_tables_without_the_words_around_them_are_refused():
    with pytest.raises(DomainError, match="format must be one of"):
        render(EVERY_BLOCK, "csv")


def test_a_format_that_is_not_there():
    with pytest.raises(DomainError, match="did you mean 'markdown'") as caught:
        render(DOCUMENTS["odd"], "markdwn")
    assert caught.value.parameter == "format"


@given(
    width=st.integers(min_value=20, max_value=160),
    rows=st.lists(
        st.tuples(st.sampled_from(["a", "some words", "privacy profile"]), *[st.floats(1e-300, 1e300)] * 6),
        min_size=1,
        max_size=4,
    ),
)
def test_no_number_is_ever_cut(width, rows):
    columns = (Column("w", "what it is"), *(Column(f"c{i}", f"column number {i}") for i in range(6)))
    table = Table("t", "title", columns, tuple(rows))
    shown = text(Document.tabular("d", (table,)), 17, width).split()
    for row in table.text_rows(17):
        for cell in row[1:]:
            assert cell in shown


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("name", ["budgets", "risks"])
def test_text_keeps_to_its_width(name, width):
    assert max(map(len, text(DOCUMENTS[name], 4, width).splitlines())) <= width


def test_prose_is_no_wider_than_people_read():
    document = Document.tabular("d", (), ("word " * 100,))
    assert max(map(len, text(document, 4, 250).splitlines())) <= 100


def test_icons_stay_within_ascii_where_asked():
    array = Document("t", (IconArray("icons", 50, 16, ("a", "b", "c")),))
    assert text(array, 4, ascii_icons=True).isascii()
    assert not text(array, 4).isascii()
