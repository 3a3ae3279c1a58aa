"""The accounted guarantee: exact tails of the privacy loss, seen as a trade-off curve."""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gaussdp.accounting.composed import ComposedTails
from gaussdp.accounting.directions import ROUNDING, Direction, RateBounds, SymmetricTails
from gaussdp.accounting.distribution.curve import DistributionCurve, distribution_of
from gaussdp.accounting.enclosed.curve import EnclosedCurve, relative, touched
from gaussdp.accounting.fit.tightest import fit_tails
from gaussdp.accounting.fitted import DEFAULT_FLOOR, Fit, exact_fit
from gaussdp.accounting.loss.closed_forms import GaussianTails, OneExchangeTails, OneStepTails, OneUnitTails
from gaussdp.accounting.loss.mixtures import ExchangedLoss, MixtureLoss
from gaussdp.accounting.loss.steps import SampledGaussianLoss, StepLoss
from gaussdp.accounting.loss.vanishing import NEXT_TO_ONE
from gaussdp.accounting.operating_points import LossTails, bounds_on_errors
from gaussdp.accounting.plain_gaussians import mu_of_plain
from gaussdp.accounting.read_curve import ReadCurve
from gaussdp.accounting.readings import Method, NothingLost, Readable, Values, reaching
from gaussdp.documents import Document
from gaussdp.domains import LEVEL, NON_NEGATIVE, PROBABILITY, instance, number, yes_or_no
from gaussdp.errors import ConvergenceError, DomainError, MissingExtraError
from gaussdp.guarantees import GDP, Guarantee
from gaussdp.guarantees.base import Numbers, of_tpr, speaking_about
from gaussdp.mechanisms import (
    Adjacency,
    Gaussian,
    Mechanism,
    MixtureOfGaussians,
    PoissonSampled,
    SampledExchange,
    ZCDPGaussian,
)
from gaussdp.numerics import Booleans, Floats

if TYPE_CHECKING:
    from gaussdp.accounting.certified.certificate import Certificate

_TIGHT = 5e-3  # relative width of an enclosure that a distribution, which takes seconds, need not narrow
_NEXT_TO_NOTHING = 1e-13  # width of one of which a distribution knows nothing


