"""The report: its numbers against the library, its verdicts, and every rendering in one piece."""

import json
import math
import re

import jsonschema
import numpy as np
import pytest
from scipy import stats

import gaussdp
from gaussdp.documents import PROSE_FORMATS
from gaussdp.statements import schema
from gaussdp.statements.content import mechanism_facts

RUN = {
    "mechanism": gaussdp.DPSGD(noise_multiplier=1.0, sample_rate=0.00512, steps=3907),
    "unit": "one image",
    "adjacency": "add-remove",
    "sampling": "poisson",
    "records_per_unit": 1,
    "tuning": "none",
    "clipping": "per-example",
    "randomness": "secure",
    "accesses": ("training",),
}


def report_of(**changes):
    return gaussdp.report_run(gaussdp.Run(**{**RUN, **changes}))


def verdicts(report):
    return {item.key: item.verdict for item in report.assumptions}


@pytest.mark.parametrize(
    "changes",
    [
        {"records_per_unit": 4, "adjacency": "replace-one"},
        {"sampling": "shuffle", "dataset_size": 50_000},
        {
            "sampling": "fixed batches",
            "dataset_size": 50_000,
            "records_per_unit": 2,
            "tuning": "not counted",
            "tuning_runs": 3,
        },
    ],
)
def test_what_holds_for_the_run_counts_everything_together(changes):
    report = report_of(**changes)
    judged = gaussdp.check_claim(report.run, f"mu={report.mu} floor=1e-10")
    content = json.loads(report.render("json"))
    jsonschema.validate(content, schema())
    held = content["holding"]
    assert judged.lower * 0.999 <= held["mu_lower"] <= judged.lower
    assert judged.upper <= held["mu"] <= judged.upper * 1.001
    assert f"μ = {held['mu']:g} holds" in held["sentences"][0]
    for format_ in PROSE_FORMATS:
        assert f"{held['mu']:g}" in report.render(format_)


def test_exchanged_units_of_four_records_are_groups_of_eight():
    report = report_of(records_per_unit=4, adjacency="replace-one")
    assert report.holding.enclosure.upper == pytest.approx(8 * report.fit.mu, rel=1e-9)


BEST = {"tuning": "best of", "tuning_mean": 10.0}


@pytest.mark.parametrize(
    "changes",
    [
        {"records_per_unit": 3, "adjacency": "replace-one"},
        {"sampling": "shuffle"},
        {"sampling": "fixed batches", "tuning": "not counted", "tuning_runs": 3},
        {"sampling": "fixed batches", "tuning": "not counted"},
        {**BEST, "records_per_unit": 3},
        {**BEST, "records_per_unit": 3, "adjacency": "replace-one"},
        {**BEST, "sampling": "shuffle"},
    ],
)
def test_one_number_is_said_to_hold_and_no_other_further_down(changes):
    report = report_of(**changes)
    assert not [item.words for item in report.assumptions if "μ" in item.words]
    holding = report.fit.mu if report.standing == "holds" else report.holding.enclosure.upper
    verdict = gaussdp.check_claim(report.run, f"mu=1 floor={report.fit.floor}")
    assert verdict.upper == pytest.approx(holding, rel=1e-9)
    head = report.render("text").split("Mechanism\n")[0]
    assert ("No finite μ is known to hold" in head) == math.isinf(holding)
    assert "below 0 " not in head


@pytest.mark.parametrize(("adjacency", "moved"), [("add-remove", 3), ("replace-one", 6)])
def test_the_best_of_runs_on_units_of_three_records_against_its_own_distribution(adjacency, moved):
    """The largest of a geometric number of Gaussian numbers: nobody who sees it beats what is said to hold."""
    run = {**RUN, **BEST, "mechanism": gaussdp.Gaussian(4.0), "sampling": None, "clipping": None}
    report = gaussdp.report_run(gaussdp.Run(**run | {"records_per_unit": 3, "adjacency": adjacency}))
    assert report.standing == "holds"

    def exceeds(threshold, shift):
        below = stats.norm.cdf(threshold - shift / 4)
        return (1 - below) / (1 - 0.9 * below)

    threshold = np.linspace(-3, 9, 2001)
    fpr, tpr = exceeds(threshold, 0), exceeds(threshold, moved)
    spoken_of = np.minimum(fpr, 1 - tpr) >= report.fit.floor
    attacked = (stats.norm.isf(fpr) - stats.norm.isf(tpr))[spoken_of].max()
    assert 0.2 * report.fit.mu < attacked <= report.fit.mu


