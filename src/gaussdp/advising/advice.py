"""From answers to advice: a range of mu for everything together, what each release may spend, and how good it is."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gaussdp.advising.answers import BY_KEY, MEMBERSHIP, Answers
from gaussdp.advising.published import Noise, Published, noise_text, share_of
from gaussdp.choosing import Choice, choose
from gaussdp.choosing.worded_bands import band_words
from gaussdp.documents import Document, Format, Items, Section, Words, render
from gaussdp.documents.blocks import Block, Column, Table, Value
from gaussdp.documents.rendering import DEFAULT_DIGITS
from gaussdp.documents.rounding import (
    MOST_DIGITS,
    Rounding,
    rounded,
    shown,
    shown_down,
    shown_nearest,
    shown_percent,
    shown_up,
)
from gaussdp.domains import instance, integer
from gaussdp.guarantees import GDP
from gaussdp.risks import Identification
from gaussdp.words import Phrase, numeral, plural, say

_NOUNS = {
    "person": Phrase("person"),
    "household": Phrase("household"),
    "device": Phrase("device"),
    "record": Phrase("record"),
}
NOISE_TOLD = Phrase("95 % of the noise lies within ±; sd is its standard deviation")
_WIDE = 1.2  # a range so wide that its middle is worth a row


@dataclass(frozen=True)
class Consequence:
    """What one mu, for everything together, means: the risk on one side and the noise on the other.

    Attributes:
        mu: for everything together.
        place: which mu of the range it is.
        each: the mu of each statistic of each release.
        noise: of each statistic.
    """

    mu: float
    place: str
    each: float
    noise: tuple[Noise, ...]


@dataclass(frozen=True)
class Advice:
    """What follows from the answers.

    Every budget is rounded down once, here. All else follows from the rounded number.

    Attributes:
        answers: what was said.
        choice: the budget for everything together, with its range and reasons.
        digits: significant digits of every budget.
    """

    answers: Answers
    choice: Choice
    digits: int = DEFAULT_DIGITS

    @property
    def mu(self) -> float:
        """The lower end of the range for everything together, rounded down."""
        return self.down(self.choice.mu)

    @property
    def high(self) -> float:
        """The upper end of the range, rounded down."""
        return self.down(self.choice.high)

    def down(self, mu: float) -> float:
        """A budget with so many digits as this advice gives."""
        return rounded(mu, Rounding.DOWN, self.digits)

    @property
    def count(self) -> int:
        """How many statistics are published in all: releases times statistics in each."""
        return self.answers.releases * len(self.answers.statistics)

    def each(self, mu: float) -> float:
        """What one statistic may spend if all together spend mu: they add in squares, so mu over the root of them.

        It is rounded down as a ledger counts, so that all of them fit into mu.
        """
        return mu if self.count == 1 else self.down(share_of(mu, self.count))

    @cached_property
    def steps(self) -> tuple[Consequence, ...]:
        """The risk and the noise as mu moves."""
        return tuple(self._step(mu, place) for mu, place in self._moving())

    @cached_property
    def scenarios(self) -> tuple[tuple[str, "Advice"], ...]:
        """The plan and its variants, each with its own advice."""
        return tuple((name, advise(answers, digits=self.digits)) for name, answers in self.answers.variants())

    def guess(self, mu: float) -> float:
        """The chance of a right guess about what must not be learnt, at most."""
        full = self.answers.filled
        if full["aim"] == MEMBERSHIP:
            return GDP(mu).accuracy(full["chance"])
        return Identification(full["chance"]).of(GDP(mu))

    def noise(self, one: Published, mu: float) -> Noise:
        """How much noise a statistic has if everything together spends mu."""
        full = self.answers.filled
        return one.noise(GDP(mu), full["people"], full["records_per_unit"], sharing=self.count)

    @property
    def before(self) -> float:
        """The chance of a right guess without the release."""
        full = self.answers.filled
        chance = float(full["chance"])
        return max(chance, 1 - chance) if full["aim"] == MEMBERSHIP else chance

    @property
    def sentence(self) -> str:
        """The whole in one sentence."""
        if self.choice.saturated:
            return say(
                "No budget follows: what is asked hardly limits an attacker ({words}).", words=self.choice.binding.words
            )
        low, high = budget_text(self.mu), budget_text(self.high)
        span = (
            say("μ = {low}", low=low)
            if low == high
            else say("μ between {low} (the most cautious) and {high}", low=low, high=high)
        )
        every = plural(self.count, "one statistic, once", "{n:,} statistics")
        spent = (
            say(", that is μ = {each} for each of them", each=budget_text(self.each(self.mu))) if self.count > 1 else ""
        )
        return say(
            "For everything that is published about {unit} ({every}), {span}{spent}; {band}.",
            unit=self.unit_words,
            every=every,
            span=span,
            spent=spent,
            band=band_words(self.mu),
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """The reasons: what binds, what a guess then achieves, and what was only assumed."""
        full, binding = self.answers.filled, self.choice.binding
        source = say(" (set by: {source})", source=binding.source) if binding.source else ""
        found = [say("What binds: {words}{source}.", words=binding.words, source=source), *self.choice.recommendation]
        found.append(
            say(
                "At μ = {mu} the best guess ({aim}) is right with a chance of at most {guess};"
                " without the release {before}.",
                mu=budget_text(self.mu),
                aim=_option("aim", full["aim"]),
                guess=shown_percent(self.guess(self.mu)),
                before=shown_percent(self.before),
            )
        )
        if full["aim"] != MEMBERSHIP:
            expected = Identification(full["chance"]).expected(GDP(self.mu), full["people"])
            blind = full["chance"] * full["people"]
            found.append(
                say(
                    "Among {people:,} people that is at most {expected} right guesses expected, where blind"
                    " guesses give {blind}.",
                    people=full["people"],
                    expected=shown_up(expected, 3),
                    blind=shown_nearest(blind, 3),
                )
            )
        return tuple(found)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """On what the numbers stand."""
        full = self.answers.filled
        found = [
            say(
                "Protected is {unit}, with at most {records}; more are cut.",
                unit=self.unit_words,
                records=plural(full["records_per_unit"], "{n:,} record", "{n:,} records"),
            ),
            say("Neighbouring data sets differ by all records of one of them, added or removed."),
            say(
                "{releases} ({calendar}), each with {statistics} under Gaussian noise; each may use earlier ones.",
                releases=plural(self.answers.releases, "{n:,} release", "{n:,} releases"),
                calendar=self._calendar,
                statistics=plural(len(self.answers.statistics), "{n:,} statistic", "{n:,} statistics"),
            ),
            say("The attacker may know everything else: all other records, the method and the amount of noise."),
        ]
        if any(one.kind == "mean" for one in self.answers.statistics):
            found.append(say("The number of people behind a mean is public."))
        if any(one.kind == "model" for one in self.answers.statistics):
            found.append(
                say(
                    "Models are trained on Poisson samples; the μ of one is for error rates of at least 1e-10."
                    " For several, or beside other statistics, the sum of squares is a plan and no proof:"
                    " account for all of them together."
                )
            )
        if not self.answers.published:
            found.append(say("What each release holds is not said, so one count is assumed."))
        names = " ".join(say(BY_KEY[key].text) for key in self.answers.assumed)
        if names:
            found.append(say("Not answered, so assumed: {names}", names=names))
        return (*found, *self.answers.given_way)

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What no mu promises."""
        anybody = () if self.answers.filled["aim"] != "description" else (self._singling_out(),)
        return (
            *anybody,
            say("What the published numbers say about everybody, also about those who are not in the data."),
            say("Other releases about the same people, by anybody, and those after the period."),
            say("Data that leave by other ways: breaches, insiders, access to the raw data."),
            say(
                "More than one {unit} at once: a group of k is protected with k times μ.",
                unit=_NOUNS[self.answers.filled["unit"]],
            ),
            say("Whether a law is met: this is evidence toward it, for those who judge it."),
        )

    def _singling_out(self) -> str:
        """That a blind description singles somebody out, as Cohen & Nissim (2020) define it, without any release."""
        full = self.answers.filled
        alone = math.exp(math.log(full["people"] * full["chance"]) + (full["people"] - 1) * math.log1p(-full["chance"]))
        return say(
            "Singling out anybody: without any release, such a description fits exactly one of {people:,} people with a"
            " chance of {chance}.",
            people=full["people"],
            chance=f"{shown_nearest(100 * alone, 3)}%",
        )

    def document(self) -> Document:
        """The advice as blocks."""
        blocks: list[Block] = [Words(self.sentence, "strong"), Items(self.sentences), self.requirements_table()]
        blocks += [self.utility_table(), *self.scenario_tables()]
        blocks.append(Section("assumptions", say("Assumptions"), (Items(self.assumptions),)))
        blocks.append(Section("not-covered", say("What is not covered"), (Items(self.not_covered),)))
        return Document(self.answers.title or say("Advice on a privacy budget"), tuple(blocks), self.as_object())

    def render(self, format: Format = "text") -> str:
        """The advice as "text", "markdown", "html", "latex" or "json"."""
        return render(self.document(), format, self.digits)

    def requirements_table(self) -> Table:
        """What is asked for, by whom, and what it allows."""
        columns = (
            Column("requirement", "requirement"),
            Column("source", "set by"),
            Column("mu", "μ at most"),
            Column("binds", "binds"),
        )
        rows = tuple(
            (
                one.words,
                one.source or say("who answered"),
                self.down(one.low),
                say("yes") if one is self.choice.binding else "",
            )
            for one in self.choice.requirements
        )
        return Table("requirements", say("What must hold"), columns, rows)

    def utility_table(self) -> Table:
        """The risk and the noise, as mu moves."""
        columns = (
            Column("mu", "μ in all"),
            Column("place", "which"),
            Column("mu_each", "μ each"),
            Column("chance", "a guess is right"),
            *(Column(f"noise_{i}", _heading(one)) for i, one in enumerate(self.answers.statistics, 1)),
        )
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (step.mu, step.place, step.each, numeral(shown_percent(self.guess(step.mu))), *map(noise_text, step.noise))
            for step in self.steps
        )
        return Table("utility", say("Risk and noise as μ moves ({noise})", noise=NOISE_TOLD), columns, rows)

    def scenario_tables(self) -> tuple[Table, ...]:
        """The plan and its variants side by side."""
        if not self.scenarios:
            return ()
        columns = (
            Column("scenario", "scenario"),
            Column("releases", "releases"),
            Column("mu", "μ in all"),
            Column("mu_each", "μ each"),
            Column("chance", "a guess is right"),
            Column("noise", "noise"),
        )
        rows = tuple(_row(*one) for one in ((say("as planned"), self), *self.scenarios))
        return (Table("scenarios", say("Scenarios"), columns, rows),)

    def as_object(self) -> dict[str, Any]:
        """For programs: full precision, and the words."""
        return {
            "answers": self.answers.as_mapping(),
            "filled": self.answers.filled,
            "assumed": list(self.answers.assumed),
            "mu": _finite(self.mu),
            "mu_high": _finite(self.high),
            "choice": {**self.choice.as_object(), "mu": _finite(self.mu), "mu_high": _finite(self.high)},
            "releases": {
                "count": self.answers.releases,
                "statistics": len(self.answers.statistics),
                "mu_each": self.each(self.mu),
                "mu_each_high": self.each(self.high),
            },
            "band": band_words(self.mu),
            "utility": [self._step_object(step) for step in self.steps],
            "scenarios": [{"name": name, **advice.as_object()} for name, advice in self.scenarios],
            "sentence": self.sentence,
            "words": list(self.sentences),
            "assumptions": list(self.assumptions),
            "not_covered": list(self.not_covered),
        }

    @property
    def unit_words(self) -> str:
        """Whom the budget is about: "a person"."""
        return _option("unit", self.answers.filled["unit"])

    @property
    def _calendar(self) -> str:
        full = self.answers.filled
        words = _option("every", full["every"])
        if full["every"] == "once":
            return words
        years = float(full["years"])
        return say("{words} for {years}", words=words, years=plural(years, "{n} year", "{n} years", n=shown(years)))

    def _moving(self) -> list[tuple[float, str]]:
        """The mus to look at: about the range, which is one number where everything is met."""
        low, high = self.mu, self.high
        if not 0 < low < math.inf:
            return [(low, "")]
        if high <= _WIDE * low:
            return [
                (self.down(low / 4), say("a quarter")),
                (self.down(low / 2), say("half")),
                (low, say("the budget")),
                (self.down(2 * low), say("twice: too much")),
            ]
        return [
            (self.down(low / 2), say("half")),
            (low, say("lower end")),
            (self.down(math.sqrt(low) * math.sqrt(high)), say("middle")),
            (high, say("upper end")),
            (self.down(2 * high), say("too much")),
        ]

    def _step(self, mu: float, place: str) -> Consequence:
        return Consequence(mu, place, self.each(mu), tuple(self.noise(one, mu) for one in self.answers.statistics))

    def _step_object(self, step: Consequence) -> dict[str, Any]:
        full = self.answers.filled
        return {
            "mu": step.mu,
            "place": step.place,
            "mu_each": step.each,
            "band": band_words(step.mu),
            "right_of_100": 100 * GDP(step.mu).accuracy(),
            "chance": self.guess(step.mu),
            "expected": self.guess(step.mu) * full["people"],
            "items": [
                {
                    "kind": one.kind,
                    "label": one.label,
                    "measure": one.unit,
                    "sd": noise.sd,
                    "interval": noise.interval,
                    "relative": noise.relative,
                    "text": noise_text(noise),
                }
                for one, noise in zip(self.answers.statistics, step.noise, strict=True)
            ],
        }


