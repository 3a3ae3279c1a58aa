"""Guarantees side by side: the library's curves, and bytes that do not change."""

import numpy as np
import pytest

from gaussdp import GDP, DomainError, PureDP
from gaussdp.figures.tradeoffs import Attack, render_tradeoffs, tradeoff_plot


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
