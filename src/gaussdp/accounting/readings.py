"""What accounting hands out: a value with the method that computed it and how far it may be off."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from enum import IntEnum
from functools import cache
from operator import attrgetter
from typing import Any, Generic, Literal, Protocol, Self, TypeVar, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

from gaussdp.domains import NON_NEGATIVE, PROBABILITY, Domain, checked
from gaussdp.guarantees.base import Numbers
from gaussdp.numerics import Booleans, Floats, Indices
from gaussdp.words import Phrase, say


@cache
def _columns_of(kind: Any) -> Callable[[Any], tuple[Any, ...]]:
    """What reads all columns of such an object."""
    return attrgetter(*(field.name for field in fields(kind)))


class Columns:
    """Base of frozen dataclasses whose fields are arrays of one length; the first of them orders the others."""

    __slots__ = ()

    @classmethod
    def columns(cls, of: Any) -> tuple[Any, ...]:
        """The arrays of an object that has such ones, in order."""
        kind: Any = cls
        return _columns_of(kind)(of)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Those of several, one after the other."""
        return cls(*map(np.concatenate, zip(*map(cls.columns, parts), strict=True)))

    def take(self, which: Indices | Booleans | slice) -> Self:
        """Some of them."""
        return type(self)(*[column[which] for column in self.columns(self)])

    def put(self, which: Indices | Booleans, others: Self) -> None:
        """Enter others at some places; for who made the arrays."""
        for column, other in zip(self.columns(self), self.columns(others), strict=True):
            column[which] = other

    @property
    def points(self) -> Floats:
        """The array that orders the others."""
        first: Floats = self.columns(self)[0]
        return first

    def in_order(self) -> Self:
        """The same in rising order."""
        return self.take(self.points.argsort(kind="stable"))

    def without_repeats(self) -> Self:
        """Those whose point does not repeat the one before."""
        fresh = np.concatenate(([True], self.points[1:] > self.points[:-1]))
        return self if fresh.all() else self.take(fresh)


AnyColumns = TypeVar("AnyColumns", bound=Columns)


Codes = npt.NDArray[np.int8]
"""Methods of many values, by number."""

ErrorKind = Literal["bound", "estimate"]

ROOM, MOST = 4.0, 1e-9
"""Times the error that a line estimates is what a reading states, up to an error: most bounds, which count some errors
twice, fit in."""


def roomy(error: Floats, size: float = 1.0) -> Floats:
    """The error to be stated where lines estimate this one, of a value of this size."""
    stated: Floats = np.maximum(error, np.minimum(ROOM * error, MOST * size))
    return stated


NO_METHOD = -1
"""The code of a value that no exact method could compute."""


class Method(IntEnum):
    """How a number was computed, the tightest method first."""

    CLOSED_FORM = 0
    VANISHING = 1
    LINE = 2
    DENSITY = 3
    DISTRIBUTION = 4
    ENCLOSURE = 5
    STATED = 6

    @property
    def words(self) -> str:
        """The method in words, as reports and pages show it."""
        return say(_WORDS[self])

    @property
    def label(self) -> str:
        """Its name in tables."""
        return str(_NAMES[self])

    @property
    def exact(self) -> bool:
        """Whether the number is that of the mechanism, to its stated error, and not a bound."""
        return self < Method.DISTRIBUTION

    @property
    def error_kind(self) -> ErrorKind:
        """Whether the errors that this method states are always proved bounds, or may be estimates.

        Lines and densities judge a part of their errors by how terms fall off, with a margin: that part is no proof. A
        reading off a line finds out for itself whether bounds on every part fit into what it states, up to rounding.
        The estimates were compared with proofs (docs/certified.md), and `certify` proves a number.
        """
        return "estimate" if self in (Method.LINE, Method.DENSITY) else "bound"

    def __str__(self) -> str:
        return self.name.lower().replace("_", " ")

    __repr__ = __str__


