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
    nodes: int = 24  # of a rule over a narrow range
    per_range: float = 12.0  # further nodes for each unit of 1/sigma, or of log q, between the ends
    check: int = 3  # more nodes in the finer rule
    saving: float = 4.0  # factor by which a rule must shorten steps


SETTINGS = ScheduleSettings()


def schedules_for(steps: Sequence[tuple[StepLoss, int]]) -> list[Schedules]:
    """In order of trial: a rule for many different steps of one record; and the steps themselves."""
    counts: dict[SampledGaussianLoss, float] = {}
    others: list[Counted] = []
    for step, count in steps:
        if isinstance(step, SampledGaussianLoss):
            counts[step] = counts.get(step, 0) + count
        else:
            others.append((step, count))
    if len(counts) >= SETTINGS.least:
        rates, noises = {step.sample_rate for step in counts}, {step.noise_multiplier for step in counts}
        if len(rates) <= len(noises):
            rules = _by_groups(counts, _rate, lambda step: 1 / step.noise_multiplier, _of_noise)
        else:
            rules = _by_groups(counts, _noise, lambda step: math.log(step.sample_rate), _of_rate)
        if SETTINGS.saving * len(rules[1]) <= len(counts):
            return [tuple([*rule, *others] for rule in rules), (steps,)]
    return [(steps,)]


def _rate(step: SampledGaussianLoss) -> float:
    return step.sample_rate


def _noise(step: SampledGaussianLoss) -> float:
    return step.noise_multiplier


def _of_noise(rate: float, inverse_noise: float) -> SampledGaussianLoss:
    return SampledGaussianLoss(1 / inverse_noise, rate)


def _of_rate(noise: float, log_rate: float) -> SampledGaussianLoss:
    return SampledGaussianLoss(noise, math.exp(log_rate))


def _by_groups(
    counts: dict[SampledGaussianLoss, float],
    key: Callable[[SampledGaussianLoss], float],
    place: Callable[[SampledGaussianLoss], float],
    step_at: Callable[[float, float], SampledGaussianLoss],
) -> Schedules:
    """The steps of each key by rules over their places, where that shortens them."""
    groups: dict[float, list[tuple[SampledGaussianLoss, float]]] = {}
    for step, count in counts.items():
        groups.setdefault(key(step), []).append((step, count))
    rule: list[Counted] = []
    finer: list[Counted] = []
    for shared, members in groups.items():
        places = np.array([place(step) for step, _ in members])
        nodes = math.ceil(SETTINGS.nodes + SETTINGS.per_range * float(places.max() - places.min()))
        if len(members) < 2 * (nodes + SETTINGS.check):
            rule += members
            finer += members
            continue
        weights = np.array([count for _, count in members], dtype=np.float64)
        for target, size in ((rule, nodes), (finer, nodes + SETTINGS.check)):
            target += [(step_at(shared, x), weight) for x, weight in gauss_rule(places, weights, size)]
    return rule, finer


def gauss_rule(places: Floats, weights: Floats, size: int) -> Sequence[tuple[float, float]]:
    """Nodes and weights that integrate polynomials of degree 2 size - 1 as the weighted places do.

    By Lanczos' process on the diagonal matrix of the places (Golub & Welsch 1969; Gautschi 2004, section 2.2.3): the
    nodes are the eigenvalues of the tridiagonal matrix that it leaves, the weights the squares of the first components
    of its eigenvectors. There must be more places than nodes.
    """
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
    nodes, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1))
    return list(zip((centre + radius * nodes).tolist(), (total * vectors[0] ** 2).tolist(), strict=True))
