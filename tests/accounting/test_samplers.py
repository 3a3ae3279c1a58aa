"""Batches of limited and of fixed size, and samples with other noise, each against what is computed in another way."""

import math

import dp_accounting
import numpy as np
import pytest
from dp_accounting import dp_event as ev
from dp_accounting import rdp
from dp_accounting.pld import privacy_loss_distribution as pld
from scipy import integrate, stats

from gaussdp import GDP, Claim, DomainError, Run, account
from gaussdp.accounting.bounds.enclosures import smallest
from gaussdp.accounting.distribution.releases import TRUNCATION_ERROR, truncation
from gaussdp.accounting.document import account_document
from gaussdp.documents import render
from gaussdp.integrations.dp_accounting import event_of, mechanism_of
from gaussdp.mechanisms import (
    DPSGD,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    PoissonSampled,
    RandomizedResponse,
    SampledNoise,
    TruncatedPoisson,
    WithoutReplacement,
)
from gaussdp.mechanisms.composition import read_plan
from gaussdp.statements.assumptions import assumptions
from gaussdp.statements.smallest import smallest_for

EPSILONS = np.array([0.1, 0.5, 1.0, 2.0, 4.0])
RELATIONS = [("add-remove", pld.NeighborRel.ADD_OR_REMOVE_ONE), ("replace-one", pld.NeighborRel.REPLACE_ONE)]


def hockey_stick(p, q, low, high, epsilon):
    """The integral of (p - e^epsilon q)+."""
    x = np.linspace(low, high, 400_001)
    return integrate.simpson(np.maximum(p(x) - math.exp(epsilon) * q(x), 0.0), x=x)


