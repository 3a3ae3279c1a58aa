import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from scipy import special

import gaussdp
from audits_of_test import audited
from gaussdp import DomainError, plan_audit
from gaussdp.auditing import sizes
from gaussdp.auditing.bands import approximate_level, equal_level_upper, local_level
from gaussdp.auditing.methods import quantile_sum, rate_upper
from gaussdp.auditing.sizes import MOST_CANARIES, best_run, guess_accuracy, trials_power
from gaussdp.documents import render


def power_by_the_book(trials, mu, fpr, claim, tail, upper):
    """Every pair of counts, one by one."""
    fnr = special.ndtr(-special.ndtri(fpr) - mu)
    counts = np.arange(trials + 1)
    proved = quantile_sum(upper(counts, trials, tail)[:, None], upper(counts, trials, tail)[None, :])
    mass = [np.diff(special.bdtr(counts.astype(float), trials, rate), prepend=0) for rate in (fpr, fnr)]
    return float(mass[0] @ (proved > claim) @ mass[1])


@pytest.mark.parametrize("upper", [rate_upper, equal_level_upper])
@pytest.mark.parametrize(("trials", "mu", "claim"), [(20, 2.0, 0.5), (60, 1.0, 0.0), (150, 1.5, 1.0), (5, 3.0, 0.0)])
def test_power_by_the_book(upper, trials, mu, claim):
    fpr = float(special.ndtr(-mu / 2 - 0.2))
    found = trials_power(trials, mu, fpr, claim, 0.025, upper)
    assert found == pytest.approx(power_by_the_book(trials, mu, fpr, claim, 0.025, upper), abs=1e-9)


@pytest.fixture(scope="module")
def plan():
    return plan_audit(mu=1.5, claim_mu=0.5, power=0.8)


def test_planned_trials_detect_by_simulation(plan):
    random = np.random.default_rng(0)
    for planned, method in (
        (plan.fixed_threshold, gaussdp.FixedThreshold(-special.ndtri(plan.fixed_threshold.fpr))),
        (plan.equal_local_level, gaussdp.EqualLocalLevel()),
    ):
        assert planned.power >= 0.8
        hits = sum(
            gaussdp.audit(
                members=random.normal(1.5, 1, planned.trials),
                nonmembers=random.normal(0, 1, planned.trials),
                method=method,
                design="trials",
            ).contradicts(0.5)
            for _ in range(200)
        )
        assert hits / 200 > 0.8 - 4 * np.sqrt(0.16 / 200)


def test_planned_run_detects_by_simulation(plan):
    run = plan.one_run
    random = np.random.default_rng(1)
    hits = 0
    for _ in range(200):
        inside = random.random(run.canaries) < 0.5
        score = random.normal(np.where(inside, 1.5, 0.0), 1.0) - 0.75
        surest = np.argsort(-np.abs(score))[: run.guesses]
        right = int(((score > 0) == inside)[surest].sum())
        hits += gaussdp.audit_one_run(run.canaries, run.guesses, right).contradicts(0.5)
    assert hits / 200 > 0.8 - 4 * np.sqrt(0.16 / 200)


@pytest.mark.parametrize(("mu", "claim"), [(1.5, 0.5), (2.5, 1.5)])
def test_planned_pairs_by_simulation(mu, claim):
    """Whole audits: the mean within a quarter, and so many pairs suffice about as often as planned."""
    random = np.random.default_rng(4)
    planned = plan_audit(mu, claim, 0.8).sequential
    ends = []
    for _ in range(30):
        audit = gaussdp.SequentialAudit(claim)
        audit.update(members=random.normal(mu, 1, 2 * planned.pairs), nonmembers=random.normal(0, 1, 2 * planned.pairs))
        ends.append(1 + int(np.argmax(audit.trail.evidence >= 20)))
    assert np.mean(ends) == pytest.approx(planned.expected, rel=0.3)
    assert np.mean(np.array(ends) <= planned.pairs) > 0.8 - 3 * np.sqrt(0.16 / 30)


def test_pairs_are_fewer_than_fixed_trials_and_may_be_too_many():
    plan = plan_audit(1.0, 0.5)
    assert plan.sequential.expected < plan.fixed_threshold.trials
    assert plan_audit(1.0, 0.999).sequential is None


