r"""How fine the grid of outputs of a line must be, and what it leaves in the integrand.

The transform of a step at :math:`c + it` is a trapezoid sum over its outputs, :math:`h` apart. Its integrand is
analytic off the real axis, so that a path at height a over an output x shows that there the sum errs by some
:math:`e^{-2\pi a/h}` times how much the integrand has grown: a density by :math:`e^{a^2/2\sigma^2}`, and
:math:`e^{itL}`, of u turns from this output to the next, by :math:`e^{2\pi a u/h}`. The best height over each output
tells about how large the error may be; docs/numerics.md says what is proved of this, and what is not.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gaussdp.accounting.loss.cumulants import Tilt
from gaussdp.accounting.loss.outputs import FINENESS
from gaussdp.accounting.loss.sums import size_of_change
from gaussdp.numerics import Complexes, Floats


@dataclass(frozen=True)
class ResolutionSettings:
    """What is tuned about the grids of outputs."""

    turns: tuple[float, float] = (1.35, 0.9)
    """Turns from one output to the next that the grid can bear as a rule; fewer if a finer one costs little."""
    max_guess: int = 3 * FINENESS  # at the refinement that will be needed
    weighty: float = 2e-9  # share of the heaviest weight from which on an output must be resolved by the grid,
    many: float = 1000.0  # ... and less the more steps there are than so many, since their errors add up
    sharper: float = 1.25  # than a logarithm of the error that grows with the fineness foretells, to be sure
    finer_by: tuple[int, int] = (FINENESS // 2, 3 * FINENESS // 2)  # refinement of a grid whose error is too large
    whole_turn: float = 0.85
    """Turns from one output to the next up to which a line may go whose nodes are not all compared with those of a
    moved grid. At a whole turn the large losses of a grid, as far apart from each other as its outputs, are in phase,
    and its transform comes back at a few nodes, between those that are compared."""
    ordinary: tuple[int, int, float] = (10, 2500, 12.0)
    """Steps at least and at most, and tilts up to so many inverse deviations, of lines whose rounding errors
    are known well enough that grids need not be compared if they surely err little."""
    bounded: tuple[int, int] = (40, 100)  # nodes up to which a strip is tried as a bound, and steps from which on
    apart: float = 5.0
    """Squared skewness from which on common and rare losses are kinds of their own: between both values are small, so
    that errors count which elsewhere would not, and grids are compared."""
    no_aliasing: float = 1e-17  # bound on the error of a grid below which it need not be compared with a moved one, ...
    hardly_aliasing: float = 5e-14  # ... and estimate of it
    levels: tuple[int, int] = (8, 32)  # of frequencies for which the error is estimated, at least and at most, ...
    angles: int = 2500  # ... so that they and outputs make about so many
    transform_rounding: tuple[float, float] = (5e-15, 3e-16)
    """What rounding leaves in the transform of such lines, and more for each square root of the number of steps: more
    than comparing grids has shown in a search uphill over 300,000 random lines."""
    unseen: float = 1.2  # error of a grid, in changes by moving it; 2 |sin(pi m 0.382)| changes are one m-th harmonic
    sampled_from: int = 120  # nodes from which on grids are compared at some of them only: the first ones, ...
    sample: tuple[int, int] = (16, 3)  # ... so many, and of all every third
    long_from: int = 1500
    sample_of_long: tuple[int, int] = (192, 192)  # the same of a line with so many nodes: the first ones, and as many
    unsampled: float = 1.25
    """Factor on what they show. All nodes of 167 long lines showed as much as a rule and 1.88 times as much at most; of
    309 lines of 120 to 1500 nodes 1.11 times as much on average and 2.3 times. Readings state four times the error."""


SETTINGS = ResolutionSettings()


class Transformed(Protocol):
    """What is asked here of the loss, or of a part of its law."""

    @property
    def shortened(self) -> bool:
        """Whether few steps stand for many."""

    def tilt(self, at: float, refinement: int = 0, *, moved: bool = False) -> Tilt:
        """The law tilted by e^(at L)."""

    def log_ratio(self, tilt: Tilt, t: Floats) -> Complexes:
        """K(c + it) - K(c) - it K'(c)."""

    def aliasing(self, at: float, refinement: int, t: float) -> float:
        """A bound on what the grid of the outputs changes of e^(log_ratio) at frequencies up to t; may be infinite."""

    def aliased(self, tilt: Tilt, refinement: int, t: Floats, log_moduli: Floats) -> Floats:
        """About how much the grid changes e^(log_ratio), of these moduli, at such frequencies; may be infinite."""