class TestTruncatedPoisson:
    @pytest.mark.parametrize(("adjacency", "relation"), RELATIONS)
    @pytest.mark.parametrize(("rate", "limit", "size"), [(0.01, 110, 10_000), (0.1, 12, 100), (1.0, 5, 50)])
    def test_as_dp_accounting(self, adjacency, relation, rate, limit, size):
        curve = account(TruncatedPoisson(2.0, rate, 20, limit, size, adjacency))
        known = pld.from_truncated_subsampled_gaussian_mechanism(size, rate, limit, 2.0, neighboring_relation=relation)
        expected = known.self_compose(20).get_epsilon_for_delta(1e-5)
        assert expected * (1 - 1e-6) <= curve.epsilon(1e-5) <= expected * (1 + 1e-4)

    def test_rare_samples_are_on_a_fine_grid(self):
        """On the usual one most losses lie far below the spacing, and epsilon would be a third too large."""
        without_limit = account(DPSGD(1.0, 1e-4, 1000)).epsilon(1e-6)
        limited = account(TruncatedPoisson(1.0, 1e-4, 1000, batch_limit=200, dataset_size=10**6)).epsilon(1e-6)
        assert without_limit <= limited <= 1.02 * without_limit

    @pytest.mark.parametrize("adjacency", ["add-remove", "replace-one"])
    @pytest.mark.parametrize(("rate", "limit"), [(0.3, 3), (0.3, 6), (0.8, 4)])
    def test_never_below_a_real_one(self, adjacency, rate, limit):
        # The record is +1, all others are -1; exchanged, it becomes one of them.
        size, noise = 12, 1.0
        others = stats.binom(size - 1, rate)

        def density(x, own):
            total = np.zeros_like(x)
            for k in range(size):
                kept = rate * min(1.0, limit / (k + 1)) if own is not None else 0.0
                without = stats.norm.pdf(x, -min(k, limit), noise)
                total += others.pmf(k) * (1 - kept) * without
                if own is not None:
                    total += others.pmf(k) * kept * stats.norm.pdf(x, own - min(k, limit - 1), noise)
            return total

        neighbour = None if adjacency == "add-remove" else -1
        curve = account(TruncatedPoisson(noise, rate, 1, limit, size, adjacency))
        for epsilon in EPSILONS:
            for one, other in [(1, neighbour), (neighbour, 1)]:
                real = hockey_stick(lambda x, d=one: density(x, d), lambda x, d=other: density(x, d), -22, 12, epsilon)
                assert real <= curve.delta(epsilon) + 1e-9

    def test_probabilities(self):
        flint = pytest.importorskip("flint")
        rng = np.random.default_rng(5)
        for _ in range(100):
            size = int(10 ** rng.uniform(1, 9))
            rate = float(10 ** rng.uniform(-6, -0.01))
            limit = int(np.clip(size * rate + rng.uniform(-3, 12) * math.sqrt(size * rate), 1, size - 1))
            full, kept = truncation(TruncatedPoisson(1.0, rate, 1, limit, size))
            if full < 1e-280:
                continue
            with flint.ctx.workprec(300):
                exact = flint.arb(rate).beta_lower(flint.arb(limit), flint.arb(size - limit), regularized=True)
                above = flint.arb(rate).beta_lower(flint.arb(limit + 1), flint.arb(size - limit), regularized=True)
                assert abs(float((full - exact) / exact)) < TRUNCATION_ERROR
                assert kept >= float(above / exact) * limit / size

    def test_a_limit_that_is_never_reached(self):
        mechanism = TruncatedPoisson(1.0, 0.01, 100, 10_000, 10_000)
        assert account(mechanism).epsilon(1e-5) == account(DPSGD(1.0, 0.01, 100)).epsilon(1e-5)
        assert not mechanism.bounded

    def test_more_is_lost_than_without_a_limit(self):
        curve = account(TruncatedPoisson(1.0, 0.01, 50, 130, 10_000))
        assert curve.epsilon(1e-5) > account(DPSGD(1.0, 0.01, 50)).epsilon(1e-5)

    @pytest.mark.parametrize("adjacency", ["add-remove", "replace-one"])
    @pytest.mark.parametrize("claim", [Claim(epsilon=1.0, delta=1e-5), Claim(mu=1.0), Claim(rho=0.5)])
    def test_lower_end(self, claim, adjacency):
        mechanism = TruncatedPoisson(1.0, 0.01, 10, 110, 10_000, adjacency)
        found = smallest(mechanism, claim)
        assert 0 < found.lower < found.upper
        assert 0 < account(mechanism).epsilon_lower(1e-5) <= found.lower or claim.kind != "approximate"

    @pytest.mark.parametrize(
        ("rate", "limit", "size"), [(0.3, 3, 12), (0.8, 4, 9), (1.0, 2, 5), (0.01, 110, 10_000), (0.5, 1, 5000)]
    )
    def test_rate_that_is_left(self, rate, limit, size):
        # A record is in the batch with the mean batch size over the number of records.
        sizes = np.arange(size + 1)
        exact = np.minimum(sizes, limit) @ stats.binom.pmf(sizes, size, rate) / size
        left = TruncatedPoisson(1.0, rate, 1, limit, size).least.sample_rate
        assert exact * (1 - 1e-5) <= left <= exact

    def test_events(self):
        event = ev.SelfComposedDpEvent(ev.TruncatedSubsampledGaussianDpEvent(1000, 0.01, 20, 1.5), 7)
        assert mechanism_of(event) == 7 * TruncatedPoisson(1.5, 0.01, 1, 20, 1000)
        assert event_of(TruncatedPoisson(1.5, 0.01, 7, 20, 1000)) == event

    def test_plan(self, tmp_path):
        file = tmp_path / "plan.toml"
        file.write_text(
            '[[releases]]\nmechanism = "truncated-poisson"\nnoise_multiplier = 1.0\nsample_rate = 0.01\n'
            "steps = 10\nbatch_limit = 15\ndataset_size = 1000\n"
        )
        mechanism = read_plan(file)
        assert list(mechanism.parts()) == [(TruncatedPoisson(1.0, 0.01, 1, 15, 1000), 10)]

    @pytest.mark.parametrize(
        ("arguments", "name"),
        [
            ((0.0, 0.1, 1, 5, 10), "noise_multiplier"),
            ((1.0, 1.5, 1, 5, 10), "sample_rate"),
            ((1.0, 0.1, 0, 5, 10), "steps"),
            ((1.0, 0.1, 1, 0, 10), "batch_limit"),
            ((1.0, 0.1, 1, 5, 10**10), "dataset_size"),
            ((1.0, 0.1, 1, 5, 10, "none"), "adjacency"),
        ],
    )
    def test_refused(self, arguments, name):
        with pytest.raises(DomainError, match=name):
            TruncatedPoisson(*arguments)


DISCRETE = [DiscreteLaplace(2.0), DiscreteLaplace(3.0, 2), DiscreteGaussian(1.5), DiscreteGaussian(2.0, 3)]


