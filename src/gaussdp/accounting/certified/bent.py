r"""Tails of few or rarely sampled steps, proved: from contour integrals along hyperbolas that bend to the right.

There the transform of the loss hardly decays along a vertical line, and a sum along one would never end. Along

.. math:: \theta(y) = c + W \sin(\beta + iy)

the factor e^(-theta x) decays, x being the excess of the threshold over the least loss, and the moments of the excesses
stay bounded. In y the integrand is analytic on a strip whose lines are hyperbolas of the same kind, so that the
trapezoid rule errs by a geometrically small share of its integrals there (lemmas 9 to 12 of docs/certified.md).
"""

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass

from gaussdp.accounting.certified.balls import acb, arb, power, precision, widened
from gaussdp.accounting.certified.excess import BOUND_BITS, Excess, far_angle
from gaussdp.accounting.certified.lines import Tails, tails_of
from gaussdp.accounting.certified.proved import Progress, silent
from gaussdp.accounting.certified.steering import Steering, rounded
from gaussdp.accounting.certified.steps import Part
from gaussdp.accounting.certified.witnesses import BentWitness, region
from gaussdp.errors import ConvergenceError


@dataclass(frozen=True)
class BentProofSettings:
    """What is tuned about bent lines."""

    shapes: tuple[tuple[float, float, float], ...] = tuple(
        (angle, 0.85 * angle, width) for angle in (0.33, 0.22, 0.14, 0.08) for width in (2.5, 1.2)
    )
    """Angles of hyperbolas; angles on either side up to which the integrand is bounded; and W, in inverse square roots
    of the curvature of the integrand at the saddle. Wide ones take few nodes, if the integrand stays small there."""
    looks: int = 24  # along a hyperbola, to see how large it gets
    room: float = 0.8  # of the distance to a pole that the strip may take
    margin: float = 10.0  # of all bounds beyond the digits asked for, as a logarithm
    cell: float = 0.06  # of y
    spare: float = 60.0  # by which bounds go farther than the digits asked for at first
    longest: float = 1e200  # cosh of y
    most_nodes: int = 1500  # at some ten milliseconds for each kind of step
    far_too_many: float = 2.0  # times as many by a look at floats, and bounds are not even computed
    most_kinds: int = 60  # of steps, since each adds to the time of every node
    least_share: float = 0.4  # of the excess of a threshold down to which the line through it serves others
    most_share: float = 2.5


SETTINGS = BentProofSettings()


@dataclass(frozen=True)
class _Cell:
    """Bounds on a piece of a hyperbola: its length in y, its least Re theta, and |f| / e^(-theta x) by kernel."""

    length: arb
    real: arb
    sizes: tuple[arb, arb, arb]


class _Hyperbola:
    """theta(y) = centre + width * sin(angle + iy), one of those that fill the strip."""

    def __init__(self, centre: float, width: float, angle: float) -> None:
        self.centre, self.width, self.angle = arb(centre), arb(width), arb(angle)
        self.sin, self.cos = self.angle.sin_cos()

    def at(self, y: arb) -> tuple[acb, acb]:
        """theta and its derivative."""
        sinh, cosh = y.sinh(), y.cosh()
        theta = acb(self.centre + self.width * self.sin * cosh, self.width * self.cos * sinh)
        return theta, acb(self.width * self.sin * sinh, self.width * self.cos * cosh)


