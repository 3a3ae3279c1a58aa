"""The bound on epsilon from one run, against binomial sums in mpmath."""

import mpmath as mp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

import gaussdp
from gaussdp import ApproxDP, LaplaceDP, PureDP, audit_one_run
from gaussdp.auditing.one_run import epsilon_refuted_up_to, p_value, refuted


@pytest.mark.parametrize(
    ("numbers", "confidence", "epsilon"),
    [((500, 100, 100), 0.95, 3.492643), ((500, 100, 100), 0.99, 3.053774), ((500, 100, 60), 0.95, 0.0507356)],
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
@given(st.integers(1, 40), st.sampled_from([0.0, 1e-9, 1e-4, 1e-2]), st.sampled_from([0.1, 0.05, 1e-6]), st.data())
def test_the_largest_epsilon_that_is_refuted(guesses, delta, tail, data):
    """By one theorem or the other: the binomial sums in many digits, or the recursion on the curve."""
    correct = data.draw(st.integers(0, guesses))
    numbers = 2 * guesses, guesses, correct

    def by_either(epsilon, rounding):
        return p_value_by_the_book(*numbers, epsilon, delta) <= tail * (1 + rounding) or refuted(
            ApproxDP(epsilon, delta).fpr, *numbers, tail * (1 + rounding)
        )

    found = epsilon_refuted_up_to(*numbers, delta, tail)
    if found == 0:
        assert not by_either(1e-9, -1e-6)
        return
    assert by_either(found, 1e-9)
    assert not by_either(found * (1 + 1e-6) + 1e-9, 0)


NUMBERS = st.integers(1, 60).flatmap(
    lambda guesses: st.tuples(st.integers(guesses, 400), st.just(guesses), st.integers(guesses // 2, guesses))
)


@settings(max_examples=60)
@given(
    st.lists(NUMBERS, min_size=1, max_size=2), st.sampled_from([0.0, 1e-7, 1e-3, 0.05]), st.sampled_from([0.9, 0.99])
)
def test_a_claim_is_contradicted_just_below_the_bound(numbers, delta, confidence):
    """One inversion serves both: contradicts(epsilon, delta) says what epsilon < epsilon_lower(delta) says."""
    canaries = max(m for m, _, _ in numbers)
    found = audit_one_run(canaries, [g for _, g, _ in numbers], [c for _, _, c in numbers], confidence)
    epsilon = found.epsilon_lower(delta)
    for claimed in (0.0, epsilon / 2, epsilon * (1 - 1e-6), epsilon, epsilon * (1 + 1e-6) + 1e-9, 2 * epsilon + 1):
        assert found.contradicts(ApproxDP(claimed, delta)) == (claimed < epsilon)
        if delta == 0:
            assert found.contradicts(PureDP(claimed)) == (claimed < epsilon)
            assert found.contradicts(LaplaceDP(claimed)) or claimed >= epsilon  # it promises as much and more


def reveals_a_few(canaries, guesses, correct, epsilon, delta):
    """The chance of so many right under (epsilon, delta)-DP at least: with probability p = delta m / v some v of the m
    canaries, any of them alike, are revealed, and randomized response speaks of the others."""
    p = min(1.0, delta * canaries / correct)
    right = special.expit(epsilon)
    others = guesses - correct
    assert others >= 0
    return p + (1 - p) * special.betainc(correct, others + 1, right)


@pytest.mark.parametrize(
    "numbers", [(500, 100, 100), (1000, 100, 90), (1000, 1000, 600), (30, 30, 24), (10000, 100, 100), (60, 60, 60)]
)
@pytest.mark.parametrize("delta", [0.0, 1e-8, 1e-5, 1e-3, 1e-2])
def test_no_mechanism_that_exists_is_refuted(numbers, delta):
    """The bound stays below the epsilon of a mechanism that makes so many right guesses likely enough."""
    found = audit_one_run(*numbers).epsilon_lower(delta)
    if found:
        assert reveals_a_few(*numbers, found * (1 - 1e-9), delta) <= 0.05 * (1 + 1e-6)


def test_both_theorems_are_needed():
    """The recursion where delta is large, the binomial where it is small; the two differ by 1.6 here."""
    assert audit_one_run(500, 100, 100).epsilon_lower(1e-3) == pytest.approx(3.4595, rel=1e-4)
    assert p_value(500, 100, 100, 1.82, 1e-3) > 0.05
    assert audit_one_run(1000, 100, 90).epsilon_lower(0.0) == pytest.approx(1.630823, rel=1e-6)
    assert not refuted(PureDP(1.62).fpr, 1000, 100, 90, 0.05)


@pytest.mark.parametrize("method", [gaussdp.EqualLocalLevel(), gaussdp.DKW(), gaussdp.AUC(), gaussdp.FixedThreshold(1)])
@pytest.mark.parametrize("delta", [0.0, 1e-5, 1e-2])
def test_trials_agree_with_themselves_as_well(method, delta):
    found = gaussdp.audit_counts(
        [0, 1, 2], members=[100, 300, 600], nonmembers=[700, 295, 5], method=method, design="trials"
    )
    epsilon = found.epsilon_lower(delta)
    assert epsilon > 0.5
    for claimed in (0.0, epsilon / 2, epsilon * (1 - 1e-8), epsilon * (1 + 1e-8), 2 * epsilon):
        assert found.contradicts(ApproxDP(claimed, delta)) == (claimed < epsilon)
        if delta == 0:
            assert found.contradicts(PureDP(claimed)) == (claimed < epsilon)


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
