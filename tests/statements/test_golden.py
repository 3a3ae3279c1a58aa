"""Every rendering of three runs, letter for letter, and the picture; `python tests/golden_statements.py` renews all."""

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from PIL import Image

import gaussdp
from gaussdp.mechanisms.composition import parse_plan
from gaussdp.statements import schema
from golden_images import FOLDER as PICTURES
from golden_images import coarse, difference
from golden_statements import ENDINGS, FOLDER, HOSTILE, PICTURED, rendered, runs

RUNS = runs()
REPORTS = {name: gaussdp.report_run(run) for name, run in RUNS.items()}


@pytest.mark.parametrize("style", ENDINGS)
@pytest.mark.parametrize("name", RUNS)
def test_letter_for_letter(name, style):
    expected = (FOLDER / f"{name}.{ENDINGS[style]}").read_text()
    assert rendered(REPORTS[name], style) == expected, "run `python tests/golden_statements.py` if this is meant"


@pytest.mark.parametrize("name", PICTURED)
def test_the_picture(name):
    picture = np.asarray(Image.open(PICTURES / f"statement-{name}.png"), dtype=float) / 255
    assert difference(coarse(REPORTS[name].figure("png")), picture) < 0.02


def test_the_picture_in_all_formats():
    starts = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}
    for ending, start in starts.items():
        assert REPORTS["good"].figure(ending).startswith(start)
    with pytest.raises(gaussdp.DomainError, match=r"format must be one of 'svg', 'pdf', 'png', got 'bmp'"):
        REPORTS["good"].figure("bmp")


@pytest.mark.parametrize("name", RUNS)
def test_json_follows_its_schema_and_its_releases_are_a_plan(name):
    content = json.loads(REPORTS[name].render("json"))
    jsonschema.Draft202012Validator(schema()).validate(content)
    plan = parse_plan(json.dumps({"releases": content["mechanism"]["releases"]}), "plan.json")
    assert dict(plan.parts()) == dict(RUNS[name].accounted.parts())


def test_the_schema_refuses_what_is_not_in_it():
    content = json.loads(REPORTS["good"].render("json"))
    validator = jsonschema.Draft202012Validator(schema())
    for change in ({"extra": 1}, {"schema_version": 2}, {"standing": "fine"}, {"assumptions": []}):
        assert not validator.is_valid({**content, **change})


def test_every_rendering_shows_the_same_numbers():
    report = REPORTS["good"]
    tables = (report.guarantee, report.epsilon, report.attacker, report.precision, report.overall)
    cells = [cell for table in tables for row in table.text_rows(report.digits) for cell in row]
    for style in ("text", "markdown", "html"):
        shown = re.sub(r"<[^>]+>", " ", report.render(style))
        assert all(cell in shown for cell in cells), style


class TestHostileWords:
    def test_html(self):
        page = rendered(REPORTS["bad"], "html")
        assert "<script" not in page
        assert "<script" not in REPORTS["bad"]._repr_html_()
        assert "&lt;script&gt;alert(&#x27;x&#x27;)" in page

    def test_nothing_is_fetched(self):
        for text in (REPORTS["good"].render("html"), REPORTS["good"]._repr_html_()):
            assert not re.search(r"https?:|//\w|@import|url\(\s*[^#\s)]", text.replace(RUNS["good"].contact, ""))
            assert not re.search(r'\b(?:src|href)="(?!#)', text)
            assert "<script" not in text

    def test_markdown(self):
        text = REPORTS["bad"].render("markdown")
        assert not re.search(r"(?<!\\)<", text)
        assert not re.search(r"(?<!\\)\[l", text)
        rows = [line for line in text.splitlines() if line.startswith("| **")]
        assert all(len(re.findall(r"(?<!\\)\|", row)) == 3 for row in rows)

    def test_latex(self):
        text = REPORTS["bad"].render("latex")
        assert r"\input{/etc" not in text
        assert r"\textbackslash{}input\{/etc/passwd\} \%\_\textasciicircum{}\textasciitilde{}\#\$\{\}" in text
        assert r"\gaussdpchar{540D}{名}" in text

    def test_json(self):
        assert json.loads(REPORTS["bad"].render("json"))["protected"]["unit"] == HOSTILE

    @pytest.mark.parametrize("character", ["\x00", "\x1b", "\x7f", "\x9b", "\u202e", "\ud800"])
    def test_control_characters_never_get_in(self, character):
        with pytest.raises(gaussdp.DomainError, match=f"title must be printable text, .* U\\+{ord(character):04X}"):
            gaussdp.Run(mechanism=gaussdp.Gaussian(1.0), unit="a", adjacency="add-remove", title=f"a{character}b")

    def test_white_space_is_folded(self):
        run = gaussdp.Run(mechanism=gaussdp.Gaussian(1.0), unit="a\r\n\n# b\u2028c", adjacency="add-remove")
        assert run.unit == "a # b c"


def test_the_page_without_matplotlib():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import gaussdp\n"
        "run = gaussdp.Run(mechanism=gaussdp.Gaussian(2.0), unit='a', adjacency='add-remove')\n"
        "page = gaussdp.report_run(run).render('html')\n"
        "assert '<svg' not in page and 'gaussdp[plot]' in page\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_writing(tmp_path):
    seen = []
    files = REPORTS["plain"].write(tmp_path / "a" / "b", lambda done, total, name: seen.append((done, total, name)))
    names = {"statement." + ending for ending in ENDINGS.values()} | {"tradeoff." + e for e in ("svg", "pdf", "png")}
    assert {path.name for path in files} == names == {path.name for path in (tmp_path / "a" / "b").iterdir()}
    assert seen[-1] == (7, 7, "done")
    assert (tmp_path / "a" / "b" / "statement.md").read_text() == REPORTS["plain"].render("markdown")
    assert Image.open(io.BytesIO((tmp_path / "a" / "b" / "tradeoff.png").read_bytes())).width > 1000


def test_the_fragment_of_a_notebook_is_the_page_without_its_frame():
    fragment, page = REPORTS["good"]._repr_html_(), REPORTS["good"].render("html")
    assert fragment.startswith('<div class="gaussdp">')
    assert "<html" not in fragment
    assert fragment.split("</p>", 1)[1].strip().removesuffix("</div>").strip() in page


def test_golden_files_hold_nothing_else():
    assert {path.name for path in Path(FOLDER).iterdir()} == {f"{r}.{e}" for r in RUNS for e in ENDINGS.values()}
