"""Choosing mu: match a risk, or judge a rule of thumb."""

from gaussdp.choosing.match import choose
from gaussdp.choosing.rules import RuleOfThumb, conservative_divisor

__all__ = ["RuleOfThumb", "choose", "conservative_divisor"]
