"""Levels of an attack at which risks are read, and the units in which they are told."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from gaussdp.documents.rounding import MOST_DIGITS, frequency, shown, shown_level, shown_percent, shown_up, turns
from gaussdp.domains import LEVEL, REAL, Domain, integer, number, several
from gaussdp.errors import DomainError
from gaussdp.guarantees import Guarantee
from gaussdp.words import Phrase, remembered, say


class Unit(Enum):
    """How the number of a risk is told to people, always rounded up.

    >>> Unit.SHARE.text(0.1234)
    '12.4%'
    """

    NUMBER = "number"
    SHARE = "share"

    def text(self, value: float, digits: int = 4) -> str:
        """The number as people read it.

        >>> Unit.NUMBER.text(2.71828), Unit.SHARE.text(0.73106)
        ('2.719', '73.2%')
        """
        told, kept = number("value", value, REAL), integer("digits", digits, low=1, high=MOST_DIGITS)
        return shown_percent(told) if self is _SHARE else shown_up(told, kept)


_SHARE = Unit.SHARE  # to look up a member of an enumeration takes its time


def capital(words: str) -> str:
    """The words with a capital at their beginning; a Greek letter stays what it is.

    >>> capital("false-positive rate"), capital("ε")
    ('False-positive rate', 'ε')
    """
    return words[:1].upper() + words[1:] if words[:1].isascii() else words


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """What the rows or the columns of a table vary, or an option of a command.

    Attributes:
        key: its name in code, files and options.
        label: its name among people.
        symbol: its letter; the label, if it has none.
        domain: what it may be.
        usual: the values of the paper, or what else one looks at first.
    """

    key: str
    label: str
    symbol: str = ""
    domain: Domain = LEVEL
    usual: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "symbol", self.symbol or self.label)

    @property
    def heading(self) -> str:
        """Label and symbol: "FPR α", "δ"."""
        return str(self.label) if self.label == self.symbol else f"{self.label} {self.symbol}"

    def checked(self, values: Sequence[float]) -> tuple[float, ...]:
        """The values, each held to the domain; at least one."""
        given = several(self.key, values, f"numbers in {self.domain}")
        if not given:
            raise DomainError(
                self.key,
                problem=say("must not be empty"),
                advice=say("give at least one number in {domain}", domain=self.domain),
            )
        return tuple(number(self.key, value, self.domain) for value in given)


@dataclass(frozen=True, kw_only=True, repr=False)
class Level(Parameter):
    """A rate in (0, 1) that says which attacks a risk speaks about. A new one needs `key`, `label` and `usual`.

    Attributes:
        math: the symbol as TeX writes it.
        words: in a sentence, and on the page after "at".
        plural: several of them.
        one: one of them, with its article.
        initial: where the page starts.
        meaning: what it is, in a sentence or two.
        attacks: the attacks that have it, as the title of a table.
        told: its value as people read it: a power of ten, as on axes; a chance is 1 in so many.
        people: gives the words for those attacks where people, not rates, are counted.
        price: what an attack with this level pays at the least: key, words, and how to read it off a guarantee.

    >>> Level(key="miss_rate", label="miss rate", usual=(0.5, 0.9)).at(0.5)
    'miss rate 0.5'
    """

    math: str = ""
    words: str = ""
    plural: str = ""
    one: str = ""
    initial: float = 0.0
    meaning: str = ""
    attacks: str = ""
    told: Callable[[float], str] = shown_level
    people: Callable[[float], str] | None = None
    price: tuple[str, str, Callable[[Guarantee, float], float]] | None = None

    def __repr__(self) -> str:
        return f"Level({self.key!r}, {self.words!r})"

    def __hash__(self) -> int:
        return hash(self.key)  # which tells nearly all of them apart, and takes a fraction of the time

    def __post_init__(self) -> None:
        super().__post_init__()
        words = self.words or self.label
        for name, otherwise in (
            ("math", rf"\mathrm{{{self.label}}}"),
            ("words", words),
            ("plural", f"{words}s"),
            ("one", f"a {self.label}"),
            ("initial", self.usual[0]),
            ("meaning", f"{capital(words)}."),
            ("attacks", f"Attacks with this {words}"),
        ):
            object.__setattr__(self, name, getattr(self, name) or otherwise)

    @property
    def by_symbol(self) -> bool:
        """Whether it has no name but its letter, which takes an equals sign before a value."""
        return self.label == self.symbol and not self.label.isascii()

    def at(self, value: float) -> str:
        """The level with its value.

        >>> FPR.at(1e-3), DELTA.at(1e-6)
        ('FPR 1e-3', 'δ = 1e-6')
        """
        return _at((self, number(self.key, value, self.domain)))

    def among_people(self, value: float) -> str:
        """Which attacks are meant, in words that follow what they achieve.

        >>> FPR.among_people(1e-3), RECALL.among_people(0.1), DELTA.among_people(1e-5)
        ('with 1 false alarm in 1,000 nonmembers', 'when 10 of 100 members are found', 'at δ = 1e-5')
        """
        if self.people is None:
            return say("at {level}", level=self.at(value))
        return self.people(number(self.key, value, self.domain))


@remembered
def _at(place: tuple[Level, float]) -> str:
    level, value = place
    told = level.told(value)
    if level.by_symbol:
        return say("{label} = {level}", label=level.label, level=told)
    return say("{label} {level}", label=level.label, level=told)


@remembered
def name_at(both: tuple[str, str]) -> str:
    """A name in the language that is spoken, and the place that it is about: "TPR/FPR at FPR 1e-3"."""
    name, place = both
    return say("{name} at {place}", name=name, place=place)


@remembered
def false_alarms(fpr: float) -> str:
    """The false-positive rate in words.

    >>> false_alarms(1e-3), false_alarms(0.03)
    ('1 false alarm in 1,000 nonmembers', 'a false-positive rate of 0.03')
    """
    of = turns(fpr)
    if of is not None:
        return say("1 false alarm in {of:,} nonmembers", of=of)
    return say("a false-positive rate of {rate}", rate=shown(fpr))


def _with_alarms(fpr: float) -> str:
    return say("with {alarms}", alarms=false_alarms(fpr))


def _when_found(recall: float) -> str:
    return say("when {share} members are found", share=frequency(recall))


def _fnr_at(guarantee: Guarantee, fpr: float) -> float:
    return guarantee.fnr(fpr)


def _fpr_at(guarantee: Guarantee, recall: float) -> float:
    return guarantee.fpr(recall)


FPR = Level(
    key="fpr",
    label="FPR",
    symbol="α",
    math=r"\alpha",
    usual=(1e-2, 1e-3, 1e-4, 1e-5),
    words=Phrase("false-positive rate"),
    one=Phrase("an FPR"),
    initial=1e-3,
    meaning=Phrase(
        "False-positive rate: the share of people not in the data whom the attack accuses of being in it. A careful"
        " attacker keeps it small."
    ),
    attacks=Phrase("Attacks that accuse few by mistake"),
    people=_with_alarms,
    price=("fnr", Phrase("FNR at least"), _fnr_at),
)
RECALL = Level(
    key="recall",
    label=Phrase("recall"),
    symbol="β̄",
    math=r"\bar{\beta}",
    usual=(1e-2, 1e-3, 1e-4, 1e-5),
    plural=Phrase("recalls (true-positive rates)"),
    one=Phrase("a recall"),
    initial=1e-2,
    meaning=Phrase("The share of people in the data whom the attack finds, also called true-positive rate."),
    attacks=Phrase("Attacks that find this share of the members"),
    people=_when_found,
    price=("fpr", Phrase("FPR at least"), _fpr_at),
)
DELTA = Level(
    key="delta",
    label="δ",
    math=r"\delta",
    usual=(1e-5, 1e-6, 1e-7, 1e-8),
    plural="deltas",
    one=Phrase("a δ"),
    initial=1e-6,
    meaning=(
        Phrase(
            "The slack of (ε, δ)-differential privacy, a probability; usually far below one over the number of people."
        )
    ),
    attacks=Phrase("As (ε, δ)-DP"),
)
