"""Guarantees as trade-off curves: GDP, pure and approximate DP, bounded range, Laplace noise, zCDP, and points."""

from gaussdp.guarantees.approximate import ApproxDP, PureDP
from gaussdp.guarantees.base import Guarantee
from gaussdp.guarantees.gaussian import GDP, ApproxGDP
from gaussdp.guarantees.numeric import ProfilePoints
from gaussdp.guarantees.points_files import read_points
from gaussdp.guarantees.single_releases import BoundedRange, LaplaceDP
from gaussdp.guarantees.tradeoff import TradeoffPoints
from gaussdp.guarantees.zcdp import ZCDP

__all__ = [
    "GDP",
    "ZCDP",
    "ApproxDP",
    "ApproxGDP",
    "BoundedRange",
    "Guarantee",
    "LaplaceDP",
    "ProfilePoints",
    "PureDP",
    "TradeoffPoints",
    "read_points",
]
