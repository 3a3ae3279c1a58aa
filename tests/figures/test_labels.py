"""Names of points keep clear of one another, of the legend and of the frame."""

import pytest

from gaussdp import GDP, PureDP
from gaussdp.figures import tradeoffs
from gaussdp.figures.comparing import comparison_figure, tradeoff_figure

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
        tradeoffs._draw(PLOTS[name], canvas)
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
