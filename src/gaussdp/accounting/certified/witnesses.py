"""What a proof was computed with: any choice of these numbers gives true enclosures, and a good one tight ones."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from gaussdp.errors import DomainError

_LARGEST = 1e300  # of any positive number
_LONGEST = 600.0  # y of a bent line, whose exponential is a double
_FINEST = 1000  # -log2 of the spacing of a lattice
_SHORTEST = 16  # points of a lattice
_MOST = 10**7  # of any whole number
_MOST_NODES = 2**21  # of a line or of a grid: beyond, no check would end
_MOST_WORK = 10**9  # nodes of a line times nodes of its grids: some minutes
_MOST_POINTS = 2**19  # between the ends of a window
_MOST_CELLS = 10**5
_MOST_BITS = 2**14


@dataclass(frozen=True)
class CellTable:
    """Cells of equal width on which a step is bounded; the last ends where the law of the output is cut off."""

    cut: float
    width: float
    cells: int

    def __post_init__(self) -> None:
        _rising(0, self.cells, _MOST_CELLS)
        _positive(self.cut)
        _positive(self.width)


@dataclass(frozen=True)
class NodeGrid:
    """A trapezoid sum: nodes (k + 1/2) * spacing for first <= k < last, on a rectangle of this half-height."""

    first: int
    last: int
    spacing: float
    height: float

    def __post_init__(self) -> None:
        _rising(self.first, self.last, self.first + _MOST_NODES)
        _positive(self.spacing)
        _positive(self.height)


@dataclass(frozen=True)
class StepWitness:
    """How one part's transform is computed: cells to bound it on, and a grid for each block of nodes."""

    table: CellTable
    grids: tuple[NodeGrid, ...]


@dataclass(frozen=True)
class Beside:
    """A tilt beside a line, at which its images are bounded."""

    tilt: float
    steps: tuple[StepWitness, ...]


@dataclass(frozen=True)
class LineWitness:
    """Everything that a line needs to be computed again.

    Attributes:
        tilt: where the line crosses the real axis.
        spacing: of its nodes.
        blocks: the numbers at which blocks of nodes end.
        steps: of each part.
        below: a tilt below, in the same region.
        above: a tilt above.
        bits: of precision.
    """

    tilt: float
    spacing: float
    blocks: tuple[int, ...]
    steps: tuple[StepWitness, ...]
    below: Beside
    above: Beside
    bits: int

    def __post_init__(self) -> None:
        _positive(self.spacing)
        _rising(0, *self.blocks, _MOST_NODES)
        if not self.blocks:
            raise DomainError("blocks", problem="must hold one number of nodes or more")
        _rising(1, self.bits, _MOST_BITS)
        _rising_floats(self.below.tilt, self.tilt, self.above.tilt)
        here = region(self.tilt)
        if here is None:
            raise DomainError("tilt", problem="must not be a pole")
        least, most = POLES[here]
        if not (least <= self.below.tilt and self.above.tilt <= most):
            raise DomainError("tilt", problem="must have no pole between it and those beside it")
        cuts = [[step.table.cut for step in steps] for steps in (self.steps, self.below.steps, self.above.steps)]
        if cuts[0] != cuts[1] or cuts[0] != cuts[2]:
            raise DomainError("cut", problem="must be the same on and beside a line")
        own, *others = (
            [len(step.grids) for step in steps] for steps in (self.steps, self.below.steps, self.above.steps)
        )
        if any(count != len(self.blocks) for count in own) or any(count != 1 for one in others for count in one):
            raise DomainError("grids", problem="must be one for each block of nodes, and one beside a line")
        if work_of(self.blocks, self.steps) > _MOST_WORK:
            raise DomainError("grids", problem="have so many nodes that no check would end")


def work_of(blocks: Sequence[int], steps: Sequence[StepWitness]) -> int:
    """Nodes of a line times nodes of the grids that compute them."""
    sizes = [stop - start for start, stop in zip((0, *blocks), blocks, strict=False)]
    grids = [grid for step in steps for grid in zip(sizes, step.grids, strict=True)]
    return sum(size * (grid.last - grid.first) for size, grid in grids)


@dataclass(frozen=True)
class BentWitness:
    """Everything that a bent line needs to be computed again: theta(y) = centre + width * sin(angle + iy).

    Attributes:
        tilt: where it crosses the real axis, nearly.
        centre: of the hyperbola.
        width: of the hyperbola.
        angle: of its asymptotes to the vertical.
        strip: angles on either side on which the integrand is bounded.
        spacing: of its nodes, in y.
        nodes: how many there are, from y = 0 on.
        ends: y up to which the integrand is bounded cell by cell: on it, and on either side of the strip.
        depth: -log of the error of a step's moments.
        bits: of precision.
    """

    tilt: float
    centre: float
    width: float
    angle: float
    strip: float
    spacing: float
    nodes: int
    ends: tuple[float, float, float]
    depth: float
    bits: int

    def __post_init__(self) -> None:
        for value in (self.width, self.angle, self.strip, self.spacing, self.depth, *self.ends):
            _positive(value)
        _rising(0, self.nodes, _MOST_NODES)
        _rising(1, self.bits, _MOST_BITS)
        _rising_floats(self.strip, self.angle, math.pi / 4 - self.strip)
        _rising_floats(min(self.tilt, self.centre) - 1, max(self.tilt, self.centre))
        if region(self.tilt) is None or len(self.ends) != 3 or max(self.ends) > _LONGEST:
            raise DomainError("tilt", problem="must not be a pole, and ends must be three numbers that are not large")