def masses(mechanism):
    """Of discrete noise, on -60 to 60, and after a shift by the sensitivity."""
    k = np.arange(-60, 61)
    scale = mechanism.scale if isinstance(mechanism, DiscreteLaplace) else None
    weights = np.exp(-np.abs(k) / scale) if scale else np.exp(-0.5 * (k / mechanism.sigma) ** 2)
    wide = np.exp(-np.abs(np.arange(-400, 401)) / scale).sum() if scale else weights.sum()
    return weights / wide, np.roll(weights, mechanism.sensitivity) / wide


class TestSampledNoise:
    @pytest.mark.parametrize("rate", [0.01, 0.3])
    @pytest.mark.parametrize("scale", [0.5, 1.0, 5.0])
    def test_laplace_is_its_integral(self, scale, rate):
        curve = account(PoissonSampled(Laplace(scale), rate))
        plain, moved = (stats.laplace(center, scale).pdf for center in (0, 1))

        def mixed(x):
            return (1 - rate) * plain(x) + rate * moved(x)

        for epsilon in (0.0, 0.5 * curve.epsilon(1e-6), 0.9 * curve.epsilon(1e-6)):
            exact = max(
                hockey_stick(p, q, -40 * scale, 40 * scale + 1, epsilon) for p, q in ((mixed, plain), (plain, mixed))
            )
            assert exact - 1e-7 <= curve.delta(epsilon) <= exact * (1 + 1e-3) + 1e-7
            assert curve.epsilon_lower(exact + 1e-7) <= epsilon <= curve.epsilon(exact - 1e-7) + 1e-9

    @pytest.mark.parametrize("rate", [0.05, 0.4])
    @pytest.mark.parametrize("mechanism", DISCRETE, ids=repr)
    def test_discrete_noise_is_its_sum(self, mechanism, rate):
        plain, moved = masses(mechanism)
        mixed = (1 - rate) * plain + rate * moved
        for steps in (1, 2):
            curve = account(steps * PoissonSampled(mechanism, rate))
            for epsilon in (0.05, 0.2, 0.6):
                pairs = [(mixed, plain), (plain, mixed)]
                if steps == 2:
                    pairs = [(np.outer(p, p), np.outer(q, q)) for p, q in pairs]
                exact = max(np.maximum(p - math.exp(epsilon) * q, 0.0).sum() for p, q in pairs)
                assert curve.delta(epsilon) >= exact - 1e-8
                assert curve.delta(epsilon) == pytest.approx(exact, rel=5e-3, abs=1e-6)
                if exact > 1e-6:
                    assert curve.epsilon_lower(exact) <= epsilon + 1e-9

    @pytest.mark.parametrize("mechanism", [Laplace(1.0), *DISCRETE], ids=repr)
    def test_sampling_helps(self, mechanism):
        rates = (0.01, 0.1, 0.5, 1.0)
        found = [account(5 * PoissonSampled(mechanism, rate)).epsilon(1e-5) for rate in rates]
        assert found == sorted(found)
        assert found[-1] == account(5 * mechanism).epsilon(1e-5)

    def test_pure(self):
        sampled = PoissonSampled(Laplace(0.5), 0.1)
        assert sampled.pure_epsilon == pytest.approx(math.log1p(0.1 * math.expm1(2.0)), rel=1e-14)
        assert PoissonSampled(Laplace(0.001), 0.1).pure_epsilon == pytest.approx(1000 + math.log(0.1), rel=1e-14)
        assert account(3 * sampled).epsilon(0.0) == pytest.approx(3 * sampled.pure_epsilon, rel=1e-12)
        assert PoissonSampled(DiscreteGaussian(2.0), 0.1).pure_epsilon == math.inf

    @pytest.mark.parametrize("mechanism", [Laplace(1.0), *DISCRETE], ids=repr)
    @pytest.mark.parametrize(
        "claim", [Claim(epsilon=1.0, delta=1e-5), Claim(mu=1.0), Claim(mu=1.0, floor=1e-6), Claim(rho=0.5)], ids=repr
    )
    def test_claims(self, mechanism, claim):
        """Of a sample never more is proved than of the whole, and the lower end is below the upper one."""
        sampled, whole = smallest(3 * PoissonSampled(mechanism, 0.3), claim), smallest(3 * mechanism, claim)
        assert 0 <= sampled.lower <= sampled.upper <= whole.upper * (1 + 1e-9)

    def test_kinds(self):
        assert type(PoissonSampled(Gaussian(1.0), 0.1)) is PoissonSampled
        once = PoissonSampled(Laplace(2.0), 0.25)
        assert once == SampledNoise(Laplace(2.0), 0.25)
        assert PoissonSampled(once, 0.5) == SampledNoise(Laplace(2.0), 0.125)

    @pytest.mark.parametrize("mechanism", [Laplace(2.0), DiscreteLaplace(2.0, 3)], ids=repr)
    def test_events(self, mechanism):
        sampled = PoissonSampled(mechanism, 0.1)
        assert mechanism_of(event_of(sampled)) == sampled

    def test_plan(self, tmp_path):
        file = tmp_path / "plan.toml"
        head = '[[releases]]\nmechanism = "poisson-sampled"\nsample_rate = 0.1\n'
        file.write_text(head + 'of = {mechanism = "laplace", scale = 2.0}\n')
        ((part, count),) = read_plan(file).parts()
        assert (part, count) == (SampledNoise(Laplace(2.0), 0.1), 1)
        assert part.plan_entry()["of"]["mechanism"] == "laplace"
        file.write_text(head + "of = 3\n")
        with pytest.raises(DomainError, match="of must hold the release"):
            read_plan(file)

    @pytest.mark.parametrize(
        ("make", "name"),
        [
            (lambda: PoissonSampled(RandomizedResponse(1.0), 0.1), "mechanism must be a Gaussian, Laplace"),
            (lambda: PoissonSampled(Laplace(1.0, "replace-one"), 0.1), "adjacency"),
            (lambda: PoissonSampled(Laplace(1.0), 0.1, "replace-one"), "adjacency"),
            (lambda: PoissonSampled(Laplace(1.0), 1.5), "sample_rate"),
            (lambda: PoissonSampled(DiscreteLaplace(1e6, 10**6), 0.1), "sensitivity"),
            (lambda: PoissonSampled(DiscreteGaussian(1e6), 0.1), "sigma"),
        ],
    )
    def test_refused(self, make, name):
        with pytest.raises(DomainError, match=name):
            make()


