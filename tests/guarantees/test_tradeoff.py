import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gaussdp
from contracts_of_guarantees import RATES, GuaranteeContract
from gaussdp import GDP, ApproxDP, PureDP, TradeoffPoints


def of(guarantee, rates, **options):
    rates = np.asarray(rates, dtype=float)
    return TradeoffPoints(rates, guarantee.fnr(rates), **options)


class TestTradeoffPoints(GuaranteeContract):
    @pytest.fixture(
        params=[
            of(GDP(1.0), np.geomspace(1e-6, 0.5, 60)),
            of(GDP(1.0), np.linspace(0, 1, 41), meaning="vertices"),
            of(GDP(0.4), [0.2], directions="one"),
            of(PureDP(1.0), [0.0, 1 / (1 + math.e), 1.0], meaning="vertices"),
            of(ApproxDP(0.5, 0.01), [0.0, 0.1, 0.4, 0.9], meaning="vertices", directions="one"),
            TradeoffPoints([0.3, 0.5], [0.7, 0.5]),
            TradeoffPoints([0.0], [1.0]),
        ],
        ids=repr,
    )
    def guarantee(self, request):
        return request.param

    def test_frozen_hashable_and_printable(self, guarantee):
        with pytest.raises(AttributeError):
            guarantee.fprs = 3
        with pytest.raises(ValueError, match="read-only"):
            guarantee.fnrs[0] = 0.0
        assert guarantee in {guarantee}
        assert guarantee.meaning in repr(guarantee)


# A random concave ROC curve through (0, start) and (1, 1): the sum of random steps sorted by slope.
steps = st.lists(st.tuples(st.floats(1e-3, 1), st.floats(1e-3, 1)), min_size=1, max_size=6)
shares = st.lists(st.floats(0.001, 0.999), min_size=1, max_size=8, unique=True)


def roc_curve(pieces, start):
    pieces = sorted(pieces, key=lambda piece: -piece[1] / piece[0])
    x = np.cumsum([0, *(piece[0] for piece in pieces)])
    y = np.cumsum([0, *(piece[1] for piece in pieces)])
    return x / x[-1], np.minimum(start + (1 - start) * y / y[-1], 1.0)


def symmetrised(x, y):
    """The least concave curve above a ROC curve and its mirror image, on a fine grid."""
    grid = np.unique(np.concatenate([np.linspace(0, 1, 401), x, 1 - y]))
    upper = np.maximum(np.interp(grid, x, y), np.interp(grid, (1 - y)[::-1], (1 - x)[::-1]))
    return grid, np.maximum.reduce([upper, grid])


@pytest.mark.parametrize("directions", ["both", "one"])
@given(pieces=steps, start=st.floats(0, 0.5), rates=shares)
def test_bounds_hold_for_every_curve_through_them(directions, pieces, start, rates):
    """Whatever concave ROC curve the bounds are read off, the guarantee covers it, and its mirror image."""
    x, y = roc_curve(pieces, start)
    y = np.maximum(y, x)
    if directions == "both":  # a symmetric curve: the least concave one above both
        x, y = symmetrised(x, y)
        hull = TradeoffPoints.from_tpr(*hull_of(x, y), meaning="vertices", directions="one")
        x, y = x, hull.tpr(x)
    rates = np.sort(rates)
    read = np.interp(rates, x, y)
    keep = np.concatenate([[True], np.diff(read) > 0])
    curve = TradeoffPoints.from_tpr(rates[keep], np.maximum(read, rates)[keep], directions=directions)
    assert (curve.tpr(x) >= y - 1e-12).all()
    if directions == "one":
        assert (curve.tpr(1 - y) >= 1 - x - 1e-12).all()


def hull_of(x, y):
    kept = []
    for point in sorted(zip(x.tolist(), y.tolist(), strict=True)):
        if kept and point[0] - kept[-1][0] < 1e-9:
            continue
        while len(kept) > 1 and (point[1] - kept[-2][1]) * (kept[-1][0] - kept[-2][0]) >= (
            kept[-1][1] - kept[-2][1]
        ) * (point[0] - kept[-2][0]):
            kept.pop()
        kept.append(point)
    return zip(*kept, strict=True)


