"""The criteria of the paper by the names of the API."""

from gaussdp.choosing.budgets import Criterion
from gaussdp.risks import MultiplicativeAdvantage, Precision, Profile
from gaussdp.web.schemas.requests import CRITERIA, CriterionName
from gaussdp.web.wording import level_text

LEVEL_NAMES: dict[CriterionName, str] = {"multiplicative_advantage": "fpr", "precision": "recall", "profile": "delta"}
USUAL_LEVELS: dict[CriterionName, tuple[float, ...]] = {
    "multiplicative_advantage": (1e-2, 1e-3, 1e-4, 1e-5),
    "precision": (1e-2, 1e-3, 1e-4, 1e-5),
    "profile": (1e-5, 1e-6, 1e-7, 1e-8),
}


def criterion_of(name: CriterionName, level: float) -> Criterion:
    """The criterion at its level."""
    if name == "multiplicative_advantage":
        return MultiplicativeAdvantage(level)
    return Precision(level) if name == "precision" else Profile(level)


def risk_words(name: CriterionName, level: float) -> str:
    """What the criterion measures at this level."""
    words = {"multiplicative_advantage": "TPR/FPR at FPR ", "precision": "precision at recall ", "profile": "ε at δ = "}
    return words[name] + level_text(level)


__all__ = ["CRITERIA", "LEVEL_NAMES", "USUAL_LEVELS", "criterion_of", "risk_words"]
