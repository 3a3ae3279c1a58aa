"""The numbers of an explanation as tables, and as one object for programs."""

from dataclasses import asdict
from typing import Any

from gaussdp.documents.rounding import Rounding
from gaussdp.documents.tables import Column, Table
from gaussdp.explaining import wording
from gaussdp.explaining.facts import Meaning
from gaussdp.words import Phrase, say

SCHEMA, VERSION = "gaussdp.explanation", 1

ROUNDING = Phrase("Risks are rounded up; what an attacker must pay is rounded down.")


def tables(explanation: Meaning) -> tuple[Table, ...]:
    """The numbers behind the words."""
    prior = wording.frequency(explanation.prior)
    alarms = Table(
        "alarms",
        say("Attacks that accuse few by mistake"),
        (
            Column("fpr", "FPR", level=True),
            Column("tpr", "TPR at most", Rounding.UP),
            Column("ratio", "TPR/FPR at most", Rounding.UP),
            Column("precision", say("precision at most ({prior} are members)", prior=prior), Rounding.UP),
        ),
        tuple((fact.fpr, fact.tpr, fact.ratio, fact.precision) for fact in explanation.alarms),
    )
    searches = Table(
        "searches",
        say("Attacks that find a share of the members"),
        (
            Column("recall", "recall", level=True),
            Column("fpr", "FPR at least", Rounding.DOWN),
            Column("precision", say("precision at most ({prior} are members)", prior=prior), Rounding.UP),
        ),
        tuple((fact.recall, fact.fpr, fact.precision) for fact in explanation.searches),
    )
    together = Table(
        "together",
        say("Several people, several releases"),
        (
            Column("of", "of"),
            Column("count", "how many", decimals=0),
            Column("mu", "μ", Rounding.UP),
            Column("right_of_100", "of 100 guesses right at even odds", Rounding.UP),
        ),
        tuple(
            (kind, float(fact.count), fact.mu, 100 * fact.accuracy)
            for kind, found in ((say("people"), explanation.groups), (say("releases"), explanation.releases))
            for fact in found
        ),
    )
    saturated = any(fact.saturated for fact in explanation.equivalents)
    equivalents = Table(
        "equivalents",
        say("Pure ε-DP with the same risk"),
        (
            Column("criterion", "in"),
            Column("level_of", "at"),
            Column("level", "level", level=True),
            Column("epsilon", "ε", Rounding.UP),
            *([Column("standing", "the match")] if saturated else []),
        ),
        tuple(
            (
                str(fact.risk.gain),
                str(fact.risk.level.label) if fact.risk.level else "",
                "" if fact.level is None else fact.level,
                fact.epsilon,
                *([say("saturated") if fact.saturated else ""] if saturated else []),
            )
            for fact in explanation.equivalents
        ),
    )
    return tuple(table for table in (alarms, searches, together, equivalents) if table.rows)


def as_object(explanation: Meaning) -> dict[str, Any]:
    """The facts for programs, at full precision."""
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "mu": explanation.mu,
        **({"subject": explanation.subject, "floor": explanation.floor} if explanation.subject else {}),
        **({"caveats": list(explanation.caveats)} if explanation.caveats else {}),
        "prior": explanation.prior,
        "advantage": 2 * explanation.guesses[0].gain,
        "guesses": [{**asdict(fact), "after": fact.after} for fact in explanation.guesses],
        "alarms": [
            {**asdict(fact), "odds_before": fact.odds_before, "odds_after": fact.odds_after}
            for fact in explanation.alarms
        ],
        "searches": [asdict(fact) for fact in explanation.searches],
        "groups": [fact.as_object() for fact in explanation.groups],
        "releases": [fact.as_object() for fact in explanation.releases],
        "equivalents": [
            {
                "criterion": fact.criterion,
                "level_of": fact.level_of,
                "level": fact.level,
                "epsilon": fact.epsilon,
                "saturated": fact.saturated,
            }
            for fact in explanation.equivalents
        ],
    }