def test_where_no_exact_account_of_a_unit_is_known_its_records_count_as_a_group():
    """Three exchanged records are six that are added or removed, with the same floor."""
    one, several = report_of(**BEST), report_of(**BEST, records_per_unit=3, adjacency="replace-one")
    assert several.holding.enclosure.upper == pytest.approx(6 * one.fit.mu, rel=1e-9)


def test_every_look_is_counted_only_where_the_run_lists_them():
    """That nothing was tuned on these data says nothing of what else was done with them."""
    untold = report_of(accesses=())
    assert (verdicts(untold)["tuning"], verdicts(untold)["accesses"]) == ("met", "not stated")
    assert "[not stated] Every other look at the data is counted" in untold.render("text")
    assert verdicts(report_of(tuning=None))["accesses"] == "met"
    words = {item.key: item.words for item in report_of(accesses=("training", "evaluation")).assumptions}
    assert words["accesses"] == "The run lists everything that is done with the data: training; evaluation."


@pytest.mark.parametrize(
    ("sampling", "stated", "told"),
    [
        ("shuffle", {"epochs": 3, "drop_last": False}, "3"),  # 9 steps, printed as 3.6 once
        ("shuffle", {"epochs": 10, "batches_per_pass": 3}, "10"),
        ("shuffle", {"epochs": 3, "drop_last": True}, "3"),
        ("shuffle", {"steps": 9, "batches_per_pass": 3}, "3"),
        ("shuffle", {"steps": 8, "batches_per_pass": 3}, "about 2.667"),
        ("poisson", {"epochs": 3}, "3"),
        ("poisson", {"steps": 8}, "about 3.2"),
    ],
)
def test_epochs_are_the_passes_that_the_run_states(sampling, stated, told):
    training = {"noise_multiplier": 1.0, "dataset_size": 10, "batch_size": 4, **stated}
    run = gaussdp.Run.from_mapping({"unit": "a", "adjacency": "add-remove", "sampling": sampling, "training": training})
    assert dict(mechanism_facts(run))["Epochs"] == told
    assert gaussdp.Run.from_mapping(run.as_mapping()) == run


def test_epochs_agree_with_the_mechanism():
    with pytest.raises(gaussdp.DomainError, match="steps must agree with epochs"):
        gaussdp.Run(**RUN, epochs=3.0)
    with pytest.raises(gaussdp.DomainError, match="epochs is of one run of DP-SGD"):
        gaussdp.Run(**RUN | {"mechanism": gaussdp.Gaussian(1.0), "sampling": None}, epochs=3.0)
    assert gaussdp.Run(**RUN, epochs=20.0).epochs == 20.0


def test_what_holds_is_not_said_where_nothing_is_known_or_all_is_met():
    assert "holding" not in json.loads(report_of().render("json"))
    unclipped = report_of(clipping="none")
    held = json.loads(unclipped.render("json"))["holding"]
    assert held["mu"] == "inf"
    assert "No finite μ" in held["sentences"][0]


def test_numbers_are_those_of_the_library_on_the_safe_side():
    report = report_of(dataset_size=50_000)
    curve = gaussdp.account(RUN["mechanism"])
    fit = curve.fit(1e-10)
    assert fit.mu <= report.mu <= fit.mu * (1 + 1e-3)
    content = json.loads(report.render("json"))
    assert content["guarantee"]["mu"] == report.mu
    assert fit.slack <= content["guarantee"]["slack"] <= fit.slack * (1 + 1e-3)
    assert fit.regret <= content["guarantee"]["regret"] <= fit.regret * (1 + 1e-3)
    assert [row["delta"] for row in content["epsilon"]] == [2e-5, 1e-5, 1e-6, 1e-8]
    for row in content["epsilon"]:
        assert curve.epsilon(row["delta"]) <= row["epsilon"] <= curve.epsilon(row["delta"]) * (1 + 1e-3)
    for row in content["risks"]["attacker"]:
        assert curve.tpr(row["fpr"]) <= row["tpr"] <= row["tpr_by_mu"]
        assert row["tpr_by_mu"] >= gaussdp.GDP(fit.mu).tpr(row["fpr"])
    for row in content["risks"]["precision"]:
        assert curve.precision(row["recall"]) <= row["precision"] <= curve.precision(row["recall"]) * (1 + 1e-3)
    assert content["risks"]["overall"]["right_of_100"] >= 100 * curve.accuracy(0.5)


