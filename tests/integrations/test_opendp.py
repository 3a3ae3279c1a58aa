"""OpenDP's measures and profiles, both ways, against mechanisms whose guarantee is known."""

import math
import sys

import numpy as np
import opendp.prelude as dp
import pytest

import gaussdp
from gaussdp import GDP, ZCDP, ApproxDP, DomainError, ProfilePoints, PureDP, account
from gaussdp.integrations.opendp import (
    guarantee,
    guarantee_from_measure,
    guarantee_from_profile,
    to_approximate_dp,
    to_privacy_profile,
    to_zcdp,
)

RATES = np.concatenate([[0.0], np.geomspace(1e-9, 1.0, 60)])


@pytest.fixture(autouse=True)
def features():
    dp.enable_features("contrib", "honest-but-curious")


@pytest.fixture
def space():
    return dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)


@pytest.fixture
def gaussian(space):
    return space >> dp.m.then_gaussian(scale=2.0)


class TestMeasurements:
    def test_pure(self, space):
        release = space >> dp.m.then_laplace(scale=2.0)
        assert guarantee(release, 1.0) == PureDP(0.5)
        assert guarantee(release, 3.0) == PureDP(1.5)
        exact = gaussdp.LaplaceDP(0.5)
        assert (guarantee(release, 1.0).fnr(RATES) <= exact.fnr(RATES) + 1e-15).all()

    def test_randomized_response(self):
        stated = guarantee(dp.m.make_randomized_response_bool(prob=0.75), 1)
        assert stated.epsilon_bound == pytest.approx(math.log(3), rel=1e-12)
        assert stated.epsilon_bound >= math.log(3)

    def test_approximate(self, space):
        release = dp.c.make_approximate(space >> dp.m.then_laplace(scale=2.0))
        assert guarantee(release, 1.0) == PureDP(0.5)
        assert guarantee_from_measure(dp.approximate(dp.max_divergence()), (0.5, 1e-6)) == ApproxDP(0.5, 1e-6)

    def test_zcdp_is_not_taken_for_gaussian(self, gaussian):
        stated = guarantee(gaussian, 1.0)
        assert stated == ZCDP(0.125)
        assert stated.epsilon(1e-6) > GDP(0.5).epsilon(1e-6)
        assert (stated.fnr(RATES) <= GDP(0.5).fnr(RATES) + 1e-15).all()
        assert guarantee(dp.c.make_composition([gaussian, gaussian]), 1.0) == ZCDP(0.25)

    def test_the_same_release_through_opendps_own_conversion(self, gaussian):
        """Its privacy profile of rho-zCDP and ours agree where ours has no better bound, and ours is never looser."""
        theirs = dp.c.make_zCDP_to_approxDP(gaussian)
        read = guarantee(theirs, 1.0)
        assert isinstance(read, ProfilePoints)
        for epsilon in (0.0, 0.5, 1.0, 2.0, 5.0):
            # At small epsilon the statement at another one, which holds in both directions, implies more.
            assert read.delta(epsilon) <= theirs.map(1.0).delta(epsilon) * (1 + 2e-2)
            assert read.delta(epsilon) >= theirs.map(1.0).delta(epsilon) * (1 - 1e-12) or epsilon < 0.5
            assert ZCDP(0.125).delta(epsilon) <= theirs.map(1.0).delta(epsilon) * (1 + 1e-3)
        assert (read.fnr(RATES) <= GDP(0.5).fnr(RATES) + 1e-15).all()

    def test_fixed_delta(self, gaussian):
        release = dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(gaussian), 1e-6)
        stated = guarantee(release, 1.0)
        assert isinstance(stated, ApproxDP)
        assert stated.epsilon_bound == pytest.approx(ZCDP(0.125).epsilon(1e-6), rel=1e-5)
        assert stated.delta_bound == 1e-6

    def test_but_for_an_event(self, gaussian):
        """delta-approximate zCDP is worse than zCDP by at least delta, and by little more."""
        plain = guarantee(dp.c.make_approximate(gaussian), 1.0)
        assert plain == ZCDP(0.125)
        stated = guarantee_from_measure(dp.approximate(dp.zero_concentrated_divergence()), (0.125, 1e-3))
        for epsilon in (0.1, 1.0, 2.0):
            assert plain.delta(epsilon) + 1e-3 < stated.delta(epsilon) < plain.delta(epsilon) * 1.01 + 1.01e-3
        often = guarantee_from_measure(dp.approximate(dp.zero_concentrated_divergence()), (0.125, 0.3))
        for epsilon in (1.0, 2.0):  # the other dataset's event may be as rare as 0.7
            assert often.delta(epsilon) == pytest.approx(0.3 + plain.delta(epsilon + math.log(0.7)), rel=1e-4)
        nothing = guarantee_from_measure(dp.approximate(dp.zero_concentrated_divergence()), (0.125, 1.0))
        assert nothing.delta(5.0) == 1.0

    def test_renyi(self, space):
        """The Renyi curve of a Gaussian release, at some orders, gives a little less than its zCDP."""
        release = dp.m.make_user_measurement(
            *space,
            output_measure=dp.renyi_divergence(),
            function=lambda value: value,
            privacy_map=lambda d_in: lambda order: order * d_in**2 / 8,
        )
        stated = guarantee(release, 1.0)
        for epsilon in (0.5, 1.0, 2.0, 3.0):
            exact = ZCDP(0.125).delta(epsilon)
            assert exact < stated.delta(epsilon) < 1.2 * exact
            assert stated.delta(epsilon) >= ZCDP(0.125).delta(epsilon) * (1 - 1e-3)

    def test_refused(self, gaussian, space):
        with pytest.raises(DomainError, match=r"OpenDP refuses d_in = 'far': .*expected f64"):
            guarantee(gaussian, "far")
        with pytest.raises(DomainError, match=r"OpenDP refuses d_in = -1.0"):
            guarantee(gaussian, -1.0)
        with pytest.raises(DomainError, match=r"measurement must be an OpenDP Measurement, got 1\.0"):
            guarantee(1.0, 1.0)
        own = dp.m.make_user_measurement(
            *space, output_measure=dp.user_divergence("mine"), function=lambda v: v, privacy_map=lambda d: d
        )
        with pytest.raises(DomainError, match=r"measure must be one of MaxDivergence, .*, got"):
            guarantee(own, 1.0)


