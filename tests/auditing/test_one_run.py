import math

import mpmath as mp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gaussdp
from gaussdp import GDP, DomainError, PureDP, audit_one_run


@pytest.mark.parametrize(
    ("numbers", "mu"),
    [((1000, 100, 100), 1.225533), ((1000, 100, 90), 0.602504), ((1000, 1000, 600), 0.163850)],
)
def test_anchors(numbers, mu):
    assert audit_one_run(*numbers).mu_lower == pytest.approx(mu, abs=6e-7)


def refuted_by_the_book(canaries, guesses, correct, mu, tail):
    """The recursion in many digits, every step written out."""
    with mp.workdps(40):
        r, h = mp.mpf(tail) * correct / canaries, mp.mpf(tail) * (guesses - correct) / canaries
        for i in range(correct - 1, -1, -1):
            quantile = mp.mpf("-inf") if r == 0 else mp.sqrt(2) * mp.erfinv(2 * r - 1)
            raised = max(h, mp.ncdf(quantile - mu))
            r, h = min(mp.mpf(1), r + mp.mpf(i) / (guesses - i) * (raised - h)), raised
        return r + h > mp.mpf(guesses) / canaries


@pytest.mark.parametrize("numbers", [(30, 10, 10), (30, 30, 24), (12, 12, 12), (50, 20, 17)])
def test_against_the_recursion_in_many_digits(numbers):
    found = audit_one_run(*numbers).mu_lower
    tail = 1 - 0.95
    assert refuted_by_the_book(*numbers, found * (1 - 1e-8), tail)
    assert not refuted_by_the_book(*numbers, found * (1 + 1e-8), tail)


@settings(max_examples=40)
@given(st.integers(1, 60), st.integers(0, 60), st.data())
def test_more_right_guesses_prove_no_less(guesses, rest, data):
    correct = data.draw(st.integers(0, guesses))
    canaries = guesses + rest
    found = audit_one_run(canaries, guesses, correct)
    assert found.mu_lower >= 0
    assert audit_one_run(canaries, guesses, correct, 0.99).mu_lower <= found.mu_lower
    if correct:
        fewer = audit_one_run(canaries, guesses, correct - 1)
        assert fewer.mu_lower <= found.mu_lower + 1e-9
        assert fewer.epsilon_lower(1e-5) <= found.epsilon_lower(1e-5) + 1e-9


def test_claims():
    found = audit_one_run(1000, 100, 90)
    assert found.contradicts(0.6)
    assert not found.contradicts(GDP(0.61))
    assert found.guarantee == GDP(found.mu_lower)
    weak, strong = PureDP(0.2), PureDP(4.0)
    assert found.contradicts(weak)
    assert not found.contradicts(strong)
    assert found.verdict(weak).sentence == "The claim ε = 0.2 is contradicted at 95 % confidence."
    assert "consistent with the claim ε = 4" in found.verdict(strong).sentence


class SameCurve(gaussdp.Guarantee):
    """GDP in disguise, so that the curve's own reading is used."""

    def __init__(self, mu):
        self._inner = GDP(mu)

    def fnr(self, fpr):
        return self._inner.fnr(fpr)

    def tpr(self, fpr):
        return self._inner.tpr(fpr)

    def fpr(self, tpr):
        return self._inner.fpr(tpr)

    def delta(self, epsilon):
        return self._inner.delta(epsilon)

    def epsilon(self, delta):
        return self._inner.epsilon(delta)

    def implied(self):
        return self._inner


def test_a_curve_is_judged_as_its_mu_would_be():
    found = audit_one_run(1000, 100, 90)
    assert found.contradicts(SameCurve(found.mu_lower * (1 - 1e-9)))
    assert not found.contradicts(SameCurve(found.mu_lower * (1 + 1e-9)))


def test_a_stated_set_pays_for_itself():
    alone, together = audit_one_run(1000, 100, 90), audit_one_run(1000, [100, 50], [90, 30])
    assert 0 < together.mu_lower < alone.mu_lower
    dearer = audit_one_run(1000, 100, 90, 0.975)
    assert together.mu_lower == dearer.mu_lower
    assert 0 < together.epsilon_lower(1e-5) == dearer.epsilon_lower(1e-5) < alone.epsilon_lower(1e-5)
    between = SameCurve((together.mu_lower + alone.mu_lower) / 2)
    assert alone.contradicts(between)
    assert not together.contradicts(between)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((100, 101, 5), "guesses must be at most canaries = 100, got 101"),
        ((100, 50, 51), "correct must be at most guesses = 50, got 51"),
        ((0, 0, 0), "canaries must be a whole number of at least 1"),
        ((100, 0, 0), "guesses must be a whole number of at least 1"),
        ((100, 50, -1), "correct"),
        ((100, 50.5, 40), "guesses"),
        ((100, [50, 60], 40), "as many numbers"),
        ((100, [], []), "at least one number"),
        ((100, "50", 40), "guesses"),
        ((100, 50, 40, 1.0), "confidence"),
    ],
)
def test_refusals(arguments, words):
    with pytest.raises(DomainError, match=words):
        audit_one_run(*arguments)


def test_refused_delta():
    with pytest.raises(DomainError, match="delta"):
        audit_one_run(10, 10, 10).epsilon_lower(math.nan)


def test_many_canaries():
    assert 0.17 < audit_one_run(50_000, 50_000, 30_000).mu_lower < 0.18
