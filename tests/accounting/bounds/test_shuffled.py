"""Shuffled batches: the attack's rates against simulation, and its bounds between what must hold."""

import math

import numpy as np
import pytest

import gaussdp
from gaussdp import DPSGD, Claim, Composition, Gaussian, Laplace
from gaussdp.accounting.bounds.shuffled import _attack, fixed_batches, shuffled_batches, without_sampling
from gaussdp.mechanisms import PoissonSampled

AT = Claim(epsilon=1.0, delta=1e-5)


@pytest.mark.parametrize(("steps", "exchanged"), [(8, False), (8, True), (3, False)])
def test_rates_of_the_attack_by_simulation(steps, exchanged):
    rng = np.random.default_rng(7)
    trials, sigma, whole = 200_000, 0.7, 8
    log_tnr, log_fnr = _attack(PoissonSampled(Gaussian(sigma), 1 / whole), steps, exchanged=exchanged)
    thresholds = np.linspace(-2 * sigma, 2 + 12 * sigma, log_tnr.size)
    place = rng.integers(whole, size=trials)
    noise = sigma * rng.standard_normal((trials, steps))
    for shift, logs in ((2.0, log_fnr), (0.0 if exchanged else 1.0, log_tnr)):
        sums = noise + shift * (np.arange(steps) == place[:, np.newaxis])
        largest = sums.max(axis=1)
        for threshold, log_below in list(zip(thresholds, logs, strict=True))[100:900:100]:
            chance = math.exp(log_below)
            error = 5 * math.sqrt(chance * (1 - chance) / trials) + 1e-4
            assert np.mean(largest < threshold) == pytest.approx(chance, abs=error)


@pytest.mark.parametrize("run", [DPSGD(0.5, 0.01, 100), DPSGD(1.0, 0.00512, 3907), DPSGD(3.0, 0.1, 25)])
def test_the_attack_never_beats_what_holds(run):
    for claim in (AT, Claim(epsilon=1.0, delta=1e-9), Claim(mu=1.0, floor=1e-6), Claim(mu=1.0, floor=0.01)):
        for exchanged in (False, True):
            found = shuffled_batches(run, claim, 1 + exchanged, exchanged=exchanged)
            raw = shuffled_batches(run, claim, 10, exchanged=exchanged)  # its upper end does not cut the lower one
            assert 0 < raw.lower <= found.upper
            assert found.lower == raw.lower


def test_shuffling_is_proved_worse_than_poisson_sampling():
    run = DPSGD(1.0, 0.00512, 3907)
    poisson = gaussdp.account(run).epsilon(1e-5)
    assert shuffled_batches(run, AT, 1, exchanged=False).lower > 2 * poisson


def test_fixed_batches_are_exactly_gaussian():
    run = DPSGD(2.0, 0.1, 25)  # three passes
    assert without_sampling(run) == pytest.approx(math.sqrt(3) / 2)
    found = fixed_batches(run, AT, 2)
    assert found.lower <= gaussdp.GDP(math.sqrt(3)).epsilon(1e-5) <= found.upper <= found.lower * (1 + 1e-8)
    assert without_sampling(run, each_step=True) == pytest.approx(2.5)
    assert without_sampling(Composition([run, Gaussian(1.0)])) == pytest.approx(math.sqrt(3 / 4 + 1))
    assert math.isinf(without_sampling(Composition([run, Laplace(1.0)])))
    assert math.isinf(fixed_batches(Composition([run, Laplace(1.0)]), AT, 1).upper)
    assert math.isinf(shuffled_batches(Composition([run, Laplace(1.0)]), AT, 1, exchanged=False).upper)


def test_without_a_floor_shuffling_hides_nothing():
    found = shuffled_batches(DPSGD(2.0, 0.1, 20), Claim(mu=1.0), 1, exchanged=False)
    assert (found.lower, found.upper) == pytest.approx([math.sqrt(2) / 2] * 2)
    found = shuffled_batches(DPSGD(2.0, 0.1, 20), Claim(rho=1.0), 1, exchanged=False)
    assert (found.lower, found.upper) == pytest.approx([0.25, 0.25])
