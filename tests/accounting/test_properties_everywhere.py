"""What must hold of every account in the whole of the documented range, up to what each reading claims.

HYPOTHESIS_PROFILE=explore looks at thirty times as many runs, other ones each time.
"""

import itertools
import math
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from domains_of_test import log_uniform
from gaussdp import GDP
from gaussdp.accounting import account
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.mechanisms import DPSGD, Composition, Gaussian, PoissonSampled

SOME = settings(max_examples=max(1, settings.default.max_examples // 20), deadline=None)

NOISE = log_uniform(0.05, 100.0) | log_uniform(0.3, 5.0)
RATE = log_uniform(1e-8, 1.0) | log_uniform(1e-4, 0.3)
STEPS = (log_uniform(2.0, 1e7) | log_uniform(2.0, 300.0)).map(int)
RUN = st.builds(DPSGD, NOISE, RATE, STEPS)
MIXTURE = st.lists(RUN | st.builds(Gaussian, log_uniform(0.3, 1e3)), min_size=2, max_size=3).map(Composition)
LEVEL, EPSILON, FLOOR = log_uniform(1e-60, 0.4), log_uniform(1e-3, 30.0), log_uniform(1e-12, 1e-2)
MORE = log_uniform(1.0 + 1e-4, 3.0)

ROUNDING = 4e-16
LEAST = 1e-300  # below, doubles have few digits


@dataclass(frozen=True)
class Between:
    """Where the truth lies according to a reading."""

    low: float
    high: float

    @classmethod
    def of(cls, curve, name, level):
        """What a reading says; its bounds are on the safe side, which is below for the FNR and the FPR."""
        read = getattr(curve.reading, name)(level)
        off = (read.error + ROUNDING) * read.value if read.error < math.inf else math.inf
        below = above = off
        if not read.method.exact:
            below, above = (0.0, off) if name in ("fnr", "fpr") else (off, 0.0)
        assert not math.isnan(read.value)
        return cls(max(read.value - below, 0.0), read.value + above)

    def __le__(self, other):
        return self.low <= other.high * (1 + ROUNDING) + LEAST

    def meets(self, other):
        """Whether one value may be both."""
        return self <= other and other <= self


def questions(epsilon, level):
    """Readings that grow with the risk; the last one falls."""
    return ("delta", epsilon), ("epsilon", level), ("tpr", level), ("fnr", level)


def fit_or_none(mechanism, floor):
    """The fit, unless the floor leaves no attacks to speak about, as the curve says too."""
    curve = account(mechanism)
    try:
        return curve.fit(floor)
    except DomainError:
        assert curve.fnr(floor) <= floor
        return None


def assert_no_worse(safer, riskier, epsilon, level, floor):
    """No reading of the safer of two mechanisms is surely the larger one."""
    curve, other = account(safer), account(riskier)
    for name, at in questions(epsilon, level):
        mine, theirs = Between.of(curve, name, at), Between.of(other, name, at)
        assert theirs <= mine if name == "fnr" else mine <= theirs, name
    fit, worse = fit_or_none(safer, floor), fit_or_none(riskier, floor)
    if fit is not None and worse is not None:
        assert fit.mu_lower <= worse.mu_upper * (1 + ROUNDING)


def assert_same(one, other, epsilon, level):
    """Readings of two descriptions of one thing may be those of one value."""
    first, second = account(one), account(other)
    for name, at in questions(epsilon, level):
        assert Between.of(first, name, at).meets(Between.of(second, name, at)), name


@SOME
@given(RUN, MORE, EPSILON, LEVEL, FLOOR)
def test_more_noise_is_never_worse(run, more, epsilon, level, floor):
    assert_no_worse(replace(run, noise_multiplier=more * run.noise_multiplier), run, epsilon, level, floor)


@SOME
@given(RUN, MORE, EPSILON, LEVEL, FLOOR)
def test_more_steps_and_a_larger_sample_are_never_better(run, more, epsilon, level, floor):
    longer = replace(run, steps=math.ceil(more * run.steps))
    assert_no_worse(run, longer, epsilon, level, floor)
    assert_no_worse(run, replace(run, sample_rate=min(more * run.sample_rate, 1.0)), epsilon, level, floor)


@SOME
@given(MIXTURE, RUN, EPSILON, LEVEL, FLOOR)
def test_a_further_part_is_never_better(mixture, run, epsilon, level, floor):
    assert_no_worse(mixture, Composition([mixture, run]), epsilon, level, floor)


@SOME
@given(RUN, st.floats(0.01, 0.99), EPSILON, LEVEL)
def test_runs_may_be_split(run, share, epsilon, level):
    first = min(max(1, int(share * run.steps)), run.steps - 1)
    parts = [replace(run, steps=first), replace(run, steps=run.steps - first)]
    assert_same(run, Composition(parts), epsilon, level)
    assert_same(run, run.steps * PoissonSampled(Gaussian(run.noise_multiplier), run.sample_rate), epsilon, level)


@SOME
@given(MIXTURE, MIXTURE, EPSILON, LEVEL)
def test_parts_may_be_nested_and_reordered(one, other, epsilon, level):
    assert_same(Composition([one, other]), Composition([other, one]), epsilon, level)
    flat = Composition([*(count * part for part, count in one.parts()), *(n * part for part, n in other.parts())])
    assert_same(Composition([one, Composition([other])]), flat, epsilon, level)


@SOME
@given(NOISE, log_uniform(0.05, 100.0), STEPS, st.floats(0.1, 1.0), EPSILON, LEVEL)
def test_descriptions_of_one_thing_agree(noise, other, steps, share, epsilon, level):
    total = math.sqrt(steps / noise**2 + 1 / other**2)
    releases = Composition([DPSGD(noise, 1.0, steps), Gaussian(other)])
    for name, at in questions(epsilon, level):
        read = Between.of(account(releases), name, at)
        known = getattr(GDP(total), name)(at)
        # mu is rounded, and a reading in a deep tail of a large mu feels that.
        nearby = [getattr(GDP(total * (1 + change)), name)(at) for change in (-4e-16, 4e-16)]
        assert read.low * (1 - 1e-12) <= max(known, *nearby) + LEAST, name
        assert min(known, *nearby) <= read.high * (1 + 1e-12) + LEAST, name
    sampled = PoissonSampled(PoissonSampled(Gaussian(noise), share), share)
    assert_same(sampled, PoissonSampled(Gaussian(noise), share * share), epsilon, level)


@SOME
@given(log_uniform(0.5, 20.0), log_uniform(1e-4, 1.0), st.integers(1, 2000), EPSILON, LEVEL)
def test_replacing_a_record(noise, rate, steps, epsilon, level):
    """The two directions are one; with every record in every batch it is a Gaussian release of sensitivity 2."""
    curve = account(DPSGD(noise, rate, steps, adjacency="replace-one"))
    with suppress(ConvergenceError):  # few steps are known through a distribution, which has no directions
        assert curve.remove.delta(epsilon) == curve.add.delta(epsilon)
    everything = account(DPSGD(noise, 1.0, steps, adjacency="replace-one"))
    assert everything.delta(epsilon) == pytest.approx(GDP(2 * math.sqrt(steps) / noise).delta(epsilon), rel=1e-12)
    assert Between.of(curve, "tpr", level) <= Between.of(everything, "tpr", level)


@SOME
@given(RUN | MIXTURE, LEVEL, st.data())
def test_curves_fall_and_are_convex(run, level, data):
    curve = account(run)
    middle = level * data.draw(log_uniform(1.1, 1e3), "to the middle")
    last = min(middle * data.draw(log_uniform(1.1, 1e3), "to the last"), 0.9)
    rates = [level, middle, last]
    if not level < middle < last:
        return
    fnr = [Between.of(curve, "fnr", rate) for rate in rates]
    assert fnr[1] <= fnr[0]
    assert fnr[2] <= fnr[1]
    share = (last - middle) / (last - level)
    assert fnr[1].low <= (share * fnr[0].high + (1 - share) * fnr[2].high) * (1 + 1e-12) + LEAST
    epsilons = [0.0, *np.cumsum([data.draw(EPSILON, "step") for _ in range(2)]).tolist()]
    delta = [Between.of(curve, "delta", epsilon) for epsilon in epsilons]
    assert delta[1] <= delta[0]
    assert delta[2] <= delta[1]
    # The profile is convex in e^epsilon.
    share = math.expm1(epsilons[2] - epsilons[1]) / (math.exp(epsilons[2] - epsilons[1]) - math.exp(-epsilons[1]))
    assert delta[1].low <= (share * delta[0].high + (1 - share) * delta[2].high) * (1 + 1e-12) + LEAST


@SOME
@given(RUN | MIXTURE, LEVEL)
def test_readings_invert_each_other(run, level):
    curve = account(run)
    read = curve.reading.epsilon(level)
    if 0 < read.value < math.inf and read.method.exact:
        off = read.error + ROUNDING
        assert Between.of(curve, "delta", read.value * (1 + off)).low <= level * (1 + 1e-12)
        assert level <= Between.of(curve, "delta", read.value * (1 - off)).high * (1 + 1e-12)
    tpr = Between.of(curve, "tpr", level)
    if tpr.low < tpr.high < 0.999:
        assert Between.of(curve, "fpr", tpr.low).low <= level * (1 + 1e-12)
        assert level <= Between.of(curve, "fpr", tpr.high).high * (1 + 1e-12)


@SOME
@given(RUN, log_uniform(1e-30, 0.4))
def test_adding_is_the_inverse_of_removing(run, level):
    curve = account(run)
    try:
        read = curve.remove.reading.fnr(level)
        if not LEAST < read.value < 0.999:
            reject()
        low, high = (read.value * (1 + side * (read.error + ROUNDING)) for side in (-1, 1))
        at_least, at_most = (curve.add.reading.fnr(min(rate, 1.0)) for rate in (high, low))
    except ConvergenceError:  # single directions are not enclosed
        reject()
    assert at_least.value * (1 - at_least.error) <= level * (1 + 1e-12)
    assert level <= at_most.value * (1 + at_most.error) * (1 + 1e-12)


@SOME
@given(RUN | MIXTURE, FLOOR)
def test_a_fit_holds_for_every_attack_above_its_floor(run, floor):
    """Of either direction; the segment between them may join attacks below the floor."""
    fit = fit_or_none(run, floor)
    if fit is None:
        return
    guarantee, curve = GDP(fit.mu_upper), account(run)
    rates = np.geomspace(floor, 0.5, 7).tolist()
    for direction, rate in itertools.product((curve.remove, curve.add), rates):
        with suppress(ConvergenceError):
            fnr = Between.of(direction, "fnr", rate)
            if fnr.low >= floor:
                assert guarantee.fnr(rate) <= fnr.high * (1 + 1e-12)
