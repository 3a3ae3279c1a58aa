"""The accounted guarantee: exact tails of the privacy loss, seen as a trade-off curve."""

import math
from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any, TypeVar, cast

import numpy as np

from gaussdp.accounting.directions import Direction
from gaussdp.accounting.distribution.curve import DistributionCurve
from gaussdp.accounting.fit.tightest import DEFAULT_FLOOR, Fit, exact_fit, fit_tails
from gaussdp.accounting.operating_points import LossTails
from gaussdp.domains import LEVEL, NON_NEGATIVE, PROBABILITY, evaluate, number
from gaussdp.guarantees import GDP, Guarantee
from gaussdp.guarantees.base import Numbers
from gaussdp.numerics import Floats

Method = TypeVar("Method", bound=Callable[..., Any])


def _or_by_distribution(reading: Method) -> Method:
    """The exact reading, or that of the privacy loss distribution where the exact one does not converge."""

    @wraps(reading)
    def read(self: "AccountedCurve", *arguments: Any, **options: Any) -> Any:
        try:
            with np.errstate(all="ignore"):
                return reading(self, *arguments, **options)
        except ArithmeticError:  # a ConvergenceError, or losses of tiny noise beyond the range of a double
            return getattr(self.by_distribution, reading.__name__)(*arguments, **options)

    return cast(Method, read)


