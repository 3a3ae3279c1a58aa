"""What a mu, a run or a curve means to people: guesses, false alarms, groups and repetition, in words and tables."""

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gaussdp.accounting import AccountedCurve, Fit, PointsCurve, account
from gaussdp.documents import DEFAULT_DIGITS, Block, Document, Format, IconArray, Items, Section, Words, render
from gaussdp.documents.blocks import Column, Table
from gaussdp.documents.html import fragment
from gaussdp.documents.rounding import Rounding
from gaussdp.domains import LEVEL, NON_NEGATIVE, Domain, checked, integer, number, one_of, readings
from gaussdp.errors import DomainError
from gaussdp.explaining import facts, sentences
from gaussdp.explaining.facts import PRIOR, RATE, Meaning
from gaussdp.explaining.sentences import Passage
from gaussdp.figures.drawing import FORMATS as FIGURE_FORMATS
from gaussdp.figures.icon_arrays import render_icons
from gaussdp.guarantees import GDP, Guarantee
from gaussdp.mechanisms import Adjacency, Mechanism
from gaussdp.registry import adapter_for
from gaussdp.risks import DELTA, RECALL
from gaussdp.risks.base import EVEN
from gaussdp.statements.assumptions import broken_words
from gaussdp.statements.run import Run, within_doubles
from gaussdp.words import Phrase, say

SCHEMA, VERSION = "gaussdp.explanation", 1

ROUNDING = Phrase("Risks are rounded up; what an attacker must pay is rounded down.")


def tables(explanation: Meaning) -> tuple[Table, ...]:
    """The numbers behind the words."""
    prior = sentences.frequency(explanation.prior)
    alarms = Table(
        "alarms",
        say("Attacks that accuse few by mistake"),
        (
            Column("fpr", "FPR", level=True),
            Column("tpr", "TPR at most", Rounding.UP),
            Column("ratio", "TPR/FPR at most", Rounding.UP),
            Column("precision", say("precision at most ({prior} are members)", prior=prior), Rounding.UP),
        ),
        tuple((fact.fpr, fact.tpr, fact.ratio, fact.precision) for fact in explanation.alarms),
    )
    searches = Table(
        "searches",
        say("Attacks that find a share of the members"),
        (
            Column("recall", "recall", level=True),
            Column("fpr", "FPR at least", Rounding.DOWN),
            Column("precision", say("precision at most ({prior} are members)", prior=prior), Rounding.UP),
        ),
        tuple((fact.recall, fact.fpr, fact.precision) for fact in explanation.searches),
    )
    together = Table(
        "together",
        say("Several together, several releases"),
        (
            Column("of", "of"),
            Column("count", "how many", decimals=0),
            Column("mu", "μ", Rounding.UP),
            Column("right_of_100", "of 100 guesses right at even odds", Rounding.UP),
        ),
        tuple(
            (kind, float(fact.count), fact.mu, 100 * fact.accuracy)
            for kind, found in ((explanation.whose.many, explanation.groups), (say("releases"), explanation.releases))
            for fact in found
        ),
    )
    tables = (alarms, searches, together, _equivalents(explanation))
    return tuple(table for table in tables if table.rows)


def _equivalents(explanation: Meaning) -> Table:
    saturated = any(fact.saturated for fact in explanation.equivalents)
    return Table(
        "equivalents",
        say("Pure ε-DP with the same risk"),
        (
            Column("criterion", "in"),
            Column("level_of", "at"),
            Column("level", "level", level=True),
            Column("epsilon", "ε", Rounding.UP),
            *([Column("standing", "the match")] if saturated else []),
        ),
        tuple(
            (
                str(fact.risk.gain),
                str(fact.risk.level.label) if fact.risk.level else "",
                "" if fact.level is None else fact.level,
                fact.epsilon,
                *([say("saturated") if fact.saturated else ""] if saturated else []),
            )
            for fact in explanation.equivalents
        ),
    )


def as_object(explanation: Meaning) -> dict[str, Any]:
    """The facts for programs, at full precision."""
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "mu": explanation.mu,
        **({"subject": explanation.subject, "floor": explanation.floor} if explanation.subject else {}),
        **({"caveats": list(explanation.caveats)} if explanation.caveats else {}),
        **({"unit": explanation.unit} if explanation.unit else {}),
        "prior": explanation.prior,
        "advantage": 2 * explanation.guesses[0].gain,
        "guesses": [{**asdict(fact), "after": fact.after} for fact in explanation.guesses],
        "alarms": [
            {**asdict(fact), "odds_before": fact.odds_before, "odds_after": fact.odds_after}
            for fact in explanation.alarms
        ],
        "searches": [asdict(fact) for fact in explanation.searches],
        "groups": [fact.as_object() for fact in explanation.groups],
        "releases": [fact.as_object() for fact in explanation.releases],
        "equivalents": [
            {
                "criterion": fact.criterion,
                "level_of": fact.level_of,
                "level": fact.level,
                "epsilon": fact.epsilon,
                "saturated": fact.saturated,
            }
            for fact in explanation.equivalents
        ],
    }


