"""Explanations of runs, mechanisms and curves: every number is read off the curve itself."""

import dataclasses
import json
import math

import pytest

import gaussdp
from gaussdp import DPSGD, GDP, DomainError, Gaussian, Run, account, explain
from gaussdp.words import speaking

TRAINING = DPSGD(1.0, 0.00512, 3907)
MET = {
    "unit": "one image",
    "adjacency": "add-remove",
    "records_per_unit": 1,
    "tuning": "none",
    "clipping": "per-example",
}
FEW = {"group": (), "releases": ()}


def test_facts_are_those_of_the_curve():
    curve, found = account(TRAINING), explain(TRAINING, prior=0.1, group=2, releases=10)
    assert found.mu == curve.fit().mu
    assert found.floor == 1e-10
    for alarm in found.alarms:
        assert alarm.tpr == curve.tpr(alarm.fpr) < GDP(found.mu).tpr(alarm.fpr)
    assert found.searches[0].fpr == curve.fpr(found.searches[0].recall)
    assert [fact.after for fact in found.guesses] == pytest.approx([curve.accuracy(), curve.accuracy(0.1)], rel=1e-12)
    assert found.groups[0].mu == account(DPSGD(1.0, 0.00512, 3907, records_per_unit=2)).fit().mu
    assert found.releases[0].mu == account(DPSGD(1.0, 0.00512, 39070)).fit().mu
    assert "10 such releases" in "".join(found.sentences)


def test_the_same_risk_in_pure_dp_is_that_of_the_curve():
    curve = account(TRAINING)
    for fact in explain(curve).equivalents:
        matched = GDP(fact.risk.mu_from_epsilon(fact.epsilon))
        assert fact.risk.of(matched) == pytest.approx(fact.risk.of(curve), rel=1e-9)


def test_a_run_is_its_protected_mechanism():
    run = Run(mechanism=TRAINING, sampling="poisson", **MET)
    assert dataclasses.replace(explain(run, **FEW), unit="") == explain(TRAINING, **FEW)
    assert explain(run, **FEW).caveats == ()
    other = Run(mechanism=TRAINING, sampling="poisson", **{**MET, "records_per_unit": 3})
    assert explain(other, **FEW).alarms == explain(DPSGD(1.0, 0.00512, 3907, records_per_unit=3), **FEW).alarms


def test_a_run_that_is_not_as_accounted_is_told_so_first():
    found = explain(Run(mechanism=TRAINING, sampling="shuffle", **MET), **FEW)
    assert "do not hold for the run as described" in found.caveats[0]
    for style in ("text", "html", "markdown", "latex", "json"):
        text = " ".join(found.render(style).split())
        assert "do not hold for the run as described" in text
        assert style == "json" or text.index("do not hold for the run") < text.index("At even odds, at most")
    full = Run(mechanism=Gaussian(2.0), **{**MET, "adjacency": "add-remove", "tuning": "not counted"})
    assert explain(full, **FEW).caveats


def test_what_is_gdp_is_explained_as_mu():
    for subject in (GDP(0.5), Gaussian(2.0), account(Gaussian(2.0)), 4 * Gaussian(4.0)):
        assert explain(subject) == explain(0.5)


@pytest.mark.parametrize(
    "subject",
    [
        gaussdp.PureDP(1.0),
        gaussdp.ApproxDP(1.0, 1e-5),
        gaussdp.ZCDP(0.5),
        gaussdp.read_points({"fpr": [0.001, 0.01, 0.1], "fnr": [0.98, 0.92, 0.65]}),
    ],
    ids=lambda subject: type(subject).__name__,
)
def test_guarantees_without_a_mechanism(subject):
    found = explain(subject)
    assert found.groups == found.releases == ()
    assert found.subject == subject.label
    for alarm in found.alarms:
        assert alarm.tpr == pytest.approx(subject.tpr(alarm.fpr), rel=1e-9)
        assert math.isfinite(alarm.precision)


@pytest.mark.parametrize(
    "subject", [None, "0.5", -1.0, math.nan, [1.0], object()], ids=lambda value: type(value).__name__
)
def test_what_cannot_be_explained(subject):
    with pytest.raises(DomainError, match="mu must be"):
        explain(subject)


@pytest.mark.parametrize("records", [1, 2, 4])
def test_people_with_several_records_are_more_records_together(records):
    run = Run(mechanism=TRAINING, sampling="poisson", **{**MET, "records_per_unit": records})
    found = explain(run, group=2, releases=())
    assert found.groups[0].mu == account(DPSGD(1.0, 0.00512, 3907, records_per_unit=2 * records)).fit().mu
    assert found.groups[0].mu > 1.8 * found.mu


@pytest.mark.parametrize(
    "training", [DPSGD(1.0, 0.00512, 3907, records_per_unit=2), 3 * DPSGD(1.0, 0.00512, 3907, records_per_unit=2)]
)
def test_what_speaks_of_several_records_says_nothing_of_two_people(training):
    assert explain(training, group=2, releases=()).groups == ()


@pytest.mark.parametrize("noise", [0.4, 0.6, 1.0])
def test_where_little_privacy_is_left_it_says_so(noise):
    """Of runs and repetitions whose attacks err less often than the usual floor."""
    found = explain(DPSGD(noise, 0.1, 3000))
    assert [fact.count for fact in (*found.groups, *found.releases)] == [2, 5, 10, 100]
    assert all(fact.mu > found.mu and fact.accuracy > 0.999 for fact in (*found.groups, *found.releases))


@pytest.mark.parametrize("mechanism", [TRAINING, 12 * Gaussian(4.0)], ids=["training", "counts"])
@pytest.mark.parametrize("unit", ["one image", "one day of one device"])
@pytest.mark.parametrize("language", ["en", "de"])
def test_every_sentence_about_the_unit_is_about_that_of_the_run(mechanism, unit, language):
    told = {**MET, "unit": unit} if mechanism is TRAINING else {"unit": unit, "adjacency": "add-remove"}
    run = Run(mechanism=mechanism, **({"sampling": "poisson"} if mechanism is TRAINING else {}), **told)
    with speaking(language):
        found = explain(run, prior=0.01)
        everything = found.render("text") + found.render("html")
        assert unit in found.headline
        assert unit in found.passages[0].lead
        assert json.loads(found.render("json"))["unit"] == unit
    for word in ("person", "people", "Personen", "Menschen"):
        assert word.casefold() not in everything.casefold()


@pytest.mark.parametrize("unit", ["one person", "person", "A person"])
def test_a_person_is_called_a_person(unit):
    found = explain(Run(mechanism=Gaussian(2.0), unit=unit, adjacency="add-remove"), prior=0.01)
    assert found.sentences == explain(0.5, prior=0.01).sentences
