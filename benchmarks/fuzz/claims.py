"""Claims that are just true and just false, by a tenth of a percent, for every pipeline.

What is true is computed without gaussdp: by dp_accounting's two-sided distributions, by loaders that are run, by the
attack written out for itself, by sums of binomials. Where the smallest value that holds is known, a claim above it must
be found to hold and one below it false; where it is only enclosed, neither may be contradicted.
"""

import functools
import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from dp_accounting.pld import privacy_loss_distribution as distributions
from dp_accounting.privacy_accountant import NeighboringRelation
from scipy import special

from benchmarks.fuzz.trials import Find, Trial
from gaussdp import (
    DPSGD,
    ApproxDP,
    Claim,
    DiscreteGaussian,
    DiscreteLaplace,
    DomainError,
    Gaussian,
    Laplace,
    Mechanism,
    RandomizedResponse,
    Run,
    check_claim,
)
from gaussdp.mechanisms import Stated

OFF = 1e-3
LARGEST_EPSILON = 700.0  # past which dp_accounting's profiles overflow
DELTAS = (1e-3, 1e-5, 1e-7)
STATED = {"unit": "one person", "records_per_unit": 1, "tuning": "none", "clipping": "per-example"}


@dataclass(frozen=True)
class Truth:
    """What others know of the smallest value that holds: at least lower, at most upper."""

    lower: float
    upper: float


def judged(run: Run, claim: Claim, truth: Truth, *, below: bool = True, above: bool = True) -> str:
    """Hold a claim just above and one just below the truth against the run.

    Args:
        run: what was run.
        claim: whose kind, delta and floor are taken.
        truth: what is known otherwise.
        below: whether a claim below lower must be found false, rather than not found to hold.
        above: whether a claim above upper must be found to hold, rather than not found false.
    """
    if not 1e-6 < truth.lower < LARGEST_EPSILON:
        return "nothing to say"
    words = []
    for value, is_true in ((truth.upper * (1 + OFF), True), (truth.lower * (1 - OFF), False)):
        if not math.isfinite(value):
            continue
        verdict = check_claim(run, claim.with_value(value))
        wrong = verdict.status == "false" if is_true else verdict.holds
        undecided = verdict.status == "undecided" and (above if is_true else below)
        if wrong or undecided:
            raise Find(f"{run!r}: {verdict!r}, but the truth is in [{truth.lower!r}, {truth.upper!r}]")
        if verdict.instead and not check_claim(run, verdict.instead).holds:
            raise Find(f"{run!r}: {verdict!r} recommends {verdict.instead}, which it does not accept")
        words.append(verdict.status)
    return "undecided" if "undecided" in words else "decided"


def composed(make: Any, delta: float, count: int = 1, interval: float = 1e-3) -> Truth:
    """The epsilon of count releases, between an optimistic and a pessimistic distribution."""
    ends = []
    for pessimistic in (False, True):
        one = make(
            pessimistic_estimate=pessimistic, use_connect_dots=pessimistic, value_discretization_interval=interval
        )
        whole = one.self_compose(count) if count > 1 else one
        # Transforms leave a noise of about 1e-12 in delta.
        level = delta * (1 + 1e-6) + 1e-11 if not pessimistic else delta * (1 - 1e-6) - 1e-11
        ends.append(max(float(whole.get_epsilon_for_delta(level)), 0.0))
    return Truth(*ends)


def gaussian(sigma: float, delta: float, uses: int = 1) -> Truth:
    """Of Gaussian releases, which are one with less noise."""
    return composed(functools.partial(distributions.from_gaussian_mechanism, sigma / math.sqrt(uses)), delta)


def sampled(training: DPSGD, delta: float, **how: Any) -> Truth:
    """Of DP-SGD with Poisson samples."""
    make = functools.partial(
        distributions.from_gaussian_mechanism, training.noise_multiplier, sampling_prob=training.sample_rate, **how
    )
    return composed(make, delta, training.steps)


