"""gaussdp: say how much privacy a release gives, in one honest number mu, and choose that number on purpose."""

from typing import TYPE_CHECKING, Any

from gaussdp.registry import Evaluator, load_with, serve_with

if TYPE_CHECKING:
    from gaussdp import calibration, mechanisms, risks
    from gaussdp.accounting import AccountedCurve, DistributionCurve, Fit, PointsCurve, Reading, account
    from gaussdp.auditing import (
        AUC,
        DKW,
        Audit,
        AuditPlan,
        Credible,
        EqualLocalLevel,
        FixedThreshold,
        OneRunAudit,
        SequentialAudit,
        Split,
        audit,
        audit_counts,
        audit_errors,
        audit_one_run,
        plan_audit,
    )
    from gaussdp.calibration import Calibration
    from gaussdp.choosing import Choice, Match, Requirement, RuleOfThumb, choose, conservative_divisor
    from gaussdp.choosing.match import match
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
    from gaussdp.documents import Document
    from gaussdp.documents.rendering import language
    from gaussdp.errors import (
        BudgetExceeded,
        ConvergenceError,
        DomainError,
        GaussdpError,
        MissingExtraError,
        UnsupportedVersionError,
        UntestedVersionWarning,
    )
    from gaussdp.explaining import Explanation, explain
    from gaussdp.figures.tradeoffs import TradeoffPlot, comparison_figure, tradeoff_figure
    from gaussdp.guarantees import (
        GDP,
        ZCDP,
        ApproxDP,
        ApproxGDP,
        BoundedRange,
        Guarantee,
        LaplaceDP,
        ProfilePoints,
        PureDP,
        TradeoffPoints,
        read_points,
    )
    from gaussdp.guarantees.claim import Claim
    from gaussdp.ledger import Ledger
    from gaussdp.mechanisms import (
        DPSGD,
        BestOf,
        Composition,
        CyclicPoisson,
        Dense,
        DiscreteGaussian,
        DiscreteLaplace,
        ExponentialMechanism,
        Gaussian,
        Laplace,
        MatrixMechanism,
        Mechanism,
        MixtureOfGaussians,
        Participation,
        PoissonSampled,
        RandomAllocation,
        RandomizedResponse,
        Stated,
        Toeplitz,
        Tree,
        TruncatedPoisson,
        WithoutReplacement,
        ZCDPGaussian,
    )
    from gaussdp.published import Deployment, deployments
    from gaussdp.risks import (
        Accuracy,
        Advantage,
        AtMost,
        Identification,
        MultiplicativeAdvantage,
        Precision,
        Profile,
        Risk,
        TruePositiveRate,
    )
    from gaussdp.statements import Report, report_run
    from gaussdp.statements.assumptions import Assumption
    from gaussdp.statements.causes import Cause
    from gaussdp.statements.run import Run
    from gaussdp.statements.training import Training
    from gaussdp.statements.verdict import Verdict, check_claim

__all__ = [
    "AUC",
    "DKW",
    "DPSGD",
    "GDP",
    "ZCDP",
    "AccountedCurve",
    "Accuracy",
    "Advantage",
    "ApproxDP",
    "ApproxGDP",
    "Assumption",
    "AtMost",
    "Audit",
    "AuditPlan",
    "BestOf",
    "BoundedRange",
    "BudgetExceeded",
    "Calibration",
    "Cause",
    "Choice",
    "Claim",
    "Composition",
    "ConvergenceError",
    "Credible",
    "CyclicPoisson",
    "Dense",
    "Deployment",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "DistributionCurve",
    "Document",
    "DomainError",
    "EqualLocalLevel",
    "Explanation",
    "ExponentialMechanism",
    "Fit",
    "FixedThreshold",
    "GaussdpError",
    "Gaussian",
    "Guarantee",
    "Identification",
    "Laplace",
    "LaplaceDP",
    "Ledger",
    "Match",
    "MatrixMechanism",
    "Mechanism",
    "MissingExtraError",
    "MixtureOfGaussians",
    "MultiplicativeAdvantage",
    "OneRunAudit",
    "Participation",
    "PointsCurve",
    "PoissonSampled",
    "Precision",
    "Profile",
    "ProfilePoints",
    "PureDP",
    "RandomAllocation",
    "RandomizedResponse",
    "Reading",
    "Report",
    "Requirement",
    "Risk",
    "RuleOfThumb",
    "Run",
    "SequentialAudit",
    "Split",
    "Stated",
    "Toeplitz",
    "TradeoffPlot",
    "TradeoffPoints",
    "Training",
    "Tree",
    "TruePositiveRate",
    "TruncatedPoisson",
    "UnsupportedVersionError",
    "UntestedVersionWarning",
    "Verdict",
    "WithoutReplacement",
    "ZCDPGaussian",
    "account",
    "advantage_from_mu",
    "audit",
    "audit_counts",
    "audit_errors",
    "audit_one_run",
    "calibration",
    "check_claim",
    "choose",
    "comparison_figure",
    "conservative_divisor",
    "delta_from_mu",
    "deployments",
    "epsilon_from_mu",
    "explain",
    "fnr_from_mu",
    "language",
    "match",
    "mechanisms",
    "mu_from_multiplicative_advantage",
    "mu_from_precision",
    "mu_from_profile",
    "multiplicative_advantage_from_mu",
    "plan_audit",
    "precision_from_mu",
    "read_points",
    "report_run",
    "risks",
    "tradeoff_figure",
]

