"""What a release costs, in exact amounts: the square of its mu and its slack, for the unit and neighbours of a book.

Amounts are fractions, rounded up where they get too long. Numbers are taken as they are written.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

from gaussdp.accounting import AccountedCurve, Fit, PointsCurve, account
from gaussdp.accounting.fitted import DEFAULT_FLOOR
from gaussdp.documents.written import number_up, root_up, written
from gaussdp.domains import LEVEL, number
from gaussdp.errors import DomainError, brief
from gaussdp.guarantees import GDP, ApproxDP, ApproxGDP, Guarantee, ProfilePoints
from gaussdp.mechanisms import DPSGD, Adjacency, Gaussian, Mechanism, Stated, ZCDPGaussian
from gaussdp.mechanisms.base import checked_adjacency
from gaussdp.mechanisms.composition import read_plan
from gaussdp.registry import adapter_for
from gaussdp.statements.run import Run, within_doubles
from gaussdp.words import ENGLISH, say, speaking

FINEST = 10**40
"""The largest denominator of an amount that is kept exactly, and that of those that are rounded up."""


def exact(text: str) -> Fraction:
    """The fraction that a table holds.

    >>> exact("1/20"), exact("3")
    (Fraction(1, 20), Fraction(3, 1))
    """
    over, _, under = text.partition("/")
    return Fraction(int(over), int(under or 1))


def settled(amount: Fraction) -> Fraction:
    """The amount itself while its denominator is no larger than the finest, else rounded up to a multiple of that.

    >>> settled(Fraction(1, 9)), settled(Fraction(1, 3**99)) == Fraction(1, FINEST)
    (Fraction(1, 9), True)
    """
    return amount if amount.denominator <= FINEST else Fraction(math.ceil(amount * FINEST), FINEST)


class Total:
    """An exact amount to which many are added, as whole numbers over one denominator.

    After each step it is what `settled` makes of the sum, without a fraction in lowest terms at every step.

    Attributes:
        over, under: the amount is one by the other.
    """

    __slots__ = ("over", "under")
    over: int
    under: int

    def __init__(self) -> None:
        self.over, self.under = 0, 1

    def add(self, over: int, under: int) -> None:
        """Add a fraction, which may be less than 0."""
        if under != self.under:
            over = self._alike(over, under, math.lcm(self.under, under))
        self.over += over
        if self.under > FINEST:
            both = math.gcd(self.over, self.under)
            self.over, self.under = self.over // both, self.under // both
            if self.under > FINEST:
                self.over, self.under = -(-self.over * FINEST // self.under), FINEST

    def less(self, over: int, under: int) -> None:
        """Take a fraction away, down to 0; nothing is rounded."""
        if under != self.under:
            over = self._alike(over, under, math.lcm(self.under, under))
        self.over = max(self.over - over, 0)

    def exceeds(self, over: int, under: int) -> bool:
        """Whether it is more than a fraction."""
        return self.over * under > over * self.under

    def _alike(self, over: int, under: int, common: int) -> int:
        """Go over to a common denominator; the other fraction over it."""
        self.over, self.under = self.over * (common // self.under), common
        return over * (common // under)

    @property
    def amount(self) -> Fraction:
        """The same as a fraction."""
        return Fraction(self.over, self.under)


_MOST_MU = 1e100  # of a charge: far beyond any budget, and its square is still a double
_COMPUTED = Fraction(1, 2**40)
"""Relative, added to a mu that was computed: more than its rounding errors."""


@dataclass(frozen=True)
class Charge:
    """What one release takes from every budget that it touches.

    Attributes:
        square: of its mu, exact or rounded up.
        slack: the delta with which that mu may fail.
        words: what is released, in one line.
        releases: the same as entries of a plan file, where it is a mechanism; empty otherwise.
        source: the mechanism itself, to say which noise would fit.
        moves: how many times its noise multiplier, as it was stated, is that for the neighbours of the book.
    """

    square: Fraction
    slack: Fraction
    words: str
    releases: tuple[dict[str, Any], ...] = ()
    source: Mechanism | None = None
    moves: float = 1.0

    def __post_init__(self) -> None:
        if self.square > written(_MOST_MU) ** 2:
            problem = say("needs a μ above {most}, which no budget allows", most=f"{_MOST_MU:g}")
            raise DomainError("release", problem=problem)

    @property
    def guarantee(self) -> ApproxGDP:
        """The same as a guarantee, rounded up."""
        return ApproxGDP(root_up(self.square), number_up(self.slack))


def charge_of(
    release: object,
    *,
    unit: str,
    adjacency: Adjacency,
    stated_for: Adjacency | None = None,
    floor: float | None = None,
) -> Charge:
    """What a release costs in a book.

    Args:
        release: a mechanism, a guarantee, an accounted curve, a fit, a run, the path of a plan file (.toml, .json), or
            an event of dp_accounting.
        unit: of privacy, of the book.
        adjacency: of the book.
        stated_for: the neighbours that a guarantee or an event speaks about, if it does not know them itself; those of
            the ledger unless given.
        floor: of the fit, for what is not exactly GDP: a smaller one gives a larger mu and a smaller slack.
    Raises:
        DomainError: if nothing is proved about what it costs for this unit and these neighbours.
    """
    level = None if floor is None else number("floor", floor, LEVEL)
    stated_for = None if stated_for is None else checked_adjacency(stated_for)
    stated_for = _speaks_about(release, stated_for)
    if isinstance(release, Mechanism | GDP | ApproxGDP | ApproxDP) and _hashable(release):  # often charged again
        return _remembered(release, adjacency, stated_for, level)
    return _charged(release, unit, adjacency, stated_for, level)


def charge_of_each(
    release: object, *, unit: str, stated_for: Adjacency | None = None, floor: float | None = None
) -> Charge:
    """What a release costs each person in a book of exchanged records; see `charge_of` for the arguments.

    Whether somebody takes part may depend on their record, so that an exchange may also add or remove them: the mu that
    is charged bounds an exchange, and over sqrt(2) the addition or removal of a person (docs/ledger.md).

    Raises:
        DomainError: also if nothing is proved about adding or removing a person.
    """
    stated_for = _speaks_about(release, stated_for)
    both = charge_of(release, unit=unit, adjacency="replace-one", stated_for=stated_for, floor=floor)
    try:
        one = charge_of(release, unit=unit, adjacency="add-remove", stated_for=stated_for or "replace-one", floor=floor)
    except DomainError:
        raise DomainError(
            "release",
            problem="must be stated for adding or removing a person: one who takes part by one record may not by "
            "another, which a statement about exchanged records does not cover",
            advice='say stated_for="add-remove" (--stated-for) where that holds, or charge a budget of all together',
        ) from None
    return replace(both, square=max(both.square, settled(2 * one.square)), slack=max(both.slack, one.slack))


def _speaks_about(release: object, stated_for: Adjacency | None) -> Adjacency | None:
    """The neighbours of a guarantee, a curve or a fit: what it knows itself, else what is said.

    Raises:
        DomainError: if something else is said than it knows.
    """
    known = release.adjacency if isinstance(release, Guarantee | Fit) else None
    if known is not None and stated_for not in (None, known):
        raise DomainError("stated_for", f"that of the release, {known}", stated_for)
    return known or stated_for


def noise_over_exchange(stated: Adjacency, adjacency: Adjacency) -> float:
    """How many times a noise multiplier stated for some neighbours is that for others: exchanging moves twice."""
    return 2.0 if (stated, adjacency) == ("add-remove", "replace-one") else 1.0


def _hashable(release: object) -> bool:
    try:
        hash(release)
    except TypeError:
        return False
    return True


@lru_cache(maxsize=256)
def _remembered(
    release: Mechanism | Guarantee, adjacency: Adjacency, stated_for: Adjacency | None, floor: float | None
) -> Charge:
    return _charged(release, "", adjacency, stated_for, floor)


def _charged(
    release: object, unit: str, adjacency: Adjacency, stated_for: Adjacency | None, level: float | None
) -> Charge:
    if isinstance(release, str | Path):
        release = read_plan(release)
    if isinstance(release, Run):
        return _of_run(release, unit, adjacency, level)
    if isinstance(release, Mechanism):
        return _of_mechanism(release, adjacency, level)
    stated = stated_for or adjacency
    if isinstance(release, AccountedCurve):
        return _of_mechanism(release.mechanism, adjacency, level)
    if isinstance(release, Guarantee | Fit):
        return _moved(_of_statement(release, level), stated, adjacency)
    adapter = adapter_for(type(release))
    if adapter is None:
        words = "a mechanism, a guarantee, a curve, a fit, a run or the path of a plan file"
        raise DomainError("release", words, release, got=brief(release))
    known: Mechanism | PointsCurve = adapter(release, stated_for)
    if isinstance(known, Mechanism):
        return _of_mechanism(known, adjacency, level)
    return _moved(_of_statement(known, level), known.adjacency or stated, adjacency)


def _of_run(run: Run, unit: str, adjacency: Adjacency, floor: float | None) -> Charge:
    """A run whose account holds: its unit is the book's, and nothing that it states contradicts its description."""
    if run.unit.casefold() != unit.casefold():
        raise DomainError("unit", f"that of the book, {unit!r}", run.unit, "no conversion between units is known")
    if run.sampled and run.sampling not in ("poisson", None):
        raise DomainError(
            "sampling", '"poisson" for a run that is charged', run.sampling, "charge what is proved for its batches"
        )
    if run.trains and run.clipping not in ("per-example", None):
        raise DomainError("clipping", '"per-example" for a run that is charged', run.clipping, "no number holds")
    if run.tuning == "not counted":
        raise DomainError("tuning", "counted in a run that is charged", got="tuning that is not counted")
    mechanism = run.accounted.protecting(adjacency, run.records_per_unit or 1)
    if mechanism is None:
        many = run.records_per_unit or 1
        raise DomainError(None, problem=f"no account of this run is known for {adjacency} units of {many} records")
    charge = _of_mechanism(mechanism, adjacency, floor)
    if run.not_stated:  # kept with the release: who reads the book sees on what its number rests
        names = ", ".join(name.replace("_", " ") for name in run.not_stated)
        charge = replace(charge, words=f"{charge.words}; not stated and taken as accounted: {names}")
    if run.records_per_unit in (None, 1):
        return charge
    return replace(charge, square=settled(charge.square * (1 + _COMPUTED)))  # noise over a number of records is rounded


