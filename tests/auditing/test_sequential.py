"""Evidence that may be looked at after every pair: false alarms, speed, and how trials are taken in."""

import json
import math
import re

import numpy as np
import pytest

import gaussdp
from audits_of_test import gaussian, too_bold, two_values
from gaussdp import GDP, DomainError, PureDP, SequentialAudit
from gaussdp.auditing import load_audit, save_audit
from gaussdp.documents import FORMATS, render
from gaussdp.figures.audited import render_evidence

PAIRS = gaussian(1.0, 120)(np.random.default_rng(7))


def audited(members, nonmembers, claim=0.5, **settings):
    audit = SequentialAudit(claim, **settings)
    audit.update(members=members, nonmembers=nonmembers)
    return audit


NULLS = {
    "Gaussian on the claimed curve": (gaussian(0.5, 80), 0.5),
    "two values on the claimed curve": (two_values(0.5, 80), 0.5),
    "nothing to find": (gaussian(0.0, 80), 0.0),
}


@pytest.mark.parametrize("null", NULLS)
def test_false_alarms_under_a_look_after_every_pair(null):
    """The trail holds the evidence after every pair; the alarm is its largest value."""
    sample, mu = NULLS[null]
    random = np.random.default_rng(0)
    audits = [audited(*sample(random), mu, confidence=0.9) for _ in range(100)]
    alarms = sum(audit.trail.evidence.max() >= 10 for audit in audits)
    assert not too_bold(alarms, 100, 0.1), alarms
    assert not too_bold(sum(audit.mu_lower >= mu and audit.contradicted for audit in audits), 100, 0.1)


def test_a_wrong_claim_is_refuted_with_about_a_hundred_pairs():
    """Claim 0.5, truth 1; fixed designs need 240 pairs and more."""
    random = np.random.default_rng(3)
    stops = []
    for _ in range(31):
        audit = audited(*gaussian(1.0, 200)(random))
        stops.append(1 + int(np.argmax(audit.trail.mu_lower >= 0.5)) if audit.contradicted else math.inf)
    assert np.median(stops) < 100


def test_the_bound_grows_and_stays_below_the_truth():
    audit = audited(*gaussian(2.0, 400)(np.random.default_rng(5)), claim=None)
    bounds = audit.trail.mu_lower
    assert (np.diff(bounds) >= 0).all()
    assert 1.2 < audit.mu_lower < 2.0
    assert audit.trail.evidence.size == 0


def test_evidence_does_not_depend_on_how_trials_arrive():
    members, nonmembers = PAIRS
    together, single, uneven = audited(members, nonmembers), SequentialAudit(0.5), SequentialAudit(0.5)
    for x, y in zip(members, nonmembers, strict=True):
        single.update(members=[x], nonmembers=[y])
    uneven.update(members=members[:90], nonmembers=[])
    assert (uneven.pairs, uneven.waiting) == (0, (90, 0))
    uneven.update(members=[], nonmembers=nonmembers[:50])
    assert (uneven.pairs, uneven.waiting) == (50, (40, 0))
    uneven.update(members=members[90:], nonmembers=nonmembers[50:])
    for audit in (single, uneven):
        assert audit.trail.evidence.tolist() == together.trail.evidence.tolist()
        assert audit.trail.mu_lower.tolist() == together.trail.mu_lower.tolist()


def test_only_the_order_of_scores_matters():
    members, nonmembers = PAIRS
    expected = audited(members, nonmembers).trail.evidence
    assert audited(np.exp(members), np.exp(nonmembers)).trail.evidence.tolist() == expected.tolist()
    lower = audited(-members, -nonmembers, direction="lower")
    assert lower.trail.evidence.tolist() == expected.tolist()
    assert audited(-members, -nonmembers).evidence < 1
    far = np.where(members > 2, np.inf, members)
    assert audited(far, nonmembers).evidence > 0


def test_a_verdict_stays():
    """After the alarm, scores that know nothing: the evidence sinks, the verdict stands."""
    members, nonmembers = PAIRS
    audit = audited(members, nonmembers)
    assert audit.contradicted
    peak = audit.evidence
    audit.update(members=np.zeros(300), nonmembers=np.zeros(300))
    assert audit.evidence < peak
    assert audit.contradicted
    assert audit.verdict().sentence.startswith("The claim μ = 0.5 is contradicted at 95 % confidence, after 420 pairs")


def test_any_claim():
    for claim in (PureDP(0.3), gaussdp.ApproxDP(0.2, 1e-5), gaussdp.account(gaussdp.Gaussian(4.0))):
        assert audited(*gaussian(2.0, 60)(np.random.default_rng(1)), claim).contradicted
    assert not audited(*PAIRS, PureDP(9.0)).contradicted
    assert not audited(*PAIRS, GDP(math.inf)).contradicted
    for ask in ("evidence", "contradicted"):
        with pytest.raises(DomainError, match="claim must be stated"):
            getattr(audited(*PAIRS, None), ask)