class _Bounds:
    """Bounds on the integrand along one hyperbola."""

    def __init__(
        self, curve: _Hyperbola, excesses: Sequence[Excess], squared_mu: arb, last: float, tell: Progress
    ) -> None:
        self._curve, self._excesses, self._squared_mu = curve, excesses, squared_mu
        self._last = arb(last)
        count = max(1, math.ceil(last / SETTINGS.cell))
        self.cells = []
        for k in range(count):
            tell(f"bound {k + 1} of {count}")
            self.cells.append(self._cell(arb(last) / count, k))
        self._far = arb(1)
        for excess in excesses:
            self._far *= excess.far() ** excess.count

    def _cell(self, length: arb, k: int) -> _Cell:
        theta, slope = self._curve.at(length * (k + arb(0.5, 0.5)))
        bound = (self._squared_mu / 2 * (theta * theta - theta)).real.exp().upper() * abs(slope).upper()
        middle = complex(float(theta.real.mid()), float(theta.imag.mid()))
        radius = max(float(theta.real.rad()), float(theta.imag.rad()))
        for excess in self._excesses:
            path = excess.path(middle, 40.0, radius)
            bound *= excess.bound(theta, path) ** excess.count
        to_zero, to_one = 1 / theta.abs_lower(), 1 / (theta - 1).abs_lower()
        return _Cell(length, theta.real.lower(), (bound * to_zero, bound * to_one, bound * to_zero * to_one))

    def integrals(self, x: arb, first: arb, more: arb) -> tuple[arb, ...]:
        """At least the integrals of |f| over y from the first on, by kernel; cells count as if longer by `more`."""
        total = [arb(0)] * 3
        for k, cell in enumerate(self.cells):
            if cell.length * (k + 1) < first:
                continue
            share = (cell.length + more) * (-x * cell.real).exp().upper()
            total = [sum_ + size * share for sum_, size in zip(total, cell.sizes, strict=True)]
        return tuple((sum_ + end).upper() for sum_, end in zip(total, self._end(x, more), strict=True))

    def _end(self, x: arb, more: arb) -> tuple[arb, arb, arb]:
        """The same past the last cell (lemma 11), if the hyperbola leans little enough there."""
        curve, (theta, _) = self._curve, self._curve.at(self._last)
        sinh, coth = self._last.sinh(), 1 / self._last.tanh()
        lean = curve.sin / curve.cos * coth + curve.centre.max(0) / (curve.width * curve.cos * sinh)
        if not (lean <= far_angle().tan() and x > 0 and theta.real > 0):
            return (arb.pos_inf(),) * 3
        size = self._far * coth / curve.cos * (-x * theta.real).exp()
        end = size / (x * curve.width * curve.sin * sinh) + size * more
        return end, end, end / (curve.width * curve.cos * sinh)


@dataclass(frozen=True)
class _Shape:
    """The hyperbolas of a witness, with bounds along them: on the line itself, and on either side of the strip."""

    centre: float
    width: float
    angle: float
    strip: float
    ends: tuple[float, float, float]

    def bounds(self, parts: Sequence[Part], squared_mu: arb, tell: Progress) -> list[_Bounds]:
        with precision(BOUND_BITS):
            excesses = [Excess(part) for part in parts]
            return [
                _Bounds(_Hyperbola(self.centre, self.width, angle), excesses, squared_mu, last, tell)
                for angle, last in zip(
                    (self.angle, self.angle - self.strip, self.angle + self.strip), self.ends, strict=True
                )
            ]


