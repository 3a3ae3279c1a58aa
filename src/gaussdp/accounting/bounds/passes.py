r"""How often a record takes part where batches are cut from the data rather than sampled.

A loader cuts a pass over n records into N batches of b: :math:`\lfloor n/b \rfloor` of them if it drops the last,
incomplete one, :math:`\lceil n/b \rceil` if it keeps it. In every pass a record is in one batch, or in none if it was
dropped. A run of T steps, which begins a pass, holds a record at most :math:`\lceil T/N \rceil` times, some record that
often, and a record that is never dropped at least :math:`\lfloor T/N \rfloor` times. What is not stated is taken as few
batches for an upper bound and as many for a lower one.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from gaussdp.accounting.bounds.closed_forms import implied_mu
from gaussdp.mechanisms import Composition, Gaussian, Mechanism, PoissonSampled, ZCDPGaussian
from gaussdp.mechanisms.base import Repeated

_ROUNDING = 2.0**-51  # of 1 / (b / n) in doubles; a quotient that is not whole is farther off for n up to 1e15
_MOST = 1e300  # batches: beyond, a double is infinite


@dataclass(frozen=True)
class Loader:
    """What is stated about the batches of one pass.

    Attributes:
        batches_per_pass: their number; None if not stated.
        drop_last: whether a last, incomplete batch is dropped; None if not stated.
    """

    batches_per_pass: int | None = None
    drop_last: bool | None = None

    def batches(self, sample_rate: float) -> tuple[int, int]:
        """The fewest and the most batches of a pass that fit what is stated."""
        if self.batches_per_pass is not None:
            return self.batches_per_pass, self.batches_per_pass
        full, all_ = cut(sample_rate)
        return (full if self.drop_last is not False else all_), (all_ if self.drop_last is not True else full)

    def drops(self, sample_rate: float) -> bool:
        """Whether a pass may leave a record out."""
        return self.batches(sample_rate)[0] < cut(sample_rate)[1]


def cut(sample_rate: float) -> tuple[int, int]:
    """The full batches of a pass, and all of them with an incomplete last one."""
    exact = min(1 / sample_rate, _MOST)
    nearest = round(exact)
    if abs(exact - nearest) <= _ROUNDING * exact:
        return nearest, nearest
    return math.floor(exact), math.ceil(exact)


UNSTATED = Loader()


@dataclass(frozen=True)
class Passes:
    """Runs of one mechanism, each of so many sampled steps, each beginning a pass."""

    part: PoissonSampled
    runs: int
    steps: int

    def at_most(self, batches: int) -> int:
        """How often a record takes part at the most, if a pass has so many batches."""
        return self.runs * math.ceil(self.steps / batches)


def stretches(mechanism: Mechanism) -> list[Passes]:
    """The sampled steps of a mechanism by the runs that make them."""
    return [
        Passes(part, times, count)
        for leaf, times in _leaves(mechanism)
        for part, count in leaf.parts()
        if isinstance(part, PoissonSampled)
    ]


def _leaves(mechanism: Mechanism, times: int = 1) -> Iterator[tuple[Mechanism, int]]:
    """What a composition repeats; sampled steps that are repeated are one run."""
    if isinstance(mechanism, Composition):
        for item in mechanism.mechanisms:
            yield from _leaves(item, times)
    elif isinstance(mechanism, Repeated) and not isinstance(mechanism.mechanism, PoissonSampled):
        yield from _leaves(mechanism.mechanism, times * mechanism.count)
    else:
        yield mechanism, times


def most_mu(mechanism: Mechanism, loader: Loader = UNSTATED, *, each_step: bool = False) -> float:
    """The mu that holds without relying on random batches, for a record that is blanked out; infinite if unknown.

    Args:
        mechanism: described as if it sampled.
        loader: how batches are cut.
        each_step: whether a record may be in every batch, not in one a pass.
    """
    squares = [
        count * implied_mu(part) ** 2 for part, count in mechanism.parts() if not isinstance(part, PoissonSampled)
    ]
    for one in stretches(mechanism):
        uses = one.runs * one.steps if each_step else one.at_most(loader.batches(one.part.sample_rate)[0])
        squares.append(uses * one.part.mechanism.mu**2)
    return _root(squares)


def least_mu_shuffled(mechanism: Mechanism, loader: Loader) -> float:
    """The mu of the Gaussian releases that some order of shuffled data makes; each order has a positive probability."""
    uses = [
        one.at_most(loader.batches(one.part.sample_rate)[1]) * one.part.mechanism.mu**2 for one in stretches(mechanism)
    ]
    return _root([*_plain(mechanism), *uses])


def least_mu_fixed(mechanism: Mechanism, loader: Loader) -> float:
    """A mu that some record has for sure if every run uses its own batches, the same in every pass.

    Some record is in :math:`\\lceil T/N \\rceil` batches of one run; over several runs, whose batches may differ, in
    the mean over all records, rounded up. In the other runs it is in as many as every record is.
    """
    plain, found = _plain(mechanism), [0.0]
    runs = stretches(mechanism)
    for one in runs:
        rate = one.part.sample_rate
        batches = loader.batches(rate)[1] if one.runs == 1 else cut(rate)[1]
        best = math.ceil(one.runs * one.steps / batches) * one.part.mechanism.mu**2
        others = [
            other.runs * (other.steps // loader.batches(other.part.sample_rate)[1]) * other.part.mechanism.mu**2
            for other in runs
            if other is not one and not loader.drops(other.part.sample_rate)
        ]
        found.append(math.fsum([best, *others]))
    return _root([*plain, max(found)])


def _plain(mechanism: Mechanism) -> list[float]:
    """The squared mu of the Gaussian releases without sampling; others can only reveal more."""
    return [count * part.mu**2 for part, count in mechanism.parts() if isinstance(part, Gaussian | ZCDPGaussian)]


def _root(squares: list[float]) -> float:
    return float(f"{math.sqrt(math.fsum(squares)):.15g}")  # 0.7, not 0.7000000000000001, which would round up to 0.701
