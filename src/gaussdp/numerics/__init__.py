"""Exact kernels on float64 arrays: no validation, no broadcasting, open domains only.

Callers hold the arrays to the stated domain; `gaussdp.conversions` is the validated face of these.
"""

from gaussdp.numerics._growth import log_tail_growth
from gaussdp.numerics._limits import inside_or
from gaussdp.numerics._log_profile import log_profile
from gaussdp.numerics._operating_points import advantage, fnr, multiplicative_advantage, precision, tpr
from gaussdp.numerics._profile import epsilon_from_mu, mu_from_profile, profile
from gaussdp.numerics._quantiles import mu_matching_curve_at_fpr, mu_matching_precision_bound, mu_through_point
from gaussdp.numerics._types import Booleans, Complexes, Floats, Indices

__all__ = [
    "Booleans",
    "Complexes",
    "Floats",
    "Indices",
    "advantage",
    "epsilon_from_mu",
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
