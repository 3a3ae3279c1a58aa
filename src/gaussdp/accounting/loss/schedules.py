r"""Many different steps as a few that stand for them, so that a schedule of 10,000 costs no more than a dozen.

The log-transform of a step, :math:`\log M(\theta; \sigma, q)`, is an analytic function of :math:`1/\sigma` for a fixed
rate, and of :math:`\log q` for a fixed noise. The sum over a schedule is an integral of it against a discrete measure,
and the Gauss rule of that measure with m nodes is exact for polynomials of degree 2m - 1: steps at its nodes, counted
by its positive weights, have the transform of the schedule. Lines compare two rules, as they compare two grids of
outputs, and count the difference as an error.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple

import numpy as np

from gaussdp.accounting.loss.steps import SampledGaussianLoss, StepLoss
from gaussdp.numerics import Floats

Counted = tuple[StepLoss, float]
"""A step and how often it runs; a rule counts in fractions."""


Schedules = tuple[Sequence[Counted], ...]
"""Steps, and where these stand for others a finer choice of such steps to compare them with."""


@dataclass(frozen=True)
class ScheduleSettings:
    """What is tuned about rules."""

    least: int = 300  # different steps from which on a rule is made
    nodes: tuple[tuple[int, float], ...] = ((14, 8.0), (24, 12.0))
    """Of rules, in order of trial: over a narrow range, and further ones for each unit of 1/sigma, or of log q, between
    the ends. The first serves all but deep tails."""
    check: int = 3  # more nodes in the finer rule
    saving: float = 4.0  # factor by which a rule must shorten steps


SETTINGS = ScheduleSettings()


def schedules_for(steps: Sequence[tuple[StepLoss, int]]) -> list[Schedules]:
    """In order of trial: rules for many different steps of one record; and the steps themselves."""
    if len(steps) < SETTINGS.least:
        return [(steps,)]
    counts: dict[tuple[float, float], float] = {}  # by noise and rate
    others: list[Counted] = []
    for step, count in steps:
        if isinstance(step, SampledGaussianLoss):
            numbers = step.noise_multiplier, step.sample_rate
            counts[numbers] = counts.get(numbers, 0) + count
        else:
            others.append((step, count))
    if len(counts) >= SETTINGS.least:
        noises, rates = (np.array(numbers) for numbers in zip(*counts, strict=True))
        if np.unique(rates).size <= np.unique(noises).size:
            families = _by_groups(counts, rates, 1 / noises, _of_noise)
        else:
            families = _by_groups(counts, noises, np.log(rates), _of_rate)
        short = [rules for rules in families if SETTINGS.saving * len(rules[1]) <= len(counts)]
        return [*(tuple([*rule, *others] for rule in rules) for rules in short), (steps,)]
    return [(steps,)]


def _of_noise(rate: float, inverse_noise: float) -> SampledGaussianLoss:
    return SampledGaussianLoss(1 / inverse_noise, rate)


def _of_rate(noise: float, log_rate: float) -> SampledGaussianLoss:
    return SampledGaussianLoss(noise, math.exp(log_rate))


def _by_groups(
    counts: dict[tuple[float, float], float],
    keys: Floats,
    places: Floats,
    step_at: Callable[[float, float], SampledGaussianLoss],
) -> list[tuple[list[Counted], list[Counted]]]:
    """For each number of nodes: the steps of each key by rules over their places, where that shortens them."""
    families: list[tuple[list[Counted], list[Counted]]] = [([], []) for _ in SETTINGS.nodes]
    weights = np.array(list(counts.values()), np.float64)
    values, owners = np.unique(keys, return_inverse=True)
    for index, shared in enumerate(values.tolist()):
        mine = owners == index
        x = places[mine]
        span = float(x.max() - x.min())
        sizes = [math.ceil(least + per_range * span) for least, per_range in SETTINGS.nodes]
        most = max(sizes) + SETTINGS.check
        if x.size < 2 * most:
            members = [(SampledGaussianLoss(*numbers), count) for numbers, count in compress(counts.items(), mine)]
            for rule in (rule for rules in families for rule in rules):
                rule += members
            continue
        matrix = jacobi(x, weights[mine], most)
        for rules, size in zip(families, sizes, strict=True):
            for rule, nodes in zip(rules, (size, size + SETTINGS.check), strict=True):
                rule += [(step_at(shared, place), weight) for place, weight in matrix.rule(nodes)]
    return families


class Jacobi(NamedTuple):
    """The tridiagonal matrix of a measure on places, moved to [-1, 1]; its leading blocks give the smaller rules."""

    diagonal: Floats
    beside: Floats
    centre: float
    radius: float
    total: float

    def rule(self, size: int) -> Sequence[tuple[float, float]]:
        """Nodes and weights that integrate polynomials of degree 2 size - 1 as the weighted places do.

        The nodes are the eigenvalues of the leading block, the weights the squares of the first components of its
        eigenvectors (Golub & Welsch 1969).
        """
        block = np.diag(self.diagonal[:size])
        index = np.arange(size - 1)
        block[index, index + 1] = block[index + 1, index] = self.beside[: size - 1]
        nodes, vectors = np.linalg.eigh(block)
        places, weights = self.centre + self.radius * nodes, self.total * vectors[0] ** 2
        return list(zip(places.tolist(), weights.tolist(), strict=True))


def jacobi(places: Floats, weights: Floats, size: int) -> Jacobi:
    """By Lanczos' process on the diagonal matrix of the places, more than size (Gautschi 2004, section 2.2.3)."""
    low, high = float(places.min()), float(places.max())
    centre, radius = 0.5 * (low + high), 0.5 * (high - low)
    x = (places - centre) / radius
    total = float(weights.sum())
    basis = np.empty((size, x.size))
    basis[0] = np.sqrt(weights / total)
    diagonal, beside = np.empty(size), np.empty(size - 1)
    for k in range(size):
        image = x * basis[k]
        diagonal[k] = basis[k] @ image
        if k + 1 == size:
            break
        for _ in range(2):  # orthogonal to all before, to rounding
            image -= (basis[: k + 1] @ image) @ basis[: k + 1]
        beside[k] = math.sqrt(image @ image)
        basis[k + 1] = image / beside[k]
    return Jacobi(diagonal, beside, centre, radius, total)
