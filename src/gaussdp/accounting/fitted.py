"""The fitted mu with all that belongs to it: its floor, its slack and regret, and what its error rests on."""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

from gaussdp.accounting.readings import MOST, ErrorKind, Method
from gaussdp.documents import DEFAULT_DIGITS, MOST_DIGITS, Column, Displayed, Document, Rounding, Table, shown
from gaussdp.documents.rounding import shown_down, shown_up
from gaussdp.domains import integer
from gaussdp.guarantees import GDP, ApproxGDP
from gaussdp.guarantees.base import Neighbours, speaking_about
from gaussdp.words import Phrase, say

DEFAULT_FLOOR = 1e-10
"""Smallest error rate of the attacks that a fit speaks about, unless another is given."""

LARGE_REGRET = 0.01
"""From here on one mu says visibly less than the curve: report the curve beside it."""

_ROUNDING = 1e-14
"""Relative width of an enclosure that is due to rounding alone: in a table mu is then its lower end too."""

_KINDS = {"bound": Phrase("bound"), "estimate": Phrase("estimate")}


class EnclosesMu(Protocol):
    """What a fit asks for the kind of its error."""

    def holds(self, lower: float, upper: float) -> bool:
        """Whether mu lies between these by bounds alone, up to rounding."""


class ProvesMu(Protocol):
    """What a fit asks of a certificate."""

    @property
    def words(self) -> str:
        """What is proved about mu, in one sentence."""

    def bounds(self) -> tuple[float, float]:
        """Between which mu is proved to lie."""

    def to_json(self) -> str:
        """The proof, as anyone can check it."""


class Distances(Protocol):
    """What a fit asks for its slack and its regret."""

    def slack(self) -> float:
        """The delta that makes the fit unconditional."""

    def regret(self) -> float:
        """How far the GDP curve is from the truth."""


@dataclass(frozen=True)
class KnownDistances:
    """Those that need no search."""

    known_slack: float = 0.0
    known_regret: float = 0.0

    def slack(self) -> float:
        """The slack."""
        return self.known_slack

    def regret(self) -> float:
        """The regret."""
        return self.known_regret


