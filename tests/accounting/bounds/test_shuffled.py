"""Batches cut from the data: the attack against real shuffles, and its bounds between what must hold."""

import itertools
import math

import numpy as np
import pytest
from scipy import special

import gaussdp
from gaussdp import DPSGD, Claim, Composition, Gaussian, Laplace
from gaussdp.accounting.bounds.batches import (
    Loader,
    cut,
    drawn_batches,
    fixed_batches,
    least_mu_fixed,
    least_mu_shuffled,
    most_mu,
    shuffled_batches,
)
from gaussdp.mechanisms import PoissonSampled

AT = Claim(epsilon=1.0, delta=1e-5)
KEPT, DROPPED = Loader(drop_last=False), Loader(drop_last=True)


def largest_sums(rng, trials, sigma, size, batch, steps, pull, drop_last):
    """The largest of the first sums of shuffled data, each counted from a batch of its size without the record.

    The record is number 0 and pulls this much; all others pull minus one.
    """
    orders = np.argsort(rng.random((trials, size)), axis=1)
    batches = size // batch if drop_last else math.ceil(size / batch)
    pulls = np.where(orders == 0, pull, -1.0)
    found = []
    for place in range(min(batches, steps)):
        part = pulls[:, place * batch : (place + 1) * batch]
        found.append(part.sum(axis=1) + part.shape[1] + sigma * rng.standard_normal(trials))
    return np.max(found, axis=0)


@pytest.mark.parametrize("drop_last", [True, False])
@pytest.mark.parametrize(("steps", "exchanged"), [(4, False), (4, True), (2, False)])
def test_the_attack_by_simulation(steps, exchanged, drop_last):
    """Ten records in batches of three: one is dropped, or alone in the last batch."""
    rng = np.random.default_rng(7)
    trials, sigma, delta, floor = 200_000, 2.0, 0.1, 0.1
    here, away = (
        largest_sums(rng, trials, sigma, 10, 3, steps, pull, drop_last) for pull in (1.0, -1.0 if exchanged else 0.0)
    )
    thresholds = np.linspace(-1, 9, 201)
    tpr, fpr = (np.array([np.mean(values > c) for c in thresholds]) for values in (here, away))
    with np.errstate(divide="ignore", invalid="ignore"):
        epsilon = max(np.nanmax(np.log((tpr - delta) / fpr)), np.nanmax(np.log((1 - fpr - delta) / (1 - tpr))))
    usable = (fpr > floor) & (1 - tpr > floor)
    mu = np.max(special.ndtri(tpr[usable]) - special.ndtri(fpr[usable]))
    run, loader = DPSGD(sigma, 0.3, steps), DROPPED if drop_last else KEPT
    for claim, seen in ((Claim(epsilon=1.0, delta=delta), epsilon), (Claim(mu=1.0, floor=floor), mu)):
        proved = shuffled_batches(run, claim, 100, loader, exchanged=exchanged).lower
        assert proved == pytest.approx(seen, abs=0.03)


@pytest.mark.parametrize(("size", "batch"), [(1000, 300), (1000, 501), (64, 9), (60_000, 256)])
def test_a_record_that_may_be_dropped(size, batch):
    """One pass is the same with and without a dropped record, so that delta is at most its share times that of one

    Gaussian release (joint convexity of the hockey-stick divergence): nothing larger may be asserted.
    """
    batches = size // batch
    share = batches * batch / size
    for sigma, delta in itertools.product((0.5, 1.0, 3.0), (1e-3, 1e-5, 1e-9)):
        possible = gaussdp.GDP(1 / sigma).epsilon(min(delta / share, 1.0))
        claim = Claim(epsilon=1.0, delta=delta)
        for loader in (DROPPED, Loader(), Loader(batches_per_pass=batches)):
            assert (
                shuffled_batches(DPSGD(sigma, batch / size, batches), claim, 1, loader, exchanged=False).lower
                <= possible
            )


