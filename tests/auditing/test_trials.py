"""Anchors, conventions, invariances and refusals of the audit of independent trials."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

import gaussdp
from audits_of_test import audited
from gaussdp import AUC, DKW, DomainError, EqualLocalLevel, FixedThreshold, Split

METHODS = [FixedThreshold(0.5), Split(0), DKW(), EqualLocalLevel(), AUC(), gaussdp.Credible(0.5)]
BY_SCORE_ALONE = [method for method in METHODS if not isinstance(method, Split)]
NAMES_OF_ERRORS = ("false_positives", "nonmembers", "false_negatives", "members", "confidence")
SMALL_SCORES = st.lists(st.integers(-20, 20), min_size=2, max_size=40)


def named_errors(numbers):
    return dict(zip(NAMES_OF_ERRORS, numbers, strict=False))


@pytest.mark.parametrize(
    ("errors", "mu"),
    [((5, 1000, 400, 1000), 2.442674), ((50, 1000, 50, 1000), 3.022059), ((0, 500, 0, 500), 4.879314)],
)
def test_anchors(errors, mu):
    assert gaussdp.audit_errors(**named_errors(errors)).mu_lower == pytest.approx(mu, abs=6e-7)


def test_dkw_by_hand():
    members, nonmembers = np.arange(100) + 50.0, np.arange(100.0)
    width = math.sqrt(math.log(2 / 0.05) / 200)
    fnr, fpr = np.arange(1, 101) / 100, np.arange(49, -51, -1) / 100
    rates = [(max(x, 0) + width, y + width) for x, y in zip(fpr, fnr, strict=True)] + [(0.5 + width, width)]
    best = max(-special.ndtri(x) - special.ndtri(y) for x, y in rates if x + y < 1)
    assert gaussdp.audit(members=members, nonmembers=nonmembers, method=DKW()).mu_lower == pytest.approx(
        best, rel=1e-12
    )


def test_auc_by_hand():
    found = gaussdp.audit(members=[2, 2, 3] * 100, nonmembers=[1, 2] * 200, method=AUC())
    area = np.mean([(x > y) + (x == y) / 2 for x in (2, 2, 3) for y in (1, 2)])
    assert found.auc == pytest.approx(area, rel=1e-14)
    expected = math.sqrt(2) * special.ndtri(area - math.sqrt(math.log(20) / 600))
    assert found.mu_lower == pytest.approx(expected, rel=1e-12)


def test_whoever_scores_above_the_threshold_is_accused():
    found = gaussdp.audit(members=[1, 2, 2, 3], nonmembers=[0, 2, 2, 2], method=FixedThreshold(2))
    assert (found.false_positives, found.false_negatives) == (0, 3)
    assert gaussdp.audit(members=[1, 2, 2, 3], nonmembers=[0, 2, 2, 2], method=FixedThreshold(1.9)).false_positives == 3


def test_a_scan_names_the_attack_that_proves_it():
    random = np.random.default_rng(0)
    members, nonmembers = random.normal(2, 1, 300), random.normal(0, 1, 400)
    for method in (DKW(), EqualLocalLevel()):
        found = gaussdp.audit(members=members, nonmembers=nonmembers, method=method)
        assert found.false_positives == (nonmembers > found.threshold).sum()
        assert found.false_negatives == (members <= found.threshold).sum()
        assert found.mu_lower == pytest.approx(-special.ndtri(found.fpr_upper) - special.ndtri(found.fnr_upper))


def test_the_result_prints_as_promised():
    found = gaussdp.audit_errors(false_positives=5, nonmembers=1000, false_negatives=400, members=1000)
    assert repr(found).startswith("Audit(mu_lower=2.44267")
    assert repr(found).endswith(
        "method=FixedThreshold(threshold=0.0), threshold=0.0, confidence=0.95, design='trials, assumed')"
    )
    assert found.guarantee == gaussdp.GDP(found.mu_lower)


@pytest.mark.parametrize("method", BY_SCORE_ALONE, ids=str)
@settings(max_examples=25)
@given(members=SMALL_SCORES, nonmembers=SMALL_SCORES, seed=st.integers(0, 5))
def test_order_and_scale_do_not_matter(method, members, nonmembers, seed):
    found = gaussdp.audit(members=members, nonmembers=nonmembers, method=method)
    random = np.random.default_rng(seed)
    shuffled = gaussdp.audit(
        members=random.permutation(members), nonmembers=random.permutation(nonmembers), method=method
    )
    assert shuffled.mu_lower == found.mu_lower >= 0
    if not hasattr(method, "threshold"):
        stretched = gaussdp.audit(
            members=np.power(members, 3.0) + 7, nonmembers=np.power(nonmembers, 3.0) + 7, method=method
        )
        assert stretched.mu_lower == found.mu_lower


@pytest.mark.parametrize("method", BY_SCORE_ALONE, ids=str)
@settings(max_examples=25)
@given(members=SMALL_SCORES, nonmembers=SMALL_SCORES)
def test_counts_give_the_same(method, members, nonmembers):
    scores = sorted({*members, *nonmembers})
    counted = gaussdp.audit_counts(
        scores,
        members=[members.count(s) for s in scores],
        nonmembers=[nonmembers.count(s) for s in scores],
        method=method,
    )
    assert counted == gaussdp.audit(members=members, nonmembers=nonmembers, method=method)


def test_counts_cannot_be_split():
    with pytest.raises(DomainError, match="who has which score"):
        gaussdp.audit_counts([0, 1], members=[5, 20], nonmembers=[20, 5], method=Split(0))


@settings(max_examples=25)
@given(st.permutations(range(16)), st.permutations(range(16)), st.integers(0, 2**32))
def test_a_split_depends_on_scores_by_their_order_alone(members, nonmembers, seed):
    """A rising function of the scores changes nothing."""

    def proved(change):
        try:
            return gaussdp.audit(
                members=change(members), nonmembers=change(nonmembers), confidence=0.5, method=Split(seed)
            ).mu_lower
        except DomainError as refusal:
            return str(refusal)

    assert proved(np.array) == proved(lambda scores: np.power(scores, 3.0) + 7)


@pytest.mark.parametrize("method", BY_SCORE_ALONE, ids=str)
@settings(max_examples=25)
@given(members=SMALL_SCORES, nonmembers=SMALL_SCORES, place=st.integers(0, 10**6))
def test_a_better_attack_proves_no_less(method, members, nonmembers, place):
    before = gaussdp.audit(members=members, nonmembers=nonmembers, method=method).mu_lower
    better = list(members)
    better[place % len(better)] += 5
    assert gaussdp.audit(members=better, nonmembers=nonmembers, method=method).mu_lower >= before - 1e-12


@given(st.integers(0, 50), st.integers(0, 50), st.integers(50, 90), st.integers(50, 90))
def test_fewer_errors_prove_no_less(false_positives, false_negatives, nonmembers, members):
    found = gaussdp.audit_errors(
        false_positives=false_positives, nonmembers=nonmembers, false_negatives=false_negatives, members=members
    ).mu_lower
    for fewer in ((max(false_positives - 1, 0), false_negatives), (false_positives, max(false_negatives - 1, 0))):
        assert (
            gaussdp.audit_errors(
                false_positives=fewer[0], nonmembers=nonmembers, false_negatives=fewer[1], members=members
            ).mu_lower
            >= found
        )
    assert (
        gaussdp.audit_errors(
            false_positives=false_positives,
            nonmembers=nonmembers,
            false_negatives=false_negatives,
            members=members,
            confidence=0.99,
        ).mu_lower
        <= found
    )


def test_infinite_scores_are_scores():
    assert gaussdp.audit(members=[math.inf] * 500, nonmembers=[-math.inf] * 500).mu_lower > 3
    assert gaussdp.audit(members=[-math.inf] * 500, nonmembers=[math.inf] * 500).mu_lower == 0


def test_integers_and_booleans_are_scores():
    assert gaussdp.audit(members=[True] * 300, nonmembers=[False] * 300) == gaussdp.audit(
        members=[1] * 300, nonmembers=[0] * 300
    )


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_one_trial_a_side_proves_nothing_much(method):
    if isinstance(method, Split):
        with pytest.raises(DomainError, match="at least two scores on each side"):
            gaussdp.audit(members=[1.0], nonmembers=[0.0], method=method)
    else:
        assert gaussdp.audit(members=[1.0], nonmembers=[0.0], method=method).mu_lower == 0


@pytest.mark.parametrize("method", [EqualLocalLevel(), DKW(), AUC(), Split(1), FixedThreshold(0.5)], ids=str)
def test_many_scores(method):
    random = np.random.default_rng(0)
    members, nonmembers = random.normal(1, 1, 300_000), random.normal(0, 1, 300_000)
    found = gaussdp.audit(members=members, nonmembers=nonmembers, method=method)
    assert 0.96 < found.mu_lower < 1
    assert found.band.fpr.size < 20_000


def test_counts_of_tens_of_millions():
    scores = np.linspace(-4, 5, 1000)
    random = np.random.default_rng(0)
    members, nonmembers = (
        random.multinomial(20_000_000, np.diff(special.ndtr(np.append(scores[:-1], np.inf) - mu), prepend=0))
        for mu in (1, 0)
    )
    assert 0.997 < gaussdp.audit_counts(scores, members=members, nonmembers=nonmembers).mu_lower < 1


def test_a_split_is_of_disjoint_halves():
    found = gaussdp.audit(members=[1, 1, 2, 3, 3], nonmembers=[0, 1, 2, 2], method=Split(0))
    assert (found.members, found.nonmembers) == (3, 2)
    members, nonmembers = (np.random.default_rng(0).permutation(50) + shift for shift in (30, 0))
    results = {gaussdp.audit(members=members, nonmembers=nonmembers, method=Split(seed)).mu_lower for seed in range(9)}
    assert len(results) > 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([], [1.0]), "members must hold at least one score"),
        (([1.0], []), "nonmembers must hold at least one score"),
        (([1.0, math.nan], [0.0]), "members must not hold NaN, got 1 among 2"),
        (([1.0], [math.nan]), "nonmembers must not hold NaN"),
        ((["a"], [0.0]), "members must be an array of numbers"),
        (([[1.0]], [0.0]), "one-dimensional"),
        ((3.0, [0.0]), "one-dimensional"),
        (([1.0], [0.0], {"confidence": 0.0}), r"confidence must be in \(0, 1\), got 0.0"),
        (([1.0], [0.0], {"confidence": 1.0}), r"confidence must be in \(0, 1\)"),
        (([1.0], [0.0], {"confidence": math.nan}), "confidence"),
        (([1.0], [0.0], {"method": "dkw"}), "method must be one such as"),
    ],
)
def test_refusals(arguments, words):
    members, nonmembers, *settings = arguments
    with pytest.raises(DomainError, match=words):
        audited((members, nonmembers), **(settings[0] if settings else {}))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([1, 0], [1, 1], [1, 1]), "distinct and ascending"),
        (([0, 0], [1, 1], [1, 1]), "distinct and ascending"),
        (([0, 1], [1, -1], [1, 1]), "must not be negative"),
        (([0, 1], [0.5, 1], [1, 1]), "whole numbers"),
        (([0, 1], [1], [1, 1]), "one per score"),
        (([0, 1], [0, 0], [1, 1]), "members must hold at least one"),
        (([0, math.nan], [1, 1], [1, 1]), "NaN"),
    ],
)
def test_refused_counts(arguments, words):
    scores, members, nonmembers = arguments
    with pytest.raises(DomainError, match=words):
        gaussdp.audit_counts(scores, members=members, nonmembers=nonmembers)


@pytest.mark.parametrize(
    "arguments", [(6, 5, 0, 5), (0, 5, 6, 5), (-1, 5, 0, 5), (0, 0, 0, 5), (0, 5, 0, 5, 2.0), (0.5, 5, 0, 5)]
)
def test_refused_errors(arguments):
    with pytest.raises(DomainError):
        gaussdp.audit_errors(**named_errors(arguments))


@pytest.mark.parametrize(
    "make",
    [
        lambda: FixedThreshold(math.nan),
        lambda: FixedThreshold("x"),
        lambda: Split(-1),
        lambda: Split(0.5),
        lambda: gaussdp.Credible(0.0, prior=0.0),
    ],
)
def test_refused_methods(make):
    with pytest.raises(DomainError):
        make()
