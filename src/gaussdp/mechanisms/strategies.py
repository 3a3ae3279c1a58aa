r"""Strategies of matrix mechanisms, at which steps a record may contribute, and how far it can move what is noised.

With strategy C and clipped contributions g of norm at most 1, a record that contributes at the steps of a pattern u
moves the noised values by the root of :math:`\sum_{i,j \in u} (C^T C)_{ij} \langle g_i, g_j\rangle`. The largest value
is the sum of the entries if these are not negative, and at most the sum of their absolute values.

Squares are summed of the entries over a power of two near the largest of them, so that none that counts underflows.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from gaussdp.documents.rounding import shown
from gaussdp.domains import FINITE, SAMPLE_RATE, Domain, checked, instance, integer, number, one_of, settle, several
from gaussdp.errors import DomainError
from gaussdp.numerics import Floats
from gaussdp.objects import guard

Order = Literal["any", "cyclic"]


@dataclass(frozen=True)
class Participation:
    """At which steps one record may contribute.

    Args:
        separation: least number of steps from one contribution to the next; 1 if it may contribute at every step.
        times: most contributions; as many as the separation allows if None.
        order: "any" contributions so far apart, or "cyclic" for one at every separation-th step exactly, as when a data
            set is cut into batches once and these are used in turn.

    >>> Participation(separation=100, times=5)
    Participation(separation=100, times=5, order='any')
    """

    separation: int = 1
    times: int | None = None
    order: Order = "any"

    def __post_init__(self) -> None:
        object.__setattr__(self, "separation", integer("separation", self.separation, low=1))
        if self.times is not None:
            object.__setattr__(self, "times", integer("times", self.times, low=1))
        object.__setattr__(self, "order", one_of("order", self.order, ("any", "cyclic")))

    @property
    def words(self) -> str:
        """The same in words."""
        often = "any number of times" if self.times is None else f"at most {self.times:,} times"
        if self.separation == 1:
            return f"a record contributes {often}"
        where = f"at every {self.separation:,}th step" if self.order == "cyclic" else f"{self.separation:,} steps apart"
        return f"a record contributes {often}, {where}" + (" or more" if self.order == "any" else "")

    def plan_keys(self) -> dict[str, object]:
        """What describes it in a plan file."""
        times = {} if self.times is None else {"times_each": self.times}
        return {"separation": self.separation, **times, "order": self.order}

    def most(self, steps: int) -> int:
        """The most contributions in so many steps."""
        possible = -(-integer("steps", steps, low=1) // self.separation)
        return possible if self.times is None else min(self.times, possible)


@dataclass(frozen=True)
class CyclicPoisson:
    """Records are parted into as many groups as a cycle has steps; each step takes a Poisson sample of one in turn.

    Args:
        cycle: number of groups; at least the bands of the strategy.
        sample_rate: probability with which a record of the group whose turn it is enters the batch, in (0, 1].

    >>> CyclicPoisson(cycle=4, sample_rate=0.02).cycle
    4
    """

    cycle: int
    sample_rate: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "cycle", integer("cycle", self.cycle, low=1))
        settle(self, sample_rate=SAMPLE_RATE)

    @property
    def words(self) -> str:
        """The same in words."""
        return f"Poisson samples at rate {shown(self.sample_rate)} of {self.cycle:,} groups in turn"

    def plan_keys(self) -> dict[str, object]:
        """What describes it in a plan file."""
        return {"cycle": self.cycle, "sample_rate": self.sample_rate}


ENTRY = Domain(-1e100, 1e100, advice="no noise multiplier is larger", meant=FINITE)
MOST_STEPS = 5000  # of a strategy that is held as a matrix
MOST_COEFFICIENTS = 10**7  # of one that is described by a few numbers
_ROUNDING = 1e-15  # relative, of the root of a sum of squares; sensitivities are rounded up by it
_PER_TERM = 2.3e-16  # the same for each further term of a sum, which rounding moves by half of it
_ROUNDED = 4e-15  # relative, what a sensitivity over a noise multiplier may be above the true one, beside its sums
_SHOWN = 6  # coefficients in a repr


class Strategy(ABC):
    """The matrix C of a matrix mechanism, which releases A C^-1 (C g + noise)."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        _guard(cls)

    @property
    @abstractmethod
    def steps(self) -> int:
        """Number of contributions, which is that of its columns."""

    @abstractmethod
    def squared_move(self, participation: Participation) -> float:
        """A bound on the largest squared move of one record's contributions over `scale`; least where that is known."""

    @abstractmethod
    def is_exact(self, participation: Participation) -> bool:
        """Whether that bound is the largest move itself."""

    @property
    @abstractmethod
    def words(self) -> str:
        """What it is, in a few words."""

    @abstractmethod
    def plan_keys(self) -> dict[str, object]:
        """What describes it in a plan file."""

    @property
    @abstractmethod
    def bands(self) -> int:
        """The number of diagonals, from the main one down, beyond which C^T C vanishes too."""

    @property
    @abstractmethod
    def largest_column(self) -> float:
        """Largest norm of a column, rounded up."""

    @property
    def scale(self) -> float:
        """The power of two in whose unit moves are squared: near the largest entry."""
        return 1.0

    def sensitivity(self, participation: Participation) -> float:
        """The root of the bound, rounded up."""
        return self.scale * math.sqrt(self.squared_move(participation)) * (1 + _ROUNDING)

    @property
    def least_column(self) -> float:
        """The same norm, rounded down."""
        return self.largest_column * (1 - _ROUNDED)

    def least_sensitivity(self, participation: Participation) -> float:
        """No more than the largest move, where that is known; else no more than that by a single contribution."""
        if not self.is_exact(participation):
            return self.least_column
        rounded = _ROUNDED + 2 * _PER_TERM * self.terms(participation)
        return max(self.least_column, self.sensitivity(participation) * (1 - rounded))

    @abstractmethod
    def terms(self, participation: Participation) -> int:
        """How many terms the sums have of which such a sensitivity consists."""

    @abstractmethod
    def largest_turns(self, cycle: int) -> int:
        """How many of every so many columns, from some column on, surely have the largest norm."""


