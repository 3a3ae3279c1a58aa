"""What a release costs: exact where it is GDP, with slack where its mu has a floor, refused where nothing is proved."""

import pickle
from fractions import Fraction

import pytest

import gaussdp
from gaussdp import GDP, ApproxDP, ApproxGDP, BudgetExceeded, DomainError, Gaussian, PureDP, Run
from gaussdp.ledger.charges import charge_of

BOOK = {"unit": "one person", "adjacency": "add-remove"}
TRAINING = gaussdp.DPSGD(1.0, 0.00512, 3907)


@pytest.mark.parametrize(
    ("release", "square"),
    [
        (Gaussian(20.0), "1/400"),
        (9 * Gaussian(3.0), "1"),
        (GDP(0.3), "9/100"),
        (gaussdp.ZCDPGaussian(0.005), "1/100"),
        (gaussdp.Composition([Gaussian(3.0), 2 * Gaussian(7.0), GDP(0.1)]), "7141/44100"),
        (gaussdp.DPSGD(10.0, 1.0, 25), "1/4"),
        (gaussdp.account(Gaussian(4.0)), "1/16"),
    ],
    ids=str,
)
def test_gaussian_releases_are_exact(release, square):
    charge = charge_of(release, **BOOK)
    assert (charge.square, charge.slack) == (Fraction(square), 0)


@pytest.mark.parametrize(
    ("release", "mu"),
    [
        (PureDP(1.0), PureDP(1.0).implied().mu),
        (gaussdp.ZCDP(0.5), gaussdp.ZCDP(0.5).implied().mu),
        (gaussdp.Laplace(10.0), gaussdp.account(gaussdp.Laplace(10.0)).fit().mu),
        (gaussdp.MatrixMechanism(2.0, gaussdp.mechanisms.Tree(8), gaussdp.mechanisms.Participation(8, 1)), None),
    ],
    ids=str,
)
def test_what_implies_gdp_needs_no_slack(release, mu):
    charge = charge_of(release, **BOOK)
    expected = gaussdp.account(release).fit().mu if mu is None else mu
    assert charge.slack == 0
    assert expected <= charge.guarantee.mu <= expected * (1 + 1e-11)


def test_a_fitted_mu_has_a_slack():
    fit = gaussdp.account(TRAINING).fit()
    for release in (TRAINING, gaussdp.account(TRAINING), fit, fit.with_slack):
        charge = charge_of(release, **BOOK)
        assert fit.mu <= charge.guarantee.mu <= fit.mu * (1 + 1e-11)
        assert 0 < fit.slack <= charge.guarantee.delta_bound <= fit.slack * (1 + 1e-11)
    deeper = charge_of(TRAINING, **BOOK, floor=1e-14)
    assert deeper.slack < charge.slack
    assert deeper.square > charge.square


def test_epsilon_and_delta_are_pure_but_for_delta():
    charge = charge_of(ApproxDP(1.0, 1e-6), **BOOK).guarantee
    assert charge.mu == pytest.approx(PureDP(1.0).implied().mu, rel=1e-11)
    assert charge.delta_bound == 1e-6
    for epsilon in (0.0, 0.3, 1.0, 2.0):
        assert ApproxDP(1.0, 1e-6).delta(epsilon) <= charge.delta(epsilon)


def test_slack_needs_a_budget_with_slack(lite):
    lite.open_budget("strict", GDP(2.0))
    lite.open_budget("loose", GDP(2.0), slack=1e-6)
    for release in (TRAINING, ApproxDP(0.5, 1e-6), ApproxGDP(0.5, 1e-6)):
        with pytest.raises(BudgetExceeded, match="which no mu covers") as caught:
            lite.reserve("strict", release, key="a")
        assert caught.value.left_slack == 0 < caught.value.asked_slack
    lite.reserve("loose", ApproxGDP(0.5, 9e-7), key="a")
    lite.reserve("loose", ApproxGDP(0.5, 9.9e-8), key="b")
    with pytest.raises(BudgetExceeded, match="a smaller floor"):
        lite.reserve("loose", ApproxGDP(0.5, 1.1e-9), key="c")
    lite.reserve("loose", ApproxGDP(0.5, 1e-9), key="c")
    assert lite.budget("loose").slack_left == 0
    assert lite.budget("loose").slack_spent == 1e-6