def test_harder_questions_need_more(plan):
    closer, surer = plan_audit(1.5, 1.0, 0.8), plan_audit(1.5, 0.5, 0.99)
    for harder in (closer, surer):
        assert harder.fixed_threshold.trials > plan.fixed_threshold.trials
        assert harder.equal_local_level.trials > plan.equal_local_level.trials
        assert harder.sequential.pairs > plan.sequential.pairs
    assert plan.equal_local_level.trials > plan.fixed_threshold.trials


@pytest.mark.parametrize(("mu", "claim"), [(1.0, 0.5), (2.0, 0.0), (3.0, 1.0)])
def test_the_default_needs_about_what_is_planned(mu, claim):
    """By simulation of whole audits: so many suffice, and three quarters of so many do not."""
    random = np.random.default_rng(2)
    planned = plan_audit(mu, claim).equal_local_level.trials

    def power(trials):
        sides = ((random.normal(mu, 1, trials), random.normal(0, 1, trials)) for _ in range(400))
        return np.mean([audited(pair, design="trials").contradicts(claim) for pair in sides])

    assert power(planned) > 0.9 - 3 * np.sqrt(0.09 / 400)
    assert power(round(0.75 * planned)) < 0.9


@pytest.mark.parametrize("mu", [10.0, 75.0, 76.0, 100.0, 1e4, 1e300])
def test_a_large_mu_needs_a_few_trials(mu):
    plan = plan_audit(mu)
    assert plan.fixed_threshold.trials <= 10
    assert plan.equal_local_level.trials <= 15
    assert plan.fixed_threshold.fpr > 0
    proved = gaussdp.audit(
        members=np.full(plan.equal_local_level.trials, mu), nonmembers=np.zeros(plan.equal_local_level.trials)
    )
    assert proved.mu_lower > 0


def test_claims_beyond_the_largest_audit():
    plan = plan_audit(100.0, 50.0)
    assert (plan.fixed_threshold, plan.equal_local_level) == (None, None)


def test_the_same_question_has_the_same_answer():
    assert plan_audit(1.2, 0.6) == plan_audit(1.2, 0.6)


@pytest.mark.parametrize(("mu", "claim"), [(0.75, 0.7), (0.705, 0.7), (3.0, 2.9), (1.0, 0.5), (5.0, 0.1)])
def test_a_plan_takes_few_simulations(mu, claim, monkeypatch):
    taken = []

    def counted(trials, *rest, **settings):
        taken.append(trials)
        return simulated(trials, *rest, **settings)

    simulated = sizes.simulated_plan
    monkeypatch.setattr(sizes, "simulated_plan", counted)
    plan_audit(mu, claim)
    assert len(taken) <= 8, taken


@pytest.mark.parametrize("trials", [1, 7, 60, 300, 700, 3000, 40_000])
@pytest.mark.parametrize("tail", [0.3, 0.05, 0.025, 1e-3, 1e-8])
def test_the_level_of_a_plan_is_about_the_true_one(trials, tail):
    assert approximate_level(trials, tail) == pytest.approx(local_level(trials, tail), rel=0.08)


def test_counts_in_between_are_taken_for_larger_ones(monkeypatch):
    """The sum over a grid of counts is below the sum over all, by little."""
    fpr = float(special.ndtr(-0.5))
    exact = power_by_the_book(1500, 1.0, fpr, 0.8, 0.025, rate_upper)
    assert trials_power(1500, 1.0, fpr, 0.8, 0.025, rate_upper) == pytest.approx(exact, abs=1e-9)
    monkeypatch.setattr(sizes, "SETTINGS", replace(sizes.SETTINGS, grid=8))
    assert exact - 0.03 < trials_power(1500, 1.0, fpr, 0.8, 0.025, rate_upper) < exact - 0.001


def test_many_trials_are_enough_and_not_far_too_many():
    """Counts drawn as bridges, against whole audits."""
    random = np.random.default_rng(5)
    planned = plan_audit(2.0, 1.8).equal_local_level.trials
    assert planned * special.ndtr(-1.0) > sizes.SETTINGS.normal

    def power(trials):
        sides = ((random.normal(2.0, 1, trials), random.normal(0, 1, trials)) for _ in range(200))
        return np.mean([audited(pair, design="trials").contradicts(1.8) for pair in sides])

    assert power(planned) > 0.9 - 3 * np.sqrt(0.09 / 200)
    assert power(round(0.7 * planned)) < 0.9


