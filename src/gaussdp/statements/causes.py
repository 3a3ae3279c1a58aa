"""What usually gives a claim, mistakes and loose analyses, each recognised by what it would have given."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from gaussdp.accounting.bounds.approximations import basic_epsilon, clt_mu, clt_mu_uniform, renyi_epsilon
from gaussdp.accounting.bounds.batches import most_mu
from gaussdp.accounting.bounds.enclosures import of_gdp, smallest
from gaussdp.errors import DomainError, MissingExtraError
from gaussdp.guarantees.claim import Claim
from gaussdp.mechanisms import DPSGD, Adjacency, Composition, Gaussian, Mechanism, PoissonSampled, ZCDPGaussian
from gaussdp.statements.run import Run
from gaussdp.words import Phrase, say

CLOSE = 0.012  # relative: claims are written with three digits or so

_RECORDS: dict[Adjacency, str] = {
    "add-remove": Phrase("It is the number for adding or removing a record, claimed for replacing one."),
    "replace-one": Phrase("It is the number for replacing a record, claimed for adding or removing one."),
}
_LAST = ("one step", "epochs for steps", "amplification", "basic composition")  # not looked for once one is found


@dataclass(frozen=True)
class Cause:
    """What would have given the claim: a mistake, or an analysis that is not tight.

    Attributes:
        key: its machine name.
        value: what it gives.
        words: what it is.

    >>> from gaussdp import DPSGD, Run, check_claim
    >>> run = Run(mechanism=DPSGD(1.0, 0.00512, 3907), unit="one image", adjacency="add-remove", sampling="shuffle")
    >>> check_claim(run, "epsilon=1.75 delta=1e-5").causes[0].key
    'sampling'
    """

    key: str
    value: float
    words: str


def causes(run: Run, claim: Claim, status: str, instead: Claim | None) -> tuple[Cause, ...]:
    """What gives the claim, within about one part in a hundred.

    Args:
        run: what was run.
        claim: what was claimed.
        status: of the claim: "false" and "undecided" look for numbers that are too small, "loose" for too large ones.
        instead: a claim that holds.
    """
    candidates = _too_large(run, claim) if status == "loose" else _too_small(run, claim)
    found: list[Cause] = []
    for key, compute, words in candidates:
        if found and (key in _LAST or found[-1].key == "clt"):
            continue
        try:
            value = compute()
        except (DomainError, MissingExtraError, OverflowError):
            continue
        near = value and math.isfinite(value) and abs(claim.value - value) <= CLOSE * value
        if value and near and all(cause.key != key for cause in found):
            found.append(Cause(key, value, words))
    if claim.kind == "gdp" and claim.floor is None and instead and instead.floor is not None:
        found += _missing_floor(claim, instead)
    return tuple(found)


Candidate = tuple[str, Callable[[], float | None], str]


def _too_small(run: Run, claim: Claim) -> Iterator[Candidate]:
    mechanism = run.mechanism

    def as_described() -> float:
        return smallest(mechanism, claim).upper

    if run.sampled and run.sampling in ("shuffle", "fixed batches", "without replacement"):
        yield (
            "sampling",
            lambda: smallest(run.accounted, claim).upper,
            say("It is the number of Poisson sampling, reported for batches that are made otherwise."),
        )
    if run.tuning_runs:
        yield (
            "tuning",
            as_described,
            say("It is the number of the final run alone: the tuning runs are not counted."),
        )
    if run.adjacency != mechanism.adjacency:
        yield "adjacency", as_described, str(_RECORDS[mechanism.adjacency])
    if (run.records_per_unit or 1) > 1:
        yield "unit", as_described, say("It is the number for one record, claimed for a unit that has several.")
    if run.sampled:
        yield (
            "clt",
            lambda: of_gdp(clt_mu(mechanism), claim),
            say(
                "It is what the central limit theorem approximates, which is no bound: at few steps, small noise or a"
                " small sample rate the truth can be far larger."
            ),
        )
        yield (
            "clt",
            lambda: of_gdp(clt_mu_uniform(mechanism), claim),
            say("It is what the central limit theorem approximates for batches of a fixed size, which is no bound."),
        )
    yield (
        "adjacency",
        lambda: smallest(_with_noise(mechanism, 2.0), claim).upper,
        say(
            "It is the number for twice the noise: the sensitivity is off by a factor of 2, as between replacing a"
            " record and adding or removing one."
        ),
    )
    # A record is in as many batches as there are epochs, where they are cut from the data.
    if isinstance(mechanism, DPSGD) and run.sampling not in ("shuffle", "fixed batches"):
        one = DPSGD(mechanism.noise_multiplier, mechanism.sample_rate, 1)
        yield "one step", lambda: _of_few(one, mechanism, claim), say("It is the number of a single step.")
        epochs = max(1, round(mechanism.steps * mechanism.sample_rate))
        few = DPSGD(mechanism.noise_multiplier, mechanism.sample_rate, epochs)
        words = say("It counts the epochs as if they were steps.")
        yield "epochs for steps", lambda: _of_few(few, mechanism, claim), words


def _of_few(few: DPSGD, mechanism: DPSGD, claim: Claim) -> float | None:
    """The number of far fewer steps; not looked for where the claim is near that of all of them."""
    if few.steps > mechanism.steps / 4 or claim.value > 0.7 * smallest(mechanism, claim).upper:
        return None
    return smallest(few, claim).upper


def _too_large(run: Run, claim: Claim) -> Iterator[Candidate]:
    mechanism = run.accounted
    if run.sampled and claim.kind == "approximate":
        for improved in (True, False):
            how = say("with the improved conversion") if improved else say("with the first conversion published")
            yield (
                "rdp",
                partial(renyi_epsilon, mechanism, float(claim.delta or 0.0), improved=improved),
                say("It is what Renyi DP gives at the best whole order, {how}: sound, and not tight.", how=how),
            )
    if run.sampled:
        yield (
            "amplification",
            lambda: of_gdp(most_mu(mechanism, each_step=True), claim),
            say("It is the number without amplification by sampling, as if every record were in every batch."),
        )
        limits = (clt_mu, say("Poisson samples")), (clt_mu_uniform, say("batches of a fixed size"))
        for limit, batches in limits:
            words = say(
                "It is what the central limit theorem approximates for {batches}: here it happens to be above the"
                " truth, but it is no bound.",
                batches=batches,
            )
            yield "clt", partial(_of_limit, limit, mechanism, claim), words
    yield (
        "adjacency",
        lambda: smallest(_with_noise(mechanism, 0.5), claim).upper,
        say(
            "It is the number for half the noise: the sensitivity is off by a factor of 2, as between replacing a"
            " record and adding or removing one."
        ),
    )
    if claim.kind == "approximate":
        yield (
            "basic composition",
            lambda: basic_epsilon(mechanism, float(claim.delta or 0.0)),
            say("It is the sum of the single steps' ε: sound, and far from tight."),
        )


def _of_limit(limit: Callable[[Mechanism], float], mechanism: Mechanism, claim: Claim) -> float:
    return of_gdp(limit(mechanism), claim)


def _missing_floor(claim: Claim, instead: Claim) -> list[Cause]:
    """A mu without a floor, where a smaller one holds with a floor."""
    if claim.value < instead.value * (1 - CLOSE):
        return []
    words = say("It has no floor, and so speaks of every attack. What holds with a floor: {instead}.", instead=instead)
    return [Cause("floor", instead.value, words)]


def _with_noise(mechanism: Mechanism, factor: float) -> Mechanism:
    """The same Gaussian releases with so many times the noise."""
    parts: list[Mechanism] = []
    for part, count in mechanism.parts():
        if isinstance(part, PoissonSampled):
            sampled = PoissonSampled(Gaussian(factor * part.mechanism.noise_multiplier), part.sample_rate)
            parts.append(count * sampled)
        elif isinstance(part, Gaussian | ZCDPGaussian):
            parts.append(count * Gaussian(factor / part.mu, part.adjacency))
        else:
            raise DomainError(None, problem="the noise is changed of Gaussian releases only")
    return Composition(parts)
