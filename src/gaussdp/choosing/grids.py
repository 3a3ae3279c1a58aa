"""The six tables of the paper, for any rows and columns: a level down the side, epsilon or mu across the top.

Two roundings. *Nearest* prints as the paper does: two significant digits for mu and epsilon, two decimals for TPR/FPR,
three for precision. *One-sided* never claims more privacy than there is: budgets down, what an attacker achieves up.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gaussdp import conversions
from gaussdp.documents.blocks import Document
from gaussdp.documents.rounding import Rounding, shown
from gaussdp.documents.tables import Column, Table
from gaussdp.domains import LEVEL, NON_NEGATIVE, Domain, number
from gaussdp.errors import DomainError

PAPER_DIGITS = 2
SIDED_DIGITS = 4

NEAREST = "Rounded to nearest, as the paper prints: a budget so rounded may exceed the matched one, a risk fall short."
ONE_SIDED = "Budgets are rounded down, what an attacker can achieve is rounded up: no number claims too much privacy."


@dataclass(frozen=True)
class Parameter:
    """What the rows or the columns of a table vary."""

    key: str
    label: str
    symbol: str
    domain: Domain
    usual: tuple[float, ...]

    def checked(self, values: Sequence[float]) -> tuple[float, ...]:
        """The values, each held to the domain; at least one."""
        if not values:
            raise DomainError(
                self.key, problem="must not be empty", advice=f"give at least one number in {self.domain}"
            )
        return tuple(number(self.key, value, self.domain) for value in values)


FPR = Parameter("fpr", "FPR α", "α", LEVEL, (1e-2, 1e-3, 1e-4, 1e-5))
RECALL = Parameter("recall", "recall β̄", "β̄", LEVEL, (1e-2, 1e-3, 1e-4, 1e-5))
DELTA = Parameter("delta", "δ", "δ", LEVEL, (1e-5, 1e-6, 1e-7, 1e-8))
EPSILON = Parameter("epsilon", "ε", "ε", NON_NEGATIVE, (0.1, 0.2, 0.5, 1.0, 1.5, 2.0))
MU = Parameter("mu", "μ", "μ", NON_NEGATIVE, (0.1, 0.25, 0.5, 1.0, 1.5, 2.0))


@dataclass(frozen=True)
class Grid:
    """One of the six tables: what its rows, columns and cells are.

    Attributes:
        cell: the value at (row, column).
        side: where one-sided rounding goes.
        decimals: how many the paper prints, where it counts those rather than significant digits.
    """

    key: str
    title: str
    rows: Parameter
    columns: Parameter
    cell: Callable[[float, float], float]
    side: Rounding
    decimals: int | None = None


GRIDS = (
    Grid(
        "mu_by_multiplicative_advantage",
        "Budget μ that matches the multiplicative advantage of ε-DP at FPR α",
        FPR,
        EPSILON,
        lambda fpr, epsilon: conversions.mu_from_multiplicative_advantage(epsilon, fpr),
        Rounding.DOWN,
    ),
    Grid(
        "mu_by_precision",
        "Budget μ that matches the precision of ε-DP at recall β̄",
        RECALL,
        EPSILON,
        lambda recall, epsilon: conversions.mu_from_precision(epsilon, recall),
        Rounding.DOWN,
    ),
    Grid(
        "mu_by_profile",
        "Budget μ whose privacy profile passes through (ε, δ)",
        DELTA,
        EPSILON,
        lambda delta, epsilon: conversions.mu_from_profile(epsilon, delta),
        Rounding.DOWN,
    ),
    Grid(
        "multiplicative_advantage_by_mu",
        "Largest TPR/FPR of an attack on μ-GDP at FPR α",
        FPR,
        MU,
        lambda fpr, mu: conversions.multiplicative_advantage_from_mu(mu, fpr),
        Rounding.UP,
        decimals=2,
    ),
    Grid(
        "precision_by_mu",
        "Largest precision of an attack on μ-GDP at recall β̄",
        RECALL,
        MU,
        lambda recall, mu: conversions.precision_from_mu(mu, recall),
        Rounding.UP,
        decimals=3,
    ),
    Grid(
        "epsilon_by_mu",
        "Least ε with which μ-GDP is (ε, δ)-DP",
        DELTA,
        MU,
        lambda delta, mu: conversions.epsilon_from_mu(mu, delta),
        Rounding.UP,
    ),
)
KEYS = tuple(grid.key for grid in GRIDS)


def grid_document(
    grids: Sequence[Grid] = GRIDS,
    values: Mapping[str, Sequence[float]] | None = None,
    one_sided: bool = False,
    digits: int | None = None,
) -> tuple[Document, int]:
    """The tables as one document, and the significant digits to render it with.

    Args:
        grids: which of the six.
        values: the levels, epsilons or mus by parameter name ("fpr", "recall", "delta", "epsilon", "mu"); those of
            the paper where none are given.
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
        for grid in grids
    )
    document = Document.tabular(
        "From ε to μ by three criteria, and from μ to what an attacker can do",
        tables,
        (ONE_SIDED if one_sided else NEAREST,),
    )
    return document, digits or (SIDED_DIGITS if one_sided else PAPER_DIGITS)


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
        Column(grid.rows.key, grid.rows.label, level=True),
        *(Column(f"{grid.columns.key}={label}", label, side, decimals) for label in labels),
    )
    cells = tuple((row, *(grid.cell(row, column) for column in columns)) for row in rows)
    return Table(grid.key, grid.title, heads, cells, grid.columns.label)
