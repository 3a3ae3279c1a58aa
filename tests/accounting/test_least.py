"""Where a parameter is itself a bound, every lower end is one of what surely loses no more."""

import math
import pickle
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

import gaussdp
from gaussdp.accounting import DistributionCurve, account
from gaussdp.accounting.bounds.enclosures import smallest
from gaussdp.accounting.certified.proving import certify
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP
from gaussdp.guarantees.claim import Claim
from gaussdp.mechanisms import (
    DPSGD,
    BestOf,
    Composition,
    CyclicPoisson,
    Dense,
    Gaussian,
    Laplace,
    MatrixMechanism,
    Mechanism,
    Participation,
    RandomAllocation,
    Toeplitz,
    Tree,
    TruncatedPoisson,
    WithoutReplacement,
)

TREE = MatrixMechanism(1.0, Tree(7), Participation(1, 3))
"""By enumeration of all patterns one record moves it by the root of 17, and the bound on that is the root of 18."""
TRUE_MU = math.sqrt(17)
CUT = MatrixMechanism(1.0, Toeplitz([1.0, 0.9], 9), CyclicPoisson(2, 0.3))
"""In no group have all five turns a whole column: the last is cut off by the last row."""


def reached(read, truth):
    """Whether the truth lies within the error that a reading claims."""
    return np.all(np.abs(np.asarray(truth) - read.value) <= np.asarray(read.error) * np.abs(read.value) * (1 + 1e-9))


QUESTIONS = [("epsilon", [1e-5, 0.01]), ("delta", [0.0, 1.0, 20.0]), ("fnr", [1e-3, 0.3]), ("tpr", [1e-3, 0.3])]


def test_readings_reach_the_truth():
    curve, truth = account(TREE), GDP(TRUE_MU)
    assert truth.epsilon(1e-5) == pytest.approx(25.40067, abs=1e-5)
    for name, levels in [*QUESTIONS, ("fpr", [0.9])]:
        read = getattr(curve.reading, name)(np.array(levels))
        assert reached(read, getattr(truth, name)(np.array(levels))), name
        for direction in (curve.remove, curve.add) if name != "fpr" else ():
            read = getattr(direction.reading, name)(np.array(levels))
            assert reached(read, getattr(truth, name)(np.array(levels))), name


def test_the_fit_and_its_certificate():
    fit = account(TREE).fit()
    assert fit.mu_lower <= TRUE_MU <= fit.mu
    assert fit.mu_lower == pytest.approx(math.sqrt(3), rel=1e-13)  # that of one contribution
    assert fit.error > 0.5
    assert not any("exactly" in note for note in fit.notes())
    for ask in (lambda: certify(TREE, 1e-6), lambda: account(TREE).fit(certified=True)):
        with pytest.raises(DomainError, match=r"cannot be certified: of .* only an upper bound is known"):
            ask()
    for run in (CUT, Composition([TREE, DPSGD(1.0, 0.01, 9)]), 3 * TREE):
        with pytest.raises(DomainError, match="only an upper bound is known"):
            certify(run, None, [1.0])


def test_the_smallest_value_of_a_claim():
    for claim in (Claim(mu=1.0), Claim(mu=1.0, floor=1e-6), Claim(epsilon=1.0, delta=1e-5), Claim(rho=1.0)):
        truth, found = smallest(Gaussian(1 / TRUE_MU), claim), smallest(TREE, claim)
        assert 0 < found.lower <= truth.lower <= truth.upper <= found.upper


@pytest.mark.parametrize(("mu", "status"), [(1.7, "false"), (4.1, "undecided"), (4.2427, "sound")])
def test_a_claim_is_false_only_if_it_surely_is(mu, status):
    run = gaussdp.Run(mechanism=TREE, unit="one person", adjacency="add-remove", tuning="none", records_per_unit=1)
    found = gaussdp.check_claim(run, f"mu={mu}")
    assert found.status == status
    found = gaussdp.check_claim(run, "epsilon=8 delta=1e-5")
    assert found.status == "false"  # one contribution has more
    assert not any("true δ" in sentence for sentence in found.sentences)


