"""What is released, described and nothing more: the analysis is in `gaussdp.accounting`."""

from gaussdp.mechanisms.additive import DiscreteGaussian, DiscreteLaplace, Laplace, RandomizedResponse
from gaussdp.mechanisms.base import Adjacency, Mechanism
from gaussdp.mechanisms.composition import Composition, Repeated, Stated
from gaussdp.mechanisms.gaussian import DPSGD, Gaussian, PoissonSampled, ZCDPGaussian

__all__ = [
    "DPSGD",
    "Adjacency",
    "Composition",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Gaussian",
    "Laplace",
    "Mechanism",
    "PoissonSampled",
    "RandomizedResponse",
    "Repeated",
    "Stated",
    "ZCDPGaussian",
]