def _of_mechanism(mechanism: Mechanism, adjacency: Adjacency, floor: float | None) -> Charge:
    known = mechanism if mechanism.adjacency == adjacency else mechanism.protecting(adjacency)
    if known is None:
        return _moved(_of_mechanism(mechanism, mechanism.adjacency, floor), mechanism.adjacency, adjacency)
    entries = [(part, times, _exact_square(part)) for part, times in known.releases()]
    described = tuple(_entry(part, times) for part, times, _ in entries if part.kind or isinstance(part, Stated))
    named: dict[str, Any] = {"words": _label(known), "releases": described, "source": known}
    named["moves"] = noise_over_exchange(mechanism.adjacency, adjacency)
    exact = [(square, times) for _, times, square in entries if square is not None]
    if len(exact) == len(entries):
        return Charge(settled(sum((square * times for square, times in exact), Fraction())), Fraction(), **named)
    lone = entries[0][0] if len(entries) == 1 and entries[0][1] == 1 else None
    if isinstance(lone, Stated):
        return replace(_of_statement(lone.guarantee, floor), **named)
    with within_doubles():
        return replace(_of_statement(account(known), floor), **named)


def _label(release: Mechanism | Guarantee | Fit) -> str:
    """What a book keeps of it: the same request has the same words in every language."""
    with speaking(ENGLISH):
        if isinstance(release, Mechanism):
            return release.sentence
        return str(release) if isinstance(release, Fit) else release.label