def _guard(kind: type) -> None:
    guard(
        kind,
        participation=lambda name, value: instance(name, value, Participation, "a Participation"),
        cycle=lambda name, value: integer(name, value, low=1),
    )


_guard(Strategy)


def _scale_of(entries: npt.ArrayLike) -> float:
    """The largest power of two that is no larger than the largest entry."""
    return math.ldexp(0.5, math.frexp(float(np.abs(entries).max()))[1])


def _rounded_up(total: float, terms: int) -> float:
    """A sum of so many terms, none negative, or of squares of such sums, with what rounding may have taken from it."""
    return total * (1 + _PER_TERM * (terms - 1))


def products_at_most(matrix: Floats) -> Floats:
    """Bounds on the sizes of the entries of C^T C: the products, and what rounding may have taken from them."""
    sizes = np.abs(matrix.T @ matrix)
    terms = sizes if np.all(matrix >= 0) else np.abs(matrix).T @ np.abs(matrix)
    bounds: Floats = sizes + _PER_TERM * (1 + len(matrix)) * terms
    return bounds


def _coefficients_of(length: int) -> int:
    return integer("length", length, low=1, high=MOST_COEFFICIENTS)


@dataclass(frozen=True, init=False, repr=False)
class Toeplitz(Strategy):
    """A lower triangular strategy with constant diagonals.

    Args:
        coefficients: of the diagonals from the main one down; those beyond are 0.
        length: number of steps, at least as many as coefficients that count.

    >>> Toeplitz([1.0, 0.5], 4).bands
    2
    """

    coefficients: tuple[float, ...]
    length: int

    def __init__(self, coefficients: Iterable[float], length: int) -> None:
        count = integer("length", length, low=1)
        written: Any = coefficients
        if not hasattr(coefficients, "__array__"):
            written = several("coefficients", coefficients, "a list of numbers")
        given = checked("coefficients", written, ENTRY).ravel()[:count]
        object.__setattr__(self, "coefficients", tuple(given.tolist()))
        object.__setattr__(self, "length", count)
        if not np.any(given):
            raise DomainError("coefficients", problem="must not all be 0")

    @classmethod
    def correlated(cls, decay: float, length: int) -> "Toeplitz":
        """The strategy of noise z_t - decay z_(t-1), whose coefficients are the powers of the decay, in [0, 1).

        >>> Toeplitz.correlated(0.5, 3).coefficients
        (1.0, 0.5, 0.25)
        """
        share = number("decay", decay, FINITE)
        if not 0 <= share < 1:
            raise DomainError("decay", "in [0, 1)", decay)
        return cls((share ** np.arange(_coefficients_of(length))).tolist(), length)

    @classmethod
    def buffered(cls, scales: Sequence[float], decays: Sequence[float], length: int) -> "Toeplitz":
        """A buffered linear Toeplitz strategy: 1, then the sums of scale * decay^(k - 1)."""
        weights = checked("scales", several("scales", scales, "a list of scales"), ENTRY).ravel()
        shares = checked("decays", several("decays", decays, "a list of decays"), FINITE).ravel()
        if weights.size != shares.size:
            raise DomainError(None, problem="scales and decays must be equally many")
        powers = np.arange(_coefficients_of(length) - 1)
        return cls([1.0, *(weights @ shares[:, np.newaxis] ** powers).tolist()], length)

    @property
    def steps(self) -> int:
        return self.length

    @property
    def words(self) -> str:
        return f"Toeplitz of {self.bands:,} bands"

    def __repr__(self) -> str:
        given = ", ".join(map(repr, self.coefficients[:_SHOWN])) + (", ..." if len(self.coefficients) > _SHOWN else "")
        return f"Toeplitz([{given}], {self.length})"

    def plan_keys(self) -> dict[str, object]:
        return {"coefficients": list(self.coefficients), "steps": self.length}

    @property
    def bands(self) -> int:
        return int(np.flatnonzero(self.coefficients)[-1]) + 1

    @property
    def largest_column(self) -> float:
        return self.scale * math.sqrt(math.fsum(self._scaled**2)) * (1 + _ROUNDING)

    @property
    def scale(self) -> float:
        return _scale_of(self.coefficients)

    @property
    def _scaled(self) -> Floats:
        scaled: Floats = np.asarray(self.coefficients) / self.scale
        return scaled

    def squared_move(self, participation: Participation) -> float:
        """Exact if the coefficients fall and are not negative: then contributions as early as may be are the worst."""
        given, gap, times = self._scaled, participation.separation, participation.most(self.length)
        if self._falls:
            total = np.zeros(self.length)
            for start in range(0, times * gap, gap):
                total[start : start + given.size] += given[: self.length - start]
            return _rounded_up(math.fsum(total**2), min(times, -(-given.size // gap)))
        if self.bands <= gap:  # no two contributions meet
            return times * math.fsum(given**2)
        return largest_sum(products_at_most(self.matrix() / self.scale), participation)

    def terms(self, participation: Participation) -> int:
        return min(participation.most(self.length), -(-self.bands // participation.separation))

    def largest_turns(self, cycle: int) -> int:
        return (self.length - self.bands) // cycle + 1  # those that the last row does not cut off

    def is_exact(self, participation: Participation) -> bool:
        whole = (participation.most(self.length) - 1) * participation.separation + self.bands <= self.length
        return self._falls or (self.bands <= participation.separation and whole)

    @property
    def _falls(self) -> bool:
        given = np.asarray(self.coefficients)
        return bool(np.all(given >= 0) and np.all(np.diff(given) <= 0))

    def matrix(self) -> Floats:
        """The strategy written out."""
        if self.length > MOST_STEPS:
            raise DomainError(
                "length",
                f"at most {MOST_STEPS} unless the coefficients fall and are not negative",
                self.length,
                "state a bound on the sensitivity: Gaussian(noise_multiplier / sensitivity)",
            )
        matrix = np.zeros((self.length, self.length))
        for lag, coefficient in enumerate(self.coefficients):
            matrix[np.arange(lag, self.length), np.arange(self.length - lag)] = coefficient
        return matrix


@dataclass(frozen=True, init=False, repr=False)
class Dense(Strategy):
    """A strategy given as a matrix, with one column a step.

    Args:
        rows: of the matrix; at most 5000 columns.

    >>> Dense([[1.0, 0.0], [0.5, 1.0]]).steps
    2
    """

    rows: tuple[tuple[float, ...], ...]

    def __init__(self, rows: npt.ArrayLike) -> None:
        matrix = checked("strategy", rows, ENTRY)
        if matrix.ndim != 2 or matrix.shape[1] > MOST_STEPS or not matrix.any():
            raise DomainError("strategy", f"a matrix, not 0, with at most {MOST_STEPS} columns", got=f"{matrix.shape}")
        object.__setattr__(self, "rows", tuple(map(tuple, matrix.tolist())))

    def __repr__(self) -> str:
        return f"Dense({len(self.rows)} by {self.steps})"

    @property
    def steps(self) -> int:
        return len(self.rows[0])

    @property
    def words(self) -> str:
        return f"matrix of {len(self.rows):,} rows"

    def plan_keys(self) -> dict[str, object]:
        return {"matrix": [list(row) for row in self.rows]}

    @property
    def bands(self) -> int:
        matrix = np.asarray(self.rows)
        _, exponents = np.frexp(np.abs(matrix).max(axis=0))
        columns = np.ldexp(matrix, -exponents)  # of one size, so that no product of small ones underflows
        products = columns.T @ columns
        far = np.abs(np.subtract.outer(np.arange(self.steps), np.arange(self.steps)))
        return int(far[products != 0].max()) + 1

    @property
    def largest_column(self) -> float:
        return self.sensitivity(Participation(times=1))

    @property
    def scale(self) -> float:
        return _scale_of(self.rows)

    @property
    def _scaled(self) -> Floats:
        scaled: Floats = np.asarray(self.rows) / self.scale
        return scaled

    def squared_move(self, participation: Participation) -> float:
        """Exact for cyclic order and entries that are not negative, and for separations beyond the bands."""
        if participation.most(self.steps) == 1:
            return max(map(math.fsum, (self._scaled**2).T))
        return largest_sum(products_at_most(self._scaled), participation)

    def terms(self, participation: Participation) -> int:
        times = participation.most(self.steps)
        return 1 if times == 1 else times * (len(self.rows) + 2)

    def largest_turns(self, cycle: int) -> int:
        squares = np.array([math.fsum(column) for column in (self._scaled**2).T])
        largest = squares == squares.max()
        return max(int(largest[start::cycle].sum()) for start in range(min(cycle, self.steps)))

    def is_exact(self, participation: Participation) -> bool:
        times, gap = participation.most(self.steps), participation.separation
        if times == 1 or self.bands <= gap:
            return True
        together = participation.order == "cyclic" and times >= -(-self.steps // gap)
        return together and bool(np.all(self._scaled.T @ self._scaled >= 0))


@dataclass(frozen=True)
class Tree(Strategy):
    """Binary tree aggregation: the sums over all blocks of 1, 2, 4, ... steps that are complete at the end.

    Args:
        length: number of steps.

    >>> Tree(1000).squared_move(Participation(times=1))
    10.0
    """

    length: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", integer("length", self.length, low=1))

    @property
    def steps(self) -> int:
        return self.length

    @property
    def words(self) -> str:
        return "binary tree"

    def plan_keys(self) -> dict[str, object]:
        return {"tree": True, "steps": self.length}

    @property
    def bands(self) -> int:
        return self.length

    @property
    def largest_column(self) -> float:
        return math.sqrt(self._levels) * (1 + _ROUNDING)

    @property
    def _levels(self) -> int:
        return self.length.bit_length()

    def squared_move(self, participation: Participation) -> float:
        """Exact for one contribution. Of k, a block of s holds at most ceil(s / separation), and all of that size k."""
        times = participation.most(self.length)
        sizes = (2**level for level in range(self._levels))
        return float(sum(times * min(times, -(-size // participation.separation)) for size in sizes))

    def terms(self, participation: Participation) -> int:
        return 1

    def largest_turns(self, cycle: int) -> int:
        return 1  # a cycle has as many steps as there are bands

    def is_exact(self, participation: Participation) -> bool:
        return participation.most(self.length) == 1


def largest_sum(sizes: Floats, participation: Participation) -> float:
    """A bound on the largest sum of such sizes of the entries of C^T C over pairs of steps of a pattern.

    For cyclic order each pattern is tried. Otherwise each step of a pattern counts with the most that its row can sum
    to over patterns through it, and the best pattern of these is found by dynamic programming; where no two
    contributions meet in a row this is exact.
    """
    steps, gap = sizes.shape[0], participation.separation
    times = participation.most(steps)
    if participation.order == "cyclic":
        patterns = (np.arange(start, steps, gap) for start in range(min(gap, steps)))
        return max(_cyclic(sizes, pattern, times) for pattern in patterns)
    rows = np.diag(sizes) + _beside(sizes, gap, times) + _beside(sizes[::-1, ::-1], gap, times)[::-1]
    return _rounded_up(_best(rows, gap, times), 2 * times)


def _cyclic(sizes: Floats, pattern: npt.NDArray[np.intp], times: int) -> float:
    """The largest sum over so many neighbouring steps of a pattern, and a bound for any so many."""
    inner = sizes[np.ix_(pattern, pattern)]
    if times >= pattern.size:
        return _rounded_up(float(inner.sum(axis=1).sum()), pattern.size)
    return _rounded_up(float(np.sort(np.sort(inner, axis=1)[:, -times:].sum(axis=1))[-times:].sum()), times)


def _beside(sizes: Floats, gap: int, times: int) -> Floats:
    """For each step, the most that entries of its row before it can sum to, on a pattern that ends there."""
    steps = sizes.shape[0]
    before = np.zeros(steps)
    for step in range(gap, steps):
        before[step] = _best(sizes[step, : step - gap + 1], gap, times - 1)
    return before


def _best(values: Floats, gap: int, times: int) -> float:
    """The largest sum of so many values, each at least so far from the next; values are not negative."""
    if times <= 0 or values.size == 0:
        return 0.0
    if times == 1:
        return float(values.max())
    best = np.zeros(values.size + gap)  # with one contribution fewer, up to a step; shifted by the gap
    for _ in range(min(times, -(-values.size // gap))):
        best[gap:] = np.maximum.accumulate(values + best[: values.size])
    return float(best[-1])
