"""The protocol every guarantee follows: a trade-off curve and the risks read off it, numbers or arrays alike.

A number gives a number, numbers in a row give an array, a column gives a column. Each reading is written once, for
floats and arrays; the decorators tell type checkers what callers may hand over, and change nothing when the program
runs.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias, TypeVar, overload

import numpy as np
import numpy.typing as npt

from gaussdp import conversions, numerics
from gaussdp.documents import Column, Displayed, Document, Rounding, Table
from gaussdp.documents.rounding import MOST_DIGITS, shown_up
from gaussdp.domains import LEVEL, NON_NEGATIVE, PROBABILITY, evaluate, instance, integer, number
from gaussdp.errors import DomainError
from gaussdp.numerics import Floats, Formula
from gaussdp.words import numeral, say, told_once

if TYPE_CHECKING:
    from gaussdp.guarantees.gaussian import GDP


Vector: TypeAlias = npt.NDArray[Any] | Sequence[float] | Sequence[Sequence[float]]


class Columnar(Protocol):
    """A column of another library, which gives one of its own kind."""

    def __array__(self) -> Any:
        """The column as NumPy reads it."""


class OfFPR(Protocol):
    """A reading at a false-positive rate."""

    @overload
    def __call__(self, fpr: float | np.floating[Any]) -> float: ...
    @overload
    def __call__(self, fpr: Vector) -> Floats: ...
    @overload
    def __call__(self, fpr: Columnar) -> Any: ...


class OfTPR(Protocol):
    """A reading at a true-positive rate."""

    @overload
    def __call__(self, tpr: float | np.floating[Any]) -> float: ...
    @overload
    def __call__(self, tpr: Vector) -> Floats: ...
    @overload
    def __call__(self, tpr: Columnar) -> Any: ...


class OfRecall(Protocol):
    """A reading at a recall."""

    @overload
    def __call__(self, recall: float | np.floating[Any]) -> float: ...
    @overload
    def __call__(self, recall: Vector) -> Floats: ...
    @overload
    def __call__(self, recall: Columnar) -> Any: ...


class OfRecallAndPrior(Protocol):
    """A reading at a recall, for members who are as frequent as the prior says."""

    @overload
    def __call__(self, recall: float | np.floating[Any], prior: float = 0.5) -> float: ...
    @overload
    def __call__(self, recall: Vector, prior: float = 0.5) -> Floats: ...
    @overload
    def __call__(self, recall: Columnar, prior: float = 0.5) -> Any: ...


class OfEpsilon(Protocol):
    """A reading at an epsilon."""

    @overload
    def __call__(self, epsilon: float | np.floating[Any]) -> float: ...
    @overload
    def __call__(self, epsilon: Vector) -> Floats: ...
    @overload
    def __call__(self, epsilon: Columnar) -> Any: ...


class OfDelta(Protocol):
    """A reading at a delta."""

    @overload
    def __call__(self, delta: float | np.floating[Any]) -> float: ...
    @overload
    def __call__(self, delta: Vector) -> Floats: ...
    @overload
    def __call__(self, delta: Columnar) -> Any: ...


def of_fpr(method: Callable[..., Any]) -> OfFPR:
    """A method that reads at an FPR."""
    return method


def of_tpr(method: Callable[..., Any]) -> OfTPR:
    """A method that reads at a TPR."""
    return method


def of_recall(method: Callable[..., Any]) -> OfRecall:
    """A method that reads at a recall."""
    return method


def of_recall_and_prior(method: Callable[..., Any]) -> OfRecallAndPrior:
    """A method that reads at a recall, with a prior."""
    return method


def of_epsilon(method: Callable[..., Any]) -> OfEpsilon:
    """A method that reads at an epsilon."""
    return method


def of_delta(method: Callable[..., Any]) -> OfDelta:
    """A method that reads at a delta."""
    return method


Neighbours: TypeAlias = Literal["add-remove", "replace-one"]
"""The datasets that a guarantee compares: one record more or less, or one record replaced."""

Numbers = TypeVar("Numbers", float, npt.NDArray[np.float64])
"""A float gives a float, an array gives an array of its shape."""


_LABEL_DIGITS = 10  # enough for a budget to be copied from
_LEGEND_DIGITS = 4
_SHOWN_FPRS = (1e-2, 1e-3, 1e-4, 1e-5)
_SHOWN_DELTAS = (1e-5, 1e-6, 1e-8)
_FAR_FROM_ONE = 0.5  # a delta up to which its complement has all digits


class Guarantee(Displayed, ABC):
    r"""A symmetric trade-off curve: for each false-positive rate of an attack, the least false-negative rate.

    .. math:: f(\alpha) = \inf_\varphi\{1 - \mathrm{E}_P\,\varphi : \mathrm{E}_Q\,\varphi \le \alpha\}

    A subclass gives the curve in five readings of it (`fnr`, `tpr`, `fpr`, `delta`, `epsilon`), each exact in its own
    small values; everything else follows from these. All methods take floats or arrays.

    Attributes:
        title: what it is, in words, if it has a name: "Gaussian DP".
        short: the same in a legend: "GDP".
        kind: its name in a plan file, if one can state it: "pure-dp".
    Reference: Dong, Roth & Su (2022), Section 2.

    >>> from gaussdp import GDP
    >>> isinstance(GDP(1.0), Guarantee), GDP(1.0).fnr(0.01)
    (True, 0.90763...)
    """

    title: ClassVar[str] = ""
    short: ClassVar[str] = ""
    kind: ClassVar[str] = ""

    @told_once
    def label(self) -> str:
        """What it is, with its numbers rounded up: "Gaussian DP with μ = 0.8"."""
        stated = self._told_numbers(say(" and "), _LABEL_DIGITS)
        name = str(self.title or self._untitled())
        return say("{name} with {stated}", name=name, stated=stated) if stated else name

    @property
    def legend(self) -> str:
        """The same beside a curve: "GDP, μ = 0.8"."""
        stated = self.stated(", ", _LEGEND_DIGITS)
        return f"{self.short}, {stated}" if stated else self.short or type(self).__name__

    @property
    def adjacency(self) -> Neighbours | None:
        """The neighbouring datasets that it speaks about, if a mechanism gave it; None if somebody states it."""
        known: Neighbours | None = self.__dict__.get("_adjacency")
        return known

    def stated(self, between: str = ", ", digits: int = _LABEL_DIGITS) -> str:
        """Its numbers, rounded up: "ε = 1, δ = 1e-5"; empty if it has none.

        Args:
            between: what stands between two of them.
            digits: significant digits of each.
        """
        instance("between", between, str, "a text")
        return self._told_numbers(between, integer("digits", digits, low=1, high=MOST_DIGITS))

    def _told_numbers(self, between: str, digits: int) -> str:
        told = [(symbol, numeral(shown_up(value, digits))) for symbol, value in self.numbers().items()]
        return between.join([f"{symbol} = {number}" for symbol, number in told])

    def _untitled(self) -> str:
        """What it is, where there is no name for it."""
        return type(self).__name__

    def numbers(self) -> dict[str, float]:
        """The numbers that state it, by their symbols; none for a curve that no few numbers state."""
        return {}

    def parameters(self) -> dict[str, object]:
        """What it is built from, by the names that its class takes."""
        raise DomainError(None, problem=f"{type(self).__name__} is not built from numbers")

    @property
    def pure_epsilon(self) -> float:
        """The epsilon of pure DP that it implies, infinite if there is none."""
        return self.epsilon(0.0)

    @abstractmethod
    @of_fpr
    def fnr(self, fpr: Numbers) -> Numbers:
        """The least false-negative rate of an attack with this false-positive rate, in [0, 1]."""

    @abstractmethod
    @of_fpr
    def tpr(self, fpr: Numbers) -> Numbers:
        """The largest true-positive rate of an attack with this false-positive rate: 1 - fnr(fpr)."""

    @abstractmethod
    @of_tpr
    def fpr(self, tpr: Numbers) -> Numbers:
        """The least false-positive rate of an attack with this true-positive rate (recall)."""

    @abstractmethod
    @of_epsilon
    def delta(self, epsilon: Numbers) -> Numbers:
        """The least delta with which (epsilon, delta)-DP holds, for epsilon in [0, inf]."""

    @abstractmethod
    @of_delta
    def epsilon(self, delta: Numbers) -> Numbers:
        """The least epsilon >= 0 with which (epsilon, delta)-DP holds, inf if none, for delta in [0, 1]."""

    @abstractmethod
    def implied(self) -> "GDP":
        """The GDP guarantee with the least mu that holds for everything this guarantee holds for.

        Raises:
            DomainError: if no finite mu follows.
        """

    @of_fpr
    def multiplicative_advantage(self, fpr: Numbers) -> Numbers:
        """The largest TPR/FPR of an attack with exactly this FPR, in (0, 1)."""
        ratio: Numbers = evaluate(_RATIO, tpr=(self.tpr(_level("fpr", fpr)), PROBABILITY), fpr=(fpr, LEVEL))
        return ratio

    @of_recall_and_prior
    def precision(self, recall: Numbers, prior: float = 0.5) -> Numbers:
        """The largest share of right "member" guesses at exactly this recall, in (0, 1).

        Args:
            recall: true-positive rate of the attack.
            prior: probability of membership before the attack, in (0, 1).
        """
        posterior: Numbers = evaluate(
            _POSTERIOR,
            fpr=(self.fpr(_level("recall", recall)), PROBABILITY),
            recall=(recall, LEVEL),
            prior=(prior, LEVEL),
        )
        return posterior

    def advantage(self) -> float:
        """The largest TPR minus FPR of any attack: delta at epsilon 0."""
        return self.delta(0.0)

    def accuracy(self, prior: float = 0.5) -> float:
        r"""The largest share of right guesses of any attack (Bayes accuracy).

        .. math:: \max(\pi, 1-\pi) + \min(\pi, 1-\pi)\,\delta(|\log(\pi/(1-\pi))|)

        Args:
            prior: probability of membership before the attack, in (0, 1).
        """
        gain: float = evaluate(
            _BAYES_ACCURACY,
            prior=(prior, LEVEL),
            delta=(self.delta(log_odds(prior)), PROBABILITY),
        )
        return gain

    def log_overlap(self, epsilon: float) -> float:
        """log(1 - delta(epsilon)), with all its digits also where delta is as near to 1 as no double says."""
        level = number("epsilon", epsilon, NON_NEGATIVE)
        delta = self.delta(level)
        return math.log1p(-delta) if delta <= _FAR_FROM_ONE else self._log_small_overlap(level)

    def _log_small_overlap(self, epsilon: float) -> float:
        delta = self.delta(epsilon)
        return math.log1p(-delta) if delta < 1 else -math.inf

    def document(self) -> Document:
        """What the best attacker finds, and the guarantee as (epsilon, delta)-DP, at the usual levels."""
        attacker = Table(
            "attacker",
            "The best attacker finds",
            (
                Column("fpr", "at FPR", level=True),
                Column("tpr", "TPR at most", Rounding.UP),
                Column("tpr_over_fpr", "TPR/FPR at most", Rounding.UP),
            ),
            _readings(_SHOWN_FPRS, self.tpr, self.multiplicative_advantage),
        )
        epsilon = Table(
            "epsilon",
            "As (ε, δ)-DP",
            (Column("delta", "δ", level=True), Column("epsilon", "ε", Rounding.UP)),
            _readings(_SHOWN_DELTAS, self.epsilon),
        )
        right = shown_up(100 * self.accuracy())
        note = f"Of 100 guesses at most {right} are right; 50 without the release."
        return Document.tabular(self.label, (attacker, epsilon), (note,))

    @of_fpr
    def mu_at_fpr(self, fpr: Numbers) -> Numbers:
        """The mu of the GDP curve through this curve's point at this FPR, in (0, 1)."""
        level = _level("fpr", fpr)
        mu: Numbers = evaluate(
            numerics.mu_through_point,
            fpr=(level, PROBABILITY),
            fnr=(self.fnr(level), PROBABILITY),
            tpr=(self.tpr(level), PROBABILITY),
        )
        return mu

    @of_recall
    def mu_at_recall(self, recall: Numbers) -> Numbers:
        """The mu of the GDP curve through this curve's point at this recall, in (0, 1)."""
        level = _level("recall", recall)
        mu: Numbers = evaluate(
            numerics.mu_through_point,
            fpr=(self.fpr(level), PROBABILITY),
            fnr=(1 - np.asarray(level) if np.ndim(level) else 1 - level, PROBABILITY),
            tpr=(level, PROBABILITY),
        )
        return mu

    @of_delta
    def mu_at_delta(self, delta: Numbers) -> Numbers:
        """The mu of the GDP curve whose privacy profile meets this one's at this delta, in (0, 1)."""
        mu: Numbers = conversions.mu_from_profile(self.epsilon(_level("delta", delta)), delta)
        return mu


