"""Published deployments: the numbers as published, the mu that follows, and where a user's mu stands among them."""

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Literal, get_args

from gaussdp.conversions import mu_from_profile
from gaussdp.documents.blocks import Column, Document, Table, Value
from gaussdp.documents.rounding import Rounding, shown, shown_level, shown_up
from gaussdp.domains import LEVEL, NON_NEGATIVE, POSITIVE, instance, integer, number, one_of
from gaussdp.errors import DomainError
from gaussdp.guarantees import PureDP
from gaussdp.published.periods import A_YEAR, Period
from gaussdp.words import numeral, say

Setting = Literal["central", "local", "shuffle", "federated", "varies", "not stated"]
Basis = Literal["exact", "implied", "none"]
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
        unit: the unit of privacy, in a few words.
        setting: "central", "local", "shuffle", "federated", "varies" or "not stated".
        covers: what one unit covers, and what the number leaves out.
        source: where it was published.
        url: its address, or empty.
        period: after which the same people spend as much again, such as "6 hours", "day" or "month"; "" for what is
            released once, "not stated" where nobody says how often.
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


TABLES = ("deployments", "covers", "sources")

NO_MU = "no μ"
MORE, LESS, SAME = "more private than yours", "less private than yours", "as private as yours"
LESS_IN_GUESSES, UNKNOWN = "less private in right guesses", "no μ to compare"
PERHAPS_LESS = "perhaps less private: this μ is an upper bound"
ONCE = "once"

_BASIS = {
    "exact": "exact: the noise is Gaussian, so that μ describes all of the guarantee.",
    "implied": (
        "implied: ε-DP implies this μ and no smaller one. It is reached by the best guess at even odds; an attack with "
        "very few false alarms achieves less against ε-DP than this μ allows. It is not a budget matched to ε "
        "(gaussdp choose)."
    ),
    "none": (
        "none: one (ε, δ) pair implies no μ, since with probability δ everything may be revealed; nor does a ρ of "
        "noise that is not said to be Gaussian, nor one number for several units of privacy together."
    ),
}
_TITLE = "From the most private on"
_YEAR = (
    "Each μ is that of a year, in which what is spent anew each day or month adds in squares; what was released once"
    " counts once. Compare with a μ that also covers a year, and look at the unit of privacy."
)
_UNITS = (
    "Compare like with like: a μ protects one unit of privacy, and a μ for a day or a report adds up over further ones."
)


def deployment_document(
    mu: float | None = None, uses: Sequence[Deployment] | None = None, digits: int = 4, per_year: bool = False
) -> Document:
    """The deployments from the most private on, those without a mu last; with a mu, how each compares with it.

    Args:
        mu: the user's own, in [0, inf], or None.
        uses: which deployments; the catalogue's if None.
        digits: significant digits of the mu in the words of the title and the notes.
        per_year: whether each mu is that of a year, in which what is spent anew each day or month adds up.
    """
    listed = in_order(deployments() if uses is None else uses, per_year)
    own = None if mu is None else number("mu", mu, NON_NEGATIVE)
    columns = [
        Column("name", "deployment"),
        Column("organisation", "organisation"),
        Column("year", "year"),
        Column("setting", "setting"),
        Column("unit", "unit of privacy"),
        Column("period", "every"),
        Column("stated", "as published"),
        Column("mu_per_year", "μ of a year", Rounding.UP) if per_year else Column("mu", "μ", Rounding.UP),
        Column("basis", "basis"),
    ]
    rows: list[tuple[Value, ...]] = [
        (
            use.name,
            use.organisation,
            use.year,
            use.setting,
            use.unit,
            use.period or ONCE,
            use.stated,
            NO_MU if (own_mu := mu_of(use, per_year)) is None else own_mu,
            use.basis,
        )
        for use in listed
    ]
    notes = [_BASIS[basis] for basis in ("exact", "implied", "none") if any(use.basis == basis for use in listed)]
    title = "Published deployments of differential privacy"
    if own is not None:
        columns.append(Column("compared", "compared with yours"))
        rows = [(*row, compared(use, own, per_year)) for row, use in zip(rows, listed, strict=True)]
        title = f"Where μ = {shown_up(own, digits)} stands among published deployments"
        notes.insert(0, _standing(own, [mu_of(use, per_year) for use in listed]))
    return Document.tabular(
        title,
        (Table("deployments", _TITLE, tuple(columns), tuple(rows)), *_background(listed)),
        (*notes, _YEAR if per_year else _UNITS),
    )


def _background(uses: Sequence[Deployment]) -> tuple[Table, Table]:
    covers = Table(
        "covers",
        "What each number covers",
        (Column("name", "deployment"), Column("covers", "covers")),
        tuple((use.name, use.covers) for use in uses),
    )
    sources = Table(
        "sources",
        "Sources",
        (Column("name", "deployment"), Column("source", "source"), Column("url", "address")),
        tuple((use.name, use.source, use.url) for use in uses),
    )
    return covers, sources


def in_order(uses: Sequence[Deployment], per_year: bool = False) -> list[Deployment]:
    """By rising mu, those without one last, by epsilon."""
    return sorted(uses, key=lambda use: (mu_of(use, per_year) is None, mu_of(use, per_year) or use.epsilon or 0.0))


def mu_of(use: Deployment, per_year: bool = False) -> float | None:
    """Its mu, as published or of a year; None where there is none."""
    return use.mu_per_year if per_year else use.mu


def compared(use: Deployment, mu: float, per_year: bool = False) -> str:
    """How the deployment compares with the user's mu, in words.

    Two GDP curves never cross, so an exact mu decides. Pure DP that implies at most the user's mu is the more private
    at every level; one that implies more is the less private in right guesses, while at low false-positive rates its
    curve may still be the better one. Over several periods of pure DP the mu is a bound, which may be larger than need
    be: below the user's it decides, above it does not.
    """
    theirs = mu_of(use, per_year)
    if theirs is None:
        return UNKNOWN
    if theirs < mu:
        return MORE
    if use.basis == "implied":
        larger = PERHAPS_LESS if per_year and use.period else LESS_IN_GUESSES
        return larger if theirs > mu else MORE
    return LESS if theirs > mu else SAME


def _standing(mu: float, mus: Sequence[float | None]) -> str:
    known = [other for other in mus if other is not None]
    below, above = sum(other < mu for other in known), sum(other > mu for other in known)
    return (
        f"Of the {len(known)} deployments with a μ, {below} {_have(below)} a smaller one than yours (more privacy) and "
        f"{above} {_have(above)} a larger one (less privacy)."
    )


def _have(count: int) -> str:
    return "has" if count == 1 else "have"
