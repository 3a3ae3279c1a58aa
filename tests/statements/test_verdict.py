"""Verdicts: right on both sides of the truth, and every usual mistake recognised by making it."""

import math
import re

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gaussdp
from gaussdp import (
    DPSGD,
    Composition,
    DiscreteGaussian,
    DiscreteLaplace,
    DomainError,
    Gaussian,
    Laplace,
    Run,
    check_claim,
)
from gaussdp.documents.rounding import Rounding, rounded, rounded_to_decimals, shown

TRAINING = DPSGD(noise_multiplier=1.0, sample_rate=0.00512, steps=3907)
STATED = {
    "unit": "one image",
    "adjacency": "add-remove",
    "sampling": "poisson",
    "records_per_unit": 1,
    "tuning": "none",
    "clipping": "per-example",
}


def run_of(mechanism=TRAINING, **changes):
    return Run(**{"mechanism": mechanism, **STATED, **changes})


def verdict_on(claim, mechanism=TRAINING, **changes):
    return check_claim(run_of(mechanism, **changes), claim)


def keys(verdict):
    return [cause.key for cause in verdict.causes]


def as_claim(epsilon, delta=1e-5):
    return f"epsilon={epsilon:.4g} delta={delta}"


def rounded_up(value):
    return rounded(value, Rounding.UP, 4)


def test_the_central_limit_theorem_is_no_bound():
    """sigma = 0.4, q = 0.001, T = 1000: the limit says 3.00, and others' lower bounds 6.99; it is 7.01."""
    verdict = verdict_on("epsilon=3.0 delta=1e-5", DPSGD(0.4, 0.001, 1000))
    assert verdict.status == "false"
    assert keys(verdict) == ["clt"]
    assert verdict.causes[0].value == pytest.approx(3.00, abs=0.01)
    assert 6.99 < verdict.lower <= verdict.upper < 7.02
    assert "no accountant can go below" in str(verdict)
    assert verdict.instead.value >= verdict.upper


def test_sides_of_the_truth():
    epsilon = gaussdp.account(TRAINING).epsilon(1e-5)
    for factor, status in ((1.0001, "sound"), (1.04, "sound"), (1.06, "loose"), (0.9999, "false")):
        verdict = verdict_on(f"epsilon={factor * epsilon} delta=1e-5")
        assert verdict.status == status
        assert verdict.holds == (status in ("sound", "loose"))
        assert verdict.lower <= epsilon <= verdict.upper <= verdict.lower * (1 + 1e-8)
        assert verdict.instead.value >= epsilon
        assert verdict.caveats == ()
    mu = gaussdp.account(TRAINING).fit(1e-8).mu
    assert verdict_on(f"mu={1.001 * mu} floor=1e-8").status == "sound"
    assert verdict_on(f"mu={0.999 * mu} floor=1e-8").status == "false"


@settings(max_examples=30)
@given(st.floats(0.05, 5), st.floats(0.2, 5), st.sampled_from([1e-3, 1e-5, 1e-9]))
def test_gaussian_releases_against_high_precision(mu, factor, delta):
    verdict_mu = check_claim(run_of(Gaussian(1 / mu)), f"mu={factor * mu}")
    assert verdict_mu.holds == (factor * mu >= mu * (1 - 1e-8))
    assert check_claim(run_of(Gaussian(1 / mu)), f"rho={factor * mu**2 / 2}").holds == (factor >= 1 - 1e-8)
    with mpmath.workdps(40):
        epsilon = mpmath.mpf(factor)
        m = 1 / mpmath.mpf(1 / mu)
        truth = mpmath.ncdf(-epsilon / m + m / 2) - mpmath.exp(epsilon) * mpmath.ncdf(-epsilon / m - m / 2)
    if abs(truth / delta - 1) > 1e-6:
        verdict = check_claim(run_of(Gaussian(1 / mu)), f"epsilon={factor!r} delta={delta}")
        assert verdict.holds == (truth <= delta)
        assert verdict.status != "undecided"


def test_what_is_exact_is_sound():
    assert verdict_on("mu=0.5", Gaussian(2.0)).status == "sound"
    assert verdict_on("rho=0.125", Gaussian(2.0)).status == "sound"
    assert verdict_on("epsilon=0.3", 3 * Laplace(10.0)).status == "sound"
    assert verdict_on("epsilon=0.2999", 3 * Laplace(10.0)).status == "false"
    assert verdict_on("rho=0.125", DiscreteGaussian(2.0)).status == "sound"


