"""What can be chosen on the page, each with the words of the thing that is chosen, and what numbers may be."""

import math
from collections.abc import Mapping
from typing import Any

from gaussdp.documents.rendering import PROSE_FORMATS, STYLES
from gaussdp.documents.rounding import shown
from gaussdp.domains import WordChoice
from gaussdp.mechanisms.base import ADJACENCIES
from gaussdp.risks import Risk, by_level, criteria, registered
from gaussdp.risks.levels import capital
from gaussdp.statements.run import CLIPPINGS, GENERATORS, SAMPLINGS, TUNINGS
from gaussdp.web.schemas.kinds import Number, Whole, kinds_of
from gaussdp.web.schemas.requests import (
    AccountRequest,
    Answered,
    ChooseRequest,
    PublishedRequest,
    ReleaseRequest,
    UnderstandRequest,
)
from gaussdp.web.schemas.responses import (
    CriterionDefinition,
    Definitions,
    LevelDefinition,
    Option,
    Range,
    TargetDefinition,
)
from gaussdp.web.views.advise import kinds, questions
from gaussdp.words import Phrase, say

_NOT_STATED = Option(value="", label=Phrase("not stated"))
_CURRENCIES = (
    TargetDefinition(
        value="epsilon",
        label=Phrase("ε of pure DP, or (ε, δ)"),
        bound="ε",
        start="3",
        level="delta",
        start_level="1e-5",
    ),
    TargetDefinition(
        value="rho", label=Phrase("ρ of zero-concentrated DP"), bound="ρ", start="0.1", level=None, start_level=None
    ),
)
_STARTS = {
    "mu": ("0.5", None),
    "accuracy": (Phrase("55 of 100"), None),
    "identification": ("1%", "1/1000"),
    "tpr": ("1%", "0.001"),
}
_ASKED = {
    "mu": Phrase("μ of Gaussian DP"),
    "accuracy": Phrase("how many guesses are right"),
    "identification": Phrase("the chance to pick the right person"),
    "tpr": Phrase("the members found (TPR) at an FPR"),
}
_NOISE: Mapping[str, str] = {
    "gaussian": Phrase("Gaussian"),
    "laplace": Phrase("Laplace"),
    "discrete-gaussian": Phrase("Discrete Gaussian"),
    "discrete-laplace": Phrase("Discrete Laplace (geometric)"),
}


def definitions() -> Definitions:
    """Levels, criteria, targets, what describes a run, and the ranges of numbers."""
    targets = [
        TargetDefinition(value="mu", label=say("μ at most"), bound="μ", start="1", level=None, start_level=None),
        *map(_target, registered()),
    ]
    return Definitions(
        levels=[
            LevelDefinition(
                key=level.key,
                label=level.label,
                words=level.words,
                title=capital(str(level.words)),
                meaning=level.meaning,
                initial=shown(level.initial),
            )
            for level in by_level(registered())
        ],
        criteria=[
            CriterionDefinition(value=risk.key, label=risk.label, hint=risk.hint, level=risk.level.key)
            for risk in criteria()
            if risk.level is not None
        ],
        targets=targets,
        currencies=[
            *_CURRENCIES,
            *(_currency(one) for one in sorted(targets, key=_first) if one["value"] != "epsilon"),
        ],
        adjacency=_options(ADJACENCIES),
        sampling=_options(SAMPLINGS),
        tuning=[_NOT_STATED, *_options(TUNINGS)],
        clipping=[_NOT_STATED, *_options(CLIPPINGS)],
        randomness=[_NOT_STATED, *_options(GENERATORS)],
        noise=_options(_NOISE),
        ranges=_ranges(),
        questions=questions(),
        published=kinds(),
        documents=[Option(value=name, label=say(STYLES[name].label)) for name in PROSE_FORMATS],
    )


def _target(risk: type[Risk]) -> TargetDefinition:
    value, level = risk.first_bound()
    # A risk whose number has another name than itself is asked for by its number.
    asked = risk.label if risk.value_key == risk.key else risk.quantity
    return TargetDefinition(
        value=risk.value_key,
        label=say("{asked} at {level}, at most", asked=asked, level=risk.level.one)
        if risk.level
        else say("{asked}, at most", asked=asked),
        bound=capital(str(risk.quantity)),
        start=shown(value),
        level=risk.level.key if risk.level else None,
        start_level=None if level is None else shown(level),
    )


def _first(target: TargetDefinition) -> int:
    """What a policy says most often comes first."""
    return list(_ASKED).index(target["value"]) if target["value"] in _ASKED else len(_ASKED)


def _currency(target: TargetDefinition) -> TargetDefinition:
    """A target as a way to state a policy."""
    start, level = _STARTS.get(target["value"], (target["start"], target["start_level"]))
    return {**target, "label": _ASKED.get(target["value"], target["label"]), "start": start, "start_level": level}


def _options(choices: Mapping[Any, WordChoice | str]) -> list[Option]:
    return [
        Option(value=value, label=choice.label if isinstance(choice, WordChoice) else choice)
        for value, choice in choices.items()
    ]


def _ranges() -> list[Range]:
    """Of every number that a request may hold, so that the page can tell all wrong fields at once."""
    found: dict[str, Range] = {}
    for request in (PublishedRequest, Answered, ChooseRequest, UnderstandRequest, AccountRequest, ReleaseRequest):
        for name, kind in kinds_of(request).items():
            if isinstance(kind, Number):
                domain = kind.domain.meant or kind.domain
                high = domain.high
                included = domain.closed_high and high < math.inf
                found[name] = Range(
                    name=name,
                    low=domain.low,
                    high=high,
                    low_included=domain.closed_low,
                    high_included=included,
                    whole=False,
                )
            elif isinstance(kind, Whole):
                found[name] = Range(
                    name=name, low=kind.low, high=kind.high, low_included=True, high_included=True, whole=True
                )
    return list(found.values())
