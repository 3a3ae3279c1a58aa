"""Stated guarantees: alone they are read as they are, in compositions through the atoms that attain them."""

import math

import numpy as np
import pytest

import gaussdp
from contracts_of_guarantees import GuaranteeContract
from gaussdp import GDP, ApproxDP, ProfilePoints, PureDP, account
from gaussdp.accounting.distribution.releases import atoms_of
from gaussdp.mechanisms import Composition, Stated

STATEMENTS = ProfilePoints([0.0, 0.4, 1.0], [0.25, 0.1, 0.0])


class TestPointsCurve(GuaranteeContract):
    @pytest.fixture(params=[STATEMENTS, PureDP(1.0), ApproxDP(1.0, 1e-5)], ids=repr)
    def guarantee(self, request):
        return account(request.param)

    def test_frozen_hashable_and_printable(self, guarantee):
        assert guarantee in {guarantee}
        assert "noise floor 0" in repr(guarantee)


def test_alone_it_is_what_is_stated():
    curve = account(STATEMENTS)
    rates = np.linspace(0, 1, 101)
    np.testing.assert_array_equal(curve.fnr(rates), STATEMENTS.fnr(rates))
    assert account(Stated(STATEMENTS)).delta(0.4) == pytest.approx(0.1, abs=1e-4)  # through a distribution
    fit = curve.fit()
    assert fit.mu == fit.mu_lower == pytest.approx(STATEMENTS.implied().mu, rel=1e-12)
    assert (GDP(fit.mu).fnr(rates) <= curve.fnr(rates) + 1e-12).all()


def test_a_fit_above_a_floor_where_no_mu_follows():
    curve = account(ApproxDP(1.0, 1e-5))
    assert curve.fit(1e-3).mu == curve.fit(1e-4).mu < curve.fit(1e-8).mu < curve.fit(1e-10).mu
    assert curve.fit(1e-3).slack >= 1e-5


def test_the_default_floor_is_where_the_statements_fall_silent():
    assert account(STATEMENTS).fit().floor == 1e-10
    assert account(ApproxDP(1.0, 1e-5)).fit().floor == pytest.approx(1e-5 / math.e, rel=1e-12)
    assert account(ProfilePoints([0.0, 1.0], [0.2, 0.1])).fit().floor == pytest.approx(0.1 / (math.e - 1), rel=1e-12)
    assert account(gaussdp.TradeoffPoints([0.02, 0.3], [0.9, 0.01])).fit().floor == 0.01


def test_nothing_promised():
    for nothing in (ApproxDP(1.0, 1.0), PureDP(math.inf), PureDP(1000.0)):
        curve = account(nothing)
        assert curve.delta(700.0) == 1.0
        with pytest.raises(gaussdp.DomainError, match=r"floor must leave attacks .* may have FNR 0; no mu holds there"):
            curve.fit()


@pytest.mark.parametrize(
    "guarantee", [STATEMENTS, ProfilePoints([0.5], [0.1]), gaussdp.ZCDP(0.5), ProfilePoints([0.0], [1.0])], ids=repr
)
def test_atoms_attain_the_statements(guarantee):
    """sum over atoms of mass (1 - e^(epsilon - loss))+ is the profile, and the masses sum to one."""
    atoms = atoms_of(guarantee)
    loss, mass = np.array(list(atoms.masses)), np.array(list(atoms.masses.values()))
    assert mass.sum() + atoms.infinite == pytest.approx(1.0, abs=1e-13)
    for epsilon in (0.0, 0.2, 0.7, 3.0):
        delta = atoms.infinite + np.sum(mass * np.maximum(-np.expm1(np.minimum(epsilon - loss, 0.0)), 0.0))
        assert delta == pytest.approx(guarantee.delta(epsilon), rel=1e-9, abs=1e-13)


def test_composed_with_itself():
    """Written out for two runs: every pair of atoms."""
    atoms = atoms_of(STATEMENTS)
    curve = account(2 * Stated(STATEMENTS))
    pairs = [(a + b, p * q) for a, p in atoms.masses.items() for b, q in atoms.masses.items()]
    for epsilon in (0.0, 0.3, 1.0, 1.7):
        exact = math.fsum(p * max(-math.expm1(epsilon - loss), 0.0) for loss, p in pairs)
        assert exact <= curve.delta(epsilon) <= exact + 3e-4
    together = account(Composition([STATEMENTS, gaussdp.Gaussian(2.0)]))
    assert together.delta(0.5) > max(GDP(0.5).delta(0.5), STATEMENTS.delta(0.5))


def test_other_guarantees_do_not_compose():
    with pytest.raises(
        gaussdp.DomainError, match="guarantee must be PureDP, ApproxDP, ProfilePoints, GDP or ApproxGDP, got L"
    ):
        Stated(gaussdp.LaplaceDP(1.0))