@pytest.mark.parametrize(
    "release",
    [GDP(2e154), GDP(1e308), PureDP(1e308), ApproxGDP(1e155, 0.1), ApproxDP(1e308, 1e-6), 10**12 * Gaussian(1e-100)],
    ids=str,
)
@pytest.mark.parametrize("adjacency", ["add-remove", "replace-one"])
def test_what_no_budget_allows_is_refused_in_one_sentence(lite, release, adjacency):
    with pytest.raises(DomainError, match=r"needs a μ above 1e\+100|noise_multiplier must be in"):
        charge_of(release, unit="one person", adjacency=adjacency)
    lite.open_budget("all", GDP(1e15), slack=0.5)
    for ask in (lite.preview, lambda *asked: lite.reserve(*asked, key="a")):
        with pytest.raises(DomainError):
            ask("all", release)
    lite.open_budget("strict", GDP(1.0))
    with pytest.raises(BudgetExceeded, match="mu = 1e\\+99 asked"):
        lite.reserve("strict", GDP(1e99), key="a")


@pytest.mark.parametrize("mu", [5e-324, 1e-320, 1e-162, 1e-20])
def test_next_to_nothing_is_rounded_up(lite, mu):
    """An amount is a multiple of 1e-40 at the finest, which is never less than what is asked."""
    lite.open_budget("all", GDP(1.0))
    entry = lite.reserve("all", GDP(mu), key="a")
    assert entry.square >= Fraction(mu) ** 2
    assert entry.guarantee.mu == 1e-20
    assert lite.verify().ok


class TestNeighbours:
    def test_what_is_known_is_converted(self):
        exchanged = {**BOOK, "adjacency": "replace-one"}
        assert charge_of(Gaussian(4.0), **exchanged).square == Fraction(1, 4)
        assert charge_of(GDP(0.25), **exchanged).square == Fraction(1, 16)  # stated for the book's unless it is said
        assert charge_of(GDP(0.25), **exchanged, stated_for="add-remove").square == Fraction(1, 4)
        assert charge_of(gaussdp.Laplace(10.0), **exchanged).guarantee.mu == pytest.approx(
            2 * charge_of(gaussdp.Laplace(10.0), **BOOK).guarantee.mu
        )
        curve = gaussdp.account(gaussdp.Laplace(10.0))  # knows its neighbours itself
        assert charge_of(curve, **exchanged).square == 4 * charge_of(curve, **BOOK).square
        assert charge_of(TRAINING, **exchanged).guarantee.mu == pytest.approx(
            gaussdp.account(gaussdp.DPSGD(1.0, 0.00512, 3907, "replace-one")).fit().mu
        )

    @pytest.mark.parametrize(
        "of",
        [
            lambda curve: curve.fit(),
            lambda curve: curve.fit().guarantee,
            lambda curve: curve.fit().with_slack,
            lambda curve: curve.implied(),
            lambda curve: curve.implied().compose(GDP(0.0)),
            lambda curve: ApproxGDP(0.0, 0.0).compose(curve.implied()).implied(),
            lambda curve: gaussdp.account(curve.implied()),
            lambda curve: gaussdp.account(curve.implied()).fit(),
            lambda curve: gaussdp.Composition([curve.implied()]),
            lambda curve: pickle.loads(pickle.dumps(curve.implied())),
        ],
    )
    def test_what_a_mechanism_gave_knows_its_neighbours(self, of):
        """In a replace-one ledger it costs twice the mu for adding or removing; the other way round nothing follows."""
        found = of(gaussdp.account(Gaussian(2.0)))
        for adjacency, mu in (("add-remove", 0.5), ("replace-one", 1.0)):
            charged = charge_of(found, unit="one person", adjacency=adjacency).guarantee
            assert mu <= charged.mu <= mu * (1 + 1e-11)
            assert charged.delta_bound == 0
        with pytest.raises(DomainError, match="nothing follows for adding or removing"):
            charge_of(of(gaussdp.account(Gaussian(2.0, "replace-one"))), **BOOK)

    def test_a_bare_number_is_what_a_person_says(self):
        """Also after the same number of a mechanism was charged, which is equal and is remembered."""
        exchanged = {**BOOK, "adjacency": "replace-one"}
        assert charge_of(gaussdp.account(Gaussian(2.0)).implied(), **exchanged).square == 1
        assert charge_of(GDP(0.5), **exchanged).square == Fraction(1, 4)
        assert gaussdp.account(Gaussian(2.0)).implied() == GDP(0.5)

    @pytest.mark.parametrize(
        "of",
        [
            lambda curve: curve.fit(),
            lambda curve: curve.fit().with_slack,
            lambda curve: curve.by_distribution,
            lambda curve: curve.enclosed,
        ],
    )
    def test_a_fit_with_slack_is_not_converted(self, of):
        """It used to be charged as if it were that of the ledger, 0.52 for a run that costs 0.70."""
        found = of(gaussdp.account(gaussdp.DPSGD(1.0, 0.01, 1000)))
        assert charge_of(found, **BOOK).slack > 0
        with pytest.raises(DomainError, match="charge the mechanism itself"):
            charge_of(found, unit="one person", adjacency="replace-one")

    def test_what_contradicts_is_refused(self):
        exchanged = gaussdp.account(Gaussian(2.0, "replace-one")).implied()
        with pytest.raises(DomainError, match="stated_for must be that of the release, replace-one"):
            charge_of(exchanged, **BOOK, stated_for="add-remove")
        for together in ([Gaussian(2.0), exchanged], [exchanged, gaussdp.account(Gaussian(2.0)).implied()]):
            with pytest.raises(DomainError, match="adjacency"):
                gaussdp.Composition(together)
        with pytest.raises(DomainError, match="same for all guarantees"):
            exchanged.compose(gaussdp.account(Gaussian(2.0)).implied())
        with pytest.raises(DomainError, match="that of the guarantee, replace-one"):
            gaussdp.Stated(exchanged, "add-remove")

    @pytest.mark.parametrize(
        ("release", "adjacency", "said"),
        [
            (Gaussian(4.0, "replace-one"), "add-remove", None),
            (gaussdp.RandomizedResponse(1.0), "add-remove", None),
            (GDP(0.1), "add-remove", "replace-one"),
            (ApproxGDP(0.1, 1e-9), "replace-one", "add-remove"),
            (gaussdp.DiscreteGaussian(4.0), "replace-one", None),
        ],
    )
    def test_what_is_not_is_refused(self, release, adjacency, said):
        with pytest.raises(DomainError, match="adjacency"):
            charge_of(release, unit="one person", adjacency=adjacency, stated_for=said)