def test_a_run_that_meets_everything():
    report = report_of()
    assert set(verdicts(report).values()) == {"met"}
    assert report.standing == "holds"
    assert "does not hold" not in report.render("text")


def test_a_shuffled_pipeline_is_told_so_in_every_rendering():
    report = report_of(sampling="shuffle")
    assert verdicts(report)["sampling"] == "not met"
    assert report.standing == "does not hold"
    for name in PROSE_FORMATS:
        words = " ".join(re.sub(r"<[^>]+>", " ", report.render(name)).split())
        assert "does not hold" in words, name
    assert "<s>μ = 0.4693</s>" in report.render("html")


def test_renderings_follow_the_schema():
    validator = jsonschema.Draft202012Validator(schema())
    validator.check_schema(schema())
    for report in (report_of(), report_of(sampling="shuffle", records_per_unit=3, adjacency="replace-one")):
        validator.validate(json.loads(report.render("json")))


def test_refusals():
    with pytest.raises(gaussdp.DomainError, match=r"run must be a Run, got DPSGD"):
        gaussdp.report_run(RUN["mechanism"])
    run = gaussdp.Run(**RUN)
    with pytest.raises(gaussdp.DomainError, match=r"floor must be in \(0, 1\)"):
        gaussdp.report_run(run, floor=0)
    with pytest.raises(gaussdp.DomainError, match=r"delta must be in \(0, 1\)"):
        gaussdp.report_run(run, deltas=[2])
    with pytest.raises(gaussdp.DomainError, match="digits must be"):
        gaussdp.report_run(run, digits=0)
    with pytest.raises(gaussdp.DomainError, match=r"format must be one of .*did you mean 'html'"):
        report_of().render("htm")
    for empty in (np.array([]), "yes", 1):
        with pytest.raises(gaussdp.DomainError, match="certified must be true or false"):
            gaussdp.report_run(run, certified=empty)
    points = gaussdp.account(gaussdp.ProfilePoints([1.0, 5.0], [0.01, 1e-8]))
    with pytest.raises(gaussdp.DomainError, match="certified must be true or false"):
        points.fit(certified=np.array([True, False]))
    with pytest.raises(gaussdp.DomainError, match="unit must be"):
        report_of(unit=np.zeros((2, 2)))


def test_levels_may_be_arrays_or_single_numbers():
    report = gaussdp.report_run(gaussdp.Run(**RUN), deltas=np.array([1e-6]), fprs=0.01)
    assert [row[0] for row in report.epsilon.rows] == [1e-6]
    assert [row[0] for row in report.attacker.rows] == [0.01]


def test_losses_with_atoms():
    """Through a distribution: the floor is raised to its noise floor, and deltas below that are left out."""
    report = report_of(mechanism=50 * gaussdp.DiscreteGaussian(20.0), sampling=None)
    assert "pessimistic privacy loss distribution" in report.method
    assert "clipping" not in verdicts(report)
    assert report.standing == "holds"
    assert report.fit.mu_lower <= report.fit.mu
    assert report.figure("svg").startswith(b"<?xml")
    pure = report_of(mechanism=50 * gaussdp.DiscreteLaplace(20.0), sampling=None)  # its pure epsilon speaks below
    assert gaussdp.report_run(pure.run, floor=1e-16, deltas=[1e-30]).fit.floor == 1e-16
    low = gaussdp.report_run(report.run, floor=1e-16)
    assert low.fit.floor > 1e-16
    assert "lies below the noise floor" in low.render("text")
    with pytest.raises(gaussdp.DomainError, match="delta must be 0 or at least"):
        gaussdp.report_run(report.run, deltas=[1e-30])
    many = gaussdp.Run(**{**RUN, "mechanism": report.run.mechanism, "dataset_size": 10**15, "sampling": None})
    assert "No ε is given at δ = 1e-15" in gaussdp.report_run(many).render("text")


def test_tuning_is_added_where_it_is_counted():
    alone, counted = report_of(), report_of(tuning="counted", tuning_runs=3)
    fit = gaussdp.account(gaussdp.DPSGD(1.0, 0.00512, 4 * 3907)).fit(1e-10)
    assert counted.mu > alone.mu
    assert counted.mu == pytest.approx(fit.mu, rel=1e-3)
    assert "4 times DP-SGD" in counted.render("text")


