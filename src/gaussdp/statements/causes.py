"""What usually gives a claim, mistakes and loose analyses, each recognised by what it would have given.

Each is done to the run as described, its own batches included, and shown only if it gives the claim as printed; nothing
is shown where the run itself does.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import Any

from gaussdp.accounting.bounds.approximations import basic_epsilon, clt_mu, clt_mu_uniform, renyi_epsilon
from gaussdp.accounting.bounds.enclosures import of_gdp
from gaussdp.documents.rounding import Rounding, rounded_to_decimals, shown
from gaussdp.errors import DomainError, MissingExtraError
from gaussdp.guarantees.claim import Claim
from gaussdp.mechanisms import DPSGD, Adjacency, Composition, Gaussian, Mechanism, PoissonSampled, ZCDPGaussian
from gaussdp.mechanisms.base import Repeated
from gaussdp.statements.run import Run
from gaussdp.statements.smallest import smallest_for
from gaussdp.words import Phrase, say

CLOSE = 0.012
"""Relative: a claim of one digit or two, which many numbers round to, is not farther from what gave it."""

_ANY_WAY: tuple[Rounding, ...] = (Rounding.UP, Rounding.DOWN, Rounding.NEAREST)
_ROUNDED = 0.05  # relative: a claim of few digits may be so far from the number of the run itself

_RECORDS: dict[Adjacency, str] = {
    "add-remove": Phrase("It is the number for adding or removing a record, claimed for replacing one."),
    "replace-one": Phrase("It is the number for replacing a record, claimed for adding or removing one."),
}
_LAST = ("one step", "epochs for steps", "amplification", "basic composition")  # not looked for once one is found
_UNTOLD: dict[str, Any] = {"batches_per_pass": None, "drop_last": None, "epochs": None}  # of other batches
_CUT = ("shuffle", "fixed batches")


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


Slip = tuple[str, dict[str, Any], str]
Candidate = tuple[str, Callable[[], float], str]


def causes(run: Run, claim: Claim, status: str, upper: float, instead: Claim | None) -> tuple[Cause, ...]:
    """What gives the claim, to the digits that it is printed with.

    Args:
        run: what was run.
        claim: what was claimed.
        status: of the claim: "false" and "undecided" look for numbers that are too small, "loose" for too large ones.
        upper: what holds for the run, of the claim's kind.
        instead: a claim that holds.
    """
    if _gives(upper, claim, _ROUNDED, *_ANY_WAY):
        return ()
    found = [] if status == "loose" else _slipped(run, claim)
    for key, compute, words in _too_large(run, claim) if status == "loose" else _too_small(run, claim, upper):
        known = [cause.key for cause in found]
        if key in known or (known and (key in _LAST or known[-1] == "clt")):
            continue
        value = _computed(compute)
        if _gives(value, claim):
            found.append(Cause(key, value, words))
    if claim.kind == "gdp" and claim.floor is None and instead and instead.floor is not None:
        found += _missing_floor(run, claim, instead)
    return tuple(found)


def _gives(value: float, claim: Claim, near: float = CLOSE, *ways: Rounding) -> bool:
    """Whether the number is the claim once it is rounded to as many decimals as that has: up or to the nearest."""
    if not math.isfinite(value) or abs(claim.value - value) > near * value:
        return False
    decimals = max(0, -int(Decimal(shown(claim.value)).as_tuple().exponent))
    return any(
        rounded_to_decimals(value, way, decimals) == claim.value for way in ways or (Rounding.NEAREST, Rounding.UP)
    )


def _computed(compute: Callable[[], float]) -> float:
    """The number; NaN where there is none."""
    try:
        return compute()
    except (DomainError, MissingExtraError, OverflowError):
        return math.nan


def _slipped(run: Run, claim: Claim) -> list[Cause]:
    """What of the run was overlooked: one thing if that gives the claim, else all of them together."""

    def number(changes: dict[str, Any]) -> float:
        return _computed(lambda: _number(replace(run, **changes), claim))

    slips = list(_slips(run))
    found = [Cause(key, number(changes), words) for key, changes, words in slips]
    alone = [cause for cause in found if _gives(cause.value, claim)]
    if alone or not slips:
        return alone
    changed = {name: value for _, changes, _ in slips for name, value in changes.items()}
    value = number({**changed, "clipping": "per-example"} if run.trains else changed)
    return [Cause(key, value, words) for key, _, words in slips] if _gives(value, claim) else []


def _slips(run: Run) -> Iterator[Slip]:
    """What can be overlooked about a run, with the run that it would then be."""
    if run.sampled and run.sampling in (*_CUT, "without replacement") and run.mechanism.samplings == {"poisson"}:
        yield (
            "sampling",
            {"sampling": "poisson", **_UNTOLD},
            say("It is the number of Poisson sampling, reported for batches that are made otherwise."),
        )
    if run.tuning_runs or run.tuning == "best of":
        yield (
            "tuning",
            {"tuning": "none", "tuning_runs": None, "tuning_mean": None, "tuning_shape": None},
            say("It is the number of the final run alone: the tuning runs are not counted."),
        )
    if run.adjacency != run.mechanism.adjacency:
        yield "adjacency", {"adjacency": run.mechanism.adjacency}, str(_RECORDS[run.mechanism.adjacency])
    if (run.records_per_unit or 1) > 1:
        words = say("It is the number for one record, claimed for a unit that has several.")
        yield "unit", {"records_per_unit": 1}, words


def _number(run: Run, claim: Claim) -> float:
    """The number that holds for a run: of shuffled batches it is that of fixed ones, which takes no attack to know."""
    known = replace(run, sampling="fixed batches") if run.sampling == "shuffle" else run
    return smallest_for(known, claim).enclosure.upper


def _with(run: Run, claim: Claim, make: Callable[[], Mechanism]) -> float:
    """The number of the same run with another mechanism."""
    return _number(replace(run, mechanism=make(), epochs=None), claim)


def _as_accounted(run: Run) -> Mechanism:
    """The mechanism for the neighbours and the unit of the run, if that is how its batches are made."""
    known = run.protecting(run.accounted)
    if known is None or (run.sampled and run.sampling not in (None, *run.mechanism.samplings)):
        raise DomainError(None, problem="the formula is of other batches or neighbours")
    return known


def _too_small(run: Run, claim: Claim, upper: float) -> Iterator[Candidate]:
    mechanism = run.mechanism
    if run.sampled:
        yield (
            "clt",
            lambda: of_gdp(clt_mu(_as_accounted(run)), claim),
            say(
                "It is what the central limit theorem approximates, which is no bound: at few steps, small noise or a"
                " small sample rate the truth can be far larger."
            ),
        )
        yield (
            "clt",
            lambda: of_gdp(clt_mu_uniform(_of_a_fixed_size(run)), claim),
            say("It is what the central limit theorem approximates for batches of a fixed size, which is no bound."),
        )
    yield (
        "adjacency",
        lambda: _with(run, claim, lambda: _changed(mechanism, 2.0)),
        say(
            "It is the number for twice the noise: the sensitivity is off by a factor of 2, as between replacing a"
            " record and adding or removing one."
        ),
    )
    # A record is in as many batches as there are epochs, where they are cut from the data.
    if isinstance(mechanism, DPSGD) and run.sampling not in _CUT:

        def few(steps: int) -> float:
            """The number of far fewer steps; not looked for where the claim is near that of all of them."""
            if steps > mechanism.steps / 4 or claim.value > 0.7 * upper:
                return math.nan
            return _with(run, claim, lambda: replace(mechanism, steps=steps))

        yield "one step", lambda: few(1), say("It is the number of a single step.")
        epochs = max(1, round(run.epochs or mechanism.steps * mechanism.sample_rate))
        words = say("It counts the epochs as if they were steps.")
        yield "epochs for steps", lambda: few(epochs), words


def _of_a_fixed_size(run: Run) -> Mechanism:
    """The mechanism as it is accounted for, where its batches could be of a fixed size: the formula is of these."""
    if run.sampling == "without replacement":
        run = replace(run, sampling="poisson")
    return _as_accounted(run)


def _too_large(run: Run, claim: Claim) -> Iterator[Candidate]:
    if run.sampled and claim.kind == "approximate":
        for improved in (True, False):
            how = say("with the improved conversion") if improved else say("with the first conversion published")
            yield (
                "rdp",
                partial(_renyi, run, claim, improved=improved),
                say("It is what Renyi DP gives at the best whole order, {how}: sound, and not tight.", how=how),
            )
    if run.sampled:
        yield (
            "amplification",
            lambda: _of_every_record(run, claim),
            say("It is the number without amplification by sampling, as if every record were in every batch."),
        )
        limits: tuple[tuple[Callable[[], float], str], ...] = (
            (lambda: clt_mu(_as_accounted(run)), say("Poisson samples")),
            (lambda: clt_mu_uniform(_of_a_fixed_size(run)), say("batches of a fixed size")),
        )
        for limit, batches in limits:
            words = say(
                "It is what the central limit theorem approximates for {batches}: here it happens to be above the"
                " truth, but it is no bound.",
                batches=batches,
            )
            yield "clt", partial(_of_limit, limit, claim), words
    yield (
        "adjacency",
        lambda: _with(run, claim, lambda: _changed(run.mechanism, 0.5)),
        say(
            "It is the number for half the noise: the sensitivity is off by a factor of 2, as between replacing a"
            " record and adding or removing one."
        ),
    )
    if claim.kind == "approximate":
        yield (
            "basic composition",
            lambda: basic_epsilon(_as_accounted(run), float(claim.delta or 0.0)),
            say("It is the sum of the single steps' ε: sound, and far from tight."),
        )


def _renyi(run: Run, claim: Claim, *, improved: bool) -> float:
    return renyi_epsilon(_as_accounted(run), float(claim.delta or 0.0), improved=improved)


def _of_limit(limit: Callable[[], float], claim: Claim) -> float:
    return of_gdp(limit(), claim)


def _of_every_record(run: Run, claim: Claim) -> float:
    """The number of the same run with all records in each batch."""
    whole = _changed(run.mechanism, 1.0, whole=True)
    return _number(replace(run, mechanism=whole, sampling=None, **_UNTOLD), claim)


def _missing_floor(run: Run, claim: Claim, instead: Claim) -> list[Cause]:
    """A mu without a floor, where one that is no larger holds with a floor."""
    value = _number(run, instead)
    if claim.value < value and not _gives(value, claim, _ROUNDED, *_ANY_WAY):
        return []
    words = say("It has no floor, and so speaks of every attack. What holds with a floor: {instead}.", instead=instead)
    return [Cause("floor", instead.value, words)]


def _changed(mechanism: Mechanism, factor: float, *, whole: bool = False) -> Mechanism:
    """The same Gaussian releases, run by run, with so many times the noise, or with all records in each batch."""
    if isinstance(mechanism, Composition):
        return Composition([_changed(one, factor, whole=whole) for one in mechanism.mechanisms])
    if isinstance(mechanism, Repeated):
        return mechanism.count * _changed(mechanism.mechanism, factor, whole=whole)
    if isinstance(mechanism, DPSGD):
        rate = 1.0 if whole else mechanism.sample_rate
        return replace(mechanism, noise_multiplier=factor * mechanism.noise_multiplier, sample_rate=rate)
    if isinstance(mechanism, PoissonSampled):
        noisy = Gaussian(factor * mechanism.mechanism.noise_multiplier)
        return replace(mechanism, mechanism=noisy, sample_rate=1.0 if whole else mechanism.sample_rate)
    if isinstance(mechanism, Gaussian | ZCDPGaussian):
        return Gaussian(factor / mechanism.mu, mechanism.adjacency)
    raise DomainError(None, problem="the noise is changed of Gaussian releases only")
