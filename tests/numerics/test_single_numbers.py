"""Formulas have the same bits for one number and for many."""

import inspect
import math

import numpy as np
import pytest

from gaussdp.errors import ConvergenceError
from gaussdp.guarantees import approximate, base
from gaussdp.numerics import Formula, flat

DRAWS = 600
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
def test_the_same_bits_one_by_one_and_in_an_array(name):
    formula = FORMULAS[name]
    count = inputs_of(formula)
    draw = np.random.default_rng(7)
    kinds = [SIZES, *[RATES] * (count - 1)] if "mu" in name else [RATES] * count
    drawn = [tuple(float(draw.choice(kind)(draw)) for kind in kinds) for _ in range(DRAWS)]
    with np.errstate(all="ignore"):
        alone = [formula.one(*given) for given in drawn]
        np.testing.assert_array_equal(alone, formula(*map(np.array, zip(*drawn, strict=True))))


def test_what_python_cannot_compute_goes_on_with_numpy():
    formula = Formula(lambda xp, x: 1 / x)
    with np.errstate(all="ignore"):
        assert (formula.one(0.0), formula.one(-4.0)) == (math.inf, -0.25)


def test_an_iteration_that_does_not_settle_says_so():
    formula = Formula(lambda xp, x: xp.iterate(lambda xp, x: (x + 1.0, x < 0.0), x, 3))
    with pytest.raises(ConvergenceError, match="3 steps"):
        formula.one(1.0)
