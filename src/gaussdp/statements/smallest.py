"""The smallest value that holds for a run as it was really done: its batches, its neighbours, its tuning."""

import math
from dataclasses import dataclass, replace

from gaussdp.accounting.bounds.batches import drawn_batches, fixed_batches, shuffled_batches, stretches
from gaussdp.accounting.bounds.enclosures import Enclosure, smallest
from gaussdp.documents.rounding import shown_down
from gaussdp.guarantees.claim import Claim
from gaussdp.mechanisms import Mechanism, PoissonSampled
from gaussdp.statements.run import Run
from gaussdp.words import Phrase, numeral, say

_ROUNDING = 2.0**-50
_AS_GROUP = Phrase(
    "The noise is stated for adding or removing one record: several count as a group of as"
    " many, an exchanged one as two."
)
_POISSON_ASSUMED = Phrase("How batches are made is not stated; Poisson sampling is assumed.")
_NO_TUNING_ASSUMED = Phrase("Whether hyper-parameters were tuned on these data is not stated; none is assumed.")
_ONE_RECORD_ASSUMED = Phrase("How many records a unit has is not stated; one is assumed.")
_CLIPPING_ASSUMED = Phrase("How gradients are clipped is not stated; per-example clipping is assumed.")
_ASSUMED = {
    _POISSON_ASSUMED: Phrase("sampling"),
    _NO_TUNING_ASSUMED: Phrase("tuning"),
    _ONE_RECORD_ASSUMED: Phrase("records per unit"),
    _CLIPPING_ASSUMED: Phrase("clipping"),
}


@dataclass(frozen=True)
class Found:
    """An enclosure for a run, with what must be known to read it."""

    enclosure: Enclosure
    caveats: tuple[str, ...]

    def nothing_finite(self, digits: int) -> str | None:
        """That no finite mu is known to hold, where that is so."""
        if self.enclosure.lower == math.inf:
            return say("No finite μ holds for this run.")
        if self.enclosure.upper == math.inf:
            if self.enclosure.lower <= 0:
                return say("No finite μ is known to hold for this run.")
            lower = numeral(shown_down(self.enclosure.lower, digits))
            return say("No finite μ is known to hold for this run; none below {lower} does.", lower=lower)
        return None

    def unstated(self, *, below: bool) -> tuple[str, ...]:
        """What the run does not state and an end rests on, by name; more runs or records only raise the lower end."""
        names = {words: name for words, name in _ASSUMED.items() if say(words) in self.caveats}
        return tuple(say(name) for words, name in names.items() if not below or words == _POISSON_ASSUMED)


def smallest_for(run: Run, claim: Claim) -> Found:
    """The smallest value of the claim's kind that holds for the run.

    Args:
        run: what was run and what it protects.
        claim: whose kind, delta and floor are taken.
    """
    caveats: list[str] = []
    if run.trains and run.clipping == "per-batch" and (run.records_per_unit or 1) > 1:
        # A batch moves by so much whether one of its records changes or several: what is proved is about one.
        return smallest_for(replace(run, records_per_unit=1), claim)
    if run.tuning == "not counted" and run.tuning_runs:
        caveats.append(
            say(
                "Tuning is not counted: the lower end is of the final run alone, the upper one of all"
                " runs together, since what choosing the best of them reveals lies between."
            )
        )
        alone, together = (_of(run, mechanism, claim, caveats) for mechanism in (run.mechanism, run.with_tuning))
        found = Enclosure(alone.lower, together.upper)
    elif run.tuning == "not counted":
        caveats.append(
            say(
                "Tuning is not counted and the number of its runs not stated: the lower end is of the final run alone,"
                " and no upper one is known; state tuning_runs."
            )
        )
        found = Enclosure(_of(run, run.mechanism, claim, caveats).lower, math.inf)
    else:
        found = _of(run, run.accounted, claim, caveats)
    if run.tuning is None:
        caveats.append(say(_NO_TUNING_ASSUMED))
    if run.records_per_unit is None:
        caveats.append(say(_ONE_RECORD_ASSUMED))
    if run.trains and run.clipping != "per-example":
        found = _unclipped(run, found, caveats)
    return Found(found, tuple(dict.fromkeys(caveats)))