class AccountedCurve(ReadCurve, Guarantee):
    r"""The guarantee of a composition under its adjacency, exact into the tails.

    Both directions of add/remove share one privacy loss. The guarantee is their symmetrisation (Dong, Roth & Su 2022,
    Appendix F): the lower of the two trade-off curves up to the point of slope -1, the segment of slope -1 to its
    mirror image, and the mirror image beyond; its :math:`\delta(\varepsilon)` is the larger of the two.

    Values state a relative error below 1e-9 (mostly below 1e-11), as deep into the tails as they are asked for: a bound
    or an estimate, as the `error_kind` of their `reading` tells; `certify` proves them. A value
    that cannot be had so is enclosed between proved bounds, or comes from a pessimistic privacy loss distribution where
    that is tighter; the others in the same array stay exact, and `reading` tells the method and the error of each. The
    two directions by name, `remove` and `add`, raise ConvergenceError there. The same question always has the same
    answer, to the last bit.

    Made by `account`.

    Reference: Dong, Roth & Su (2022), Section 3; docs/numerics.md for the tails.

    >>> from gaussdp.accounting import account
    >>> from gaussdp.mechanisms import DPSGD
    >>> curve = account(DPSGD(noise_multiplier=0.5, sample_rate=0.002, steps=10_000))
    >>> curve.delta(6.07)
    0.00057761...
    >>> curve.reading.delta(6.07).method
    line
    """

    title = "Accounted guarantee"
    short = "accounted curve"
    _epsilons_asked = NON_NEGATIVE

    mechanism: Mechanism
    tails: LossTails

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        squares, steps, unsampled = _sorted_parts(list(mechanism.parts()))
        self._unsampled_mu = math.sqrt(math.fsum(squares + unsampled))
        self._gaussian = not steps
        self.tails = _tails(math.fsum(squares), steps, self._unsampled_mu)
        self._touched = math.inf if squares else touched(steps)
        self._symmetric = isinstance(self.tails, SymmetricTails)
        inner = self.tails.inner if isinstance(self.tails, SymmetricTails) else self.tails
        self._composed = inner if isinstance(inner, ComposedTails) else None
        self._fits: dict[float, Fit] = {}

    @property
    def adjacency(self) -> Adjacency:
        """That of the mechanism."""
        return self.mechanism.adjacency

    @staticmethod
    def covers(mechanism: Mechanism) -> bool:
        """Whether the mechanism is a composition of plain and sampled Gaussian releases."""
        kinds = Gaussian | ZCDPGaussian | PoissonSampled | MixtureOfGaussians | SampledExchange
        described = instance("mechanism", mechanism, Mechanism, "a mechanism")
        return all(issubclass(kind, kinds) for kind in {type(part) for part, _ in described.parts()})

    def _describe(self) -> tuple[object, ...]:
        return (self.mechanism,)

    @cached_property
    def enclosed(self) -> EnclosedCurve:
        """The same composition from proved bounds: at once, whatever its size, and less tight where losses are small.

        Only for compositions with sampled steps; others are known exactly.
        """
        squares, steps, unsampled = _sorted_parts(list(self.mechanism.parts()))
        below = self._least.enclosed if isinstance(self._least, AccountedCurve) else None
        return speaking_about(EnclosedCurve(math.fsum(squares), steps, unsampled, below), self.adjacency)

    @cached_property
    def by_distribution(self) -> DistributionCurve:
        """The same composition through a pessimistic privacy loss distribution: sound, less tight, never exact."""
        return distribution_of(self.mechanism)

    @cached_property
    def _least(self) -> Readable | None:
        """What surely loses no more, for lower ends, where a parameter is known as a bound; None elsewhere."""
        least = self.mechanism.least
        if least is self.mechanism:
            return None
        return AccountedCurve(least) if least is not None and self.covers(least) else NothingLost()

    @cached_property
    def remove(self) -> Direction:
        """The direction of removing a record: P with the record, Q without."""
        least = self._least.remove if isinstance(self._least, AccountedCurve) else self._least
        return Direction(self.tails, remove=True, least=least)

    @cached_property
    def add(self) -> Direction:
        """The direction of adding a record: P without the record, Q with it."""
        least = self._least.add if isinstance(self._least, AccountedCurve) else self._least
        return Direction(self.tails, remove=False, least=least)

    @of_tpr
    def fpr(self, tpr: Numbers) -> Numbers:
        """The least false-positive rate at this true-positive rate (recall)."""
        return self._read("fpr", tpr=(tpr, PROBABILITY))

    def document(self) -> Document:
        """The fitted mu beside what is read off the curve."""
        return self.fit().beside(super().document())

    def implied(self) -> GDP:
        """The GDP guarantee that holds for every attack: that of the same releases without sampling.

        As the FPR tends to 0 the sampled mechanism is no better; `fit` gives the far smaller mu above a floor.
        """
        return speaking_about(GDP(mu_of_plain(self.mechanism.parts())[1]), self.adjacency)

    def certify(
        self,
        floor: float | None = DEFAULT_FLOOR,
        *,
        epsilons: Sequence[float] = (),
        deltas: Sequence[float] = (),
        fprs: Sequence[float] = (),
        progress: Callable[[str], None] | None = None,
        seconds: float | None = None,
    ) -> "Certificate":
        """Prove mu above a floor, delta at epsilons, epsilon at deltas and FNR at FPRs, by ball arithmetic.

        Args:
            floor: smallest error rate of the attacks that mu speaks about, in (0, 1); None for no mu.
            epsilons: at which to enclose delta.
            deltas: at which to enclose epsilon.
            fprs: at which to enclose the FNR of either direction.
            progress: told what is being done.
            seconds: after which the search for a proof ends; ten minutes if None.
        Returns:
            Proved enclosures, with all that is needed to prove them again.
        Raises:
            ConvergenceError: if no proof is known, or none was found in time; docs/certified.md says for which runs.
            MissingExtraError: if python-flint is not installed.

        >>> from gaussdp.accounting import account
        >>> from gaussdp.mechanisms import DPSGD
        >>> proved = account(DPSGD(noise_multiplier=1.0, sample_rate=0.00512, steps=20_000)).certify(floor=1e-10)
        >>> proved.mu.lower, proved.mu.upper
        (0.98019652950407..., 0.98019652950407...)
        """
        from gaussdp.accounting.certified.proving import MOST_SECONDS, certify  # only proofs need its library

        limit = MOST_SECONDS if seconds is None else seconds
        return certify(self.mechanism, floor, epsilons, deltas, fprs, progress, limit)

    def fit(self, floor: float = DEFAULT_FLOOR, *, certified: bool = False) -> Fit:
        """The tightest GDP guarantee for all attacks whose FPR and FNR are at least the floor.

        A composition of plain Gaussian releases is exactly GDP: its fit holds for every attack, and says so by floor 0.

        Args:
            floor: smallest error rate of the attacks that the fit speaks about, in (0, 1).
            certified: whether mu and its enclosure are to be proved; the certificate is then part of the fit.
        Returns:
            mu with its enclosure and its methods, where it binds, its slack and its regret.

        >>> from gaussdp.accounting import account
        >>> from gaussdp.mechanisms import DPSGD
        >>> round(account(DPSGD(noise_multiplier=0.5, sample_rate=0.002, steps=10_000)).fit().mu, 6)
        1.893517
        """
        level = number("floor", floor, LEVEL)
        if yes_or_no("certified", certified):
            return self.fit(level).proved(self.certify(level))
        if self._gaussian:
            return self._as_known(exact_fit(*mu_of_plain(self.mechanism.parts())), level)
        if level not in self._fits:
            try:
                with np.errstate(all="ignore"):
                    fit = fit_tails(self.tails, level)
            except (ConvergenceError, OverflowError):  # the latter: losses of tiny noise beyond the range of a double
                fit = self._bounded_fit(level)
            self._fits[level] = self._as_known(fit, level)
        return self._fits[level]

    def _as_known(self, fit: Fit, floor: float) -> Fit:
        """The fit for these neighbours, with the lower end of what surely loses no more."""
        known = replace(fit, adjacency=self.adjacency)
        if self._least is None:
            return known
        lower = 0.0
        if isinstance(self._least, AccountedCurve):
            with suppress(DomainError):  # it may leave no attack to speak about
                lower = min(self._least.fit(floor).mu_lower, fit.mu)
        return replace(known, mu_lower=lower)

    def values(self, name: str, levels: Floats) -> Values:
        """The reading of this name at each level, from bounds where no exact method answers."""
        read = self._answered(name, levels)
        missing = ~read.answered | ~(read.error < math.inf)  # a method that claims nothing has no answer
        if missing.any():
            read.put(missing, self._bounded(name, levels[missing]))
        return read if self._least is None else reaching(self._least, read, name, levels)

    def _delta_bounds(self, epsilon: Floats) -> Floats:
        """Bounds on the relative errors of delta: of the direction that surely has the larger one, or of both."""
        values, bounds = self.remove.deltas(epsilon), self.remove._delta_bounds(epsilon)
        with np.errstate(divide="ignore"):
            at_least = np.log(values.value) + np.log1p(-np.minimum(bounds, 1.0))
        open_ = np.flatnonzero(~self._adding_costs_less(epsilon, at_least))
        if open_.size:
            mine, add = values.value[open_], self.add.deltas(epsilon[open_]).value
            off, other = bounds[open_] * mine, self.add._delta_bounds(epsilon[open_]) * add
            either = np.where(mine - off >= add + other, off, np.where(add - other >= mine + off, other, np.inf))
            bounds[open_] = np.minimum(either, np.maximum(off, other)) / np.maximum(mine, add)
        return bounds

    def _rate_bounds(self, name: str, levels: Floats) -> tuple[Floats, Floats]:
        """As `_rates` finds the rates: those of removal where adding surely costs less, or the smaller of both."""
        fpr, tnr = (1 - levels, levels) if name == "fpr" else (levels, 1 - levels)
        logs = _logarithms(fpr, tnr)
        bounds = self.remove.rate_bounds(*logs)
        open_ = np.flatnonzero(~self._adding_costs_less(bounds.tau, bounds.log_delta))
        if open_.size:
            mine, add = bounds.take(open_), self.add.rate_bounds(*(log[open_] for log in logs))
            bounds.put(open_, self._symmetric_bounds(fpr[open_], mine.with_smaller_fnr(add)))
        return bounds.named(name)

    def _symmetric_bounds(self, fpr: Floats, bounds: RateBounds) -> RateBounds:
        """Bounds off the segment of slope -1, replaced by those on it, or by none next to its ends."""
        point = self.tails.read(np.zeros(1))
        error = float(bounds_on_errors(self.tails, point)[0])
        low, high = sorted((math.exp(point.log_fpr[0]), math.exp(point.log_fnr[0])))
        off = error * (low + high)
        straight = low + high - fpr
        inside = (fpr >= low + off) & (fpr <= high - off)
        near = ~(inside | (fpr < low - off) | (fpr > high + off))
        on_it = RateBounds.around(
            bounds.tau,
            bounds.log_delta,
            (straight - off, straight + off),
            (1 - straight - off, 1 - straight + off),
        )
        bounds.put(inside, on_it.take(inside))
        bounds.put(near, RateBounds.unknown(int(near.sum())))
        return bounds

    def _answered(self, name: str, levels: Floats) -> Values:
        """What exact methods answer; what ends a search for one level leaves the others alone."""
        try:
            return self._exactly(name, levels)
        except (ConvergenceError, OverflowError):  # not even the bulk of the loss, where searches start, is known
            if levels.size == 1:
                return Values.unanswered(1)
            half = levels.size // 2
            return Values.joined((self._answered(name, levels[:half]), self._answered(name, levels[half:])))

    def _bounded(self, name: str, levels: Floats) -> Values:
        """The reading from proved bounds; where they are wide, from a distribution if that is tighter."""
        safe, other = self.enclosed.ends(name, levels)
        method = np.full(levels.size, Method.ENCLOSURE, np.int8)
        gap = np.abs(safe - other)
        for index in np.flatnonzero((gap > _TIGHT * safe) & (gap > _NEXT_TO_NOTHING)):
            try:
                value = float(self.by_distribution.values(name, levels[index : index + 1]).value[0])
            except (ConvergenceError, DomainError, MissingExtraError):
                continue  # too large, or below its noise floor
            if abs(value - other[index]) < gap[index]:
                safe[index], method[index] = value, Method.DISTRIBUTION
        return Values(safe, relative(safe, other), method)

    def _bounded_fit(self, floor: float) -> Fit:
        """The fit of the proved bounds, or that of a distribution if it is tighter."""
        try:
            enclosed = self.enclosed.fit(floor)
        except DomainError:  # by these bounds the floor may leave no attack to speak about
            if not self.enclosed.surely_ends_above(floor):
                with suppress(ConvergenceError, DomainError, MissingExtraError):
                    return self.by_distribution.fit(floor)
            raise
        if enclosed.error <= _TIGHT or enclosed.mu <= _NEXT_TO_NOTHING:
            return enclosed
        try:
            other = self.by_distribution.fit(floor)
        except (ConvergenceError, DomainError, MissingExtraError):
            return enclosed
        best = min(enclosed, other, key=lambda fit: fit.mu)
        return replace(best, mu_lower=min(max(enclosed.mu_lower, other.mu_lower), best.mu))

    def _exactly(self, name: str, levels: Floats) -> Values:
        if name == "delta":
            return self._deltas(levels)
        if name == "epsilon":
            return self._epsilons(levels)
        if name == "fpr":
            # The curve is symmetric: the least FPR at an FNR is the least FNR at an FPR.
            return self._rates(1 - levels, levels)[0]
        if name == "tpr" and self._composed and self._composed.large_losses:
            with np.errstate(divide="ignore"):
                told = (levels > 0) & self._composed.parted.surely_told_nearly(np.log(levels))
            if told.any():
                read = Values.of(np.ones(levels.size), Method.VANISHING, NEXT_TO_ONE)
                if not told.all():
                    read.put(~told, self._rates(levels[~told], 1 - levels[~told])[1])
                return read
        return self._rates(levels, 1 - levels)[name == "tpr"]

    def _adding_costs_less(self, epsilon: Floats, log_delta: Floats) -> Booleans:
        """Where the profile of adding a record surely lies below a delta, so that it need not be computed."""
        if self._symmetric or self._composed is None:  # both are the same, or nothing is known
            return np.full(epsilon.size, self._symmetric)
        return self._composed.adding_costs_less(epsilon, log_delta)

    def _deltas(self, epsilons: Floats) -> Values:
        """The larger delta of the two directions."""
        if self._composed and self._composed.large_losses:
            ones = self._composed.parted.surely_one(epsilons)
            if ones.any():
                read = Values.of(np.ones(epsilons.size), Method.VANISHING, NEXT_TO_ONE)
                if not ones.all():
                    read.put(~ones, self._deltas(epsilons[~ones]))
                return read
        remove = self.remove.deltas(epsilons)
        with np.errstate(divide="ignore"):
            at_least = np.log(remove.value) + np.log1p(-np.minimum(remove.error, 1.0))
        open_ = np.flatnonzero(~(remove.answered & self._adding_costs_less(epsilons, at_least)))
        if open_.size:
            mine, add = remove.take(open_), self.add.deltas(epsilons[open_])
            remove.put(open_, mine.where(mine.value >= add.value, add))
        return remove

    def _epsilons(self, deltas: Floats) -> Values:
        """The larger epsilon of the two directions."""
        none = deltas >= self._touched
        if none.any():  # the profile is no larger at 0
            read = Values.of(np.zeros(deltas.size), Method.CLOSED_FORM, 0.0)
            if not none.all():
                read.put(~none, self._epsilons(deltas[~none]))
            return read
        remove = self.remove.epsilons(deltas)
        # Adding a record costs no more than minus the least loss.
        least = remove.answered & (remove.value >= -self.tails.lowest)
        if not least.all():
            with np.errstate(divide="ignore"):
                least |= remove.answered & self._adding_costs_less(remove.value, np.log(deltas))
        asked = np.flatnonzero(~least & remove.answered & (remove.value > 0) & np.isfinite(remove.value))
        if asked.size:  # one reading tells whether adding costs less, and how much it costs takes several
            there = self.add.deltas(remove.value[asked])
            least[asked] = there.answered & (there.value * (1 + there.error) < deltas[asked])
        open_ = np.flatnonzero(~least)
        if open_.size:
            mine = remove.take(open_)
            add = self.add.epsilons(deltas[open_])
            remove.put(open_, mine.where(mine.value >= add.value, add))
        return remove

    @cached_property
    def _corner(self) -> tuple[float, float, Values]:
        """FPR and FNR where the slope is -1, the smaller first; and the reading that they come from."""
        point = self.tails.read(np.zeros(1))
        fpr, fnr = math.exp(point.log_fpr[0]), math.exp(point.log_fnr[0])
        return min(fpr, fnr), max(fpr, fnr), Values(point.tau, point.errors, point.methods)

    def _rates(self, fpr: Floats, tnr: Floats) -> tuple[Values, Values]:
        """FNR and TPR at an FPR, given with its complement so that both keep their digits.

        Where adding a record has the smaller profile at the slope with which the curve of removal passes, that is the
        curve: it lies above its tangents, and below either direction.
        """
        log_fpr, log_tnr = _logarithms(fpr, tnr)
        fnr, tpr = Values.unanswered(fpr.size), Values.unanswered(fpr.size)
        untouched = (fpr > 0) & (tnr > 0) & (self._touched <= _NEXT_TO_NOTHING * np.minimum(fpr, tnr))
        for values, guessed, off in ((fnr, tnr, -self._touched), (tpr, fpr, self._touched)):
            near = guessed[untouched]
            error = self._touched / near + NEXT_TO_ONE
            values.put(untouched, Values(near + off, error, np.full(near.size, Method.CLOSED_FORM, np.int8)))
        if self._composed and self._composed.large_losses:
            told = (fpr > 0) & ~untouched & self._composed.parted.surely_told(log_fpr)
            for values, rate in ((fnr, 0.0), (tpr, 1.0)):
                values.put(told, Values.of(np.full(np.count_nonzero(told), rate), Method.VANISHING, 0.0))
        inside = np.flatnonzero((fpr > 0) & (fpr < tnr) & ~fnr.answered)
        if inside.size and (self._composed or self._symmetric):
            points = self.remove.points(log_fpr[inside], log_tnr[inside])
            sure = points.answered & self._adding_costs_less(points.tau, points.log_delta_remove - points.errors)
            found = self.remove.rates_at(points.take(sure), log_fpr[inside[sure]])  # the FPR is the smaller side here
            fnr.put(inside[sure], found[0])
            tpr.put(inside[sure], found[1])
        open_ = np.flatnonzero(~fnr.answered)
        if open_.size:
            found = self._symmetric_rates(fpr[open_], log_fpr[open_], log_tnr[open_])
            fnr.put(open_, found[0])
            tpr.put(open_, found[1])
        return fnr, tpr

    def _symmetric_rates(self, fpr: Floats, log_fpr: Floats, log_tnr: Floats) -> tuple[Values, Values]:
        """The same from both directions, and between the points of slope -1 the segment."""
        low, high, corner = self._corner
        straight = low + high - fpr  # on the segment of slope -1
        # Its error is that of the two rates at the corner, and rounding.
        error = float(corner.error[0]) * (low + high)
        fnr, tpr = (
            Values(rate, error / np.abs(rate) + ROUNDING, np.full(rate.size, corner.method[0]))
            for rate in (straight, 1 - straight)
        )
        off = (fpr < low) | (fpr > high)
        if off.any():
            remove, add = self.remove.rates(log_fpr[off], log_tnr[off]), self.add.rates(log_fpr[off], log_tnr[off])
            fnr.put(off, remove[0].where(remove[0].value <= add[0].value, add[0]))
            tpr.put(off, remove[1].where(remove[1].value >= add[1].value, add[1]))
        return fnr, tpr


