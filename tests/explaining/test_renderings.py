"""Every rendering is as it was read and approved, sound in its own format, and says the same as the others."""

import json
import re
import subprocess
from html.parser import HTMLParser

import pytest

import gaussdp
import golden_texts
from browsers import NO_PDFLATEX, PDFLATEX
from gaussdp.documents.text import text

EXPLANATION = golden_texts.explanation()
VOID = {"meta", "br", "img", "hr", "link", "input"}


@pytest.mark.parametrize("style", ["text", "markdown", "html", "latex"])
def test_as_it_was_read(style):
    assert EXPLANATION.render(style) == golden_texts.path(style).read_text(encoding="utf-8")


def test_json_is_as_it_was_read():
    """To the last digits of a double, which may differ from one processor to another."""
    golden = json.loads(golden_texts.path("json").read_text(encoding="utf-8"))
    assert same(json.loads(EXPLANATION.render("json")), golden)


def same(one, other):
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == (pytest.approx(other, rel=1e-12) if isinstance(other, float) else other)


@pytest.mark.parametrize("style", ["text", "markdown", "html", "json"])
def test_every_sentence_is_there(style):
    words = EXPLANATION.render(style).replace("&#x27;", "'")
    flat = re.sub(r"\s+", " ", re.sub(r"\\(.)", r"\1", words) if style == "markdown" else words)
    assert all(sentence in flat for sentence in EXPLANATION.sentences)


def test_text_keeps_to_its_width():
    for width in (72, 100):
        assert all(len(line) <= width for line in text(EXPLANATION.document(), 4, width).splitlines())


class Balanced(HTMLParser):
    """Notes whether every element is closed in order, the identifiers, and what is loaded from elsewhere."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.loaded = [], [], []

    def handle_starttag(self, tag, attrs):
        names = dict(attrs)
        self.ids += [names["id"]] if "id" in names else []
        self.loaded += [names[key] for key in ("src", "href") if key in names]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.ids += [value for key, value in attrs if key == "id"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("page", [EXPLANATION.render("html"), EXPLANATION._repr_html_()])
def test_html_is_sound_and_needs_nothing_else(page):
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    assert len(parser.ids) == len(set(parser.ids))
    assert parser.loaded == []
    assert "@import" not in page
    assert "url(" not in page


def test_icons_can_be_read_aloud():
    page = EXPLANATION.render("html")
    icons = re.findall(r'<svg [^>]*role="img" aria-label="([^"]*)">(.*?)</svg>', page)
    assert len(icons) == len(EXPLANATION.icons)
    for array, (words, shapes) in zip(EXPLANATION.icons, icons, strict=True):
        assert words.startswith(array.title)
        assert f"{array.before} of 100: {array.labels[0]}" in words
        assert len(re.findall("<(?:circle|polygon) ", shapes)) == 100


def test_json_holds_full_precision_and_its_version():
    content = json.loads(EXPLANATION.render("json"), parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert (content["schema"], content["version"]) == ("gaussdp.explanation", 1)
    assert content["alarms"][1]["tpr"] == pytest.approx(gaussdp.GDP(0.8).tpr(1e-3), rel=1e-14)
    assert content["advantage"] == pytest.approx(gaussdp.GDP(0.8).advantage(), rel=1e-15)
    assert content["guesses"][0]["after"] == pytest.approx(gaussdp.GDP(0.8).accuracy(), rel=1e-14)
    endless = json.loads(gaussdp.explain(float("inf")).render("json"))
    assert endless["mu"] == "inf"


def test_digits_reach_the_tables():
    for style in ("markdown", "html", "latex"):
        assert EXPLANATION.render(style, digits=3) != EXPLANATION.render(style, digits=8), style


@pytest.mark.skipif(PDFLATEX is None, reason=NO_PDFLATEX)
@pytest.mark.parametrize("mu", [0.8, float("inf")])
def test_latex_compiles(mu, tmp_path):
    (tmp_path / "a.tex").write_text(gaussdp.explain(mu, prior=1 / 3).render("latex"), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-draftmode", "a.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Missing character" not in done.stdout
