"""What is released, described and nothing more: the analysis is in `gaussdp.accounting`."""

# The order of registration is the order in which plan files' kinds are listed.
from gaussdp.mechanisms.gaussian import DPSGD, Gaussian, PoissonSampled, ZCDPGaussian

# isort: split
from gaussdp.mechanisms.additive import DiscreteGaussian, DiscreteLaplace, Laplace, RandomizedResponse
from gaussdp.mechanisms.selection import ExponentialMechanism

# isort: split
from gaussdp.mechanisms.base import Adjacency, Mechanism, Repeated
from gaussdp.mechanisms.composition import Composition, Stated
from gaussdp.mechanisms.registry import extended, register, registered

__all__ = [
    "DPSGD",
    "Adjacency",
    "Composition",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "ExponentialMechanism",
    "Gaussian",
    "Laplace",
    "Mechanism",
    "PoissonSampled",
    "RandomizedResponse",
    "Repeated",
    "Stated",
    "ZCDPGaussian",
    "extended",
    "register",
    "registered",
]
