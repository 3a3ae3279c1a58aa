"""How the scores of an audit came about, without which they prove nothing."""

from enum import Enum
from typing import Literal, get_args

from gaussdp.domains import one_of
from gaussdp.errors import DomainError

DesignName = Literal["trials", "one-run", "one-model"]
Direction = Literal["higher", "lower", "either"]

DESIGNS: tuple[DesignName, ...] = get_args(DesignName)
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
CHOICES = (
    "trials (each score from its own run), one-run (canaries put in by coins) or one-model (members and nonmembers of"
    " one trained model)"
)


class Design(Enum):
    """What each score is a trial of.

    Attributes:
        value: as the user writes it, or that it was not stated.
        assumption: the sentence that goes with every number that rests on it.
    """

    TRIALS = "trials"
    ONE_RUN = "one-run"
    ONE_MODEL = "one-model"
    UNSTATED = "trials, assumed"

    def __repr__(self) -> str:
        return repr(self.value)

    @property
    def assumption(self) -> str:
        """The sentence that goes with every number that rests on it."""
        return _ASSUMPTIONS[self]

    def titled(self, title: str) -> str:
        """The title of an answer, which begins with the assumption where nobody stated it."""
        if self is not Design.UNSTATED:
            return title
        return f"Assuming that each score has its own run (no design was stated): {title[0].lower()}{title[1:]}"

    def must_be_stated(self) -> None:
        """Refuse a verdict on a claim where it is only assumed how the scores came about."""
        if self is Design.UNSTATED:
            raise DomainError("design", problem="must be stated for a verdict on a claim", advice=f"say {CHOICES}")


_ASSUMPTIONS = {
    Design.TRIALS: "Design trials: each score comes from its own run, with or without the record.",
    Design.ONE_RUN: "Design one-run: one run with many canaries, each put in by its own fair coin.",
    Design.ONE_MODEL: "Design one-model: members and nonmembers of one trained model, not put in by coins.",
    Design.UNSTATED: "Assumed, since no design was stated: each score comes from its own run, with or without the"
    " record. Rows of one trained model are no such trials; for them the bound does not hold.",
}


def design_named(name: "DesignName | Design | None") -> Design:
    """The design of this name; none stated for None."""
    if name is None:
        return Design.UNSTATED
    return name if isinstance(name, Design) else Design(one_of("design", name, DESIGNS))


def wrong_way(auc: float, *, lower: bool, payable: bool = True) -> str:
    """The sentence about an area below a half.

    Args:
        auc: the observed area.
        lower: whether low scores were taken to mean member.
        payable: whether both directions can be tried at a price.
    """
    way, other = ("higher", "leave --lower-is-member out") if lower else ("lower", "--lower-is-member")
    paid = "; or let both directions be tried at their price (--either-direction)" if payable else ""
    return (
        f"The observed AUC is {auc:.4g}, below a half: the scores point the wrong way, members score {way} here. If"
        f" that is what they mean, for a reason other than this result, say so ({other}){paid}."
    )
