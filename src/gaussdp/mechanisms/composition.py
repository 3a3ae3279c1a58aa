"""Several releases on the same data: compositions, repetitions, and steps known only by their guarantee."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gaussdp.domains import integer
from gaussdp.errors import DomainError
from gaussdp.guarantees import ApproxDP, ProfilePoints, PureDP
from gaussdp.mechanisms.base import Adjacency, Elementary, Mechanism, checked_adjacency


@dataclass(frozen=True)
class Stated(Elementary):
    """A release of which only a guarantee is known.

    Args:
        guarantee: PureDP, ApproxDP, or several (epsilon, delta) statements together: ProfilePoints, ZCDP.
        adjacency: the neighbours that the guarantee speaks about.

    >>> Stated(PureDP(0.1)).guarantee
    PureDP(epsilon=0.1)
    """

    guarantee: PureDP | ApproxDP | ProfilePoints
    adjacency: Adjacency = "add-remove"

    def __post_init__(self) -> None:
        if not isinstance(self.guarantee, ApproxDP | ProfilePoints):
            raise DomainError(
                "guarantee", "PureDP, ApproxDP or ProfilePoints", self.guarantee, got=type(self.guarantee).__name__
            )
        checked_adjacency(self.adjacency)


@dataclass(frozen=True)
class Repeated(Mechanism):
    """A mechanism run several times on the same data, with fresh noise; written `count * mechanism`.

    >>> from gaussdp.mechanisms import Laplace
    >>> (3 * Laplace(scale=10.0)).count
    3
    """

    mechanism: Mechanism
    count: int

    def __post_init__(self) -> None:
        if not isinstance(self.mechanism, Mechanism):
            raise DomainError("mechanism", "a mechanism", self.mechanism, got=type(self.mechanism).__name__)
        object.__setattr__(self, "count", integer("count", self.count, low=1))

    @property
    def adjacency(self) -> Adjacency:
        """The adjacency of the repeated mechanism."""
        return self.mechanism.adjacency

    def parts(self) -> Iterator[tuple[Mechanism, int]]:
        for part, count in self.mechanism.parts():
            yield part, count * self.count


@dataclass(frozen=True)
class Composition(Mechanism):
    """Several mechanisms on the same data, all of one adjacency; a stated guarantee may stand for one.

    >>> from gaussdp.mechanisms import Gaussian
    >>> nested = Composition([Gaussian(4.0), 2 * Composition([Gaussian(4.0), 3 * Gaussian(1.0)])])
    >>> dict(nested.parts()) == {Gaussian(4.0): 3, Gaussian(1.0): 6}
    True
    """

    mechanisms: tuple[Mechanism, ...]

    def __init__(self, mechanisms: Iterable[Mechanism | ApproxDP | ProfilePoints]) -> None:
        if isinstance(mechanisms, Mechanism) or not isinstance(mechanisms, Iterable):
            raise DomainError("mechanisms", "a sequence of mechanisms", mechanisms, got=type(mechanisms).__name__)
        given = tuple(mechanisms)
        known: Adjacency = next((item.adjacency for item in given if isinstance(item, Mechanism)), "add-remove")
        described = tuple(Stated(item, known) if isinstance(item, ApproxDP | ProfilePoints) else item for item in given)
        if not described:
            raise DomainError("mechanisms", problem="must not be empty", advice="give at least one mechanism")
        for item in described:
            if not isinstance(item, Mechanism):
                raise DomainError(
                    "mechanisms", value=item, problem="must hold mechanisms only", got=type(item).__name__
                )
            if item.adjacency != known:
                raise DomainError(
                    "adjacency",
                    "the same for all mechanisms of a composition",
                    got=f"{known} and {item.adjacency}",
                    advice="restate the noise of one of them for the other's neighbours",
                )
        object.__setattr__(self, "mechanisms", described)

    @property
    def adjacency(self) -> Adjacency:
        """The one adjacency of all parts."""
        return self.mechanisms[0].adjacency

    def parts(self) -> Iterator[tuple[Mechanism, int]]:
        counts: dict[Mechanism, int] = {}
        for mechanism in self.mechanisms:
            for part, count in mechanism.parts():
                counts[part] = counts.get(part, 0) + count
        yield from counts.items()
