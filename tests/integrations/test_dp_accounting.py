"""Events and distributions of dp_accounting, and the accountant, against that library's own tests and accountants."""

import copy
import math
import pickle
import sys

import dp_accounting as dpa
import numpy as np
import pytest
from dp_accounting import dp_event as ev
from dp_accounting import privacy_accountant_test, rdp
from dp_accounting.pld import PLDAccountant, privacy_loss_distribution

import gaussdp
from gaussdp import GDP, DomainError, account, calibration
from gaussdp.guarantees import ZCDP
from gaussdp.integrations.dp_accounting import GdpAccountant, curve_of, event_of, mechanism_of
from gaussdp.mechanisms import Stated

Relation = dpa.NeighboringRelation
GAUSSIAN = ev.GaussianDpEvent(2.0)
STEP = ev.PoissonSampledDpEvent(0.05, ev.GaussianDpEvent(1.0))
RESPONSE = ev.RandomizedResponseDpEvent(noise_parameter=0.4, num_buckets=3)


class TestSharedContract(privacy_accountant_test.PrivacyAccountantTest):
    """The tests that dp_accounting ships for every accountant."""

    def _make_test_accountants(self):
        return [GdpAccountant(), *(GdpAccountant(relation) for relation in Relation)]


@pytest.mark.parametrize(
    ("event", "relation"),
    [
        (GAUSSIAN, Relation.ADD_OR_REMOVE_ONE),
        (GAUSSIAN, Relation.REPLACE_ONE),
        (GAUSSIAN, Relation.REPLACE_SPECIAL),
        (ev.SelfComposedDpEvent(STEP, 40), Relation.ADD_OR_REMOVE_ONE),
        (ev.LaplaceDpEvent(0.7), Relation.ADD_OR_REMOVE_ONE),
        (ev.DiscreteLaplaceDpEvent(0.4, 2), Relation.ADD_OR_REMOVE_ONE),
        (RESPONSE, Relation.REPLACE_ONE),
        (RESPONSE, Relation.REPLACE_SPECIAL),
        (ev.ComposedDpEvent([GAUSSIAN, ev.LaplaceDpEvent(1.0), ev.NoOpDpEvent()]), Relation.ADD_OR_REMOVE_ONE),
        (ev.ComposedDpEvent([RESPONSE, GAUSSIAN]), Relation.REPLACE_ONE),
    ],
    ids=str,
)
def test_no_looser_than_that_librarys_distributions(event, relation):
    """Its distributions are upper bounds on a grid of 5e-4; ours may be lower by that, and no higher than rounding."""
    ours, theirs = GdpAccountant(relation).compose(event), PLDAccountant(relation, 5e-4).compose(event)
    for epsilon in (0.0, 0.3, 1.0, 2.0):
        assert ours.get_delta(epsilon) <= theirs.get_delta(epsilon) + 1e-8
        assert ours.get_delta(epsilon) == pytest.approx(theirs.get_delta(epsilon), rel=0.02, abs=5e-4)
    assert ours.get_epsilon(1e-6) == pytest.approx(theirs.get_epsilon(1e-6), rel=3e-3)


def later_event(name, **fields):
    """An event that a later version of that library has, and this one does not."""
    return type(name, (ev.DpEvent,), {"__module__": "dp_accounting.dp_event", **fields})()


