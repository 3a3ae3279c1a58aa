"""Targets as short texts, the same on the command line and in the files of sweeps: mu=0.5, tpr@1e-3=0.01."""

import re

from gaussdp.calibration.targets import AtMost, Target
from gaussdp.domains import instance, written_number
from gaussdp.errors import DomainError, brief
from gaussdp.guarantees import GDP
from gaussdp.risks import by_value_key, registered

_TEXT = re.compile(r"(?P<name>[a-z0-9-]+)(?:@(?P<level>[^@=]+))?=(?P<value>[^@=]+)")


def notations() -> tuple[str, ...]:
    """How bounds on risks are written, one a risk: "advantage=VALUE", "tpr@FPR=VALUE"."""
    return tuple(f"{risk.notation()}=VALUE" for risk in registered())


def parse_target(text: str, prior: float = 0.5) -> Target:
    """The target that a text such as "tpr@1e-3=0.01" states.

    Args:
        text: mu or the name of a risk (`notations` lists them), with "@" and its level if it has one, "=" and the value
            allowed.
        prior: probability of membership before the attack, in (0, 1), for precision and accuracy.

    >>> parse_target("tpr@1e-3=0.01")
    AtMost(risk=TruePositiveRate(fpr=0.001), value=0.01)
    >>> parse_target("mu=0.5")
    GDP(mu=0.5)
    """
    match = _TEXT.fullmatch(instance("target", text, str, "a text such as 'mu=0.5'").strip())
    name, level = (match["name"], match["level"]) if match else ("", None)
    risk = by_value_key(name.replace("-", "_"))
    known = (name == "mu" and level is None) or (risk is not None and (risk.level is None) == (level is None))
    if match is None or not known:
        raise DomainError("target", f"one of mu=VALUE, {', '.join(notations())}", text)
    value = _number(text, match["value"])
    if risk is None:
        return GDP(value)
    return AtMost(risk.at(None if level is None else _number(text, level), prior), value)


def _number(text: str, part: str) -> float:
    try:
        return written_number(part)
    except ValueError:
        raise DomainError("target", problem="must hold numbers", got=f"{brief(part)} in {brief(text)}") from None
