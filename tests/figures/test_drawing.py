"""Drawing: the pictures stay as they were looked at, files are reproducible, their fonts sound, their lines seen."""

import dataclasses
import io
import re
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import gaussdp
from gaussdp.documents import blocks
from gaussdp.figures import FIGURES, FORMATS, drawing, figure, format_of, render, style, tradeoffs
from gaussdp.figures.icon_arrays import render_icons
from gaussdp.figures.maps import render_rule_map, rule_map
from golden_images import NAMES, baseline, coarse, difference, drawn

TOLERANCE = 0.006  # a curve moved by 2 % of its height differs by 0.008 or more, another rendering of the same by 0.001


@pytest.mark.parametrize("name", NAMES)
def test_picture_is_as_it_was_looked_at(name):
    assert difference(coarse(drawn(name)), baseline(name)) < TOLERANCE


@pytest.mark.parametrize(
    "change",
    [
        lambda plot: {"curves": (*plot.curves[:-1], moved(plot.curves[-1], 1.02))},
        lambda plot: {"curves": plot.curves[:-1]},
        lambda plot: {"x": dataclasses.replace(plot.x, label="TPR")},
        lambda plot: {"x": dataclasses.replace(plot.x, ticks=plot.x.ticks[:-1])},
        lambda plot: {"y": dataclasses.replace(plot.y, high=1.01 * plot.y.high)},
        lambda plot: {"legend_columns": 2},
    ],
    ids=["curve moved", "curve lost", "other label", "tick lost", "other window", "other legend"],
)
def test_a_changed_figure_is_noticed(change):
    plot = figure("fig1b")
    changed = dataclasses.replace(plot, **change(plot))
    assert difference(coarse(render(changed, "png")["png"]), baseline("fig1b")) > 2 * TOLERANCE


def moved(curve, factor):
    return dataclasses.replace(curve, y=factor * curve.y)


def test_every_format_twice_gives_the_same_bytes():
    for name in ("fig1a", "fig4a"):
        assert render(figure(name), *FORMATS) == render(figure(name), *FORMATS)
    assert render_rule_map(rule_map(), *FORMATS) == render_rule_map(rule_map(), *FORMATS)


def test_the_order_of_formats_does_not_matter():
    together = render(figure("fig2a"), *FORMATS)
    assert {ending: render(figure("fig2a"), ending)[ending] for ending in FORMATS} == together


def test_svg_draws_text_as_outlines_and_holds_no_date():
    svg = render(figure("fig3b"), "svg")["svg"].decode()
    assert "<text" not in svg
    assert "font-family" not in svg
    assert "dc:date" not in svg
    assert 'width="176.4pt"' in svg


def test_pdf_embeds_truetype_and_holds_no_date():
    pdf = render(figure("fig3b"), "pdf")["pdf"]
    streams = re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL)
    objects = pdf + b"".join(zlib.decompress(stream) for stream in streams if stream[:1] == b"x")
    assert b"/FontFile2" in objects
    assert b"/Type3" not in objects
    assert b"CreationDate" not in objects


def test_png_is_for_print():
    with Image.open(io.BytesIO(render(figure("fig4a"), "png")["png"])) as picture:
        assert picture.size == (1005, 750)
        assert picture.info["dpi"] == pytest.approx((300, 300), abs=0.1)


@pytest.mark.parametrize("key", FIGURES)
def test_nothing_touches_the_edge(key):
    """A white rim all around: no label is cut."""
    with Image.open(io.BytesIO(render(figure(key), "png")["png"])) as picture:
        grey = np.asarray(picture.convert("L"))
    assert all((edge > 250).all() for edge in (grey[:3], grey[-3:], grey[:, :3], grey[:, -3:]))


@pytest.mark.parametrize(
    ("key", "parameters"),
    [
        ("fig1a", {"mu": 0.2, "fpr": 1e-9}),
        ("fig1a", {"mu": 9.0, "fpr": 0.3}),
        ("fig1b", {"epsilon": 1e-4}),
        ("fig3b", {"epsilon": 25000.0, "delta": [1e-5]}),
        ("fig6a", {"mu": [300.0]}),
        ("fig4a", {"mu": [0.001, 5.0]}),
    ],
)
def test_long_labels_find_room(key, parameters):
    with Image.open(io.BytesIO(render(figure(key, **parameters), "png")["png"])) as picture:
        grey = np.asarray(picture.convert("L"))
    assert all((edge > 250).all() for edge in (grey[0], grey[-1], grey[:, 0], grey[:, -1]))


@pytest.mark.parametrize("mus", [[0.2, 0.4, 0.8, 1.5, 3.0], [0.1, 4.0], [0.5]])
def test_no_legend_lies_on_a_curve(mus):
    from matplotlib.figure import Figure

    canvas = Figure()
    drawing.draw_on(figure("fig5a", mu=mus), canvas)
    assert not drawing.legend_hides_a_curve(canvas.axes[0])


def test_the_users_settings_stay_out():
    import matplotlib

    before = render(figure("fig2a"), "png")
    with matplotlib.rc_context({"font.size": 30, "lines.linewidth": 9, "axes.facecolor": "red"}):
        assert render(figure("fig2a"), "png") == before
        assert matplotlib.rcParams["font.size"] == 30


def test_format_of():
    assert format_of(Path("a/b.SVG")) == "svg"
    with pytest.raises(gaussdp.DomainError, match=r"must end in .svg, .pdf or .png, got 'b.jpg'"):
        format_of(Path("a/b.jpg"))


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(gaussdp.MissingExtraError, match=r'pip install "gaussdp\[plot\]"'):
        render(figure("fig1a"), "svg")
    assert figure("fig1a").data_text().startswith("fpr tpr\n")


def contrast(colour: str) -> float:
    """To white, by the formula of WCAG 2.1."""
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


@pytest.mark.parametrize(
    "colour",
    [*tradeoffs.COLOURS, style.OWN, style.OWN_SECOND, style.BASELINE, blocks.BEFORE, blocks.ADDED, blocks.REST],
)
def test_lines_are_dark_enough(colour):
    assert contrast(colour) >= 3


@pytest.mark.parametrize(("ending", "start"), [("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")])
def test_every_format_is_repeatable(ending, start):
    explanation = gaussdp.explain(0.8, prior=0.2)
    first = explanation.figure(ending)
    assert first == explanation.figure(ending)
    assert first.startswith(start)


@pytest.mark.parametrize("mu", [0.0, float("inf")])
def test_one_array(mu):
    assert len(gaussdp.explain(mu).figure("svg")) > 5000


def test_nothing_to_draw():
    with pytest.raises(gaussdp.DomainError, match="arrays must not be empty"):
        render_icons([], "png")
