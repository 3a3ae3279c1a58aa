import math

import pytest

import gaussdp
from gaussdp import GDP, Accuracy, Advantage, AtMost, DomainError, Profile, TruePositiveRate, calibration
from gaussdp.accounting import account
from gaussdp.calibration import Status
from gaussdp.guarantees import LaplaceDP
from gaussdp.mechanisms import DPSGD, Composition, DiscreteLaplace, ExponentialMechanism, Gaussian, Laplace

RISKS = [
    AtMost(Advantage(), 0.1),
    AtMost(Accuracy(0.3), 0.72),
    AtMost(Profile(1e-5), 1.0),
    AtMost(TruePositiveRate(1e-3), 0.01),
]


class TestGaussian:
    def test_closed_form(self):
        result = calibration.gaussian_noise_multiplier(GDP(0.31), digits=8)
        assert result.value == pytest.approx(1 / 0.31, rel=1e-7)
        assert (result.value >= 1 / 0.31, result.evaluations) == (True, 2)

    def test_several_releases_share_the_budget(self):
        assert calibration.gaussian_noise_multiplier(GDP(0.5), releases=9).value == 6.0

    @pytest.mark.parametrize("target", RISKS, ids=str)
    def test_risks(self, target):
        result = calibration.gaussian_noise_multiplier(target)
        assert target.risk.of(GDP(1 / result.value)) <= target.value
        assert target.risk.of(GDP(1 / (0.999 * result.value))) > target.value


class TestLaplace:
    @pytest.mark.parametrize("target", RISKS, ids=str)
    def test_risks(self, target):
        result = calibration.laplace_scale(target)
        assert isinstance(result.mechanism, Laplace)
        assert target.risk.of(LaplaceDP(1 / result.value)) <= target.value
        assert target.risk.of(LaplaceDP(1 / (0.999 * result.value))) > target.value

    def test_closed_forms_need_two_evaluations(self):
        assert calibration.laplace_scale(GDP(0.5)).evaluations == 2
        assert calibration.laplace_scale(RISKS[0]).evaluations == 2
        assert calibration.laplace_scale(RISKS[0]).value == pytest.approx(-0.5 / math.log(0.9), rel=1e-3)

    def test_mu_beside_the_privacy_loss_distribution(self):
        pytest.importorskip("dp_accounting")
        result = calibration.laplace_scale(GDP(0.5))
        assert account(result.mechanism).fit().mu == pytest.approx(0.5, rel=2e-3)


class TestWhatIsLeft:
    def test_after_gaussian_releases(self):
        result = calibration.mu_left(GDP(0.5), 9 * Gaussian(10.0))
        assert (result.value, result.status) == (0.4, Status.TIGHT)

    def test_after_training(self):
        run = DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=1000)
        target = AtMost(Advantage(), 0.3)
        left = calibration.mu_left(target, run).value
        assert account(Composition([run, Gaussian(1 / left)])).advantage() <= 0.3
        assert account(Composition([run, Gaussian(1 / (1.001 * left))])).advantage() > 0.3

    def test_nothing(self):
        with pytest.raises(gaussdp.DomainError, match=r"nothing is left: what was released already gives 1\b"):
            calibration.mu_left(GDP(0.5), Gaussian(1.0))
        with pytest.raises(gaussdp.DomainError, match="nothing is left"):
            calibration.mu_left(GDP(0.5), Gaussian(2.0))
        with pytest.raises(gaussdp.DomainError, match="spent must be a mechanism"):
            calibration.mu_left(GDP(0.5), GDP(0.1))


class TestFamilies:
    def test_two_queries_with_related_noise(self):
        def family(noise):
            return Composition([Gaussian(noise), 4 * Gaussian(2 * noise)])

        result = calibration.parameter(GDP(0.5), family, 0.1, 100.0, digits=6)
        assert result.value == pytest.approx(math.sqrt(8), rel=1e-5)
        assert result.value > math.sqrt(8)

    def test_whole_numbers_where_smaller_is_safer(self):
        result = calibration.parameter(
            GDP(1.0), lambda n: n * Gaussian(10.0), 1, 10_000, safer="smaller", digits=None, name="queries"
        )
        assert (result.parameter, result.value, result.next_value) == ("queries", 100, 101)

    def test_the_wrong_side(self):
        with pytest.raises(gaussdp.DomainError, match="safer must be 'smaller' for this family"):
            calibration.parameter(GDP(1.0), lambda x: Gaussian(1 / x), 0.1, 100.0)

    def test_ends_of_the_range(self):
        with pytest.raises(gaussdp.DomainError, match=r"parameter = 2 still gives 0\.5 \(and 0\.1 gives 10\)"):
            calibration.parameter(GDP(0.1), Gaussian, 0.1, 2.0)
        assert calibration.parameter(GDP(20.0), Gaussian, 0.1, 2.0).status is Status.RANGE_END

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"low": 0.0}, r"low must be in \(0, inf\)"),
            ({"low": 3.0}, "low must be below high"),
            ({"safer": "left"}, "safer must be one of 'larger', 'smaller'"),
            ({"digits": None}, "must be whole for whole numbers"),
            ({"start": -1.0}, "start must be in"),
        ],
    )
    def test_bad_input(self, arguments, message):
        with pytest.raises(gaussdp.DomainError, match=message):
            calibration.parameter(**{"target": GDP(1.0), "family": Gaussian, "low": 0.1, "high": 2.0, **arguments})


class TestPureEpsilonAsATarget:
    target = AtMost(Profile(delta=0), 1.0)

    def test_mechanisms_that_have_one(self):
        assert calibration.laplace_scale(self.target).value == 1.0
        several = calibration.parameter(
            self.target, lambda scale: Composition([3 * Laplace(scale), ExponentialMechanism(0.25)]), 0.1, 1000
        )
        assert several.value == 4.0
        assert calibration.parameter(self.target, DiscreteLaplace, 0.1, 100).value == 1.0

    def test_mechanisms_that_have_none(self):
        with pytest.raises(DomainError, match=r"out of reach: noise_multiplier = .* still gives ∞"):
            calibration.gaussian_noise_multiplier(self.target)
        with pytest.raises(DomainError, match="only a release that says nothing meets it"):
            calibration.laplace_scale(AtMost(Profile(delta=0), 0.0))

    def test_no_budget_but_nothing_matches_it(self):
        assert self.target.by_mu() == GDP(0.0)
        assert Profile(delta=0).mu_for(1.0) == 0.0
        assert Profile(delta=0).of(GDP(0.5)) == math.inf
