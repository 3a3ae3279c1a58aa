import math

import pytest

import gaussdp
from gaussdp import GDP, Advantage, AtMost, TruePositiveRate, calibration
from gaussdp.accounting import account
from gaussdp.calibration import Status
from gaussdp.documents.rounding import shown_up
from gaussdp.mechanisms import DPSGD

ADVANTAGE = AtMost(Advantage(), 0.1)


class TestNoise:
    def test_a_policy(self):
        """From epsilon = 1 at FPR 1e-3 to the number to type into a training script."""
        target = gaussdp.choose(gaussdp.PureDP(1.0), gaussdp.MultiplicativeAdvantage(fpr=1e-3))
        result = calibration.noise_multiplier(target, sample_rate=0.002, steps=10_000)
        assert result.value == 0.965
        assert result.floor == 1e-10
        assert result.next_value == 0.9649
        assert result.next_achieved > target.mu >= result.achieved == account(result.mechanism).fit().mu

    def test_a_larger_floor_needs_less_noise(self):
        values = [
            calibration.noise_multiplier(GDP(1.0), sample_rate=0.002, steps=10_000, floor=f).value
            for f in (1e-10, 1e-3)
        ]
        assert values[1] < values[0]

    def test_full_batches_have_a_closed_form(self):
        result = calibration.noise_multiplier(GDP(0.5), sample_rate=1.0, steps=100)
        assert (result.value, result.floor, result.evaluations) == (20.0, 0.0, 2)

    def test_few_evaluations(self):
        assert calibration.noise_multiplier(ADVANTAGE, sample_rate=0.002, steps=10_000).evaluations <= 5

    def test_out_of_reach_says_what_the_ends_give(self):
        with pytest.raises(gaussdp.DomainError) as caught:
            calibration.noise_multiplier(ADVANTAGE, sample_rate=0.1, steps=10_000, low=0.5, high=2.0)
        best = account(DPSGD(2.0, 0.1, 10_000)).advantage()
        assert str(caught.value).startswith(
            f"target {ADVANTAGE} is out of reach: noise_multiplier = 2 still gives {shown_up(best, 6)}"
        )
        assert "(and 0.5 gives 1)" in str(caught.value)

    def test_met_by_the_least_noise_of_the_range(self):
        result = calibration.noise_multiplier(ADVANTAGE, sample_rate=0.01, steps=1000, low=2.0)
        assert (result.value, result.status, result.next_value) == (2.0, Status.RANGE_END, None)

    def test_where_accounting_fails_nothing_is_claimed(self, monkeypatch):
        """Noise below 1.5 cannot be read: the answer lies above, and says that it may not be the least."""
        from gaussdp.calibration import targets

        def refusing(mechanism):
            if mechanism.noise_multiplier < 1.5:
                raise gaussdp.ConvergenceError("no")
            return account(mechanism)

        monkeypatch.setattr(targets.Reader.__init__, "__defaults__", (None, refusing))
        result = calibration.noise_multiplier(ADVANTAGE, sample_rate=0.002, steps=10_000)
        assert result.status is Status.UNREAD
        assert 1.5 <= result.value <= 1.52
        assert result.next_value < 1.5
        assert result.next_achieved is None
        monkeypatch.setattr(targets.Reader.__init__, "__defaults__", (None, lambda _: refusing(DPSGD(1.0, 0.5, 2))))
        with pytest.raises(gaussdp.ConvergenceError, match="none is known to meet"):
            calibration.noise_multiplier(ADVANTAGE, sample_rate=0.002, steps=10_000)

    @pytest.mark.parametrize("mu", [1e-200, 1e-12])
    def test_tiny_budgets(self, mu):
        with pytest.raises(gaussdp.DomainError, match="is out of reach: noise_multiplier = 50 still gives"):
            calibration.noise_multiplier(GDP(mu), sample_rate=0.1, steps=1000, low=10.0, high=50.0)

    def test_huge_budgets(self):
        result = calibration.noise_multiplier(GDP(1e200), sample_rate=0.1, steps=1000, low=10.0)
        assert (result.value, result.status) == (10.0, Status.RANGE_END)


class TestSteps:
    @pytest.mark.parametrize(
        ("target", "risk"),
        [(ADVANTAGE, lambda c: c.advantage()), (AtMost(TruePositiveRate(0.01), 0.03), lambda c: c.tpr(0.01))],
    )
    def test_at_n_and_one_more(self, target, risk):
        result = calibration.steps(target, noise_multiplier=1.0, sample_rate=0.002)
        assert isinstance(result.value, int)
        assert result.status is Status.TIGHT
        assert risk(account(DPSGD(1.0, 0.002, result.value))) <= target.value
        assert risk(account(DPSGD(1.0, 0.002, result.value + 1))) > target.value
        assert result.next_value == result.value + 1

    def test_by_fitted_mu(self):
        result = calibration.steps(GDP(0.5), noise_multiplier=1.0, sample_rate=0.01)
        assert account(DPSGD(1.0, 0.01, result.value)).fit().mu <= 0.5
        assert account(DPSGD(1.0, 0.01, result.value + 1)).fit().mu > 0.5

    def test_full_batches(self):
        assert calibration.steps(GDP(1.0), noise_multiplier=10.0, sample_rate=1.0).value == 100

    def test_the_longest_run_to_try(self):
        result = calibration.steps(ADVANTAGE, noise_multiplier=5.0, sample_rate=0.001, most=1000)
        assert (result.value, result.status) == (1000, Status.RANGE_END)

    def test_not_even_one(self):
        with pytest.raises(gaussdp.DomainError, match=r"out of reach: steps = 1 still gives 0\.38"):
            calibration.steps(ADVANTAGE, noise_multiplier=1.0, sample_rate=1.0, most=10)


class TestSampleRate:
    def test_rounded_down_and_tight(self):
        result = calibration.sample_rate(ADVANTAGE, noise_multiplier=1.0, steps=10_000)
        assert result.status is Status.TIGHT
        assert account(DPSGD(1.0, result.value, 10_000)).advantage() <= 0.1
        assert account(DPSGD(1.0, result.value * 1.001, 10_000)).advantage() > 0.1

    def test_full_batches_are_affordable(self):
        result = calibration.sample_rate(GDP(1.0), noise_multiplier=100.0, steps=1000)
        assert (result.value, result.status) == (1.0, Status.RANGE_END)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": 0.5}, "target must be a GDP or AtMost"),
        ({"target": GDP(0.0)}, "only a release that says nothing meets it"),
        ({"target": GDP(math.inf)}, "every release meets it"),
        ({"target": GDP(1.0), "sample_rate": 0.0}, r"sample_rate must be in \(0, 1\]"),
        ({"target": GDP(1.0), "steps": 2.5}, "steps must be a whole number"),
        ({"target": GDP(1.0), "floor": 0.0}, r"floor must be in \(0, 1\)"),
        ({"target": GDP(1.0), "digits": 0}, "digits must be a whole number"),
        ({"target": GDP(1.0), "digits": 13}, "digits must be a whole number from 1 to 12"),
        ({"target": GDP(1.0), "low": 3.0, "high": 2.0}, "low must be below high"),
        ({"target": GDP(1.0), "low": math.nan}, r"low must be in \(0, inf\), got nan"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(gaussdp.DomainError, match=message):
        calibration.noise_multiplier(**{"sample_rate": 0.01, "steps": 100, **arguments})