def test_two_bounds_written_out():
    """Bounds (0.01, 0.2) and (0.3, 0.5) on the ROC curve."""
    both = TradeoffPoints([0.01, 0.3], [0.8, 0.5])
    assert both.tpr(0.0) == pytest.approx((0.2 - 0.01) / 0.99, rel=1e-12)  # the first bound, seen from (1, 1)
    peak = (1 - 5 / 7) / (20 - 5 / 7)  # the ray of the first and the line from the second to (1, 1) meet
    assert both.tpr(peak) == pytest.approx(20 * peak, rel=1e-12)
    assert both.tpr(3 / 8) == pytest.approx(3 / 8 + 19 * peak, rel=1e-12)  # on the chord from the peak to its image
    assert both.tpr(peak / 2) == pytest.approx((both.tpr(0.0) + 20 * peak) / 2, rel=1e-12)
    # One direction alone: the ROC curve may reach 1 at FPR 3/5, so in the other FPR 0 allows TPR 2/5.
    one = TradeoffPoints([0.01, 0.3], [0.8, 0.5], directions="one")
    assert one.tpr(0.0) == pytest.approx(0.4, rel=1e-12)


def test_bounds_close_in_on_a_known_curve():
    true = GDP(1.0)
    gaps = []
    for count in (10, 100, 1000):
        curve = of(true, np.geomspace(1e-8, 0.5, count))
        assert (curve.fnr(RATES) <= true.fnr(RATES) + 1e-15).all()
        gaps.append(np.max(true.fnr(RATES) - curve.fnr(RATES)))
    assert gaps[2] < gaps[1] / 5 < gaps[0] / 25


class TestVertices:
    def test_the_hull_is_exact_for_straight_pieces(self):
        for true, corners in (
            (PureDP(1.0), [0.0, 1 / (1 + math.e), 1.0]),
            (ApproxDP(1.0, 0.1), [0.0, 0.9 / (1 + math.e), 0.9]),
        ):
            for directions in ("both", "one"):
                curve = of(true, corners, meaning="vertices", directions=directions)
                np.testing.assert_allclose(curve.fnr(RATES), true.fnr(RATES), atol=1e-14)
        assert of(PureDP(1.0), [0.0, 1 / (1 + math.e), 1.0], meaning="vertices").implied().mu == pytest.approx(
            PureDP(1.0).implied().mu, rel=1e-12
        )

    def test_half_of_a_symmetric_curve_is_enough(self):
        true = PureDP(1.0)
        left = TradeoffPoints([0.0, 0.1], true.fnr(np.array([0.0, 0.1])), meaning="vertices")
        np.testing.assert_allclose(left.fnr(RATES), true.fnr(RATES), atol=1e-14)
        right = TradeoffPoints(true.fnr(np.array([0.0, 0.1])), [0.0, 0.1], meaning="vertices")
        np.testing.assert_allclose(right.fnr(RATES), true.fnr(RATES), atol=1e-14)

    def test_nothing_is_assumed_beyond_the_ends(self):
        """One corner alone is a bound; two draw their line on."""
        alone = TradeoffPoints([0.1], [0.6], meaning="vertices")
        np.testing.assert_allclose(alone.fnr(RATES), TradeoffPoints([0.1], [0.6]).fnr(RATES), atol=1e-14)
        two = TradeoffPoints([0.1, 0.2], [0.6, 0.4], meaning="vertices", directions="one")
        assert two.tpr(0.0) == pytest.approx(max(0.2, 0.6), rel=1e-12)  # FNR reaches 0 at FPR 0.4

    def test_the_end_that_reaches_deeper_is_drawn_on(self):
        deep = of(GDP(1.0), [1e-5, 1e-4, 0.3, 0.6], meaning="vertices")
        assert deep.tpr(0.0) == pytest.approx(2 * deep.tpr(1e-5) - deep.tpr(2e-5), rel=1e-9)
        assert deep.tpr(0.0) < 5e-4
        mirrored = TradeoffPoints(deep.fnrs[::-1], deep.fprs[::-1], meaning="vertices")
        np.testing.assert_allclose(mirrored.fnr(RATES), deep.fnr(RATES), rtol=1e-9, atol=1e-12)

    def test_one_direction_is_mirrored(self):
        """P = (0.5, 0.3, 0.2) against Q = (0.1, 0.3, 0.6), by every set of outputs, in both directions."""
        p, q = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.3, 0.6])
        fpr, tpr = np.cumsum([0, *q]), np.cumsum([0, *p])
        curve = TradeoffPoints.from_tpr(fpr, np.minimum(tpr, 1), meaning="vertices", directions="one")
        for epsilon in (0.0, 0.5, 1.0, 1.5):
            growth = math.exp(epsilon)
            exact = max(np.maximum(p - growth * q, 0).sum(), np.maximum(q - growth * p, 0).sum())
            assert curve.delta(epsilon) >= exact - 1e-15
        assert curve.delta(0.0) == pytest.approx(0.4, rel=1e-12)
        assert curve.epsilon(0.0) == pytest.approx(math.log(5), rel=1e-12)