@dataclass(frozen=True)
class Subject:
    """A curve that is explained, and where it comes from.

    Attributes:
        curve: off which the facts are read.
        fit: its one number.
        words: what it is the curve of.
        mechanism: what has that curve, if that is known.
        caveats: what keeps the numbers from holding for a run.
        described: the mechanism as it was described, before the neighbours and the unit of a run were taken in.
        unit: these neighbours, and how many records one unit has.
    """

    curve: AccountedCurve | PointsCurve
    fit: Fit
    words: str
    mechanism: Mechanism | None = None
    caveats: tuple[str, ...] = ()
    described: Mechanism | None = None
    unit: tuple[Adjacency, int] = ("add-remove", 1)

    @classmethod
    def of(cls, thing: object) -> "Subject":
        """Of a run, a mechanism, a curve, or whatever `account` takes."""
        with within_doubles():
            mechanism = thing.protected if isinstance(thing, Run) else thing if isinstance(thing, Mechanism) else None
            described = thing.accounted if isinstance(thing, Run) else mechanism
            adjacency = (isinstance(thing, Run) and thing.adjacency) or (
                described.adjacency if described else "add-remove"
            )
            records = (isinstance(thing, Run) and thing.records_per_unit) or 1
            curve = thing if isinstance(thing, AccountedCurve | PointsCurve) else account(mechanism or thing)
            fit = _fitted(curve)
            stated = thing.label if isinstance(thing, Guarantee) and thing is not curve else say("this curve")
            words = mechanism.sentence if mechanism else stated
            caveats = broken_words(thing, curve) if isinstance(thing, Run) else ()
        return cls(curve, fit, words, mechanism, caveats, described, (adjacency, records))

    def group(self, size: int) -> tuple[Guarantee, float] | None:
        """The curve and the mu of so many people together; None if no exact account is known."""
        one = self.described
        if one is None or one.protecting(one.adjacency) is None:  # it speaks of several records already
            return None
        adjacency, records = self.unit
        known = one.protecting(adjacency, size * records)
        return _accounted(known) if known else None

    def repeated(self, times: int) -> tuple[Guarantee, float] | None:
        """The curve and the mu of so many releases; None if only the curve of one is known."""
        return _accounted(times * self.mechanism if times > 1 else self.mechanism) if self.mechanism else None


def _accounted(mechanism: Mechanism) -> tuple[Guarantee, float]:
    with within_doubles():
        curve = account(mechanism)
        try:
            return curve, _fitted(curve).mu
        except DomainError:
            return curve, math.inf  # which always holds


_SMALLER_FLOORS = (1e-20, 1e-50, 1e-100, 1e-200)


def _fitted(curve: AccountedCurve | PointsCurve) -> Fit:
    """The fit; with a smaller floor, which says more, where the usual one leaves no attack to speak about."""
    try:
        return curve.fit()
    except DomainError:
        for floor in _SMALLER_FLOORS:
            with suppress(DomainError):
                return curve.fit(floor)
        raise


DEFAULT_FPRS = (1e-2, 1e-3, 1e-5)
DEFAULT_RECALLS = (RECALL.initial,)
DEFAULT_DELTAS = (DELTA.initial,)
DEFAULT_GROUPS = (2, 5)
DEFAULT_RELEASES = (10, 100)


class Explanation(Meaning):
    """What mu-GDP means, as `explain` finds it: facts, the words for them, and pictures.

    >>> from gaussdp import explain
    >>> explain(0.8).guesses[0].after_count
    66
    """

    def __repr__(self) -> str:
        about = self.subject or f"μ = {sentences.up(self.mu, 4)}"
        return f"<Explanation of {about}: {self.headline}>"

    @property
    def title(self) -> str:
        """One line."""
        return sentences.title(self.mu, self.subject)

    @property
    def headline(self) -> str:
        """The whole in one sentence."""
        return sentences.headline(self.mu, self.guesses[0], self.whose)

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
        return sentences.icons(self)

    def document(self) -> Document:
        """The explanation as blocks, which every format renders: words, icons, and the numbers behind them."""
        passages = (
            Section(part.key, part.title, (*([Words(part.lead)] if part.lead else []), Items(part.sentences)))
            for part in self.passages
        )
        numbers = Section("numbers", say("The numbers"), (*tables(self), Words(say(ROUNDING), "quiet")))
        number = sentences.as_one_number(self)
        told = [Words(self.headline, "strong"), *([Words(number)] if number else [])]
        warnings = (Words(words, "warning") for words in self.caveats)  # before what does not hold
        blocks: list[Block] = [*warnings, *told, *self.icons, *passages, numbers]
        return Document(self.title, tuple(blocks), self._content())

    def _content(self) -> dict[str, Any]:
        """The explanation for programs: full precision, and the words."""
        return {
            **as_object(self),
            "headline": self.headline,
            "icons": [
                {"title": array.title, "counts": list(array.counts), "labels": list(array.labels)}
                for array in self.icons
            ],
            "passages": [asdict(passage) for passage in self.passages],
        }

    def render(self, format: Format = "text", digits: int = DEFAULT_DIGITS) -> str:
        """The explanation as "text", "markdown", "html" (a page of its own), "latex" or "json".

        Args:
            format: which of these.
            digits: significant digits in the tables.
        """
        return render(self.document(), format, digits)

    def figure(self, format: str = "svg") -> bytes:
        """The icon arrays as a picture: "svg", "pdf" or "png"; needs the extra `plot`."""
        return render_icons(self.icons, one_of("format", format, FIGURE_FORMATS))[format]

    def _repr_html_(self) -> str:
        return fragment(self.document(), DEFAULT_DIGITS)


