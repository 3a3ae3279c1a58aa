"""The public names are frozen here: a change to them is a decision."""

import inspect

import gaussdp

NAMES = {
    "guarantees": [
        "ApproxDP",
        "ApproxGDP",
        "BoundedRange",
        "GDP",
        "Guarantee",
        "LaplaceDP",
        "ProfilePoints",
        "PureDP",
        "TradeoffPoints",
        "ZCDP",
        "read_points",
    ],
    "risks": ["Accuracy", "Advantage", "MultiplicativeAdvantage", "Precision", "Profile", "Risk", "TruePositiveRate"],
    "calibration": ["AtMost", "calibration"],
    "choosing": ["RuleOfThumb", "choose", "conservative_divisor"],
    "auditing": [
        "AUC",
        "Audit",
        "AuditPlan",
        "Credible",
        "DKW",
        "EqualLocalLevel",
        "FixedThreshold",
        "OneRunAudit",
        "Split",
        "audit",
        "audit_counts",
        "audit_errors",
        "audit_one_run",
        "plan_audit",
    ],
    "conversions": [
        "advantage_from_mu",
        "delta_from_mu",
        "epsilon_from_mu",
        "fnr_from_mu",
        "mu_from_multiplicative_advantage",
        "mu_from_precision",
        "mu_from_profile",
        "multiplicative_advantage_from_mu",
        "precision_from_mu",
    ],
    "mechanisms": [
        "BestOf",
        "Composition",
        "DPSGD",
        "DiscreteGaussian",
        "DiscreteLaplace",
        "ExponentialMechanism",
        "Gaussian",
        "Laplace",
        "MatrixMechanism",
        "Mechanism",
        "PoissonSampled",
        "RandomizedResponse",
        "TruncatedPoisson",
        "WithoutReplacement",
        "ZCDPGaussian",
    ],
    "accounting": ["Fit", "account"],
    "ledger": ["Ledger"],
    "errors": [
        "BudgetExceeded",
        "ConvergenceError",
        "DomainError",
        "GaussdpError",
        "MissingExtraError",
        "MixtureOfGaussians",
        "UnsupportedVersionError",
        "UntestedVersionWarning",
    ],
    "statements": ["Claim", "Report", "Run", "Training", "Verdict", "check_claim", "report_run"],
    "report": ["Deployment", "Explanation", "deployments", "explain"],
    "figures": ["TradeoffPlot", "comparison_figure", "tradeoff_figure"],
}
ALL = [name for names in NAMES.values() for name in names]


def test_public_names():
    assert sorted(gaussdp.__all__) == sorted(ALL)


def test_every_public_name_is_documented():
    for name in ALL:
        thing = getattr(gaussdp, name)
        assert inspect.getdoc(thing), name
        if inspect.isclass(thing):
            for attribute, member in vars(thing).items():
                if callable(member) and not attribute.startswith("_"):
                    assert inspect.getdoc(getattr(thing, attribute)), f"{name}.{attribute}"


def test_keyword_names():
    signatures = {name: list(inspect.signature(getattr(gaussdp, name)).parameters) for name in NAMES["conversions"]}
    assert signatures == {
        "advantage_from_mu": ["mu"],
        "delta_from_mu": ["mu", "epsilon"],
        "epsilon_from_mu": ["mu", "delta"],
        "fnr_from_mu": ["mu", "fpr"],
        "mu_from_multiplicative_advantage": ["epsilon", "fpr"],
        "mu_from_precision": ["epsilon", "recall"],
        "mu_from_profile": ["epsilon", "delta"],
        "multiplicative_advantage_from_mu": ["mu", "fpr"],
        "precision_from_mu": ["mu", "recall", "prior"],
    }


def test_names_loaded_when_used_are_listed():
    assert set(gaussdp.__all__) <= set(dir(gaussdp))


def test_version():
    assert gaussdp.__version__.count(".") == 2


def test_unknown_attribute():
    assert not hasattr(gaussdp, "no_such_name")
