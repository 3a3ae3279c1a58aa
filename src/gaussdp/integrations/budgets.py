"""Training within a budget of a book: reserved before the first step, and no step beyond what was reserved."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from gaussdp.errors import DomainError
from gaussdp.ledger import Entry, Ledger
from gaussdp.mechanisms import DPSGD

_POISSON = ("poisson", "full batch", "not seen")  # what the reservation covers; who counts steps by hand is believed


class CountsSteps(Protocol):
    """An accountant that asks before it counts a step, such as that of `gaussdp.integrations.opacus`."""

    limit: Callable[[float, float, str], None] | None


@contextmanager
def training_within(
    book: Ledger,
    budget: str,
    accountant: CountsSteps,
    *,
    key: str,
    noise_multiplier: float,
    sample_rate: float,
    steps: int,
    **others: Any,
) -> Iterator[Entry]:
    """Reserve a training run, let it run within what was reserved, and commit.

    A step with less noise, a larger sample rate, other batches than Poisson samples, or beyond the last is refused
    before its update is applied. A step with more noise or a smaller sample rate loses no more than was reserved. After
    an exception the reservation stays spent.

    Args:
        book, budget, key, others: as for `Ledger.spending`.
        accountant: of the training.
        noise_multiplier, sample_rate, steps: of the run, as for `DPSGD`.

    >>> import gaussdp, tempfile
    >>> from gaussdp.integrations.opacus import GaussdpAccountant
    >>> folder = tempfile.TemporaryDirectory()
    >>> book = Ledger.create(f"{folder.name}/budget.db", unit="one image", adjacency="add-remove")
    >>> _ = book.open_budget("models", gaussdp.GDP(1.0), slack=1e-6)
    >>> run, accountant = {"noise_multiplier": 1.0, "sample_rate": 0.01}, GaussdpAccountant()
    >>> with training_within(book, "models", accountant, key="model-3", steps=100, **run):
    ...     for _ in range(100):
    ...         accountant.step(**run)
    >>> book.state("model-3"), book.budget("models").spent.mu < 0.5
    ('committed', True)
    >>> book.close(); folder.cleanup()
    """
    run = DPSGD(noise_multiplier, sample_rate, steps)
    if accountant.limit is not None:
        raise DomainError("accountant", problem="counts for another reservation", advice="give each training its own")
    with book.spending(budget, run, key=key, **others) as entry:
        accountant.limit = _Limit(run)
        try:
            yield entry
        finally:
            accountant.limit = None


class _Limit:
    """Refuses steps that a reservation does not cover."""

    def __init__(self, run: DPSGD) -> None:
        self._run, self._done = run, 0

    def __call__(self, noise_multiplier: float, sample_rate: float, sampling: str) -> None:
        run = self._run
        if self._done >= run.steps:
            raise DomainError(
                "steps", f"at most {run.steps:,}, as reserved", advice="reserve the rest under another key"
            )
        if noise_multiplier < run.noise_multiplier:
            raise DomainError("noise_multiplier", f"at least {run.noise_multiplier}, as reserved", noise_multiplier)
        if sample_rate > run.sample_rate:
            raise DomainError("sample_rate", f"at most {run.sample_rate}, as reserved", sample_rate)
        if sampling not in _POISSON:
            raise DomainError("sampling", '"poisson", as reserved', sampling)
        self._done += 1
