import numpy as np
import pytest
from scipy import special

import gaussdp
from gaussdp.auditing.credible import posterior_quantile


@pytest.mark.parametrize(
    "posteriors", [((5.5, 995.5), (400.5, 600.5)), ((0.5, 50.5), (0.5, 20.5)), ((50, 50), (60, 40))]
)
def test_against_draws_from_the_posterior(posteriors):
    random = np.random.default_rng(0)
    fpr, fnr = (random.beta(*posterior, 400_000) for posterior in posteriors)
    mu = -special.ndtri(fpr) - special.ndtri(fnr)
    for tail in (0.05, 0.3):
        found = posterior_quantile(*posteriors, tail)
        share = np.mean(np.maximum(mu, 0) < found)
        if found > 0:
            assert share == pytest.approx(tail, abs=4 * np.sqrt(tail / mu.size) + 1e-6)
        else:
            assert np.mean(mu < 0) >= tail - 0.002


def test_labelled_and_larger_than_the_confidence_bound():
    random = np.random.default_rng(1)
    members, nonmembers = random.normal(1, 1, 500), random.normal(0, 1, 500)
    credible = gaussdp.audit(members, nonmembers, method=gaussdp.Credible(0.5), design="trials")
    fixed = gaussdp.audit(members, nonmembers, method=gaussdp.FixedThreshold(0.5))
    assert (credible.kind, fixed.kind) == ("credible", "confidence")
    assert credible.mu_lower > fixed.mu_lower
    assert "posterior probability" in credible.verdict(1.0).sentence


def test_the_prior_matters_when_there_is_little_data():
    weak, strong = (gaussdp.audit([1] * 5, [0] * 5, method=gaussdp.Credible(0.5, p)).mu_lower for p in (0.5, 20.0))
    assert weak > strong == 0


def test_large_counts():
    counts = [[0, 1], [3_000_000, 7_000_000], [9_000_000, 1_000_000]]
    found = gaussdp.audit_counts(*counts, method=gaussdp.Credible(0))
    assert found.mu_lower == pytest.approx(-special.ndtri(0.1) - special.ndtri(0.3), abs=2e-3)
