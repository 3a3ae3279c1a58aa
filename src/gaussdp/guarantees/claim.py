"""A claim about privacy as papers state it: (epsilon, delta), a pure epsilon, a mu with or without floor, or a rho."""

import re
from dataclasses import dataclass
from typing import Literal

from gaussdp.documents.rounding import shown
from gaussdp.domains import FINITE, FINITE_NON_NEGATIVE, LEVEL, Domain, nearest, number, written_number
from gaussdp.errors import DomainError, brief
from gaussdp.guarantees.approximate import ApproxDP, PureDP
from gaussdp.guarantees.base import Guarantee
from gaussdp.guarantees.gaussian import GDP
from gaussdp.guarantees.zcdp import ZCDP
from gaussdp.words import Phrase, numeral, say

Kind = Literal["approximate", "pure", "gdp", "zcdp"]

_KEYS = ("epsilon", "delta", "mu", "floor", "rho")
_ALIASES = {"ε": "epsilon", "ϵ": "epsilon", "eps": "epsilon", "δ": "delta", "μ": "mu", "µ": "mu", "ρ": "rho"}
_PAIR = re.compile(r"\s*\(\s*([^\s,;()=]+)\s*[,;]\s*([^\s,;()=]+)\s*\)\s*(?:-?\s*DP)?\s*", re.IGNORECASE)
"""(3, 1e-5), as papers write epsilon and delta."""
_ADVICE = Phrase('write "epsilon=3.0 delta=1e-5", "epsilon=2", "mu=0.8 floor=1e-10", "mu=0.8" or "rho=0.5"')
_DELTA = Domain(0.0, 1.0, closed_high=False)


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A published guarantee: exactly one of epsilon, mu and rho, with what belongs to it.

    Args:
        epsilon: with delta, (epsilon, delta)-DP; without, pure DP.
        delta: in [0, 1); 0 is pure DP.
        mu: of Gaussian DP; without floor it is a claim about every attack.
        floor: smallest error rate of the attacks that mu speaks about, in (0, 1).
        rho: of zero-concentrated DP.

    >>> Claim.parse("epsilon=3.0 delta=1e-5")
    Claim(epsilon=3.0, delta=1e-05)
    >>> Claim(mu=0.8).kind
    'gdp'
    """

    epsilon: float | None = None
    delta: float | None = None
    mu: float | None = None
    floor: float | None = None
    rho: float | None = None

    def __post_init__(self) -> None:
        domains = {"delta": _DELTA, "floor": LEVEL}
        for key in _KEYS:
            value = getattr(self, key)
            if value is not None:
                object.__setattr__(self, key, number(key, value, domains.get(key, FINITE_NON_NEGATIVE)))
        given = [key for key in ("epsilon", "mu", "rho") if getattr(self, key) is not None]
        if len(given) != 1:
            got = ", ".join(given) if given else "none"
            raise DomainError(
                None,
                value=got,
                problem=say("a claim must hold exactly one of epsilon, mu and rho"),
                got=str(got),
                advice=str(_ADVICE),
            )
        for key, owner in (("delta", "epsilon"), ("floor", "mu")):
            if getattr(self, key) is not None and given != [owner]:
                problem = say("belongs to a claim of {owner}, not of {given}", owner=owner, given=given[0])
                raise DomainError(key, problem=problem, advice=str(_ADVICE))

    @classmethod
    def parse(cls, text: str) -> "Claim":
        """The claim that a text states: key=value pairs between spaces or commas, or epsilon and delta in brackets.

        >>> Claim.parse("μ=0.8, floor=1e-10")
        Claim(mu=0.8, floor=1e-10)
        >>> Claim.parse("(3, 1e-5)")
        Claim(epsilon=3.0, delta=1e-05)
        """
        if not isinstance(text, str):
            raise DomainError("claim", "text", text, str(_ADVICE), got=type(text).__name__)
        found: dict[str, float] = {}
        plain = " ".join(text.split())  # with more white space, the patterns would take the square of it
        if both := _PAIR.fullmatch(plain):
            plain = f"epsilon={both[1]} delta={both[2]}"
        for pair in re.sub(" ?= ?", "=", plain).replace(",", " ").replace(";", " ").split():
            written, equals, value = pair.partition("=")
            key = _ALIASES.get(written.lower(), written.lower())
            if not equals or not value:
                raise DomainError("claim", say("made of key=value pairs"), pair, str(_ADVICE), got=brief(pair))
            if key not in _KEYS:
                suggestion = nearest(key, _KEYS)
                hint = say("did you mean {word}?", word=repr(suggestion)) if suggestion else str(_ADVICE)
                raise DomainError("claim", problem=say("has no {key}", key=brief(written)), advice=hint)
            if key in found:
                raise DomainError("claim", problem=say("states {key} twice", key=key), advice=str(_ADVICE))
            try:
                found[key] = written_number(value)
            except ValueError:
                raise DomainError(key, say("a number"), value, str(_ADVICE), got=brief(value)) from None
        return cls(**found)

    def __repr__(self) -> str:
        return f"Claim({', '.join(f'{key}={getattr(self, key)!r}' for key in _KEYS if getattr(self, key) is not None)})"

    def __str__(self) -> str:
        value = shown(self.value)
        if self.epsilon is not None and self.delta:
            return say("ε = {epsilon} at δ = {delta}", epsilon=value, delta=shown(self.delta))
        if self.epsilon is not None:
            return say("ε = {epsilon} (pure)", epsilon=value)
        if self.floor:
            return say("μ = {mu} with floor {floor}", mu=value, floor=shown(self.floor))
        return f"{self.symbol} = {numeral(value)}"

    @property
    def text(self) -> str:
        """The claim as `parse` reads it.

        >>> Claim(mu=0.8, floor=1e-10).text
        'mu=0.8 floor=1e-10'
        """
        return " ".join(f"{key}={getattr(self, key)!r}" for key in _KEYS if getattr(self, key) is not None)

    @property
    def kind(self) -> Kind:
        """One of approximate, pure, gdp and zcdp."""
        if self.epsilon is not None:
            return "approximate" if self.delta else "pure"
        return "gdp" if self.mu is not None else "zcdp"

    @property
    def value(self) -> float:
        """The one number that is claimed."""
        return next(value for value in (self.epsilon, self.mu, self.rho) if value is not None)

    @property
    def symbol(self) -> str:
        """The letter of that number."""
        return "ε" if self.epsilon is not None else "μ" if self.mu is not None else "ρ"

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee that it states, with its curve.

        Raises:
            DomainError: if it has a floor, below which it says nothing: such a claim has no curve.
        """
        if self.floor is not None:
            raise DomainError(
                "claim", problem=f"{self} has no curve: it says nothing below its floor", advice="leave the floor out"
            )
        if self.rho is not None:
            return ZCDP(self.rho)
        if self.mu is not None:
            return GDP(self.mu)
        return ApproxDP(self.value, self.delta) if self.delta else PureDP(self.value)

    def with_value(self, value: float) -> "Claim":
        """The same kind of claim with another number."""
        value = number("value", value, FINITE)
        if self.epsilon is not None:
            return Claim(epsilon=value, delta=self.delta)
        return Claim(mu=value, floor=self.floor) if self.mu is not None else Claim(rho=value)


def as_claim(claim: "Claim | Guarantee | str") -> Claim:
    """The claim: itself, read from its text, or what a guarantee of a few numbers states."""
    if isinstance(claim, ApproxDP | GDP | ZCDP):
        return Claim(**{_ALIASES[symbol]: value for symbol, value in claim.numbers().items()})
    if isinstance(claim, Guarantee):
        raise DomainError("claim", problem=f"must be stated by a few numbers; {claim.label} is not", advice=_ADVICE)
    return claim if isinstance(claim, Claim) else Claim.parse(claim)
