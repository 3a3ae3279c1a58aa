"""What the accounting takes for granted, and whether the run met it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from gaussdp.accounting.bounds.batches import shuffled_batches
from gaussdp.documents.rounding import shown_down, shown_level
from gaussdp.guarantees import Guarantee
from gaussdp.guarantees.claim import Claim
from gaussdp.statements.run import Run
from gaussdp.words import Phrase, say

Met = Literal["met", "not met", "not stated"]

_USUAL_DELTA = 1e-5
_RECORDS = Phrase("records per unit")
_NAMES = {
    "sampling": Phrase("sampling"),
    "adjacency": Phrase("adjacency"),
    "tuning": Phrase("tuning"),
    "accesses": Phrase("other looks at the data"),
    "clipping": Phrase("clipping"),
    "randomness": Phrase("randomness"),
}


@dataclass(frozen=True, repr=False)
class Assumption:
    """One assumption of the accounting.

    Attributes:
        key: its machine name.
        title: what is assumed.
        verdict: whether the run met it.
        words: why, and what follows.
        decisive: whether the number does not hold for the run if this is not met.
        name: what it is about, in words; its key unless given.
        remark: what to say of it at the head of a statement although the number holds.

    >>> Assumption("sampling", "Poisson sampling", "met", "The pipeline draws its batches so.").name
    'sampling'
    """

    key: str
    title: str
    verdict: Met
    words: str
    decisive: bool = True
    name: str = ""
    remark: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or _NAMES.get(self.key, self.key))

    def __repr__(self) -> str:
        return f"<Assumption {self.key}: {self.verdict}{'' if self.decisive else ', not decisive'}>"


def assumptions(run: Run, curve: Guarantee, digits: int = 4) -> tuple[Assumption, ...]:
    """What the accounting of this run assumes, each with its verdict.

    Which mu holds where one is not met is decided in one place, `smallest`: here stands why it is not met.

    Args:
        run: what was run.
        curve: its accounted guarantee.
        digits: significant digits of the numbers in the words.
    """
    found = [_adjacency(run), _unit(run), _tuning(run), _accesses(run)]
    if run.sampled:
        found.insert(0, _sampling(run, curve, digits))
    if run.trains:
        found.append(_clipping(run))
    found.append(_randomness(run))
    return tuple(found)


def unmet(judged: Iterable[Assumption]) -> list[Assumption]:
    """Those without which the number does not hold, and which the run did not meet."""
    return [item for item in judged if item.decisive and item.verdict == "not met"]


def broken_words(run: Run, curve: Guarantee) -> tuple[str, ...]:
    """What a run did otherwise than its account assumes, in one sentence; nothing if that is nothing."""
    broken = [item.title for item in unmet(assumptions(run, curve))]
    if not broken:
        return ()
    words = "; ".join(broken)
    return (
        say("These numbers do not hold for the run as described. Not met: {words}. See gaussdp report.", words=words),
    )


def _sampling(run: Run, curve: Guarantee, digits: int) -> Assumption:
    if run.mechanism.samplings != {"poisson"}:
        return _as_described(run)
    proved = _proved(run, curve, digits) if run.sampling == "shuffle" else ""
    passes = _passes(run)
    words: dict[str | None, tuple[Met, str]] = {
        "poisson": ("met", say("The pipeline draws its batches so.")),
        "shuffle": (
            "not met",
            say(
                "The pipeline shuffles the data and cuts them into batches{passes}. The number does not"
                " hold for it: shuffling is another mechanism and can be far less private.{proved}",
                passes=passes,
                proved=proved,
            ),
        ),
        "fixed batches": (
            "not met",
            say(
                "The pipeline uses the same batches in every pass{passes}. The number does not hold for"
                " it: without random batches nothing hides in which one a record is.",
                passes=passes,
            ),
        ),
        "without replacement": (
            "not met",
            say(
                "The pipeline draws batches of a fixed size. The number does not hold for it: that is"
                " another mechanism, which this accounting does not cover."
            ),
        ),
        None: (
            "not stated",
            say(
                "The run does not say how it makes its batches. Most data loaders shuffle, and then the"
                " number does not hold; state sampling."
            ),
        ),
    }
    verdict, sentence = words[run.sampling]
    return Assumption("sampling", say(_BATCHES["poisson"]), verdict, sentence)


_BATCHES = {
    "poisson": Phrase("Poisson sampling: each record enters each batch independently with the sample rate"),
    "without replacement": Phrase("Each batch has a fixed size and is drawn afresh without replacement"),
    "random allocation": Phrase(
        "Random allocation: in each pass each record is in a random batch, whatever the others do"
    ),
}


def _as_described(run: Run) -> Assumption:
    """Of batches that the mechanism itself describes as made otherwise than by Poisson sampling."""
    known = run.mechanism.samplings
    title = "; ".join(say(words) for sampling, words in _BATCHES.items() if sampling in known)
    if known == {run.sampling}:
        return Assumption("sampling", title, "met", say("The pipeline makes its batches so."))
    if run.sampling is None:
        words = say("The run does not say how it makes its batches; state sampling.")
        return Assumption("sampling", title, "not stated", words)
    words = say("The pipeline makes its batches otherwise. The number does not hold for it.")
    return Assumption("sampling", title, "not met", words)


def _passes(run: Run) -> str:
    """What is stated about the batches of a pass."""
    stated = [say("{count:,} a pass", count=run.batches_per_pass)] if run.batches_per_pass else []
    if run.drop_last is not None:
        stated.append(say("an incomplete last one dropped") if run.drop_last else say("an incomplete last one kept"))
    return f" ({', '.join(stated)})" if stated else ""


def _proved(run: Run, curve: Guarantee, digits: int) -> str:
    """What an attack on shuffled passes proves, where that is more than the number of Poisson sampling."""
    at = Claim(epsilon=1.0, delta=_USUAL_DELTA)
    proved = shuffled_batches(run.accounted, at, 1, run.loader, exchanged=False).lower
    if proved <= curve.epsilon(_USUAL_DELTA):
        return ""
    shown_epsilon = shown_down(proved, digits)
    return say(
        " For some data an attack proves ε of at least {epsilon} at δ = {delta}.",
        epsilon=shown_epsilon,
        delta=shown_level(_USUAL_DELTA),
    )


def _adjacency(run: Run) -> Assumption:
    title = say(
        "{kind} adjacency: the noise is stated for these neighbours",
        kind=run.mechanism.adjacency.capitalize(),
    )
    if run.adjacency == run.mechanism.adjacency:
        return Assumption("adjacency", title, "met", say("The run protects against the same change of the data."))
    if run.protecting(run.accounted) is not None:
        words = say("The run is to protect a record that is replaced, and the accounting is of that.")
        return Assumption("adjacency", title, "met", words)
    if run.mechanism.adjacency == "add-remove":
        words = say(
            "The run is to protect a record that is replaced. The number does not hold for that: to"
            " replace is to remove one and add another."
        )
    else:
        words = say(
            "The run is to protect a record that is added or removed, but its noise is stated for"
            " one that is replaced. The number does not follow; state the noise multiplier over the"
            " sensitivity to adding a record."
        )
    return Assumption("adjacency", title, "not met", words)


def _unit(run: Run) -> Assumption:
    title = say("One record a unit: the accounting protects a single record")
    if run.records_per_unit is None:
        return Assumption(
            "unit",
            title,
            "not stated",
            say(
                "The run does not say how many records one unit can have. If several, the number does"
                " not hold for the unit; state records_per_unit."
            ),
            name=_RECORDS,
        )
    if run.records_per_unit == 1:
        return Assumption("unit", title, "met", say("Each unit has one record."), name=_RECORDS)
    size = run.records_per_unit
    if run.protecting(run.accounted) is not None:
        words = say("A unit can have {size:,} records, and the accounting is of all of them together.", size=size)
        return Assumption("unit", say("The unit as it is: all of its records together"), "met", words, name=_RECORDS)
    return Assumption(
        "unit",
        title,
        "not met",
        say(
            "A unit can have {size:,} records. The number holds for one of them, not for the unit.",
            size=size,
        ),
        name=_RECORDS,
    )


def _tuning(run: Run) -> Assumption:
    title = say("Tuning on these data is counted")
    runs = say("{count:,} further runs", count=run.tuning_runs) if run.tuning_runs else say("the tuning runs")
    words: dict[str | None, tuple[Met, str]] = {
        "none": ("met", say("No hyper-parameters were tuned on these data.")),
        "counted": (
            "met",
            say("The composition holds {runs} of the same mechanism for tuning.", runs=runs)
            if run.tuning_runs
            else say("The releases accounted for include the tuning runs."),
        ),
        "not counted": (
            "not met",
            say(
                "Hyper-parameters were tuned on the same data, and {runs} are not in the composition."
                " The number speaks of the final run alone.",
                runs=runs,
            ),
        ),
        "best of": (
            "met",
            say(
                "The number is that of the best of a random number of runs: it was drawn whatever the"
                " data are, each run's score is covered by the mechanism, and nothing but the best run"
                " became known."
            ),
        ),
        None: (
            "not stated",
            say("The run does not say whether hyper-parameters were tuned on the same data; state tuning."),
        ),
    }
    verdict, sentence = words[run.tuning]
    return Assumption("tuning", title, verdict, sentence)


def _accesses(run: Run) -> Assumption:
    """Whether the mechanism covers all that was done with the data, which nothing but the run itself can say."""
    title = say("Every other look at the data is counted")
    if run.accesses:
        listed = "; ".join(run.accesses)
        words = say("The run lists everything that is done with the data: {accesses}.", accesses=listed)
        return Assumption("accesses", title, "met", words, decisive=False)
    words = say("The run does not say what else is done with the data; list everything under accesses.")
    return Assumption("accesses", title, "not stated", words, decisive=False)


def _clipping(run: Run) -> Assumption:
    title = say("Per-example clipping: no record moves the sum by more than the clip norm")
    words: dict[str | None, tuple[Met, str]] = {
        "per-example": ("met", say("Each record's gradient is clipped by itself.")),
        "per-batch": (
            "not met",
            say(
                "The gradient of the batch is clipped as a whole. A single record can then move it by"
                " more than the noise is made for; the number does not hold."
            ),
        ),
        "none": (
            "not met",
            say("Nothing is clipped. One record can move the sum without bound; the number does not hold."),
        ),
        None: ("not stated", say("The run does not say how gradients are clipped; state clipping.")),
    }
    verdict, sentence = words[run.clipping]
    return Assumption("clipping", title, verdict, sentence)


def _randomness(run: Run) -> Assumption:
    title = say("Ideal noise: unpredictable, and real numbers rather than floating point")
    words: dict[str | None, tuple[Met, str]] = {
        "secure": (
            "met",
            say("The noise comes from a cryptographic generator, made safe against floating-point attacks."),
        ),
        "ordinary": (
            "not met",
            say(
                "The noise comes from an ordinary generator in floating point. The number does not speak"
                " of attackers who predict the generator or read the low-order bits of exact outputs."
            ),
        ),
        None: ("not stated", say("The run does not say how the noise is made; state randomness.")),
    }
    verdict, sentence = words[run.randomness]
    remarks = {
        "met": "",
        "not met": say(
            "The number does not speak of attackers who predict the noise or read the low-order bits"
            " of exact outputs: randomness is ordinary (see the assumptions)."
        ),
        "not stated": say("How the noise is made is not stated; the number takes it as ideal (see the assumptions)."),
    }
    return Assumption("randomness", title, verdict, sentence, decisive=False, remark=remarks[verdict])
