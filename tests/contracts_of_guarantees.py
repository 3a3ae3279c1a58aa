"""What every guarantee must satisfy: a test class for each kind inherits this and says which to try."""

import math

import numpy as np
import pytest

import gaussdp

RATES = np.concatenate([[0.0], np.geomspace(1e-9, 0.5, 80), 1 - np.geomspace(0.49, 1e-9, 80), [1.0]])
INNER = RATES[1:-1]
FINE = np.concatenate([np.geomspace(1e-12, 1e-5, 2000), np.linspace(1e-5, 1, 400_001)])
EPSILONS = np.concatenate([[0.0], np.geomspace(1e-6, 30, 120)])


class GuaranteeContract:
    """Inherit, and define the fixture `guarantee`, parametrised over instances."""

    def test_non_increasing_and_within_bounds(self, guarantee):
        fnr = guarantee.fnr(RATES)
        assert (np.diff(fnr) <= 1e-15).all()
        assert (fnr >= 0).all()
        assert (fnr <= 1 - RATES + 1e-15).all()

    def test_convex(self, guarantee):
        fnr = guarantee.fnr(RATES)
        slopes = np.diff(fnr) / np.diff(RATES)
        assert (np.diff(slopes) >= -1e-6 * np.abs(slopes[1:]) - 1e-6).all()

    def test_tpr_is_the_complement(self, guarantee):
        np.testing.assert_allclose(guarantee.tpr(RATES), 1 - guarantee.fnr(RATES), atol=2e-16)

    def test_symmetric(self, guarantee):
        """The least FPR at a TPR is the curve read at the complement."""
        np.testing.assert_allclose(guarantee.fpr(RATES), guarantee.fnr(1 - RATES), rtol=1e-7, atol=1e-16)

    def test_profile_is_the_conjugate_of_the_curve(self, guarantee):
        """delta(epsilon) = sup over fpr of 1 - fnr - e^epsilon fpr: never below any point, reached by the best."""
        fpr = np.concatenate([[0.0], np.geomspace(1e-12, 1, 40_000)])
        for epsilon in (0.0, 0.1, 0.7, 2.0, 5.0):
            best = np.max(guarantee.tpr(fpr) - math.exp(epsilon) * fpr)
            assert guarantee.delta(epsilon) >= best - 1e-14
            assert guarantee.delta(epsilon) == pytest.approx(best, rel=1e-3, abs=1e-9)

    def test_profile_non_increasing(self, guarantee):
        delta = guarantee.delta(EPSILONS)
        assert (np.diff(delta) <= 1e-15).all()
        assert ((delta >= 0) & (delta <= 1)).all()

    def test_overlap_is_the_complement_of_delta(self, guarantee):
        for epsilon in (0.0, 0.3, 5.0):
            assert math.exp(guarantee.log_overlap(epsilon)) == pytest.approx(1 - guarantee.delta(epsilon), abs=1e-15)

    def test_epsilon_is_the_least_that_meets_delta(self, guarantee):
        """Round trips close: delta(epsilon(d)) <= d, and no smaller epsilon would do."""
        for delta in (1e-12, 1e-6, 1e-3, 0.1, 0.5, 0.9):
            epsilon = guarantee.epsilon(delta)
            if epsilon == math.inf:
                assert guarantee.delta(700.0) > delta
                continue
            assert guarantee.delta(epsilon) <= delta * (1 + 1e-9) + 1e-15
            if epsilon > 1e-9:
                assert guarantee.delta(epsilon * (1 - 1e-6)) > delta * (1 - 1e-12) - 1e-15

    def test_derived_risks_are_read_off_the_curve(self, guarantee):
        np.testing.assert_allclose(guarantee.multiplicative_advantage(INNER), guarantee.tpr(INNER) / INNER, rtol=1e-12)
        prior = 0.2
        flagged = prior * INNER + (1 - prior) * guarantee.fpr(INNER)
        np.testing.assert_allclose(guarantee.precision(INNER, prior), prior * INNER / flagged, rtol=1e-12)
        best = np.max(guarantee.tpr(FINE) - FINE)
        assert guarantee.advantage() >= best - 1e-15
        assert guarantee.advantage() == pytest.approx(best, rel=1e-2, abs=1e-12)

    def test_accuracy_is_the_best_of_all_tests(self, guarantee):
        fpr = np.linspace(0, 1, 200_001)
        for prior in (0.5, 0.3, 0.9, 0.01):
            best = np.max(prior * guarantee.tpr(fpr) + (1 - prior) * (1 - fpr))
            assert guarantee.accuracy(prior) == pytest.approx(best, rel=1e-5)
            assert guarantee.accuracy(prior) >= best - 1e-15

    def test_the_gdp_curve_through_a_point_passes_there(self, guarantee):
        for level in (1e-6, 0.01, 0.4, 0.7, 0.999):
            mu = guarantee.mu_at_fpr(level)
            assert gaussdp.GDP(mu).fnr(level) == pytest.approx(guarantee.fnr(level), rel=1e-9, abs=1e-15)
            mu = guarantee.mu_at_recall(level)
            assert gaussdp.GDP(mu).fpr(level) == pytest.approx(guarantee.fpr(level), rel=1e-9, abs=1e-15)
            mu = guarantee.mu_at_delta(level)
            assert mu == pytest.approx(gaussdp.mu_from_profile(guarantee.epsilon(level), level), rel=1e-12)

    def test_scalars_give_floats_and_arrays_give_arrays(self, guarantee):
        for method in ("fnr", "tpr", "fpr", "delta", "epsilon", "multiplicative_advantage", "precision", "mu_at_fpr"):
            function = getattr(guarantee, method)
            assert type(function(0.25)) is float, method
            assert function(np.full((2, 3), 0.25)).shape == (2, 3), method

    def test_bad_input(self, guarantee):
        for method, name, bad in (
            ("fnr", "fpr", 1.5),
            ("tpr", "fpr", -0.1),
            ("fpr", "tpr", math.nan),
            ("delta", "epsilon", -1.0),
            ("epsilon", "delta", 2.0),
            ("multiplicative_advantage", "fpr", 0.0),
            ("precision", "recall", 0.0),
            ("accuracy", "prior", 1.0),
            ("mu_at_fpr", "fpr", 1.0),
            ("mu_at_recall", "recall", "x"),
            ("mu_at_delta", "delta", 1.0),
        ):
            with pytest.raises(gaussdp.DomainError, match=f"^{name} must be"):
                getattr(guarantee, method)(bad)

    def test_frozen_hashable_and_printable(self, guarantee):
        with pytest.raises(AttributeError):
            guarantee.mu = 3
        assert guarantee in {guarantee}
        assert eval(repr(guarantee), {**vars(gaussdp), "inf": math.inf}) == guarantee