def test_pure_epsilon_of_gaussian_noise():
    verdict = verdict_on("epsilon=8")
    assert verdict.status == "false"
    assert "no finite ε does" in str(verdict)
    assert str(verdict.instead) == "ε = 1.75 at δ = 1e-5"
    assert verdict.causes == ()
    assert verdict_on("epsilon=8", clipping="none").instead is None


def test_undecided_where_the_accounting_does_not_tell():
    mechanism = Composition([Laplace(2.0), Gaussian(1.0)])
    upper = gaussdp.account(mechanism).epsilon(1e-6)
    verdict = verdict_on(f"epsilon={upper} delta=1e-6", mechanism)
    assert verdict.status == "sound"
    assert 0.99 * upper < verdict.lower < verdict.upper == upper
    verdict = verdict_on(f"epsilon={(verdict.lower + upper) / 2} delta=1e-6", mechanism)
    assert verdict.status == "undecided"
    assert not verdict.holds
    assert verdict_on("epsilon=0.1 delta=1e-30", DiscreteGaussian(2.0)).status == "undecided"
    assert verdict_on("epsilon=0.1 delta=1e-30", DiscreteLaplace(2.0)).status == "false"  # its pure epsilon is known


class TestCauses:
    def test_sampling(self):
        number = gaussdp.account(TRAINING).epsilon(1e-5)
        statuses = {"shuffle": "false", "fixed batches": "false", "without replacement": "undecided"}
        for sampling, status in statuses.items():
            verdict = verdict_on(as_claim(number), sampling=sampling)
            assert verdict.status == status
            assert "sampling" in keys(verdict)
        assert verdict_on("epsilon=30 delta=1e-5", sampling="shuffle").status == "sound"

    def test_adjacency(self):
        number = gaussdp.account(TRAINING).epsilon(1e-5)
        verdict = verdict_on(as_claim(rounded_up(number)), adjacency="replace-one")
        assert verdict.status == "false"
        assert keys(verdict) == ["adjacency"]
        replaced = DPSGD(TRAINING.noise_multiplier, TRAINING.sample_rate, TRAINING.steps, adjacency="replace-one")
        assert verdict.upper == pytest.approx(gaussdp.account(replaced).epsilon(1e-5), rel=1e-8)
        plain = check_claim(run_of(Gaussian(2.0), adjacency="replace-one"), "mu=0.5")
        assert (plain.status, keys(plain)) == ("false", ["adjacency"])
        assert plain.upper == pytest.approx(1.0)
        assert keys(verdict_on("mu=0.25", Gaussian(2.0))) == ["adjacency"]
        loose = verdict_on("mu=1", Gaussian(2.0))
        assert (loose.status, keys(loose)) == ("loose", ["adjacency"])
        twice = gaussdp.account(DPSGD(2.0, 0.00512, 3907)).epsilon(1e-5)
        assert "adjacency" in keys(verdict_on(as_claim(twice)))
        backwards = check_claim(run_of(Gaussian(2.0, "replace-one")), "mu=0.5")
        assert backwards.status == "undecided"

    def test_tuning(self):
        number = gaussdp.account(TRAINING).epsilon(1e-5)
        verdict = verdict_on(as_claim(number), tuning="counted", tuning_runs=20)
        assert verdict.status == "false"
        assert keys(verdict) == ["tuning"]
        assert verdict.upper == pytest.approx(gaussdp.account(21 * TRAINING).epsilon(1e-5), rel=1e-8)
        verdict = verdict_on(as_claim(rounded_up(number)), tuning="not counted", tuning_runs=20)
        assert verdict.status == "undecided"
        assert keys(verdict) == ["tuning"]
        assert any("Tuning is not counted" in words for words in verdict.caveats)

    def test_tuning_of_nobody_knows_how_many_runs(self):
        number = gaussdp.account(TRAINING).epsilon(1e-5)
        above, below = (verdict_on(as_claim(number * times), tuning="not counted") for times in (1.001, 0.9))
        assert (above.status, above.upper, above.instead) == ("undecided", math.inf, None)
        assert (below.status, below.lower) == ("false", above.lower)

    def test_floor(self):
        verdict = verdict_on("mu=0.47")
        assert verdict.status == "false"
        assert keys(verdict) == ["floor"]
        assert verdict.lower == pytest.approx(math.sqrt(3907))
        assert verdict.instead == gaussdp.Claim(mu=0.47, floor=1e-10)
        assert verdict_on("mu=0.2").causes == ()
        assert verdict_on("mu=62.6").status == "sound"

    def test_unit(self):
        number = gaussdp.account(TRAINING).fit(1e-10).mu
        verdict = verdict_on(f"mu={rounded_up(number)} floor=1e-10", records_per_unit=5)
        assert keys(verdict) == ["unit"]
        unit = DPSGD(TRAINING.noise_multiplier, TRAINING.sample_rate, TRAINING.steps, records_per_unit=5)
        assert verdict.upper == pytest.approx(gaussdp.account(unit).fit(1e-10).mu, rel=1e-8)
        assert verdict.upper < 5 * number

    def test_the_limit_for_batches_of_a_fixed_size(self):
        normal = lambda x: 0.5 * math.erfc(-x / math.sqrt(2))  # noqa: E731
        spread = math.exp(4) * normal(3) + 3 * normal(-1) - 2  # sigma = 1/2
        mu = math.sqrt(2) * 0.00512 * math.sqrt(3907) * math.sqrt(spread)
        verdict = verdict_on(as_claim(gaussdp.epsilon_from_mu(mu, 1e-5)), DPSGD(0.5, 0.00512, 3907))
        assert verdict.status == "loose"  # luck: it is no bound elsewhere
        assert "clt" in keys(verdict)

    def test_the_limit_for_poisson_samples(self):
        mu = 0.00512 * math.sqrt(3907 * (math.e - 1))
        verdict = verdict_on(as_claim(gaussdp.epsilon_from_mu(mu, 1e-5)))
        assert (verdict.status, keys(verdict)) == ("false", ["clt"])

    def test_steps(self):
        training = DPSGD(5.0, 0.1, 1000)
        one = gaussdp.account(DPSGD(5.0, 0.1, 1)).epsilon(1e-5)
        assert keys(verdict_on(as_claim(one), training)) == ["one step"]
        epochs = gaussdp.account(DPSGD(5.0, 0.1, 100)).epsilon(1e-5)
        assert keys(verdict_on(as_claim(epochs), training)) == ["epochs for steps"]

    def test_renyi(self):
        from dp_accounting import dp_event
        from dp_accounting.rdp import RdpAccountant

        event = dp_event.PoissonSampledDpEvent(0.00512, dp_event.GaussianDpEvent(1.0))
        accountant = RdpAccountant().compose(event, 3907)
        verdict = verdict_on(as_claim(accountant.get_epsilon(1e-5)))
        assert (verdict.status, keys(verdict)) == ("loose", ["rdp"])
        orders = np.arange(2, 257)
        first = RdpAccountant(orders).compose(event, 3907)
        epsilon = min(np.asarray(first._rdp) + math.log(1e5) / (orders - 1))
        assert keys(verdict_on(as_claim(epsilon))) == ["rdp"]

    def test_other_loose_numbers(self):
        unsampled = gaussdp.GDP(math.sqrt(3907)).epsilon(1e-5)
        assert keys(verdict_on(as_claim(unsampled))) == ["amplification"]
        step = gaussdp.account(DPSGD(1.0, 0.00512, 1)).epsilon(1e-5 / 3907)
        assert keys(verdict_on(as_claim(3907 * step))) == ["basic composition"]

    def test_of_the_batches_that_were_made(self):
        """In one pass of four fixed batches mu is 1, and so it is of Poisson samples with twice the noise."""
        training = DPSGD(1.0, 0.25, 4)
        off = verdict_on("mu=0.99998", training, sampling="fixed batches")
        assert (off.status, off.causes) == ("false", ())
        half = verdict_on("mu=0.5", training, sampling="fixed batches")
        assert (half.status, keys(half)) == ("false", ["adjacency"])
        assert half.causes[0].value == pytest.approx(0.5)
        limit = verdict_on(as_claim(gaussdp.epsilon_from_mu(0.25 * math.sqrt(4 * (math.e - 1)), 1e-5)), training)
        cut = verdict_on(str(limit.claim.text), training, sampling="fixed batches")
        assert (keys(limit), keys(cut)) == (["clt"], [])

    def test_several_overlooked_together(self):
        """The number of a single run of one record, where none of the three slips alone gives it."""
        number = rounded_up(gaussdp.account(TRAINING).epsilon(1e-5))
        others = {"sampling": "shuffle", "records_per_unit": 3, "adjacency": "replace-one"}
        assert keys(verdict_on(as_claim(number), **others)) == ["sampling", "adjacency", "unit"]
        assert keys(verdict_on(as_claim(number * 1.003), **others)) == []

    def test_not_of_what_rounding_alone_explains(self):
        assert verdict_on("epsilon=1.74 delta=1e-5").status == "false"  # it is 1.74398
        assert verdict_on("epsilon=1.74 delta=1e-5").causes == ()
        near = verdict_on("epsilon=0.56 delta=1e-5", DPSGD(20.0, 0.1, 1000))  # it is 0.5631, and 0.5617 in the limit
        assert (near.status, near.causes) == ("false", ())
        plain = verdict_on("mu=0.7", 2 * Gaussian(2.0))  # the root of a half
        assert (plain.status, plain.causes) == ("false", ())

    @pytest.mark.parametrize("sampling", ["poisson", "shuffle", "fixed batches", "without replacement"])
    @pytest.mark.parametrize("others", [{}, {"adjacency": "replace-one"}, {"records_per_unit": 3, "tuning": None}])
    def test_every_cause_gives_the_claim_as_printed(self, sampling, others):
        training = DPSGD(1.0, 0.25, 8)
        for value in np.geomspace(0.5, 30, 6):
            verdict = verdict_on(f"epsilon={value:.2g} delta=1e-5", training, sampling=sampling, **others)
            places = len(shown(verdict.claim.value).partition(".")[2])
            for cause in verdict.causes:
                printed = [rounded_to_decimals(cause.value, side, places) for side in (Rounding.UP, Rounding.NEAREST)]
                assert verdict.claim.value in printed

    def test_none_where_none_fits(self):
        assert verdict_on("epsilon=1.3 delta=1e-5").causes == ()


