"""What is asked of somebody who has to choose a budget, in plain words: each with a default and what it is for."""

from dataclasses import dataclass
from typing import Literal

from gaussdp.risks.identification import AIMS
from gaussdp.words import Phrase

MEMBERSHIP = "membership"


@dataclass(frozen=True)
class Option:
    """One answer to choose: its word in files, its label, and what it means."""

    value: str
    label: str
    meaning: str


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes:
        key: of the answer, in files and options.
        text: the question itself.
        why: what the answer is for, and how to find it.
        kind: one of some words, a chance or share, a whole number, or any number.
        default: what is assumed by who does not know; None where that depends on the answer about what is to be kept.
        options: for one of some words.
    """

    key: str
    text: str
    why: str
    kind: Literal["choice", "share", "whole", "number"]
    default: str | float | int | None
    options: tuple[Option, ...] = ()


@dataclass(frozen=True)
class Usual:
    """Where to begin for one thing that must not be learnt.

    Attributes:
        chance: of a blind guess.
        acceptable: the chance that is allowed with the release.
        example: both in a sentence.
    """

    chance: float
    acceptable: float
    example: str


USUAL = {
    MEMBERSHIP: Usual(0.5, 0.6, Phrase("Whether somebody is in the data: a coin is right 50 times of 100; allow 60.")),
    "identification": Usual(
        1e-3, 1e-2, Phrase("Who of 1,000 candidates it is: a blind guess is right once; allow 10 times.")
    ),
    "attribute": Usual(
        0.1, 0.2, Phrase("An illness that 1 in 10 people have: a blind guess finds 10 of 100; allow 20.")
    ),
    "reconstruction": Usual(
        1e-6, 1e-5, Phrase("The whole record: a blind guess is right once in a million; allow 10 times.")
    ),
    "singling out": Usual(
        1e-6, 1e-5, Phrase("A description that fits 1 in a million people: allow 10 times that chance.")
    ),
}
"""A start to be changed: where the numbers come from nobody but here, the advice says so."""

_QUESTIONS = {AIM: aim.question for AIM, aim in AIMS.items()}

QUESTIONS = (
    Question(
        "unit",
        Phrase("Who is protected?"),
        Phrase("The guarantee speaks about one of these, with everything that is in the data about it."),
        "choice",
        "person",
        (
            Option("person", Phrase("a person"), Phrase("all records of one person together")),
            Option("household", Phrase("a household"), Phrase("all people of one household together")),
            Option("device", Phrase("a device"), Phrase("one phone or computer; a person with two is protected less")),
            Option(
                "record",
                Phrase("a record"),
                Phrase("one visit, trip or purchase; a person with many is protected less"),
            ),
        ),
    ),
    Question(
        "records_per_unit",
        Phrase("How many records can one of them have in the data, at most?"),
        Phrase("What one can change, and so the noise, grows with it. Where there is no limit, make one and cut."),
        "whole",
        1,
    ),
    Question(
        "aim",
        Phrase("What must not be learnt about them?"),
        Phrase(
            "An attacker may guess without the release too: what counts is how much better the guess becomes by it."
        ),
        "choice",
        MEMBERSHIP,
        (
            Option(MEMBERSHIP, Phrase("whether they are in the data"), USUAL[MEMBERSHIP].example),
            *(Option(key, _QUESTIONS[key], USUAL[key].example) for key in AIMS),
        ),
    ),
    Question(
        "chance",
        Phrase("With which chance is a guess right without the data?"),
        Phrase("One over the number of candidates, or the share of people who have the attribute; 0.5 for a coin."),
        "share",
        None,
    ),
    Question(
        "acceptable",
        Phrase("With which chance may a guess be right after everything is published?"),
        Phrase("For the best attacker there can be, who knows all other records. Nobody can set this number for you."),
        "share",
        None,
    ),
    Question(
        "people",
        Phrase("About how many people are in the data?"),
        Phrase("For the size of the noise beside the numbers, and for how many people a chance means."),
        "whole",
        10_000,
    ),
    Question(
        "every",
        Phrase("How often is something published?"),
        Phrase("Each release spends; what they spend adds in squares, also if later ones depend on earlier ones."),
        "choice",
        "once",
        (
            Option("once", Phrase("once"), Phrase("one release")),
            Option("day", Phrase("daily"), Phrase("366 releases a year")),
            Option("week", Phrase("weekly"), Phrase("53 releases a year")),
            Option("month", Phrase("monthly"), Phrase("12 releases a year")),
            Option("quarter", Phrase("quarterly"), Phrase("4 releases a year")),
            Option("year", Phrase("yearly"), Phrase("1 release a year")),
        ),
    ),
    Question(
        "years",
        Phrase("For how many years?"),
        Phrase(
            "The budget is for all of them together; afterwards no further release about the same people is covered."
        ),
        "number",
        1.0,
    ),
    Question(
        "attacker",
        Phrase("Who might attack?"),
        Phrase(
            "It changes no number: the guarantee holds against everybody. It belongs into the record of the decision."
        ),
        "choice",
        "anyone",
        (
            Option("anyone", Phrase("anyone"), Phrase("the results are public")),
            Option("recipients", Phrase("named recipients"), Phrase("the results go to some, under terms of use")),
            Option("insiders", Phrase("insiders"), Phrase("people with access to parts of the data")),
        ),
    ),
)
BY_KEY = {question.key: question for question in QUESTIONS}