# Where every public name is defined. It is imported when first used, so that whoever needs one loads that one alone.
_DEFINED_IN = {
    "gaussdp.accounting": "AccountedCurve DistributionCurve Fit PointsCurve Reading account",
    "gaussdp.auditing": (
        "AUC Audit AuditPlan Credible DKW EqualLocalLevel FixedThreshold OneRunAudit SequentialAudit Split audit "
        "audit_counts audit_errors audit_one_run plan_audit"
    ),
    "gaussdp.calibration": "Calibration",
    "gaussdp.choosing": "Choice Match Requirement RuleOfThumb choose conservative_divisor match",
    "gaussdp.documents.rendering": "language",
    "gaussdp.conversions": (
        "advantage_from_mu delta_from_mu epsilon_from_mu fnr_from_mu mu_from_multiplicative_advantage "
        "mu_from_precision mu_from_profile multiplicative_advantage_from_mu precision_from_mu"
    ),
    "gaussdp.documents": "Document",
    "gaussdp.errors": (
        "BudgetExceeded ConvergenceError DomainError GaussdpError MissingExtraError UnsupportedVersionError "
        "UntestedVersionWarning"
    ),
    "gaussdp.explaining": "Explanation explain",
    "gaussdp.figures.tradeoffs": "TradeoffPlot comparison_figure tradeoff_figure",
    "gaussdp.guarantees": (
        "ApproxDP ApproxGDP BoundedRange GDP Guarantee LaplaceDP ProfilePoints PureDP TradeoffPoints ZCDP read_points"
    ),
    "gaussdp.guarantees.claim": "Claim",
    "gaussdp.ledger": "Ledger",
    "gaussdp.mechanisms": (
        "BestOf Composition CyclicPoisson DPSGD Dense DiscreteGaussian DiscreteLaplace ExponentialMechanism "
        "Gaussian Laplace MatrixMechanism Mechanism MixtureOfGaussians Participation PoissonSampled "
        "RandomAllocation RandomizedResponse Stated Toeplitz Tree TruncatedPoisson WithoutReplacement ZCDPGaussian"
    ),
    "gaussdp.published": "Deployment deployments",
    "gaussdp.risks": (
        "Accuracy Advantage AtMost Identification MultiplicativeAdvantage Precision Profile Risk TruePositiveRate"
    ),
    "gaussdp.statements": "Report report_run",
    "gaussdp.statements.assumptions": "Assumption",
    "gaussdp.statements.causes": "Cause",
    "gaussdp.statements.run": "Run Training",
    "gaussdp.statements.verdict": "Verdict check_claim",
}
# Modules that `import gaussdp` alone gives, loaded when first used as well.
_ROOMS = "calibration choosing conversions documents domains errors guarantees mechanisms numerics risks"
_HOME = {name: module for module, names in _DEFINED_IN.items() for name in names.split()}


# What serves values of other libraries, by the package that defines their type: brought together here, at the top, and
# imported when the first such value arrives.
_ARRAYS = {"pandas": "frames", "polars": "frames", "torch": "array_api", "cupy": "array_api"}


def _evaluator(kind: type) -> Evaluator | None:
    """What computes the flat functions on values of a type, None where NumPy does."""
    from importlib import import_module

    packages = [base.__module__.partition(".")[0] for base in kind.__mro__]
    standard = hasattr(kind, "__array_namespace__") and "numpy" not in packages
    name = next((_ARRAYS[package] for package in packages if package in _ARRAYS), "array_api" if standard else None)
    if name is None:
        return None
    evaluate: Evaluator = import_module(f"gaussdp.integrations.{name}").evaluate
    return evaluate


serve_with(_evaluator)


# The integrations that adapt objects of other libraries for `account`, by the package that defines their types.
_ADAPTED_BY = {
    "diffprivlib": "gaussdp.integrations.diffprivlib",
    "dp_accounting": "gaussdp.integrations.dp_accounting",
    "opendp": "gaussdp.integrations.opendp",
}


def _load_integration(package: str) -> None:
    from importlib import import_module

    if package in _ADAPTED_BY:
        import_module(_ADAPTED_BY[package])


load_with(_load_integration)


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    if name in _ROOMS.split():
        return import_module(f"gaussdp.{name}")
    if name == "__version__":
        from importlib.metadata import version  # reads files, so only when asked

        return version("gaussdp")
    raise AttributeError(f"module 'gaussdp' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
