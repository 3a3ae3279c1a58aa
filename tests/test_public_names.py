"""The public names are frozen here: a change to them is a decision."""

import inspect
import subprocess
import sys

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
    "risks": [
        "Accuracy",
        "Advantage",
        "AtMost",
        "Identification",
        "MultiplicativeAdvantage",
        "Precision",
        "Profile",
        "Risk",
        "TruePositiveRate",
    ],
    "calibration": ["Calibration", "calibration"],
    "rooms": ["mechanisms", "risks"],
    "documents": ["Document"],
    "choosing": ["Choice", "Match", "Requirement", "RuleOfThumb", "choose", "conservative_divisor", "match"],
    "auditing": [
        "AUC",
        "Audit",
        "AuditPlan",
        "Credible",
        "DKW",
        "EqualLocalLevel",
        "FixedThreshold",
        "OneRunAudit",
        "SequentialAudit",
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
        "CyclicPoisson",
        "DPSGD",
        "Dense",
        "DiscreteGaussian",
        "DiscreteLaplace",
        "ExponentialMechanism",
        "Gaussian",
        "Laplace",
        "MatrixMechanism",
        "Mechanism",
        "Participation",
        "PoissonSampled",
        "RandomAllocation",
        "RandomizedResponse",
        "Stated",
        "Toeplitz",
        "Tree",
        "TruncatedPoisson",
        "WithoutReplacement",
        "ZCDPGaussian",
    ],
    "accounting": ["AccountedCurve", "DistributionCurve", "Fit", "PointsCurve", "Reading", "account"],
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
    "statements": ["Assumption", "Cause", "Claim", "Report", "Run", "Training", "Verdict", "check_claim", "report_run"],
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


def test_only_public_names_are_listed():
    assert dir(gaussdp) == sorted([*ALL, "__version__"])


def test_version():
    assert gaussdp.__version__.count(".") == 2


def test_unknown_attribute():
    assert not hasattr(gaussdp, "no_such_name")


def test_names_of_rooms_need_no_import():
    code = "import gaussdp as g; print(g.guarantees.GDP is g.GDP, g.errors.DomainError is g.DomainError)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True True\n"


def test_each_public_name_is_found_first():
    """Whichever name is used first, nothing depends on what another would have loaded."""
    names = sorted(ALL)
    code = "import sys, gaussdp; getattr(gaussdp, sys.argv[1])"
    for name in names[:: max(1, len(names) // 6)]:
        subprocess.run([sys.executable, "-c", code, name], check=True)
