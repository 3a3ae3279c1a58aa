"""The words of an explanation: odds and frequencies first, every number from the facts."""

import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from gaussdp.documents.blocks import IconArray
from gaussdp.documents.rounding import (
    HUNDRED,
    about,
    frequency,
    no_more_than,
    one_in,
    shown_down,
    shown_nearest,
    shown_up,
    whole,
)
from gaussdp.explaining.facts import MOST_GUESSES, Alarm, Equivalent, Guesses, Meaning, Search, Together
from gaussdp.explaining.protected import PEOPLE, Protected
from gaussdp.risks.base import EVEN
from gaussdp.risks.levels import false_alarms
from gaussdp.words import Phrase, plural, remembered, say

__all__ = [
    "HUNDRED",
    "about",
    "at_most",
    "down",
    "frequency",
    "in_hundred",
    "members_among",
    "odds_at_most",
    "odds_of",
    "one_in",
    "people",
    "up",
]

_PEOPLE = 100_000
_MOST_PEOPLE = 10**12
_READABLE = 10  # from so many people on a whole number says enough


def up(value: float, digits: int = 3) -> str:
    """A risk, rounded up."""
    return shown_up(value, digits)


def down(value: float, digits: int = 3) -> str:
    """What an attacker must pay, rounded down."""
    return shown_down(value, digits)


def at_most(share: float, of: int = HUNDRED) -> int:
    """So many of so many, rounded up.

    >>> at_most(0.6554)
    66
    """
    return no_more_than(of, share)


def in_hundred(share: float, before: float) -> str:
    """So many of 100 at most: whole where the release changes it by one or more, else with a fraction.

    >>> in_hundred(0.6554, 0.5), in_hundred(0.50004, 0.5)
    ('66', '50.1')
    """
    return f"{at_most(share)}" if share == before or HUNDRED * (share - before) >= 1 else up(HUNDRED * share)


def members_among(prior: float, unit: Protected = PEOPLE) -> str:
    """How many are members: "1 of 100 people is a member".

    >>> members_among(0.01), members_among(0.3)
    ('1 of 100 people is a member', '30 of 100 people are members')
    """
    return _members_among((prior, unit))


@remembered
def _members_among(asked: tuple[float, Protected]) -> str:
    prior, unit = asked
    one = (whole(prior) or (0, 0))[0] == 1
    words = Phrase("{share} {units} is a member") if one else Phrase("{share} {units} are members")
    return say(words, share=frequency(prior), units=unit.many)


def people(*rates: float) -> int | None:
    """So many people that each of these rates of them is some ten or more; None if that is out of all reason."""
    of = _PEOPLE
    while min(rates) * of < _READABLE:
        of *= 10
        if of > _MOST_PEOPLE:
            return None
    return of


def odds_at_most(ratio: float) -> str:
    """Odds for to against, rounded up.

    >>> odds_at_most(1.0), odds_at_most(0.1117), odds_at_most(14.32)
    ('1 : 1', '1 : 8.95', '14.4 : 1')
    """
    if ratio >= 1:
        return say("{ratio} : 1", ratio=up(ratio))
    return say("1 : {ratio}", ratio=down(1 / ratio if ratio else math.inf))


@remembered
def odds_of(prior: float) -> str:
    """The odds of a prior that the user chose, to the nearest.

    >>> odds_of(0.01), odds_of(0.9)
    ('1 : 99', '9 : 1')
    """
    rarer = min(prior, 1 - prior)
    ratio = shown_nearest((1 - rarer) / rarer, 3)
    return say("1 : {ratio}", ratio=ratio) if prior <= 0.5 else say("{ratio} : 1", ratio=ratio)