class ProvedBentLine:
    """A hyperbola with its nodes, ready to be read at thresholds; made from a witness in the current precision."""

    region: int
    spacing: arb

    def __init__(
        self,
        squared_mu: arb,
        parts: Sequence[Part],
        witness: BentWitness,
        bounds: list[_Bounds] | None = None,
        tell: Progress = silent,
    ) -> None:
        self.region = region(witness.tilt) or 0
        self.spacing = arb(witness.spacing)
        self._beyond = self.spacing * (witness.nodes - 1)
        excesses = [Excess(part) for part in parts]
        self._least = sum((excess.count * excess.least for excess in excesses), arb(0))
        self._strip = arb(witness.strip)
        shape = _Shape(witness.centre, witness.width, witness.angle, witness.strip, witness.ends)
        self._bounds = bounds or shape.bounds(parts, squared_mu, tell)
        self._check_poles(witness)
        curve = _Hyperbola(witness.centre, witness.width, witness.angle)
        self._thetas: list[acb] = []
        self._terms: tuple[list[acb], ...] = ([], [], [])
        for k in range(witness.nodes):
            tell(f"node {k + 1} of {witness.nodes}")
            theta, slope = curve.at(self.spacing * k)
            value = slope * (squared_mu / 2 * (theta * theta - theta)).exp() * self.spacing / arb.pi()
            value = value / 2 if k == 0 else value
            rough_theta = complex(float(theta.real.mid()), float(theta.imag.mid()))
            for excess in excesses:
                path = excess.path(rough_theta, witness.depth)
                value *= power(excess.value(theta, path, witness.depth), excess.count)
            self._thetas.append(theta)
            for terms, kernel in zip(self._terms, (1 / theta, 1 / (theta - 1), 1 / (theta * (theta - 1))), strict=True):
                terms.append(value * kernel)

    def _check_poles(self, witness: BentWitness) -> None:
        """No pole lies in the strip: all its hyperbolas cross the real axis in the region of this one."""
        for sign in (-1, 1):
            at = arb(witness.centre) + arb(witness.width) * (arb(witness.angle) + sign * self._strip).sin()
            inside = at > 1 if self.region > 0 else at < 0 if self.region < 0 else (at > 0 and at < 1)
            if not inside:
                raise ConvergenceError("no proof: a pole lies in the strip of a bent line")

    def read(self, threshold: float) -> Tails:
        """What is proved at a threshold."""
        x = arb(threshold) - self._least
        if not x > 0:
            raise ConvergenceError("no proof: a bent line serves thresholds above the least loss only")
        waves = [(-theta * x).exp() for theta in self._thetas]
        ratio = 1 / ((2 * arb.pi() * self._strip / self.spacing).exp() - 1)
        with precision(BOUND_BITS):
            beyond = self._bounds[0].integrals(x, self._beyond, self.spacing)
            strips = [bounds.integrals(x, arb(0), arb(0)) for bounds in self._bounds[1:]]
            errors = [
                (tail + (below + above) * ratio) / arb.pi() for tail, below, above in zip(beyond, *strips, strict=True)
            ]
        sums = []
        for terms, error in zip(self._terms, errors, strict=True):
            total = sum((term * wave for term, wave in zip(terms, waves, strict=True)), acb(0))
            sums.append(widened(total.imag, error))
        under_q, under_p, both = sums
        return tails_of(self.region, threshold, under_q, under_p, both, arb(0), arb(0))


