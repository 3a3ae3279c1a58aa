"""What a mu allows, fact by fact: the numbers of an explanation, each read off the guarantee."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from gaussdp.choosing import match
from gaussdp.documents.rounding import about, no_more_than
from gaussdp.domains import Domain
from gaussdp.explaining.protected import Protected
from gaussdp.guarantees import GDP, Guarantee, PureDP
from gaussdp.guarantees.base import log_odds
from gaussdp.objects import cached_property, unguarded
from gaussdp.risks import Advantage, Risk, criteria
from gaussdp.words import Phrase

PRIOR = Domain(
    0.0,
    1.0,
    closed_low=False,
    closed_high=False,
    advice=Phrase("who starts at 0 or 1 knows already and has nothing to guess"),
)
RATE = Domain(1e-300, 1.0, closed_high=False)  # below, the doubles run out of digits
MOST_GUESSES = 10**6
_MOST_PEOPLE = 10**12
_ROUNDING = 1e-9  # of products that should be whole
_HUNDRED = 100
_TELLING_FPR = 1e-3  # the level of the natural frequencies, if it is among those asked for


class Counted(NamedTuple):
    """So many of so many: a share before a release, and the most that it is after, in whole numbers."""

    of: int
    before: int
    after: int


def counted(before: float, after: float) -> Counted:
    """Two shares in whole numbers of 100, or of as many more as show the rarer of the first, and what differs.

    >>> counted(0.5, 0.69), counted(0.001, 0.0035)
    (Counted(of=100, before=50, after=69), Counted(of=1000, before=1, after=4))
    """
    of = _HUNDRED
    while of < _MOST_PEOPLE and 0 < of * min(before, 1 - before) < 1 - _ROUNDING:
        of *= 10
    while of < MOST_GUESSES and (0 < of * (after - before) < 1 or 0 < of * (1 - after) < 1 - _ROUNDING):
        of *= 10
    first = about(before, of)
    last = first if after <= before else no_more_than(of, after)
    return Counted(of, first, max(last, first))


@dataclass(frozen=True)
class Guesses:
    """How many guesses "member or not" are right, without the release and with it.

    Attributes:
        prior: the share of members among those guessed about.
        before: the share of right guesses without the release: always the likelier answer.
        gain: how much that share can grow.
        of: guesses to speak of, so many that the gain shows in whole numbers: 100, or more.
        before_count: of these, right before.
        after_count: of these, right after, at most.
    """

    prior: float
    before: float
    gain: float
    of: int
    before_count: int
    after_count: int

    @property
    def after(self) -> float:
        """The share of right guesses with the release, at most."""
        return self.before + self.gain


@dataclass(frozen=True)
class Alarm:
    """What an attack finds that accuses this share of the nonmembers by mistake.

    Attributes:
        fpr: the share of nonmembers accused.
        tpr: the share of members found, at most.
        ratio: tpr / fpr, by which the odds of membership grow for those accused.
        prior: the share of members among all.
        precision: the share of members among those accused, at most.
    """

    fpr: float
    tpr: float
    ratio: float
    prior: float
    precision: float

    @property
    def odds_before(self) -> float:
        """Members to nonmembers, before."""
        return self.prior / (1 - self.prior)

    @cached_property
    def counted(self) -> Counted:
        """Accusations to speak of, and how many of them are right."""
        return counted(self.prior, self.precision)

    @property
    def odds_after(self) -> float:
        """Members to nonmembers among those accused, at most."""
        against = _against(self.fpr, self.tpr, self.prior)
        return 1 / against if against else math.inf


@dataclass(frozen=True)
class Search:
    """What it costs an attack to find this share of the members.

    Attributes:
        recall: the share of members found.
        fpr: the share of nonmembers accused with them, at least.
        prior: the share of members among all.
        precision: the share of members among those accused, at most.
    """

    recall: float
    fpr: float
    prior: float
    precision: float

    @cached_property
    def counted(self) -> Counted:
        """Accusations to speak of, and how many of them are right."""
        return counted(self.prior, self.precision)


@dataclass(frozen=True)
class Together:
    """The mu of several people, or of several releases, and the curve that they have together.

    Attributes:
        count: how many.
        mu: of all together.
        guarantee: what holds for them.
    """

    count: int
    mu: float
    guarantee: Guarantee

    @property
    def accuracy(self) -> float:
        """The share of right guesses at even odds, at most."""
        return self.guarantee.accuracy()

    def as_object(self) -> dict[str, float]:
        """For programs."""
        return {"count": self.count, "mu": self.mu, "accuracy": self.accuracy}


@dataclass(frozen=True)
class Equivalent:
    """The pure-DP epsilon with the same risk.

    Attributes:
        risk: the criterion at its level, or the advantage, which has none.
        epsilon: the epsilon of pure DP; for the profile also the epsilon of (epsilon, delta)-DP.
    """

    risk: Risk
    epsilon: float

    @property
    def criterion(self) -> str:
        """The key of the risk."""
        return self.risk.key

    @property
    def level_of(self) -> str:
        """The key of its level, "" if it has none."""
        return self.risk.level.key if self.risk.level else ""

    @property
    def level(self) -> float | None:
        """Its level, if it has one."""
        return self.risk.level_value

    @property
    def saturated(self) -> bool:
        """Whether a policy of that epsilon hardly limits the attack at that level, so that the two compare badly."""
        if self.risk.level is None or not 0 < self.epsilon < math.inf:
            return False
        return match(PureDP(self.epsilon), self.risk).saturated


@dataclass(frozen=True)
class Meaning:
    """All that is told about a mu.

    Attributes:
        mu: the GDP parameter.
        prior: the share of members that the user named.
        guesses: right guesses at even odds, and at the prior if that is another.
        alarms: at each false-positive rate, what the best attack finds.
        searches: at each recall, what it costs.
        groups: for each size, the mu of the group.
        releases: for each number of releases, the mu of all.
        equivalents: the pure-DP epsilon with the same risk, by each criterion.
        subject: what is explained, in words, if that is not mu-GDP; then the facts are read off its own curve.
        floor: smallest error rate of the attacks that mu speaks about; 0 for every attack.
        caveats: what keeps the numbers from holding for a run as it was.
        unit: what the guarantee protects, as it was called; empty where nobody said, which is taken to be a person.
    """

    mu: float
    prior: float
    guesses: tuple[Guesses, ...]
    alarms: tuple[Alarm, ...]
    searches: tuple[Search, ...]
    groups: tuple[Together, ...]
    releases: tuple[Together, ...]
    equivalents: tuple[Equivalent, ...]
    subject: str = ""
    floor: float = 0.0
    caveats: tuple[str, ...] = ()
    unit: str = ""

    @property
    def whose(self) -> Protected:
        """The unit as sentences name it."""
        return Protected(self.unit)

    @property
    def accusations(self) -> tuple[Alarm, ...]:
        """The one alarm told in natural frequencies: at 1 in 1,000 if that is among them, else the first."""
        telling = [alarm for alarm in self.alarms if alarm.fpr == _TELLING_FPR] or list(self.alarms[:1])
        return tuple(telling)


def guesses(guarantee: Guarantee, prior: float) -> Guesses:
    """The right guesses about people of whom this share are members."""
    before, rarer = max(prior, 1 - prior), min(prior, 1 - prior)
    gain = rarer * guarantee.delta(log_odds(prior))
    of = _HUNDRED
    while 0 < of * gain < 1 and of < MOST_GUESSES:
        of *= 10
    return Guesses(prior, before, gain, of, about(before, of), min(no_more_than(of, before, gain), of))


def alarm(guarantee: Guarantee, fpr: float, prior: float) -> Alarm:
    """The best attack with this false-positive rate."""
    tpr = guarantee.tpr(fpr)
    ratio = guarantee.multiplicative_advantage(fpr)
    return Alarm(fpr, tpr, ratio, prior, 1 / (1 + _against(fpr, tpr, prior)))


def search(guarantee: Guarantee, recall: float, prior: float) -> Search:
    """The best attack with this recall."""
    return Search(recall, guarantee.fpr(recall), prior, guarantee.precision(recall, prior))


def group(guarantee: GDP, size: int) -> Together:
    """So many people who are in the data all or none."""
    return _of(size, guarantee.group(size))


def repeated(guarantee: GDP, releases: int) -> Together:
    """So many releases with this mu each."""
    return _of(releases, GDP(math.sqrt(releases) * guarantee.mu))


def equivalents(guarantee: Guarantee, levels: Mapping[str, Sequence[float]]) -> tuple[Equivalent, ...]:
    """The pure-DP epsilon with the same risk, by each criterion at its levels, given by their key."""
    asked = _at_levels(criteria(), tuple([(key, tuple(at)) for key, at in levels.items()]))
    if isinstance(guarantee, GDP):  # whose mu is checked
        return tuple([Equivalent(risk, unguarded(type(risk).epsilon_from_mu)(risk, guarantee.mu)) for risk in asked])
    return tuple([Equivalent(risk, risk.epsilon_from_mu(risk.match(guarantee))) for risk in asked])


@lru_cache(maxsize=64)
def _at_levels(kinds: tuple[type[Risk], ...], levels: tuple[tuple[str, tuple[float, ...]], ...]) -> tuple[Risk, ...]:
    """The advantage, and these criteria at their levels."""
    by_key = dict(levels)
    asked = [kind.at(level) for kind in kinds if kind.level for level in by_key.get(kind.level.key, ())]
    return (Advantage(), *asked)


def _against(fpr: float, tpr: float, prior: float) -> float:
    """Nonmembers to members among those accused; in an order in which nothing overflows into nothing."""
    return fpr / tpr / prior * (1 - prior)


def together(count: int, guarantee: Guarantee, mu: float) -> Together:
    """So many people, or releases, whose curve and mu are known."""
    return Together(count, mu, guarantee)


def _of(count: int, guarantee: GDP) -> Together:
    return together(count, guarantee, guarantee.mu)