def test_several_attacks_average():
    (x, y), (u, v) = PAIRS, gaussian(0.0, 120)(np.random.default_rng(9))
    both = audited({"good": x, "none": u}, {"good": y, "none": v})
    average = (audited(x, y).trail.evidence + audited(u, v).trail.evidence) / 2
    assert both.trail.evidence == pytest.approx(average, rel=1e-12)
    assert both.attacks == ("good", "none")
    with pytest.raises(DomainError, match="scores of the attacks good, none"):
        both.update(members=[1.0], nonmembers=[0.0])
    with pytest.raises(DomainError, match="as many scores of each attack"):
        both.update(members={"good": [1.0], "none": []}, nonmembers={"good": [], "none": []})


def test_an_audit_is_continued_from_its_file(tmp_path):
    members, nonmembers = np.append(PAIRS[0], np.inf), PAIRS[1]
    path = tmp_path / "audit.json"
    for claim in (0.5, PureDP(1.0), gaussdp.ApproxDP(1.0, 1e-5), None):
        first = SequentialAudit(claim, 0.9)
        first.update(members=members[:70], nonmembers=nonmembers[:60])
        save_audit(first, path)
        again = load_audit(path)
        for audit in (first, again):
            audit.update(members=members[70:], nonmembers=nonmembers[60:])
        assert again.trail.mu_lower.tolist() == first.trail.mu_lower.tolist()
        assert again.trail.evidence.tolist() == first.trail.evidence.tolist()
        assert (again.confidence, again.waiting, again.claim) == (0.9, (1, 0), first.claim)
    with pytest.raises(DomainError, match="an audit keeps its claim"):
        load_audit(path, 0.7)


def test_an_audit_of_a_curve_needs_its_curve_again(tmp_path):
    curve = gaussdp.account(gaussdp.Gaussian(2.0))
    save_audit(audited(*PAIRS, curve), tmp_path / "audit.json")
    with pytest.raises(DomainError, match="claim must be given again"):
        load_audit(tmp_path / "audit.json")
    assert load_audit(tmp_path / "audit.json", curve).evidence == audited(*PAIRS, curve).evidence


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "other"},
        {"confidence": 2},
        {"confidence": None},
        {"claim": {"mu": -1}},
        {"claim": {"nu": 1}},
        {"direction": "up"},
        {"attacks": {"score": {"members": [1]}}},
        {"attacks": {"score": {"members": ["a"], "nonmembers": [1]}}},
        {"attacks": {"score": {"members": [None], "nonmembers": [1]}}},
        {"attacks": [1]},
    ],
)
def test_damaged_files(tmp_path, change):
    path = tmp_path / "audit.json"
    save_audit(audited([1.0, 2.0], [0.0, 1.0]), path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(DomainError):
        load_audit(path)
    path.write_text("[]")
    with pytest.raises(DomainError, match="no file of a sequential audit"):
        load_audit(path)


@pytest.mark.parametrize("style", FORMATS)
def test_every_rendering_says_the_design(style):
    audit = audited(*PAIRS)
    assert "trials" in render(audit.document(), style)
    assert "contradicted" in render(audit.document(), style)


def test_pictures_and_reprs_say_the_design():
    for claim in (0.5, None):
        audit = audited(*PAIRS, claim)
        assert "design trials" in repr(audit)
        assert "Design trials" in render_evidence(audit, "svg")["svg"].decode()


def test_before_the_first_pair():
    audit = SequentialAudit(0.5)
    assert (audit.evidence, audit.mu_lower, audit.pairs, audit.waiting) == (1.0, 0.0, 0, (0, 0))
    assert "after 0 pairs" in render(audit.document(), "text")
    with pytest.raises(DomainError, match="nothing to draw"):
        render_evidence(audit, "svg")
    for bad in ([math.nan], ["a"], [[1.0]]):
        with pytest.raises(DomainError, match="members must"):
            audit.update(members=bad, nonmembers=[1.0])
    assert audit.pairs == 0
    with pytest.raises(DomainError):
        SequentialAudit(0.5, 1.0)
    with pytest.raises(DomainError):
        SequentialAudit(0.5, direction="either")


def test_the_bound_ends_before_the_first_claim_that_stands():
    """A claim beyond one that is not refuted adds nothing, though its own evidence may have reached the limit."""
    audit = SequentialAudit()
    audit.update(members=[1.0], nonmembers=[0.0])
    refuted = np.ones_like(audit._refuted)
    refuted[2] = False  # of the claims 0, 0.05, 0.1, ... the third
    audit._refuted = refuted
    audit.update(members=[0.0], nonmembers=[0.0])
    assert audit.mu_lower == 0.05


def test_what_is_shown_in_a_line_is_proved():
    """In its representation, which people read in a notebook: the bound and the evidence, rounded down."""
    for count in range(1, 60):
        audit = audited(PAIRS[0][:count], PAIRS[1][:count], 0.1)
        words = repr(audit)
        assert float(re.search(r"μ at least ([0-9.e-]+)", words)[1]) <= audit.mu_lower
        assert float(re.search(r"evidence ([0-9.e-]+)", words)[1]) <= audit.evidence