def _readings(levels: Sequence[float], *readings: Callable[[float], float]) -> tuple[tuple[float, ...], ...]:
    """A row a level, but for levels that the guarantee refuses to speak about."""
    rows = []
    for level in levels:
        try:
            rows.append((level, *(reading(level) for reading in readings)))
        except DomainError:  # below the noise floor of a distribution
            continue
    return tuple(rows)


def log_odds(prior: float) -> float:
    """|log(prior / (1 - prior))|, the epsilon at which a Bayes attacker with this prior reads the profile."""
    odds: float = evaluate(_LOG_ODDS, prior=(prior, LEVEL))
    return odds


def _level(name: str, value: Numbers) -> Numbers:
    """The value itself, held to (0, 1) under the name the caller used."""
    evaluate(_ITSELF, **{name: (value, LEVEL)})
    return value


_ITSELF = Formula(lambda xp, value: 1.0 * value)
_RATIO = Formula(lambda xp, above, below: above / below)
_LOG_ODDS = Formula(lambda xp, prior: abs(xp.log(prior) - xp.log1p(-prior)))
_BAYES_ACCURACY = Formula(lambda xp, prior, delta: xp.larger(prior, 1 - prior) + xp.smaller(prior, 1 - prior) * delta)
_POSTERIOR = Formula(lambda xp, fpr, recall, prior: 1 / (1 + fpr / recall / prior * (1 - prior)))


Known = TypeVar("Known", bound=Guarantee)


def speaking_about(guarantee: Known, adjacency: Neighbours | None) -> Known:
    """A guarantee that was made just now, for these neighbouring datasets; it equals one without."""
    if adjacency is not None:
        object.__setattr__(guarantee, "_adjacency", adjacency)
    return guarantee


def common_adjacency(guarantees: Sequence[Guarantee]) -> Neighbours | None:
    """The neighbouring datasets of guarantees that are composed; what somebody states goes with any.

    Raises:
        DomainError: if two of them speak about different ones.
    """
    known = {one.adjacency for one in guarantees if one.adjacency is not None}
    if len(known) > 1:
        raise DomainError(
            "adjacency",
            problem="must be the same for all guarantees of a composition",
            got=" and ".join(sorted(known)),
            advice="account for the mechanisms with one adjacency",
        )
    return next(iter(known), None)
