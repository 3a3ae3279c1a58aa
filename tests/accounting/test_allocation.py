"""Random allocation against direct integrals, simulation and brute force, and wherever it must show."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from gaussdp import GDP, Claim, Composition, DomainError, Run, account, calibration, check_claim, report_run
from gaussdp.accounting import allocation
from gaussdp.accounting.bounds.enclosures import smallest
from gaussdp.accounting.document import account_document
from gaussdp.documents import render
from gaussdp.mechanisms import DPSGD, Gaussian, RandomAllocation
from gaussdp.mechanisms.composition import read_plan

EPSILONS = np.array([0.05, 0.2, 0.5, 1.0, 2.0, 4.0])
STATED = {"unit": "one image", "adjacency": "add-remove", "clipping": "per-example", "tuning": "none"}


def profiles(atoms, epsilons):
    """Of both directions, from the atoms of a law."""
    ratio, growth = np.exp(atoms.losses), np.exp(epsilons)[:, np.newaxis]
    remove = np.maximum(ratio - growth, 0) @ atoms.under_q + atoms.infinite
    add = np.maximum(1 - growth * ratio, 0) @ atoms.under_q + atoms.zero
    return remove, add


def of_two(noise, epsilon):
    """Profiles of one pass with two batches: given one ratio, an option on the other, integrated over the first."""
    mu = 1 / noise

    def call(strike):  # E[(X - strike)+] for a lognormal ratio with mean 1
        if strike <= 0:
            return 1 - strike
        d = math.log(strike) / mu
        return stats.norm.cdf(mu / 2 - d) - strike * stats.norm.cdf(-mu / 2 - d)

    def mean(payoff):
        def at(z):
            return stats.norm.pdf(z) * payoff(math.exp(mu * z - mu**2 / 2))

        cuts = np.linspace(-12, 12, 25)
        return sum(integrate.quad(at, a, b, epsabs=1e-14)[0] for a, b in itertools.pairwise(cuts))

    growth = math.exp(epsilon)
    remove = mean(lambda x: 0.5 * call(2 * growth - x))
    add = mean(lambda x: 0.5 * growth * (call(2 / growth - x) - 1 - x + 2 / growth))  # a put, by parity
    return remove, add


class TestLaws:
    @pytest.mark.parametrize("noise", [0.1, 0.5, 1.0, 5.0, 100.0])
    def test_one_batch_is_gaussian(self, noise):
        epsilons = EPSILONS / noise
        exact = GDP(1 / noise).delta(epsilons)
        for low, high in zip(
            profiles(allocation.below(noise, 1), epsilons), profiles(allocation.above(noise, 1), epsilons), strict=True
        ):
            assert (low <= exact * (1 + 1e-10) + 1e-15).all()
            assert (high >= exact * (1 - 1e-10) - 1e-15).all()
            assert high == pytest.approx(low, rel=2e-3, abs=1e-14)

    @pytest.mark.parametrize("noise", [0.4, 1.0, 3.0])
    def test_two_batches_are_an_integral(self, noise):
        epsilons = np.array([0.1, 0.5, 1.5]) / noise
        low, high = (profiles(law(noise, 2), epsilons) for law in (allocation.below, allocation.above))
        for i, epsilon in enumerate(epsilons):
            for direction, exact in enumerate(of_two(noise, epsilon)):
                assert low[direction][i] <= exact + 1e-11
                assert high[direction][i] >= exact - 1e-11
                assert high[direction][i] == pytest.approx(exact, rel=1e-3, abs=1e-11)

    @pytest.mark.parametrize(("noise", "batches"), [(0.3, 7), (0.5, 1000), (1.0, 195), (8.0, 33)])
    def test_masses_and_means(self, noise, batches):
        above, below = allocation.above(noise, batches), allocation.below(noise, batches)
        for law in (above, below):
            assert law.under_q.sum() + law.zero == pytest.approx(1, abs=law.error)
            assert law.under_p.sum() + law.infinite == pytest.approx(1, abs=law.error)
        second = 1 + math.expm1(noise**-2) / batches  # the mean of the squared ratio
        assert below.under_p @ np.exp(below.losses) < second
        assert above.under_p @ np.exp(above.losses) > below.under_p @ np.exp(below.losses)

    @pytest.mark.parametrize("batches", [2, 50])
    def test_tails_that_are_cut_count(self, monkeypatch, batches):
        epsilons = np.array([0.5, 1.0, 2.0, 4.0, 8.0])
        exact = profiles(allocation.below(1.0, batches), epsilons)
        monkeypatch.setattr(allocation, "SETTINGS", allocation.MeanRatioSettings(cut=1e-2))
        law = allocation.above.__wrapped__(1.0, batches)
        assert law.under_q.sum() + law.zero >= 1 - law.error
        assert law.under_p.sum() + law.infinite >= 1 - law.error
        for bound, least in zip(profiles(law, epsilons), exact, strict=True):
            assert (bound >= least).all()

    def test_finer_is_tighter(self, monkeypatch):
        widths = []
        for spacing in (0.04, 0.01):
            monkeypatch.setattr(allocation, "SETTINGS", allocation.MeanRatioSettings(spacing=spacing))
            low, high = (
                profiles(law.__wrapped__(1.0, 50), EPSILONS)[0][1] for law in (allocation.below, allocation.above)
            )
            widths.append(high - low)
        assert 0 < widths[1] < widths[0] / 8  # second order


class TestRandomAllocation:
    @pytest.mark.parametrize(
        ("noise", "batches", "epochs", "low", "high"),
        [(1.0, 100, 1, 0.612, 0.632), (1.0, 195, 20, 1.674, 1.684), (2.0, 1000, 1, 0.0, 0.06)],
    )
    def test_reference(self, noise, batches, epochs, low, high):
        curve = account(RandomAllocation(noise, batches, epochs))
        assert low <= curve.epsilon_lower(1e-5) <= curve.epsilon(1e-5) <= high
        assert curve.epsilon_lower(1e-5) >= curve.epsilon(1e-5) * 0.998 - 1e-3 * epochs

    @pytest.mark.parametrize(("noise", "batches", "epochs"), [(1.0, 12, 1), (0.8, 5, 3), (2.0, 40, 4)])
    def test_simulation(self, noise, batches, epochs):
        # The loss under P is simulated; its profile is a mean of numbers in [0, 1], here within 5 standard errors.
        rng, count = np.random.default_rng(8), 200_000
        loss = {True: np.zeros(count), False: np.zeros(count)}
        for _ in range(epochs):
            z = rng.standard_normal((count, batches)) / noise
            for with_record in loss:
                z[:, 0] += with_record / noise**2
                loss[with_record] += np.log(np.exp(z - 0.5 / noise**2).mean(axis=1))
                z[:, 0] -= with_record / noise**2
        curve = account(RandomAllocation(noise, batches, epochs))
        for direction, losses in ((curve.remove, loss[True]), (curve.add, -loss[False])):
            for epsilon in (0.0, 0.2, 0.5, 1.0):
                gains = np.maximum(-np.expm1(epsilon - losses), 0.0)
                error = 5 * gains.std() / math.sqrt(count) + 1e-6
                assert direction.delta(epsilon) == pytest.approx(gains.mean(), abs=error)

    @pytest.mark.parametrize(("noise", "batches", "uses"), [(1.0, 4, 2), (2.0, 6, 3), (1.0, 5, 4)])
    def test_several_uses(self, noise, batches, uses):
        rng, count = np.random.default_rng(9), 100_000
        z = rng.standard_normal((count, batches)) / noise
        z[:, :uses] += 1 / noise**2
        x = np.exp(z - 0.5 / noise**2)
        chosen = list(itertools.combinations(range(batches), uses))
        loss = np.log(sum(x[:, list(one)].prod(axis=1) for one in chosen) / len(chosen))
        mechanism = RandomAllocation(noise, batches, 1, uses)
        curve = account(mechanism)
        least = account(mechanism.least)
        for epsilon in (0.2, 0.5, 1.0, 2.0):
            gains = np.maximum(-np.expm1(epsilon - loss), 0.0)
            error = 5 * gains.std() / math.sqrt(count) + 1e-6
            assert least.delta(epsilon) - error <= gains.mean() <= curve.delta(epsilon) + error
        assert mechanism.bounded
        assert 0 < curve.epsilon_lower(1e-5) < curve.epsilon(1e-5)
        found = smallest(mechanism, Claim(epsilon=1.0, delta=1e-5))
        assert 0 < found.lower < found.upper

    def test_every_batch(self):
        assert list(RandomAllocation(2.0, 3, 4, 3).parts()) == [(Gaussian(2.0), 12)]
        assert list(RandomAllocation(2.0, 1, 4).parts()) == [(Gaussian(2.0), 4)]

    def test_between_what_the_sum_tells_and_no_hiding(self):
        for batches in (2, 10, 77):
            found = account(RandomAllocation(1.0, batches, 3)).epsilon(1e-5)
            assert GDP(math.sqrt(3 / batches)).epsilon(1e-5) < found < GDP(math.sqrt(3)).epsilon(1e-5)

    def test_composed_with_others(self):
        alone, more = RandomAllocation(1.0, 20, 2), Composition([RandomAllocation(1.0, 20, 2), Gaussian(2.0)])
        assert account(alone).epsilon(1e-5) < account(more).epsilon(1e-5)
        assert account(more).epsilon(1e-5) < account(alone).epsilon(5e-6) + GDP(0.5).epsilon(5e-6)

    @pytest.mark.parametrize(
        ("arguments", "name"),
        [((0.01, 10, 1), "noise_multiplier"), ((1.0, 0, 1), "batches"), ((1.0, 10, 0.5), "epochs"),
         ((1.0, 10, 1, 11), "uses_per_epoch")],
    )  # fmt: skip
    def test_refused(self, arguments, name):
        with pytest.raises(DomainError, match=name):
            RandomAllocation(*arguments)

    def test_claims(self):
        mechanism = RandomAllocation(2.0, 10, 4)
        assert smallest(mechanism, Claim(mu=1.0)).upper == pytest.approx(1.0)
        assert smallest(mechanism, Claim(mu=1.0)).lower == pytest.approx(1.0)
        assert smallest(mechanism, Claim(rho=1.0)).lower == smallest(mechanism, Claim(rho=1.0)).upper == 0.5


class TestWhereItShows:
    def test_plan(self, tmp_path):
        file = tmp_path / "plan.toml"
        file.write_text(
            '[[releases]]\nmechanism = "random-allocation"\nnoise_multiplier = 1.0\nbatches = 195\nepochs = 20\n'
        )
        assert list(read_plan(file).parts()) == [(RandomAllocation(1.0, 195, 1), 20)]

    def test_run_file(self):
        text = (
            'unit = "one image"\nadjacency = "add-remove"\nsampling = "random allocation"\n[training]\n'
            "noise_multiplier = 1.0\ndataset_size = 50_000\nbatch_size = 256\nbatches_per_pass = 195\nepochs = 20\n"
        )
        assert Run.parse(text).mechanism == RandomAllocation(1.0, 195, 20)
        with pytest.raises(DomainError, match=r"batches_per_pass is missing: .* 195 or 196"):
            Run.parse(text.replace("batches_per_pass = 195\n", ""))
        for dropped, batches in (("true", 195), ("false", 196)):
            loader = text.replace("batches_per_pass = 195", f"drop_last = {dropped}")
            assert Run.parse(loader).mechanism == RandomAllocation(1.0, batches, 20)
        with pytest.raises(DomainError, match="steps must be whole passes of 195"):
            Run.parse(text.replace("epochs = 20", "epochs = 20.5"))

    @pytest.mark.parametrize(
        ("mechanism", "rest", "words"),
        [
            (2 * DPSGD(1.0, 0.1, 10), {}, "makes its batches otherwise"),
            (RandomAllocation(1.0, 20, 3), {"batches_per_pass": 21}, "batches_per_pass"),
            (DPSGD(1.0, 0.3, 10), {"drop_last": True}, "steps must be whole passes of 3 batches"),
            (DPSGD(1.0, 0.1, 10, "replace-one"), {}, "adding or removing one record"),
        ],
    )
    def test_contradictions(self, mechanism, rest, words):
        with pytest.raises(DomainError, match=words):
            Run(mechanism=mechanism, sampling="random allocation", **STATED, **rest)

    def test_report(self):
        run = Run(mechanism=DPSGD(1.0, 0.05, 60), sampling="random allocation", records_per_unit=1, **STATED)
        report = report_run(run)
        assert report.standing == "holds"
        assert report.fit.mu == account(RandomAllocation(1.0, 20, 3)).fit().mu
        assert "3 passes of 20 batches" in report.render("markdown")

    @pytest.mark.parametrize("sampling", ["poisson", "shuffle", "without replacement"])
    def test_other_batches(self, sampling):
        run = Run(mechanism=RandomAllocation(1.0, 20, 3), sampling=sampling, records_per_unit=1, **STATED)
        assert report_run(run).standing == "does not hold"
        assert check_claim(run, "epsilon=50 delta=1e-5").status == "undecided"

    @pytest.mark.parametrize("other", [{"adjacency": "replace-one"}, {"records_per_unit": 3}])
    def test_groups(self, other):
        stated = {**STATED, "records_per_unit": 1, **other}
        run = Run(mechanism=RandomAllocation(1.0, 20, 3), sampling="random allocation", **stated)
        one = smallest(RandomAllocation(1.0, 20, 3), Claim(epsilon=1.0, delta=1e-5))
        verdict = check_claim(run, "epsilon=1 delta=1e-5")
        assert verdict.lower == one.lower
        assert one.upper < verdict.upper < math.inf

    def test_verdicts(self):
        run = Run(mechanism=RandomAllocation(1.0, 20, 3), sampling="random allocation", records_per_unit=1, **STATED)
        least = check_claim(run, "epsilon=1 delta=1e-5").upper
        assert check_claim(run, Claim(epsilon=least * 1.01, delta=1e-5)).status == "sound"
        assert check_claim(run, Claim(epsilon=least * 0.99, delta=1e-5)).status == "false"

    def test_calibrated(self):
        found = calibration.parameter(GDP(1.0), lambda noise: RandomAllocation(noise, 10, 2), 0.1, 100.0, digits=2)
        assert found.achieved <= 1.0 < found.next_achieved

    def test_says_what_is_assumed(self):
        mechanism = RandomAllocation(1.0, 20, 1)
        words = render(account_document(mechanism, account(mechanism)), "markdown")
        assert "put into batches at random" in words
        assert "Poisson" not in words
