"""Privacy loss distributions of Gaussian releases, sampled or of random sensitivity, by connected dots.

That library looks for the output of each loss of the grid by itself, which takes seconds where there are half a million
of them; here they are found together. Whatever the output, P(S) - e^epsilon Q(S) of the outputs beyond it is at most
delta, and next to the best one it hardly changes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from scipy import special

from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class GridSettings:
    """What is tuned about outputs of a mixture."""

    beyond: float = 9.9  # deviations of the noise past which outputs count as an infinite loss: 2e-23 of them
    brackets: int = 1 << 14  # outputs between which those of losses are looked for
    at_once: int = 1 << 20  # elements of one temporary table
    steps: int = 100  # of a search
    negligible: float = 1e-25  # probability of the largest sensitivities that are left out
    found: float = 1e-10  # miss of a loss, relative to 1 more than it: its square is what is missed of delta


SETTINGS = GridSettings()


def sampled_gaussian(
    library: ModuleType, noise: float, interval: float, sample_rate: float = 1.0, *, exchanged: bool = False
) -> Any:
    """The pessimistic distribution of a release with this noise, for a record that moves the sum by 1.

    Args:
        library: dp_accounting's module of distributions.
        noise: standard deviation.
        interval: spacing of the losses.
        sample_rate: with which the record takes part.
        exchanged: whether it is exchanged for another one, or added and removed.
    """
    kinds = library.privacy_loss_mechanism.AdjacencyType
    both = [kinds.REMOVE] if sample_rate == 1 else [kinds.REMOVE, kinds.ADD]
    wanted = [kinds.REPLACE] if exchanged else both
    return library.PrivacyLossDistribution(*(_masses(library, noise, interval, sample_rate, kind) for kind in wanted))


def _masses(library: ModuleType, noise: float, interval: float, rate: float, kind: Any) -> Any:
    loss = library.privacy_loss_mechanism.GaussianPrivacyLoss(noise, sampling_prob=rate, adjacency_type=kind)
    bounds = loss.connect_dots_bounds()
    low, high = math.floor(bounds.epsilon_lower / interval), math.ceil(bounds.epsilon_upper / interval)
    epsilons = np.arange(low, high + 1) * interval
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if kind is library.privacy_loss_mechanism.AdjacencyType.REPLACE:
            outputs = _exchanged_outputs(epsilons, noise, rate)
        else:
            removed = kind is library.privacy_loss_mechanism.AdjacencyType.REMOVE
            outputs = _outputs(epsilons if removed else -epsilons, noise, rate)
            outputs = outputs if removed else -outputs
        deltas = loss.mu_upper_cdf(outputs) - np.exp(epsilons + loss.mu_lower_log_cdf(outputs))
    # Below all losses everything is beyond the output, and above them nothing.
    deltas = np.where(outputs == np.inf, -np.expm1(np.minimum(epsilons, 0.0)), deltas)
    deltas = np.where(outputs == -np.inf, 0.0, deltas)
    return library.pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(interval, low, high, np.clip(deltas, 0.0, 1.0))


def _outputs(losses: Floats, noise: float, rate: float) -> Floats:
    """The outputs x at which log(1 - q + q e^(-(x + 1/2) / sigma^2)) is a loss; infinite where it is larger."""
    unsampled = losses
    if rate < 1:
        missing = -np.expm1(np.minimum(math.log1p(-rate) - losses, 0.0))
        unsampled = losses - math.log(rate) + np.log(missing)
    outputs: Floats = -0.5 - unsampled * noise**2
    return outputs


def _exchanged_outputs(losses: Floats, noise: float, rate: float) -> Floats:
    """The same for an exchanged record, whose loss is odd in x."""
    if rate == 1:
        return -0.5 * losses * noise**2
    size = 0.5 * np.abs(losses)
    log_sinh = size + np.log(-np.expm1(-2 * size)) - math.log(2)
    logs = 0.5 / noise**2 + math.log1p(-rate) - math.log(rate) + log_sinh
    outputs: Floats = -np.sign(losses) * noise**2 * (np.logaddexp(0.5 * np.logaddexp(0.0, 2 * logs), logs) + size)
    return outputs


def mixture_of_gaussians(
    library: ModuleType, noise: float, sensitivities: Sequence[float], weights: Sequence[float], interval: float
) -> Any:
    """The pessimistic distribution of a release with these sensitivities, each with its probability.

    Raises:
        ConvergenceError: if the outputs of its losses are not found.
    """
    sizes, shares = np.array(sensitivities, np.float64), np.array(weights)
    # The largest ones, if hardly ever there, are left out: with them, P has so much more.
    rarer = np.cumsum(shares[::-1])[::-1]
    kept = (rarer > SETTINGS.negligible) | (np.cumsum(sizes > 0) <= 1)
    left_out = float(shares[~kept].sum())
    mixture = _Mixture(noise, sizes[kept], shares[kept])
    reach = SETTINGS.beyond * noise
    outputs = np.linspace(-reach, float(mixture.sizes[-1]) + reach, SETTINGS.brackets)
    losses, _ = mixture.losses(outputs)
    low, high = math.floor(losses[0] / interval), math.ceil(losses[-1] / interval)
    pmfs = []
    for sign, first, last in ((1, low, high), (-1, -high, -low)):
        epsilons = np.arange(first, last + 1) * interval
        deltas = mixture.deltas(epsilons, mixture.outputs(sign * epsilons, outputs, losses), removed=sign > 0)
        if sign > 0:
            deltas = np.minimum(deltas + left_out, 1.0)
        pmfs.append(
            library.pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(
                interval, first, last, np.maximum.accumulate(deltas[::-1])[::-1]
            )
        )
    return library.PrivacyLossDistribution(*pmfs)


def least_mixture_of_gaussians(
    library: ModuleType, noise: float, sensitivities: Sequence[float], weights: Sequence[float], interval: float
) -> Any:
    """The optimistic distribution of the same release: each loss counts as the one of the grid below it.

    Raises:
        ConvergenceError: if the outputs of its losses are not found.
    """
    mixture = _Mixture(noise, np.array(sensitivities, np.float64), np.array(weights))
    reach = SETTINGS.beyond * noise
    outputs = np.linspace(-reach, float(mixture.sizes[-1]) + reach, SETTINGS.brackets)
    losses, _ = mixture.losses(outputs)
    low, high = math.floor(losses[0] / interval), math.ceil(losses[-1] / interval)
    pmfs = []
    for removed, first, last in ((True, low, high), (False, -high, -low)):
        epsilons = np.arange(first, last + 1) * interval
        surely = epsilons + 2 * SETTINGS.found * (1 + np.abs(epsilons))  # losses beyond such an output are larger
        beyond = mixture.beyond(mixture.outputs(surely if removed else -surely, outputs, losses), removed=removed)
        masses = np.maximum(beyond - np.append(beyond[1:], 0.0), 0.0)
        pmfs.append(library.pld_pmf.DensePLDPmf(interval, first, masses, 0.0, False))
    return library.PrivacyLossDistribution(*pmfs)


@dataclass(frozen=True)
class _Mixture:
    """P, a mixture of normal laws of this deviation around rising sizes, against Q around 0: the loss rises with x."""

    noise: float
    sizes: Floats
    weights: Floats

    def losses(self, x: Floats) -> tuple[Floats, Floats]:
        """At outputs, with their slopes."""
        slopes = self.sizes / self.noise**2
        constants = np.log(np.maximum(self.weights, np.finfo(np.float64).tiny)) - 0.5 * slopes * self.sizes
        constants = np.where(self.weights > 0, constants, -np.inf)
        found = []
        rows = max(1, SETTINGS.at_once // self.sizes.size)
        for start in range(0, x.size, rows):
            logs = constants + np.multiply.outer(x[start : start + rows], slopes)
            top = logs.max(axis=1)
            logs -= top[:, np.newaxis]
            np.exp(logs, out=logs)
            total = logs.sum(axis=1)
            found.append((top + np.log(total), logs @ slopes / total))
        losses, steepness = zip(*found, strict=True)
        return np.concatenate(losses), np.concatenate(steepness)

    def outputs(self, wanted: Floats, x: Floats, losses: Floats) -> Floats:
        """Those with the wanted losses, between others with their losses; infinite for losses below or above these."""
        result = np.where(wanted <= losses[0], -np.inf, np.inf)
        open_ = np.flatnonzero((wanted > losses[0]) & (wanted < losses[-1]))
        place = np.searchsorted(losses, wanted[open_], side="right")
        low, high = x[place - 1], x[place]
        below, above = losses[place - 1], losses[place]
        at = low + (high - low) * np.clip((wanted[open_] - below) / np.maximum(above - below, 1e-300), 0.0, 1.0)
        for _ in range(SETTINGS.steps):
            if open_.size == 0:
                return result
            values, slopes = self.losses(at)
            miss = values - wanted[open_]
            low, high = np.where(miss < 0, at, low), np.where(miss >= 0, at, high)
            result[open_] = at
            with np.errstate(divide="ignore", invalid="ignore"):
                newton = at - miss / slopes
            moved = np.where((newton > low) & (newton < high), newton, 0.5 * (low + high))
            going = (np.abs(miss) > SETTINGS.found * (1 + np.abs(values))) & (moved != at)
            open_, at, low, high = open_[going], moved[going], low[going], high[going]
        raise ConvergenceError("the outputs of a mixture are not found")

    def beyond(self, x: Floats, *, removed: bool) -> Floats:
        """How likely P makes larger outputs if the record is removed, or Q smaller ones if it is added."""
        if not removed:
            found: Floats = special.ndtr(x / self.noise)
            return found
        rows = max(1, SETTINGS.at_once // self.sizes.size)
        return np.concatenate(
            [
                special.ndtr(np.subtract.outer(-x[start : start + rows], -self.sizes) / self.noise) @ self.weights
                for start in range(0, x.size, rows)
            ]
        )

    def deltas(self, epsilons: Floats, x: Floats, *, removed: bool) -> Floats:
        """The profile at epsilons whose outputs are known."""
        sign = 1.0 if removed else -1.0
        rows = max(1, SETTINGS.at_once // self.sizes.size)
        found = []
        with np.errstate(divide="ignore", over="ignore"):
            log_weights = np.log(self.weights)
            for start in range(0, x.size, rows):
                part, at = epsilons[start : start + rows], x[start : start + rows]
                moved = special.log_ndtr(sign * np.subtract.outer(-at, -self.sizes) / self.noise) + log_weights
                plain = special.log_ndtr(-sign * at / self.noise)
                with_record = special.logsumexp(moved, axis=1)
                upper, lower = (with_record, plain) if removed else (plain, with_record)
                found.append(np.exp(upper) - np.exp(part + lower))
        # Beyond the outputs lies nothing, or everything, but for so much.
        cut = float(special.ndtr(-SETTINGS.beyond))
        everything = x == (-np.inf if removed else np.inf)
        deltas = np.where(everything, cut - np.expm1(np.minimum(epsilons, 0.0)), np.concatenate(found))
        return np.clip(np.where(np.isinf(x) & ~everything, cut, deltas), 0.0, 1.0)