def some_training(draw: random.Random) -> tuple[DPSGD, int, int]:
    """DP-SGD with the sizes of its data and batches."""
    size = draw.choice((10, 49, 64, 100, 1000, 60_000))
    batch = draw.randint(1, max(1, size // draw.choice((2, 3, 20))))
    steps = draw.choice((1, 2, draw.randint(1, max(1, size // batch)), draw.randint(1, 400)))
    return DPSGD(round(draw.uniform(0.5, 4), 2), batch / size, steps), size, batch


def of(mechanism: Mechanism, **stated: Any) -> Run:
    """A run of which everything else is stated."""
    return Run(**{"mechanism": mechanism, "adjacency": mechanism.adjacency, **STATED, **stated})


def _poisson(draw: random.Random) -> str:
    training, _, _ = some_training(draw)
    run = of(training, sampling="poisson")
    kind = draw.choice(("epsilon", "epsilon", "mu", "rho"))
    if kind == "epsilon":
        delta = draw.choice(DELTAS)
        return judged(run, Claim(epsilon=1.0, delta=delta), sampled(training, delta))
    mu = math.sqrt(training.steps) / training.noise_multiplier  # sampling hides nothing from every attack
    exact = mu if kind == "mu" else mu**2 / 2
    return judged(run, Claim(mu=1.0) if kind == "mu" else Claim(rho=1.0), Truth(exact, exact))


def _replace_one(draw: random.Random) -> str:
    training, _, _ = some_training(draw)
    delta = draw.choice(DELTAS)
    truth = sampled(training, delta, neighboring_relation=NeighboringRelation.REPLACE_ONE)
    run = of(training, sampling="poisson", adjacency="replace-one")
    return judged(run, Claim(epsilon=1.0, delta=delta), truth)


def _units(draw: random.Random) -> str:
    training, _, _ = some_training(draw)
    delta, records = draw.choice(DELTAS), draw.randint(2, 4)
    counts = np.arange(records + 1)
    weights = special.binom(records, counts) * training.sample_rate**counts
    weights *= (1 - training.sample_rate) ** (records - counts)
    make = functools.partial(
        distributions.from_mixture_gaussian_mechanism, training.noise_multiplier, counts.tolist(), weights.tolist()
    )
    run = of(training, sampling="poisson", records_per_unit=records)
    truth = composed(make, delta, training.steps, interval=2e-2)  # each value of its grid is a root to be found
    return judged(run, Claim(epsilon=1.0, delta=delta), truth)


def uses(size: int, batch: int, steps: int, drop_last: bool) -> int:
    """The most batches that hold a record, by running a loader."""
    passes = [list(range(start, min(start + batch, size))) for start in range(0, size, batch)]
    if drop_last and len(passes[-1]) < batch:
        passes.pop()
    counts = [0] * len(passes)
    for step in range(steps):
        counts[step % len(passes)] += 1
    return max(counts)


def some_loader(draw: random.Random, size: int, batch: int) -> tuple[bool, dict[str, Any]]:
    """Whether it drops the last batch, and what a run file says about it."""
    drop_last = draw.random() < 0.5
    batches = size // batch if drop_last else math.ceil(size / batch)
    return drop_last, draw.choice(({"drop_last": drop_last}, {"batches_per_pass": batches}, {}))


def _fixed_batches(draw: random.Random) -> str:
    training, size, batch = some_training(draw)
    drop_last, stated = some_loader(draw, size, batch)
    delta, exchanged = draw.choice(DELTAS), draw.random() < 0.3
    records = draw.choice((1, 1, min(3, batch)))
    distance = math.sqrt(uses(size, batch, training.steps, drop_last)) * records * (2 if exchanged else 1)
    adjacency = "replace-one" if exchanged else "add-remove"
    known = {"dataset_size": size, "records_per_unit": records, "adjacency": adjacency}
    run = of(training, sampling="fixed batches", **known, **stated)
    strict = bool(stated) or size % batch == 0
    if draw.random() < 0.5:
        mu = distance / training.noise_multiplier
        return judged(run, Claim(mu=1.0), Truth(mu, mu), below=strict, above=strict)
    truth = gaussian(training.noise_multiplier / distance, delta)
    return judged(run, Claim(epsilon=1.0, delta=delta), truth, below=strict, above=strict)


def attacked(training: DPSGD, size: int, batch: int, drop_last: bool, delta: float) -> float:
    """The epsilon that the largest sum of the first pass refutes, by the complements written out."""
    sigma, batches = training.noise_multiplier, size // batch if drop_last else math.ceil(size / batch)
    seen = min(training.steps, batches)
    inside = min(seen * batch, size) / size
    best = 0.0
    for c in np.linspace(-sigma, 2 + 9 * sigma, 400):
        none = [
            math.log(special.ndtr((c - a) / sigma)) + (seen - 1) * math.log(special.ndtr(c / sigma)) for a in (1, 2)
        ]
        clear = seen * math.log(special.ndtr(c / sigma))
        fpr, tpr = (-inside * math.expm1(one) - (1 - inside) * math.expm1(clear) for one in none)
        if tpr > delta and fpr > 0:
            best = max(best, math.log((tpr - delta) / fpr))
    return best


def _shuffle(draw: random.Random) -> str:
    training, size, batch = some_training(draw)
    drop_last, stated = some_loader(draw, size, batch)
    delta = draw.choice(DELTAS)
    run, claim = of(training, sampling="shuffle", **stated), Claim(epsilon=1.0, delta=delta)
    most = uses(size, batch, training.steps, drop_last)
    highest = gaussian(training.noise_multiplier, delta, most).upper
    batches = size // batch if drop_last else math.ceil(size / batch)
    if training.steps <= batches:  # a single pass: joint convexity
        share = min(training.steps * batch, size) / size
        highest = gaussian(training.noise_multiplier, min(delta / share, 0.5)).upper
    strict = bool(stated) or size % batch == 0
    lowest = attacked(training, size, batch, drop_last, delta)
    return judged(run, claim, Truth(min(lowest, highest), highest), below=strict, above=False)


def _without_replacement(draw: random.Random) -> str:
    training, _, _ = some_training(draw)
    delta = draw.choice(DELTAS)
    lower = sampled(training, delta).lower
    upper = gaussian(training.noise_multiplier, delta, training.steps).upper
    run = of(training, sampling="without replacement")
    return judged(run, Claim(epsilon=1.0, delta=delta), Truth(lower, max(lower, upper)))


def _response(draw: random.Random) -> str:
    """Randomized response several times: sums of binomials."""
    epsilon, count, delta = round(draw.uniform(0.05, 2), 2), draw.randint(1, 30), draw.choice(DELTAS)
    truth_probability = 1 / (1 + math.exp(-epsilon))
    k = np.arange(count + 1)
    masses = special.binom(count, k) * truth_probability**k * (1 - truth_probability) ** (count - k)
    losses = (2 * k - count) * epsilon

    def profile(level: float) -> float:
        return float(np.sum(masses * np.maximum(-np.expm1(level - losses), 0.0)))

    low, high = 0.0, count * epsilon
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if profile(middle) > delta else (low, middle)
    run = of(count * RandomizedResponse(epsilon))
    return judged(run, Claim(epsilon=1.0, delta=delta), Truth(low, high))


def _single(draw: random.Random) -> str:
    """Single releases with a closed form, for every attack and at a delta."""
    epsilon, delta = round(draw.uniform(0.05, 5), 2), draw.choice(DELTAS)
    if draw.random() < 0.5:
        run, mu = of(Laplace(1 / epsilon)), -2 * float(special.ndtri(0.5 * math.exp(-0.5 / (1 / epsilon))))
        exact = 1 / (1 / epsilon) + 2 * math.log1p(-delta)
    else:
        stated = draw.choice((0.0, delta))
        run, exact = of(Stated(ApproxDP(epsilon, stated))), epsilon
        mu = math.inf if stated else 2 * float(special.ndtri(1 / (1 + math.exp(-epsilon))))
        exact += math.log1p(-(delta - stated) * (1 + math.exp(-epsilon)))
    if draw.random() < 0.5:
        return judged(run, Claim(epsilon=1.0, delta=delta), Truth(exact, exact))
    return judged(run, Claim(mu=1.0), Truth(mu, mu))


def _other_noise(draw: random.Random) -> str:
    """Discrete noise and Laplace noise several times, against another grid of the same library."""
    count, delta, scale = draw.randint(2, 20), draw.choice(DELTAS), round(draw.uniform(1, 8), 1)
    kinds: dict[Mechanism, Any] = {
        Laplace(scale): functools.partial(distributions.from_laplace_mechanism, scale),
        DiscreteLaplace(scale): functools.partial(distributions.from_discrete_laplace_mechanism, 1 / scale),
        DiscreteGaussian(scale): functools.partial(distributions.from_discrete_gaussian_mechanism, scale),
    }
    mechanism, make = draw.choice(list(kinds.items()))
    truth = composed(make, delta, count)
    return judged(of(count * mechanism), Claim(epsilon=1.0, delta=delta), truth, below=False)


def _gaussian(draw: random.Random) -> str:
    sigma, count, delta = round(draw.uniform(0.3, 20), 2), draw.randint(1, 50), draw.choice(DELTAS)
    return judged(of(count * Gaussian(sigma)), Claim(epsilon=1.0, delta=delta), gaussian(sigma, delta, count))


def _may_leave_nothing(trial: Trial) -> Trial:
    def tried(draw: random.Random) -> str:
        try:
            return trial(draw)
        except DomainError as error:
            raise Find(f"refused: {error}") from None

    return tried


AREAS: Mapping[str, Trial] = {
    name: _may_leave_nothing(trial)
    for name, trial in {
        "poisson": _poisson,
        "replace-one": _replace_one,
        "units": _units,
        "fixed batches": _fixed_batches,
        "shuffle": _shuffle,
        "without replacement": _without_replacement,
        "gaussian": _gaussian,
        "response": _response,
        "single releases": _single,
        "other noise": _other_noise,
    }.items()
}