def test_what_a_verdict_rests_on_stands_at_its_head():
    unstated = {"sampling": None, "tuning": None, "records_per_unit": None, "clipping": None}
    sound = verdict_on("epsilon=1.75 delta=1e-5", **unstated).sentences[0]
    assert sound.endswith("depends on what is not stated: sampling, tuning, records per unit, clipping.")
    false = verdict_on("epsilon=1.7 delta=1e-5", **unstated).sentences[0]
    assert false.endswith("depends on what is not stated: sampling.")  # the rest could only raise it
    assert "not stated" not in verdict_on("epsilon=1.7 delta=1e-5", **unstated | {"sampling": "poisson"}).sentences[0]
    assert "not stated" not in verdict_on("epsilon=1.75 delta=1e-5", records_per_unit=1).sentences[0]


def test_clipping():
    assert verdict_on("epsilon=100 delta=1e-5", clipping="none").status == "false"
    assert verdict_on("epsilon=100 delta=1e-5", clipping="per-batch").status == "undecided"
    assert verdict_on("epsilon=1.75 delta=1e-5", clipping=None).status == "sound"
    assert any("per-example clipping is assumed" in words for words in verdict_on("mu=1", clipping=None).caveats)


def test_the_rounded_words_stay_on_the_safe_side():
    verdict = verdict_on("epsilon=1.7 delta=1e-5")
    words = verdict.sentences[0]
    assert float(words.rsplit("= ", 1)[1].rstrip(".")) <= verdict.lower