_QUESTION = Phrase(
    "The question is whether the data {of_one} were used: whether this {unit} is a “member”."
    " The attacker may know everything else, the data of all other {units} included, and may use"
    " any method and any amount of computing."
)
_FEW = Phrase(
    "An attacker who must be sure accuses few {units}."
    " Without the release it accuses members no more often than others."
)
_TOGETHER = Phrase(
    "Where several {units} are in the data together or not at all, they have less protection than one alone."
)
_REPEATED = Phrase("Releases about the same {units} add up: μ grows with the square root of their number.")
_SAME_RISK = Phrase("Which ε of pure differential privacy carries the same risk depends on what one looks at:")
_NOT_THE_SAME = Phrase(
    "Each is the policy ε to which gaussdp choose gives this μ at that level. The release is"
    " not ε-DP for any of them, and a release that is ε-DP need not have this μ."
)
_SAME_AT_THE_LEVEL = Phrase(
    "Each is the policy ε with the same risk at that level. The release is not ε-DP for any"
    " of them, and a release that is ε-DP need not have this curve."
)
_ADD_UP = Phrase("Releases about the same {units} add up.")
_HOLDS_FOR = (
    Phrase(
        "It holds for the unit of privacy that was accounted for. If that is one record or one"
        " day, a person with many of them has the protection of a group of so many."
    ),
    Phrase(
        "It holds for the unit that was accounted for: {name}. Whoever has many of them in the data has the protection"
        " of a group of so many."
    ),
)
_LIMITS = (
    Phrase(
        "It bounds what can be learned by comparing the release with and without the data {of_one}."
        " What the release says about {units} in general, and so about this {unit} too, may still be learned."
    ),
    Phrase(
        "It covers the release that was accounted for and nothing else: other releases add up,"
        " and copies of the data that leak or are handed over lie outside it."
    ),
    Phrase("The bounds are for the best possible attack. Known attacks may do worse; none does better."),
)


@dataclass(frozen=True)
class Passage:
    """Sentences under a heading, after a lead that may be empty."""

    key: str
    title: str
    lead: str
    sentences: tuple[str, ...]


def title(mu: float, subject: str = "") -> str:
    """The title of an explanation."""
    if subject:
        return say("What {subject} means", subject=subject)
    return say("What μ = {mu} means", mu=up(mu, 4))


def as_one_number(explanation: Meaning) -> str:
    """The mu of a curve, and that the explanation is of the curve itself; empty if mu says it all."""
    if not explanation.subject:
        return ""
    mu, floor = up(explanation.mu, 4), explanation.floor
    about = (
        say(", for attacks with error rates of at least {floor}, as is every μ below", floor=up(floor)) if floor else ""
    )
    return say(
        "As one number it is μ = {mu}{about}. Everything else is read off its own curve, and holds for every attack.",
        mu=mu,
        about=about,
    )


def headline(mu: float, even: Guesses, unit: Protected = PEOPLE) -> str:
    """The whole in one sentence."""
    if mu == 0:
        return say(
            "The release does not depend on the data {of_one}: nobody can tell from it whether they were used.",
            of_one=unit.of_one,
        )
    if mu == math.inf:
        return say(
            "There is no protection: the release may tell everyone whether the data {of_one} were used.",
            of_one=unit.of_one,
        )
    return say(
        "At even odds, at most {right} of 100 guesses whether the data {of_one} were used are right;"
        " tossing a coin gets 50 right.",
        right=in_hundred(even.after, even.before),
        of_one=unit.of_one,
    )


def passages(explanation: Meaning, only: Collection[str] = ()) -> tuple[Passage, ...]:
    """All the words, in order, or those with these keys only; what nobody asked for is left out."""
    asked = [part for part in _PARTS if not only or part[0] in only]
    of_curve = bool(explanation.subject)
    unit = explanation.whose
    found = [
        Passage(key, say(titles[of_curve]), _about(leads[of_curve], unit), tuple(words(explanation)))
        for key, titles, leads, words in asked
    ]
    return tuple([passage for passage in found if passage.sentences])