class TestEventsOfLaterVersions:
    def test_statements(self):
        event = later_event("EpsilonDeltaDpEvent", epsilon=1.0, delta=1e-5)
        assert mechanism_of(event) == Stated(gaussdp.ApproxDP(1.0, 1e-5))
        assert mechanism_of(later_event("PermuteAndFlipDpEvent", epsilon=1.0)) == Stated(gaussdp.PureDP(1.0))

    def test_all_but_a_small_chance(self):
        """A release that is as stated but with chance delta is that release and one that may tell all."""
        event = later_event("ApproximateDpEvent", event=GAUSSIAN, delta=1e-4)
        assert mechanism_of(event) == gaussdp.Composition([gaussdp.Gaussian(2.0), Stated(gaussdp.ApproxDP(0.0, 1e-4))])
        for epsilon in (0.0, 0.5, 2.0):
            exact = 1e-4 + (1 - 1e-4) * gaussdp.GDP(0.5).delta(epsilon)
            for accountant in (GdpAccountant(), GdpAccountant(Relation.REPLACE_SPECIAL)):
                assert exact <= accountant.compose(event).get_delta(epsilon) <= exact * 1.001
        assert GdpAccountant().compose(event).get_epsilon(1e-5) == math.inf
        assert GdpAccountant().compose(later_event("ApproximateDpEvent", event=GAUSSIAN, delta=1.0)).mu() == math.inf

    @pytest.mark.parametrize("relation", list(Relation))
    def test_the_contract_that_the_newest_version_adds(self, relation):
        """Nothing released, with no chance of failing, is nothing released."""
        event = later_event("ApproximateDpEvent", event=ev.NoOpDpEvent(), delta=0.0)
        accountant = GdpAccountant(relation)
        assert accountant.supports(event)
        accountant.compose(event)
        assert [accountant.get_epsilon(delta) for delta in (1e-12, 0, 1)] == [0, 0, 0]
        event = later_event("EpsilonDeltaDpEvent", epsilon=0.0, delta=0.0)
        assert GdpAccountant(relation).compose(event).get_epsilon(0) == 0

    def test_exponential(self):
        event = ev.SelfComposedDpEvent(later_event("ExponentialMechanismDpEvent", epsilon=0.5), 3)
        assert mechanism_of(event) == 3 * gaussdp.ExponentialMechanism(0.5)
        assert account(event, adjacency="replace-one").epsilon(0.0) == 1.5

    def test_discrete_gaussian(self):
        event = later_event("DiscreteGaussianDpEvent", sigma=3.0, sensitivity=1.0, dimension=1)
        assert mechanism_of(event) == gaussdp.DiscreteGaussian(3.0, 1)
        assert mechanism_of(event, "replace-one") == gaussdp.DiscreteGaussian(3.0, 2, "replace-one")
        for dimension in (None, 5):
            event = later_event("DiscreteGaussianDpEvent", sigma=3.0, sensitivity=1.5, dimension=dimension)
            assert mechanism_of(event) == Stated(ZCDP(0.125))
        with pytest.raises(DomainError, match="no privacy"):
            mechanism_of(later_event("DiscreteGaussianDpEvent", sigma=0.0, sensitivity=1.0, dimension=1))

    def test_bad_numbers(self):
        with pytest.raises(DomainError, match=r"there is no analysis of .*: eta must be in"):
            mechanism_of(later_event("ExponentialMechanismDpEvent", epsilon=-1.0))


def test_tree_aggregation_is_gaussian():
    """That library's Renyi divergences are those of one Gaussian release, at every order."""
    for counts in (1, 8, 1000, [3, 70, 5]):
        event = ev.SingleEpochTreeAggregationDpEvent(2.0, counts)
        accountant = rdp.RdpAccountant([2.0, 5.0], Relation.REPLACE_SPECIAL)
        accountant.compose(event)
        mu = account(event).fit().mu
        assert accountant._rdp == pytest.approx([mu**2, 2.5 * mu**2], rel=1e-9)
        assert account(event, adjacency="replace-one").fit().mu == pytest.approx(2 * mu, rel=1e-12)
    with pytest.raises(DomainError, match="no privacy"):
        mechanism_of(ev.SingleEpochTreeAggregationDpEvent(0.0, 8))
    with pytest.raises(DomainError, match="the others would move to other steps"):
        mechanism_of(ev.SingleEpochTreeAggregationDpEvent(1.0, 8), "add-remove")


def test_repeat_and_select():
    """No looser than that library's Renyi divergences, and the same event again."""
    event = ev.RepeatAndSelectDpEvent(GAUSSIAN, 10.0, 1.0)
    assert mechanism_of(event) == gaussdp.BestOf(gaussdp.Gaussian(2.0), 10.0, 1.0)
    assert event_of(mechanism_of(event)) == event
    theirs = rdp.RdpAccountant().compose(event)
    for delta in (1e-3, 1e-6):
        assert account(event).epsilon(delta) < theirs.get_epsilon(delta)
    assert mechanism_of(ev.RepeatAndSelectDpEvent(GAUSSIAN, 1.0, 1.0)) == gaussdp.Gaussian(2.0)
    with pytest.raises(DomainError, match="no privacy"):
        mechanism_of(ev.RepeatAndSelectDpEvent(ev.NonPrivateDpEvent(), 10.0, 1.0))


