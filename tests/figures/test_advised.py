"""The picture of a decision: its axes have numbers, its curves bend, and it speaks of what can be seen."""

import numpy as np
import pytest

from gaussdp.advising import Answers, advise, record
from gaussdp.advising.published import Published
from gaussdp.documents import render
from gaussdp.figures import advised, style
from gaussdp.figures.drawing import rendered

MODEL = Published(kind="model", batch_size=256, epochs=20)
COUNT = Published(kind="count", typical=1000)
SUM = Published(kind="sum", bound=50)


def axes_of(monkeypatch, draw):
    """The two panels as they are drawn, and how many points of the curve on the left lie behind words."""
    found = []

    def kept(draw, *arguments, **options):
        def noted(canvas):
            draw(canvas)
            canvas.draw_without_rendering()
            curve = canvas.axes[0].get_lines()[0]
            points = curve.get_transform().transform(curve.get_xydata())
            boxes = [one.get_window_extent() for one in canvas.axes[0].texts if one.get_text()]
            hidden = [box.x0 < x < box.x1 and box.y0 + 1 < y < box.y1 - 1 for box in boxes for x, y in points]
            found.extend([*canvas.axes, len(boxes), sum(hidden)])

        return rendered(noted, *arguments, **options)

    monkeypatch.setattr(advised, "rendered", kept)
    draw("png")
    return found


def decided_on(*published, **others):
    return record(advise(Answers(published=published, people=50_000, **others)))


@pytest.mark.parametrize(
    ("published", "others"),
    [
        ((MODEL,), {}),
        ((MODEL,), {"acceptable": 0.95}),
        ((MODEL,), {"acceptable": 0.501}),
        ((COUNT, SUM), {}),
        ((COUNT,), {"aim": "attribute", "chance": 0.001, "acceptable": 0.01}),
    ],
)
def test_numbers_along_the_axis_and_words_that_no_curve_crosses(monkeypatch, published, others):
    _, right, words, hidden = axes_of(monkeypatch, decided_on(*published, **others).picture)
    low, high = right.get_ylim()
    labels = [label.get_text() for label, place in zip(right.get_yticklabels(), right.get_yticks(), strict=True)
              if low <= place <= high]  # fmt: skip
    assert 3 <= sum(map(bool, labels)) <= 8
    assert (words, hidden) == (2, 0)


def test_the_noise_of_a_model_bends(monkeypatch):
    """No corner is seen: the slope changes little from piece to piece, and at what was decided the noise is exact."""
    decided = decided_on(MODEL)
    _, right, *_ = axes_of(monkeypatch, decided.picture)
    x, y = right.get_lines()[0].get_data()
    turned = np.abs(np.diff(np.arctan(np.diff(np.log(y)) / np.diff(np.log(x)))))
    assert len(x) > 50
    assert turned.max() < 0.1
    exact = decided.advice.noise(MODEL, decided.mu).sd
    assert np.exp(np.interp(np.log(decided.mu), np.log(x), np.log(y))) == pytest.approx(exact, rel=2e-3)


def test_shaded_is_said_where_something_is(monkeypatch):
    decided = decided_on(COUNT)
    assert decided.advice.high == decided.advice.mu
    left, *_ = axes_of(monkeypatch, decided.picture)
    assert "shaded" not in left.get_xlabel()
    assert "band" not in render(decided.document(), "text")
    wide = advised.DecisionPicture(
        (0.1, 1.0), (0.5, 0.7), 0.5, 0.3, 0.6, (0.4, "decided"), [("noise", (9, 1))], "noise"
    )
    for axes in axes_of(monkeypatch, lambda ending: advised.render_decision(wide, ending))[:2]:
        assert "shaded" in axes.get_xlabel()
        assert axes.patches


@pytest.mark.parametrize("low", [3e-9, 0.31, 1.0, 7.2, 9.9, 4e5])
@pytest.mark.parametrize("times", [1.17, 1.5, 2.0, 9.0, 60.0, 1e4, 1e12])
def test_three_to_seven_ticks_whatever_the_range(low, times):
    ticks = style.readable_ticks(low, low * times)
    assert 3 <= len(ticks) <= 8
    assert low <= ticks[0] < ticks[-1] <= low * times