def grid_errors(
    cumulants: Transformed, tilt: Tilt, refinement: int, t: Floats, log_ratio: Complexes
) -> tuple[float, float]:
    """The errors that the grid of the outputs, and rounding, leave in the integrand at nodes t and in its scale.

    Where the grid leaves next to none, rounding has a budget on ordinary lines. Else the error is somewhat more than
    the change of the integrand when the grid moves by 0.382 of its spacing: the m-th harmonic of the error turns by
    as many turns times m, which no small m makes a whole number. Too coarse a grid may err at any node, so all of
    a short line are compared; of a long one the first, where rounding errors are largest, and some of all.
    """
    if not tilt.grids:
        return 0.0, 0.0
    known = _without_comparing(cumulants, tilt, refinement, t, log_ratio)
    if known is not None:
        return known, 0.0
    moved = cumulants.tilt(tilt.at, refinement, moved=True)
    parts, unseen = _compared(cumulants, tilt, t)
    largest = 0.0
    for some in parts:
        change = cumulants.log_ratio(moved, t[some]) - log_ratio[some]
        change += 1j * (moved.mean - tilt.mean) * t[some]
        largest = max(largest, float((np.exp(log_ratio[some].real) * size_of_change(change)).max()))
    return unseen * largest, unseen * abs(moved.value - tilt.value)


def _without_comparing(
    cumulants: Transformed, tilt: Tilt, refinement: int, t: Floats, log_ratio: Complexes
) -> float | None:
    """The error of an ordinary line whose grid surely, or as far as is known, leaves next to none."""
    least, most, gentle = SETTINGS.ordinary
    steps = sum(tilt.counts)
    if cumulants.shortened or not (least <= steps <= most and abs(tilt.at) * tilt.deviation <= gentle):
        return None
    fixed, growing = SETTINGS.transform_rounding
    budget = fixed + growing * math.sqrt(steps)
    nodes, some = SETTINGS.bounded
    if t.size <= nodes and steps >= some:
        if cumulants.aliasing(tilt.at, refinement, float(t[-1])) < SETTINGS.no_aliasing:
            return budget
        return None
    if t.size >= SETTINGS.long_from or tilt.third**2 > SETTINGS.apart * tilt.variance**3:
        return None
    # Of frequencies between two levels the higher errs most.
    fewest, many = SETTINGS.levels
    levels = min(max(SETTINGS.angles // sum([grid.centred.size for grid in tilt.grids]), fewest), many)
    places = np.arange(levels + 1) * (t.size - 1) // levels
    log_moduli = np.maximum.reduceat(log_ratio.real, places[:-1])
    error = float(cumulants.aliased(tilt, refinement, t[places[1:]], log_moduli).max())
    return budget + error if error < SETTINGS.hardly_aliasing else None


def _compared(cumulants: Transformed, tilt: Tilt, t: Floats) -> tuple[list[slice], float]:
    """The nodes at which grids are compared, evenly spaced from the first on, and the error in largest changes."""
    if t.size < SETTINGS.sampled_from or cumulants.shortened:  # the phase of shortened ones goes node by node
        return [slice(None)], SETTINGS.unseen
    if t.size < SETTINGS.long_from:
        near, every = SETTINGS.sample
        if turns_between(float(t[-1]), tilt) > SETTINGS.whole_turn:
            return [slice(None)], SETTINGS.unseen
    else:
        near, few = SETTINGS.sample_of_long
        every = t.size // few
    return [slice(near), slice(None, None, every)], SETTINGS.unsampled * SETTINGS.unseen


def turns_between(t: float, tilt: Tilt) -> float:
    """By how many turns e^(itL) advances at most from one output to the next."""
    return max((t * grid.widest_gap for grid in tilt.grids), default=0.0) / (2 * math.pi)


def refinement_for(t: float, tilt: Tilt, *, cheap: bool) -> int:
    """How much finer than these unrefined grids of the outputs will have to be for the frequency t: a guess.

    What counts is by how many turns e^(itL) advances from one output to the next, where these have weight.
    """
    bearable = SETTINGS.turns[cheap] * 2 * math.pi
    weighty = SETTINGS.weighty / max(1.0, sum(tilt.counts) / SETTINGS.many)
    most = 1.0
    for grid in tilt.grids:
        if t * float(grid.centred[-1] - grid.centred[-2]) > bearable:
            last = max(1, int(np.flatnonzero(grid.weights > weighty * grid.weights.max())[-1]))
            most = max(most, t * float(grid.centred[last] - grid.centred[last - 1]) / bearable)
    return min(math.ceil(FINENESS * math.log2(most)), SETTINGS.max_guess)


def finer_by(error: float, enough: float) -> int:
    """By how much to refine a grid: the error of the trapezoid rule falls off exponentially with the fineness."""
    least, most = SETTINGS.finer_by
    if not 0 < enough < error < 1:
        return most
    times = SETTINGS.sharper * math.log(enough) / math.log(error)
    return min(max(math.ceil(FINENESS * math.log2(times)), least), most)
