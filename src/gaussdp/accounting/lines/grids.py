r"""How fine the grid of outputs of a line must be, and what it leaves in the integrand.

The transform of a step at :math:`c + it` is a trapezoid sum over its outputs. A grid that is moved by a part of its
spacing has another error, so the difference of both shows how large the error is.
"""

import math
from dataclasses import dataclass

import numpy as np

from gaussdp.accounting.loss.cumulants import LossCumulants, Tilt
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
    unseen: float = 1.2  # error of a grid, in changes by moving it; 2 |sin(pi m 0.382)| changes are one m-th harmonic


SETTINGS = ResolutionSettings()


def grid_errors(
    cumulants: LossCumulants, tilt: Tilt, refinement: int, t: Floats, log_ratio: Complexes
) -> tuple[float, float]:
    """The errors that the grid of the outputs, and rounding, leave in the integrand at nodes t and in its scale.

    They are somewhat more than the change of the integrand when the grid moves by 0.382 of its spacing: the m-th
    harmonic of the error turns by as many turns times m, which no small m makes a whole number. This is an estimate:
    `Line.error_bounds` bounds the same error.
    """
    if not tilt.grids:
        return 0.0, 0.0
    moved = cumulants.tilt(tilt.at, refinement, moved=True)
    change = cumulants.log_ratio(moved, t) - log_ratio
    change += 1j * (moved.mean - tilt.mean) * t
    largest = float((np.exp(log_ratio.real) * size_of_change(change)).max())
    return SETTINGS.unseen * largest, SETTINGS.unseen * abs(moved.value - tilt.value)


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
