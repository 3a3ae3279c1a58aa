"""gaussdp: say how much privacy a release gives, in one honest number mu, and choose that number on purpose."""

from typing import Any

from gaussdp.choosing import RuleOfThumb, choose, conservative_divisor
from gaussdp.conversions import (
    advantage_from_mu,
    delta_from_mu,
    epsilon_from_mu,
    fnr_from_mu,
    mu_from_multiplicative_advantage,
    mu_from_precision,
    mu_from_profile,
    multiplicative_advantage_from_mu,
    precision_from_mu,
)
from gaussdp.errors import ConvergenceError, DomainError, GaussdpError, MissingExtraError
from gaussdp.guarantees import GDP, ApproxDP, Guarantee, ProfilePoints, PureDP
from gaussdp.risks import Accuracy, Advantage, MultiplicativeAdvantage, Precision, Profile, Risk

__all__ = [
    "GDP",
    "Accuracy",
    "Advantage",
    "ApproxDP",
    "ConvergenceError",
    "DomainError",
    "GaussdpError",
    "Guarantee",
    "MissingExtraError",
    "MultiplicativeAdvantage",
    "Precision",
    "Profile",
    "ProfilePoints",
    "PureDP",
    "Risk",
    "RuleOfThumb",
    "advantage_from_mu",
    "choose",
    "conservative_divisor",
    "delta_from_mu",
    "epsilon_from_mu",
    "fnr_from_mu",
    "mu_from_multiplicative_advantage",
    "mu_from_precision",
    "mu_from_profile",
    "multiplicative_advantage_from_mu",
    "precision_from_mu",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # reads files, so only when asked

        return version("gaussdp")
    raise AttributeError(f"module 'gaussdp' has no attribute {name!r}")
