"""Choosing mu: meet what a policy asks for, match a risk of it, or judge a rule of thumb."""

from gaussdp.choosing.choice import Choice, choose
from gaussdp.choosing.match import Match, match
from gaussdp.choosing.requirements import Requirement
from gaussdp.choosing.rules import RuleOfThumb, conservative_divisor

__all__ = ["Choice", "Match", "Requirement", "RuleOfThumb", "choose", "conservative_divisor", "match"]