class AccountedCurve(Guarantee):
    r"""The guarantee of a composition under its adjacency, exact into the tails.

    Both directions of add/remove share one privacy loss. The guarantee is their symmetrisation (Dong, Roth & Su 2022,
    Definition F.1): the lower of the two trade-off curves up to the point of slope -1, the segment of slope -1 to its
    mirror image, and the mirror image beyond; its :math:`\delta(\varepsilon)` is the larger of the two.

    Values have relative error below 1e-9 (mostly below 1e-11), as deep into the tails as they are asked for.
    Where they cannot be had so, they come from a pessimistic privacy loss distribution, and `fell_back` says so; the
    two directions by name, `remove` and `add`, raise ConvergenceError there.

    Made by `account`.

    >>> from gaussdp.accounting import account
    >>> from gaussdp.mechanisms import DPSGD
    >>> curve = account(DPSGD(noise_multiplier=0.5, sample_rate=0.002, steps=10_000))
    >>> curve.delta(6.07)
    0.00057761...
    """

    def __init__(
        self,
        tails: LossTails,
        unsampled_mu: float,
        distribution: Callable[[], DistributionCurve],
        *,
        gaussian: bool,
    ) -> None:
        self._tails = tails
        self._make_distribution = distribution
        self._unsampled_mu = unsampled_mu
        self._gaussian = gaussian
        self._fits: dict[float, Fit] = {}

    @cached_property
    def by_distribution(self) -> DistributionCurve:
        """The same composition through a pessimistic privacy loss distribution: sound, less tight, never exact."""
        return self._make_distribution()

    @property
    def fell_back(self) -> bool:
        """Whether a reading so far had to come from the distribution."""
        return "by_distribution" in self.__dict__

    @cached_property
    def remove(self) -> Direction:
        """The direction of removing a record: P with the record, Q without."""
        return Direction(self._tails, remove=True)

    @cached_property
    def add(self) -> Direction:
        """The direction of adding a record: P without the record, Q with it."""
        return Direction(self._tails, remove=False)

    @_or_by_distribution
    def fnr(self, fpr: Numbers) -> Numbers:
        """The least false-negative rate at this false-positive rate, in [0, 1]."""
        rate: Numbers = evaluate(lambda level: self._rates(level)[0], fpr=(fpr, PROBABILITY))
        return rate

    @_or_by_distribution
    def tpr(self, fpr: Numbers) -> Numbers:
        """The largest true-positive rate at this false-positive rate: 1 - fnr(fpr)."""
        rate: Numbers = evaluate(lambda level: self._rates(level)[1], fpr=(fpr, PROBABILITY))
        return rate

    @_or_by_distribution
    def fpr(self, tpr: Numbers) -> Numbers:
        """The least false-positive rate at this true-positive rate (recall)."""
        # The curve is symmetric: the least FPR at an FNR is the least FNR at an FPR.
        rate: Numbers = evaluate(lambda level: self._rates_at(1 - level, level)[0], tpr=(tpr, PROBABILITY))
        return rate

    @_or_by_distribution
    def delta(self, epsilon: Numbers) -> Numbers:
        """The least delta with which (epsilon, delta)-DP holds, for epsilon in [0, inf]."""
        delta: Numbers = evaluate(
            lambda e: np.exp(np.maximum(self.remove.log_delta(e), self.add.log_delta(e))),
            epsilon=(epsilon, NON_NEGATIVE),
        )
        return delta

    @_or_by_distribution
    def epsilon(self, delta: Numbers) -> Numbers:
        """The least epsilon >= 0 with which (epsilon, delta)-DP holds, inf if none, for delta in [0, 1]."""
        epsilon: Numbers = evaluate(
            lambda d: np.maximum(self.remove.epsilons(d), self.add.epsilons(d)), delta=(delta, PROBABILITY)
        )
        return epsilon

    def implied(self) -> GDP:
        """The GDP guarantee that holds for every attack: that of the same releases without sampling.

        As the FPR tends to 0 the sampled mechanism is no better; `fit` gives the far smaller mu above a floor.
        """
        return GDP(self._unsampled_mu)

    @_or_by_distribution
    def fit(self, floor: float = DEFAULT_FLOOR) -> Fit:
        """The tightest GDP guarantee for all attacks whose FPR and FNR are at least the floor.

        A composition of plain Gaussian releases is exactly GDP: its fit holds for every attack, and says so by floor 0.

        Args:
            floor: smallest error rate of the attacks that the fit speaks about, in (0, 1).
        Returns:
            mu with its enclosure, where it binds, its slack and its regret.

        >>> from gaussdp.accounting import account
        >>> from gaussdp.mechanisms import DPSGD
        >>> round(account(DPSGD(noise_multiplier=0.5, sample_rate=0.002, steps=10_000)).fit().mu, 6)
        1.893517
        """
        level = number("floor", floor, LEVEL)
        if self._gaussian:
            return exact_fit(self._unsampled_mu)
        if level not in self._fits:
            self._fits[level] = fit_tails(self._tails, level)
        return self._fits[level]

    @cached_property
    def _corner(self) -> tuple[float, float]:
        """FPR and FNR where the slope is -1, the smaller first."""
        point = self._tails.read(np.zeros(1))
        fpr, fnr = math.exp(point.log_fpr[0]), math.exp(point.log_fnr[0])
        return min(fpr, fnr), max(fpr, fnr)

    def _rates(self, fpr: Floats) -> tuple[Floats, Floats]:
        return self._rates_at(fpr, 1 - fpr)

    def _rates_at(self, fpr: Floats, tnr: Floats) -> tuple[Floats, Floats]:
        """FNR and TPR at an FPR, given with its complement so that both keep their digits."""
        low, high = self._corner
        fnr = low + high - fpr  # on the segment of slope -1
        tpr = 1 - fnr
        with np.errstate(divide="ignore"):
            log_fpr = np.where(fpr < tnr, np.log(fpr), np.log1p(-tnr))
            log_tnr = np.where(fpr < tnr, np.log1p(-fpr), np.log(tnr))
        off = (fpr < low) | (fpr > high)
        if off.any():
            remove = self.remove.rates_from_logs(log_fpr[off], log_tnr[off])
            add = self.add.rates_from_logs(log_fpr[off], log_tnr[off])
            fnr[off], tpr[off] = np.minimum(remove[0], add[0]), np.maximum(remove[1], add[1])
        return fnr, tpr