def test_a_sample_of_nothing_is_no_release():
    for inner in (GAUSSIAN, ev.LaplaceDpEvent(1.0), ev.NonPrivateDpEvent()):
        for adjacency in ("add-remove", "replace-one"):
            assert account(ev.PoissonSampledDpEvent(0.0, inner), adjacency=adjacency).epsilon(0.0) == 0.0


def test_mixed_releases_against_the_zero_record_are_covered():
    """Symmetrised before they are composed, so no tighter than that library, which composes each direction."""
    event = ev.ComposedDpEvent([RESPONSE, ev.SelfComposedDpEvent(STEP, 5)])
    ours = GdpAccountant(Relation.REPLACE_SPECIAL).compose(event)
    theirs = PLDAccountant(Relation.REPLACE_SPECIAL, 5e-4).compose(event)
    for epsilon in (0.0, 0.3, 1.0, 2.0):
        assert theirs.get_delta(epsilon) - 5e-4 <= ours.get_delta(epsilon) <= theirs.get_delta(epsilon) + 0.02


class TestWhatEventsMean:
    def test_gaussian_is_exact_in_every_relation(self):
        """Replacing a record moves a sum of bounded contributions by twice the bound."""
        for relation, mu in ((Relation.ADD_OR_REMOVE_ONE, 1), (Relation.REPLACE_SPECIAL, 1), (Relation.REPLACE_ONE, 2)):
            accountant = GdpAccountant(relation).compose(GAUSSIAN, 4)
            assert accountant.mu() == pytest.approx(mu, rel=1e-15)
            assert accountant.fit().unconditional
            assert accountant.get_epsilon(1e-6) == pytest.approx(GDP(mu).epsilon(1e-6), rel=2e-9)
            assert accountant.get_epsilon(1e-6) >= GDP(mu).epsilon(1e-6)

    def test_randomized_response_counts_every_answer(self):
        """Written out: with p = 1/2 and 2 buckets the truth has probability 3/4, so epsilon = log 3 for each answer."""
        event = ev.RandomizedResponseDpEvent(0.5, 2)
        accountant = GdpAccountant(Relation.REPLACE_ONE).compose(event, 3)
        assert accountant.get_epsilon(0.0) == pytest.approx(3 * math.log(3), rel=1e-12)
        # All three answers true: 27/64 against 1/64 is the largest loss, 9/64 against 3/64 the next.
        expected = (27 - 9 * 1) / 64 + 0 * 3
        assert accountant.get_delta(math.log(9)) == pytest.approx(expected, rel=1e-9)

    def test_randomized_response_against_the_zero_record(self):
        """k = 4, p = 1/2: (5/8, 3/8) against (1/4, 3/4) for the true answer and the rest."""
        accountant = GdpAccountant(Relation.REPLACE_SPECIAL).compose(ev.RandomizedResponseDpEvent(0.5, 4))
        for epsilon in (0.0, 0.2, 0.5, math.log(2), math.log(2.5)):
            growth = math.exp(epsilon)
            exact = max(5 / 8 - growth / 4, 3 / 4 - growth * 3 / 8, 0.0)
            assert accountant.get_delta(epsilon) >= exact - 1e-15
        assert accountant.get_delta(math.log(2)) == pytest.approx(1 / 8, rel=1e-12)

    def test_zcdp_sums_and_is_not_taken_for_gaussian(self):
        accountant = GdpAccountant().compose(ev.ZCDpEvent(0.125), 4)
        assert accountant.get_delta(1.0) == ZCDP(0.5).delta(1.0)
        assert accountant.get_epsilon(1e-6) > GDP(1.0).epsilon(1e-6)
        assert accountant.mu(1e-6) > 1.0
        renyi = rdp.RdpAccountant().compose(ev.ZCDpEvent(0.5, 0.25))
        ours = GdpAccountant().compose(ev.ZCDpEvent(0.5, 0.25)).get_epsilon(1e-6)
        assert ours == pytest.approx(renyi.get_epsilon(1e-6), rel=5e-3)
        assert ours <= renyi.get_epsilon(1e-6) * (1 + 1e-5)

    def test_zcdp_with_others(self):
        """Beside a Gaussian, zCDP costs at least what a Gaussian with that rho would, and at most the sum of rhos."""
        curve = account(ev.ComposedDpEvent([GAUSSIAN, ev.ZCDpEvent(0.125), ev.SelfComposedDpEvent(GAUSSIAN, 2)]))
        assert GDP(1.0).epsilon(1e-6) < curve.epsilon(1e-6) < 1.1 * ZCDP(0.5).epsilon(1e-6)

    def test_sampled_gaussians_on_one_sample_are_one(self):
        inside = ev.ComposedDpEvent([ev.SelfComposedDpEvent(ev.GaussianDpEvent(4.0), 7), ev.GaussianDpEvent(1.5)])
        mechanism = mechanism_of(ev.PoissonSampledDpEvent(0.1, inside))
        assert mechanism.mechanism.noise_multiplier == pytest.approx(1 / math.sqrt(7 / 16 + 4 / 9), rel=1e-14)

    def test_a_sample_of_a_sample_is_one(self):
        inner = ev.PoissonSampledDpEvent(0.25, ev.GaussianDpEvent(2.0))
        mechanism = mechanism_of(ev.PoissonSampledDpEvent(0.5, inner))
        assert (mechanism.sample_rate, mechanism.mechanism.noise_multiplier) == (0.125, 2.0)
        for several in (ev.SelfComposedDpEvent(inner, 2), ev.ComposedDpEvent([inner, GAUSSIAN])):
            with pytest.raises(DomainError, match="only Gaussian releases are analysed"):
                mechanism_of(ev.PoissonSampledDpEvent(0.5, several))

    def test_trivial_events(self):
        for event in (
            ev.NoOpDpEvent(),
            ev.ComposedDpEvent([]),
            ev.SelfComposedDpEvent(GAUSSIAN, 0),
            ev.PoissonSampledDpEvent(0.0, GAUSSIAN),
            ev.DiscreteLaplaceDpEvent(1.0, 0),
            ev.ZCDpEvent(0.0),
            ev.MixtureOfGaussiansDpEvent(1.0, [0.0], [1.0]),
            ev.RandomizedResponseDpEvent(1.0, 5),
            ev.RandomizedResponseDpEvent(0.0, 1),
        ):
            curve = account(event)
            assert (curve.fit().mu, curve.delta(0.0), curve.epsilon(0.0)) == (0.0, 0.0, 0.0), event
        assert mechanism_of(ev.PoissonSampledDpEvent(1.0, GAUSSIAN)) == gaussdp.Gaussian(2.0)

    def test_mixtures_that_are_sampled_gaussians(self):
        mixture = ev.MixtureOfGaussiansDpEvent(4.0, [0.0, 2.0], [0.75, 0.25])
        assert mechanism_of(mixture) == gaussdp.PoissonSampled(gaussdp.Gaussian(2.0), 0.25)
        assert mechanism_of(ev.MixtureOfGaussiansDpEvent(4.0, [2.0], [1.0])) == gaussdp.Gaussian(2.0)

    def test_mixtures_and_replaced_records(self):
        mixture = ev.MixtureOfGaussiansDpEvent(1.0, [0, 1, 2], [0.5, 0.25, 0.25])
        known = gaussdp.MixtureOfGaussians(1.0, [0, 1, 2], [0.5, 0.25, 0.25])
        assert mechanism_of(mixture) == known
        assert mechanism_of(event_of(known)) == known
        run = gaussdp.DPSGD(1.0, 0.01, 1000, adjacency="replace-one")
        assert account(event_of(run), adjacency="replace-one").epsilon(1e-5) == account(run).epsilon(1e-5)
        accountant = GdpAccountant(Relation.REPLACE_ONE).compose(event_of(run))
        assert accountant.get_epsilon(1e-5) == pytest.approx(account(run).epsilon(1e-5), rel=1e-8)

    def test_subclasses_of_an_event_are_that_event(self):
        class Noisy(ev.GaussianDpEvent):
            pass

        assert mechanism_of(Noisy(2.0)) == gaussdp.Gaussian(2.0)

    def test_without_noise(self):
        for event in (
            ev.NonPrivateDpEvent(),
            ev.GaussianDpEvent(0.0),
            ev.LaplaceDpEvent(0),
            ev.PoissonSampledDpEvent(0.1, ev.GaussianDpEvent(0.0)),
            ev.ComposedDpEvent([STEP, ev.NonPrivateDpEvent()]),
        ):
            with pytest.raises(DomainError, match="has no privacy: it releases data without noise"):
                account(event)
            accountant = GdpAccountant().compose(event)
            assert (accountant.get_epsilon(0.5), accountant.get_delta(3.0), accountant.mu()) == (
                math.inf,
                1.0,
                math.inf,
            )
            assert accountant.curve().delta(100.0) == 1.0


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (ev.SampledWithoutReplacementDpEvent(100, 10, GAUSSIAN), "SampledWithoutReplacement.*fixed size"),
        (
            ev.ComposedDpEvent([STEP, ev.SampledWithReplacementDpEvent(100, 10, GAUSSIAN)]),
            "of SampledWithReplacement",
        ),
        (ev.TruncatedSubsampledGaussianDpEvent(100, 0.1, -1, 1.0), "batch_limit must be"),
        (ev.RepeatAndSelectDpEvent(GAUSSIAN, 10.0, math.inf), "Poisson numbers of runs"),
        (ev.MixtureOfGaussiansDpEvent(1.0, [-1, 1, 2], [0.5, 0.25, 0.25]), "sensitivities of at least 0"),
        (
            ev.PoissonSampledDpEvent(0.1, ev.SelfComposedDpEvent(ev.LaplaceDpEvent(1.0), 2)),
            "only Gaussian releases",
        ),
        (ev.PoissonSampledDpEvent(0.1, ev.ZCDpEvent(1.0)), "only Gaussian releases"),
        (ev.PoissonSampledDpEvent(1.5, GAUSSIAN), r"sampling_probability must be in \[0, 1\], got 1.5"),
        (ev.GaussianDpEvent(-1.0), "noise_multiplier must be in"),
        (ev.GaussianDpEvent("much"), "noise_multiplier must be"),
        (ev.LaplaceDpEvent(math.nan), "noise_multiplier must be in"),
        (ev.SelfComposedDpEvent(GAUSSIAN, 2.5), "count must be a whole number"),
        (ev.ZCDpEvent(-0.1), "rho must be in"),
        (ev.RandomizedResponseDpEvent(0.5, 0), "num_buckets must be a whole number"),
        (ev.DiscreteLaplaceDpEvent(1.0, -2), "sensitivity must be a whole number"),
        (ev.UnsupportedDpEvent(), "without a description"),
        (ev.DpEvent(), "does not know this event"),
    ],
    ids=str,
)
def test_events_without_an_analysis(event, message):
    with pytest.raises(DomainError, match=message):
        account(event)


