"""Icon arrays as pictures; the picture itself is compared in test_drawing.py."""

import pytest

import gaussdp
from gaussdp.figures.icon_arrays import render_icons


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