class BentPlan:
    """Where a bent line through a threshold stands, with the bounds on its integrand; how deep, is asked for later.

    Raises:
        ConvergenceError: if none is known.
    """

    served: tuple[float, float]
    bounds: list[_Bounds]

    def __init__(
        self, steering: Steering, tilt: float, threshold: float, depth: float, tell: Progress = silent
    ) -> None:
        self._parts, self._squared_mu = steering.parts, arb(steering.squared_mu)
        self._tilt = tilt
        least = math.fsum(part.count * math.log1p(-part.sample_rate) for part in self._parts)
        excess = threshold - least
        if not excess > 0 or len(self._parts) > SETTINGS.most_kinds:
            raise ConvergenceError("no proof: no bent line for the threshold is known")
        self._nearest = excess * SETTINGS.least_share
        self.served = least + self._nearest, least + excess * SETTINGS.most_share
        value, _, variance = steering.cumulants(tilt)
        self._log_scale = value - tilt * threshold  # of the integrand at the saddle
        curvature = variance + tilt**-2 + (tilt - 1) ** -2
        with precision(BOUND_BITS):
            excesses = [Excess(part) for part in self._parts]
            log_far = sum(excess.count * float(excess.far().log().mid()) for excess in excesses)
        needed = depth + SETTINGS.spare + log_far + max(0.0, -self._log_scale)
        shapes = [self._shape_of(*one, curvature, needed) for one in SETTINGS.shapes]
        cost, _, self._shape = min((self._cost(shape, excesses, depth), k, shape) for k, shape in enumerate(shapes))
        if cost > SETTINGS.far_too_many * SETTINGS.most_nodes:
            raise _too_long()
        self.bounds = self._shape.bounds(self._parts, self._squared_mu, tell)

    def _shape_of(self, angle: float, strip: float, width: float, curvature: float, needed: float) -> _Shape:
        """Hyperbolas through the tilt whose strip holds no pole; e^(-theta x) comes down by what is needed."""
        tilt = self._tilt
        sines = [math.sin(angle + side * strip) for side in (0, -1, 1)]
        poles = [-math.inf, 0.0, 1.0, math.inf]
        here = next(k for k in range(3) if poles[k] < tilt < poles[k + 1])
        size = rounded(
            min(
                width / math.sqrt(curvature),
                SETTINGS.room * (tilt - poles[here]) / (sines[0] - sines[1]),
                SETTINGS.room * (poles[here + 1] - tilt) / (sines[2] - sines[0]),
            )
        )
        centre = rounded(tilt - size * sines[0])
        ends = []
        for sine in sines:
            reach = max((needed / self._nearest - min(centre, 0.0)) / (size * sine), 8 * max(centre, size) / size)
            if not reach < SETTINGS.longest:
                raise ConvergenceError("no proof: a bent line would be too long")
            ends.append(rounded(math.acosh(reach)))
        return _Shape(centre, size, angle, strip, (ends[0], ends[1], ends[2]))

    def _cost(self, shape: _Shape, excesses: Sequence[Excess], depth: float) -> float:
        """About the number of nodes that a shape takes, by a look at floats."""
        largest, squared_mu = 0.0, float(self._squared_mu.mid())
        for side, last in ((-1, shape.ends[1]), (1, shape.ends[2])):
            for k in range(SETTINGS.looks):
                turned = cmath.sin(complex(shape.angle + side * shape.strip, last * (k + 0.01) / SETTINGS.looks))
                theta = shape.centre + shape.width * turned
                size = (squared_mu / 2 * (theta * theta - theta)).real - theta.real * self._nearest - self._log_scale
                if size + 40 > largest:
                    try:
                        size += sum(excess.count * excess.log_size(theta) for excess in excesses)
                    except ConvergenceError:
                        return math.inf
                largest = max(largest, size)
        return (depth + largest) / shape.strip * shape.ends[0] / (2 * math.pi)

    def witness(self, depth: float) -> BentWitness:
        """Nodes with which errors are about e^-depth of the integrand at the saddle.

        Raises:
            ConvergenceError: if there would be too many.
        """
        depth += SETTINGS.margin
        x = arb(self._nearest)
        with precision(BOUND_BITS):
            scale = arb(self._log_scale).exp()
            sides = [bounds.integrals(x, arb(0), arb(0))[0] for bounds in self.bounds[1:]]
            grown = ((sides[0] + sides[1]) / scale).log()
            own, last = self.bounds[0], 0.0
            small, left = scale * (-arb(depth)).exp(), own.integrals(x, arb(10**6), arb(0))[0]
            for k in reversed(range(len(own.cells))):
                left += own.cells[k].sizes[0] * own.cells[k].length * (-x * own.cells[k].real).exp()
                if not left < small:
                    last = float((own.cells[k].length * (k + 1)).mid())
                    break
        if not (grown.is_finite() and left.is_finite()):
            raise ConvergenceError("no proof: the moments of a step cannot be bounded along a bent line")
        depth += max(float(grown.mid()), 0.0)
        spacing = rounded(2 * math.pi * self._shape.strip / depth)
        nodes = math.ceil(last / spacing) + 2
        if nodes > SETTINGS.most_nodes:
            raise _too_long()
        count = math.log2(sum(part.count for part in self._parts))
        bits = 64 + math.ceil((depth + max(0.0, -self._log_scale)) / math.log(2) + count)
        shape = self._shape
        return BentWitness(
            self._tilt, shape.centre, shape.width, shape.angle, shape.strip, spacing, nodes, shape.ends, depth, bits
        )


def _too_long() -> ConvergenceError:
    return ConvergenceError(
        "no proof: the transform of so few or so rarely sampled steps decays too slowly; bent lines would take too long"
    )
