"""Published deployments: the numbers as published, and the mu that follows from them, if one does."""

import math
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Literal, get_args

from gaussdp.conversions import mu_from_profile
from gaussdp.documents.rounding import shown, shown_level
from gaussdp.domains import LEVEL, POSITIVE, instance, integer, number, one_of
from gaussdp.errors import DomainError
from gaussdp.guarantees import PureDP
from gaussdp.words import numeral, say

Setting = Literal["central", "local", "shuffle", "federated", "varies", "not stated"]
Basis = Literal["exact", "implied", "none"]
Period = Literal["", "day", "week", "month", "quarter", "year", "not stated"]
A_YEAR: dict[Period, int] = {"": 1, "day": 365, "week": 53, "month": 12, "quarter": 4, "year": 1}
"""So many periods a year touches, of which nobody is protected for one alone."""

_WORDS = ("name", "organisation", "unit", "covers", "source")
_OLDEST = 2006  # the year of the definition


@dataclass(frozen=True, kw_only=True)
class Deployment:
    r"""One published use of differential privacy, and the mu that its published guarantee stands for.

    The basis says how far that mu can be trusted as a description of what was released:

    - "exact": the noise is Gaussian. Published as rho-zCDP, :math:`\mu = \sqrt{2\rho}`; published as (epsilon, delta),
      the mu whose profile passes through that pair.
    - "implied": pure DP implies :math:`\mu = 2\Phi^{-1}(e^\varepsilon/(1 + e^\varepsilon))` and no smaller one. It is
      not a budget matched to epsilon (`choose`), which is smaller.
    - "none": a bare (epsilon, delta) implies no mu.

    Args:
        name, organisation: what was released, and by whom.
        year: of the release.
        unit: the unit of privacy.
        setting: "central", "local", "shuffle", "federated", "varies" or "not stated".
        covers: what the published number covers.
        source: where it was published.
        url: its address, or empty.
        period: after which the same people spend as much again: "day", "week", "month", "quarter" or "year"; "" for
            what is released once, "not stated" for what is released often, nobody says how often.
        rho, epsilon, delta: the guarantee as published: rho; or epsilon; or epsilon and delta.
        gaussian: whether an (epsilon, delta) is that of Gaussian noise.
        follows: whether a mu may be derived from these numbers; False where what was published leaves that open.
    Raises:
        DomainError: if a number is out of its domain or the guarantee is stated in none of these ways.

    >>> release = Deployment(name="Counts", organisation="Town", year=2025, unit="a person", setting="central",
    ...                      covers="One table.", source="Town bulletin", rho=0.5)
    >>> release.mu, release.basis
    (1.0, 'exact')
    """

    name: str
    organisation: str
    year: int
    unit: str
    setting: Setting
    covers: str
    source: str
    url: str = ""
    period: Period = ""
    epsilon: float | None = None
    delta: float | None = None
    rho: float | None = None
    gaussian: bool = False
    follows: bool = True
    mu: float | None = field(init=False)
    basis: Basis = field(init=False)

    def __repr__(self) -> str:
        return f"<Deployment {self.name}, {self.organisation} {self.year}: {self.stated}>"

    @property
    def mu_per_year(self) -> float | None:
        """The mu of a year: what is spent anew each period adds in squares; what was released once stays as it is.

        For Gaussian noise that is the mu of the year; for pure DP one that follows, and not the least. None where no mu
        follows, or nobody says how often it is spent.

        >>> wikipedia = next(use for use in deployments() if use.organisation == "Wikimedia Foundation")
        >>> wikipedia.mu, wikipedia.mu_per_year
        (0.17320..., 3.3090...)
        """
        if self.mu is None or self.period not in A_YEAR:
            return None
        return math.sqrt(A_YEAR[self.period]) * self.mu

    @property
    def stated(self) -> str:
        """The guarantee as it was published."""
        parts = (("ρ", self.rho, shown), ("ε", self.epsilon, shown), ("δ", self.delta, shown_level))
        stated = ", ".join(f"{symbol} = {numeral(told(value))}" for symbol, value, told in parts if value is not None)
        return stated or say("not stated")

    def __post_init__(self) -> None:
        for key in _WORDS:
            if not isinstance(getattr(self, key), str) or not getattr(self, key):
                raise DomainError(None, value=getattr(self, key), problem=f"{key} of a deployment must be words")
        integer("year", self.year, low=_OLDEST)
        one_of("setting", self.setting, get_args(Setting))
        one_of("period", self.period, get_args(Period))
        for key in ("gaussian", "follows"):
            instance(key, getattr(self, key), bool, "true or false")
        for key, domain in (("epsilon", POSITIVE), ("delta", LEVEL), ("rho", POSITIVE)):
            if getattr(self, key) is not None:
                object.__setattr__(self, key, number(key, getattr(self, key), domain))
        mu, basis = self._derived()
        object.__setattr__(self, "mu", mu)
        object.__setattr__(self, "basis", basis)

    def _derived(self) -> tuple[float | None, Basis]:
        if not self.follows:
            return None, "none"
        match (self.rho, self.epsilon, self.delta, self.gaussian):
            case (float() as rho, None, None, False):
                return math.sqrt(2 * rho), "exact"
            case (None, float() as epsilon, float() as delta, True):
                return mu_from_profile(epsilon, delta), "exact"
            case (None, float() as epsilon, None, False):
                return PureDP(epsilon).implied().mu, "implied"
            case (None, float(), float(), False):
                return None, "none"
        raise DomainError(
            None,
            place=f"{self.name}",
            problem="a guarantee is stated as rho, as epsilon, or as epsilon and delta (with gaussian = true if they "
            "are those of Gaussian noise)",
            got=f"rho = {self.rho}, epsilon = {self.epsilon}, delta = {self.delta}, gaussian = {self.gaussian}",
        )


@cache
def deployments() -> tuple[Deployment, ...]:
    """The catalogue of published deployments, in the order of its file.

    >>> [(use.name, use.basis) for use in deployments() if use.organisation == "LinkedIn"]
    [('Audience Engagements API', 'none')]
    """
    text = resources.files(__package__).joinpath("catalogue.toml").read_text(encoding="utf-8")
    return tuple(Deployment(**entry) for entry in tomllib.loads(text)["deployments"])
