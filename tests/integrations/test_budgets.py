"""Training reserves before its first step, and makes no step that was not reserved."""

import pytest

from gaussdp import DPSGD, GDP, BudgetExceeded, DomainError, Ledger

pytest.importorskip("opacus", reason='needs Opacus: pip install "gaussdp[opacus]"')

from gaussdp.integrations.budgets import training_within
from gaussdp.integrations.opacus import GaussdpAccountant

RUN = {"noise_multiplier": 1.0, "sample_rate": 0.01}


@pytest.fixture
def book(tmp_path):
    with Ledger.create(str(tmp_path / "budget.db"), unit="one image", adjacency="add-remove") as made:
        made.open_budget("models", GDP(0.5), slack=1e-6)
        yield made


def test_reserved_before_the_first_step_and_committed_after_the_last(book):
    accountant = GaussdpAccountant()
    with training_within(book, "models", accountant, key="a", steps=20, **RUN) as entry:
        assert (book.state("a"), len(accountant)) == ("reserved", 0)
        for _ in range(20):
            accountant.step(noise_multiplier=1.5, sample_rate=0.005)  # less is lost than was reserved
    assert (book.state("a"), accountant.limit, len(accountant)) == ("committed", None, 20)
    assert entry.content["plan"] == [DPSGD(**RUN, steps=20).plan_entry()]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, "steps must be at most 3"),
        ({"noise_multiplier": 0.9}, "at least 1.0"),
        ({"sample_rate": 0.02}, "at most 0.01"),
    ],
)
def test_a_step_that_was_not_reserved_is_refused(book, change, said):
    accountant = GaussdpAccountant()
    steps = [RUN] * 3 + [RUN | change] if not change else [RUN, RUN | change]
    reserved = training_within(book, "models", accountant, key="a", steps=3, **RUN)
    with pytest.raises(DomainError, match=said), reserved:
        [accountant.step(**step) for step in steps]
    assert book.state("a") == "reserved"
    assert len(accountant) == len(steps) - 1


def test_other_batches_are_refused(book):
    accountant = GaussdpAccountant()
    with training_within(book, "models", accountant, key="a", steps=3, **RUN):
        with pytest.raises(DomainError, match="sampling"):
            accountant.limit(1.0, 0.01, "shuffle")
        with pytest.raises(DomainError, match="another reservation"):
            training_within(book, "models", accountant, key="b", steps=3, **RUN).__enter__()
    assert book.state("b") == "unknown"


def test_training_that_costs_too_much_never_begins(book):
    accountant = GaussdpAccountant()
    with pytest.raises(BudgetExceeded), training_within(book, "models", accountant, key="a", steps=10**5, **RUN):
        accountant.step(**RUN)
    assert len(accountant) == 0


def test_events_of_dp_accounting(book):
    events = pytest.importorskip("dp_accounting")
    step = events.PoissonSampledDpEvent(0.01, events.GaussianDpEvent(1.0))
    with book.spending("models", events.SelfComposedDpEvent(step, 100), key="a") as entry:
        assert 0 < entry.guarantee.delta_bound < 1e-8
    assert book.state("a") == "committed"