class TestAdjacency:
    def test_by_name(self):
        assert account(GAUSSIAN, adjacency="replace-one").fit().mu == 1.0
        assert account(GAUSSIAN).fit().mu == 0.5
        assert mechanism_of(RESPONSE).adjacency == "replace-one"
        with pytest.raises(DomainError, match="every record gives an answer"):
            account(RESPONSE, adjacency="add-remove")

    def test_bad(self):
        with pytest.raises(DomainError, match="adjacency must be one of"):
            account(GAUSSIAN, adjacency="sideways")
        with pytest.raises(DomainError, match="adjacency must be that of the mechanism, add-remove, got 'replace-one'"):
            account(gaussdp.Gaussian(1.0), adjacency="replace-one")
        with pytest.raises(DomainError, match="adjacency must not be given"):
            account(privacy_loss_distribution.from_laplace_mechanism(1.0), adjacency="replace-one")


class TestDistributions:
    def test_both_directions_and_the_noise_floor(self):
        pld = privacy_loss_distribution.from_gaussian_mechanism(
            1.0, sampling_prob=0.1, value_discretization_interval=1e-3
        )
        exact = account(gaussdp.PoissonSampled(gaussdp.Gaussian(1.0), 0.1))
        curve = curve_of(pld, compositions=1)
        rates = np.geomspace(1e-6, 0.5, 30)
        assert (curve.fnr(rates) <= exact.fnr(rates) + 1e-15).all()
        np.testing.assert_allclose(curve.fnr(rates), exact.fnr(rates), atol=1e-3)
        assert curve.fit(1e-6).mu == pytest.approx(exact.fit(1e-6).mu, rel=1e-3)
        assert curve.fit(1e-6).mu_lower == 0.0
        assert 0 < curve.noise_floor < 1e-11 < account(pld).noise_floor < 1e-8
        with pytest.raises(DomainError, match="noise floor of this privacy loss distribution"):
            account(pld).tpr(1e-10)

    def test_composed_by_that_library(self):
        pld = privacy_loss_distribution.from_laplace_mechanism(3.0).self_compose(10)
        curve, ours = curve_of(pld, compositions=10), account(10 * gaussdp.Laplace(3.0))
        assert curve.epsilon(1e-6) == pytest.approx(ours.epsilon(1e-6), rel=1e-6)

    def test_refused(self):
        optimistic = privacy_loss_distribution.from_laplace_mechanism(1.0, pessimistic_estimate=False)
        with pytest.raises(DomainError, match="promises more privacy than there is"):
            account(optimistic)
        with pytest.raises(DomainError, match="distribution must be a dp_accounting PrivacyLossDistribution, got int"):
            curve_of(3)
        with pytest.raises(DomainError, match="compositions must be a whole number"):
            curve_of(privacy_loss_distribution.from_laplace_mechanism(1.0), compositions=0)
        with pytest.raises(DomainError, match="if it comes from dp_accounting, got PLDAccountant"):
            account(PLDAccountant())


