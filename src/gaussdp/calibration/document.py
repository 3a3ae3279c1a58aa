"""What a calibration found: the number to use, what it achieves, and the run it belongs to."""

from gaussdp.calibration import Calibration, Status
from gaussdp.calibration.targets import limit, measure
from gaussdp.documents.blocks import Document
from gaussdp.documents.rounding import Rounding, rounded, shown
from gaussdp.documents.tables import Column, Table, Value
from gaussdp.mechanisms import DPSGD

TABLES = ("calibration", "run")

STATUS_WORDS = {
    Status.TIGHT: "one unit of the last digit towards less privacy misses the target",
    Status.RANGE_END: "the least private value of the range meets the target already; nothing beyond it was tried",
    Status.UNREAD: "less private values could not be accounted for; one of them may meet the target too",
}


_CHECK_DIGITS = 8  # so that what is achieved and what was asked can be told apart


def calibration_document(result: Calibration, origin: str = "") -> Document:
    """A calibration of DP-SGD in two tables: the answer with its check, and the run to start.

    Args:
        result: from `gaussdp.calibration`.
        origin: where the target comes from, as a note.
    """
    bounded, most = measure(result.target), limit(result.target)
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
                result.parameter,
                result.value,
                min(rounded(result.achieved, Rounding.UP, _CHECK_DIGITS), most),
                most,
                _or_dash(result.next_value),
                _or_dash(_next_achieved(result, most)),
                result.evaluations,
                result.status.value,
            ),
        ),
    )
    tables = [answer]
    notes = [origin] if origin else []
    notes.append(f"Status {result.status.value}: {STATUS_WORDS[result.status]}.")
    if result.floor:
        notes.append(f"The fitted μ speaks about attacks whose FPR and FNR are at least {shown(result.floor)}.")
    if isinstance(result.mechanism, DPSGD):
        run = result.mechanism
        tables.append(
            Table(
                "run",
                "The run",
                (
                    Column("noise_multiplier", "noise multiplier"),
                    Column("sample_rate", "sample rate"),
                    Column("steps", "steps"),
                ),
                ((run.noise_multiplier, run.sample_rate, run.steps),),
            )
        )
        notes.append(
            f"For Opacus: PrivacyEngine().make_private(..., noise_multiplier={shown(run.noise_multiplier)},"
            f" poisson_sampling=True) with sample rate {shown(run.sample_rate)}, for {run.steps} steps."
        )
        if run.sample_rate < 1:
            notes.append("Assumes Poisson sampling: for batches from a shuffled data set these numbers do not hold.")
    return Document.tabular(
        f"{bounded} at most {shown(rounded(most, Rounding.DOWN, 6))}: {result.mechanism.sentence}",
        tuple(tables),
        tuple(notes),
    )


def _next_achieved(result: Calibration, most: float) -> float | None:
    """What the neighbour gives, with so many digits that it shows as more than allowed."""
    if result.next_achieved is None:
        return None
    shortened = rounded(result.next_achieved, Rounding.NEAREST, _CHECK_DIGITS)
    return shortened if shortened > most else result.next_achieved


def _or_dash(value: float | None) -> Value:
    return "–" if value is None else value
