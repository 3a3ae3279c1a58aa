"""The kernels once more, in the operations that array libraries have in common.

No masked assignment and no dependence of the work on the values, so that they can be traced, compiled and batched;
otherwise the mathematics of `gaussdp.numerics`, in float64. Each function takes the operations of the library first.
Arrays are one-dimensional, inside the domain, limits included.
"""

from gaussdp.numerics.portable import _derivatives, _limits
from gaussdp.numerics.portable._operations import Array, Operations
from gaussdp.numerics.portable._ports import Port
from gaussdp.numerics.portable._special import own_erfcx

__all__ = [
    "ADVANTAGE_FROM_MU",
    "DELTA_FROM_MU",
    "EPSILON_FROM_MU",
    "FNR_FROM_MU",
    "MULTIPLICATIVE_ADVANTAGE_FROM_MU",
    "MU_FROM_MULTIPLICATIVE_ADVANTAGE",
    "MU_FROM_PRECISION",
    "MU_FROM_PROFILE",
    "PRECISION_FROM_MU",
    "Array",
    "Operations",
    "Port",
    "own_erfcx",
]

ADVANTAGE_FROM_MU = Port(_limits.advantage_from_mu, _derivatives.ADVANTAGE)
FNR_FROM_MU = Port(_limits.fnr_from_mu, _derivatives.FNR)
MULTIPLICATIVE_ADVANTAGE_FROM_MU = Port(_limits.multiplicative_advantage_from_mu, _derivatives.MULTIPLICATIVE_ADVANTAGE)
PRECISION_FROM_MU = Port(_limits.precision_from_mu, _derivatives.PRECISION)
DELTA_FROM_MU = Port(_limits.delta_from_mu, _derivatives.DELTA)
EPSILON_FROM_MU = Port(_limits.epsilon_from_mu, _derivatives.EPSILON)
MU_FROM_PROFILE = Port(_limits.mu_from_profile, _derivatives.MU_BY_PROFILE)
MU_FROM_MULTIPLICATIVE_ADVANTAGE = Port(
    _limits.mu_from_multiplicative_advantage, _derivatives.MU_BY_MULTIPLICATIVE_ADVANTAGE
)
MU_FROM_PRECISION = Port(_limits.mu_from_precision, _derivatives.MU_BY_PRECISION)
