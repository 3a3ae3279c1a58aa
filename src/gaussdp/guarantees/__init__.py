"""Guarantees as trade-off curves: GDP, pure DP, approximate DP."""

from gaussdp.guarantees.approximate import ApproxDP, PureDP
from gaussdp.guarantees.base import Guarantee
from gaussdp.guarantees.gaussian import GDP

__all__ = ["GDP", "ApproxDP", "Guarantee", "PureDP"]
