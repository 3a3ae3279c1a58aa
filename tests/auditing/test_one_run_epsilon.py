"""The bound on epsilon from one run, against binomial sums in mpmath."""

import mpmath as mp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from gaussdp import audit_one_run
from gaussdp.auditing.one_run import epsilon_refuted_up_to, p_value


@pytest.mark.parametrize(
    ("numbers", "confidence", "epsilon"),
    [((500, 100, 100), 0.95, 3.479195), ((500, 100, 100), 0.99, 3.023198), ((500, 100, 60), 0.95, 0.0507356)],
)
def test_anchors_of_epsilon(numbers, confidence, epsilon):
    assert audit_one_run(*numbers, confidence).epsilon_lower(1e-5) == pytest.approx(epsilon, rel=1e-6)


def p_value_by_the_book(canaries, guesses, correct, epsilon, delta):
    with mp.workdps(30):
        q = 1 / (1 + mp.exp(-mp.mpf(epsilon)))
        mass = [mp.binomial(guesses, k) * q**k * (1 - q) ** (guesses - k) for k in range(guesses + 1)]
        densest = max((mp.fsum(mass[correct - i : correct]) / i for i in range(1, correct + 1)), default=0)
        return float(min(1, mp.fsum(mass[correct:]) + 2 * canaries * delta * densest))


@given(st.integers(1, 25), st.integers(0, 5), st.floats(0, 5), st.sampled_from([0.0, 1e-6, 1e-2]), st.data())
def test_p_value_by_the_book(guesses, rest, epsilon, delta, data):
    correct = data.draw(st.integers(0, guesses))
    found = p_value(guesses + rest, guesses, correct, epsilon, delta)
    assert found == pytest.approx(p_value_by_the_book(guesses + rest, guesses, correct, epsilon, delta), rel=1e-9)


def test_no_delta_and_all_delta():
    found = audit_one_run(200, 100, 95)
    assert found.epsilon_lower(0.0) > found.epsilon_lower(1e-4) > found.epsilon_lower(1.0) == 0
    right = special.expit(found.epsilon_lower(0.0))
    assert special.bdtrc(94.0, 100, right) == pytest.approx(0.05, rel=1e-9)


@settings(max_examples=50)
@given(st.integers(1, 40), st.sampled_from([0.0, 1e-9, 1e-4]), st.sampled_from([0.1, 0.05, 1e-6]), st.data())
def test_the_largest_epsilon_that_is_refuted(guesses, delta, tail, data):
    correct = data.draw(st.integers(0, guesses))
    found = epsilon_refuted_up_to(2 * guesses, guesses, correct, delta, tail)
    if found == 0:
        assert p_value_by_the_book(2 * guesses, guesses, correct, 1e-9, delta) > tail * (1 - 1e-6)
        return
    assert p_value_by_the_book(2 * guesses, guesses, correct, found, delta) <= tail * (1 + 1e-9)
    assert p_value_by_the_book(2 * guesses, guesses, correct, found * (1 + 1e-6) + 1e-9, delta) > tail


def test_all_right_in_closed_form():
    """q^r = tail for r guesses that are all right."""
    found = epsilon_refuted_up_to(1000, 50, 50, 0.0, 0.05)
    assert found == pytest.approx(float(special.logit(0.05 ** (1 / 50))), rel=1e-10)


@given(st.integers(1, 200), st.floats(0, 10), st.floats(0, 10))
def test_p_values_grow_with_epsilon(guesses, one, other):
    low, high = sorted((one, other))
    correct = guesses * 9 // 10
    for delta in (0.0, 1e-6):
        assert p_value(guesses, guesses, correct, low, delta) <= p_value(guesses, guesses, correct, high, delta) + 1e-12