class TestCalibration:
    def test_of_dpsgd_meets_the_target_and_agrees_with_ours(self):
        noise = dpa.calibrate_dp_mechanism(
            GdpAccountant,
            lambda sigma: ev.SelfComposedDpEvent(ev.PoissonSampledDpEvent(0.01, ev.GaussianDpEvent(sigma)), 500),
            target_epsilon=1.0,
            target_delta=1e-5,
            bracket_interval=dpa.ExplicitBracketInterval(0.5, 3.0),
            tol=1e-4,
        )
        target = calibration.AtMost(gaussdp.Profile(delta=1e-5), 1.0)
        ours = calibration.noise_multiplier(target, sample_rate=0.01, steps=500)
        assert ours.mechanism.noise_multiplier - 1.1e-3 < noise <= ours.mechanism.noise_multiplier + 1e-4  # 4 digits
        assert account(gaussdp.DPSGD(noise, 0.01, 500)).epsilon(1e-5) <= 1.0

    def test_of_a_gaussian_in_closed_form(self):
        noise = dpa.calibrate_dp_mechanism(GdpAccountant, ev.GaussianDpEvent, 1.0, 1e-6)
        assert noise == pytest.approx(1 / gaussdp.mu_from_profile(1.0, 1e-6), abs=2e-6)
        assert GDP(1 / noise).epsilon(1e-6) <= 1.0


