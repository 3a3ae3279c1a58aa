"""What a guarantee lets an attacker achieve, level by level."""

from collections.abc import Sequence

from gaussdp.documents.blocks import Document
from gaussdp.documents.rounding import Rounding, shown
from gaussdp.documents.tables import Column, Table
from gaussdp.domains import LEVEL, checked
from gaussdp.guarantees import GDP

TABLES = ("fpr", "recall", "delta", "overall")


def risk_document(
    guarantee: GDP, fprs: Sequence[float], recalls: Sequence[float], deltas: Sequence[float], prior: float = 0.5
) -> Document:
    """The risks of mu-GDP at the given levels and over all attacks.

    Args:
        guarantee: the GDP guarantee.
        fprs: false-positive rates, each in (0, 1).
        recalls: true-positive rates, each in (0, 1).
        deltas: each in (0, 1).
        prior: probability of membership before the attack, in (0, 1), for precision and accuracy.
    """
    for name, levels in (("fpr", fprs), ("recall", recalls), ("delta", deltas)):
        checked(name, levels, LEVEL)
    at_fpr = Table(
        "fpr",
        "Attacks that accuse few by mistake",
        (
            Column("fpr", "FPR"),
            Column("tpr", "TPR at most", Rounding.UP),
            Column("multiplicative_advantage", "TPR/FPR at most", Rounding.UP),
            Column("fnr", "FNR at least", Rounding.DOWN),
        ),
        tuple((a, guarantee.tpr(a), guarantee.multiplicative_advantage(a), guarantee.fnr(a)) for a in fprs),
    )
    at_recall = Table(
        "recall",
        "Attacks that find this share of the members",
        (
            Column("recall", "recall"),
            Column("precision", f"precision at most, prior {shown(prior)}", Rounding.UP),
            Column("fpr", "FPR at least", Rounding.DOWN),
        ),
        tuple((b, guarantee.precision(b, prior), guarantee.fpr(b)) for b in recalls),
    )
    at_delta = Table(
        "delta",
        "As (ε, δ)-DP",
        (Column("delta", "δ"), Column("epsilon", "ε", Rounding.UP)),
        tuple((d, guarantee.epsilon(d)) for d in deltas),
    )
    overall = Table(
        "overall",
        "Over all attacks",
        (
            Column("advantage", "TPR − FPR at most", Rounding.UP),
            Column("right_of_100", f"of 100 guesses right (prior {shown(prior)})", Rounding.UP),
            Column("right_of_100_before", "without the release", Rounding.NEAREST),
        ),
        ((guarantee.advantage(), 100 * guarantee.accuracy(prior), 100 * max(prior, 1 - prior)),),
    )
    return Document.tabular(
        f"What μ = {shown(guarantee.mu)} lets the best membership attacker achieve",
        (at_fpr, at_recall, at_delta, overall),
        ("Numbers are rounded to the side of less privacy: what is bounded from above up, from below down.",),
    )
