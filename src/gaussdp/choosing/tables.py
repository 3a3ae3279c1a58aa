"""The tables of the paper, for any rows and columns: a level down the side, epsilon or mu across the top.

Two roundings. *Nearest* prints as the paper does: two significant digits for mu and epsilon, two decimals for TPR/FPR,
three for precision. *One-sided* claims no more privacy than the number itself: budgets down, what an attacker
achieves up.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from gaussdp.choosing.match import saturated_from
from gaussdp.documents.blocks import Column, Document, Table
from gaussdp.documents.rounding import Rounding, shown, shown_down
from gaussdp.domains import NON_NEGATIVE, checked
from gaussdp.guarantees import GDP
from gaussdp.risks import (
    Accuracy,
    Advantage,
    Level,
    MultiplicativeAdvantage,
    Precision,
    Profile,
    Risk,
    by_level,
    registered,
)
from gaussdp.risks.levels import Parameter

PAPER_DIGITS = 2
SIDED_DIGITS = 4

NEAREST = "Rounded to nearest, as the paper prints: a budget so rounded may exceed the matched one, a risk fall short."
ONE_SIDED = "Budgets are rounded down, what an attacker can achieve is rounded up: no number claims too much privacy."


EPSILON = Parameter(key="epsilon", label="ε", domain=NON_NEGATIVE, usual=(0.1, 0.2, 0.5, 1.0, 1.5, 2.0))
MU = Parameter(key="mu", label="μ", domain=NON_NEGATIVE, usual=(0.1, 0.25, 0.5, 1.0, 1.5, 2.0))


@dataclass(frozen=True)
class Grid:
    """One table: what its rows, columns and cells are.

    Attributes:
        cell: the value at (row, column).
        side: where one-sided rounding goes.
        risk: that is matched, where the cells are budgets.
        decimals: how many the paper prints, where it counts those rather than significant digits.
    """

    key: str
    title: str
    rows: Parameter
    columns: Parameter
    cell: Callable[[float, float], float]
    side: Rounding
    decimals: int | None = None
    risk: type[Risk] | None = None


def grids(criteria: Sequence[type[Risk]]) -> tuple[Grid, ...]:
    """Two tables a criterion: the budget by level and epsilon, then all risks by level and mu."""
    at_levels = [(risk, risk.level) for risk in criteria if risk.level is not None]
    return (
        *(
            Grid(
                f"mu_by_{risk.key}",
                risk.budget_title(),
                level,
                EPSILON,
                partial(_budget, risk),
                Rounding.DOWN,
                risk=risk,
            )
            for risk, level in at_levels
        ),
        *(
            Grid(
                f"{risk.value_key}_by_mu",
                risk.value_title(),
                level,
                MU,
                partial(_value, risk),
                Rounding.UP,
                risk.decimals,
            )
            for risk, level in at_levels
        ),
    )


def _budget(risk: type[Risk], level: float, epsilon: float) -> float:
    return float(risk.at(level).mu_from_epsilon(epsilon))


def _value(risk: type[Risk], level: float, mu: float) -> float:
    return float(risk.at(level).of(GDP(mu)))


GRIDS = grids((MultiplicativeAdvantage, Precision, Profile))
"""The six tables of the paper."""
KEYS = tuple(grid.key for grid in GRIDS)


def grid_document(
    chosen: Sequence[Grid] = GRIDS,
    values: Mapping[str, Sequence[float]] | None = None,
    one_sided: bool = False,
    digits: int | None = None,
) -> tuple[Document, int]:
    """The tables as one document, and the significant digits to render it with.

    Args:
        chosen: which tables; the six of the paper, or some of `grids`.
        values: the levels, epsilons or mus by the key of the parameter ("fpr", "epsilon", "mu", ...); the usual ones
            where none are given.
        one_sided: round to the private side instead of to nearest.
        digits: significant digits everywhere; by default the paper's format, or 4 if one-sided.
    """
    given = dict(values or {})
    tables = tuple(
        _table(
            grid,
            grid.rows.checked(given.get(grid.rows.key, grid.rows.usual)),
            grid.columns.checked(given.get(grid.columns.key, grid.columns.usual)),
            grid.side if one_sided else Rounding.NEAREST,
            grid.decimals if digits is None and not one_sided else None,
        )
        for grid in chosen
    )
    document = Document.tabular(
        "From ε to μ by each criterion, and from μ to what an attacker can do",
        tables,
        (ONE_SIDED if one_sided else NEAREST, *_saturated(chosen, given)),
    )
    return document, digits or (SIDED_DIGITS if one_sided else PAPER_DIGITS)


def _saturated(chosen: Sequence[Grid], given: Mapping[str, Sequence[float]]) -> Iterator[str]:
    """For each level at which some budgets stand for nothing, from which epsilon on."""
    for grid in chosen:
        if grid.risk is None:
            continue
        highest = max(given.get(grid.columns.key, grid.columns.usual))
        for level in given.get(grid.rows.key, grid.rows.usual):
            risk = grid.risk.at(level)
            start = saturated_from(risk)
            if start <= highest:
                yield (
                    f"Saturated, so that the budget stands for nothing: {risk.name} at {risk.place} from"
                    f" ε = {shown_down(start, 3)} on."
                )


def column_label(parameter: Parameter, value: float) -> str:
    """The value as the paper heads its columns: 1.0 for epsilon, 1 for mu.

    >>> column_label(EPSILON, 1.0), column_label(MU, 1.0)
    ('1.0', '1')
    """
    text = shown(value)
    return f"{text}.0" if parameter is EPSILON and text.isdecimal() else text


def _table(grid: Grid, rows: Sequence[float], columns: Sequence[float], side: Rounding, decimals: int | None) -> Table:
    labels = [column_label(grid.columns, value) for value in columns]
    heads = (
        Column(grid.rows.key, grid.rows.heading, level=True),
        *(Column(f"{grid.columns.key}={label}", label, side, decimals) for label in labels),
    )
    cells = tuple((row, *(grid.cell(row, column) for column in columns)) for row in rows)
    return Table(grid.key, grid.title, heads, cells, grid.columns.label)


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
