import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import gaussdp
from contracts_of_guarantees import RATES, GuaranteeContract
from gaussdp import GDP, ApproxDP, ProfilePoints, PureDP


def of(guarantee, epsilons):
    return ProfilePoints(epsilons, guarantee.delta(np.asarray(epsilons, dtype=float)))


class TestProfilePoints(GuaranteeContract):
    @pytest.fixture(
        params=[
            of(GDP(1.0), np.linspace(0, 12, 400)),
            of(GDP(0.3), [0.5, 1.0]),
            of(PureDP(1.0), [0.0, 0.5, 1.0]),
            of(ApproxDP(1.0, 1e-5), [1.0]),
            ProfilePoints([0.0], [0.0]),
            ProfilePoints([0.0, 3.0], [1.0, 1.0]),
        ],
        ids=repr,
    )
    def guarantee(self, request):
        return request.param

    def test_frozen_hashable_and_printable(self, guarantee):
        with pytest.raises(AttributeError):
            guarantee.deltas = 3
        with pytest.raises(ValueError, match="read-only"):
            guarantee.deltas[0] = 0.0
        assert guarantee in {guarantee}
        assert "points" in repr(guarantee)


@given(
    st.lists(st.tuples(st.floats(0, 20), st.floats(0, 1)), min_size=1, max_size=8),
    st.floats(0, 1),
)
@example([(0.0, 1.0), (1e-16, 0.5)], 0.0)  # e^epsilon rounds to 1, and e^-epsilon does not
def test_the_curve_is_the_best_of_the_statements(points, fpr):
    """Written out: the largest of the single statements' curves, at every point."""
    curve = ProfilePoints(*zip(*points, strict=True))
    singles = [ApproxDP(*point) for point in points]
    assert curve.fnr(fpr) == pytest.approx(max(single.fnr(fpr) for single in singles), abs=1e-14)
    assert curve.tpr(fpr) == pytest.approx(min(single.tpr(fpr) for single in singles), abs=1e-14)
    assert curve.fpr(fpr) == pytest.approx(max(single.fpr(fpr) for single in singles), abs=1e-14)


@pytest.mark.parametrize("mu", [0.2, 1.0, 3.0])
def test_pessimistic_between_points_and_exact_in_the_limit(mu):
    true = GDP(mu)
    coarse, fine = (of(true, np.linspace(0, 9 * mu + mu * mu, n)) for n in (12, 3000))
    between = np.linspace(0, 8 * mu, 777)
    assert (coarse.fnr(RATES) <= true.fnr(RATES) + 1e-15).all()
    assert (coarse.delta(between) >= true.delta(between) - 1e-15).all()
    np.testing.assert_allclose(fine.fnr(RATES), true.fnr(RATES), rtol=1e-4, atol=1e-9)
    np.testing.assert_allclose(fine.delta(between), true.delta(between), rtol=1e-3, atol=1e-12)


def test_points_above_the_hull_are_dropped():
    curve = ProfilePoints([0.0, 0.5, 1.0, 2.0, 3.0], [0.3, 0.29, 0.02, 0.02, 0.5])
    assert curve.epsilons.tolist() == [0.0, 1.0]
    implied_by_the_next = ProfilePoints([0.0, 1.0], [0.99, 0.0])
    assert implied_by_the_next.epsilons.tolist() == [1.0]


def test_implied():
    assert of(PureDP(1.0), [1.0]).implied().mu == pytest.approx(PureDP(1.0).implied().mu, rel=1e-12)
    better = ProfilePoints([0.0, 1.0], [0.1, 0.0])
    assert better.implied().mu < PureDP(1.0).implied().mu
    assert (better.implied().fnr(RATES) <= better.fnr(RATES) + 1e-15).all()
    with pytest.raises(gaussdp.DomainError, match=r"no finite mu follows from points whose least delta is 0\.01"):
        ProfilePoints([1.0], [0.01]).implied()
    assert ProfilePoints([0.0], [0.0]).implied() == GDP(0.0)


@pytest.mark.parametrize(
    ("epsilon", "delta", "message"),
    [
        ([1.0, 2.0], [0.1], "equally many, got 2 and 1"),
        ([701.0], [0.1], r"epsilon must be in \[0, 700\], got 701.0"),
        ([-1.0], [0.1], "epsilon must be in"),
        ([1.0], [1.1], "delta must be in"),
        ([], [], "epsilon must not be empty"),
        ([math.nan], [0.1], "epsilon must be in"),
    ],
)
def test_bad_points(epsilon, delta, message):
    with pytest.raises(gaussdp.DomainError, match=message):
        ProfilePoints(epsilon, delta)