@pytest.mark.parametrize(
    ("measure", "loss", "message"),
    [
        (dp.max_divergence(), -1.0, "epsilon must be in"),
        (dp.max_divergence(), math.nan, "epsilon must be in"),
        (dp.max_divergence(), "x", "epsilon must be"),
        (dp.zero_concentrated_divergence(), math.inf, "rho must be in"),
        (dp.approximate(dp.max_divergence()), 0.5, "must be a pair of the loss and delta, got 0.5"),
        (dp.approximate(dp.max_divergence()), (0.5, 1.5), r"delta must be in \[0, 1\], got 1.5"),
        (dp.smoothed_max_divergence(), 0.5, "profile must be an OpenDP PrivacyProfile, got 0.5"),
        (dp.renyi_divergence(), 0.5, "must be a function of the order, got 0.5"),
        ("MaxDivergence", 0.5, "measure must be an OpenDP measure, got 'MaxDivergence'"),
    ],
    ids=str,
)
def test_bad_losses(measure, loss, message):
    with pytest.raises(DomainError, match=message):
        guarantee_from_measure(measure, loss)


class TestProfiles:
    @pytest.mark.parametrize(
        "known", [GDP(0.1), GDP(1.0), GDP(6.0), PureDP(1.0), ApproxDP(0.7, 1e-5), ZCDP(0.5)], ids=repr
    )
    def test_round_trip(self, known):
        """Never more private on the way back, and hardly less."""
        back = guarantee_from_profile(to_privacy_profile(known))
        assert (back.fnr(RATES) <= known.fnr(RATES) + 1e-15).all()
        np.testing.assert_allclose(back.fnr(RATES), known.fnr(RATES), atol=2e-3)
        assert known.epsilon(1e-3) <= back.epsilon(1e-3) <= known.epsilon(1e-3) * 1.001 + 1e-9

    def test_opendp_reads_the_profile(self):
        profile = to_privacy_profile(GDP(1.0))
        assert profile.epsilon(1e-6) == pytest.approx(GDP(1.0).epsilon(1e-6), rel=1e-9)
        assert profile.epsilon(1e-6) >= GDP(1.0).epsilon(1e-6)
        assert profile.delta(1.0) == pytest.approx(GDP(1.0).delta(1.0), rel=2e-12)
        assert profile.delta(1.0) >= GDP(1.0).delta(1.0)

    def test_underflow_is_no_pure_dp(self):
        """The profile of GDP is never 0, though at epsilon 50 it is below every double."""
        profile = to_privacy_profile(GDP(1.0))
        assert profile.delta(50.0) == sys.float_info.min
        assert profile.epsilon(0.0) == math.inf
        pure = to_privacy_profile(PureDP(1.0))
        assert pure.delta(1.0) == 0.0
        assert pure.epsilon(0.0) == pytest.approx(1.0, abs=1e-9)

    def test_below_zero(self):
        """sup over events of P(S) - e^epsilon Q(S) for randomized response with epsilon = log 3, written out."""
        profile = to_privacy_profile(PureDP(math.log(3)))
        assert profile.delta(-math.log(2)) == pytest.approx(0.75 - 0.25 / 2 + max(0.25 - 0.75 / 2, 0), rel=1e-9)

    def test_a_fit_by_account(self):
        fit = account(to_privacy_profile(GDP(1.0))).fit(1e-6)
        assert 1.0 <= fit.mu < 1.002

    def test_refused(self, gaussian):
        with pytest.raises(DomainError, match=r"for a measurement write .*guarantee\(measurement, d_in\)"):
            account(gaussian)
        with pytest.raises(DomainError, match="adjacency must not be given"):
            account(to_privacy_profile(GDP(1.0)), adjacency="replace-one")
        with pytest.raises(DomainError, match=r"guarantee must be a gaussdp guarantee, got 1\.0"):
            to_privacy_profile(1.0)

        def broken(epsilon):
            raise ValueError("no")

        with pytest.raises(DomainError, match=r"^OpenDP refuses epsilon = 700 of the profile: ValueError: no$"):
            guarantee_from_profile(dp.new_privacy_profile(broken))
        with pytest.raises(
            DomainError, match=r"delta of the privacy profile at epsilon 700 must be in \[0, 1\], got 2.0"
        ):
            guarantee_from_profile(dp.new_privacy_profile(lambda epsilon: 2.0))

    def test_features_are_asked_for(self):
        dp.disable_features("honest-but-curious")
        with pytest.raises(DomainError, match=r"OpenDP refuses a profile of one's own: .*honest-but-curious"):
            to_privacy_profile(GDP(1.0))


