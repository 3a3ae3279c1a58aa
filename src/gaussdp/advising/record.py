"""The record of a decision: one page on what was decided, why, by whom, on what it stands and what it leaves out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from scipy import interpolate

from gaussdp.advising.advice import NOISE_TOLD, Advice, budget_text
from gaussdp.advising.published import Noise, Published, noise_text
from gaussdp.choosing.worded_bands import band_words
from gaussdp.documents import Document, Facts, Picture, Section, Words, document_files
from gaussdp.documents.blocks import Block, Items
from gaussdp.documents.rendering import DEFAULT_DIGITS
from gaussdp.documents.rounding import Rounding, rounded, shown_percent
from gaussdp.domains import POSITIVE, number
from gaussdp.errors import DomainError
from gaussdp.figures.advised import DecisionPicture, Sheet, render_decision, render_sheet
from gaussdp.published.opendp_registry import RegistryEntry, RegistryFacts, Variant
from gaussdp.words import ENGLISH, Phrase, plural, say, speaking

_POINTS, _MODELS = 60, 8  # along the picture; noise multipliers are searched for
_SIGN = Phrase("Signed: ______________________________   Date: ______________")
_PICTURE = "decision"


@dataclass(frozen=True)
class Record:
    """A decision about a budget, to be kept.

    Attributes:
        advice: on which it stands.
        mu: what was decided, for everything together.
        day: when.
        version: of gaussdp.
    """

    advice: Advice
    mu: float
    day: date
    version: str

    @property
    def sentence(self) -> str:
        """The decision in one sentence."""
        each = self.advice.each(self.mu)
        spent = (
            say(" (μ = {each} for each of {count:,} statistics)", each=budget_text(each), count=self.advice.count)
            if self.advice.count > 1
            else ""
        )
        return say(
            "The budget for all that is published about {unit} is μ = {mu}{spent}: whoever"
            " guesses is then right with a chance of at most {guess}, and with {before} without it.",
            unit=self.advice.unit_words,
            mu=budget_text(self.mu),
            spent=spent,
            guess=shown_percent(self.advice.guess(self.mu)),
            before=shown_percent(self.advice.before),
        )

    @property
    def standing(self) -> str:
        """Whether what was decided lies within what is advised."""
        low, high = self.advice.mu, self.advice.high
        if self.mu <= low:
            return say("Every requirement holds, or is matched at every level that counts.")
        if self.mu <= high:
            return say(
                "Above the lower end of the range (μ = {low}), within the range up to μ = {high}.",
                low=budget_text(low),
                high=budget_text(high),
            )
        return say("Above what is advised: the range ends at μ = {high}.", high=budget_text(high))

    def document(self) -> Document:
        """The record as blocks, which every format renders."""
        advice, within, decision = self.advice, self.mu <= self.advice.high, self._decision()
        caption = say(
            "Left: the chance that the best guess is right. Right: the noise on what is published."
            " Both by the μ of everything together; the line is what was decided."
        )
        if decision.ranged:
            caption += " " + say("The band is what is advised.")
        blocks: list[Block] = [
            Words(self.sentence, "strong"),
            Words(
                say("{standing} In words, {band}.", standing=self.standing, band=band_words(self.mu)),
                "plain" if within else "warning",
            ),
            Picture(_PICTURE, say("Risk and noise as μ moves"), caption, self.picture),
            Section("requirements", say("What must hold, and who has set it"), (advice.requirements_table(),)),
            Section("utility", say("What it costs"), (advice.utility_table(), *advice.scenario_tables())),
            Section("assumptions", say("Assumptions"), (Items(advice.assumptions),)),
            Section("not-covered", say("What is not covered"), (Items(advice.not_covered),)),
            Section("decision", say("Decision"), (Facts(self._facts()), Words(say(_SIGN)))),
        ]
        return Document(self.title, tuple(blocks), self.as_object(), f"gaussdp {self.version}")

    @property
    def title(self) -> str:
        """One line."""
        name = self.advice.answers.title
        return say("Decision record: {name}", name=name) if name else say("Decision record: a privacy budget")

    def picture(self, ending: str = "svg") -> bytes:
        """The picture as svg, pdf or png."""
        return render_decision(self._decision(), ending)[ending]

    def pdf(self) -> bytes:
        """The record as one page."""
        advice = self.advice
        requirements = [
            say(
                "{words}; set by {source}: μ at most {low}",
                words=one.words,
                source=one.source or say("who answered"),
                low=budget_text(advice.down(one.low)),
            )
            + (say(" (binds)") if one is advice.choice.binding else "")
            for one in advice.choice.requirements
        ]
        costs = [
            say(
                "μ = {mu} ({place}): a guess is right with {guess}; ",
                mu=budget_text(step.mu),
                place=step.place,
                guess=shown_percent(advice.guess(step.mu)),
            )
            + "; ".join(
                f"{say('{label}: noise multiplier', label=one.label) if one.kind == 'model' else one.label}"
                f" {noise_text(noise)}"
                for one, noise in zip(advice.answers.statistics, step.noise, strict=True)
            )
            for step in advice.steps
        ]
        sections = (
            (say("Standing"), (self.standing, say("In words, {band}.", band=band_words(self.mu)))),
            (say("What must hold, and who has set it"), requirements),
            (say("What it costs ({noise})", noise=NOISE_TOLD), costs),
            *(((say("Scenarios"), self._compared()),) if advice.scenarios else ()),
            (say("Assumptions"), advice.assumptions),
            (say("What is not covered"), advice.not_covered),
        )
        facts = "   ".join(f"{name}: {value}" for name, value in self._facts()[1:])
        return render_sheet(self._decision(), Sheet(self.title, self.sentence, sections, (facts, "", say(_SIGN))))

    def _compared(self) -> list[str]:
        """The plan and its variants, a line each."""
        plans = ((say("as planned"), self.advice), *self.advice.scenarios)
        return [
            say(
                "{name}: {releases}, μ = {mu} in all, {each} each; a guess is right with {guess}",
                name=name,
                releases=plural(plan.answers.releases, "{n:,} release", "{n:,} releases"),
                mu=budget_text(plan.mu),
                each=budget_text(plan.each(plan.mu)),
                guess=shown_percent(plan.guess(plan.mu)),
            )
            for name, plan in plans
        ]

    def files(self) -> dict[str, bytes]:
        """The record in all formats, its picture, and the policy file."""
        document = self.document()
        return {
            **document_files("record", document, self.advice.digits, "html", "markdown", "json"),
            "record.pdf": self.pdf(),
            f"{_PICTURE}.png": self.picture("png"),
            "policy.toml": self.advice.answers.as_toml().encode(),
        }

    def as_object(self) -> dict[str, Any]:
        """For programs."""
        return {
            "mu": self.mu,
            "mu_each": self.advice.each(self.mu),
            "date": self.day.isoformat(),
            "version": self.version,
            "decided_by": self.advice.answers.decided_by,
            "contact": self.advice.answers.contact,
            "sentence": self.sentence,
            "standing": self.standing,
            "band": band_words(self.mu),
            "advice": self.advice.as_object(),
        }

    def _facts(self) -> tuple[tuple[str, str], ...]:
        answers = self.advice.answers
        return (
            (
                say("Budget"),
                say(
                    "μ = {mu} in all, μ = {each} for each statistic",
                    mu=budget_text(self.mu),
                    each=budget_text(self.advice.each(self.mu)),
                ),
            ),
            (say("Decided by"), answers.decided_by or "________________"),
            *(((say("Contact"), answers.contact),) if answers.contact else ()),
            (say("Date"), self.day.isoformat()),
            (say("Made with"), f"gaussdp {self.version}"),
        )

    def _decision(self) -> DecisionPicture:
        advice, statistics = self.advice, self.advice.answers.statistics
        drawn = [one for one in statistics if one.kind != "model"] or list(statistics)
        models = drawn[0].kind == "model"
        end = 2 * max(advice.high, self.mu)
        mus = np.union1d(np.geomspace(end / _POINTS, end, _POINTS), np.linspace(end / _POINTS, end, _POINTS)).tolist()
        relative = all(one.typical is not None for one in drawn) and not models
        unit = say("in % of the usual size") if relative else say("in its own unit")
        return DecisionPicture(
            mus,
            [advice.guess(mu) for mu in mus],
            advice.before,
            advice.mu,
            advice.high,
            (self.mu, say("decided: μ = {mu}", mu=budget_text(self.mu))),
            [
                (
                    one.label,
                    self._multipliers(one, mus) if models else [_size(advice.noise(one, mu), relative) for mu in mus],
                )
                for one in drawn
            ],
            say("Noise multiplier") if models else say("Noise, ± {unit}", unit=unit),
        )

    def _multipliers(self, model: Published, mus: Sequence[float]) -> list[float]:
        """A training's noise along the picture: solved for at a few mu and the one decided, smooth between these."""
        known = np.union1d(np.geomspace(mus[0], mus[-1], _MODELS), self.mu)
        noise = np.array([self.advice.noise(model, mu).sd for mu in known])
        known, noise = known[np.isfinite(noise)], noise[np.isfinite(noise)]
        if known.size < 2:
            return [math.nan] * len(mus)
        between = interpolate.PchipInterpolator(np.log(known), np.log(noise), extrapolate=False)
        found: list[float] = np.exp(between(np.log(mus))).tolist()
        return found