def _entry(part: Mechanism, times: int) -> dict[str, Any]:
    return {**part.plan_entry(), **({"times": times} if times > 1 else {})}


def _exact_square(release: Mechanism) -> Fraction | None:
    """The square of mu, where the release is exactly GDP and its parameters say so."""
    if isinstance(release, Gaussian | ZCDPGaussian) or (isinstance(release, DPSGD) and release.sample_rate == 1):
        [(plain, steps)] = release.parts()
        return steps * plain.squared_mu if isinstance(plain, Gaussian | ZCDPGaussian) else None
    if isinstance(release, Stated) and isinstance(release.guarantee, GDP):
        return written(release.guarantee.mu) ** 2
    return None


def _of_statement(stated: Guarantee | Fit, floor: float | None) -> Charge:
    """What a guarantee costs: GDP its square, what implies GDP that of the implied mu, others mu with a slack."""
    if isinstance(stated, Fit):
        return _computed(stated.mu, 0.0 if stated.unconditional else stated.slack, _label(stated))
    if isinstance(stated, GDP | ApproxGDP):
        slack = stated.delta_bound if isinstance(stated, ApproxGDP) else 0.0
        _refuse_nothing(stated.mu, slack, stated.label)
        return Charge(settled(written(stated.mu) ** 2), settled(written(slack)), _label(stated))
    if isinstance(stated, ApproxDP):
        # (epsilon, delta)-DP is epsilon-DP but for a share delta: its curve is (1 - delta) f_epsilon(a / (1 - delta)).
        pure = ApproxDP(stated.epsilon_bound, 0.0).implied()
        charge = _computed(pure.mu, stated.delta_bound, _label(stated))
        return replace(charge, slack=settled(written(stated.delta_bound)))
    if not isinstance(stated, AccountedCurve | PointsCurve):
        try:
            return _computed(stated.implied().mu, 0.0, _label(stated))
        except DomainError:
            if not isinstance(stated, ProfilePoints):
                raise
            stated = PointsCurve.of(stated)
    if isinstance(stated, AccountedCurve):
        return _of_statement(stated.fit(DEFAULT_FLOOR if floor is None else floor), None)
    return _of_statement(stated.fit(floor), None)


