"""The errors gaussdp raises on purpose."""

import math
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from functools import partial
from typing import Any

from gaussdp.words import say

_LONGEST = 60  # characters of a value in a message
_MU_DIGITS, _SLACK_DIGITS = 6, 3
_LONGEST_WORD = 250  # of a word: a name in a file may be anything
_BEGINNING, _END = 500, 150  # characters kept of a message that lists what a file holds: what is wrong, and what to do


class GaussdpError(Exception):
    """Base of every error that gaussdp raises on purpose.

    >>> issubclass(DomainError, GaussdpError)
    True
    """


class DomainError(GaussdpError, ValueError):
    """An input lies outside the domain of its parameter, or has the wrong type or shape.

    The message is put together from the parts: "fpr must be in (0, 1), got 1.2; give a rate". Whoever needs a part (a
    page that marks a field, a reader of files) takes the attribute and never the text.

    Args:
        parameter: the name of the parameter as its user knows it; None where no single one is to blame.
        domain: what it must be, in words that follow "must be".
        value: what was given; None where there is nothing to show.
        advice: what to do instead.
        problem: what is wrong, in words that follow the parameter, where "must be" does not say it.
        got: how to show the value, where `brief` does not say it.
        place: where the parameter stands: a file, an entry of a list.

    >>> DomainError("fpr", "in (0, 1)", 1.2, "give a rate")
    DomainError('fpr must be in (0, 1), got 1.2; give a rate')
    """

    domain: str | None
    got: str

    def __init__(
        self,
        parameter: str | None,
        domain: object = None,
        value: object = None,
        advice: str = "",
        *,
        problem: str = "",
        got: str = "",
        place: str = "",
    ) -> None:
        self.parameter = parameter
        self.domain = None if domain is None else str(domain)
        self.value = value
        self.advice = advice
        self.problem = problem
        self.got = got or ("" if value is None else brief(value))
        self.place = place
        super().__init__(self._message())

    def _message(self) -> str:
        said = self.problem or say("must be {domain}", domain=self.domain)
        words = f"{self.parameter} {said}" if self.parameter else said
        words += say(", got {got}", got=self.got) if self.got else ""
        words += f"; {self.advice}" if self.advice else ""
        return one_line(f"{self.place}: {words}" if self.place else words)

    def changed(self, **parts: Any) -> "DomainError":
        """The same refusal with other parts, for whoever knows the parameter by another name or knows its place."""
        return DomainError(**{**self._parts(), **parts})

    def at(self, place: str) -> "DomainError":
        """The same refusal inside a file or an entry, before any place that it names already."""
        return self.changed(place=f"{place}: {self.place}" if self.place else place)

    def _parts(self) -> dict[str, Any]:
        names = ("parameter", "domain", "value", "advice", "problem", "got", "place")
        return {name: getattr(self, name) for name in names}

    def __reduce__(self) -> Any:
        return partial(type(self), **self._parts()), ()


def brief(value: object) -> str:
    """A value for a message: numbers, words and lists as they are written, cut where they are long; else the type."""
    if isinstance(value, int) and abs(value) >= 10**30:
        return "a whole number of more than 30 digits"  # it may have too many to be written at all
    plain = value.item() if hasattr(value, "item") and getattr(value, "size", 0) == 1 else value
    if not isinstance(plain, int | float | complex | str | bytes | list | tuple | dict | type(None)):
        return type(value).__name__
    text = repr(plain)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def one_line(message: str) -> str:
    """A message in one line that a person can read: a long one, and a word longer than any path, lose their middle.

    Every refusal comes through here, so that whatever it echoes of a file stays short.

    >>> len(one_line("no column 'score'; it has " + ", ".join(["'x'"] * 100_000)))
    655
    """
    line = re.sub(
        rf"\S{{{_LONGEST_WORD},}}", lambda word: f"{word[0][:_LONGEST_WORD]}...", " ".join(message.splitlines())
    )
    return line if len(line) <= _BEGINNING + _END else f"{line[:_BEGINNING]} ... {line[-_END:]}"


class ConvergenceError(GaussdpError, ArithmeticError):
    """A computation could not reach the accuracy it promises, so it returns nothing.

    >>> issubclass(ConvergenceError, ArithmeticError)
    True
    """


class MissingExtraError(GaussdpError, ImportError):
    """An optional dependency is not installed; the message holds the command that installs it.

    >>> issubclass(MissingExtraError, ImportError)
    True
    """


class UnsupportedVersionError(GaussdpError, ImportError):
    """An optional dependency is installed in a version older than an integration can use.

    >>> issubclass(UnsupportedVersionError, ImportError)
    True
    """


class UntestedVersionWarning(UserWarning):
    """An optional dependency is newer than the versions an integration was tested with.

    >>> issubclass(UntestedVersionWarning, UserWarning)
    True
    """


class LedgerError(GaussdpError):
    """A budget book cannot be read or written as it should: locked, read-only, full, damaged, of another version."""


class BudgetExceeded(GaussdpError):  # noqa: N818 - what happened, not what is wrong
    """A release would spend more than a budget has left; nothing was written.

    Args:
        budget: the name of the budget that is too small.
        asked: what the release needs: mu, and its slack.
        left: the largest mu of a release that this budget can still pay, and the slack that it has left.
        advice: what would fit.

    >>> BudgetExceeded("health", (0.5, 0.0), (0.3, 0.0)).left_mu
    0.3
    """

    asked_mu: float
    asked_slack: float
    left_mu: float
    left_slack: float
    noise_multiplier: float | None

    def __init__(
        self, budget: str, asked: tuple[float, float], left: tuple[float, float], advice: str = "", noise: float = 0.0
    ) -> None:
        self.budget = budget
        self.asked_mu: float = asked[0]
        self.asked_slack: float = asked[1]
        self.left_mu: float = left[0]
        self.left_slack: float = left[1]
        self.advice = advice
        self.noise_multiplier: float | None = noise or None
        both = self.asked_slack > 0 or self.left_slack > 0
        asks, has = _amount(*asked, both, ROUND_CEILING), _amount(*left, both, ROUND_FLOOR)
        words = say(
            "budget {budget} is exceeded: {asked} asked, {left} left", budget=repr(budget), asked=asks, left=has
        )
        super().__init__(one_line(f"{words}; {advice}" if advice else words))

    def __reduce__(self) -> Any:
        asked, left = (self.asked_mu, self.asked_slack), (self.left_mu, self.left_slack)
        return type(self), (self.budget, asked, left, self.advice, self.noise_multiplier or 0.0)


def _amount(mu: float, slack: float, both: bool, side: str) -> str:
    """An amount, rounded: up what was asked, down what is left, so that what is said to be left is."""
    shown_mu = _shortened(mu, _MU_DIGITS, side)
    if both:
        return say("mu = {mu} and slack {slack}", mu=shown_mu, slack=_shortened(slack, _SLACK_DIGITS, side))
    return say("mu = {mu}", mu=shown_mu)


def _shortened(value: float, digits: int, side: str) -> str:
    if not math.isfinite(value):
        return f"{value:g}"
    return f"{float(Context(prec=digits, rounding=side).create_decimal(repr(float(value)))):.{digits}g}"
