"""The enclosed profile of a composition of Gaussian releases, plain and sampled, at any epsilon."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gaussdp.accounting.enclosed.mixtures import SampledMixture, profiles
from gaussdp.accounting.enclosed.moments import MomentBounds
from gaussdp.accounting.loss.steps import SampledGaussianLoss, StepLoss
from gaussdp.numerics import Floats, epsilon_from_mu


@dataclass(frozen=True)
class SearchSettings:
    """What is tuned about searches for an epsilon."""

    halvings: int = 60
    width: float = 1e-12  # relative width of the bracket at which a search ends
    smallest: float = 1e-290  # delta below which products of probabilities may vanish
    chief: int = 4  # kinds of sampled steps that are seen as mixtures, those of the largest losses


SETTINGS = SearchSettings()


class EnclosedProfile:
    """Bounds on the profile of plain Gaussian releases and counted sampled steps, at least one.

    Args:
        squared_mu: of the plain releases together.
        steps: the sampled ones.
        unsampled: squared mu of each of these without sampling, all its repetitions together.
    """

    unsampled_mu: float

    def __init__(self, squared_mu: float, steps: Sequence[tuple[StepLoss, int]], unsampled: Sequence[float]) -> None:
        squares = list(unsampled)
        self.unsampled_mu = math.sqrt(squared_mu + math.fsum(squares))
        self._lowest = sum(count * step.lowest for step, count in steps)
        self._plain_mu = math.sqrt(squared_mu)
        self._moments = MomentBounds(squared_mu, steps, unsampled)
        # The sampled steps that matter most; to the upper bounds all others are unsampled, to the lower ones not there.
        kinds = [(square, index) for index, square in enumerate(squares)]
        sampled = [pair for pair in kinds if isinstance(steps[pair[1]][0], SampledGaussianLoss)]
        total = squared_mu + math.fsum(squares)
        self._mixtures = []
        for square, index in sorted(sampled, reverse=True)[: SETTINGS.chief]:
            step, count = steps[index]
            if isinstance(step, SampledGaussianLoss):
                others = total - square if len(squares) > 1 else squared_mu
                self._mixtures.append(
                    SampledMixture(step.noise_multiplier, step.sample_rate, count, squared_mu, others)
                )

    def upper(self, epsilon: Floats) -> Floats:
        """Upper bounds on delta at epsilons from zero on."""
        either, remove = _gaussian(epsilon, self.unsampled_mu), np.ones(epsilon.size)
        for mixture in self._mixtures:
            either = np.minimum(either, mixture.upper(epsilon))
            remove = np.minimum(remove, mixture.upper_remove(epsilon))
        remove = np.minimum(remove, either)
        # Of the add direction the sampled steps' loss is at most -lowest.
        add = either
        if self._lowest > -math.inf:
            add = np.minimum(either, _gaussian(epsilon + self._lowest, self._plain_mu))
        for index, one in enumerate(epsilon.tolist()):
            remove[index] = min(remove[index], self._moments.remove(one)[1])
            add[index] = min(add[index], self._moments.add(one)[1]) if add[index] > remove[index] else add[index]
        return np.maximum(np.maximum(remove, add), SETTINGS.smallest)

    def lower(self, epsilon: Floats) -> Floats:
        """Lower bounds on delta at epsilons from zero on."""
        least = np.array([self._moments.remove(one)[0] for one in epsilon.tolist()])
        for mixture in self._mixtures:
            least = np.maximum(least, mixture.lower(epsilon))
        return least

    def epsilon(self, delta: float) -> tuple[float, float]:
        """Bounds on the least epsilon at a delta in (0, 1), from below and from above."""
        level = max(delta, SETTINGS.smallest)
        most = float(epsilon_from_mu(np.array([self.unsampled_mu]), np.array([level]))[0]) * (1 + 1e-12)
        high = _crossing(lambda epsilon: float(self.upper(np.array([epsilon]))[0]) > level, most)[1]
        low = _crossing(lambda epsilon: float(self.lower(np.array([epsilon]))[0]) > delta, high)[0]
        return (low, high) if delta >= SETTINGS.smallest else (low, self._at_any_rate(delta))

    def _at_any_rate(self, delta: float) -> float:
        return float(epsilon_from_mu(np.array([self.unsampled_mu]), np.array([delta]))[0]) * (1 + 1e-12)


def _gaussian(epsilon: Floats, mu: float) -> Floats:
    """delta of mu-GDP at any real epsilons."""
    return profiles(epsilon[:, np.newaxis], np.array([mu]))[:, 0]


def _crossing(above: Callable[[float], bool], most: float) -> tuple[float, float]:
    """Neighbouring epsilons in [0, most], the first above a level (or 0) and the second not (or the most)."""
    if most <= 0 or not above(0.0):
        return 0.0, 0.0
    low, high = 0.0, most
    for _ in range(SETTINGS.halvings):
        if high - low <= SETTINGS.width * high:
            break
        middle = 0.5 * (low + high)
        if above(middle):
            low = middle
        else:
            high = middle
    return low, high
