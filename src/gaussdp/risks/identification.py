"""What an attacker learns about a person: whom, which attribute, which record, against what a guess would give."""

from dataclasses import dataclass
from typing import ClassVar

from gaussdp.documents.rounding import frequency, one_in, turns
from gaussdp.domains import Domain, integer, number, one_of
from gaussdp.guarantees import Guarantee
from gaussdp.risks.at_a_level import AtRate
from gaussdp.risks.base import Start
from gaussdp.risks.levels import Level, Unit
from gaussdp.risks.registry import register
from gaussdp.words import Phrase, say


@dataclass(frozen=True)
class Aim:
    """What the attacker is after.

    Attributes:
        label: to choose it by.
        question: what must not be learnt, as one asks it.
        success: what a success is; follows "an attacker".
        baseline: what the chance without the person's record is, and where to find it.
    """

    label: str
    question: str
    success: str
    baseline: str


AIMS = {
    "identification": Aim(
        Phrase("Identification"),
        Phrase("Who among several candidates is the person?"),
        Phrase("picks the right person among the candidates"),
        Phrase("one over the number of candidates; for a list of k guesses, k over it"),
    ),
    "attribute": Aim(
        Phrase("Attribute inference"),
        Phrase("Which value has a sensitive attribute of the person?"),
        Phrase("guesses the person's attribute"),
        Phrase("the share of people like the person who have the likeliest value"),
    ),
    "reconstruction": Aim(
        Phrase("Reconstruction"),
        Phrase("What does the person's record say, nearly enough?"),
        Phrase("reconstructs the person's record nearly enough"),
        Phrase("the chance that the best guess from what is known already comes as near"),
    ),
    "description": Aim(
        Phrase("Description of one person"),
        Phrase("Which description fits one person, chosen in advance?"),
        Phrase("finds a description that fits the person chosen in advance"),
        Phrase("the weight of the description: the share of people whom it fits"),
    ),
}
_KINDS = tuple(AIMS)


def _blindly(chance: float) -> str:
    """How often a blind guess is right: "1 in 1,000"."""
    return frequency(chance) if turns(chance) is None else one_in(chance)


def _where_guessed(chance: float) -> str:
    return say("where a blind guess is right {chance}", chance=_blindly(chance))


CHANCE = Level(
    key="chance",
    label=Phrase("chance"),
    symbol="κ",
    math=r"\kappa",
    usual=(1e-1, 1e-3, 1e-6),
    words=Phrase("chance of a blind guess"),
    plural=Phrase("chances of a blind guess"),
    one=Phrase("a chance"),
    initial=1e-3,
    meaning=(
        Phrase(
            "The chance that the attacker's best guess is right without the person's record: one"
            " over the number of candidates, or the share of people who have the attribute."
        )
    ),
    attacks=Phrase("Attackers who guess blindly with this chance"),
    told=one_in,
    people=_where_guessed,
)


@register
@dataclass(frozen=True)
class Identification(AtRate):
    r"""The largest chance that an attacker's guess about a person is right.

    .. math:: 1 - f(\kappa) = \Phi(\Phi^{-1}(\kappa) + \mu)

    It holds for any guess of which one can say whether it is right (a candidate, an attribute, a record nearly enough,
    a description), for an attacker who knows all other records, and is multiplicative advantage read another way: what
    there is the rate of false alarms is here the chance of a blind guess (docs/choosing.md has the proof).

    Args:
        chance: that the best guess is right without the person's record, in (0, 1): 1/N for one of N candidates.
        aim: what is guessed: identification, attribute, reconstruction or description. It moves the words, not
            the number. The person is fixed in advance: this is not singling out, which is about anybody
            (docs/choosing.md).
    Reference: Kulynych et al., Unifying Re-Identification, Attribute Inference, and Data Reconstruction Risks in
    Differential Privacy (2025), arXiv 2507.06969.

    >>> from gaussdp import GDP
    >>> Identification.among(1000).mu_for(0.01)
    0.76388...
    >>> Identification(chance=1e-3).expected(GDP(0.5), people=10_000)
    47.955...
    """

    name: ClassVar[str] = Phrase("identification")
    label: ClassVar[str] = Phrase("Chance to identify")
    hint: ClassVar[str] = Phrase("how likely a guess about a person is right")
    quantity: ClassVar[str] = Phrase("chance of a right guess")
    gain: ClassVar[str] = Phrase("right guesses about a person")
    level: ClassVar[Level] = CHANCE
    unit = Unit.SHARE
    criterion = True
    start: ClassVar[Start] = (0.01, 1e-3)

    chance: float
    aim: str = "identification"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("aim", self.aim, _KINDS)

    @classmethod
    def among(cls, candidates: int, guesses: int = 1) -> "Identification":
        """For the right one among so many candidates, with so many guesses; all are as likely."""
        count = integer("candidates", candidates, low=2)
        return cls(integer("guesses", guesses, low=1, high=count - 1) / count)

    def sentence(self, guarantee: Guarantee) -> str:
        return say(
            "An attacker then {success} with a chance of at most {text}, as under the policy.",
            success=self._success,
            text=self.text(guarantee),
        )

    def limited(self, value: float) -> str:
        return say("nobody {success} with a chance above {text}", success=self._success, text=self.unit.text(value))

    @property
    def _success(self) -> str:
        return say("{success} (a blind guess: {chance})", success=AIMS[self.aim].success, chance=_blindly(self.chance))

    def of(self, guarantee: Guarantee) -> float:
        return guarantee.tpr(self.chance)

    def mu_for(self, value: float) -> float:
        return self._mu_with_tpr(number("chance of a right guess", value, Domain(self.chance, 1.0)))

    def expected(self, guarantee: Guarantee, people: int) -> float:
        """The expected number of people about whom the attacker is right, at most, among so many.

        Expectations add whether or not the guesses depend on one another, so this needs no independence.
        """
        return integer("people", people, low=0) * self.of(guarantee)