@readings()
def explain(
    mu: "float | Guarantee | Mechanism | Run",
    *,
    prior: float = EVEN,
    fpr: float | Sequence[float] = DEFAULT_FPRS,
    recall: float | Sequence[float] = DEFAULT_RECALLS,
    delta: float | Sequence[float] = DEFAULT_DELTAS,
    group: int | Sequence[int] = DEFAULT_GROUPS,
    releases: int | Sequence[int] = DEFAULT_RELEASES,
) -> Explanation:
    """What a mu, a run or a curve means, in words and odds, for people who are no cryptographers.

    Every number in the words is read off the guarantee, and rounded up where it is a risk. Of a run, a mechanism or a
    curve it is read off the curve itself, for every attack; if the run is not as its accounting assumes, that is said
    first. Sentences are about the unit of the run, or about a person where no unit is known. Groups and repetition are
    told as far as an exact account is known.

    Args:
        mu: GDP parameter, in [0, inf]; or what else is to be explained: a GDP, or another guarantee that `account`
            takes; a curve; a mechanism; a Run.
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
    >>> from gaussdp import DPSGD
    >>> explain(DPSGD(1.0, 0.00512, 3907), group=(), releases=()).guesses[0].after_count
    59
    """
    share = number("prior", prior, PRIOR)
    fprs, recalls, deltas = _levels("fpr", fpr, RATE), _levels("recall", recall, RATE), _levels("delta", delta, LEVEL)
    sizes, times = _counts("group", group), _counts("releases", releases)
    guarantee, about = _told(mu, sizes, times)
    return Explanation(
        **about,
        unit=mu.unit if isinstance(mu, Run) else "",
        prior=share,
        guesses=tuple(facts.guesses(guarantee, p) for p in ((EVEN,) if share == EVEN else (EVEN, share))),
        alarms=tuple(facts.alarm(guarantee, level, share) for level in fprs),
        searches=tuple(facts.search(guarantee, level, share) for level in recalls),
        equivalents=facts.equivalents(guarantee, {"fpr": fprs, "recall": recalls, "delta": deltas}),
    )


def _told(subject: object, sizes: Sequence[int], times: Sequence[int]) -> tuple[Guarantee, dict[str, Any]]:
    """Off which guarantee risks are read, and what is said of the subject, its groups and its repetition."""
    plain = _plain(subject)
    if plain is None:
        found = Subject.of(subject)
        if found.fit.unconditional and not found.caveats:
            plain = GDP(found.fit.mu)
        else:
            return found.curve, {
                "mu": found.fit.mu,
                "floor": found.fit.floor,
                "subject": found.words,
                "caveats": found.caveats,
                "groups": tuple(facts.together(size, *known) for size in sizes if (known := found.group(size))),
                "releases": tuple(facts.together(count, *known) for count in times if (known := found.repeated(count))),
            }
    return plain, {
        "mu": plain.mu,
        "groups": tuple(facts.group(plain, size) for size in sizes),
        "releases": tuple(facts.repeated(plain, count) for count in times),
    }


def _plain(subject: object) -> GDP | None:
    """The GDP that a number, or a GDP itself, is; None of what is accounted for."""
    if isinstance(subject, GDP | float):
        return subject if isinstance(subject, GDP) else GDP(number("mu", subject, NON_NEGATIVE))
    ours = any(base.__module__.startswith("gaussdp.") for base in type(subject).__mro__)
    return None if ours or adapter_for(type(subject)) else GDP(number("mu", subject, NON_NEGATIVE))


def _levels(name: str, values: float | Sequence[float], domain: Domain) -> list[float]:
    """Levels in the domain, as many as are given, even none."""
    if isinstance(values, list | tuple) and all(type(value) is float for value in values):
        return [number(name, value, domain) for value in values]
    levels: list[float] = np.ravel(checked(name, values, domain)).tolist()
    return levels


def _counts(name: str, values: object) -> list[int]:
    if isinstance(values, Iterable) and not isinstance(values, str) and getattr(values, "ndim", 1) != 0:
        return [integer(name, value, low=1) for value in values]
    return [integer(name, values, low=1)]
