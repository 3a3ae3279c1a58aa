"""What is released, described and nothing more: the analysis is in `gaussdp.accounting`."""

# The order of registration is the order in which plan files' kinds are listed.
from gaussdp.mechanisms.gaussian import DPSGD, Gaussian, PoissonSampled, ZCDPGaussian

# isort: split
from gaussdp.mechanisms.mixtures import MixtureOfGaussians, SampledExchange

# isort: split
from gaussdp.mechanisms.additive import DiscreteGaussian, DiscreteLaplace, Laplace, RandomizedResponse, SampledNoise
from gaussdp.mechanisms.matrix import MatrixMechanism
from gaussdp.mechanisms.selection import BestOf, ExponentialMechanism

# isort: split
from gaussdp.mechanisms.samplers import TruncatedPoisson, WithoutReplacement

# isort: split
from gaussdp.mechanisms.samplers import RandomAllocation

# isort: split
from gaussdp.mechanisms.base import Adjacency, Mechanism, Repeated, extended, register, registered
from gaussdp.mechanisms.composition import Composition, Stated
from gaussdp.mechanisms.strategies import CyclicPoisson, Dense, Participation, Toeplitz, Tree

__all__ = [
    "DPSGD",
    "Adjacency",
    "BestOf",
    "Composition",
    "CyclicPoisson",
    "Dense",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "ExponentialMechanism",
    "Gaussian",
    "Laplace",
    "MatrixMechanism",
    "Mechanism",
    "MixtureOfGaussians",
    "Participation",
    "PoissonSampled",
    "RandomAllocation",
    "RandomizedResponse",
    "Repeated",
    "SampledExchange",
    "SampledNoise",
    "Stated",
    "Toeplitz",
    "Tree",
    "TruncatedPoisson",
    "WithoutReplacement",
    "ZCDPGaussian",
    "extended",
    "register",
    "registered",
]
