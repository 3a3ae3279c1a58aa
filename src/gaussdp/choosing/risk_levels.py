"""What a guarantee lets an attacker achieve, level by level."""

from collections.abc import Mapping, Sequence

from gaussdp.documents.blocks import Document
from gaussdp.documents.rounding import Rounding, shown
from gaussdp.documents.tables import Column, Table
from gaussdp.domains import checked
from gaussdp.guarantees import GDP
from gaussdp.risks import Accuracy, Advantage, Level, Risk, by_level, registered


def table_keys() -> tuple[str, ...]:
    """The tables that there are: one a level, and one over all attacks."""
    return (*(level.key for level in by_level(registered())), "overall")


def risk_document(guarantee: GDP, levels: Mapping[str, Sequence[float]], prior: float = 0.5) -> Document:
    """The risks of mu-GDP at the given levels and over all attacks.

    Args:
        guarantee: the GDP guarantee.
        levels: by the key of a level ("fpr", "recall", "delta", ...), each in (0, 1); the usual ones where none are
            given.
        prior: probability of membership before the attack, in (0, 1), for precision and accuracy.
    """
    given = {level: levels.get(level.key, level.usual) for level in by_level(registered())}
    for level, values in given.items():
        checked(level.key, values, level.domain)
    tables = (_at_level(guarantee, level, values, prior) for level, values in given.items())
    return Document.tabular(
        f"What μ = {shown(guarantee.mu)} lets the best membership attacker achieve",
        (*tables, _overall(guarantee, prior)),
        ("Numbers are rounded to the side of less privacy: what is bounded from above up, from below down.",),
    )


def _at_level(guarantee: GDP, level: Level, values: Sequence[float], prior: float) -> Table:
    risks = by_level(registered())[level]
    columns = [Column(level.key, level.label), *(_column(risk, prior) for risk in risks)]
    if level.price is not None:
        columns.append(Column(level.price[0], level.price[1], Rounding.DOWN))
    rows = []
    for value in values:
        row = [value, *(float(risk.at(value, prior).of(guarantee)) for risk in risks)]
        rows.append(tuple(row if level.price is None else [*row, level.price[2](guarantee, value)]))
    return Table(level.key, level.attacks, tuple(columns), tuple(rows))


def _overall(guarantee: GDP, prior: float) -> Table:
    """The two readings that everyone knows, and whatever else has no level."""
    others = [risk for risk in registered() if risk.level is None and risk not in (Advantage, Accuracy)]
    return Table(
        "overall",
        "Over all attacks",
        (
            _column(Advantage, prior),
            Column("right_of_100", f"of 100 guesses right (prior {shown(prior)})", Rounding.UP),
            Column("right_of_100_before", "without the release", Rounding.NEAREST),
            *(_column(risk, prior) for risk in others),
        ),
        (
            (
                guarantee.advantage(),
                100 * guarantee.accuracy(prior),
                100 * max(prior, 1 - prior),
                *(float(risk.at(prior=prior).of(guarantee)) for risk in others),
            ),
        ),
    )


def _column(risk: type[Risk], prior: float) -> Column:
    return Column(risk.value_key, risk.column + (f", prior {shown(prior)}" if risk.takes_prior else ""), Rounding.UP)
