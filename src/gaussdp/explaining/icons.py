"""The icon arrays of an explanation: guesses and accusations, right before and right because of the release."""

from gaussdp.documents.icons import IconArray
from gaussdp.explaining import wording
from gaussdp.explaining.facts import Alarm, Guesses
from gaussdp.risks.levels import false_alarms


def guess_icons(fact: Guesses) -> IconArray:
    """100 guesses: right anyway, right because of the release, wrong."""
    before, after = wording.about(fact.before), wording.at_most(fact.after)
    labels = ("right without the release", "more right with it, at most", "wrong even so")
    return IconArray("100 guesses whether a person is a member, at even odds", before, after - before, labels)


def accusation_icons(fact: Alarm) -> IconArray:
    """100 accusations: right anyway, right because of the release, wrong."""
    before = wording.about(fact.prior)
    after = max(wording.at_most(fact.precision), before)
    labels = ("right if people were accused at random", "more right with the release, at most", "accused by mistake")
    where = f"where {wording.members_among(fact.prior)}"
    title = f"100 people accused by an attack with {false_alarms(fact.fpr)}, {where}"
    return IconArray(title, before, after - before, labels)