def sentences(explanation: Meaning, only: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The sentences of the passages with these keys, without their titles and leads."""
    found = [(key, tuple(words(explanation))) for key, _, _, words in _PARTS if key in only]
    return {key: told for key, told in found if told}


def _about(words: str, unit: Protected) -> str:
    """The words with the unit in them."""
    return say(words, of_one=unit.of_one, unit=unit.noun, units=unit.many, name=unit.name)


def _alarms(explanation: Meaning) -> Iterable[str]:
    accusations = [accusation_sentence(fact, explanation.whose) for fact in explanation.accusations]
    return (*map(alarm_sentence, explanation.alarms), *accusations)


def _limits(explanation: Meaning) -> Iterable[str]:
    bounds, *others = _LIMITS
    unit = explanation.whose
    return [_about(words, unit) for words in (bounds, _HOLDS_FOR[not unit.person], *others)]


def _equivalents(explanation: Meaning) -> Iterable[str]:
    not_the_same = _SAME_AT_THE_LEVEL if explanation.subject else _NOT_THE_SAME
    return (*map(equivalent_sentence, explanation.equivalents), say(not_the_same))


def _both(words: str) -> tuple[str, str]:
    """What is said of a mu, and of a curve, where that is the same."""
    return words, words


_PARTS: tuple[tuple[str, tuple[str, str], tuple[str, str], Callable[[Meaning], Iterable[str]]], ...] = (
    (
        "guesses",
        _both(Phrase("How many guesses are right")),
        _both(_QUESTION),
        lambda told: [guess_sentence(fact, told.whose) for fact in told.guesses],
    ),
    ("alarms", _both(Phrase("When few may be accused by mistake")), _both(_FEW), _alarms),
    (
        "searches",
        _both(Phrase("When many members are to be found")),
        _both(""),
        lambda told: [search_sentence(fact, told.whose) for fact in told.searches],
    ),
    (
        "groups",
        _both(Phrase("Several together")),
        _both(_TOGETHER),
        lambda told: [group_sentence(fact, told.whose) for fact in told.groups],
    ),
    (
        "releases",
        _both(Phrase("Several releases")),
        (_REPEATED, _ADD_UP),
        lambda told: [repeated_sentence(fact, bool(told.subject)) for fact in told.releases],
    ),
    ("equivalents", _both(Phrase("The same risk in pure ε-DP")), _both(_SAME_RISK), _equivalents),
    (
        "limits",
        (Phrase("What μ does not say"), Phrase("What it does not say")),
        _both(""),
        _limits,
    ),
)


def icons(explanation: Meaning) -> tuple[IconArray, ...]:
    """Arrays of icons: the guesses at even odds, and the accusations if the prior is another."""
    arrays = [guess_icons(explanation.guesses[0])]
    if explanation.prior != EVEN:
        arrays.extend(accusation_icons(fact, explanation.whose) for fact in explanation.accusations)
    return tuple(arrays)


def guess_icons(fact: Guesses) -> IconArray:
    """Guesses, as many as show the gain: right anyway, right because of the release, wrong."""
    labels = (say("right without the release"), say("more right with it, at most"), say("wrong even so"))
    title = say("{of:,} guesses about membership, at even odds", of=fact.of)
    return IconArray(title, fact.before_count, fact.after_count - fact.before_count, labels, fact.of)


def accusation_icons(fact: Alarm, unit: Protected = PEOPLE) -> IconArray:
    """Accusations, the more the fewer members there are: right anyway, right because of the release, wrong."""
    of, before, after = fact.counted
    labels = (
        say("right if accused at random"),
        say("more right with the release, at most"),
        say("accused by mistake"),
    )
    title = say(
        "{of:,} {units} accused by an attack with {alarms}, where {members}",
        of=of,
        units=unit.many,
        alarms=false_alarms(fact.fpr),
        members=members_among(fact.prior, unit),
    )
    return IconArray(title, before, after - before, labels, of)


def guess_sentence(fact: Guesses, unit: Protected = PEOPLE) -> str:
    """Right guesses before and after."""
    if fact.prior == EVEN:
        start = say("At even odds a guess without the release is the toss of a coin")
    else:
        answer = say("not a member") if fact.prior < EVEN else say("a member")
        start = say(
            "Where {members}, always answering “{answer}” is best without the release",
            members=members_among(fact.prior, unit),
            answer=answer,
        )
    before = say("{start}: {share} guesses are right.", start=start, share=frequency(fact.before))
    more = fact.after_count - fact.before_count
    if fact.of == HUNDRED:
        return say(
            "{before} With the release at most {right} of 100 are right, {more} more.",
            before=before,
            right=fact.after_count,
            more=more,
        )
    if fact.of * fact.gain < 1:
        return say(
            "{before} With the release less than 1 guess more in {of:,} is right.", before=before, of=MOST_GUESSES
        )
    return plural(
        more,
        "{before} With the release at most {n} guess more in {of:,} are right.",
        "{before} With the release at most {n} guesses more in {of:,} are right.",
        before=before,
        of=fact.of,
    )


def alarm_sentence(fact: Alarm) -> str:
    """How many members are found, next to how many nonmembers are accused."""
    alarms = false_alarms(fact.fpr)
    of = people(_WORTH_TEN * fact.fpr)
    if of is None:
        return say(
            "An attack with {alarms} finds at most a share of {found} of the members (without the release: {without}).",
            alarms=alarms,
            found=up(fact.tpr),
            without=up(fact.fpr),
        )
    return say(
        "An attack with {alarms} finds at most {found:,} of {of:,} members (without the release: {without:,}).",
        alarms=alarms,
        found=at_most(fact.tpr, of),
        of=of,
        without=about(fact.fpr, of),
    )


def accusation_sentence(fact: Alarm, unit: Protected = PEOPLE) -> str:
    """The same among people of whom a share are members, in natural frequencies."""
    right = say(
        "{right}: for each {unit} accused, the odds of being a member go from {before} to at most {after}.",
        right=_right(fact),
        unit=unit.noun,
        before=odds_of(fact.prior),
        after=odds_at_most(fact.odds_after),
    )
    of = people(fact.prior, 1 - fact.prior, (1 - fact.prior) * fact.fpr)
    if of is None:
        return say(
            "Where {members}, with {alarms}: {right}",
            members=members_among(fact.prior, unit),
            alarms=false_alarms(fact.fpr),
            right=right,
        )
    members, wrong = about(fact.prior, of), about((1 - fact.prior) * fact.fpr, of)
    hits = min(at_most(fact.prior * fact.tpr, of), members)
    return say(
        "Among {of:,} {units}, {members:,} of them members, an attack with {alarms} accuses"
        " {wrong:,} by mistake and at most {hits:,} rightly. {right}",
        of=of,
        units=unit.many,
        members=members,
        alarms=false_alarms(fact.fpr),
        wrong=wrong,
        hits=hits,
        right=right,
    )


def search_sentence(fact: Search, unit: Protected = PEOPLE) -> str:
    """Precision at recall."""
    of = people(fact.fpr)
    found = say("at least {found:,} of {of:,} nonmembers", found=int(fact.fpr * of), of=of) if of else ""
    where = "" if fact.prior == EVEN else say(" where {members},", members=members_among(fact.prior, unit))
    return say(
        "To find {share} members, an attack must accuse {cost}. {right}.",
        share=frequency(fact.recall),
        cost=found or say("hardly any nonmember"),
        right=_right(fact, where),
    )


def _right(fact: Alarm | Search, where: str = "") -> str:
    """How many accusations are right, with the release and without."""
    of, before, after = fact.counted
    return say(
        "Of {of:,} accusations{where} at most {after:,} are right (without the release: {before:,})",
        of=of,
        where=where,
        after=after,
        before=before,
    )


def group_sentence(fact: Together, unit: Protected = PEOPLE) -> str:
    """Protection of a group."""
    who = plural(fact.count, "1 {unit}", "{n:,} {units} together", unit=unit.noun, units=unit.many)
    return say("For {who} μ is {mu}: {odds}", who=who, mu=up(fact.mu), odds=_at_even_odds(fact))


def repeated_sentence(fact: Together, curve: bool = False) -> str:
    """The budget spent after repeated releases, with one mu each or with one curve."""
    when = (
        plural(fact.count, "1 release", "{n:,} such releases")
        if curve
        else plural(fact.count, "1 release", "{n:,} releases with this μ each")
    )
    return say("After {when}, μ is {mu} in all: {odds}", when=when, mu=up(fact.mu), odds=_at_even_odds(fact))


def equivalent_sentence(fact: Equivalent) -> str:
    """The epsilon with the same risk by one criterion."""
    warning = say(", which hardly limits such attacks (saturated): do not compare by it") if fact.saturated else ""
    return say(
        "In {won}: ε = {epsilon}{warning}.",
        won=fact.risk.among_people,
        epsilon=up(fact.epsilon),
        warning=warning,
    )


_WORTH_TEN = 10  # one false alarm is enough to speak of, where elsewhere ten people are


def _at_even_odds(fact: Together) -> str:
    right = in_hundred(fact.accuracy, EVEN)
    return say("at even odds at most {right} of 100 guesses are right.", right=right)
