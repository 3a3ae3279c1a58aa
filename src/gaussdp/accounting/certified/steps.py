r"""The transform of one Poisson-sampled Gaussian step, with every error of its trapezoid sum counted.

With :math:`w(x) = 1 - q + q e^{(2x-1)/2\sigma^2}` the step's loss is :math:`L = \log w(X)`, :math:`X \sim N(0,
\sigma^2)` under Q. Outputs above a cut b are left out, and what they may weigh is counted at the end; the transform is
:math:`M(z) = \int_{-\infty}^b \varphi_\sigma(x)\,w(x)^z\,dx`. The lemmas are in docs/certified.md: 1 bounds integrals
over cells, 2 the trapezoid sum on a rectangle, 3 what lies outside, 4 how M decays.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np

from gaussdp.accounting.certified.balls import acb, acb_mat, arb, between, exactly, precision, tail
from gaussdp.accounting.certified.witnesses import CellTable, NodeGrid
from gaussdp.documents.written import written
from gaussdp.numerics import Floats

TABLE_BITS = 64
"""Of the bounds over cells, which need not be tight."""
HEIGHTS = 8
"""Of shifted paths: that of the strip in which w has a logarithm, halved again and again."""


@dataclass(frozen=True)
class Part:
    """A Poisson-sampled Gaussian step that is repeated.

    Attributes:
        noise_multiplier: the noise, nearly; what steers goes by it.
        sample_rate: the rate, which proofs take as it is written.
        count: how often it is repeated.
        noises: between which the noise lies exactly; None for what is written.
    """

    noise_multiplier: float
    sample_rate: float
    count: int
    noises: tuple[Fraction, Fraction] | None = None

    def sigma(self) -> arb:
        """The noise multiplier, in the current precision."""
        return exactly(written(self.noise_multiplier)) if self.noises is None else between(self.noises)

    def rate(self) -> arb:
        """The sample rate, in the current precision."""
        return exactly(written(self.sample_rate))


class ProvedStep:
    """One Poisson-sampled Gaussian step under the tilt e^(cL), in balls."""

    part: Part
    tilt: float
    table: CellTable

    def __init__(self, part: Part, tilt: float, table: CellTable) -> None:
        self.part, self.tilt, self.table = part, tilt, table
        with precision(TABLE_BITS):
            self._cells = _Cells(_Outputs(part), arb(tilt), table)

    def transforms(self, grid: NodeGrid, start: int, stop: int, spacing: float) -> list[acb]:
        """M(c + i k spacing) for start <= k < stop."""
        at = _Outputs(self.part)
        size = max(1, math.isqrt(stop - start - 1) + 1)
        weights, turns = [], []
        for k in range(grid.first, grid.last):
            x = arb(grid.spacing) * (2 * k + 1) / 2
            loss = at.loss(x)
            weights.append(acb((at.log_density(x) + self.tilt * loss).exp() * grid.spacing))
            turns.append(acb(0, loss * spacing).exp())
        # u^(start + a size + b) as a product of two, so that a product of matrices sums over the nodes.
        near = powers(turns, size + 1)
        begin = [weight * turn**start for weight, turn in zip(weights, turns, strict=True)]
        far = [_times(begin, row) for row in powers(near.pop(), -(-(stop - start) // size))]
        sums = (acb_mat(far) * acb_mat(near).transpose()).entries()[: stop - start]
        error = arb(0, 1) * self.error(grid, arb(spacing) * (stop - 1)).abs_upper()
        return [value + acb(error, error) for value in sums]

    def error(self, grid: NodeGrid, frequency: arb) -> arb:
        """Bound on the error of M(c + it) from a grid, for all |t| up to the frequency (lemmas 2 and 3)."""
        with precision(TABLE_BITS):
            return self._cells.edges(grid, frequency) + self._cells.beyond(grid)

    def decay(self, frequency: arb, mgf: arb) -> arb:
        """Bound on |M(c + it)| / M(c) for all t from the frequency on; 1 if there is no better one (lemma 4)."""
        with precision(TABLE_BITS):
            return self._cells.decay(frequency, mgf)

    def cut_off(self) -> tuple[arb, arb]:
        """The probabilities under Q and under P of the outputs that are left out."""
        sigma, rate, cut = self.part.sigma(), self.part.rate(), arb(self.table.cut)
        under_q = tail(cut / sigma)
        return under_q, (1 - rate) * under_q + rate * tail((cut - 1) / sigma)

    def far_decay(self, mgf: arb) -> arb:
        """V with |M(c + it)| / M(c) <= V / t for all t > 0 (lemma 4)."""
        with precision(TABLE_BITS):
            return self._cells.variation / mgf


def powers(turns: Sequence[acb], count: int) -> list[list[acb]]:
    """The powers of each number from the zeroth on, each from two near half of it, since every product widens balls."""
    rows = [[acb(1)] * len(turns), list(turns)]
    for power in range(2, count):
        rows.append(_times(rows[power // 2], rows[power - power // 2]))
    return rows[:count]


def _times(row: Sequence[acb], other: Sequence[acb]) -> list[acb]:
    return [x * y for x, y in zip(row, other, strict=True)]


class _Outputs:
    """Loss and density at outputs x, in balls of the current precision."""

    def __init__(self, part: Part) -> None:
        self.sigma = part.sigma()
        self.square = self.sigma**2
        self.rate = part.rate()
        self.rest = 1 - self.rate
        self.log_norm = -(self.sigma * (2 * arb.pi()).sqrt()).log()

    def raised(self, x: arb) -> arb:
        """q e^((2x - 1) / 2 sigma^2), the part of w that grows."""
        return self.rate * ((2 * x - 1) / (2 * self.square)).exp()

    def loss(self, x: arb) -> arb:
        """L(x)."""
        return (self.rest + self.raised(x)).log()

    def log_density(self, x: arb) -> arb:
        """The logarithm of phi_sigma(x)."""
        return self.log_norm - x * x / (2 * self.square)


class _Cells:
    """Bounds on integrals over cells: each from the values at its ends and bounds on the slope in between (lemma 1)."""

    def __init__(self, at: _Outputs, tilt: arb, table: CellTable) -> None:
        self.at, self.tilt = at, tilt
        self._paths: dict[int, tuple[arb, list[arb], list[arb], arb]] = {}
        width = arb(table.width)
        self.edges_at = [arb(table.cut) - width * k for k in range(table.cells, -1, -1)]
        raised = [at.raised(x) for x in self.edges_at]
        self.share = [value / (at.rest + value) for value in raised]  # p, the slope of L times sigma^2
        self.loss = [(at.rest + value).log() for value in raised]
        log_mass = [at.log_density(x) + tilt * loss for x, loss in zip(self.edges_at, self.loss, strict=True)]
        # The density of L, tilted, as a function of x.
        self.density = [(value - (p / at.square).log()).exp() for value, p in zip(log_mass, self.share, strict=True)]
        self.upper: list[arb] = []
        lower, variation = [], []
        for k, ((x, y), (p, r)) in enumerate(zip(pairwise(self.edges_at), pairwise(self.share), strict=True)):
            falls, rises = _slopes(x, y, tilt * p, tilt * r, at.square)
            top = (log_mass[k] + width * rises).min(log_mass[k + 1] + width * falls)
            bottom = (log_mass[k] - width * falls).max(log_mass[k + 1] - width * rises)
            self.upper.append(width * top.exp())
            lower.append((width * bottom.exp()).lower())
            falls, rises = _slopes(x + 1, y + 1, (tilt + 1) * p, (tilt + 1) * r, at.square)
            if falls == 0 or rises == 0:
                variation.append(abs(self.density[k + 1] - self.density[k]))
            else:
                top = (self.density[k] * (width * rises).exp()).min(self.density[k + 1] * (width * falls).exp())
                variation.append(width * falls.max(rises) * top)
        # Over all outputs from an edge on: at least this mass, at most this variation with the value at the edge.
        self.mass_from = list(accumulate(reversed(lower), initial=arb(0)))[::-1]
        rest = list(accumulate(reversed(variation), initial=self.density[-1]))[::-1]
        self.variation_from = [value + here for value, here in zip(rest, self.density, strict=True)]
        self.variation = rest[0] + self.density[0]
        # Lemma 4 needs that the density rises up to the first edge.
        start = self.edges_at[0]
        if not (start <= -1 if tilt + 1 >= 0 else (tilt + 1) * self.share[0] - (start + 1) >= 0):
            self.variation = arb.pos_inf()
        self._lower = lower

    @cached_property
    def _floats(self) -> tuple[Floats, ...]:
        """Lower masses and variations from each edge on, upper masses; by height what a path is."""
        paths = [self._path(power) for power in range(HEIGHTS)]
        angles = np.array([_floats(path[1]) for path in paths])
        growth, ends = _floats([path[0].log() for path in paths]), _floats([path[3].log() for path in paths])
        shrinks = np.array([_floats(path[2]) for path in paths])
        known = (_floats(values) for values in (self.mass_from, self.variation_from, self.upper))
        return *known, angles, shrinks, growth, ends

    def decay(self, frequency: arb, mgf: arb) -> arb:
        """Lemma 4: by parts or on a shifted path; from which edge and at which height, a look at floats decides."""
        mass, variation, upper, angles, shrinks, growth, ends = self._floats
        at = float(frequency.mid())
        best = int(np.nan_to_num(mass - variation / at, nan=-np.inf).argmax())
        with np.errstate(all="ignore"):  # at heights where |w|^c is beyond doubles there is no bound
            sizes = np.logaddexp(growth + np.log((np.exp(-at * angles) * shrinks) @ upper), ends)
        height = int(np.nan_to_num(sizes, nan=np.inf).argmin())
        bounds = [
            1 - (self.mass_from[best] - self.variation_from[best] / frequency) / mgf,
            self.variation / (frequency * mgf),
            *(bound / mgf for bound in self._shifted(height, frequency, mgf)),
        ]
        least = arb(1)
        for bound in bounds:
            if bound < least:
                least = bound.upper()
        return least

    def _shifted(self, power: int, frequency: arb, mgf: arb) -> tuple[arb, arb]:
        """|M(c + it)| for t from the frequency on, along the path of the output at a height: from above, from below."""
        growth, angles, shrinks, ends = self._path(power)
        above, gain = arb(0), arb(0)
        for upper, lower, angle, shrink in zip(self.upper, self._lower, angles, shrinks, strict=True):
            share = (-frequency * angle).exp() * shrink
            above += upper * share
            gain += (lower if share < 1 else upper) * (1 - share)
        return growth * above + ends, growth * (mgf - gain) + ends

    def _path(self, power: int) -> tuple[arb, list[arb], list[arb], arb]:
        """For a height: the growth of phi; by cell the least argument of w and the growth of |w|^c; what ends add."""
        if power not in self._paths:
            at = self.at
            height = arb(0.97) * arb.pi() * at.square / 2**power
            angle = height / at.square
            growth = (height * height / (2 * at.square)).exp()
            sine, cosine = angle.sin_cos()
            raised = [at.raised(x) for x in self.edges_at[:-1]]
            angles = [arb.atan2(value * sine, at.rest + value * cosine).lower() for value in raised]
            shrinks = [self._shrink(angle, p, r) for p, r in pairwise(self.share)]
            cut = (at.log_density(self.edges_at[-1]) + self.tilt * self.loss[-1]).exp()
            ends = self.left() * self._shrink(angle, arb(0), self.share[0])
            ends += height * cut * self._shrink(angle, self.share[-1], self.share[-1])
            self._paths[power] = growth, angles, shrinks, growth * ends
        return self._paths[power]

    def _shrink(self, angle: arb, low: arb, high: arb) -> arb:
        """At most this factor is |w|^c larger at an angle than on the real axis, for shares from low to high."""
        if not self.tilt < 0:
            return arb(1)
        spread = 4 * high * (1 - high) if high < 0.5 else 4 * low * (1 - low) if low > 0.5 else arb(1)
        return (self.tilt / 2 * (1 - spread * (angle / 2).sin() ** 2).log()).exp()

    def left(self) -> arb:
        """The mass below the first edge: w^c is at most its value there (c >= 0), or below a tangent's (c < 0)."""
        at, first = self.at, self.edges_at[0]
        slope = self.tilt * self.share[0] if self.tilt < 0 else arb(0)
        power = self.tilt * self.loss[0] + (slope * slope / 2 - slope * first) / at.square
        return power.exp() * tail((slope - first) / at.sigma)

    def edges(self, grid: NodeGrid, frequency: arb) -> arb:
        """Lemma 2: what the four sides of the rectangle let the sum be off."""
        at, height = self.at, arb(grid.height)
        angle = height / at.square
        if not angle < arb.pi():
            return arb.pos_inf()
        growth = (height * height / (2 * at.square)).exp()
        spacing = arb(grid.spacing)
        low, high = spacing * grid.first, spacing * grid.last
        if not (self.edges_at[0] <= low and self.edges_at[-1] >= high):
            return arb.pos_inf()
        total = arb(0)
        for k, mass in enumerate(self.upper):
            if not (self.edges_at[k + 1] <= low or self.edges_at[k] >= high):
                shrink = self._shrink(angle, self.share[k], self.share[k + 1])
                total += mass * (frequency * height * self._turn(self.share[k + 1])).exp() * shrink
        rate = 2 * arb.pi() / spacing
        sides = 2 * total * growth / ((rate * height).exp() - 1)
        for x in (low, high):
            raised = at.raised(x)
            share = raised / (at.rest + raised)
            turn, shrink = self._turn(share), self._shrink(angle, share, share)
            exponent = height * height / (2 * at.square) + (frequency * turn - rate) * height
            sides += 2 * (at.log_density(x) + self.tilt * at.loss(x)).exp() * shrink * height * exponent.max(0).exp()
        return sides

    def _turn(self, share: arb) -> arb:
        """At most this much does the argument of w grow for each unit of height, up to the share."""
        return (share if share <= 0.5 else arb(1)) / self.at.square

    def beyond(self, grid: NodeGrid) -> arb:
        """Lemma 3: the integral of the tilted density outside the rectangle: over cells, and beyond the last ones."""
        low, high = arb(grid.spacing) * grid.first, arb(grid.spacing) * grid.last
        outside = self.left()
        for k, mass in enumerate(self.upper):
            if not (self.edges_at[k] >= low and self.edges_at[k + 1] <= high):
                outside += mass
        return outside


def _floats(values: Sequence[arb]) -> Floats:
    return np.array([float(value.mid()) for value in values])


def _slopes(x: arb, y: arb, p: arb, r: arb, square: arb) -> tuple[arb, arb]:
    """How fast a function with slope (-x + p(x)) / square falls and rises at most, from x to y; p is monotone."""
    rises = (p.max(r) - x) / square
    falls = (y - p.min(r)) / square
    return falls.max(0), rises.max(0)
