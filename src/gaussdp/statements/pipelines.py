"""The smallest value that holds for a run as it was really done: its batches, its neighbours, its tuning."""

import math
from dataclasses import dataclass

from gaussdp.accounting.bounds.enclosures import Enclosure, of_exact_mu, smallest
from gaussdp.accounting.bounds.shuffled import fixed_batches, shuffled_batches, without_sampling
from gaussdp.guarantees.claim import Claim
from gaussdp.mechanisms import Mechanism
from gaussdp.statements.run import Run


@dataclass(frozen=True)
class Found:
    """An enclosure for a run, with what must be known to read it."""

    enclosure: Enclosure
    caveats: tuple[str, ...]


def smallest_for(run: Run, claim: Claim) -> Found:
    """The smallest value of the claim's kind that holds for the run.

    Args:
        run: what was run and what it protects.
        claim: whose kind, delta and floor are taken.
    """
    caveats: list[str] = []
    if run.tuning == "not counted" and run.tuning_runs:
        caveats.append(
            "Tuning is not counted: the lower end is of the final run alone, the upper one of all runs together, since"
            " what choosing the best of them reveals lies between."
        )
        alone, together = (_of(run, mechanism, claim, caveats) for mechanism in (run.mechanism, run.with_tuning))
        found = Enclosure(alone.lower, together.upper)
    else:
        if run.tuning == "not counted":
            caveats.append("Tuning is not counted and the number of its runs not stated: only the final run is judged.")
        found = _of(run, run.accounted, claim, caveats)
    if run.mechanism.bounded:
        found = Enclosure(0.0, found.upper)
    if run.tuning is None:
        caveats.append("Whether hyper-parameters were tuned on these data is not stated; none is assumed.")
    if run.records_per_unit is None:
        caveats.append("How many records a unit has is not stated; one is assumed.")
    if run.trains and run.clipping != "per-example":
        found = _unclipped(run, found, caveats)
    return Found(found, tuple(dict.fromkeys(caveats)))


def _of(run: Run, mechanism: Mechanism, claim: Claim, caveats: list[str]) -> Enclosure:
    if mechanism.adjacency == "replace-one" and run.adjacency == "add-remove":
        caveats.append("The noise is stated for replacing a record; nothing follows for adding or removing one.")
        return Enclosure(0.0, math.inf)
    exchanged = mechanism.adjacency != run.adjacency
    group = (run.records_per_unit or 1) * (2 if exchanged else 1)
    if exchanged:
        caveats.append("The noise is stated for adding or removing a record; replacing one counts as a group of two.")
    if not run.sampled or run.sampling in ("poisson", None):
        if run.sampled and run.sampling is None:
            caveats.append("How batches are made is not stated; Poisson sampling is assumed.")
        return smallest(mechanism, claim, group)
    if run.sampling == "without replacement":
        caveats.append("Batches of a fixed size are not accounted for: the upper end relies on no sampling at all.")
        mu = without_sampling(mechanism, each_step=True)
        return Enclosure(0.0, of_exact_mu(group * mu, claim).upper if math.isfinite(mu) else math.inf)
    caveats.append("Batches are not Poisson samples: a removed record is taken as one that is blanked out.")
    if run.sampling == "fixed batches":
        return fixed_batches(mechanism, claim, group)
    return shuffled_batches(mechanism, claim, group, exchanged=exchanged)


def _unclipped(run: Run, found: Enclosure, caveats: list[str]) -> Enclosure:
    if run.clipping == "none":
        caveats.append("Without clipping one record can move the sum without bound: no finite number holds.")
        return Enclosure(math.inf, math.inf)
    if run.clipping == "per-batch":
        caveats.append("Gradients are not clipped one by one: no number is known to hold.")
        return Enclosure(found.lower, math.inf)
    caveats.append("How gradients are clipped is not stated; per-example clipping is assumed.")
    return found