def test_small_rates_keep_their_digits():
    curve = TradeoffPoints.from_tpr([0.0, 1e-12, 1.0], [0.0, 1e-10, 1.0], meaning="vertices")
    assert curve.multiplicative_advantage(1e-13) == pytest.approx(100.0, rel=1e-12)
    assert curve.epsilon(0.0) == pytest.approx(math.log(100), rel=1e-12)


def test_a_rounded_fnr_is_not_taken_for_perfect_privacy():
    """0.9999999999999999 and 1.0 are what 1 - tpr rounds to."""
    true = GDP(1.0)
    rates = np.array([1e-30, 1e-20, 1e-3])
    curve = TradeoffPoints(rates, true.fnr(rates))
    assert (curve.tpr(RATES) >= true.tpr(RATES)).all()
    assert curve.tpr(1e-20) > true.tpr(1e-20)


@pytest.mark.parametrize(
    ("fpr", "fnr", "message"),
    [
        ([0.1, math.nan], [0.5, 0.4], r"^row 2: fpr must be in \[0, 1\], got nan"),
        ([0.1, 0.2], [0.5, 1.4], r"^row 2: fnr must be in \[0, 1\], got 1.4"),
        ([-0.1, 0.2], [0.5, 0.4], "^row 1: fpr must be in"),
        ([0.3, 0.1, 0.2], [0.3, 0.5, 0.51], "^row 3: fnr 0.51 is above that at the smaller fpr of row 2, 0.5"),
        ([0.3, 0.1, 0.3], [0.3, 0.5, 0.3], "^row 3: fpr 0.3 stands in row 1 already"),
        ([0.0, 0.3, 0.1, 0.3], [1.0, 0.3, 0.5, 0.3], "^row 4: fpr 0.3 stands in row 1 already|^row 4"),
        ([0.1, 0.2], [0.8, 0.81], "^row 2: fnr 0.81 is above 1 - fpr = 0.8, which guessing achieves"),
        ([0.1, 0.2], [0.5], "fpr and fnr must be equally many, got 2 and 1"),
        ([], [], "must be one column of at least one number"),
        (0.1, 0.5, "must be one column"),
        (["a"], [0.5], "fpr must be a column of numbers"),
    ],
)
def test_bad_points(fpr, fnr, message):
    with pytest.raises(gaussdp.DomainError, match=message):
        TradeoffPoints(fpr, fnr)


def test_bad_vertices_and_options():
    with pytest.raises(gaussdp.DomainError, match=r"^row 2: fnr 0\.6 is above the line between its neighbours, 0\.45"):
        TradeoffPoints([0.3, 0.2, 0.1], [0.3, 0.6, 0.6], meaning="vertices")
    with pytest.raises(gaussdp.DomainError, match=r"^row 1: fnr 0\.5 is above the line"):
        TradeoffPoints([0.4, 0.2], [0.5, 0.5], meaning="vertices")
    with pytest.raises(gaussdp.DomainError, match="meaning must be one of 'bounds', 'vertices', got 'hull'"):
        TradeoffPoints([0.1], [0.5], meaning="hull")
    with pytest.raises(gaussdp.DomainError, match="directions must be one of 'both', 'one'"):
        TradeoffPoints([0.1], [0.5], directions="two")


@given(
    st.lists(st.tuples(st.floats(allow_nan=True), st.floats(allow_nan=True)), max_size=6),
    st.sampled_from(["bounds", "vertices"]),
    st.sampled_from(["both", "one"]),
)
def test_any_numbers_give_a_curve_or_a_reason(points, meaning, directions):
    fpr, fnr = [p[0] for p in points], [p[1] for p in points]
    try:
        curve = TradeoffPoints(fpr, fnr, meaning=meaning, directions=directions)
    except gaussdp.DomainError:
        return
    assert np.isfinite(curve.fnr(RATES)).all()


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=6, unique_by=lambda p: p[0]),
    st.sampled_from(["both", "one"]),
)
def test_bounds_strewn_anywhere(points, directions):
    """Every set of bounds makes a curve, and dropping one never makes it promise more."""
    points = sorted((a, b * (1 - a)) for a, b in points)
    fpr = np.array([a for a, _ in points])
    fnr = np.minimum.accumulate([b for _, b in points])
    curve = TradeoffPoints(fpr, fnr, directions=directions)
    assert (curve.fnr(RATES) <= 1 - RATES + 1e-15).all()
    if fpr.size > 1:
        fewer = TradeoffPoints(fpr[1:], fnr[1:], directions=directions)
        assert (fewer.fnr(RATES) <= curve.fnr(RATES) + 1e-12).all()