_WORDS = {
    Method.CLOSED_FORM: Phrase("closed form"),
    Method.VANISHING: Phrase("smaller than any double, by Chernoff's bound"),
    Method.LINE: Phrase("exact tails of the privacy loss, by contour integrals"),
    Method.DENSITY: Phrase("exact tails of the privacy loss, from the density of the composed loss"),
    Method.DISTRIBUTION: Phrase("a pessimistic privacy loss distribution: sound, and no tighter than its grid allows"),
    Method.ENCLOSURE: Phrase("proved bounds on both sides of the curve: sound, and as tight as the stated error says"),
    Method.STATED: Phrase("what is stated, and nothing that was computed"),
}
_NAMES = {
    Method.CLOSED_FORM: Phrase("closed form"),
    Method.VANISHING: Phrase("vanishing"),
    Method.LINE: Phrase("line"),
    Method.DENSITY: Phrase("density"),
    Method.DISTRIBUTION: Phrase("distribution"),
    Method.ENCLOSURE: Phrase("enclosure"),
    Method.STATED: Phrase("stated"),
}


@dataclass(frozen=True, slots=True)
class Values(Columns):
    """Values with their relative errors and the codes of their methods, all one-dimensional."""

    value: Floats
    error: Floats
    method: Codes

    @property
    def answered(self) -> Booleans:
        """Which values there are."""
        return self.method >= 0

    @classmethod
    def of(cls, value: Floats, method: int, error: float) -> "Values":
        """Values of one method with one error."""
        return cls(value, np.full(value.shape, error), np.full(value.shape, method, np.int8))

    @classmethod
    def unanswered(cls, size: int) -> "Values":
        """No values."""
        return cls.of(np.full(size, np.nan), NO_METHOD, math.inf)

    def where(self, mine: Booleans, other: "Values") -> "Values":
        """These values where mine is true, the other ones elsewhere; none where either has none."""
        method = np.where(mine, self.method, other.method)
        method[~(self.answered & other.answered)] = NO_METHOD
        return Values(np.where(mine, self.value, other.value), np.where(mine, self.error, other.error), method)


@dataclass(frozen=True, slots=True)
class Reading(Generic[Numbers]):
    """A value read off a curve, with where it comes from.

    Attributes:
        value: what was asked for.
        error: its relative error; `error_kind` tells whether that is a bound up to rounding, or an estimate. A value of
            a distribution or an enclosure is a bound on the safe side, and the error says how far the truth may lie
            away; inf where nothing is known about that.
        method: how it was computed; for arrays an array of methods.

    >>> from gaussdp import DPSGD, account
    >>> read = account(DPSGD(1.0, 0.01, 1000)).reading.epsilon(1e-5)
    >>> read.error < 1e-11, read.error_kind
    (True, 'bound')
    """

    value: Numbers
    error: Numbers
    method: Method | npt.NDArray[np.object_]
    _asked: "_Asked | None" = field(default=None, repr=False, compare=False)

    @property
    def weakest(self) -> Method:
        """The least tight of the methods."""
        return cast(Method, max(np.ravel(np.asarray(self.method, np.object_))))

    @property
    def error_kind(self) -> ErrorKind | npt.NDArray[np.object_]:
        """Whether the error is a "bound", proved up to rounding, or an "estimate"; for arrays an array.

        An estimate is judged by how terms fall off, and has a margin. For lines the kind is found out when it is asked
        for, which takes as long as some readings do. To have the number proved, ask the curve to `certify`.
        """
        methods = np.asarray(self.method, np.object_)
        kinds = np.array([method.error_kind for method in methods.ravel()], np.object_)
        if self._asked is not None and Method.LINE in methods:
            codes = methods.ravel().astype(np.int8)
            read = Values(np.ravel(self.value).astype(np.float64), np.ravel(self.error).astype(np.float64), codes)
            kinds[self._asked.bounded(read)] = "bound"
        return cast(ErrorKind, kinds[0]) if isinstance(self.method, Method) else kinds.reshape(methods.shape)


