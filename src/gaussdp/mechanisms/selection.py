"""Choosing one of several candidates by their scores."""

from dataclasses import dataclass

from gaussdp.domains import POSITIVE, Domain, number
from gaussdp.guarantees import BoundedRange
from gaussdp.mechanisms.base import Adjacency, Elementary, checked_adjacency
from gaussdp.mechanisms.registry import register

RANGE = Domain(0.0, 500.0, closed_low=False, advice="beyond, a choice gives no privacy to speak of")


@register
@dataclass(frozen=True)
class ExponentialMechanism(Elementary):
    """One of several candidates, each with probability in proportion to e^(score / scale): of bounded range eta.

    The largest score after Gumbel noise of that scale (report noisy max) is the same mechanism. Also any other release
    whose privacy losses, for two fixed neighbours, differ by at most eta.

    Args:
        eta: largest difference of two privacy losses, in (0, 500]. It is 2 / scale times the sensitivity of a score,
            and 1 / scale times it if a change of the data moves all scores in one direction.
        adjacency: the neighbours that eta speaks about.

    >>> ExponentialMechanism(eta=1.0).guarantee.implied()
    GDP(mu=0.62389...)
    """

    kind = "exponential"

    eta: float
    adjacency: Adjacency = "add-remove"

    def __post_init__(self) -> None:
        object.__setattr__(self, "eta", number("eta", self.eta, RANGE))
        checked_adjacency(self.adjacency)

    @classmethod
    def from_scores(
        cls, scale: float, sensitivity: float = 1.0, *, monotone: bool = False, adjacency: Adjacency = "add-remove"
    ) -> "ExponentialMechanism":
        """From the scale of the scores, or of the Gumbel noise that they get.

        Args:
            scale: candidates are chosen with probability in proportion to e^(score / scale); positive.
            sensitivity: the most by which one score changes between neighbours; positive.
            monotone: whether a change of the data never raises one score and lowers another.
            adjacency: the neighbours that the sensitivity speaks about.

        >>> ExponentialMechanism.from_scores(scale=2.0).eta
        1.0
        """
        moves = number("sensitivity", sensitivity, POSITIVE) / number("scale", scale, POSITIVE)
        return cls(moves if monotone else 2 * moves, adjacency)

    @property
    def guarantee(self) -> BoundedRange:
        """What one such choice guarantees."""
        return BoundedRange(self.eta)

    @property
    def pure_epsilon(self) -> float:
        return self.eta
