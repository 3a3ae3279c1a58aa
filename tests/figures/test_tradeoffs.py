"""Guarantees side by side: the library's curves, and bytes that do not change, and names that hide nothing."""

import numpy as np
import pytest

from gaussdp import GDP, DomainError, PureDP
from gaussdp.figures import tradeoffs
from gaussdp.figures.tradeoffs import Attack, comparison_figure, render_tradeoffs, tradeoff_figure, tradeoff_plot


def test_the_curves_are_the_librarys():
    plot = tradeoff_plot({"budget": GDP(0.3), "policy": PureDP(1.0)})
    np.testing.assert_array_equal(plot.fnr["budget"], GDP(0.3).fnr(plot.fpr))
    np.testing.assert_array_equal(plot.tpr["policy"], PureDP(1.0).tpr(plot.fpr))
    assert (np.diff(plot.fpr) > 0).all()
    assert plot.fpr[-1] == 1


def test_an_attack_far_out_is_inside_the_picture():
    plot = tradeoff_plot({"budget": GDP(0.3)}, [Attack(1e-9, 1e-8, "here")])
    assert plot.fpr[0] == pytest.approx(1e-11)


@pytest.mark.parametrize("curves", [{}, {str(mu): GDP(mu) for mu in range(9)}])
def test_too_few_or_too_many(curves):
    with pytest.raises(DomainError, match="guarantees must be 1 to 8"):
        tradeoff_plot(curves)


def test_an_attack_without_false_alarms():
    with pytest.raises(DomainError, match="fpr must be in"):
        tradeoff_plot({"budget": GDP(1.0)}, [Attack(0.0, 0.5, "impossible")])


def test_the_same_input_gives_the_same_bytes():
    plot = tradeoff_plot({"budget": GDP(1.0)}, [Attack(1e-3, GDP(1.0).tpr(1e-3), "here")])
    first, again = render_tradeoffs(plot, "svg", "png"), render_tradeoffs(plot, "svg", "png")
    assert first == again
    assert first["svg"].startswith(b"<?xml")
    assert first["png"].startswith(b"\x89PNG")


PLOTS = {
    "usual": tradeoff_figure(GDP(0.8)),
    "pure": tradeoff_figure(PureDP(1.0), fpr=[1e-2, 1.2e-2, 1e-3, 1e-5]),
    "flat": tradeoff_figure(GDP(5.0)),
    "crowded": comparison_figure([GDP(0.8)], points={f"attack {i}": (0.01 * i, 0.03 * i) for i in range(1, 7)}),
}


@pytest.mark.parametrize("name", PLOTS)
def test_no_name_lies_on_another(name):
    import matplotlib.style
    from matplotlib.figure import Figure

    from gaussdp.figures import style

    with matplotlib.style.context(["default", style.PARAMETERS]):
        canvas = Figure(figsize=tradeoffs.SIZE, dpi=72)
        tradeoffs.draw_on(PLOTS[name], canvas)
        canvas.draw_without_rendering()
        for axes in canvas.axes:
            names = [text.get_bbox_patch().get_window_extent() for text in axes.texts if text.get_text()]
            legend = [axes.get_legend().get_window_extent()] if axes.get_legend() else []
            for i, box in enumerate(names):
                assert not any(box.overlaps(other) for other in (*names[:i], *legend))
                frame = axes.get_window_extent()
                assert frame.x0 < box.x0 + 1 < box.x1 < frame.x1 + 1
                assert frame.y0 < box.y0 + 1 < box.y1 < frame.y1 + 1
    written = [text.get_text() for text in canvas.axes[1].texts if text.get_text()]
    assert written == [attack.words for attack in PLOTS[name].attacks]
