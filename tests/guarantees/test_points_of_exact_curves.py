"""Points read off curves that are known exactly, at rates down to 1e-300: what they give is never too private."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gaussdp import GDP, ApproxDP, LaplaceDP, ProfilePoints, PureDP, TradeoffPoints, read_points

LEVELS = np.concatenate([[0.0], np.logspace(-300, -1, 120), np.linspace(0.1, 1, 19)])
EPSILONS = np.concatenate([[0.0], np.logspace(-3, 1.5, 40), [100.0, 600.0]])
ROUNDING = 1e-12  # of the exact curves and of one reading

guarantees = st.one_of(
    st.builds(GDP, st.floats(0.01, 30)),
    st.builds(PureDP, st.floats(0.001, 20)),
    st.builds(LaplaceDP, st.floats(0.01, 20)),
    st.builds(ApproxDP, st.floats(0, 10), st.sampled_from([1e-250, 1e-30, 1e-12, 1e-3, 0.3])),
)
tiny = st.floats(-300, -0.31).map(lambda exponent: float(10**exponent))
rates = st.lists(
    st.one_of(tiny, tiny.map(lambda rate: 1 - rate), st.floats(1e-3, 0.999)), min_size=1, max_size=12, unique=True
)
crowded = st.tuples(tiny, st.floats(1e-15, 1e-6), st.integers(2, 9)).map(
    lambda drawn: sorted({drawn[0] * (1 + drawn[1] * k) for k in range(drawn[2])})
)


def read(guarantee, fpr, column, **options):
    fpr = np.array(fpr)
    fpr = fpr[(fpr > 0) & (fpr < 1)] if (fpr < 1).any() else np.array([0.5])
    return read_points({"fpr": fpr, column: getattr(guarantee, column)(fpr)}, **options)


def assert_safe(points, truth):
    assert (points.tpr(LEVELS) >= truth.tpr(LEVELS) * (1 - ROUNDING)).all()
    assert (points.fnr(LEVELS) <= truth.fnr(LEVELS) + 1e-15).all()
    assert (points.fpr(LEVELS) <= truth.fpr(LEVELS) * (1 + ROUNDING)).all()
    assert (points.delta(EPSILONS) >= truth.delta(EPSILONS) * (1 - ROUNDING)).all()
    assert (points.epsilon(LEVELS) >= truth.epsilon(LEVELS) * (1 - ROUNDING) - ROUNDING).all()


@settings(max_examples=150)
@example(GDP(1.0), np.logspace(-30, -0.5, 60).tolist(), "tpr", "both")
@given(guarantees, st.one_of(rates, crowded), st.sampled_from(["tpr", "fnr"]), st.sampled_from(["both", "one"]))
def test_bounds_are_never_too_private(guarantee, fpr, column, directions):
    assert_safe(read(guarantee, fpr, column, directions=directions), guarantee)


@settings(max_examples=100)
@given(st.floats(0, 10), st.sampled_from([0.0, 1e-250, 1e-30, 1e-12, 0.3]), rates, st.sampled_from(["both", "one"]))
def test_vertices_of_straight_curves_are_never_too_private(epsilon, delta, fpr, directions):
    """With every corner among the vertices, the curve is theirs."""
    truth = ApproxDP(epsilon, delta)
    corner = (1 - delta) / (1 + np.exp(epsilon))
    fpr = np.unique([*fpr, corner, 0.0, 1.0])
    # Both halves of a double that lies beside a corner are on its pieces, so each of the rates is a vertex.
    points = TradeoffPoints.from_tpr(fpr, truth.tpr(fpr), meaning="vertices", directions=directions)
    assert (points.tpr(LEVELS) >= truth.tpr(LEVELS) * (1 - 1e-9)).all()
    # A rate near 1 is known to a unit in its last place, which is a large share of what it leaves; the steep piece is
    # e^epsilon times as steep as the flat one that this share tilts.
    unsure = 4e-16 * np.exp(epsilon) / (1 - fpr[fpr < 1].max())
    assert (points.tpr(LEVELS) <= truth.tpr(LEVELS) * (1 + 1e-9 + unsure) + 1e-12).all()
    assert (points.delta(EPSILONS) >= truth.delta(EPSILONS) * (1 - 1e-9) - 1e-15).all()


@settings(max_examples=60)
@given(guarantees, st.one_of(rates, crowded))
def test_vertices_say_no_less_than_they_were_given(guarantee, fpr):
    points = read(guarantee, fpr, "tpr", meaning="vertices")
    assert (points.tpr(points.fprs) >= guarantee.tpr(points.fprs) * (1 - ROUNDING)).all()


@pytest.mark.parametrize("truth", [GDP(0.1), GDP(1.0), GDP(5.0), PureDP(1.0), LaplaceDP(2.0)], ids=repr)
def test_many_bounds_are_near_the_curve(truth):
    """Some 50 bounds a decade, over 300 decades."""
    fpr = np.logspace(-300, -0.31, 15_000)
    points = read_points({"fpr": fpr, "tpr": truth.tpr(fpr)})
    assert_safe(points, truth)
    inside = LEVELS[(LEVELS > 1e-299) & (LEVELS < 1)]
    np.testing.assert_allclose(points.tpr(inside), truth.tpr(inside), rtol=0.05)
    levels = np.logspace(np.log10(truth.tpr(1e-299)) + 2, -2, 60)
    np.testing.assert_allclose(points.epsilon(levels), truth.epsilon(levels), rtol=0.05, atol=0.02)


@pytest.mark.parametrize("gap", [2.0**-45, 2.0**-30, 1e-3])
def test_between_two_statements_far_apart_no_digit_is_lost(gap):
    """The chord over e^epsilon, in many digits, near the end at which e^epsilon is small."""
    points = ProfilePoints([0.0, 50.0], [0.1, 1e-300])
    level = 0.1 * (1 - gap)
    with mp.workdps(60):
        share = (mp.mpf(0.1) - mp.mpf(level)) / (mp.mpf(0.1) - mp.mpf(1e-300))
        growth = share * mp.exp(50) + (1 - share)
    assert points.epsilon(level) == pytest.approx(float(mp.log(growth)), rel=1e-13)
    assert points.delta(points.epsilon(level)) == pytest.approx(level, rel=1e-13)
    assert points.epsilon(0.1) == 0
