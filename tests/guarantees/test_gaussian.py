import math

import numpy as np
import pytest

import gaussdp
from contracts_of_guarantees import GuaranteeContract
from gaussdp import GDP


class TestGDP(GuaranteeContract):
    @pytest.fixture(params=[0.0, 1e-6, 0.31, 1.0, 4.0, 30.0, math.inf])
    def guarantee(self, request):
        return GDP(request.param)


def test_the_methods_are_the_flat_functions():
    guarantee = GDP(0.31)
    assert guarantee.fnr(1e-3) == gaussdp.fnr_from_mu(0.31, 1e-3)
    assert guarantee.delta(1.0) == gaussdp.delta_from_mu(0.31, 1.0)
    assert guarantee.epsilon(1e-6) == gaussdp.epsilon_from_mu(0.31, 1e-6)
    assert guarantee.advantage() == gaussdp.advantage_from_mu(0.31)
    assert guarantee.multiplicative_advantage(1e-3) == gaussdp.multiplicative_advantage_from_mu(0.31, 1e-3)
    assert guarantee.precision(0.01, prior=0.5) == gaussdp.precision_from_mu(0.31, 0.01)


def test_simulated_attack_on_one_gaussian_release():
    """The likelihood-ratio attack on N(0, 1) against N(mu, 1) does what the curve says, within sampling error."""
    rng = np.random.default_rng(2026)
    n, mu, threshold = 400_000, 1.3, 1.1
    fpr = np.mean(rng.normal(0, 1, n) > threshold)
    fnr = np.mean(rng.normal(mu, 1, n) <= threshold)
    assert GDP(mu).fnr(float(fpr)) == pytest.approx(fnr, abs=4 / math.sqrt(n))


def test_composition():
    assert GDP(0.31).compose(GDP(0.2)).mu == pytest.approx(math.sqrt(0.31**2 + 0.2**2), rel=1e-15)
    assert GDP(1.0).compose(*[GDP(1.0)] * 8) == GDP(3.0)
    assert GDP(0.5).compose() == GDP(0.5)


def test_group():
    assert GDP(0.5).group(3) == GDP(1.5)
    for size in (0, 2.0, True, "3"):
        with pytest.raises(gaussdp.DomainError, match="size must be a whole number of at least 1"):
            GDP(0.5).group(size)


@pytest.mark.parametrize("mu", [-1, math.nan, "1", None, [1.0, 2.0], True])
def test_bad_mu(mu):
    with pytest.raises(gaussdp.DomainError, match=r"^mu must be"):
        GDP(mu)


def test_integers_become_floats():
    assert repr(GDP(1)) == "GDP(mu=1.0)"


def test_implies_itself():
    assert GDP(0.7).implied() == GDP(0.7)


def test_guessing():
    assert GDP(0).accuracy(prior=0.5) == 0.5


@pytest.mark.parametrize("other", [gaussdp.PureDP(1.0), 1.0, "1", None], ids=repr)
def test_only_gdp_composes_by_the_root_of_squares(other):
    with pytest.raises(gaussdp.DomainError, match=r"others must be GDP: .*, got"):
        GDP(1.0).compose(GDP(1.0), other)


def test_groups_have_a_limit():
    with pytest.raises(gaussdp.DomainError, match="size must be a whole number of at most"):
        GDP(1.0).group(10**400)
