"""What can be explained besides a mu: runs, mechanisms and curves, each with what is known of groups and repetition."""

from dataclasses import dataclass

from gaussdp.accounting import AccountedCurve, Fit, PointsCurve, account
from gaussdp.guarantees import Guarantee
from gaussdp.mechanisms import Mechanism
from gaussdp.statements.assumptions import broken_words
from gaussdp.statements.run import Run, within_doubles


@dataclass(frozen=True)
class Subject:
    """A curve that is explained, and where it comes from.

    Attributes:
        curve: off which the facts are read.
        fit: its one number.
        words: what it is the curve of.
        mechanism: what has that curve, if that is known.
        caveats: what keeps the numbers from holding for a run.
    """

    curve: AccountedCurve | PointsCurve
    fit: Fit
    words: str
    mechanism: Mechanism | None = None
    caveats: tuple[str, ...] = ()

    @classmethod
    def of(cls, thing: object) -> "Subject":
        """Of a run, a mechanism, a curve, or whatever `account` takes."""
        with within_doubles():
            mechanism = thing.protected if isinstance(thing, Run) else thing if isinstance(thing, Mechanism) else None
            curve = thing if isinstance(thing, AccountedCurve | PointsCurve) else account(mechanism or thing)
            fit = curve.fit()
            stated = thing.label if isinstance(thing, Guarantee) and thing is not curve else "this curve"
            words = mechanism.sentence if mechanism else stated
            caveats = broken_words(thing, curve, fit) if isinstance(thing, Run) else ()
        return cls(curve, fit, words, mechanism, caveats)

    def group(self, size: int) -> tuple[Guarantee, float] | None:
        """The curve and the mu of so many people together; None if no exact account is known."""
        known = self.mechanism and self.mechanism.protecting(self.mechanism.adjacency, size)
        return _accounted(known) if known else None

    def repeated(self, times: int) -> tuple[Guarantee, float] | None:
        """The curve and the mu of so many releases; None if only the curve of one is known."""
        return _accounted(times * self.mechanism if times > 1 else self.mechanism) if self.mechanism else None


def _accounted(mechanism: Mechanism) -> tuple[Guarantee, float]:
    with within_doubles():
        curve = account(mechanism)
        return curve, curve.fit().mu
