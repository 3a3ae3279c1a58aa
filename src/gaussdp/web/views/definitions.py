"""What can be chosen on the page, each with the words of the thing that is chosen."""

from collections.abc import Mapping
from typing import Any

from gaussdp.documents.rounding import shown
from gaussdp.domains import Choice
from gaussdp.mechanisms.base import ADJACENCIES
from gaussdp.risks import Risk, by_level, criteria, registered
from gaussdp.risks.levels import capital
from gaussdp.statements.run import SAMPLINGS
from gaussdp.web.schemas.responses import (
    CriterionDefinition,
    Definitions,
    LevelDefinition,
    Option,
    TargetDefinition,
)


def definitions() -> Definitions:
    """Levels, criteria, targets, adjacencies and ways to draw batches."""
    return Definitions(
        levels=[
            LevelDefinition(
                key=level.key,
                label=level.label,
                words=level.words,
                title=capital(level.words),
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
        targets=[
            TargetDefinition(value="mu", label="μ at most", bound="μ", start="1", level=None, start_level=None),
            *map(_target, registered()),
        ],
        adjacency=_options(ADJACENCIES),
        sampling=_options(SAMPLINGS),
    )


def _target(risk: type[Risk]) -> TargetDefinition:
    value, level = risk.first_bound()
    # A risk whose number has another name than itself is asked for by its number.
    asked = risk.label if risk.value_key == risk.key else risk.quantity
    return TargetDefinition(
        value=risk.value_key,
        label=f"{asked}{f' at {risk.level.one}' if risk.level else ''}, at most",
        bound=capital(risk.quantity),
        start=shown(value),
        level=risk.level.key if risk.level else None,
        start_level=None if level is None else shown(level),
    )


def _options(choices: Mapping[Any, Choice]) -> list[Option]:
    return [Option(value=value, label=choice.label) for value, choice in choices.items()]
