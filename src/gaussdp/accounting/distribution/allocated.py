"""The privacy loss of passes with random allocation on a grid: from laws that bound it in convex order."""

import math
from types import ModuleType
from typing import Any

import numpy as np

from gaussdp.accounting.allocation.laws import Atoms
from gaussdp.accounting.allocation.mean_ratio import above, below, largest_loss
from gaussdp.mechanisms import RandomAllocation
from gaussdp.numerics import Floats


def allocated(library: ModuleType, part: RandomAllocation, interval: float, *, pessimistic: bool) -> Any:
    """The distribution of one pass in which a record is in one batch."""
    law, place = (above, _spread) if pessimistic else (below, _moved_down)
    return place(library, law(part.noise_multiplier, part.batches), interval)


def allocation_reach(part: RandomAllocation) -> float:
    """About the largest loss of a pass that is likely enough to matter."""
    return largest_loss(part.noise_multiplier, part.batches)


def allocation_error(part: RandomAllocation, *, pessimistic: bool) -> float:
    """Of the probabilities of a pass, relatively."""
    return (above if pessimistic else below)(part.noise_multiplier, part.batches).error


def _spread(library: ModuleType, atoms: Atoms, interval: float) -> Any:
    """Each ratio moved to the points of the grid around it, which keeps its mean: larger in convex order again."""
    places = np.floor(atoms.losses / interval)
    to_next = np.clip(np.expm1(atoms.losses - places * interval) / math.expm1(interval), 0.0, 1.0)
    first = int(places.min())
    slots = places.astype(np.int64) - first
    without = np.zeros(int(slots.max()) + 2)
    np.add.at(without, slots, atoms.under_q * (1 - to_next))
    np.add.at(without, slots + 1, atoms.under_q * to_next)
    losses = np.arange(first, first + without.size)
    with_record = without * np.exp(losses * interval)
    return _distribution(
        library, losses, with_record, -losses, without, interval, atoms.infinite, atoms.zero, pessimistic=True
    )


def _moved_down(library: ModuleType, atoms: Atoms, interval: float) -> Any:
    """Each loss moved down, in either direction."""
    removed, added = (np.floor(sign * atoms.losses / interval) for sign in (1, -1))
    return _distribution(library, removed, atoms.under_p, added, atoms.under_q, interval, 0.0, 0.0, pessimistic=False)


def _distribution(
    library: ModuleType,
    removed: Any,
    with_record: Floats,
    added: Any,
    without: Floats,
    interval: float,
    infinite: float,
    zero: float,
    *,
    pessimistic: bool,
) -> Any:
    return library.PrivacyLossDistribution.create_from_rounded_probability(
        _masses(removed, with_record),
        infinite,
        interval,
        pessimistic_estimate=pessimistic,
        rounded_probability_mass_function_add=_masses(added, without),
        infinity_mass_add=zero,
        symmetric=False,
    )


def _masses(places: Any, masses: Floats) -> dict[int, float]:
    found: dict[int, float] = {}
    for place, mass in zip(places.astype(np.int64).tolist(), masses.tolist(), strict=True):
        found[place] = found.get(place, 0.0) + mass
    return found