class TestAndBack:
    @pytest.mark.parametrize(
        "mechanism",
        [
            gaussdp.Gaussian(2.0),
            gaussdp.Gaussian(2.0, adjacency="replace-one"),
            3 * gaussdp.PoissonSampled(gaussdp.Gaussian(2.0), 0.25),
            gaussdp.Laplace(3.0),
            gaussdp.Laplace(3.0, adjacency="replace-one"),
            gaussdp.DiscreteLaplace(4.0, 2),
            gaussdp.DiscreteLaplace(4.0, 2, adjacency="replace-one"),
            gaussdp.Composition([gaussdp.Gaussian(2.0), 5 * gaussdp.Laplace(8.0)]),
            Stated(ZCDP(0.5, 0.25)),
        ],
        ids=str,
    )
    def test_round_trip(self, mechanism):
        assert mechanism_of(event_of(mechanism), mechanism.adjacency) == mechanism

    def test_approximate_round_trips(self):
        response = gaussdp.RandomizedResponse(1.5, 4)
        assert mechanism_of(event_of(response)).epsilon == pytest.approx(1.5, rel=1e-12)
        assert event_of(gaussdp.RandomizedResponse(1000.0)).noise_parameter == 0.0
        run = gaussdp.DPSGD(1.0, 0.01, 300)
        assert list(mechanism_of(event_of(run)).parts()) == list(run.parts())
        assert event_of(gaussdp.ZCDPGaussian(0.5)) == ev.GaussianDpEvent(1.0)

    def test_discrete_gaussian_as_the_zcdp_it_satisfies(self):
        exact = account(gaussdp.DiscreteGaussian(3.0, 1))
        stated = account(event_of(gaussdp.DiscreteGaussian(3.0, 1)))
        assert stated.epsilon(1e-6) > exact.epsilon(1e-6)

    def test_refused(self):
        for mechanism in (
            Stated(gaussdp.PureDP(1.0)),
            gaussdp.DiscreteLaplace(4.0, 3, adjacency="replace-one"),
        ):
            with pytest.raises(DomainError, match="must be one that dp_accounting has an event for"):
                event_of(mechanism)