def _of(run: Run, mechanism: Mechanism, claim: Claim, caveats: list[str]) -> Enclosure:
    if mechanism.adjacency == "replace-one" and run.adjacency == "add-remove":
        caveats.append(say("The noise is stated for replacing a record; nothing follows for adding or removing one."))
        return Enclosure(0.0, math.inf)
    if mechanism.samplings - {"poisson"}:
        return _as_described(run, mechanism, claim, caveats)
    exchanged = mechanism.adjacency != run.adjacency
    group = (run.records_per_unit or 1) * (2 if exchanged else 1)
    as_sampled = not run.sampled or run.sampling in ("poisson", None)
    known = run.protecting(mechanism)
    if claim.kind == "zcdp" and known != mechanism:
        known = None
    if known is not None and as_sampled:
        if run.sampled and run.sampling is None:
            caveats.append(say(_POISSON_ASSUMED))
        return smallest(known, claim)
    of_records = all(isinstance(part, PoissonSampled) or not part.sampled for part, _ in mechanism.parts())
    if not of_records and not as_sampled:
        caveats.append(
            say("The noise is stated for other neighbours than one record; these are known on Poisson samples.")
        )
        return Enclosure(0.0, math.inf)
    if exchanged:
        caveats.append(
            say("The noise is stated for adding or removing a record; replacing one counts as a group of two.")
        )
    if not of_records:  # so many of its neighbours, one after the other, cover the unit; what is least, none says
        caveats.append(say("No exact account of such a unit is known: its records count one by one, as a group."))
        if run.sampling is None:
            caveats.append(say(_POISSON_ASSUMED))
        return Enclosure(0.0, smallest(mechanism, claim, group).upper)
    if as_sampled:
        if run.sampled and run.sampling is None:
            caveats.append(say(_POISSON_ASSUMED))
        return smallest(mechanism, claim, group)
    found = _cut_or_drawn(run, mechanism, claim, group, caveats)
    return Enclosure(0.0, found.upper) if mechanism.bounded else found


def _cut_or_drawn(run: Run, mechanism: Mechanism, claim: Claim, group: int, caveats: list[str]) -> Enclosure:
    """Of batches that are no samples, for a mechanism that is described as if they were."""
    exchanged = mechanism.adjacency != run.adjacency
    if run.sampling == "without replacement":
        caveats.append(
            say(
                "Batches of a fixed size are not accounted for: the upper end relies on no sampling at"
                " all, the lower end is that of data whose other records contribute nothing."
            )
        )
        return drawn_batches(mechanism, claim, group)
    caveats.append(say("Batches are not Poisson samples: a removed record is taken as one that is blanked out."))
    caveats += _unstated_batches(run, mechanism)
    if run.sampling == "fixed batches":
        together = (2 if exchanged else 1) * _in_one_batch(run, mechanism)
        return fixed_batches(mechanism, claim, group, run.loader, together=together)
    return shuffled_batches(mechanism, claim, group, run.loader, exchanged=exchanged)


def _as_described(run: Run, mechanism: Mechanism, claim: Claim, caveats: list[str]) -> Enclosure:
    """Of batches that the mechanism itself describes as made otherwise than by Poisson sampling."""
    known = run.protecting(mechanism)
    if len(mechanism.samplings) > 1 or run.sampling not in (None, *mechanism.samplings):
        caveats.append(say("The mechanism makes its batches otherwise than the run does; nothing follows from it."))
        return Enclosure(0.0, math.inf)
    if known is not None:
        return smallest(known, claim)
    if mechanism.adjacency == "add-remove":
        caveats.append(say(_AS_GROUP))
        return smallest(mechanism, claim, (run.records_per_unit or 1) * (2 if run.adjacency == "replace-one" else 1))
    caveats.append(
        say("Batches drawn without replacement are accounted for by exchange of one record, and no other ones.")
    )
    return Enclosure(0.0, math.inf)


def _unstated_batches(run: Run, mechanism: Mechanism) -> list[str]:
    """What is taken for granted about the passes."""
    found, runs = [], stretches(mechanism)
    fewest, most = zip(*(run.loader.batches(one.part.sample_rate) for one in runs), strict=True)
    if fewest != most:
        found.append(
            say(
                "Whether a last, incomplete batch is dropped is not stated: the lower end holds if it is"
                " kept and if it is not, and so does the upper one; state drop_last or batches_per_pass."
            )
        )
    if len(runs) > 1 or runs[0].runs > 1:
        found.append(say("Each run of DP-SGD is taken to begin a pass over the data."))
    return found


def _in_one_batch(run: Run, mechanism: Mechanism) -> int:
    """How many records of a unit may be in one batch for sure; batches of several runs may differ."""
    runs = stretches(mechanism)
    if run.dataset_size is None or len(runs) > 1 or runs[0].runs > 1:
        return 1
    # A batch of b has sample rate b / n, which in doubles times n may fall short of b.
    batch = math.floor(runs[0].part.sample_rate * run.dataset_size * (1 + _ROUNDING))
    return max(1, min(run.records_per_unit or 1, batch))


def _unclipped(run: Run, found: Enclosure, caveats: list[str]) -> Enclosure:
    if run.clipping == "none":
        caveats.append(say("Without clipping one record can move the sum without bound: no finite number holds."))
        return Enclosure(math.inf, math.inf)
    if run.clipping == "per-batch":
        caveats.append(say("Gradients are not clipped one by one: no number is known to hold."))
        return Enclosure(found.lower, math.inf)
    caveats.append(say(_CLIPPING_ASSUMED))
    return found
