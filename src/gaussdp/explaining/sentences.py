"""The words of an explanation: odds and frequencies first, every number from the facts."""

import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from gaussdp.documents.blocks import IconArray
from gaussdp.explaining import wording
from gaussdp.explaining.facts import MOST_GUESSES, Alarm, Equivalent, Guesses, Meaning, Search, Together
from gaussdp.risks.base import EVEN
from gaussdp.risks.levels import false_alarms

_QUESTION = (
    "The question is whether one person's data were used: whether that person is a “member”. The attacker may know "
    "everything else, all other people's data included, and may use any method and any amount of computing."
)
_FEW = (
    "An attacker who must be sure accuses few people. Without the release it accuses members no more often than others."
)
_TOGETHER = (
    "People who are in the data together or not at all, such as a household, have less protection than one person."
)
_REPEATED = "Releases about the same people add up: μ grows with the square root of their number."
_SAME_RISK = "Which ε of pure differential privacy carries the same risk depends on what one looks at:"
_NOT_THE_SAME = (
    "Each is the policy ε to which gaussdp choose gives this μ at that level. The release is not ε-DP for any of them, "
    "and a release that is ε-DP need not have this μ."
)
_SAME_AT_THE_LEVEL = (
    "Each is the policy ε with the same risk at that level. The release is not ε-DP for any of them, and a release "
    "that is ε-DP need not have this curve."
)
_ADD_UP = "Releases about the same people add up."
_LIMITS = (
    "It bounds what can be learned about one person by comparing the release with and without that person's data. What "
    "the release says about people in general, and so about this person too, may still be learned.",
    "It holds for the unit of privacy that was accounted for. If that is one record or one day, a person with many of "
    "them has the protection of a group of so many.",
    "It covers the release that was accounted for and nothing else: other releases add up, and copies of the data that "
    "leak or are handed over lie outside it.",
    "The bounds are for the best possible attack. Known attacks may do worse; none does better.",
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
    return f"What {subject or f'μ = {wording.up(mu, 4)}'} means"


def as_one_number(explanation: Meaning) -> str:
    """The mu of a curve, and that the explanation is of the curve itself; empty if mu says it all."""
    if not explanation.subject:
        return ""
    number = f"As one number it is μ = {wording.up(explanation.mu, 4)}"
    about = f", for attacks with error rates of at least {wording.up(explanation.floor)}" if explanation.floor else ""
    return f"{number}{about}. What follows is read off its own curve, and holds for every attack."


def headline(mu: float, even: Guesses) -> str:
    """The whole in one sentence."""
    if mu == 0:
        return "The release does not depend on any one person's data: nobody can tell from it whether they were used."
    if mu == math.inf:
        return "There is no protection: the release may tell everyone whether any one person's data were used."
    right = f"at most {wording.in_hundred(even.after, even.before)} of 100"
    return f"At even odds, {right} guesses whether one person's data were used are right; tossing a coin gets 50 right."


def passages(explanation: Meaning, only: Collection[str] = ()) -> tuple[Passage, ...]:
    """All the words, in order, or those with these keys only; what nobody asked for is left out."""
    told, curve = explanation, bool(explanation.subject)
    parts: tuple[tuple[str, str, str, Callable[[], Iterable[str]]], ...] = (
        ("guesses", "How many guesses are right", _QUESTION, lambda: map(guess_sentence, told.guesses)),
        ("alarms", "When few may be accused by mistake", _FEW, lambda: _alarms(told)),
        ("searches", "When many members are to be found", "", lambda: map(search_sentence, told.searches)),
        ("groups", "Several people together", _TOGETHER, lambda: map(group_sentence, told.groups)),
        (
            "releases",
            "Several releases",
            _ADD_UP if curve else _REPEATED,
            lambda: (repeated_sentence(fact, curve) for fact in told.releases),
        ),
        ("equivalents", "The same risk in pure ε-DP", _SAME_RISK, lambda: _equivalents(told)),
        ("limits", "What it does not say" if curve else "What μ does not say", "", lambda: _LIMITS),
    )
    found = (Passage(key, title, lead, tuple(words())) for key, title, lead, words in parts if not only or key in only)
    return tuple(passage for passage in found if passage.sentences)


def _alarms(explanation: Meaning) -> Iterable[str]:
    return (*map(alarm_sentence, explanation.alarms), *map(accusation_sentence, explanation.accusations))


def _equivalents(explanation: Meaning) -> Iterable[str]:
    not_the_same = _SAME_AT_THE_LEVEL if explanation.subject else _NOT_THE_SAME
    return (*map(equivalent_sentence, explanation.equivalents), not_the_same)


def icons(explanation: Meaning) -> tuple[IconArray, ...]:
    """Arrays of icons: the guesses at even odds, and the accusations if the prior is another."""
    arrays = [_guess_icons(explanation.guesses[0])]
    if explanation.prior != EVEN:
        arrays.extend(map(accusation_icons, explanation.accusations))
    return tuple(arrays)


def _guess_icons(fact: Guesses) -> IconArray:
    """Guesses, as many as show the gain: right anyway, right because of the release, wrong."""
    labels = ("right without the release", "more right with it, at most", "wrong even so")
    title = f"{fact.of:,} guesses whether a person is a member, at even odds"
    return IconArray(title, fact.before_count, fact.after_count - fact.before_count, labels, fact.of)


def accusation_icons(fact: Alarm) -> IconArray:
    """Accusations, the more the fewer members there are: right anyway, right because of the release, wrong."""
    of, before, after = fact.counted
    labels = ("right if people were accused at random", "more right with the release, at most", "accused by mistake")
    where = f"where {wording.members_among(fact.prior)}"
    title = f"{of:,} people accused by an attack with {false_alarms(fact.fpr)}, {where}"
    return IconArray(title, before, after - before, labels, of)


def guess_sentence(fact: Guesses) -> str:
    """Right guesses before and after."""
    if fact.prior == EVEN:
        start = "At even odds a guess without the release is the toss of a coin"
    else:
        answer = "not a member" if fact.prior < EVEN else "a member"
        start = f"Where {wording.members_among(fact.prior)}, always answering “{answer}” is best without the release"
    before = f"{start}: {wording.frequency(fact.before)} guesses are right."
    more = fact.after_count - fact.before_count
    if fact.of == wording.HUNDRED:
        return f"{before} With the release at most {fact.after_count} of 100 are right, {more} more."
    if fact.of * fact.gain < 1:
        return f"{before} With the release less than 1 guess more in {MOST_GUESSES:,} is right."
    return (
        f"{before} With the release at most {more} {'guess' if more == 1 else 'guesses'} more in {fact.of:,} are right."
    )


def alarm_sentence(fact: Alarm) -> str:
    """How many members are found, next to how many nonmembers are accused."""
    start = f"An attack with {false_alarms(fact.fpr)} finds at most"
    of = wording.people(_WORTH_TEN * fact.fpr)
    if of is None:
        rates = wording.up(fact.tpr), wording.up(fact.fpr)
        return f"{start} a share of {rates[0]} of the members (without the release: {rates[1]})."
    without = wording.about(fact.fpr, of)
    return f"{start} {wording.at_most(fact.tpr, of):,} of {of:,} members (without the release: {without:,})."


def accusation_sentence(fact: Alarm) -> str:
    """The same among people of whom a share are members, in natural frequencies."""
    right = (
        f"{_right(fact)}: for a person who is accused, the odds of being a member go from "
        f"{wording.odds_of(fact.prior)} to at most {wording.odds_at_most(fact.odds_after)}."
    )
    of = wording.people(fact.prior, 1 - fact.prior, (1 - fact.prior) * fact.fpr)
    if of is None:
        return f"Where {wording.members_among(fact.prior)}, with {false_alarms(fact.fpr)}: {right}"
    members, wrong = wording.about(fact.prior, of), wording.about((1 - fact.prior) * fact.fpr, of)
    hits = min(wording.at_most(fact.prior * fact.tpr, of), members)
    return (
        f"Among {of:,} people of whom {members:,} are members, an attack with {false_alarms(fact.fpr)} accuses "
        f"{wrong:,} people by mistake and at most {hits:,} rightly. {right}"
    )


def search_sentence(fact: Search) -> str:
    """Precision at recall."""
    of = wording.people(fact.fpr)
    cost = f"at least {int(fact.fpr * of):,} of {of:,} nonmembers" if of else "hardly any nonmember"
    where = "" if fact.prior == EVEN else f" where {wording.members_among(fact.prior)},"
    return f"To find {wording.frequency(fact.recall)} members, an attack must accuse {cost}. {_right(fact, where)}."


def _right(fact: Alarm | Search, where: str = "") -> str:
    """How many accusations are right, with the release and without."""
    of, before, after = fact.counted
    return f"Of {of:,} accusations{where} at most {after:,} are right (without the release: {before:,})"


def group_sentence(fact: Together) -> str:
    """Protection of a group."""
    who = "1 person" if fact.count == 1 else f"{fact.count:,} people together"
    return f"For {who} μ is {wording.up(fact.mu)}: {_at_even_odds(fact)}"


def repeated_sentence(fact: Together, curve: bool = False) -> str:
    """The budget spent after repeated releases, with one mu each or with one curve."""
    many = "such releases" if curve else "releases with this μ each"
    when = "1 release" if fact.count == 1 else f"{fact.count:,} {many}"
    return f"After {when}, μ is {wording.up(fact.mu)} in all: {_at_even_odds(fact)}"


def equivalent_sentence(fact: Equivalent) -> str:
    """The epsilon with the same risk by one criterion."""
    warning = ", which hardly limits such attacks (saturated): do not compare by it" if fact.saturated else ""
    return f"In {fact.risk.among_people}: ε = {wording.up(fact.epsilon)}{warning}."


_WORTH_TEN = 10  # one false alarm is enough to speak of, where elsewhere ten people are


def _at_even_odds(fact: Together) -> str:
    return f"at even odds at most {wording.in_hundred(fact.accuracy, EVEN)} of 100 guesses are right."
