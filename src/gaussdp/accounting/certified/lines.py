r"""Tails of a composed loss from one contour integral, proved: nodes, images and what lies beyond the last node.

On the line Re z = c the trapezoid sum with spacing h of :math:`M(z) e^{-z\tau} / z` (or with another kernel) is a sum
of images, those of the thresholds :math:`\tau + 2 \pi m / h`, which Chernoff's bound at a tilt on either side makes
small (lemma 5); the terms beyond the last node are bounded by the decay of the steps' transforms (lemma 6).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gaussdp.accounting.certified.balls import acb, acb_mat, arb, ball, power, probability, widened
from gaussdp.accounting.certified.proved import Progress, silent
from gaussdp.accounting.certified.steering import Steering, rounded
from gaussdp.accounting.certified.steps import Part, ProvedStep
from gaussdp.accounting.certified.witnesses import POLES, Beside, LineWitness, StepWitness, region, work_of
from gaussdp.errors import ConvergenceError


@dataclass(frozen=True)
class ProofSettings:
    """What is tuned about lines."""

    first_block: int = 24  # nodes for which one grid is chosen; every further block has as many as all before it
    most_work: float = 6e7  # nodes of a line times nodes of its grids, at 1e-7 s each
    margin: float = (
        8.0  # beyond the digits asked for: the integral is that much smaller than its bounds, as a logarithm
    )
    negligible: float = 1e-100  # sum of all terms beyond a frequency at which doubling ends
    doublings: int = 400  # of the frequency until the bound that holds to infinity is small


SETTINGS = ProofSettings()


def plan_line(
    steering: Steering, tilt: float, thresholds: tuple[float, float], depth: float, *, spare: bool = False
) -> LineWitness:
    """A line that serves all thresholds from the first to the second, to a relative error of about e^-depth.

    If so told, tilts beside it spare outputs that are cut off.

    Raises:
        ConvergenceError: if it would take too long.
    """
    depth += SETTINGS.margin
    below, above, period = steering.images(tilt, thresholds, depth, spare=spare)
    if not 0 < period < math.inf:
        raise ConvergenceError("no proof: the images of a line cannot be bounded")
    spacing = rounded(2 * math.pi / period)
    shapes, frequency = steering.grids(tilt, spacing, depth)
    last = math.ceil(frequency / spacing) + 1
    if last * min(shape.grid(0.0).last - shape.grid(0.0).first for shape in shapes) > SETTINGS.most_work:
        raise _too_long()
    blocks = [min(SETTINGS.first_block, last)]
    while blocks[-1] < last:
        blocks.append(min(2 * blocks[-1], last))
    steps = tuple(
        StepWitness(shape.table, tuple(shape.grid(spacing * (stop - 1)) for stop in blocks)) for shape in shapes
    )
    if work_of(blocks, steps) > SETTINGS.most_work:
        raise _too_long()

    def real(at: float) -> Beside:
        beside = steering.shapes(at, depth)
        return Beside(at, tuple(StepWitness(shape.table, (shape.grid(0.0),)) for shape in beside))

    heaviest = max((part.count for part in steering.parts), default=1)
    bits = 64 + math.ceil(depth / math.log(2) + math.log2(heaviest))
    return LineWitness(tilt, spacing, tuple(blocks), steps, real(below), real(above), bits)


def _too_long() -> ConvergenceError:
    return ConvergenceError("no proof: the line would take too long, since the transform decays too slowly")


@dataclass(frozen=True)
class Tails:
    """What is proved at one threshold on the loss L, in balls.

    fpr = Q(L > tau), tnr, fnr = P(L <= tau), tpr; `remove` = E_Q[(e^L - e^tau)+], `add` = e^-tau E_Q[(e^tau - e^L)+].
    """

    threshold: float
    fpr: arb
    tnr: arb
    fnr: arb
    tpr: arb
    remove: arb
    add: arb

    def rates(self) -> tuple[arb, ...]:
        """The six, each of which lies in [0, 1]."""
        return tuple(map(probability, (self.fpr, self.tnr, self.fnr, self.tpr, self.remove, self.add)))

    def least_digits(self, region: int) -> float:
        """Of what a line in a region is for: the tails above, those below, or one of either."""
        mine = {1: (self.fpr, self.tpr, self.remove), 0: (self.fpr, self.fnr), -1: (self.tnr, self.fnr, self.add)}
        return min(max(one.rel_accuracy_bits(), 0) for one in mine[region]) * math.log10(2)


class ProvedLine:
    """A line with its nodes, ready to be read at thresholds; made from a witness in the current precision."""

    tilt: arb
    spacing: arb
    region: int

    def __init__(self, squared_mu: arb, parts: Sequence[Part], witness: LineWitness, tell: Progress = silent) -> None:
        self.tilt, self.spacing = arb(witness.tilt), arb(witness.spacing)
        self.region = region(witness.tilt) or 0
        self._squared_mu, self._parts = squared_mu, tuple(parts)
        tilt = witness.tilt
        steps = [ProvedStep(part, tilt, step.table) for part, step in zip(parts, witness.steps, strict=True)]
        values = [acb(1)] * witness.blocks[-1]
        self._mgfs: list[arb] = []
        for part, step, own in zip(parts, steps, witness.steps, strict=True):
            known: list[acb] = []
            for stop, grid in zip(witness.blocks, own.grids, strict=True):
                tell(f"nodes up to {stop} of {witness.blocks[-1]}")
                known += step.transforms(grid, len(known), stop, witness.spacing)
            mgf = known[0].real
            if not mgf > 0:
                raise ConvergenceError("no proof: a grid is too coarse")
            self._mgfs.append(mgf)
            values = [value * power(one / mgf, part.count) for value, one in zip(values, known, strict=True)]
        self._log_mgf = self._log_at(tilt, self._mgfs)
        for k in range(len(values)):
            t = self.spacing * k
            values[k] *= acb(-squared_mu * t * t / 2, squared_mu * t * (self.tilt - arb(0.5))).exp()
            values[k] *= self.spacing / arb.pi() / (2 if k == 0 else 1)
        self._width = math.isqrt(len(values)) + 1
        self._rows = -(-len(values) // self._width)
        values += [acb(0)] * (self._rows * self._width - len(values))
        nodes = [acb(self.tilt, self.spacing * k) for k in range(len(values))]
        kernels = ([1 / z for z in nodes], [1 / (z - 1) for z in nodes], [1 / (z * (z - 1)) for z in nodes])
        terms = [value * factor for kernel in kernels for value, factor in zip(values, kernel, strict=True)]
        self._terms = acb_mat(3 * self._rows, self._width, terms)
        self._beyond = self._tail(steps, self.spacing * (witness.blocks[-1] - 1)) / arb.pi()
        lost = [step.cut_off() for step in steps]
        self._lost_q, self._lost_p = (
            sum((part.count * one[under] for part, one in zip(parts, lost, strict=True)), arb(0)) for under in (0, 1)
        )
        self._images = [self._beside(beside, sign) for sign, beside in ((-1, witness.below), (1, witness.above))]

    def _log_at(self, tilt: float, mgfs: Sequence[arb]) -> arb:
        """K at a real tilt."""
        at = arb(tilt)
        total = self._squared_mu * at * (at - 1) / 2
        for part, mgf in zip(self._parts, mgfs, strict=True):
            total += part.count * mgf.log()
        return total

    def _beside(self, beside: Beside, side: int) -> tuple[arb, arb, arb]:
        """A tilt below or above the line with no pole between, how far it is from the line, and a bound on K there."""
        (least, most), shift = POLES[self.region], side * (arb(beside.tilt) - self.tilt)
        if not (least <= beside.tilt <= most and shift > 0):
            raise ConvergenceError("no proof: a pole lies between a line and a tilt beside it")
        mgfs = []
        for part, own in zip(self._parts, beside.steps, strict=True):
            step = ProvedStep(part, beside.tilt, own.table)
            mgfs.append(step.transforms(own.grids[0], 0, 1, 0.0)[0].real.upper())
        return arb(beside.tilt), shift, self._log_at(beside.tilt, mgfs)

    def _tail(self, steps: Sequence[ProvedStep], frequency: arb) -> arb:
        """Lemma 6: the sum of spacing * |F(t)| / t over all nodes t beyond the frequency."""
        total = arb(0)
        far = [step.far_decay(mgf) for step, mgf in zip(steps, self._mgfs, strict=True)]
        for _ in range(SETTINGS.doublings):
            gaussian = self._squared_mu * frequency * frequency / 2
            final, count = (-gaussian).exp(), 0
            for part, v in zip(self._parts, far, strict=True):
                if v < frequency:
                    final *= (v / frequency) ** part.count
                    count += part.count
            final /= count + 2 * gaussian  # infinite where nothing decays yet
            if final < SETTINGS.negligible or final < total / 1024:
                return total + final
            bound = (-gaussian).exp()
            for part, step, mgf in zip(self._parts, steps, self._mgfs, strict=True):
                bound *= step.decay(frequency, mgf) ** part.count
            total += bound * arb(2).log()
            frequency = 2 * frequency
        return arb.pos_inf()

    def _sums(self, tau: arb) -> Iterator[arb]:
        """The trapezoid sums with the three kernels: rows of a matrix, each turned by as much as its first node."""
        turns = [acb(0, -self.spacing * tau * k).exp() for k in range(self._width)]
        sums = (self._terms * acb_mat(self._width, 1, turns)).entries()
        for kernel in range(3):
            total = arb(0)
            for row in range(self._rows):
                turn = acb(0, -self.spacing * tau * (row * self._width)).exp()
                total += (turn * sums[kernel * self._rows + row]).real
            yield total

    def read(self, threshold: float) -> Tails:
        """What is proved at a threshold."""
        tau = arb(threshold)
        log_scale = self._log_mgf - self.tilt * tau
        error = self._beyond
        period = 2 * arb.pi() / self.spacing
        for beside, shift, log_mgf in self._images:
            ratio = (-shift * period).exp()
            error += (log_mgf - beside * tau - log_scale).exp() * ratio / (1 - ratio)
        # 1 / |z (z - 1)| is at most 1 / t where |c| or |1 - c| exceeds 1, and at most 2 / t between the poles.
        errors = error, error, error + self._beyond if self.region == 0 else error
        under_q, under_p, both = (
            widened(total, wrong) * log_scale.exp() for total, wrong in zip(self._sums(tau), errors, strict=True)
        )
        return tails_of(self.region, threshold, under_q, under_p, both, self._lost_q, self._lost_p)


def tails_of(region: int, threshold: float, under_q: arb, under_p: arb, both: arb, lost_q: arb, lost_p: arb) -> Tails:
    """The tails from the integrals with the three kernels over a line in a region, and what was left out of them."""
    grown = arb(threshold).exp()
    under_p, both = under_p * grown, both * grown
    if region > 0:
        fpr, tpr, remove = _more(under_q, lost_q), _more(under_p, lost_p), _more(both, lost_p)
        return Tails(threshold, fpr, 1 - fpr, 1 - tpr, tpr, remove, (remove - 1) / grown + 1)
    if region == 0:
        fpr, fnr, rest = _more(under_q, lost_q), _more(-under_p, lost_p), _more(-both, lost_p)
        return Tails(threshold, fpr, 1 - fpr, fnr, 1 - fnr, 1 - rest, 1 - rest / grown)
    tnr, fnr, add = _more(-under_q, lost_q), _more(-under_p, lost_p), _more(both / grown, lost_q)
    return Tails(threshold, 1 - tnr, tnr, fnr, 1 - fnr, add * grown + 1 - grown, add)


def _more(value: arb, lost: arb) -> arb:
    """A tail from which outputs of at most this probability were left out."""
    return value + ball(arb(0), lost.upper())
