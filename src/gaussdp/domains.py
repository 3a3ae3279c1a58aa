"""What each parameter may be, and the one way a bad one is refused.

Every public function sends its inputs through here, so that the wording of a refusal, the treatment of NaN and the
rules of broadcasting are the same everywhere.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ContextDecorator, nullcontext
from contextvars import ContextVar, Token
from dataclasses import dataclass
from typing import Any, Self, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from gaussdp.errors import DomainError, brief
from gaussdp.registry import Evaluator, evaluator_for
from gaussdp.words import Phrase, say

Real: TypeAlias = float | np.floating[Any] | np.integer[Any]
"""One number, also of NumPy's."""
Whole: TypeAlias = int | np.integer[Any]
"""One whole number, also of NumPy's."""

Word = TypeVar("Word", bound=str)
Kind = TypeVar("Kind")

Kernel = Callable[..., npt.NDArray[np.float64]]

Parameters = Mapping[str, tuple[Any, "Domain"]]


class _Evaluators(dict[type, Evaluator | None]):
    """What computes on values of a type, None where NumPy does; looked up once for each type."""

    def __missing__(self, kind: type) -> Evaluator | None:
        self[kind] = evaluator_for(kind)
        return self[kind]


EVALUATORS = _Evaluators()
"""For columns and arrays of other libraries, what evaluates a kernel on them."""


_DOUBLE = 8  # bytes
_LONGEST_WORD = 100  # characters of a word that may be a known one mistyped
_BLOCK = 1 << 14  # elements a kernel sees at once: small enough to stay in cache


