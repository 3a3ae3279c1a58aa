"""Matrix products in pieces, and waves from tangents of half their angles."""

from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from gaussdp.accounting.loss.sums import exponential, product, rows_times, size_of_change, turned, weighted_rows

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("rows", "inner", "columns"), [(1, 1, 1), (3, 5, 2), (60, 64, 60), (60, 65, 60), (40, 700, 90), (300, 130, 300)]
)
@pytest.mark.parametrize("unit", [1.0, 1 - 2j])
def test_product(rows, inner, columns, unit):
    left, right = unit * RANDOM.normal(size=(rows, inner)), RANDOM.normal(size=(inner, columns)) + 0 * unit
    found = product(left, right)
    assert found.shape == (rows, columns)
    bound = 1e-15 * inner * (np.abs(left) @ np.abs(right))
    assert (np.abs(found - left @ right) <= bound).all()
    for row, column in ((0, 0), (rows - 1, columns - 1)):
        pairs = zip(left[row].tolist(), right[:, column].tolist(), strict=True)
        parts = [(Fraction(x.real), Fraction(x.imag), Fraction(y.real)) for x, y in pairs]
        for part, exact in (("real", sum(x * y for x, _, y in parts)), ("imag", sum(x * y for _, x, y in parts))):
            off = Fraction(float(getattr(found[row, column], part))) - exact
            assert abs(off) <= Fraction(float(bound[row, column]))


@pytest.mark.parametrize("rows", [1, 499, 500, 501, 3000])
def test_many_rows_times_a_small_matrix(rows):
    left, right = RANDOM.normal(size=(rows, 20)), RANDOM.normal(size=(20, 20))
    assert (np.abs(rows_times(left, right) - left @ right) <= 2e-14 * (np.abs(left) @ np.abs(right))).all()


def test_the_factors_stay_as_they_are():
    left, right = np.ones((300, 200)), np.ones((200, 300))
    product(left, right)
    assert left.sum() == right.sum() == 60_000


@pytest.mark.parametrize(("rows", "inner"), [(1, 1), (5, 3), (200, 100)])
def test_weighted_rows(rows, inner):
    table, weights = RANDOM.normal(size=(rows, inner)), RANDOM.random(inner)
    found = weighted_rows(table, weights)
    assert found.shape == (rows,)
    exact = sum(Fraction(x) * Fraction(w) for x, w in zip(table[-1].tolist(), weights.tolist(), strict=True))
    assert float(found[-1]) == pytest.approx(float(exact), rel=1e-12, abs=1e-15)
    np.testing.assert_allclose(found, (table * weights).sum(axis=1), rtol=1e-10, atol=1e-14)


ANGLES = np.concatenate(
    (
        [0.0, np.pi, -np.pi, 2 * np.pi, 0.5 * np.pi],
        RANDOM.uniform(-10, 10, 300),
        RANDOM.uniform(-1, 1, 100) * 10.0 ** RANDOM.uniform(-12, 5, 100),
    )
)


def test_turned_angles():
    from_one, sine = turned(ANGLES)
    with mp.workdps(50):
        for angle, change, rise in zip(ANGLES.tolist(), from_one.tolist(), sine.tolist(), strict=True):
            exact_change, exact_rise = mp.cos(mp.mpf(angle)) - 1, mp.sin(mp.mpf(angle))
            assert abs(change - exact_change) <= 1e-15 * abs(exact_change)  # also where the cosine is nearly 1
            assert abs(rise - exact_rise) <= 4e-16 * min(abs(angle), 1.0)


def test_exponentials_of_complex_numbers():
    exponents = RANDOM.uniform(-40, 2, ANGLES.size) + 1j * ANGLES
    with mp.workdps(50):
        exact = np.array([complex(mp.exp(mp.mpc(one))) for one in exponents.tolist()])
        change = np.array([float(abs(mp.expm1(mp.mpc(one)))) for one in exponents.tolist()])
        small = np.array([float(abs(mp.expm1(mp.mpc(1e-9 * one)))) for one in exponents.tolist()])
    assert (np.abs(exponential(exponents) - exact) <= 1e-15 * np.abs(exact)).all()
    np.testing.assert_allclose(size_of_change(exponents), change, rtol=2e-15)
    np.testing.assert_allclose(size_of_change(1e-9 * exponents), small, rtol=2e-15)
