"""The trade-off figures show the guarantees' own numbers; the pictures are compared in test_drawing.py."""

import io
import math
import sys

import numpy as np
import pytest
from PIL import Image

import gaussdp
from gaussdp import GDP, ApproxDP, LaplaceDP, ProfilePoints, PureDP
from gaussdp.figures.tradeoffs import MOST_CURVES, comparison_figure, operating_points, tradeoff_figure

GUARANTEES = [GDP(0.8), PureDP(1.0), ApproxDP(2.0, 1e-3), LaplaceDP(1.5), ProfilePoints([0.0, 1.0], [0.3, 0.05])]


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=lambda guarantee: guarantee.legend)
def test_the_best_guess_is_the_best(guarantee):
    best, *_ = operating_points(guarantee)
    assert best.tpr - best.fpr == pytest.approx(guarantee.advantage(), abs=1e-9)
    assert guarantee.fnr(best.fpr) == pytest.approx(best.fpr, abs=1e-9)


def test_attacks_lie_on_the_curve_and_round_up():
    guarantee = GDP(0.8)
    plot = tradeoff_figure(guarantee, fpr=[1e-2, 3e-4])
    assert [attack.words for attack in plot.attacks] == [
        "best guess: TPR 0.6555",
        "1 in 100: TPR 0.06347",
        "FPR 3e-4: TPR 0.00425",
    ]
    for attack in plot.attacks:
        assert attack.tpr == guarantee.tpr(attack.fpr)
        assert attack.tpr <= float(attack.words.rsplit(" ", 1)[1]) <= 1.01 * attack.tpr


def test_curves_are_the_guarantees():
    plot = comparison_figure(GUARANTEES)
    for guarantee, tpr, fnr in zip(GUARANTEES, plot.tpr.values(), plot.fnr.values(), strict=True):
        np.testing.assert_array_equal(tpr, guarantee.tpr(plot.fpr))
        np.testing.assert_array_equal(fnr, guarantee.fnr(plot.fpr))
    assert 1 / (1 + math.e) in plot.fpr  # the corner of pure DP is drawn sharp


def test_names():
    curve = gaussdp.account(gaussdp.Gaussian(2.0))
    plot = comparison_figure([*GUARANTEES, curve, GDP(0.8), GDP(math.inf)])
    assert list(plot.tpr) == [
        "GDP, μ = 0.8",
        "pure DP, ε = 1",
        "DP, ε = 2, δ = 0.001",
        "Laplace noise, ε = 1.5",
        "points of a profile",
        "accounted curve",
        "GDP, μ = 0.8 (2)",
        "GDP, μ = ∞",
    ]
    assert list(comparison_figure({"ours": GDP(1.0)}).tpr) == ["ours"]
    assert list(tradeoff_figure(GDP(1.0), name="theirs").tpr) == ["theirs"]


def test_data():
    plot = comparison_figure([GDP(0.8), PureDP(1.0)])
    header, first, *_ = plot.data_text().splitlines()
    assert header == "fpr tpr1 tpr2"
    assert float(first.split()[2]) == pytest.approx(math.e * 1e-6)


@pytest.mark.parametrize(("ending", "start"), [("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")])
def test_every_format(ending, start, tmp_path):
    path = tradeoff_figure(GDP(0.8)).write(tmp_path / f"curve.{ending}")
    assert path.read_bytes().startswith(start)


def test_notebooks_show_it():
    plot = tradeoff_figure(GDP(0.8))
    assert plot._repr_svg_() == plot.render("svg").decode()


@pytest.mark.parametrize("mu", [0.0, 5.0, math.inf])
def test_extremes_are_drawn_within_the_picture(mu):
    with Image.open(io.BytesIO(tradeoff_figure(GDP(mu)).render("png"))) as picture:
        grey = np.asarray(picture.convert("L"))
    assert all((edge > 250).all() for edge in (grey[:3], grey[-3:], grey[:, :3], grey[:, -3:]))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tradeoff_figure(0.8), "guarantees must be such as GDP"),
        (lambda: tradeoff_figure(GDP(1.0), fpr=0.0), r"fpr must be in \[1e-12, 1\), got 0.0"),
        (lambda: tradeoff_figure(GDP(1.0), fpr=[]), "fpr must not be empty"),
        (lambda: comparison_figure([]), f"guarantees must be 1 to {MOST_CURVES}, got 0"),
        (lambda: comparison_figure({"a": 1.0}), "guarantees must be such as GDP"),
        (lambda: comparison_figure([GDP(float(i)) for i in range(9)]), "guarantees must be 1 to 8, got 9"),
        (lambda: comparison_figure([GDP(1.0)], points={"a": (0.5,)}), r"point 'a' must be a pair \(fpr, tpr\)"),
        (lambda: comparison_figure([GDP(1.0)], points={"a": (0.5, 2.0)}), r"tpr of 'a' must be in \[0, 1\], got 2.0"),
        (lambda: tradeoff_figure(GDP(1.0)).render("jpg"), "format must be svg, pdf or png, got 'jpg'"),
        (lambda: tradeoff_figure(GDP(1.0)).write("a.jpg"), "must end in .svg, .pdf or .png"),
    ],
)
def test_bad_input(make, words):
    with pytest.raises(gaussdp.DomainError, match=words):
        make()


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    plot = tradeoff_figure(GDP(0.8))
    with pytest.raises(gaussdp.MissingExtraError, match=r'pip install "gaussdp\[plot\]"'):
        plot.render("svg")