def test_an_enclosure_and_a_distribution():
    """The first is asked for where no exact method answers, the second where losses have atoms."""
    run = Composition([MatrixMechanism(20.0, Tree(7), Participation(1, 3)), DPSGD(2.0, 0.02, 50)])
    less = Composition([Gaussian(20.0 / TRUE_MU), DPSGD(2.0, 0.02, 50)])
    curve, truth = account(run), account(less)
    for read in (curve.reading.epsilon(1e-5), curve.enclosed.values("epsilon", np.array([1e-5]))):
        assert reached(read, truth.epsilon(1e-5))
    assert curve.enclosed.fit(1e-6).mu_lower <= truth.fit(1e-6).mu_lower
    assert curve.fit(1e-6).mu_lower <= truth.fit(1e-6).mu_lower <= truth.fit(1e-6).mu <= curve.fit(1e-6).mu
    with_atoms = account(Composition([TREE, Laplace(2.0)]))
    assert isinstance(with_atoms, DistributionCurve)
    known = account(Composition([Gaussian(1 / TRUE_MU), Laplace(2.0)]))
    assert with_atoms.epsilon_lower(1e-5) < known.epsilon(1e-5)
    assert pickle.loads(pickle.dumps(with_atoms)).epsilon_lower(1e-5) == with_atoms.epsilon_lower(1e-5)


def test_turns_whose_last_column_is_cut_off():
    """Group by group: four whole columns and one of norm 1, or four whole ones."""
    whole, cut = math.sqrt(1.81), 1.0
    truth = account(Composition([DPSGD(1 / whole, 0.3, 4), DPSGD(1 / cut, 0.3, 1)]))
    curve = account(CUT)
    assert CUT.bounded
    for mine, known in ((curve, truth), (curve.remove, truth.remove), (curve.add, truth.add)):
        assert reached(mine.reading.delta(np.array([0.5, 2.0])), known.delta(np.array([0.5, 2.0])))
        assert reached(mine.reading.tpr(0.01), known.tpr(0.01))
    fit, known = curve.fit(1e-6), truth.fit(1e-6)
    assert fit.mu_lower <= known.mu_lower <= known.mu <= fit.mu
    assert curve.by_distribution.epsilon_lower(1e-5) <= truth.epsilon(1e-5)
    for strategy, turns in (
        (Toeplitz([1.0, 0.9], 10), 5),
        (Toeplitz([1.0, 0.9], 9), 4),
        (Dense(np.diag([1.0, 2.0, 1.0, 2.0, 1.0])), 2),
        (Dense(np.eye(5)), 3),
    ):
        run = MatrixMechanism(1.0, strategy, CyclicPoisson(2, 0.3))
        assert sum(count for _, count in run.least.parts()) == turns
        assert run.bounded == (turns < -(-strategy.steps // 2))


@dataclass(frozen=True)
class Unknown(Mechanism):
    """A mechanism of someone else, of which nothing is known but that it loses no more than a Gaussian release."""

    @property
    def adjacency(self):
        return "add-remove"

    @property
    def bounded(self):
        return True

    def parts(self) -> Iterator[tuple[Mechanism, int]]:
        yield Gaussian(2.0), 1


def test_what_is_known_of_no_lower_end_has_none():
    curve = account(Unknown())
    assert Unknown().least is None
    assert (curve.fit().mu_lower, curve.fit().mu) == (0.0, 0.5)
    for name, levels in [*QUESTIONS, ("fpr", [0.9])]:
        read = getattr(curve.reading, name)(np.array(levels))
        nothing = getattr(GDP(0.0), name)(np.array(levels))
        assert reached(read, nothing), name
    assert smallest(Unknown(), Claim(mu=1.0)).lower == 0.0


BOUNDED = [
    TREE,
    CUT,
    2 * TREE,
    Composition([Gaussian(1.0), TREE]),
    BestOf(Gaussian(2.0), mean_runs=10),
    TruncatedPoisson(1.0, 0.01, 5, batch_limit=110, dataset_size=10_000),
    WithoutReplacement(1.0, batch_size=256, dataset_size=50_000, steps=3),
    RandomAllocation(1.0, batches=20, epochs=1, uses_per_epoch=2),
]


@pytest.mark.parametrize("run", BOUNDED, ids=lambda run: type(run).__name__)
def test_every_bounded_mechanism_has_another_least(run):
    """Itself it must not be: its account is only one from above."""
    assert run.bounded
    assert run.least is not run
    assert run.least is None or not run.least.bounded


@pytest.mark.parametrize(
    "run",
    [Gaussian(2.0), DPSGD(1.0, 0.01, 9), 3 * Laplace(1.0), Composition([Gaussian(2.0), DPSGD(1.0, 0.01, 9)])],
    ids=lambda run: type(run).__name__,
)
def test_a_mechanism_whose_parameters_are_what_they_say_is_its_own_least(run):
    assert not run.bounded
    assert run.least is run