def advise(answers: Answers, *, digits: int = DEFAULT_DIGITS) -> Advice:
    """A range of mu that follows from the answers, with the requirement that binds, the noise and the assumptions.

    Args:
        answers: what is known; questions without an answer get the usual one, which the advice says.
        digits: significant digits of every budget, 1 to 17; they are rounded down.
    Raises:
        DomainError: if the answers are none, or contradict one another.

    >>> found = advise(Answers(aim="identification", chance=1e-3, acceptable=0.01, every="month"))
    >>> found.mu, found.each(found.mu)
    (0.7638, 0.2204)
    """
    instance("answers", answers, Answers, "the answers, as Answers(...) or Answers.read(file)")
    known = integer("digits", digits, low=1, high=MOST_DIGITS)
    return Advice(answers, choose(*answers.all_requirements()), known)


def budget_text(mu: float) -> str:
    """A budget of an advice as people read it; it is rounded already."""
    return shown_down(mu, MOST_DIGITS)


def _finite(mu: float) -> float | None:
    """For programs: None where there is no limit."""
    return mu if math.isfinite(mu) else None


def _row(name: str, advice: Advice) -> tuple[Value, ...]:
    noises = zip(advice.answers.statistics, advice._step(advice.mu, "").noise, strict=True)
    return (
        name,
        numeral(f"{advice.answers.releases:,}"),
        advice.mu,
        advice.each(advice.mu),
        numeral(shown_percent(advice.guess(advice.mu))),
        "; ".join(f"{one.label} {noise_text(noise)}" for one, noise in noises),
    )


def _heading(one: Published) -> str:
    size = "" if one.typical is None else say(" of about {typical}", typical=shown(one.typical))
    kind = say("noise multiplier") if one.kind == "model" else say("noise")
    return say("{label}{size}: {kind}", label=one.label, size=size, kind=kind)


def _option(key: str, value: str) -> str:
    return next(say(option.label) for option in BY_KEY[key].options if option.value == value)
