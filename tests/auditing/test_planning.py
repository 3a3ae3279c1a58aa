import numpy as np
import pytest
from scipy import special

import gaussdp
from gaussdp import DomainError, plan_audit
from gaussdp.auditing.bands import equal_level_upper
from gaussdp.auditing.planning import MOST_CANARIES, _best_run, guess_accuracy, trials_power
from gaussdp.auditing.rates import quantile_sum, rate_upper


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
                random.normal(1.5, 1, planned.trials), random.normal(0, 1, planned.trials), method=method
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


def test_harder_questions_need_more(plan):
    closer, surer = plan_audit(1.5, 1.0, 0.8), plan_audit(1.5, 0.5, 0.99)
    for harder in (closer, surer):
        assert harder.fixed_threshold.trials > plan.fixed_threshold.trials
        assert harder.equal_local_level.trials > plan.equal_local_level.trials
    assert plan.equal_local_level.trials > plan.fixed_threshold.trials


def test_one_run_has_its_limit():
    assert [_best_run(size, 1.0, 0.9, 0.5, 0.05).power for size in (100, 10_000, MOST_CANARIES)] == [0, 0, 0]


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