class TestParameters:
    def test_zcdp(self):
        assert to_zcdp(GDP(0.5)) == pytest.approx(0.125, rel=2e-12)
        assert to_zcdp(GDP(0.5)) >= 0.125
        assert to_zcdp(PureDP(0.5)) == pytest.approx(0.125, rel=2e-12)
        assert to_zcdp(ZCDP(0.3)) == 0.3
        for other in (ApproxDP(1.0, 1e-6), ZCDP(0.1, 0.1), ProfilePoints([1.0], [0.1])):
            with pytest.raises(DomainError, match="must be GDP, PureDP or ZCDP to imply a rho"):
                to_zcdp(other)

    def test_pure_dp_as_opendp_does_it(self, space):
        release = dp.c.make_pureDP_to_zCDP(space >> dp.m.then_laplace(scale=2.0))
        assert to_zcdp(PureDP(0.5)) == pytest.approx(release.map(1.0), rel=1e-9)

    def test_approximate_dp(self):
        epsilon, delta = to_approximate_dp(GDP(1.0), 1e-6)
        assert delta == 1e-6
        assert GDP(1.0).epsilon(1e-6) <= epsilon < GDP(1.0).epsilon(1e-6) * (1 + 1e-11)
        assert to_approximate_dp(ApproxDP(0.7, 1e-6), 1e-6) == (0.7, 1e-6)
        assert to_approximate_dp(PureDP(0.7), 0.0) == (0.7, 0.0)
        with pytest.raises(DomainError, match="delta must be in"):
            to_approximate_dp(GDP(1.0), 2.0)

    def test_there_and_back(self):
        for known in (PureDP(0.7), ApproxDP(0.7, 1e-6)):
            pair = to_approximate_dp(known, known.delta_bound)
            measure = dp.approximate(dp.max_divergence())
            assert guarantee_from_measure(measure, pair) == known
