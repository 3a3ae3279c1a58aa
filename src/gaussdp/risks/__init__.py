"""Risks: what an attacker can achieve, as one number read off a guarantee."""

from gaussdp.risks.at_a_level import MultiplicativeAdvantage, Precision, Profile, TruePositiveRate
from gaussdp.risks.base import Risk
from gaussdp.risks.identification import CHANCE, Identification
from gaussdp.risks.levels import DELTA, FPR, RECALL, Level, Unit
from gaussdp.risks.overall import Accuracy, Advantage
from gaussdp.risks.registry import AtMost, by_level, by_value_key, criteria, criteria_at, extended, register, registered

__all__ = [
    "CHANCE",
    "DELTA",
    "FPR",
    "RECALL",
    "Accuracy",
    "Advantage",
    "AtMost",
    "Identification",
    "Level",
    "MultiplicativeAdvantage",
    "Precision",
    "Profile",
    "Risk",
    "TruePositiveRate",
    "Unit",
    "by_level",
    "by_value_key",
    "criteria",
    "criteria_at",
    "extended",
    "register",
    "registered",
]