@dataclass(frozen=True)
class Window:
    """Points k 2^-level of a lattice, low <= k <= high, between which losses of a step are told apart.

    Attributes:
        level: -log2 of the spacing.
        low: the first point, not above the near ones.
        near: the first and the last point between which all points are used.
        high: the last point.
        share: farther out cells are wider, doubled whenever 2^share of them lie within.
        widest: points of the widest cell, below the near points and above.
    """

    level: int
    low: int
    near: tuple[int, int]
    high: int
    share: int
    widest: tuple[int, int]

    def __post_init__(self) -> None:
        if len(self.near) != 2 or len(self.widest) != 2:
            raise DomainError("near", problem="must be two points, and widest two numbers of points")
        _rising(self.low - 1, self.near[0], self.near[1], self.high + 1, self.low + _MOST_POINTS)
        _rising(-_FINEST, self.level, _FINEST)
        _rising(0, self.share, 60)
        for widest in self.widest:
            _rising(0, widest)

    def points(self) -> list[int]:
        """The points that losses of a step are put on."""
        found = []
        sides = (-1, -self.near[0], -self.low), (1, self.near[1], self.high)
        for (sign, start, end), widest in zip(sides, self.widest, strict=True):
            point, side = start, []
            while point < end:
                width = min(2 ** ((point - start) >> self.share).bit_length(), widest)
                point = min(point + width, end)
                side.append(sign * point)
            found.append(side)
        return [*reversed(found[0]), *range(self.near[0], self.near[1] + 1), *found[1]]


@dataclass(frozen=True)
class BracketWitness:
    """Everything that a bracket of lattices needs to be computed again.

    Attributes:
        tilt: under which the tail is not small, at least 1.
        mirrored: whether it is for adding a record, the sign of all losses being changed.
        windows: one a kind of step, and one for plain releases together.
        length: points of a lattice, above which it is made coarser.
        fine: points between the quartiles of a measure, above which its lattice is made coarser.
        bits: of precision.
    """

    tilt: float
    mirrored: bool
    windows: tuple[Window, ...]
    length: int
    fine: int
    bits: int

    def __post_init__(self) -> None:
        _positive(self.tilt)
        _rising(_SHORTEST, self.length, _MOST_NODES)
        _rising(_SHORTEST, self.fine, _MOST_NODES)
        _rising(1, self.bits, _MOST_BITS)
        if not self.tilt >= 1 or not isinstance(self.mirrored, bool):
            raise DomainError("tilt", problem="must be at least 1, and mirrored must be true or false")


Witness = LineWitness | BentWitness | BracketWitness


POLES = {-1: (-math.inf, 0.0), 0: (0.0, 1.0), 1: (1.0, math.inf)}
"""Between which poles each region lies; tilts beside a line of it may be these, and none beyond (lemma 5)."""


def region(tilt: float) -> int | None:
    """-1 below 0, 0 from 0 to 1, 1 above 1; None on a pole, which belongs to both sides."""
    if tilt in (0.0, 1.0):
        return None
    return 1 if tilt > 1 else 0 if tilt > 0 else -1


def witness_of(content: Mapping[str, Any]) -> Witness:
    """The witness that a file states."""
    if "angle" in content:
        return BentWitness(**{**content, "ends": tuple(content["ends"])})
    if "windows" in content:
        return BracketWitness(
            **{
                **content,
                "windows": tuple(
                    Window(**{**one, "near": tuple(one["near"]), "widest": tuple(one["widest"])})
                    for one in content["windows"]
                ),
            }
        )

    def steps(many: Any) -> tuple[StepWitness, ...]:
        return tuple(
            StepWitness(CellTable(**one["table"]), tuple(NodeGrid(**grid) for grid in one["grids"])) for one in many
        )

    def beside(one: Mapping[str, Any]) -> Beside:
        return Beside(one["tilt"], steps(one["steps"]))

    return LineWitness(
        content["tilt"],
        content["spacing"],
        tuple(content["blocks"]),
        steps(content["steps"]),
        beside(content["below"]),
        beside(content["above"]),
        content["bits"],
    )


def _rising(*numbers: Any) -> None:
    whole = all(isinstance(one, int) and not isinstance(one, bool) and abs(one) < _MOST for one in numbers)
    if not whole or any(right <= left for left, right in pairwise(numbers)):
        raise DomainError(None, problem=f"{numbers} must be rising whole numbers")


def _rising_floats(*numbers: Any) -> None:
    if not all(isinstance(one, int | float) and math.isfinite(one) for one in numbers) or list(numbers) != sorted(
        set(numbers)
    ):
        raise DomainError(None, problem=f"{numbers} must be rising numbers")


def _positive(value: Any) -> None:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < _LARGEST:
        raise DomainError(None, problem=f"{value!r} must be a positive number")