def _computed(mu: float, slack: float, words: str) -> Charge:
    _refuse_nothing(mu, slack, words)
    grown = 1 + _COMPUTED
    return Charge(settled((Fraction(mu) * grown) ** 2), settled(Fraction(slack) * grown), words)


def _refuse_nothing(mu: float, slack: float, words: str) -> None:
    if not math.isfinite(mu) or slack >= 1:
        raise DomainError(
            "release",
            problem=say("promises nothing that a book could count: {words}", words=words),
            advice=say("account for the mechanism itself, or give a larger floor"),
        )


def _moved(charge: Charge, stated: Adjacency, adjacency: Adjacency) -> Charge:
    """The charge for the neighbours of the book, of a release that is stated for others.

    Exchanging a record is removing one and adding another: twice the mu, by group privacy (Dong, Roth & Su 2022,
    Section 2). The other way round nothing follows.
    """
    if stated == adjacency:
        return charge
    if stated == "replace-one":
        raise DomainError(
            "adjacency", "that of the ledger, add-remove", stated, "nothing follows for adding or removing a record"
        )
    if charge.slack:
        raise DomainError(
            "adjacency",
            "that of the ledger, replace-one, for a release with slack",
            stated,
            "charge the mechanism itself, or account for it with this adjacency",
        )
    return replace(charge, square=settled(4 * charge.square), words=f"{charge.words}, for exchanged records")
