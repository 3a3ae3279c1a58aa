"""Guarantees as trade-off curves: GDP, pure and approximate DP, bounded range, Laplace noise, zCDP, and points."""

from gaussdp.guarantees.approximate import ApproxDP, PureDP
from gaussdp.guarantees.approximate_gdp import ApproxGDP
from gaussdp.guarantees.base import Guarantee
from gaussdp.guarantees.bounded_range import BoundedRange
from gaussdp.guarantees.gaussian import GDP
from gaussdp.guarantees.laplace import LaplaceDP
from gaussdp.guarantees.numeric import ProfilePoints
from gaussdp.guarantees.points_files import read_points
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
