"""A verdict as a document of tables and notes."""

from gaussdp.documents.blocks import Document
from gaussdp.documents.rounding import Rounding
from gaussdp.documents.tables import Column, Table
from gaussdp.statements.verdict import Verdict

TABLES = ("verdict", "causes")


def verdict_document(verdict: Verdict) -> Document:
    """The verdict, the usual mistakes that would have given the claim, and what is taken for granted."""
    symbol = verdict.claim.symbol
    table = Table(
        "verdict",
        "The claim against the run",
        (
            Column("claim", "claim"),
            Column("status", "verdict"),
            Column("claimed", f"{symbol} claimed"),
            Column("lower", f"no {symbol} below", Rounding.DOWN),
            Column("upper", f"{symbol} that holds", Rounding.UP),
        ),
        ((str(verdict.claim), verdict.status, verdict.claim.value, verdict.lower, verdict.upper),),
    )
    causes = Table(
        "causes",
        "Usual mistakes that give the claim",
        (
            Column("cause", "mistake"),
            Column("value", f"{symbol} it gives", Rounding.NEAREST),
            Column("words", "what it is"),
        ),
        tuple((cause.key, cause.value, cause.words) for cause in verdict.causes),
    )
    tables = (table, causes) if verdict.causes else (table,)
    first, *others = verdict.sentences
    return Document.tabular(first, tables, (*others, *verdict.caveats))