@dataclass(frozen=True)
class Fit(Displayed):
    """The least mu with which the mechanism is mu-GDP, for all attacks whose error rates are at least the floor.

    Attributes:
        mu: the guarantee; equals mu_upper.
        mu_lower: no smaller mu holds, numerical error included.
        mu_upper: this mu holds, numerical error included; `error_kind` tells whether that error is a bound or an
            estimate, and `fit(certified=True)` proves both ends.
        floor: the guarantee speaks about attacks with FPR and FNR of at least this; 0 if it holds for all.
        fpr: false-positive rate of the attack at which it binds.
        fnr: false-negative rate of the same attack.
        methods: those of all readings that mu rests on, the tightest first.
        certificate: the proof of mu_lower and mu_upper; None where they rest on error claims.
        adjacency: the neighbouring datasets that it speaks about; None if that is not known.

    >>> from gaussdp import DPSGD, account
    >>> fit = account(DPSGD(1.0, 0.01, 100)).fit(floor=1e-10)
    >>> fit.mu_lower <= fit.mu, fit.slack < 1e-9
    (True, True)
    """

    mu: float
    mu_lower: float
    mu_upper: float
    floor: float
    fpr: float
    fnr: float
    methods: tuple[Method, ...]
    certificate: ProvesMu | None = field(default=None, repr=False)
    adjacency: Neighbours | None = field(default=None, repr=False, compare=False)
    _distances: Distances = field(default=KnownDistances(), repr=False, compare=False)
    _bounds: EnclosesMu | None = field(default=None, repr=False, compare=False)

    def proved(self, certificate: ProvesMu) -> "Fit":
        """The same fit with a proved enclosure; mu is no smaller than before, so that its slack still holds."""
        low, high = certificate.bounds()
        mu = max(high, self.mu)
        return replace(self, mu=mu, mu_lower=min(low, mu), mu_upper=mu, certificate=certificate)

    @property
    def method(self) -> Method:
        """The least tight of the methods."""
        return self.methods[-1]

    @property
    def error(self) -> float:
        """The width of the enclosure of mu, relative to mu."""
        return (self.mu_upper - self.mu_lower) / self.mu if self.mu_upper > self.mu_lower else 0.0

    @cached_property
    def error_kind(self) -> ErrorKind:
        """Whether the ends of the enclosure are bounds, or rest on estimates of errors with margins.

        Found out when first asked for, where mu was interpolated: that it lies in the enclosure is then shown by
        tangents of the curve at points whose errors are bounded, if they are.
        """
        if self.certificate is not None:
            return "bound"
        if self._bounds is not None:
            return "bound" if self._bounds.holds(self.mu_lower, self.mu_upper) else "estimate"
        bounds = self.unconditional or not self.method.exact
        return "bound" if bounds and all(method.error_kind == "bound" for method in self.methods) else "estimate"

    @cached_property
    def slack(self) -> float:
        """The delta with which mu holds for all attacks: delta_M(eps) <= slack + (1 - slack) delta_mu(eps).

        Computed when first asked for, since it looks far below the floor.
        """
        return self._distances.slack()

    @cached_property
    def regret(self) -> float:
        """The least kappa with f(alpha + kappa) - kappa <= f_mu(alpha): how far the GDP curve is from the truth.

        Computed when first asked for, since it looks at the whole curve.
        """
        return self._distances.regret()

    @property
    def guarantee(self) -> GDP:
        """The fitted guarantee, for attacks above the floor."""
        return speaking_about(GDP(self.mu), self.adjacency)

    @property
    def with_slack(self) -> ApproxGDP:
        """The fitted mu with its slack, which holds for every attack and may stand for a release in a composition."""
        return speaking_about(ApproxGDP(self.mu, self.slack), self.adjacency)

    @property
    def unconditional(self) -> bool:
        """Whether mu holds for every attack, so that neither floor nor slack is needed."""
        return self.floor == 0

    def table(self) -> Table:
        """The guarantee as one number, with what belongs to it."""
        return Table(
            "guarantee",
            say("The guarantee as one number"),
            (
                Column("mu", "μ", Rounding.UP),
                Column("mu_lower", "no μ below", Rounding.DOWN),
                Column("floor", "floor", Rounding.UP),
                Column("slack", "slack δ", Rounding.UP),
                Column("regret", "regret", Rounding.UP),
                Column("fpr", "binds at FPR", Rounding.NEAREST),
                Column("method", "method"),
                Column("error_kind", "error"),
            ),
            (
                (
                    self.mu,
                    self.mu_lower if self.error > _ROUNDING else self.mu,
                    self.floor,
                    self.slack,
                    self.regret,
                    self.fpr,
                    self.method.label,
                    str(_KINDS[self.error_kind]),
                ),
            ),
        )

    def notes(self, digits: int = DEFAULT_DIGITS) -> tuple[str, ...]:
        """What mu holds for, in words."""
        digits = integer("digits", digits, low=1, high=MOST_DIGITS)
        mu = shown_up(self.mu, digits)
        if self.unconditional and self.error > MOST:
            lower = shown_down(self.mu_lower, digits)
            found = [
                say("The mechanism is {mu}-GDP: no floor and no slack are needed.", mu=mu),
                say("A smaller μ may hold, but none below {lower}.", lower=lower),
            ]
        elif self.unconditional:
            found = [say("The mechanism is exactly {mu}-GDP: no floor and no slack are needed.", mu=mu)]
        else:
            floor, slack = (shown_up(value, digits) for value in (self.floor, self.slack))
            found = [
                say("μ = {mu} holds for every attack whose FPR and FNR are at least {floor}.", mu=mu, floor=floor),
                say("Without a floor it holds with slack: the mechanism is (μ, δ)-GDP with δ = {slack}.", slack=slack),
            ]
        if self.regret > LARGE_REGRET:
            found.append(
                say(
                    "The regret {regret} exceeds {large}: one μ says far less than the curve does; report the curve, or"
                    " ε and TPR at your own levels, beside it.",
                    regret=shown_up(self.regret, 2),
                    large=shown(LARGE_REGRET),
                )
            )
        if self.certificate is not None:
            found.append(self.certificate.words)
        if not self.method.exact:  # the table names it; this one makes the numbers looser than the truth
            found.append(say("From {method}.", method=self.method.words))
        return tuple(found)

    def document(self) -> Document:
        """The fit with what it holds for."""
        return Document.tabular("The tightest GDP guarantee", (self.table(),), self.notes())

    def beside(self, read: Document) -> Document:
        """The document of a curve with its fit."""
        return Document.tabular(read.title, (self.table(), *read.tables), (*read.notes, *self.notes()))

    def __str__(self) -> str:
        scope = "every attack" if self.unconditional else f"FPR and FNR of at least {self.floor:g}"
        return f"mu = {shown_up(self.mu, 6)} for {scope} ({self.method})"


def exact_fit(mu_lower: float, mu: float) -> Fit:
    """The fit of a mechanism that is GDP and nothing else: no floor, no slack, no regret."""
    rate = 0.5 * math.erfc(mu / math.sqrt(8))
    return Fit(mu, mu_lower, mu, floor=0.0, fpr=rate, fnr=rate, methods=(Method.CLOSED_FORM,))