class Readable(Protocol):
    """A curve whose values know their methods."""

    def values(self, name: str, levels: Floats) -> Values:
        """The reading of this name at each level."""


@runtime_checkable
class Bounding(Readable, Protocol):
    """A curve that may know bounds on the errors of readings off lines."""

    def _errors_are_bounds(self, name: str, levels: Floats, read: Values) -> Booleans:
        """Whether the errors that readings off lines state are bounds, up to rounding."""


@dataclass(frozen=True)
class _Asked:
    """The question that a reading answers."""

    curve: Bounding
    name: str
    levels: Floats

    def bounded(self, read: Values) -> Booleans:
        return self.curve._errors_are_bounds(self.name, self.levels, read)


@dataclass(frozen=True)
class Readings:
    """The readings of a curve with their methods and errors; each takes and gives floats or arrays."""

    curve: Readable

    def fnr(self, fpr: Numbers) -> Reading[Numbers]:
        """The least false-negative rate at this false-positive rate."""
        return self._read("fnr", "fpr", fpr, PROBABILITY)

    def tpr(self, fpr: Numbers) -> Reading[Numbers]:
        """The largest true-positive rate at this false-positive rate."""
        return self._read("tpr", "fpr", fpr, PROBABILITY)

    def fpr(self, tpr: Numbers) -> Reading[Numbers]:
        """The least false-positive rate at this true-positive rate (recall)."""
        return self._read("fpr", "tpr", tpr, PROBABILITY)

    def delta(self, epsilon: Numbers) -> Reading[Numbers]:
        """The least delta at this epsilon >= 0."""
        return self._read("delta", "epsilon", epsilon, NON_NEGATIVE)

    def epsilon(self, delta: Numbers) -> Reading[Numbers]:
        """The least epsilon at this delta."""
        return self._read("epsilon", "delta", delta, PROBABILITY)

    def _read(self, name: str, parameter: str, level: Numbers, domain: Domain) -> Reading[Numbers]:
        levels = checked(parameter, level, domain)
        with np.errstate(all="ignore"):
            read = self.curve.values(name, levels.reshape(-1))
        error = np.where(read.method == Method.LINE, roomy(read.error), read.error)
        methods = [Method(code) for code in read.method.tolist()]
        asked = _Asked(self.curve, name, levels.reshape(-1)) if isinstance(self.curve, Bounding) else None
        if levels.ndim == 0:
            alone: Any = Reading(float(read.value[0]), float(error[0]), methods[0], asked)
            return cast(Reading[Numbers], alone)
        shape = levels.shape
        many: Any = Reading(
            read.value.reshape(shape), error.reshape(shape), np.array(methods, np.object_).reshape(shape), asked
        )
        return cast(Reading[Numbers], many)


@dataclass(frozen=True)
class NothingLost:
    """The curve of a release that tells nothing: the lower ends of all whose least loss is not known."""

    def values(self, name: str, levels: Floats) -> Values:
        """The reading of this name at each level."""
        value = 1 - levels if name == "fnr" else levels if name in ("tpr", "fpr") else np.zeros_like(levels)
        return Values.of(value, Method.CLOSED_FORM, 0.0)


def reaching(least: Readable, read: Values, name: str, levels: Floats) -> Values:
    """Values of what is known to lose no less, with errors that reach those of what surely loses no more."""
    far = least.values(name, levels)
    with np.errstate(all="ignore"):
        other = far.value * (1 + (far.error if name in ("fnr", "fpr") else -far.error))
        off = np.where(other == read.value, 0.0, np.abs(other - read.value) / np.abs(read.value))
    return Values(read.value, np.fmax(read.error, np.where(np.isnan(off), np.inf, off)), read.method)


def methods_of(codes: Iterable[Codes]) -> tuple[Method, ...]:
    """The methods among codes, the tightest first."""
    return tuple(Method(code) for code in sorted({code for part in codes for code in set(part.tolist())}))
