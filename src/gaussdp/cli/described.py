"""The files that commands take: a run, or a plan of releases alone."""

from pathlib import Path

from gaussdp.documents.structured import file_text, parsed
from gaussdp.errors import DomainError
from gaussdp.mechanisms import Composition, Mechanism
from gaussdp.mechanisms.plan import parse_plan
from gaussdp.statements.run import Run


def described(file: Path) -> Run | Composition:
    """What a file describes: releases alone are a plan, anything more is a run."""
    text, name = file_text(file)
    content = parsed(text, name)
    if isinstance(content, dict) and "releases" in content and "training" not in content and len(content) == 1:
        return parse_plan(text, name)
    return Run.parse(text, name)


def mechanism_of(found: Run | Composition, name: str) -> Mechanism:
    """What is accounted for: of a run, with its tuning, for its neighbours and its unit.

    Raises:
        DomainError: if no exact account is known for these neighbours.
    """
    if not isinstance(found, Run):
        return found
    mechanism = found.protecting(found.accounted)
    if mechanism is None:
        raise DomainError(None, problem="no exact account is known for the neighbours and the unit", place=name)
    return mechanism