def test_one_thousand_records_in_batches_of_three_hundred():
    run = DPSGD(1.0, 0.3, 3)
    assert gaussdp.GDP(1.0).epsilon(1e-5 / 0.9) == pytest.approx(4.3525, abs=5e-5)
    dropped, kept = (shuffled_batches(run, AT, 1, loader, exchanged=False).lower for loader in (DROPPED, KEPT))
    assert 4.3 < dropped < 4.3525
    assert shuffled_batches(run, AT, 1, Loader(), exchanged=False).lower == min(dropped, kept)


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
    assert shuffled_batches(run, AT, 1, exchanged=False).lower > 5 * poisson
    whole = shuffled_batches(DPSGD(1.0, 1 / 195, 20 * 195), AT, 1, exchanged=False)
    assert whole.lower == pytest.approx(10.18, abs=0.02)


@pytest.mark.parametrize(("sigma", "batches", "drop_last"), [(1.0, 10, False), (2.0, 3, True), (0.7, 40, False)])
def test_two_passes_by_the_density_of_the_largest_sums(sigma, batches, drop_last):
    """The likelihood ratio test on a fine grid of pairs, every pair by itself."""
    rate, share = (0.9 / batches, 0.9) if drop_last else (1 / batches, 1.0)
    grid = np.linspace(-3 * sigma, 2 + 7 * sigma, 1201)
    below = special.ndtr(grid / sigma)
    p, q = (
        np.diff(share * special.ndtr((grid - a) / sigma) * below ** (batches - 1) + (1 - share) * below**batches)
        for a in (2, 1)
    )
    pairs_p, pairs_q = np.outer(p, p).ravel(), np.outer(q, q).ravel()
    order = np.argsort(-np.divide(pairs_p, pairs_q, out=np.zeros_like(pairs_p), where=pairs_q > 1e-15))
    tpr, fpr = np.cumsum(pairs_p[order]), np.cumsum(pairs_q[order])
    run = DPSGD(sigma, rate, 2 * batches)
    loader = DROPPED if drop_last else KEPT
    for delta in (1e-2, 1e-4):
        best = np.nanmax(np.log((tpr - delta)[tpr > delta] / fpr[tpr > delta]))
        found = shuffled_batches(run, Claim(epsilon=1.0, delta=delta), 1, loader, exchanged=False)
        assert 0.99 * best < found.lower < 1.01 * best
    usable = (fpr > 1e-3) & (tpr < 1 - 1e-3)
    mu = np.max(special.ndtri(tpr[usable]) - special.ndtri(fpr[usable]))
    assert shuffled_batches(run, Claim(mu=1.0, floor=1e-3), 1, loader, exchanged=False).lower == pytest.approx(
        mu, rel=0.01
    )


def fewest_and_most(size, batch, steps, drop_last):
    """How many batches hold a record, by running a loader that does not shuffle: of those that it keeps, and in all."""
    counts = np.zeros(size, int)
    batches = [range(start, min(start + batch, size)) for start in range(0, size, batch)]
    if drop_last and len(batches[-1]) < batch:
        batches.pop()
    for step in range(steps):
        counts[list(batches[step % len(batches)])] += 1
    return counts.min(), counts.max()


@pytest.mark.parametrize("drop_last", [True, False])
@pytest.mark.parametrize(("size", "batch"), [(10, 3), (12, 3), (7, 7), (11, 6), (49, 1), (5, 2)])
def test_uses_of_a_record_by_running_a_loader(size, batch, drop_last):
    loader = DROPPED if drop_last else KEPT
    for steps in range(1, 31):
        run = DPSGD(1.0, batch / size, steps)
        _, most = fewest_and_most(size, batch, steps, drop_last)
        assert most_mu(run, loader) == pytest.approx(math.sqrt(most))
        if batch < size:
            assert least_mu_fixed(run, loader) == least_mu_shuffled(run, loader) == pytest.approx(math.sqrt(most))
            for least in (least_mu_fixed(run, Loader()), least_mu_shuffled(run, Loader())):
                assert least <= math.sqrt(most) * (1 + 1e-12) <= most_mu(run) * (1 + 1e-11)


