"""The catalogue as a table, and where a user's mu stands in it."""

from collections.abc import Sequence

from gaussdp.documents.blocks import Document
from gaussdp.documents.rounding import Rounding, shown_up
from gaussdp.documents.tables import Column, Table, Value
from gaussdp.domains import NON_NEGATIVE, number
from gaussdp.published.catalogue import Deployment, deployments

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
        "noise that is not said to be Gaussian."
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
