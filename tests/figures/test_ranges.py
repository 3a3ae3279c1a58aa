"""Figures at tiny, usual and huge values: what they say can be read, and nothing hides it."""

import re
from datetime import datetime, timedelta

import numpy as np
import pytest

import gaussdp
from gaussdp.figures import accounted, spending, style, tradeoffs
from gaussdp.figures.drawing import legend_hides_a_curve, rendered


@pytest.fixture
def drawn(monkeypatch):
    """What draws with a module, on canvases that stay."""

    def canvases(module, draw):
        found = []

        def kept(paint, *arguments, **options):
            return rendered(lambda canvas: (paint(canvas), found.append(canvas)), *arguments, **options)

        monkeypatch.setattr(module, "rendered", kept)
        draw()
        return found

    return canvases


@pytest.mark.parametrize("noise", [0.05, 2.0, 5e4])
def test_the_legend_of_an_accounted_curve_has_numbers_as_people_write_them(drawn, noise):
    plot = accounted.accounted_plot(gaussdp.account(gaussdp.Gaussian(noise)))
    (canvas,) = drawn(accounted, lambda: accounted.render_accounted(plot, "png"))
    words = [text.get_text() for text in canvas.axes[0].get_legend().get_texts()]
    assert any(rf"\mu = {style.text_words(gaussdp.documents.rounding.shown_up(plot.mu))}" in one for one in words)
    assert not any("e-" in one for one in words)


@pytest.mark.parametrize(
    ("hours", "mus"),
    [
        ([0], [0.3]),
        (range(300), np.sqrt(np.arange(1, 301)) * 0.01),
        ([0, 50_000], [1e-5, 2.0]),
        ([0, 1], [1e-5, 2e-5]),
    ],
)
def test_the_legend_of_spending_hides_no_curve(drawn, hours, mus):
    times = [datetime(2026, 1, 1) + timedelta(hours=hour) for hour in hours]
    (canvas,) = drawn(spending, lambda: spending.render_spending(times, list(mus), 1.0, "png"))
    assert not legend_hides_a_curve(canvas.axes[0])


@pytest.mark.parametrize("mu", [1e-4, 0.8, 6.0, 40.0])
def test_a_curve_along_the_frame_is_seen(drawn, mu):
    (canvas,) = drawn(tradeoffs, lambda: tradeoffs.tradeoff_figure(gaussdp.GDP(mu)).render("png"))
    curve = canvas.axes[0].get_lines()[1]
    assert not curve.get_clip_on()
    assert curve.get_zorder() > max(spine.get_zorder() for spine in canvas.axes[0].spines.values())


def test_eight_curves_look_different():
    compared = tradeoffs.comparison_figure([gaussdp.GDP(0.1 * 2**i) for i in range(8)])
    drawing = compared.render("svg").decode()
    looks = re.findall(r'style="fill: none;(?: stroke-dasharray: ([0-9.,]+);)?[^"]* stroke: (#[0-9a-f]{6})', drawing)
    dashes = {(pattern, colour) for pattern, colour in looks if colour in tradeoffs.COLOURS}
    assert len(dashes) == 8
    assert len({pattern for pattern, _ in dashes}) == 5
