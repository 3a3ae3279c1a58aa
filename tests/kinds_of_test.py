"""Two risks and a mechanism that gaussdp does not have: all that there is to say about them stands here."""

from collections.abc import Iterator
from dataclasses import dataclass

import gaussdp
from gaussdp import Guarantee, Risk
from gaussdp.mechanisms.base import Adjacency
from gaussdp.risks import FPR, Level, Unit

MISSES = Level(key="miss_rate", label="miss rate", usual=(0.5, 0.9))


@dataclass(frozen=True)
class BalancedAccuracy(Risk):
    """At a level that there is already, and with nothing but the number itself."""

    name = "balanced accuracy"
    level = FPR
    unit = Unit.SHARE
    criterion = True

    fpr: float

    def of(self, guarantee: Guarantee) -> float:
        return (guarantee.tpr(self.fpr) + 1 - self.fpr) / 2


@dataclass(frozen=True)
class AlarmsAvoided(Risk):
    """At a level of its own, with a closed form and words of its own."""

    name = "alarms avoided"
    label = "Avoided alarms"
    hint = "how many fewer nonmembers than members are accused"
    quantity = "1 − FPR/TPR"
    level = MISSES
    criterion = True
    decimals = 1

    miss_rate: float

    def of(self, guarantee: Guarantee) -> float:
        return 1 - guarantee.fpr(1 - self.miss_rate) / (1 - self.miss_rate)

    def mu_from_epsilon(self, epsilon):
        return gaussdp.mu_from_precision(epsilon, 1 - self.miss_rate)


@dataclass(frozen=True)
class TwoLooks(gaussdp.Mechanism):
    """Two Gaussian releases about the same data, the second with twice the noise."""

    kind = "two-looks"

    noise_multiplier: float
    adjacency: Adjacency = "add-remove"

    def parts(self) -> Iterator[tuple[gaussdp.Mechanism, int]]:
        yield gaussdp.Gaussian(self.noise_multiplier, self.adjacency), 1
        yield gaussdp.Gaussian(2 * self.noise_multiplier, self.adjacency), 1

    @property
    def sentence(self) -> str:
        return f"two looks with noise {self.noise_multiplier:g}"
