"""Scores that point the wrong way are noticed, flipped if told so beforehand, or tried both ways at a price."""

import numpy as np
import pytest

import gaussdp
from audits_of_test import failures, gaussian, too_bold
from gaussdp.auditing import ScoreCounts
from gaussdp.documents import render

RANDOM = np.random.default_rng(1)
MEMBERS, NONMEMBERS = np.round(RANDOM.normal(1.5, 1, 400), 1), np.round(RANDOM.normal(0, 1, 300), 1)
METHODS = [gaussdp.EqualLocalLevel(), gaussdp.DKW(), gaussdp.AUC(), gaussdp.Split(2)]


def said(found):
    return render(found.document(), "text").replace("\n  ", " ")


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_low_scores_that_mean_member_are_high_ones_negated(method):
    straight = gaussdp.audit(members=MEMBERS, nonmembers=NONMEMBERS, method=method)
    lower = gaussdp.audit(members=-MEMBERS, nonmembers=-NONMEMBERS, method=method, direction="lower")
    assert lower.mu_lower == straight.mu_lower > 0
    assert lower.threshold == (None if straight.threshold is None else -straight.threshold)
    assert (lower.auc, lower.lower, lower.method) == (straight.auc, True, method)
    assert "scores below the threshold" in said(lower)


def test_a_fixed_threshold_accuses_below():
    found = gaussdp.audit(
        members=-MEMBERS, nonmembers=-NONMEMBERS, method=gaussdp.FixedThreshold(-1.0), direction="lower"
    )
    assert (found.threshold, found.method) == (-1.0, gaussdp.FixedThreshold(-1.0))
    assert found.false_positives == (-NONMEMBERS < -1.0).sum()
    assert found.false_negatives == (-MEMBERS >= -1.0).sum()


def test_one_run_and_one_model():
    for design in ("one-run", "one-model"):
        straight = gaussdp.audit(members=MEMBERS[:300], nonmembers=NONMEMBERS, design=design)
        lower = gaussdp.audit(members=-MEMBERS[:300], nonmembers=-NONMEMBERS, design=design, direction="lower")
        assert (getattr(lower, "mu_lower", 0), getattr(lower, "auc", 0)) == (
            getattr(straight, "mu_lower", 0),
            getattr(straight, "auc", 0),
        )


@pytest.mark.parametrize("design", ["trials", "one-run", "one-model", None])
def test_an_area_below_a_half_is_said(design):
    wrong = said(gaussdp.audit(members=-MEMBERS[:300], nonmembers=-NONMEMBERS, design=design))
    assert "below a half: the scores point the wrong way" in wrong
    assert "--lower-is-member" in wrong
    assert ("--either-direction" in wrong) == (design != "one-model")
    for direction in ("lower", "either") if design != "one-model" else ("lower",):
        assert "wrong way" not in said(
            gaussdp.audit(members=-MEMBERS[:300], nonmembers=-NONMEMBERS, design=design, direction=direction)
        )
    assert "leave --lower-is-member out" in said(
        gaussdp.audit(members=MEMBERS[:300], nonmembers=NONMEMBERS, design=design, direction="lower")
    )


def test_either_direction_has_its_price():
    straight = gaussdp.audit(members=MEMBERS, nonmembers=NONMEMBERS)
    dearer = gaussdp.audit(members=MEMBERS, nonmembers=NONMEMBERS, confidence=0.975)
    for sign in (1, -1):
        either = gaussdp.audit(members=sign * MEMBERS, nonmembers=sign * NONMEMBERS, direction="either")
        assert either.mu_lower == dearer.mu_lower < straight.mu_lower
        assert (either.confidence, either.lower) == (0.95, sign < 0)
        assert "Both directions of the scores were tried" in said(either)


def test_either_direction_keeps_its_level_and_looking_first_does_not():
    """Scores that know nothing, at a confidence of 0.6: the direction picked after looking fails twice as often."""
    method = gaussdp.FixedThreshold(0.0)

    def looked(x, y):
        return max(
            gaussdp.audit(members=x, nonmembers=y, confidence=0.6, method=method, direction=way).mu_lower
            for way in ("higher", "lower")
        )

    paid = failures(
        lambda x, y: gaussdp.audit(members=x, nonmembers=y, confidence=0.6, method=method, direction="either").mu_lower,
        gaussian(0.0, 400),
        0.0,
        300,
    )
    assert not too_bold(paid, 300, 0.4)
    assert failures(looked, gaussian(0.0, 400), 0.0, 300) > 1.3 * paid > 0


def test_flipping_twice_changes_nothing():
    counts = ScoreCounts.from_scores(MEMBERS, NONMEMBERS)
    again = counts.flipped().flipped()
    assert (again.scores == counts.scores).all()
    assert (again.members == counts.members).all()
    assert again.halves(3)[0].area() == counts.halves(3)[0].area()
