"""Exact kernels on float64 arrays: no validation, no broadcasting, open domains only.

Callers hold the arrays to the stated domain; `gaussdp.conversions` is the validated face of these. Every formula stands
once and takes the operations of an array library first; here they are for NumPy, and `flat` has the nine flat functions
for any library.
"""

from gaussdp.numerics import _profile, _quantiles, flat
from gaussdp.numerics._numpy import DEEP, NUMPY, SINGLE, inside_or
from gaussdp.numerics._operations import (
    LARGEST_EXPONENT,
    TINY,
    Array,
    Booleans,
    Complexes,
    Floats,
    Indices,
    Kernel,
    Operations,
    Step,
)
from gaussdp.numerics._portable import Portable
from gaussdp.numerics.flat import Formula, Port

__all__ = [
    "DEEP",
    "LARGEST_EXPONENT",
    "NUMPY",
    "SINGLE",
    "TINY",
    "Array",
    "Booleans",
    "Complexes",
    "Floats",
    "Formula",
    "Indices",
    "Kernel",
    "Operations",
    "Port",
    "Portable",
    "Step",
    "advantage",
    "epsilon_from_mu",
    "flat",
    "fnr",
    "inside_or",
    "log_profile",
    "log_tail_growth",
    "mu_from_profile",
    "mu_matching_curve_at_fpr",
    "mu_matching_precision_bound",
    "mu_through_point",
    "multiplicative_advantage",
    "precision",
    "profile",
    "tpr",
]


advantage: Formula = Formula(_profile.advantage)
fnr: Formula = Formula(_profile.fnr)
tpr: Formula = Formula(_profile.tpr)
multiplicative_advantage: Formula = Formula(_profile.multiplicative_advantage)
precision: Formula = Formula(_profile.precision)
log_tail_growth: Formula = Formula(_profile.log_tail_growth)
profile: Formula = Formula(_profile.profile)
log_profile: Formula = Formula(_profile.log_profile)
mu_from_profile: Formula = Formula(_profile.mu_from_profile)
epsilon_from_mu: Formula = Formula(_profile.epsilon_from_mu)
mu_matching_curve_at_fpr: Formula = Formula(_quantiles.mu_matching_curve_at_fpr)
mu_matching_precision_bound: Formula = Formula(_quantiles.mu_matching_precision_bound)
mu_through_point: Formula = Formula(_quantiles.mu_through_point)