def record(advice: Advice, mu: float | None = None, day: date | None = None) -> Record:
    """The record of a decision for a mu.

    Args:
        advice: what it stands on.
        mu: what was decided for everything together; the lower end of the range if None.
        day: when; today if None.
    """
    from importlib.metadata import version  # reads files, so only when asked

    if not math.isfinite(advice.high) or advice.mu == 0 or advice.choice.saturated:
        raise DomainError("mu", problem=say("cannot be decided: the requirements allow nothing, or everything"))
    decided = advice.mu if mu is None else number("mu", mu, POSITIVE)
    return Record(advice, decided, date.today() if day is None else day, version("gaussdp"))


def _size(noise: Noise, relative: bool) -> float:
    if relative and noise.relative is not None:
        return 100 * noise.relative
    return noise.sd if noise.interval is None else noise.interval


@speaking(ENGLISH)
def decision_entry(record: Record, facts: RegistryFacts) -> RegistryEntry:
    r"""The decision as an entry of the registry: its mu as the :math:`\rho = \mu^2/2` of Gaussian noise.

    It is in English, as the registry is.

    A model's mu speaks about error rates from a floor on, from which no rho follows; the entry then says so in words.

    Args:
        record: of the decision.
        facts: what the registry asks and no decision knows.
    """
    advice, answers = record.advice, record.advice.answers
    trained = [one for one in answers.statistics if one.kind == "model"]
    mu, each = budget_text(record.mu), budget_text(advice.each(record.mu))
    variant: Variant = "Custom" if trained else "Zero-concentrated DP"
    floor = " for error rates of at least 1e-10" if trained else ""
    parameters = {} if trained else {"rho": rounded(record.mu**2 / 2, Rounding.UP, DEFAULT_DIGITS)}
    held = ", ".join(one.label for one in answers.statistics)
    return RegistryEntry(
        facts=facts,
        name=answers.title or "Planned releases",
        description=f"{record.sentence} Each release holds: {held}.",
        product="Machine learning model" if len(trained) == len(answers.statistics) else "Summary statistics",
        variant=variant,
        parameters=parameters,
        unit=advice.unit_words,
        unit_details=" ".join(advice.assumptions[:2]),
        parameters_details=f"Gaussian DP with μ = {mu}{floor}, for everything together. {record.standing}",
        releases=(advice.assumptions[2], answers.releases > 1),
        mechanisms=f"Planned: Gaussian noise, each statistic with μ = {each}.",
        composition="The μ of Gaussian releases add in squares, also where later ones depend on earlier ones.",
    )