def test_a_bound_is_said_to_be_one():
    """The smallest mu is 31.623 here, which 31.7 is not."""
    training = DPSGD(1.0, 0.01, 1000)
    for claim, words in (
        ("mu=35", "Loose: μ = 35 holds, and is at least 1.1 times the smallest μ that does, which is at most 31.7."),
        ("mu=32", "Sound: μ = 32 holds; the smallest μ that does is at most 31.7."),
    ):
        assert verdict_on(claim, training).sentences[0] == words


@pytest.mark.parametrize("epsilon", [1.2, 1.3, 1.5, 1.6, 1.7])
def test_the_true_delta_is_said_to_be_at_least_what_is_printed(epsilon):
    words = verdict_on(f"epsilon={epsilon} delta=1e-5").sentences[2]
    delta = re.search(r"the true δ is at least ([0-9.e-]+)[,.]", words)[1]
    truth = gaussdp.account(TRAINING).delta(epsilon)
    assert float(delta) <= truth < float(delta) * 1.01
    times = re.search(r"which is at least ([0-9.]+) times the δ claimed", words)
    assert float(times[1]) <= truth / 1e-5


def test_refusals():
    with pytest.raises(DomainError, match="run must be a Run, got DPSGD"):
        check_claim(TRAINING, "mu=1")
    with pytest.raises(DomainError, match="exactly one of"):
        check_claim(run_of(), "delta=1e-5")
