"""Targets as short texts, the same on the command line and in the files of sweeps: mu=0.5, tpr@1e-3=0.01."""

import re
from collections.abc import Callable, Mapping

from gaussdp.calibration.targets import AtMost, Target
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP
from gaussdp.risks import (
    Accuracy,
    Advantage,
    MultiplicativeAdvantage,
    Precision,
    Profile,
    Risk,
    TruePositiveRate,
)

_WITHOUT_LEVEL: Mapping[str, Callable[[float], Risk]] = {
    "advantage": lambda prior: Advantage(),
    "accuracy": Accuracy,
}
_AT_A_LEVEL: Mapping[str, Callable[[float, float], Risk]] = {
    "tpr": lambda level, prior: TruePositiveRate(level),
    "multiplicative-advantage": lambda level, prior: MultiplicativeAdvantage(level),
    "precision": Precision,
    "epsilon": lambda level, prior: Profile(level),
}
NOTATIONS = (
    "mu=VALUE",
    *(f"{name}=VALUE" for name in _WITHOUT_LEVEL),
    *(f"{name}@LEVEL=VALUE" for name in _AT_A_LEVEL),
)

_TEXT = re.compile(r"(?P<name>[a-z-]+)(?:@(?P<level>[^@=]+))?=(?P<value>[^@=]+)")


def parse_target(text: str, prior: float = 0.5) -> Target:
    """The target that a text such as "tpr@1e-3=0.01" states.

    Args:
        text: one of mu, advantage, accuracy, tpr@FPR, multiplicative-advantage@FPR, precision@RECALL, epsilon@DELTA,
            with "=" and the value allowed.
        prior: probability of membership before the attack, in (0, 1), for precision and accuracy.

    >>> parse_target("tpr@1e-3=0.01")
    AtMost(risk=TruePositiveRate(fpr=0.001), value=0.01)
    >>> parse_target("mu=0.5")
    GDP(mu=0.5)
    """
    match = _TEXT.fullmatch(text.strip())
    if match is None:
        raise DomainError("target", f"one of {', '.join(NOTATIONS)}", text)
    name, level = match["name"], match["level"]
    value = _number(text, match["value"])
    if name == "mu" and level is None:
        return GDP(value)
    if name in _WITHOUT_LEVEL and level is None:
        return AtMost(_WITHOUT_LEVEL[name](prior), value)
    if name in _AT_A_LEVEL and level is not None:
        return AtMost(_AT_A_LEVEL[name](_number(text, level), prior), value)
    raise DomainError("target", f"one of {', '.join(NOTATIONS)}", text)


def _number(text: str, part: str) -> float:
    try:
        return float(part)
    except ValueError:
        raise DomainError("target", problem="must hold numbers", got=f"{part!r} in {text!r}") from None