def test_accountant_refuses_bad_levels():
    accountant = GdpAccountant().compose(STEP)
    with pytest.raises(DomainError, match="target_delta must be in"):
        accountant.get_epsilon(1.5)
    for known in (accountant, GdpAccountant()):
        with pytest.raises(DomainError, match="target_epsilon must be in"):
            known.get_delta(-0.5)


def test_a_failed_composition_changes_nothing():
    accountant = GdpAccountant().compose(GAUSSIAN)
    with pytest.raises(dpa.UnsupportedEventError, match="fixed size"):
        accountant.compose(ev.ComposedDpEvent([GAUSSIAN, ev.SampledWithoutReplacementDpEvent(9, 3, GAUSSIAN)]))
    assert accountant.mu() == 0.5
    accountant.compose(GAUSSIAN, 3)
    assert accountant.mu() == 1.0


def test_things_from_elsewhere_are_still_refused():
    for thing in (3, "gaussian", None, np.float64(1.0), object()):
        with pytest.raises(DomainError, match="mechanism must be a mechanism, got"):
            account(thing)


def test_accounting_for_own_mechanisms_does_not_load_the_integration():
    import subprocess

    code = "import sys, gaussdp; gaussdp.account(gaussdp.Gaussian(1.0)); print('dp_accounting' in sys.modules)"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.strip() == "False"


def test_copies_and_checkpoints():
    accountant = GdpAccountant(Relation.REPLACE_SPECIAL).compose(RESPONSE)
    assert accountant.curve() is accountant.curve()
    for other in (copy.deepcopy(accountant), pickle.loads(pickle.dumps(accountant))):
        assert other.get_epsilon(1e-6) == accountant.get_epsilon(1e-6)
        assert other.ledger == accountant.ledger
        other.compose(RESPONSE)
        assert other.get_epsilon(1e-6) > accountant.get_epsilon(1e-6)
    accountant.compose(RESPONSE)
    assert repr(accountant) == "<GdpAccountant of 2 releases>"


def test_calibration_by_jax_privacy():
    accounting = pytest.importorskip("jax_privacy.accounting")

    class Configuration(accounting.accountants.DpAccountantConfig):
        def create_accountant(self):
            return GdpAccountant()

    noise = accounting.calibrate.calibrate_noise_multiplier(
        target_epsilon=2.0,
        accountant=accounting.analysis.DpsgdTrainingAccountant(dp_accountant_config=Configuration()),
        batch_sizes=256,
        num_updates=2000,
        num_samples=50_000,
        target_delta=1e-5,
    )
    assert account(gaussdp.DPSGD(noise, 256 / 50_000, 2000)).epsilon(1e-5) <= 2.0