def test_a_keep_last_loader_of_sixty_thousand():
    """235 batches a pass, so that 15 passes hold every record 15 times."""
    run = DPSGD(1.0, 256 / 60_000, 15 * 235)
    for loader in (KEPT, Loader(batches_per_pass=235)):
        found = fixed_batches(run, Claim(mu=1.0), 1, loader, together=1)
        assert (found.lower, found.upper) == pytest.approx([math.sqrt(15)] * 2)
    found = fixed_batches(run, Claim(mu=1.0), 1, Loader(), together=1)
    assert (found.lower, found.upper) == pytest.approx([math.sqrt(15), 4])


def test_whole_quotients_are_whole():
    for batches in range(1, 3000):
        assert cut(1 / batches) == (batches, batches)
    assert cut(256 / 60_000) == (234, 235)
    assert cut((10**15 - 1) / 10**15) == (1, 2)


def test_every_run_begins_a_pass():
    """Three runs of three steps with two batches a pass: the first batch is used twice in each."""
    one = DPSGD(1.0, 0.5, 3)
    for runs in (3 * one, Composition([one, one, one]), 3 * Composition([one])):
        assert most_mu(runs) == pytest.approx(math.sqrt(6))
        assert least_mu_shuffled(runs, Loader()) == pytest.approx(math.sqrt(6))
        assert least_mu_fixed(runs, Loader()) <= math.sqrt(6)
    step = PoissonSampled(Gaussian(1.0), 0.5)
    assert most_mu(9 * step) == pytest.approx(math.sqrt(5))  # repeated steps are one run
    assert most_mu(3 * (3 * step)) == pytest.approx(math.sqrt(6))


def test_fixed_batches_are_exactly_gaussian():
    run = DPSGD(2.0, 0.1, 25)  # three passes
    assert most_mu(run) == pytest.approx(math.sqrt(3) / 2)
    found = fixed_batches(run, AT, 2, Loader(), together=2)
    assert found.lower <= gaussdp.GDP(math.sqrt(3)).epsilon(1e-5) <= found.upper <= found.lower * (1 + 1e-8)
    assert most_mu(run, each_step=True) == pytest.approx(2.5)
    assert most_mu(Composition([run, Gaussian(1.0)])) == pytest.approx(math.sqrt(3 / 4 + 1))


def test_other_releases_count_by_the_mu_that_they_have():
    run = Composition([DPSGD(2.0, 0.1, 25), Laplace(1.0)])
    assert most_mu(run) == pytest.approx(math.hypot(math.sqrt(3) / 2, gaussdp.LaplaceDP(1.0).implied().mu))
    for found in (
        fixed_batches(run, AT, 1, Loader(), together=1),
        shuffled_batches(run, AT, 1, exchanged=False),
        drawn_batches(run, AT, 1),
    ):
        assert 0 < found.lower < found.upper < math.inf
    assert math.isinf(most_mu(Composition([DPSGD(2.0, 0.1, 25), gaussdp.ApproxDP(1.0, 1e-6)])))


def test_without_a_floor_shuffling_hides_nothing():
    found = shuffled_batches(DPSGD(2.0, 0.1, 20), Claim(mu=1.0), 1, exchanged=False)
    assert (found.lower, found.upper) == pytest.approx([math.sqrt(2) / 2] * 2)
    found = shuffled_batches(DPSGD(2.0, 0.1, 20), Claim(rho=1.0), 1, exchanged=False)
    assert (found.lower, found.upper) == pytest.approx([0.25, 0.25])


def test_batches_drawn_afresh():
    """Other records that contribute nothing make it the Poisson-sampled mechanism."""
    run = DPSGD(1.0, 0.05, 40)
    found = drawn_batches(run, AT, 1)
    assert found.lower == pytest.approx(gaussdp.account(run).epsilon(1e-5), rel=1e-8)
    assert found.upper == pytest.approx(gaussdp.GDP(math.sqrt(40)).epsilon(1e-5), rel=1e-8)
    found = drawn_batches(run, Claim(mu=1.0), 1)
    assert (found.lower, found.upper) == pytest.approx([math.sqrt(40)] * 2)
