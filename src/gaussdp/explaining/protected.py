"""Of whom an explanation speaks: of people, or of whatever else the guarantee protects."""

from dataclasses import dataclass

from gaussdp.words import say

_PERSON = ("", "person", "a person", "one person")


@dataclass(frozen=True)
class Protected:
    """What the guarantee protects, as the sentences name it.

    Attributes:
        name: what whoever described it called it, such as "one image"; empty where nobody did.

    >>> Protected("one image").of_one, Protected("one image").many, Protected().of_one
    ('of one image', 'units', 'of one person')
    """

    name: str = ""

    @property
    def person(self) -> bool:
        """Whether it is a person, as where nothing else is said."""
        return self.name.strip().casefold() in (*_PERSON, say("one person").casefold())

    @property
    def of_one(self) -> str:
        """Whose: "of one person"."""
        return say("of one person") if self.person else say("of {unit}", unit=self.name)

    @property
    def noun(self) -> str:
        """One of them, after its name was said."""
        return say("person") if self.person else say("unit of protection")

    @property
    def many(self) -> str:
        """Several of them."""
        return say("people") if self.person else say("units")


PEOPLE = Protected()
