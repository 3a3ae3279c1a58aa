r"""Measures on the points k h of a lattice, h = 2^-m, in whole numbers: every operation rounds in one direction.

A measure stands for :math:`\mu_k = n_k\,2^e\,e^{-c k h}`, with whole numbers n whose total is below 2^64: the tilt c
brings the tail that is asked for to where the numbers are large. Products of packed numbers convolve exactly, and what
is cut off at either side, or rounded, is counted: an upper measure is at least the true one together with what it lost,
a lower one at most the true one (lemma 15 of docs/certified.md).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from gaussdp.accounting.certified.balls import arb, fmpz
from gaussdp.errors import ConvergenceError

Units = npt.NDArray[np.uint64]

BITS = 62
"""Of the total of a measure: products of two totals have room in slots of 128 bits."""
WEIGHT_BITS = 60
"""Of weights, which are below 8."""
FINER = 20
"""Bits below a unit in which ends are summed."""
_MUCH = 44
"""log2 of the finer units above which a number ends a sum of them, so that 2^19 of them have room in 64 bits."""
_MOST_SHIFTED = 63
_FLOATS = 1e-12  # by which a product of floats is rounded up
_MOST_TOTAL = 2.0**63.9
"""What rounding, up by one a point, does not raise to 2^64."""
_HALF, _LOW = np.uint64(32), np.uint64(2**32 - 1)


@dataclass(frozen=True)
class Measure:
    """A measure on a lattice.

    Attributes:
        level: m, the points being 2^-m apart.
        first: k of the first number.
        units: the numbers n.
        power: e.
        lost: at most what was cut off of an upper measure, in the same units under the tilt.
        upper: whether rounding is upwards.
    """

    level: int
    first: int
    units: Units
    power: int
    lost: int
    upper: bool

    @property
    def total(self) -> int:
        """Of the numbers."""
        return int(self.units.sum(dtype=np.uint64))  # below 2^64

    @property
    def middle_half(self) -> int:
        """Points between the quartiles."""
        below = np.cumsum(self.units, dtype=np.uint64)
        ends = [int(np.searchsorted(below, np.uint64(k * self.total // 4))) for k in (1, 3)]
        return ends[1] - ends[0]

    def times(self, other: "Measure", share: float) -> "Measure":
        """The measure of the sum of two independent losses, without ends that hold at most this share of it."""
        size = self.units.size + other.units.size - 1
        product = int(_packed(self.units) * _packed(other.units)).to_bytes(16 * size, "little")
        slots = np.frombuffer(product, dtype="<u8").reshape(size, 2)
        own = self.total * other.total
        whole = (self.total + self.lost) * (other.total + other.lost)
        shift = max(whole.bit_length() - BITS, FINER + 1)
        if shift > _MOST_SHIFTED:
            raise ConvergenceError("no proof: too few bits for a lattice")
        start, stop, ends = _ends(_finer(slots, shift - FINER), int(own * share) >> (shift - FINER))
        lost = -(-(whole - own) >> shift) + -(-ends >> FINER)
        return Measure(
            self.level,
            self.first + other.first + start,
            _shifted(slots[start:stop, 1], slots[start:stop, 0], shift, upper=self.upper),
            self.power + other.power + shift,
            lost if self.upper else 0,
            self.upper,
        )

    def coarser(self, weights: tuple[int, int]) -> "Measure":
        """On points twice as far apart: those between go to both neighbours, with a weight for each.

        Raises:
            ConvergenceError: if the total becomes too large.
        """
        first = self.first - (self.first % 2)
        units = np.zeros(2 * ((self.first + self.units.size - first) // 2) + 2, dtype=np.uint64)
        units[self.first - first : self.first - first + self.units.size] = self.units
        even, odd = units[::2], units[1::2]
        growth = sum(weights) / 2.0**WEIGHT_BITS
        if float(even.sum(dtype=np.float64)) + growth * float(odd.sum(dtype=np.float64)) > _MOST_TOTAL:
            raise ConvergenceError("no proof: too few bits for a lattice")
        halved = np.zeros(even.size + 1, dtype=np.uint64)
        halved[:-1] = even + _scaled(odd, weights[0], upper=self.upper)
        halved[1:] += _scaled(odd, weights[1], upper=self.upper)
        # What was cut off may lie at such points too.
        lost = math.ceil(self.lost * max(growth, 1.0) * (1 + _FLOATS))
        return replace(self, level=self.level - 1, first=first // 2, units=halved, lost=lost)


def measure_of(
    tilted: Sequence[arb], points: Sequence[int], level: int, share: float, *, upper: bool
) -> tuple[Measure, arb]:
    """Masses under a tilt on some points of a lattice, and the logarithm of the factor that was taken out.

    Raises:
        ConvergenceError: if they are not known.
    """
    total = sum(tilted, arb(0)).log().mid()
    if not total.is_finite():
        raise ConvergenceError("no proof: too few bits for a lattice")
    scale = arb(2) ** BITS * (-total).exp()
    scaled = [(one * scale).upper() if upper else (one * scale).lower() for one in tilted]
    fine = np.array([min(whole(one * 2**FINER, upper=False), 2**_MUCH) for one in scaled], dtype=np.uint64)
    start, stop, ends = _ends(fine, int(share * 2 ** (BITS + FINER)))
    first = points[start]
    units = np.zeros(points[stop - 1] - first + 1, dtype=np.uint64)
    numbers = [whole(one, upper=upper) for one in scaled[start:stop]]
    if sum(numbers) > _MOST_TOTAL:
        raise ConvergenceError("no proof: too few bits for a lattice")
    units[np.array(points[start:stop]) - first] = numbers
    return Measure(level, first, units, -BITS, -(-ends >> FINER) if upper else 0, upper), total


def _ends(fine: Units, allowed: int) -> tuple[int, int, int]:
    """Where to start and to stop, so that at most what is allowed lies at either side; and at most what does."""
    found, sums = [], 0
    allowed = min(allowed, 2**_MUCH - 1)
    for numbers in (fine[: 2**19], fine[::-1][: 2**19]):
        upto = np.cumsum(numbers + np.uint64(1), dtype=np.uint64)  # what was cut off of a number is less than one
        found.append(int(np.searchsorted(upto, np.uint64(allowed), side="right")))
        sums += int(upto[found[-1] - 1]) if found[-1] else 0
    if found[0] + found[1] >= fine.size:
        return 0, fine.size, 0
    return found[0], fine.size - found[1], sums


def weight(value: arb, *, upper: bool) -> int:
    """A number below 8 as a weight, rounded."""
    scaled = value * 2**WEIGHT_BITS
    return whole(scaled.upper() if upper else scaled.lower(), upper=upper)


def whole(value: arb, *, upper: bool) -> int:
    """The next whole number above or below an exact value, 0 for negative ones.

    Raises:
        ConvergenceError: if it cannot be told.
    """
    if not value > 0:
        return 0
    found = (value.ceil() if upper else value.floor()).unique_fmpz()
    if found is None:
        raise ConvergenceError("no proof: too few bits for a lattice")
    return int(found)


def _packed(units: Units) -> fmpz:
    """The numbers in slots of 128 bits."""
    slots = np.zeros((units.size, 2), dtype="<u8")
    slots[:, 0] = units
    return fmpz(int.from_bytes(slots.tobytes(), "little"))


def _finer(slots: Units, shift: int) -> Units:
    """Numbers of 128 bits over 2^shift, rounded down, or 2^_MUCH where they are larger."""
    large = slots[:, 1] >= np.uint64(2 ** max(shift - 64 + _MUCH, 0))
    found = _shifted(np.where(large, np.uint64(0), slots[:, 1]), slots[:, 0], shift, upper=False)
    return np.where(large, np.uint64(2**_MUCH), np.minimum(found, np.uint64(2**_MUCH)))


def _shifted(high: Units, low: Units, shift: int, *, upper: bool) -> Units:
    """Numbers of 128 bits over 2^shift, 0 < shift < 64, rounded."""
    found: Units = (high << np.uint64(64 - shift)) | (low >> np.uint64(shift))
    if upper:
        found = found + ((low & np.uint64(2**shift - 1)) != 0).astype(np.uint64)
    return found


def _scaled(units: Units, factor: int, *, upper: bool) -> Units:
    """Numbers times a weight, rounded."""
    other = np.uint64(factor)
    a, b, c, d = units >> _HALF, units & _LOW, other >> _HALF, other & _LOW
    low, cross, mixed = b * d, a * d, b * c
    carry = (low >> _HALF) + (cross & _LOW) + (mixed & _LOW)
    high = a * c + (cross >> _HALF) + (mixed >> _HALF) + (carry >> _HALF)
    low = (carry << _HALF) | (low & _LOW)
    return _shifted(high, low, WEIGHT_BITS, upper=upper)