@pytest.mark.parametrize(
    ("changes", "key", "words"),
    [
        ({"adjacency": "replace-one", "records_per_unit": 4}, "adjacency", "The number does not hold for that"),
        ({"adjacency": "replace-one", "records_per_unit": 4}, "unit", "not for the unit"),
        ({"tuning": "not counted"}, "tuning", "the tuning runs are not in the composition"),
        ({"clipping": "per-batch"}, "clipping", "the number does not hold"),
        ({"clipping": "none"}, "clipping", "the number does not hold"),
        ({"sampling": "fixed batches"}, "sampling", "The number does not hold for it"),
        ({"sampling": "without replacement"}, "sampling", "The number does not hold for it"),
    ],
)
def test_what_is_not_met_is_said_plainly(changes, key, words):
    report = report_of(**changes)
    assert verdicts(report)[key] == "not met"
    assert report.standing == "does not hold"
    assert words in next(item.words for item in report.assumptions if item.key == key)


@pytest.mark.parametrize("key", ["sampling", "tuning", "clipping", "records_per_unit", "randomness"])
def test_what_is_not_stated_is_said_too(key):
    report = report_of(**{key: None})
    assert verdicts(report)["unit" if key == "records_per_unit" else key] == "not stated"
    assert report.standing == ("holds" if key == "randomness" else "depends")


def test_ordinary_noise_is_a_remark_and_no_verdict_on_the_number():
    report = report_of(randomness="ordinary")
    assert verdicts(report)["randomness"] == "not met"
    assert report.standing == "holds"


def test_noise_of_another_adjacency():
    report = report_of(mechanism=gaussdp.Gaussian(2.0, "replace-one"), sampling=None)
    assert verdicts(report)["adjacency"] == "not met"
    assert "does not follow" in report.render("text")


def test_the_shuffled_number_agrees_with_the_check():
    words = report_of(sampling="shuffle").assumptions[0].words
    proved = float(re.search(r"at least ([0-9.]+) at", words)[1])
    verdict = gaussdp.check_claim(gaussdp.Run(**{**RUN, "sampling": "shuffle"}), "epsilon=1 delta=1e-5")
    assert proved <= verdict.lower <= proved * 1.001


def test_no_noise_to_speak_of():
    run = gaussdp.Run(mechanism=gaussdp.Laplace(1e-6), unit="a", adjacency="add-remove")
    with pytest.raises(gaussdp.DomainError, match="no mu holds there"):
        gaussdp.report_run(run)


@pytest.mark.parametrize(("changes", "others"), [({"adjacency": "replace-one"}, {}), ({}, {"records_per_unit": 4})])
def test_the_number_is_that_of_the_neighbours_and_the_unit(changes, others):
    training = gaussdp.DPSGD(1.0, 0.00512, 3907)
    report = report_of(mechanism=training, **changes, **others)
    mechanism = gaussdp.DPSGD(1.0, 0.00512, 3907, **changes, **others)
    assert report.standing == "holds"
    assert report.mu == pytest.approx(gaussdp.account(mechanism).fit(1e-10).mu, rel=1e-3)
    assert report.mu < (2 if changes else 4) * report_of(mechanism=training).mu
    text = report.render("text")
    assert "accounting is of" in text
    assert gaussdp.check_claim(report.run, f"mu={report.mu} floor=1e-10").holds
    assert gaussdp.check_claim(report.run, f"mu={report.mu * 0.999} floor=1e-10").status == "false"
    epsilon = gaussdp.account(mechanism).epsilon(1e-5)
    assert gaussdp.check_claim(report.run, gaussdp.Claim(epsilon=epsilon * 1.001, delta=1e-5)).holds
    assert gaussdp.check_claim(report.run, gaussdp.Claim(epsilon=epsilon * 0.999, delta=1e-5)).status == "false"


def test_the_head_names_what_the_number_rests_on():
    head = report_of(randomness="ordinary").render("text").split("Mechanism\n")[0]
    assert "does not speak of attackers who predict the noise" in head
    assert "How the noise is made is not stated" in report_of(randomness=None).render("text").split("Mechanism\n")[0]
    assert "depends on what is not stated: records per unit." in report_of(records_per_unit=None).render("text")