def _logarithms(fpr: Floats, tnr: Floats) -> tuple[Floats, Floats]:
    """Of an FPR and its complement, each from whichever has the digits."""
    with np.errstate(divide="ignore"):
        log_fpr = np.where(fpr < tnr, np.log(fpr), np.log1p(-tnr))
        log_tnr = np.where(fpr < tnr, np.log1p(-fpr), np.log(tnr))
    return log_fpr, log_tnr


def _sorted_parts(
    parts: Sequence[tuple[Mechanism, int]],
) -> tuple[list[float], list[tuple[StepLoss, int]], list[float]]:
    """The squared mu of plain releases; the sampled steps; and the squared mu of these without sampling."""
    squares, unsampled = [], []
    steps: list[tuple[StepLoss, int]] = []
    for part, count in parts:
        if isinstance(part, PoissonSampled):
            noise = part.mechanism.noise_multiplier
            steps.append((SampledGaussianLoss(noise, part.sample_rate), count))
            unsampled.append(count / (noise * noise))
        elif isinstance(part, MixtureOfGaussians):
            if part.sure:
                squares.append(count * part.unsampled_mu**2)
            else:
                steps.append((MixtureLoss.of(part), count))
                unsampled.append(count * part.unsampled_mu**2)
        elif isinstance(part, SampledExchange):
            steps.append((ExchangedLoss(part.noise_multiplier, part.sample_rate), count))
            unsampled.append(count * part.unsampled_mu**2)
        elif isinstance(part, Gaussian | ZCDPGaussian):
            squares.append(count * part.mu**2)
    return squares, steps, unsampled


def _tails(squared_mu: float, steps: list[tuple[StepLoss, int]], unsampled_mu: float) -> LossTails:
    if not steps:
        return GaussianTails(unsampled_mu)
    first, count = steps[0]
    if squared_mu == 0 and len(steps) == 1 and count == 1:
        if isinstance(first, SampledGaussianLoss):
            return OneStepTails(first.noise_multiplier, first.sample_rate)
        if isinstance(first, ExchangedLoss):
            return SymmetricTails(OneExchangeTails(first))
        if isinstance(first, MixtureLoss):
            return OneUnitTails(first)
    composed = ComposedTails(squared_mu, steps)
    return SymmetricTails(composed) if all(isinstance(step, ExchangedLoss) for step, _ in steps) else composed
