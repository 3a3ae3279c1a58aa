"""What a calibration found, and how far to trust it."""

from dataclasses import dataclass
from enum import Enum
from typing import Any

from gaussdp.accounting.bounds.batches import cut
from gaussdp.accounting.document import ASSUMES
from gaussdp.calibration.targets import Target, limit, measure
from gaussdp.documents import Column, Displayed, Document, Rounding, Table, Value, rounded, shown
from gaussdp.documents.rounding import shown_down, shown_up
from gaussdp.documents.written import number_up, written
from gaussdp.domains import NOISE, instance, number
from gaussdp.guarantees import Guarantee
from gaussdp.mechanisms import DPSGD, Mechanism, RandomAllocation, WithoutReplacement
from gaussdp.risks import AtMost
from gaussdp.words import Phrase


class Status(Enum):
    """How a search ended. Whatever the status, the value meets the target.

    >>> Status.TIGHT.value
    'tight'
    """

    TIGHT = "tight"
    """One unit of the last digit towards less privacy was read too, and misses the target."""

    RANGE_END = "range end"
    """The least private value of the range meets the target already; beyond it nothing was tried."""

    UNREAD = "unread"
    """Less private values could not be accounted for; one of them, perhaps far away, may meet the target too."""


TABLES = ("calibration", "run")
STATUS_WORDS = {
    Status.TIGHT: Phrase("one unit of the last digit towards less privacy misses the target"),
    Status.RANGE_END: Phrase(
        "the least private value of the range meets the target already; nothing beyond it was tried"
    ),
    Status.UNREAD: Phrase("less private values could not be accounted for; one of them may meet the target too"),
}


_CHECK_DIGITS = 8  # so that what is achieved and what was asked can be told apart


@dataclass(frozen=True)
class Calibration(Displayed):
    """A parameter that meets a target, checked against the exact curve.

    Attributes:
        parameter: what was solved for.
        value: the answer, rounded to the private side.
        achieved: what it gives, numerical error included: the risk, or the fitted mu of a GDP target.
        target: what was asked.
        floor: smallest error rate of the attacks that a fitted mu speaks about; 0 if it holds for all, None for a risk.
        mechanism: the calibrated mechanism; for a closed form, the release.
        curve: its guarantee, from which more can be read.
        next_value: the neighbour towards less privacy that was tried, None at the end of the range.
        next_achieved: what that would give, None if it was not or could not be read.
        evaluations: how often a mechanism was accounted for.
        status: how the search ended.

    >>> from gaussdp import GDP, calibration
    >>> calibration.noise_multiplier(GDP(0.5), sample_rate=0.01, steps=1000).value
    1.021
    """

    parameter: str
    value: float
    achieved: float
    target: Target
    floor: float | None
    mechanism: Mechanism
    curve: Guarantee
    next_value: float | None
    next_achieved: float | None
    evaluations: int
    status: Status

    def __repr__(self) -> str:
        asked = self.target if isinstance(self.target, AtMost) else f"μ ≤ {self.target.mu:g}"
        found = f"{self.parameter} = {self.value:.12g}"
        return f"<Calibration: {found} meets {asked} with {shown_up(self.achieved, 6)}, {self.status.value}>"

    def document(self, origin: str = "", *, sensitivity: float | None = None) -> Document:
        """The answer with its check and, for DP-SGD, the run to start; for plain releases, the noise to add.

        Args:
            origin: where the target comes from, as a note.
            sensitivity: of plain releases, whose noise multiplier was solved for.
        """
        instance("origin", origin, str, "a text")
        bounded, most = measure(self.target), limit(self.target)
        answer = Table(
            "calibration",
            "The answer and its check on the exact curve",
            (
                Column("parameter", "solved for"),
                Column("value", "value"),
                Column("achieved", f"{bounded} achieved"),
                Column("target", "target: at most"),
                Column("next_value", "next value tried"),
                Column("next_achieved", "would give"),
                Column("evaluations", "evaluations"),
                Column("status", "status"),
            ),
            (
                (
                    self.parameter,
                    self.value,
                    min(rounded(self.achieved, Rounding.UP, _CHECK_DIGITS), most),
                    most,
                    _or_dash(self.next_value),
                    _or_dash(_next_achieved(self, most)),
                    self.evaluations,
                    self.status.value,
                ),
            ),
        )
        tables = [answer]
        notes = [origin] if origin else []
        notes.append(f"Status {self.status.value}: {STATUS_WORDS[self.status]}.")
        if self.floor:
            notes.append(f"The fitted μ speaks about attacks whose FPR and FNR are at least {shown(self.floor)}.")
        if isinstance(self.mechanism, DPSGD | RandomAllocation | WithoutReplacement):
            tables.append(_run_table(self.mechanism))
        if isinstance(self.mechanism, DPSGD):
            notes.append(_for_opacus(self.mechanism))
        if sensitivity is not None:
            tables.append(_releases_table(self, number("sensitivity", sensitivity, NOISE)))
        notes += [words for sampling, words in ASSUMES.items() if sampling in self.mechanism.samplings]
        return Document.tabular(
            f"{bounded} at most {shown_down(most, 6)}: {self.mechanism.sentence}",
            tuple(tables),
            tuple(notes),
        )


def _run_table(run: Mechanism) -> Table:
    """The numbers of the run to start, as a plan file has them."""
    numbers: dict[str, Any] = {key: value for key, value in run.plan_entry().items() if key != "mechanism"}
    columns = tuple(Column(key, key.replace("_", " ")) for key in numbers)
    return Table("run", "The run", columns, (tuple(numbers.values()),))


def _releases_table(result: Calibration, sensitivity: float) -> Table:
    """The noise of each release, rounded up."""
    columns = (
        Column("releases", "releases"),
        Column("sensitivity", "sensitivity"),
        Column("standard_deviation", "standard deviation", Rounding.UP),
    )
    deviation = number_up(written(result.value) * written(sensitivity))
    count = sum(times for _, times in result.mechanism.parts())
    return Table("run", "The noise of each release", columns, ((count, sensitivity, deviation),))


def _for_opacus(run: DPSGD) -> str:
    """How to make Opacus do this, which takes its sample rate from the loader."""
    fewest = cut(run.sample_rate)[1]
    return (
        f"For Opacus: PrivacyEngine().make_private(..., noise_multiplier={shown(run.noise_multiplier)},"
        f" poisson_sampling=True), for {run.steps} steps. It samples at 1/len(data_loader), whatever the batch size:"
        f" let the loader have {fewest:,} batches or more, for a sample rate of at most {shown(run.sample_rate)}."
    )


def _next_achieved(result: Calibration, most: float) -> float | None:
    """What the neighbour gives, with so many digits that it shows as more than allowed."""
    if result.next_achieved is None:
        return None
    shortened = rounded(result.next_achieved, Rounding.NEAREST, _CHECK_DIGITS)
    return shortened if shortened > most else result.next_achieved


def _or_dash(value: float | None) -> Value:
    return "–" if value is None else value
