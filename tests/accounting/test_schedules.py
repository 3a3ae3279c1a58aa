"""Long schedules of different steps are read off a few steps that stand for them."""

import dataclasses

import numpy as np
import pytest

from gaussdp import account
from gaussdp.accounting.lines.lattice import Lattice
from gaussdp.accounting.loss import schedules
from gaussdp.accounting.loss.cumulants import LossCumulants
from gaussdp.accounting.loss.steps import SampledGaussianLoss
from gaussdp.mechanisms import Composition, Gaussian, PoissonSampled

STEPS = 320


def schedule(noises, rates):
    pairs = np.broadcast(noises, rates)
    return Composition([PoissonSampled(Gaussian(float(noise)), float(rate)) for noise, rate in pairs])


SCHEDULES = {
    "falling noise": schedule(np.linspace(3.0, 0.9, STEPS), 0.03),
    "noise in stages, some steps repeated": schedule(np.repeat(np.geomspace(4.0, 0.8, STEPS), 3), 0.05),
    "growing batches": schedule(1.1, np.geomspace(0.002, 0.05, STEPS)),
    "two rates": schedule(np.tile(np.linspace(2.0, 1.0, STEPS), 2), np.repeat([0.01, 0.03], STEPS)),
}


@pytest.fixture
def one_by_one(monkeypatch):
    """What accounting says if every step counts for itself."""

    def read(mechanism, epsilons):
        with monkeypatch.context() as patched:
            patched.setattr(schedules, "SETTINGS", dataclasses.replace(schedules.SETTINGS, least=10**9))
            curve = account(mechanism)
            return curve.remove.delta(epsilons), curve.add.delta(epsilons)

    return read


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_shortened_schedule_reads_as_the_schedule_itself(name, one_by_one):
    epsilons = np.array([0.0, 0.7, 2.0])
    curve = account(SCHEDULES[name])
    errors = curve.reading.delta(epsilons).error
    both = (curve.remove.delta(epsilons), curve.add.delta(epsilons))
    for got, expected in zip(both, one_by_one(SCHEDULES[name], epsilons), strict=True):
        assert np.all(np.abs(got - expected) <= (errors + 1e-12) * expected)
    assert errors.max() <= 1e-9


def test_phases_are_followed_through_whole_turns():
    steps = [(SampledGaussianLoss(float(noise), 1e-3), 1) for noise in np.linspace(2.0, 0.5, 3000)]
    cumulants = LossCumulants(0.0, *schedules.schedules_for(steps)[0])
    assert Lattice(cumulants, cumulants.tilt(0.0)).read(np.array([2.0, 4.0])).answered.all()


def test_ten_thousand_steps_are_answered_by_lines():
    curve = account(schedule(np.linspace(3.0, 0.9, 10_000), 0.01))
    assert curve.reading.epsilon(1e-6).error < 1e-11
    # More noise throughout, less throughout: the schedule lies between two equal numbers of steps.
    low, high = (account(10_000 * PoissonSampled(Gaussian(noise), 0.01)).epsilon(1e-6) for noise in (3.0, 0.9))
    assert low < curve.epsilon(1e-6) < high


def test_few_steps_stand_for_themselves():
    steps = list(account(schedule(np.linspace(2.0, 1.0, 50), 0.01)).mechanism.parts())
    assert len(steps) == 50
    assert len(schedules.schedules_for([(part, count) for part, count in steps])) == 1


def test_a_rule_integrates_polynomials():
    generator = np.random.default_rng(3)
    places, weights = generator.uniform(0.3, 2.0, 400), generator.integers(1, 5, 400).astype(float)
    rule = schedules.jacobi(places, weights, 12).rule(9)
    nodes, counts = np.array(rule).T
    assert (counts > 0).all()
    for degree in range(18):
        assert counts @ nodes**degree == pytest.approx(weights @ places**degree, rel=1e-12)
    assert counts @ nodes**18 != pytest.approx(weights @ places**18, rel=1e-12)


def test_one_more_step_reads_as_the_whole_built_anew():
    """To the last bit, whether the step is new or one that has run before."""
    noises = np.linspace(3.0, 0.9, 400)
    before = schedule(noises, 0.01)
    for one in (PoissonSampled(Gaussian(1.7), 0.01), PoissonSampled(Gaussian(3.0), 0.01), Gaussian(30.0)):
        extended, anew = Composition([before, one]), Composition([*before.mechanisms, one])
        assert list(extended.parts()) == list(anew.parts())
        assert account(extended).epsilon(1e-6) == account(anew).epsilon(1e-6)
    assert sum(count for _, count in Composition([before, before]).parts()) == 800
    assert sum(count for _, count in before.parts()) == 400
