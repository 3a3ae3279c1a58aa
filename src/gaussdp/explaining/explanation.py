"""What a mu means to people: guesses, false alarms, groups and repetition, in words and odds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from gaussdp.documents.icons import IconArray
from gaussdp.domains import LEVEL, NON_NEGATIVE, Domain, checked, integer, number
from gaussdp.errors import DomainError
from gaussdp.explaining import facts, sentences
from gaussdp.explaining.facts import PRIOR, RATE, Alarm, Equivalent, Guesses, Search, Together
from gaussdp.explaining.icons import accusation_icons, guess_icons
from gaussdp.explaining.sentences import Passage
from gaussdp.guarantees import GDP
from gaussdp.risks.base import EVEN

DEFAULT_FPRS = (1e-2, 1e-3, 1e-5)
DEFAULT_RECALLS = (0.1,)
DEFAULT_DELTAS = (1e-5,)
DEFAULT_GROUPS = (2, 5)
DEFAULT_RELEASES = (10, 100)
_MOST = 10**15  # beyond, doubles no longer count
_TELLING_FPR = 1e-3  # the level of the natural frequencies, if it is among those asked for


@dataclass(frozen=True)
class Explanation:
    """What mu-GDP means, as `explain` finds it: facts, the words for them, and pictures.

    Attributes:
        mu: the GDP parameter.
        prior: the share of members that the user named.
        guesses: right guesses at even odds, and at the prior if that is another.
        alarms: at each false-positive rate, what the best attack finds.
        searches: at each recall, what it costs.
        groups: for each size, the mu of the group.
        releases: for each number of releases, the mu of all.
        equivalents: the pure-DP epsilon with the same risk, by each criterion.
    """

    mu: float
    prior: float
    guesses: tuple[Guesses, ...]
    alarms: tuple[Alarm, ...]
    searches: tuple[Search, ...]
    groups: tuple[Together, ...]
    releases: tuple[Together, ...]
    equivalents: tuple[Equivalent, ...]

    @property
    def title(self) -> str:
        """One line."""
        return sentences.title(self.mu)

    @property
    def headline(self) -> str:
        """The whole in one sentence."""
        return sentences.headline(self.mu, self.guesses[0])

    @property
    def accusations(self) -> tuple[Alarm, ...]:
        """The one alarm told in natural frequencies: at 1 in 1,000 if that is among them, else the first."""
        telling = [alarm for alarm in self.alarms if alarm.fpr == _TELLING_FPR] or list(self.alarms[:1])
        return tuple(telling)

    @property
    def passages(self) -> tuple[Passage, ...]:
        """All the words, under their headings."""
        return sentences.passages(self)

    @property
    def sentences(self) -> tuple[str, ...]:
        """All the words, in order."""
        parts = [words for part in self.passages for words in (part.lead, *part.sentences) if words]
        return (self.headline, *parts)

    @property
    def icons(self) -> tuple[IconArray, ...]:
        """Arrays of 100 icons: the guesses at even odds, and the accusations if the prior is another."""
        arrays = [guess_icons(self.guesses[0])]
        if self.prior != EVEN:
            arrays.extend(accusation_icons(alarm) for alarm in self.accusations)
        return tuple(arrays)

    def render(self, style: str = "text", digits: int = 4, width: int = 100) -> str:
        """The explanation as "text", "markdown", "html" (a page of its own), "latex" or "json".

        Args:
            style: which of these.
            digits: significant digits in the tables.
            width: of the text, in characters.
        """
        from gaussdp.explaining.renderings import rendered

        return rendered(self, style, digits, width)

    def figure(self, style: str = "svg") -> bytes:
        """The icon arrays as a picture: "svg", "pdf" or "png"; needs the extra `plot`."""
        from gaussdp.figures.icon_arrays import render_icons

        return render_icons(self.icons, style)[style]

    def _repr_html_(self) -> str:
        from gaussdp.explaining.page import fragment

        return fragment(self)


def explain(
    mu: float,
    *,
    prior: float = EVEN,
    fpr: float | Sequence[float] = DEFAULT_FPRS,
    recall: float | Sequence[float] = DEFAULT_RECALLS,
    delta: float | Sequence[float] = DEFAULT_DELTAS,
    group: int | Sequence[int] = DEFAULT_GROUPS,
    releases: int | Sequence[int] = DEFAULT_RELEASES,
) -> Explanation:
    """What mu-GDP means, in words and odds, for people who are no cryptographers.

    Every number in the words is read off the guarantee, and rounded up where it is a risk.

    Args:
        mu: GDP parameter, in [0, inf].
        prior: the share of members among the people in question, in (0, 1); even odds are always told too.
        fpr: false-positive rates, each in [1e-300, 1).
        recall: true-positive rates, each in [1e-300, 1).
        delta: for the privacy profile, each in (0, 1).
        group: sizes of groups, whole numbers of at least 1.
        releases: numbers of releases, whole numbers of at least 1.
    Returns:
        An `Explanation`; `render` gives text, Markdown, HTML, LaTeX or JSON, notebooks show it.
    Raises:
        DomainError: if a number is out of its domain.
    Reference: odds and frequencies are what people understand best: Nanayakkara, Smart, Cummings, Kaptchuk & Redmiles,
    What Are the Chances? Explaining the Epsilon Parameter in Differential Privacy (USENIX Security 2023).

    >>> meaning = explain(0.8, prior=0.01)
    >>> meaning.guesses[0].before_count, meaning.guesses[0].after_count, meaning.guesses[0].of
    (50, 66, 100)
    >>> meaning.alarms[1].tpr
    0.01100...
    """
    guarantee = GDP(number("mu", mu, NON_NEGATIVE))
    share = number("prior", prior, PRIOR)
    fprs, recalls, deltas = _levels("fpr", fpr, RATE), _levels("recall", recall, RATE), _levels("delta", delta, LEVEL)
    return Explanation(
        mu=guarantee.mu,
        prior=share,
        guesses=tuple(facts.guesses(guarantee, p) for p in ((EVEN,) if share == EVEN else (EVEN, share))),
        alarms=tuple(facts.alarm(guarantee, level, share) for level in fprs),
        searches=tuple(facts.search(guarantee, level, share) for level in recalls),
        groups=tuple(facts.group(guarantee, size) for size in _counts("group", group)),
        releases=tuple(facts.repeated(guarantee, times) for times in _counts("releases", releases)),
        equivalents=facts.equivalents(guarantee, {"fpr": fprs, "recall": recalls, "delta": deltas}),
    )


def _levels(name: str, values: float | Sequence[float], domain: Domain) -> list[float]:
    """Levels in the domain, as many as are given, even none."""
    if isinstance(values, Sequence) and not values:
        return []
    levels: list[float] = np.ravel(checked(name, values, domain)).tolist()
    return levels


def _counts(name: str, values: int | Sequence[int]) -> list[int]:
    found = [integer(name, value, low=1) for value in (values if isinstance(values, Iterable) else [values])]
    for value in found:
        if value > _MOST:
            raise DomainError(name, f"at most {_MOST:.0e}", value, got=str(value))
    return found