def test_a_power_beyond_what_is_simulated():
    """All but one in a thousand: the size follows from that for a smaller power."""
    random = np.random.default_rng(6)
    plan = plan_audit(2.0, 1.0, power=0.999)
    assert plan.equal_local_level.power == 0.999
    assert plan.equal_local_level.trials < 2 * plan.fixed_threshold.trials
    trials = plan.equal_local_level.trials
    sides = ((random.normal(2.0, 1, trials), random.normal(0, 1, trials)) for _ in range(2000))
    missed = sum(not audited(pair, design="trials").contradicts(1.0) for pair in sides)
    assert missed <= 8
    surer = plan_audit(2.0, 1.0, power=0.9999).sequential
    assert plan_audit(2.0, 1.0).sequential.pairs < plan.sequential.pairs < surer.pairs < 10 * plan.sequential.pairs


@pytest.mark.parametrize(
    "question",
    [
        (5.0, 0.1, 0.9, 0.95),
        (0.7000001, 0.7, 0.9, 0.95),
        (1e-300, 0.0, 0.9, 0.95),
        (1e300, 5.0, 0.9, 0.95),
        (8.0, 7.9, 0.9, 0.95),
        (1.0, 0.5, 0.99, 0.999),
        (1.0, 0.5, 1 - 1e-12, 1 - 1e-12),
        (1.0, 0.5, 1e-12, 1e-12),
    ],
    ids=str,
)
def test_extreme_questions_have_plans_or_none(question):
    plan = plan_audit(*question)
    for planned in (plan.fixed_threshold, plan.equal_local_level, plan.one_run, plan.sequential):
        assert planned is None or planned.power >= min(question[2], 0.9999)
    if plan.equal_local_level:
        assert plan.fixed_threshold.trials <= plan.equal_local_level.trials
    assert "nan" not in render(plan.document(), "markdown").lower()


def test_one_run_has_its_limit():
    assert [best_run(size, 1.0, 0.9, 0.5, 0.05).power for size in (100, 10_000, MOST_CANARIES)] == [0, 0, 0]


def test_guess_accuracy():
    assert guess_accuracy(1.0, 1.0) == pytest.approx(special.ndtr(0.5))
    assert guess_accuracy(0.0 + 1e-12, 0.3) == pytest.approx(0.5)
    assert guess_accuracy(2.0, 0.01) > guess_accuracy(2.0, 0.5) > guess_accuracy(2.0, 1.0)


@pytest.mark.parametrize(
    "arguments", [(0.0,), (1.0, 1.0), (1.0, 2.0), (1.0, -1.0), (1.0, 0.0, 1.0), (1.0, 0.0, 0.9, 0.0), (float("inf"),)]
)
def test_refusals(arguments):
    with pytest.raises(DomainError):
        plan_audit(*arguments)


ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def power():
    sys.path.insert(0, str(ROOT))
    yield import_module("benchmarks.audit_power")
    sys.path.remove(str(ROOT))


def test_the_default_is_the_best_that_holds_its_level(power):
    shares = power.summary(power.study({500: 5}, ["Gaussian, mu = 1", "Gaussian, mu = 4", "few exposed"]))
    by_mean = {method: shares[method]["mean share of the best"] for method in power.METHODS}
    assert max(by_mean, key=by_mean.get) == "EqualLocalLevel"
    assert all(shares[method]["share of bounds above the truth"] <= 1 / 5 for method in power.METHODS)


def test_hindsight_exceeds_every_method_on_real_scores(power):
    shares = power.summary(power.study({100: 3}, ["trained models, mu = 1"]))
    assert shares[power.HINDSIGHT]["mean share of the best"] > 1
    assert shares["EqualLocalLevel"]["mean share of hindsight"] < 1


def test_the_page_holds_every_table(power):
    page = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
    for name in power.TABLES:
        _, _, rest = page.partition(f"<!-- audit_power: {name} -->")
        table, _, _ = rest.partition("<!-- end -->")
        assert table.count("\n|") > 4, f"python -m benchmarks.audit_power --write {name}"


def test_a_table_is_written_between_its_marks(power):
    page = "a\n<!-- audit_power: x -->\nold\n<!-- end -->\nb\n<!-- end -->"
    table = power.markdown(iter([("one", "two"), ("1", "2")]))
    assert table == "| one | two |\n|---|---|\n| 1 | 2 |"
    assert power.written(page, "x", table) == page.replace("old", f"\n{table}\n")
