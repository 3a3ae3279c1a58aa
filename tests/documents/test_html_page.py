"""A document as a page: the same numbers, and nothing that a browser would take for markup."""

from html.parser import HTMLParser

from gaussdp.choosing.budgets import budget_document
from gaussdp.documents.html_page import html_page
from gaussdp.documents.renderings import RENDERINGS
from gaussdp.documents.tables import Column, Document, Table
from gaussdp.risks import Profile


class Cells(HTMLParser):
    """The texts of the cells of tables."""

    def __init__(self):
        super().__init__()
        self.cells, self._inside = [], False

    def handle_starttag(self, tag, attrs):
        self._inside = tag in ("td", "th")
        if self._inside:
            self.cells.append("")

    def handle_endtag(self, tag):
        self._inside = False

    def handle_data(self, data):
        if self._inside:
            self.cells[-1] += data


def cells_of(page):
    parser = Cells()
    parser.feed(page)
    return parser.cells


def test_the_numbers_are_those_of_the_other_renderings():
    document = budget_document(1.0, [Profile(1e-6)])
    rows = [line for line in RENDERINGS["markdown"](document).splitlines() if line.startswith("| ")]
    assert cells_of(html_page(document)) == [cell.strip() for row in rows for cell in row.strip("| ").split(" | ")]


def test_words_are_escaped():
    table = Table("key", "<i>title</i>", (Column("a", "<b>"),), (("<script>alert(1)</script>",),))
    page = html_page(Document.tabular("<h1>", (table,), ("<img src=x>",)))
    for markup in ("<script>", "<i>", "<b>", "<img"):
        assert markup not in page
    assert cells_of(page) == ["<b>", "<script>alert(1)</script>"]