@dataclass(frozen=True)
class Domain:
    """An interval of real numbers with its description and, where it helps, advice.

    Attributes:
        low, high: the ends.
        closed_low, closed_high: whether the ends belong to it.
        advice: what to do instead, appended to the refusal.
        meant: where the quantity makes sense, if that is more than what can be computed with: who is outside of it is
            told so, and hears of no limit.
    """

    low: float
    high: float
    closed_low: bool = True
    closed_high: bool = True
    advice: str = ""
    meant: "Domain | None" = None

    def __str__(self) -> str:
        left = "[" if self.closed_low else "("
        right = "]" if self.closed_high else ")"
        return f"{left}{say('{low}, {high}', low=_shown(self.low), high=_shown(self.high))}{right}"

    def contains(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """Which values lie inside; NaN never does."""
        above = values >= self.low if self.closed_low else values > self.low
        below = values <= self.high if self.closed_high else values < self.high
        return above & below

    def holds(self, value: float) -> bool:
        """Whether one number lies inside; NaN never does."""
        above = value >= self.low if self.closed_low else value > self.low
        return above and (value <= self.high if self.closed_high else value < self.high)


@dataclass(frozen=True)
class WordChoice:
    """One of a few words that a parameter may be.

    Attributes:
        label: to choose it by.
        meaning: what it says, in a document.
    """

    label: str
    meaning: str


NON_NEGATIVE = Domain(0.0, math.inf)
FINITE_NON_NEGATIVE = Domain(0.0, math.inf, closed_high=False)
POSITIVE = Domain(0.0, math.inf, closed_low=False, closed_high=False)
REAL = Domain(-math.inf, math.inf)  # infinity included, which FINITE and POSITIVE refuse
FINITE = Domain(-math.inf, math.inf, closed_low=False, closed_high=False)
LEVEL = Domain(0.0, 1.0, closed_low=False, closed_high=False)
PROBABILITY = Domain(0.0, 1.0)

# What can be computed with, for every mechanism, function, file and option.
MOST = 10**15
"""Records, steps, repetitions, answers: beyond, products of them are no longer exact in a double."""
_SQUARE = Phrase("beyond, the square of mu leaves the range of a double")
_NO_PRIVACY = Phrase("beyond, there is no privacy to speak of, or nothing but noise")
NOISE = Domain(1e-100, 1e100, advice=_SQUARE, meant=POSITIVE)
RHO = Domain(1e-200, 1e200, advice=_SQUARE, meant=POSITIVE)
SAMPLED_NOISE = Domain(1e-3, 1e9, advice=_NO_PRIVACY, meant=POSITIVE)  # a sampled release's
SCALE = Domain(1e-6, 1e15, advice=_NO_PRIVACY, meant=POSITIVE)  # of noise with atoms, over the sensitivity
RESPONSE = Domain(1e-15, 1e6, advice=_NO_PRIVACY, meant=POSITIVE)  # the epsilon of randomized response
SAMPLE_RATE = Domain(1e-100, 1.0, meant=Domain(0.0, 1.0, closed_low=False))
EPOCHS = Domain(1e-15, 1e15, meant=POSITIVE)


def evaluate(kernel: Kernel, **parameters: tuple[npt.ArrayLike, Domain]) -> Any:
    """Check the parameters, broadcast them, and run the kernel block by block.

    Args:
        kernel: takes one-dimensional float64 arrays of equal length, in the order given, and returns another.
        parameters: name = (value, domain).
    Returns:
        A Python float if every parameter is a scalar, else an array of the broadcast shape; for columns and arrays of
        other libraries, what the integration that serves them returns.
    """
    numbers = []
    given: Parameters = parameters
    for value, domain in given.values():
        if type(value) is not float or not (domain.low < value < domain.high or domain.holds(value)):
            return _of_arrays(kernel, parameters)
        numbers.append(value)
    # As in most calls: nothing to convert, broadcast or refuse.
    one: Callable[..., float] | None = getattr(kernel, "one", None)
    return one(*numbers) if one is not None and _SEVERAL.get() else _of_numbers(kernel, numbers)


def evaluated(kernel: Kernel, **domains: Domain) -> Callable[..., Any]:
    """The function of its inputs that `evaluate` computes with these domains; single numbers take the shortest way.

    >>> from gaussdp.numerics import flat
    >>> tpr = evaluated(flat.tpr_from_mu, mu=NON_NEGATIVE, fpr=PROBABILITY)
    >>> tpr(1.0, 1e-3)
    0.01829...
    """
    one: Callable[..., float] | None = getattr(kernel, "one", None)
    inside = [(domain.low, domain.high) for domain in domains.values()]
    several = _SEVERAL.get

    def general(*values: Any) -> Any:
        return evaluate(kernel, **dict(zip(domains, zip(values, domains.values(), strict=True), strict=True)))

    if one is None or len(inside) != 2:
        return general
    (low, high), (second_low, second_high) = inside

    def of_two(first: Any, second: Any) -> Any:
        if (
            type(first) is float
            and type(second) is float
            and low < first < high
            and second_low < second < second_high
            and several()
        ):
            return kernel.one(first, second)  # type: ignore[attr-defined]
        return general(first, second)

    return of_two


def _of_arrays(kernel: Kernel, parameters: Parameters) -> Any:
    for value, _ in parameters.values():
        evaluator = EVALUATORS[type(value)]
        if evaluator is not None:
            return evaluator(kernel, parameters)
    arrays = [checked(name, value, domain) for name, (value, domain) in parameters.items()]
    if not any(array.ndim for array in arrays):
        return _of_numbers(kernel, [float(array) for array in arrays])
    shape = arrays[0].shape if len(arrays) == 1 else _shape(parameters, arrays)
    flat = [_spread(array, shape).reshape(-1) for array in arrays]
    result = np.empty(flat[0].size)
    with nullcontext() if _SEVERAL.get() else np.errstate(all="ignore"):
        if result.size <= _BLOCK:
            result[:] = kernel(*flat)
        else:
            for start in range(0, result.size, _BLOCK):
                block = slice(start, start + _BLOCK)
                result[block] = kernel(*(array[block] for array in flat))
    return result.reshape(shape)


def _shape(parameters: Parameters, arrays: Sequence[npt.NDArray[np.float64]]) -> tuple[int, ...]:
    """That of all of them together."""
    shapes = {array.shape for array in arrays} - {()}
    if len(shapes) == 1:
        return shapes.pop()
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        told = ", ".join(f"{name} {array.shape}" for name, array in zip(parameters, arrays, strict=True))
        raise DomainError(
            None, problem=f"the shapes do not broadcast together: {told}", advice="give scalars or matching arrays"
        ) from None


def _spread(array: npt.NDArray[np.float64], shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    if array.shape == shape:
        return array
    return np.full(shape, array) if array.ndim == 0 else np.broadcast_to(array, shape)


def _of_numbers(kernel: Kernel, numbers: Sequence[float]) -> float:
    """The kernel at one number of each; a `numerics.Formula` needs no arrays for that."""
    one: Callable[..., float] | None = getattr(kernel, "one", None)
    with np.errstate(all="ignore"):
        return one(*numbers) if one else float(kernel(*(np.reshape(n, 1) for n in numbers))[0])


_SEVERAL = ContextVar("several", default=False)


def reading_several() -> bool:
    """Whether many single numbers are computed, and NumPy knows that infinities are meant."""
    return _SEVERAL.get()


class _Readings(ContextDecorator):
    """No generator, which takes longer to enter than most of what is computed inside."""

    _token: Token[bool] | None = None

    def _recreate_cm(self) -> Self:
        return type(self)()  # of its own for each call of a function

    def __enter__(self) -> None:
        if not _SEVERAL.get():
            self._token = _SEVERAL.set(True)
            self._unwarned = np.errstate(all="ignore")
            self._unwarned.__enter__()

    def __exit__(self, *error: object) -> None:
        if self._token is not None:
            self._unwarned.__exit__(None, None, None)
            _SEVERAL.reset(self._token)
            self._token = None


def readings() -> _Readings:
    """Many single numbers are computed here: NumPy is told but once that infinities are meant."""
    return _Readings()


def checked(name: str, value: Any, domain: Domain) -> npt.NDArray[np.float64]:
    """The value as a float64 array inside the domain, or a DomainError that names all three."""
    if type(value) is float and domain.holds(value):
        return np.array(value)
    array = _real_array(name, value, domain)
    if array.size == 0:
        raise DomainError(name, problem="must not be empty", advice=f"give at least one number in {domain}")
    inside = domain.contains(array)
    if np.count_nonzero(inside) < inside.size:
        raise outside(name, domain, float(array[~inside].flat[0]))
    return array


def number(name: str, value: object, domain: Domain) -> float:
    """The value as one Python float inside the domain; arrays are refused."""
    if type(value) is float and (domain.low < value < domain.high or domain.holds(value)):
        return value
    array = _real_array(name, value, domain)
    if array.ndim:
        raise DomainError(name, f"one number in {domain}", got=f"an array of shape {array.shape}")
    return float(checked(name, array, domain))


def settle(record: object, **domains: Domain) -> None:
    """Let fields of a frozen record be the numbers that they mean, each in its domain."""
    for name, domain in domains.items():
        object.__setattr__(record, name, number(name, getattr(record, name), domain))


def integer(name: str, value: object, low: int, high: int = MOST) -> int:
    """The value as a whole number from low to high; 3.0 and True are refused, NumPy integers are not."""
    if type(value) is int and low <= value <= high:
        return value
    words = (
        say("a whole number of at least {low}", low=low)
        if high == MOST
        else say("a whole number from {low} to {high:,}", low=low, high=high)
    )
    if not isinstance(value, int | np.integer) or isinstance(value, bool):
        raise DomainError(name, words, value, got=kind_of(value))
    if value < low:
        raise DomainError(name, words, value)
    if value > high:
        raise DomainError(name, say("a whole number of at most {high:,}", high=high) if high == MOST else words, value)
    return int(value)


def instance(name: str, value: Any, kind: type[Kind] | tuple[type[Kind], ...], words: str) -> Kind:
    """The value, which must be one of this kind: what it must be, in words."""
    if kind not in type(value).__mro__ and not isinstance(value, kind):  # an abstract class takes its time to ask
        raise DomainError(name, words, got=brief(value))
    found: Kind = value
    return found


def yes_or_no(name: str, value: object) -> bool:
    """The value, which must be True or False."""
    if not isinstance(value, bool):
        raise DomainError(name, "true or false", value)
    return value


def several(name: str, values: object, words: str) -> list[Any]:
    """The values as a list; a text, which could be one of letters, is none."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise DomainError(name, words, got=brief(values))
    try:
        return list(values)
    except TypeError:  # an array without dimensions, or a type, calls itself iterable
        raise DomainError(name, words, got=brief(values)) from None


def _real_array(name: str, value: object, domain: Domain) -> npt.NDArray[np.float64]:
    try:
        array = real_numbers(value)
    except OverflowError:
        raise outside(name, domain, value, "a number too large for a double") from None
    if array is None:
        raise wrong_type(name, domain, value)
    return array


def real_numbers(value: object) -> npt.NDArray[np.float64] | None:
    """The numbers as a float64 array; None if one of them is no real number, or is hidden by a mask.

    Every array that a user gives comes through here: truth values, text, complex numbers, dates and objects are not
    numbers, alone or among numbers, though NumPy would make some of them numbers.

    Raises:
        OverflowError: for a number too large for a double.
    """
    if type(value) is np.ndarray and value.dtype == np.float64:
        return value
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):
        return None
    if array.size and (np.ma.is_masked(value) or _holds_a_truth_value(value)):
        return None
    if array.dtype == object and array.size and all(isinstance(item, int) for item in array.flat):
        return array.astype(np.float64)  # Python integers beyond 64 bits
    if array.size == 0 and array.dtype.kind in "fO":
        return np.empty(0)
    if array.dtype.kind == "f" and array.dtype.itemsize > _DOUBLE:
        return _narrowed(array)
    return array.astype(np.float64, copy=False) if array.dtype.kind in "iuf" else None


def _narrowed(array: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Wider floats as doubles; what is no double is too large for one."""
    with np.errstate(over="ignore", under="ignore"):
        narrow = array.astype(np.float64)
    if (np.isinf(narrow) & ~np.isinf(array)).any():
        raise OverflowError
    return narrow


def _holds_a_truth_value(value: object) -> bool:
    """Whether True or False stands among the items of a list, however deep; NumPy would take them for 1 and 0."""
    if isinstance(value, list | tuple):
        return any(_holds_a_truth_value(item) for item in value)
    if isinstance(value, np.ndarray) and value.dtype == object:
        return any(isinstance(item, bool | np.bool_) for item in value.flat)
    return isinstance(value, bool | np.bool_)


def written_number(text: str) -> float:
    """The number that a text in a file states.

    Raises:
        ValueError: if it states none, or one too large for a double; also for 1_0, which is a number to Python alone.
    """
    parsed = float(text)
    if "_" in text or (math.isinf(parsed) and "inf" not in text.lower()):
        raise ValueError(text)
    return parsed


def written_share(text: str) -> float:
    """The number that a text states, also as a fraction or in percent.

    Raises:
        ValueError: if it states none.

    >>> written_share("1/1000"), written_share("1%"), written_share("1e-3")
    (0.001, 0.01, 0.001)
    """
    above, slash, below = text.partition("/")
    if slash:
        return _ratio(written_number(above), written_number(below), text)
    stripped = text.strip()
    return _ratio(written_number(stripped[:-1]), 100.0, text) if stripped.endswith("%") else written_number(text)


def _ratio(above: float, below: float, text: str) -> float:
    if not (math.isfinite(above) and math.isfinite(below) and below):
        raise ValueError(text)
    return above / below


def written_whole(text: str) -> int:
    """The whole number that a text states in plain digits.

    Raises:
        ValueError: if it states none, or one of thousands of digits.
    """
    if not re.fullmatch(r"\s*[+-]?[0-9]+\s*", text):
        raise ValueError(text)
    return int(text)


def wrong_type(name: str, domain: Domain, value: object) -> DomainError:
    """What to raise for a value that is no number."""
    return DomainError(name, f"a number or an array of numbers in {domain}", value, got=kind_of(value))


def outside(name: str, domain: Domain, value: object, got: str = "") -> DomainError:
    """What to raise for a number outside the domain."""
    if domain.meant is not None and isinstance(value, float) and not domain.meant.holds(value):
        domain = domain.meant
    return DomainError(name, say("in {domain}", domain=str(domain)), value, say(domain.advice), got=got)


def kind_of(value: object) -> str:
    """The type of a value and the beginning of its repr."""
    kind, begins = type(value).__name__, brief(value)
    return kind if begins == kind else f"{kind} {begins}"


def one_of(key: str, value: object, known: tuple[Word, ...]) -> Word:
    """The value, which must be one of the known words; the nearest one is suggested."""
    for word in known:
        if isinstance(value, str) and value == word:
            return word
    suggestion = nearest(value, known)
    advice = say("did you mean {word}?", word=repr(suggestion)) if suggestion else ""
    raise DomainError(key, say("one of {words}", words=", ".join(map(repr, known))), value, advice)


def nearest(value: object, known: Sequence[str]) -> str | None:
    """The known word most like the value, if one is like it."""
    from difflib import get_close_matches

    if not isinstance(value, str) or len(value) > _LONGEST_WORD:
        return None
    found = get_close_matches(value.lower().replace("_", "-"), [word.replace("_", "-") for word in known], 1, 0.6)
    return next((word for word in known if found and word.replace("_", "-") == found[0]), None)


def _shown(value: float) -> str:
    return f"{value:g}"
