"""Kernels written out as one Python function: the same bits as the kernel itself, one number or many."""

import inspect
import math

import numpy as np
import pytest

from gaussdp.errors import ConvergenceError
from gaussdp.guarantees import approximate, base
from gaussdp.numerics import Formula, flat

DRAWS = 2000
CALLS_SCIPY = "_implied_mu"  # which can therefore not be written
RATES = (
    lambda draw: 10 ** draw.uniform(-12, -0.001),
    lambda draw: 10 ** draw.uniform(-300, 0),
    lambda draw: 1 - 10 ** draw.uniform(-12, -1),
    lambda draw: draw.uniform(0.001, 0.999),
)
SIZES = (*RATES, lambda draw: 10 ** draw.uniform(-3, 1.5), lambda draw: draw.uniform(1, 600))
FORMULAS = {
    name: formula
    for module in (flat, approximate, base)
    for name, formula in vars(module).items()
    if isinstance(formula, Formula)
}


def inputs_of(formula):
    return len(inspect.signature(formula.value).parameters) - 1


@pytest.mark.parametrize("name", FORMULAS)
def test_the_same_bits_as_the_kernel_one_by_one_and_in_an_array(name):
    formula = Formula(FORMULAS[name].value)
    count = inputs_of(formula)
    draw = np.random.default_rng(7)
    kinds = [SIZES, *[RATES] * (count - 1)] if "mu" in name else [RATES] * count
    drawn = [tuple(float(draw.choice(kind)(draw)) for kind in kinds) for _ in range(DRAWS)]
    with np.errstate(all="ignore"):
        by_kernel = [formula.one(*given) for given in drawn[: flat.OFTEN - 1]]
        assert inspect.ismethod(formula.one)
        formula.write_out(count)
        assert inspect.isfunction(formula.one) or name == CALLS_SCIPY
        by_lines = [formula.one(*given) for given in drawn]
        in_array = formula(*map(np.array, zip(*drawn, strict=True)))
    assert by_lines[: len(by_kernel)] == by_kernel
    np.testing.assert_array_equal(by_lines, in_array)


def test_what_python_cannot_compute_goes_on_with_numpy():
    formula = Formula(lambda xp, x: 1 / x)
    formula.write_out(1)
    with np.errstate(all="ignore"):
        assert (formula.one(0.0), formula.one(-4.0)) == (math.inf, -0.25)


def test_a_formula_is_written_out_when_it_is_asked_often():
    formula = Formula(lambda xp, x: xp.exp(x) - 1.0)
    answers = {formula.one(0.25) for _ in range(flat.OFTEN + 1)}
    assert "written out" in formula.one.__code__.co_filename
    assert answers == {float(np.exp(0.25)) - 1.0} == {formula.one(0.25)}


def test_one_that_is_asked_while_there_is_time_is_written_out_at_once():
    formula, other = Formula(lambda xp, x: xp.exp(x) - 1.0), Formula(lambda xp, x: np.tanh(x))
    with flat.written_out_at_once():
        found = formula.one(0.25)
        assert other.one(0.25) == float(np.tanh(0.25))
    assert "written out" in formula.one.__code__.co_filename
    assert formula.one(0.25) == found == float(np.exp(0.25)) - 1.0
    later = Formula(lambda xp, x: xp.exp(x))
    later.one(0.25)
    assert inspect.ismethod(later.one)
    assert inspect.ismethod(other.one)


def test_one_that_calls_a_library_by_itself_stays_as_it_is():
    formula = Formula(lambda xp, x: np.tanh(x))
    answers = {formula.one(0.25) for _ in range(flat.OFTEN + 1)}
    assert answers == {float(np.tanh(0.25))}
    assert inspect.ismethod(formula.one)


def test_an_iteration_that_does_not_settle_says_so():
    formula = Formula(lambda xp, x: xp.iterate(lambda xp, x: (x + 1.0, x < 0.0), x, 3))
    formula.write_out(1)
    with pytest.raises(ConvergenceError, match="3 steps"):
        formula.one(1.0)


def test_a_long_branch_is_left_to_the_kernel():
    def long(xp, x):
        for _ in range(1000):
            x = x + 1.0
        return x

    formula = Formula(lambda xp, x: xp.part(x > 0.0, x, long, x))
    formula.write_out(1)
    assert (formula.one(0.5), formula.one(-0.5)) == (1000.5, -0.5)
    assert formula.one.__code__.co_nlocals < 100


def test_what_is_written_in_its_place_is_nested_no_deeper_than_python_reads():
    def long(xp, x):
        for _ in range(1000):
            x = 0.5 * x + 1.0
        return x

    formula = Formula(long)
    formula.write_out(1)
    assert inspect.isfunction(formula.one)
    assert formula.one(0.25) == long(None, 0.25)
