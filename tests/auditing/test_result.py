"""What an audit says of claims and of epsilon, from bands written by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussdp import GDP, ApproxDP, AuditPlan, FixedThreshold, PureDP, audit_errors, audit_one_run, plan_audit
from gaussdp.auditing.designs import Design
from gaussdp.auditing.result import Audit, RocBand
from gaussdp.documents import render
from gaussdp.documents.rounding import Rounding
from gaussdp.errors import DomainError

RATES = st.floats(1e-6, 1.0)


def found(fpr_upper, fnr_upper, *, mu_lower=1.0, auc_lower=None, kind="confidence"):
    fpr_upper, fnr_upper = np.asarray(fpr_upper), np.asarray(fnr_upper)
    places = np.arange(float(fpr_upper.size))
    return Audit(
        mu_lower=mu_lower,
        method=FixedThreshold(0.0),
        threshold=0.0,
        confidence=0.95,
        kind=kind,
        fpr_upper=0.1,
        fnr_upper=0.2,
        false_positives=1,
        false_negatives=2,
        nonmembers=50,
        members=60,
        auc=0.8,
        auc_lower=auc_lower,
        band=RocBand(places, fpr_upper / 2, fnr_upper / 2, fpr_upper, fnr_upper),
        design=Design.TRIALS,
    )


@given(st.lists(st.tuples(RATES, RATES), min_size=1, max_size=5), st.sampled_from([0.0, 1e-5, 0.3, 1.0]))
def test_epsilon_by_hand(points, delta):
    """(epsilon, delta)-DP asks FNR >= 1 - delta - e^epsilon FPR and the same with the rates exchanged."""
    audit = found(*zip(*points, strict=True))
    epsilon = audit.epsilon_lower(delta)
    assert epsilon >= 0

    def broken(claimed):
        growth = math.exp(claimed)
        return any(x + growth * y < 1 - delta or y + growth * x < 1 - delta for x, y in points)

    assert not broken(epsilon * (1 + 1e-9) + 1e-12)
    assert epsilon == 0 or broken(epsilon * (1 - 1e-9) - 1e-12)


def test_no_rate_is_left_at_zero():
    assert found([1.0], [0.0]).epsilon_lower(0.0) == 0.0
    assert found([0.0], [0.5]).epsilon_lower(0.1) == math.inf


@given(RATES, RATES, st.floats(0.01, 5), st.sampled_from([0.0, 1e-5, 0.1]))
def test_stated_guarantees_are_compared_at_every_threshold(x, y, epsilon, delta):
    claim = ApproxDP(epsilon, delta) if delta else PureDP(epsilon)
    refuted = found([1.0, x], [1.0, y]).epsilon_lower(delta)
    if abs(refuted - epsilon) > 1e-9:
        assert found([1.0, x], [1.0, y]).contradicts(claim) == (refuted > epsilon)


def test_a_mu_is_compared_with_the_bound():
    audit = found([0.5], [0.5], mu_lower=0.7)
    assert audit.guarantee == GDP(0.7)
    assert audit.contradicts(0.69)
    assert not audit.contradicts(0.7)
    assert not audit.contradicts(GDP(math.inf))


def test_areas_are_compared_with_areas():
    """Pure DP has an area of e^eps / (1 + e^eps) at the most, whatever the band says."""
    for auc_lower, contradicted in ((0.70, False), (0.75, True)):
        assert found([1e-3], [1e-3], auc_lower=auc_lower).contradicts(PureDP(1.0)) == contradicted
    assert 0.70 < math.e / (1 + math.e) < 0.75


def test_sentences():
    sure = found([0.5], [0.5])
    assert sure.verdict(0.5).sentence == "The claim μ = 0.5 is contradicted at 95 % confidence."
    words = "The scores are consistent with the claim μ = 9 at 99.99 % confidence; that is no proof of it."
    assert replace(sure, confidence=0.9999).verdict(9.0).sentence == words
    verdict = found([0.5], [0.5], kind="credible").verdict(0.5)
    assert verdict.contradicted
    assert verdict.sentence == "The claim μ = 0.5 is contradicted at 95 % posterior probability."


@pytest.mark.parametrize("delta", [-1e-9, 1.1, math.nan, "0"])
def test_bad_delta(delta):
    with pytest.raises(DomainError, match="delta must be"):
        found([0.5], [0.5]).epsilon_lower(delta)


def rounding(document):
    return {column.key: column.rounding for table in document.tables for column in table.columns}


def test_tables_and_sides_of_rounding():
    found = audit_errors(false_positives=5, nonmembers=1000, false_negatives=400, members=1000, design="trials")
    document = found.document([1.0, PureDP(9.0)], [1e-5])
    assert tuple(table.key for table in document.tables) == ("bound", "attack", "epsilon", "claims")
    sides = rounding(document)
    assert sides["mu_lower"] is sides["epsilon_lower"] is Rounding.DOWN
    assert sides["fpr_upper"] is sides["fnr_upper"] is Rounding.UP
    assert document.tables[0].rounded_rows(4)[0][0] == 2.442
    assert document.notes[0] == found.verdict(1.0).sentence


def test_without_claims_and_deltas():
    assert [
        table.key
        for table in audit_errors(false_positives=5, nonmembers=1000, false_negatives=400, members=1000)
        .document()
        .tables
    ] == ["bound", "attack"]


@pytest.mark.parametrize(("mu_lower", "words"), [(0.4, "The attack that proves it"), (0.0, "which proves nothing")])
def test_an_attack_is_said_to_prove_what_it_proves(mu_lower, words):
    text = render(found([0.1], [0.2], mu_lower=mu_lower).document(), "text")
    assert words in text
    assert ("proves it" in text) == (mu_lower > 0)


def test_one_run():
    document = audit_one_run(1000, [100, 50], [90, 40]).document([0.1], [1e-5])
    assert tuple(table.key for table in document.tables) == ("bound", "epsilon", "claims")
    assert document.tables[0].rows[0][3:] == ("100, 50", "90, 40", "one-run")


def test_plan():
    document = plan_audit(3.0, 1.0).document()
    assert tuple(table.key for table in document.tables) == ("plan",)
    assert "μ > 1 when the truth is μ = 3" in document.title
    assert rounding(document)["power"] is Rounding.DOWN


def test_a_plan_out_of_reach():
    [table] = AuditPlan(1.0, 0.99999, 0.9, 0.95, None, None, None).document().tables
    assert [row[1] for row in table.rows[:2]] == ["over 1e7", "over 1e7"]
    assert table.rows[2][4] == "over 1e5"
    assert table.rows[3][1:4] == ("over 1e6",) * 3