def test_a_release_stated_for_several_records_costs_its_own_mu():
    release = gaussdp.DPSGD(1.0, 0.00512, 3907, records_per_unit=4)
    assert charge_of(release, **BOOK).guarantee.mu == pytest.approx(gaussdp.account(release).fit().mu, rel=1e-9)


class TestRuns:
    def run(self, **others):
        return Run(**{"mechanism": TRAINING, "unit": "one person", "adjacency": "add-remove"} | others)

    def test_a_run_costs_what_its_mechanism_does(self):
        assert charge_of(self.run(sampling="poisson"), **BOOK).square == charge_of(TRAINING, **BOOK).square
        three = charge_of(self.run(mechanism=Gaussian(6.0), records_per_unit=3), **BOOK)
        assert Fraction(1, 4) < three.square < Fraction(1, 4) * (1 + Fraction(1, 10**11))
        tuned = charge_of(self.run(mechanism=Gaussian(6.0), tuning="counted", tuning_runs=8), **BOOK)
        assert tuned.square == Fraction(1, 4)

    def test_the_book_keeps_what_a_run_does_not_state(self):
        assert charge_of(self.run(sampling="poisson"), **BOOK).words.endswith(
            "; not stated and taken as accounted: records per unit, tuning, clipping, randomness"
        )
        told = {"sampling": "poisson", "clipping": "per-example", "tuning": "none", "records_per_unit": 1}
        whole = self.run(**told, randomness="secure")
        assert charge_of(whole, **BOOK).words == charge_of(TRAINING, **BOOK).words

    @pytest.mark.parametrize(
        "others",
        [
            {"unit": "one image"},
            {"sampling": "shuffle"},
            {"clipping": "per-batch"},
            {"tuning": "not counted", "tuning_runs": 3},
        ],
        ids=lambda others: next(iter(others)),
    )
    def test_a_run_whose_account_does_not_hold_is_refused(self, others):
        with pytest.raises(DomainError, match=next(iter(others))):
            charge_of(self.run(**others), **BOOK)


def test_plan_files_and_events(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('[[releases]]\nmechanism = "gaussian"\nnoise_multiplier = 4.0\ntimes = 2\n')
    assert charge_of(plan, **BOOK).square == Fraction(1, 8)
    import dp_accounting

    event = dp_accounting.SelfComposedDpEvent(dp_accounting.GaussianDpEvent(4.0), 2)
    assert charge_of(event, **BOOK).square == Fraction(1, 8)
    with pytest.raises(DomainError, match="release must be"):
        charge_of(3.0, **BOOK)