def one_step(noise, rate, epsilon):
    """The bound on the profile of one step, at any epsilon."""
    growth = np.exp(np.abs(epsilon))
    delta = rate * GDP(2 / noise).delta(np.log1p((growth - 1) / rate))
    return np.where(epsilon >= 0, delta, 1 - (1 - delta) / growth)


class TestWithoutReplacement:
    @pytest.mark.parametrize(("noise", "batch"), [(1.0, 1), (1.0, 20), (3.0, 50), (0.5, 10), (2.0, 99)])
    def test_one_step_is_the_formula(self, noise, batch):
        curve = account(WithoutReplacement(noise, batch, 100, 1))
        exact = one_step(noise, batch / 100, EPSILONS)
        assert (curve.delta(EPSILONS) >= exact - 1e-15).all()
        assert curve.delta(EPSILONS) == pytest.approx(exact, rel=1e-4, abs=1e-9)

    @pytest.mark.parametrize(("noise", "rate"), [(1.0, 0.1), (2.0, 0.5), (0.7, 0.02)])
    def test_two_steps_are_an_integral(self, noise, rate):
        # delta of two is the mean of delta of one at epsilon minus the loss of the other.
        mu = 2 / noise
        x = np.linspace(mu / 2, mu + 12, 200_001)
        loss = np.log1p(rate * np.expm1(mu * x - mu**2 / 2))
        plain = stats.norm.pdf(x)
        zero = (1 - rate) * (stats.norm.cdf(mu / 2) - stats.norm.cdf(-mu / 2))
        curve = account(WithoutReplacement(noise, round(1000 * rate), 1000, 2))
        for epsilon in EPSILONS:
            ahead, behind = (one_step(noise, rate, epsilon - sign * loss) for sign in (1, -1))
            exact = integrate.simpson(plain * (np.exp(loss) * ahead + behind), x=x) + zero * one_step(
                noise, rate, epsilon
            )
            assert curve.delta(epsilon) >= exact - 1e-8
            assert curve.delta(epsilon) == pytest.approx(exact, rel=1e-4, abs=1e-8)

    @pytest.mark.parametrize("others", [-1.0, 0.0, 0.5])
    @pytest.mark.parametrize(("batch", "size"), [(1, 3), (2, 4), (3, 4)])
    def test_never_below_a_real_one(self, batch, size, others):
        rate, noise = batch / size, 1.0

        def law(own):
            inside, outside = own + (batch - 1) * others, batch * others
            return lambda x: rate * stats.norm.pdf(x, inside) + (1 - rate) * stats.norm.pdf(x, outside)

        curve = account(WithoutReplacement(noise, batch, size, 1))
        for epsilon in EPSILONS:
            for own, other in [(1, -1), (-1, 1), (1, 0), (0, 1)]:
                assert hockey_stick(law(own), law(other), -16, 16, epsilon) <= curve.delta(epsilon) + 1e-9

    @pytest.mark.parametrize(
        ("noise", "batch", "steps"), [(1.0, 10, 50), (2.0, 50, 100), (5.0, 300, 20), (4.0, 1, 1000)]
    )
    def test_never_above_renyi(self, noise, batch, steps):
        # There a noise multiplier is over what an exchange moves, twice the clipping norm.
        known = rdp.RdpAccountant(neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_ONE)
        step = ev.SampledWithoutReplacementDpEvent(1000, batch, ev.GaussianDpEvent(noise / 2))
        known.compose(step, steps)
        curve = account(WithoutReplacement(noise, batch, 1000, steps))
        for delta in (1e-3, 1e-5, 1e-7):
            assert curve.epsilon(delta) <= known.get_epsilon(delta)

    def test_reference(self):
        assert account(WithoutReplacement(1.0, 256, 50_000, 3907)).epsilon(1e-5) == pytest.approx(15.55, abs=0.01)

    def test_all_the_data(self):
        mechanism = WithoutReplacement(2.0, 10, 10, 4)
        assert account(mechanism).epsilon(1e-5) == account(4 * Gaussian(1.0, "replace-one")).epsilon(1e-5)
        assert not mechanism.bounded

    @pytest.mark.parametrize("claim", [Claim(epsilon=1.0, delta=1e-5), Claim(mu=1.0), Claim(rho=0.5)])
    def test_lower_end(self, claim):
        # That of data whose other records contribute nothing, where each step is a Poisson sample of the record.
        mechanism = WithoutReplacement(1.0, 10, 1000, 10)
        found = smallest(mechanism, claim)
        assert 0 < found.lower < found.upper
        real = smallest(DPSGD(1.0, 0.01, 10, "replace-one"), claim)
        assert found.lower == pytest.approx(real.lower, rel=1e-9)
        assert found.lower <= real.upper

    def test_events(self):
        event = ev.SelfComposedDpEvent(ev.SampledWithoutReplacementDpEvent(1000, 20, ev.GaussianDpEvent(1.5)), 7)
        assert mechanism_of(event, "replace-one") == 7 * WithoutReplacement(1.5, 20, 1000, 1)
        assert event_of(WithoutReplacement(1.5, 20, 1000, 7)) == event

    def test_plan(self, tmp_path):
        file = tmp_path / "plan.toml"
        file.write_text(
            '[[releases]]\nmechanism = "without-replacement"\nnoise_multiplier = 1.0\nbatch_size = 10\n'
            "dataset_size = 1000\nsteps = 5\n"
        )
        assert list(read_plan(file).parts()) == [(WithoutReplacement(1.0, 10, 1000, 1), 5)]

    @pytest.mark.parametrize("sampling", ["poisson", "shuffle", "fixed batches", "without replacement", None])
    def test_runs(self, sampling):
        mechanism, claim = WithoutReplacement(1.0, 10, 1000, 10), Claim(epsilon=1.0, delta=1e-5)
        for adjacency in ("add-remove", "replace-one"):
            stated = {"adjacency": adjacency, "sampling": sampling, "clipping": "per-example"}
            run = Run(mechanism=mechanism, unit="one image", **stated)
            found = smallest_for(run, claim).enclosure
            known = adjacency == "replace-one" and sampling in ("without replacement", None)
            assert found.upper == (smallest(mechanism, claim).upper if known else math.inf)
            assert found.lower == (smallest(mechanism, claim).lower if known else 0)
        curve = account(mechanism)
        met = {"without replacement": "met", None: "not stated"}.get(sampling, "not met")
        assert assumptions(run, curve)[0].verdict == met

    def test_says_what_is_assumed(self):
        mechanism = WithoutReplacement(1.0, 10, 1000, 10)
        words = render(account_document(mechanism, account(mechanism)), "markdown")
        assert "drawn afresh without replacement" in words
        assert "Poisson" not in words

    @pytest.mark.parametrize(
        ("arguments", "name"),
        [((0.0, 1, 10, 1), "noise"), ((1.0, 11, 10, 1), "batch_size"), ((1.0, 1, 10, 0), "steps")],
    )
    def test_refused(self, arguments, name):
        with pytest.raises(DomainError, match=name):
            WithoutReplacement(*arguments)
