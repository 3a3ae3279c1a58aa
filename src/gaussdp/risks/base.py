"""What a risk is: a number read off a guarantee, the mu that carries the same number, and the words for both."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from gaussdp.documents.rounding import Rounding, rounded, shown
from gaussdp.domains import NON_NEGATIVE, checked, instance, number
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.guarantees import GDP, Guarantee, PureDP
from gaussdp.numerics import TINY
from gaussdp.objects import cached_property, guard
from gaussdp.risks.levels import Level, Unit, capital, name_at
from gaussdp.words import say, told_once

_LARGEST_MU = 1e8
_LARGEST_EPSILON = 1e16  # of the order of the square of the largest mu
_ERROR = 1e-13  # relative, of a number of GDP; up to 2e-14 was seen, ...
_DEEP = 50.0  # ... and twice as much in a tail of e^-50
_MOST_STEPS = 600  # a third of them bisections, which reach neighbouring doubles from any interval
_HALVINGS = 64  # of the search for a crossing, on a logarithmic axis
EVEN = 0.5
Start: TypeAlias = tuple[float, float | None] | None


class Risk(ABC):
    """A number that says what an attacker can achieve; the larger, the worse.

    A subclass needs `of` alone, if the risk grows with mu: `mu_for` then finds the mu by search. The risks of the
    paper override it with closed forms. With a `name` it can be registered (`gaussdp.risks.register`), and is then
    offered wherever risks are: as a bound to calibrate to and, with `criterion = True`, for matching. A risk at a level
    is a dataclass with a field of the level's key; one that takes a prior has a field `prior`.

    Attributes:
        name: in words, such as "multiplicative advantage"; what follows is made from it where it is not given.
        key: for code, files and options: "multiplicative_advantage".
        value_key: of its number: "epsilon" for the profile; else the key.
        label: its title on the page.
        hint: what it is, in a few words.
        quantity: its number: "TPR/FPR".
        column: its number in the head of a table: "TPR/FPR at most".
        phrase: its name in a sentence: "the privacy profile".
        gain: what an attacker wins by it: "members found".
        level: at which it is read, or None.
        unit: how its number is told.
        takes_prior: whether its number depends on the prior.
        criterion: whether it is offered for matching a policy.
        decimals: so many has its number where tables round to nearest; None for significant digits.
        start: the bound, and the level, with which the page starts.

    >>> from gaussdp import GDP, Advantage
    >>> Advantage().of(GDP(1.0)), Advantage().words
    (0.38292..., 'TPR − FPR')
    """

    name: ClassVar[str] = ""
    key: ClassVar[str] = ""
    value_key: ClassVar[str] = ""
    label: ClassVar[str] = ""
    hint: ClassVar[str] = ""
    quantity: ClassVar[str] = ""
    column: ClassVar[str] = ""
    phrase: ClassVar[str] = ""
    gain: ClassVar[str] = ""
    level: ClassVar[Level | None] = None
    unit: ClassVar[Unit] = Unit.NUMBER
    takes_prior: ClassVar[bool] = False
    criterion: ClassVar[bool] = False
    decimals: ClassVar[int | None] = None
    start: ClassVar[Start] = None

    prior: float  # of those that take one

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        _guard(cls)
        if "match" in vars(cls) and "matcher" not in vars(cls):
            cls.matcher = Risk.matcher  # type: ignore[method-assign]  # who matches otherwise does so of pure DP too
        if "name" not in vars(cls):
            return
        made = {
            "key": cls.name.replace(" ", "_"),
            "label": capital(cls.name),
            "quantity": cls.name,
            "phrase": cls.name,
            "gain": cls.name,
        }
        for attribute, words in made.items():
            if attribute not in vars(cls):
                setattr(cls, attribute, words)
        for attribute, words in {"value_key": cls.key, "column": f"{cls.quantity} at most"}.items():
            if attribute not in vars(cls):
                setattr(cls, attribute, words)

    @classmethod
    def at(cls, level: float | None = None, prior: float = EVEN) -> Self:
        """The risk at this level, with this prior; what it does not take is left aside."""
        given: dict[str, Any] = {}
        if cls.level is not None:
            given[cls.level.key] = cls.level.initial if level is None else level
        if cls.takes_prior:
            given["prior"] = prior
        return cls(**given)

    @classmethod
    def notation(cls) -> str:
        """How its number is asked for in a text: "tpr@FPR", "advantage"."""
        name = cls.value_key.replace("_", "-")
        return name if cls.level is None else f"{name}@{cls.level.key.upper()}"

    @classmethod
    def first_bound(cls) -> tuple[float, float | None]:
        """A bound on it, and its level, to begin with."""
        if cls.start is not None:
            return cls.start
        level = None if cls.level is None else cls.level.initial
        return rounded(float(cls.at(level).of(GDP(1.0))), Rounding.UP, 2), level

    @classmethod
    def budget_title(cls) -> str:
        """The title of a table of the budgets that it matches to policies, by level."""
        return say(
            "Budget μ that matches the {name} of ε-DP at {heading}",
            name=cls.name,
            heading=cls.level.heading if cls.level else "",
        )

    @classmethod
    def value_title(cls) -> str:
        """The title of a table of its number, by level and mu."""
        return say(
            "Largest {quantity} of an attack on μ-GDP at {heading}",
            quantity=cls.quantity,
            heading=cls.level.heading if cls.level else "",
        )

    @cached_property
    def level_value(self) -> float | None:
        """The level at which it is read; None if it has none."""
        return None if self.level is None else float(getattr(self, self.level.key))

    @told_once
    def place(self) -> str:
        """The level with its value, "FPR 1e-3"; empty if it has none."""
        return "" if self.level is None or self.level_value is None else self.level.at(self.level_value)

    @told_once
    def named(self) -> str:
        """What it is, and its level: "multiplicative advantage at FPR 1e-3"."""
        name, place = str(self.name or self), self.place
        return name_at((name, place)) if place else name

    @told_once
    def words(self) -> str:
        """What its number is: "TPR/FPR at FPR 1e-3", "share of right guesses with prior 0.5"."""
        if not self.quantity:
            return str(self)
        place = self.place
        found = name_at((str(self.quantity), place)) if place else str(self.quantity)
        return say("{name} with prior {prior}", name=found, prior=shown(self.prior)) if self.takes_prior else found

    @property
    def among_people(self) -> str:
        """What is won by which attacks, for people: "members found with 1 false alarm in 1,000 nonmembers"."""
        won = self.phrase if self.gain == self.name else self.gain
        if self.level is None or self.level_value is None:
            return str(won)
        return say("{won} {attacks}", won=won, attacks=self.level.among_people(self.level_value))

    def sentence(self, guarantee: Guarantee) -> str:
        """What a guarantee whose risk was matched to a policy allows, in a sentence."""
        return say(
            "The {words} is then at most {text}, as under the policy.", words=self.words, text=self.text(guarantee)
        )

    def text(self, guarantee: Guarantee) -> str:
        """The risk that this guarantee allows, as people read it."""
        return self.unit.text(float(self.of(guarantee)))

    def limited(self, value: float) -> str:
        """The requirement that this number be at most a value, in words."""
        return say("{words} at most {text}", words=self.words, text=self.unit.text(value))

    def matched_point(self, policy: Guarantee, mu: float) -> tuple[float, float, float]:
        """FPR, FNR and TPR of the attack at which a policy and the budget matched to it meet.

        Unless a risk knows better, where their curves first cross; the best guess at even odds where they do not.
        """
        budget = GDP(mu)
        low, high = TINY, float(special.ndtr(-mu / 2))
        if 0 < mu < math.inf and budget.tpr(low) > policy.tpr(low) and budget.tpr(high) < policy.tpr(high):
            for _ in range(_HALVINGS):
                middle = math.sqrt(low) * math.sqrt(high)
                if budget.tpr(middle) > policy.tpr(middle):
                    low = middle
                else:
                    high = middle
        return high, budget.fnr(high), budget.tpr(high)

    def matched_errors(self, policy: Guarantee, mu: float) -> tuple[float, float]:
        """FPR and FNR of that attack, where its TPR is of no interest and can be spared."""
        return self.matched_point(policy, mu)[:2]

    def before_the_middle(self) -> tuple[float, float] | None:
        """Between which epsilons of pure DP the matched attack lies before the middle of its curve; None if not known.

        There it accuses a smaller share of the nonmembers than it misses of the members (docs/choosing.md).
        """
        return None

    @abstractmethod
    def of(self, guarantee: Guarantee) -> float:
        """The risk that this guarantee allows."""

    def mu_for(self, value: float) -> float:
        """The mu whose GDP guarantee has this risk, inf if only the limit of no privacy reaches it.

        Raises:
            DomainError: if no mu has it.
        """
        least, most = self.of(GDP(0.0)), self.of(GDP(float("inf")))
        if not least <= value <= most:
            raise DomainError(
                None,
                value=value,
                problem=f"{self} of GDP lies in [{least:g}, {most:g}]",
            )
        low, high = 0.0, 1.0
        while self.of(GDP(high)) < value:
            low, high = high, 2 * high
            if high > _LARGEST_MU:
                return float("inf")
        return self._around(lambda mu: self.of(GDP(mu)) - value, low, high)[0]

    def holds(self, mu: float, value: float) -> bool:
        """Whether the risk of mu-GDP is surely at most this value: below it by more than computing it may err."""
        return below(float(self.of(GDP(mu))), number("value", value, NON_NEGATIVE))

    def steering_mu(self, value: float) -> float:
        """A mu that grows with this number, by which calibrations steer: `mu_for`, unless that tells nothing."""
        return self.mu_for(value)

    def match(self, reference: Guarantee) -> float:
        """The mu with the risk of the reference; exact where the value itself would lose digits."""
        return self.mu_for(self.of(reference))

    def matcher(self) -> Callable[[float], float]:
        """What `match` is of pure DP, as a function of its epsilon, for who asks it often."""
        return lambda epsilon: float(self.match(PureDP(epsilon)))

    def mu_from_epsilon(self, epsilon: ArrayLike) -> Any:
        """The budget mu that this criterion gives a policy of epsilon-DP, as the paper's closed form states it.

        Takes and returns floats or arrays.
        """
        policies = checked("epsilon", epsilon, NON_NEGATIVE)
        values = [self.match(PureDP(float(e))) for e in policies.flat]
        return float(values[0]) if policies.ndim == 0 else np.reshape(values, policies.shape)

    def epsilon_from_mu(self, mu: float) -> float:
        """The policy of epsilon-DP to which this criterion gives the budget mu: the inverse of `mu_from_epsilon`.

        Args:
            mu: in [0, inf].
        Returns:
            The least such epsilon; inf if mu is, or if no finite policy is given that much.
        """
        target = number("mu", mu, NON_NEGATIVE)
        if target in (0.0, math.inf):
            return target
        low, high = 0.0, 1.0
        while self.mu_from_epsilon(high) < target:
            low, high = high, 2 * high
            if high > _LARGEST_EPSILON:
                return math.inf
        return self._around(lambda epsilon: float(self.mu_from_epsilon(epsilon)) - target, low, high)[1]

    def _around(self, excess: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
        """A place where a rising function is 0, twice, or the two neighbouring doubles between which it leaves 0.

        False position, which halves the weight of an end that stays (the Illinois rule), with every third step a
        bisection. The function is at most 0 at low, and more at high.
        """
        at_low, at_high, kept = excess(low), excess(high), 0
        if at_low == 0:
            return low, low
        for step in range(_MOST_STEPS):
            middle = 0.5 * (low + high)
            if middle in (low, high):
                return low, high
            if step % 3:
                guess = high - at_high * (high - low) / (at_high - at_low)
                middle = guess if low < guess < high else middle
            found = excess(middle)
            if found == 0:
                return middle, middle
            if found < 0:
                low, at_low, at_high = middle, found, 0.5 * at_high if kept > 0 else at_high
                kept = 1
            else:
                high, at_high, at_low = middle, found, 0.5 * at_low if kept < 0 else at_low
                kept = -1
        raise ConvergenceError(f"{self}: nothing found in {_MOST_STEPS} steps between {low!r} and {high!r}")


def below(computed: float, bound: float) -> bool:
    """Whether a number is at most a bound, if it was computed to 13 digits, and to fewer in deep tails.

    Rounding an exponent moves a tail by more the deeper it lies; docs/choosing.md says how that was tested.
    """
    depth = -math.log(bound) if 0 < bound < 1 else 0.0
    return computed <= bound * (1 - _ERROR * (1 + depth / _DEEP))


def _guard(kind: type) -> None:
    """What a risk reads is a guarantee, and a budget is one number, in every method of it that takes one."""
    budget = partial(number, domain=NON_NEGATIVE)
    guarantee = partial(instance, kind=Guarantee, words="a guarantee, such as GDP(1.0)")
    guard(kind, guarantee=guarantee, reference=guarantee, policy=guarantee, mu=budget)


_guard(Risk)
