"""Risks: what an attacker can achieve, as one number read off a guarantee."""

from gaussdp.risks.at_a_level import MultiplicativeAdvantage, Precision, Profile, TruePositiveRate
from gaussdp.risks.base import Risk
from gaussdp.risks.overall import Accuracy, Advantage

__all__ = ["Accuracy", "Advantage", "MultiplicativeAdvantage", "Precision", "Profile", "Risk", "TruePositiveRate"]
