"""Each claim of docs/notes-on-the-paper.md, and that every test the page names is there."""

import ast
import csv
import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtri

import gaussdp
from gaussdp import GDP, ApproxDP, MultiplicativeAdvantage, Precision, Profile, PureDP, RuleOfThumb
from gaussdp.choosing.rule_tables import PAPER_CRITERIA, PAPER_RANGE
from gaussdp.figures import figure

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "notes-on-the-paper.md"
FIFTH, THIRD = RuleOfThumb(5), RuleOfThumb(3)


def named_tests():
    return re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE.read_text())


def test_every_test_the_page_names_exists():
    names = named_tests()
    assert len(names) >= 10
    for file, name in names:
        functions = {node.name for node in ast.walk(ast.parse((ROOT / file).read_text())) if hasattr(node, "name")}
        assert name in functions, f"{file} has no {name}"


def test_every_claim_names_a_test():
    _, *claims = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)
    assert len(claims) >= 8
    for claim in claims:
        assert re.search(r"^Tested by `tests/", claim, flags=re.MULTILINE), claim.splitlines()[0]


def test_every_claim_tested_here_is_on_the_page():
    functions = [node.name for node in ast.parse(Path(__file__).read_text()).body if isinstance(node, ast.FunctionDef)]
    claims = {name for name in functions if name.startswith("test_") and not name.startswith("test_every_")}
    assert claims == {name for file, name in named_tests() if file.endswith(Path(__file__).name)}


def test_the_ratio_has_no_bound_as_fpr_falls():
    fpr = np.geomspace(1e-300, 0.999, 4000)
    for mu in (0.01, 0.1, 1.0):
        ratio = gaussdp.multiplicative_advantage_from_mu(mu, fpr)
        assert (np.diff(ratio) < 0).all()
    assert gaussdp.multiplicative_advantage_from_mu(1.0, 1e-300) > 7e15
    assert gaussdp.multiplicative_advantage_from_mu(0.1, 1e-300) > 40


def test_the_propositions_match_at_exactly_that_fpr():
    for epsilon in (0.1, 1.0, 3.0):
        for fpr in (1e-5, 1e-2):
            mu = gaussdp.mu_from_multiplicative_advantage(epsilon, fpr)
            at_or_above = gaussdp.multiplicative_advantage_from_mu(mu, np.geomspace(fpr, 0.99, 500))
            assert at_or_above.max() == at_or_above[0] == pytest.approx(math.exp(epsilon), rel=1e-12)
            assert gaussdp.multiplicative_advantage_from_mu(mu, fpr / 2) > math.exp(epsilon)


def test_the_last_piece_of_the_pure_dp_curve_has_a_minus():
    fpr = np.linspace(0.0, 1.0, 401)
    curve = PureDP(1.0).fnr(fpr)
    corrected = np.maximum.reduce([0 * fpr, 1 - math.e * fpr, (1 - fpr) / math.e])
    np.testing.assert_allclose(curve, corrected, atol=1e-15)
    as_printed = np.maximum.reduce([0 * fpr, 1 - math.e * fpr, (1 - fpr) * math.e])
    assert (as_printed[1:-1] > 1 - fpr[1:-1]).all()  # worse than guessing: no trade-off curve
    assert (curve <= 1 - fpr).all()


def test_the_axis_of_multiplicative_advantage_is_fpr():
    plot = figure("fig4a")
    assert plot.x.label == "FPR"
    expected = gaussdp.multiplicative_advantage_from_mu(1.0, plot.data["fpr"])
    np.testing.assert_allclose(plot.data["cD"], expected, rtol=1e-14)


def test_the_line_through_two_points_is_not_tpr_equals_fpr():
    """Two samples, at FPR 1e-5 and 0.1, joined on a logarithmic axis, pass 1e-3 halfway."""
    low, high = 1e-5, 0.1
    share = math.log(1e-3 / low) / math.log(high / low)
    drawn = low + share * (high - low)
    assert drawn == pytest.approx(0.05, abs=1e-4)
    assert drawn > 2.7 * GDP(1.0).tpr(1e-3)
    baseline = figure("fig1a").curves[1]
    np.testing.assert_array_equal(baseline.y, baseline.x)


def test_precision_matches_a_bound_that_pure_dp_leaves():
    kink = math.e / (1 + math.e)
    for recall in (1e-5, 0.5, 0.73):
        assert recall < kink
        exact = gaussdp.choose(PureDP(1.0), Precision(recall)).mu
        assert exact == pytest.approx(gaussdp.mu_from_precision(1.0, recall), rel=1e-12)
    exact = gaussdp.choose(PureDP(1.0), Precision(0.9)).mu
    assert exact == pytest.approx(ndtri(0.9) - ndtri(1 - math.e * 0.1), rel=1e-12)
    assert exact == pytest.approx(0.674, abs=5e-4)
    assert gaussdp.mu_from_precision(1.0, 0.9) == pytest.approx(1.718, abs=5e-4)
    assert PureDP(1.0).precision(0.9) < kink


def test_the_profile_is_matched_at_epsilon_itself():
    pure = PureDP(1.0).epsilon(1e-5)
    assert pure == pytest.approx(math.log(math.e - 1e-5 * (1 + math.e)), rel=1e-12)
    assert pure < 1.0
    gap = gaussdp.mu_from_profile(1.0, 1e-5) / gaussdp.choose(PureDP(1.0), Profile(1e-5)).mu - 1
    assert 0 < gap < 2e-5


def test_a_fifth_of_epsilon_is_not_conservative_everywhere():
    assert gaussdp.mu_from_profile(1.0, 1e-8) == pytest.approx(0.1961, abs=5e-5)
    assert gaussdp.mu_from_profile(2.0, 1e-8) == pytest.approx(0.377, abs=5e-4)
    assert FIFTH.conservative_epsilons(Profile(1e-8))[0][1] == pytest.approx(0.670, abs=5e-4)
    assert FIFTH.conservative_epsilons(Profile(1e-5))[0][1] == pytest.approx(10.0, abs=0.05)
    assert FIFTH.conservative_epsilons(Precision(1e-5))[0][1] == pytest.approx(5.41, abs=0.01)
    assert FIFTH.conservative_epsilons(MultiplicativeAdvantage(1e-7))[0][0] == pytest.approx(3.93, abs=0.01)
    holds = [FIFTH.is_conservative(np.array(PAPER_RANGE), risk).all() for risk in PAPER_CRITERIA]
    assert sum(holds) == 11
    assert sum(THIRD.is_conservative(np.array(PAPER_RANGE), risk).all() for risk in PAPER_CRITERIA) == 2


def test_which_single_rule_is():
    assert gaussdp.conservative_divisor(PAPER_CRITERIA, *PAPER_RANGE) == pytest.approx(5.306, abs=5e-4)
    assert gaussdp.conservative_divisor(PAPER_CRITERIA, 0.1, 10.0) == pytest.approx(6.158, abs=5e-4)


def test_matching_is_not_implication():
    assert PureDP(1.0).implied().mu == pytest.approx(1.232, abs=5e-4)
    assert gaussdp.choose(PureDP(1.0), MultiplicativeAdvantage(1e-3)).mu == pytest.approx(0.310, abs=5e-4)
    with pytest.raises(gaussdp.DomainError, match="no finite mu follows"):
        ApproxDP(1.0, 1e-5).implied()


def test_rounded_to_nearest_nearly_half_the_budgets_are_too_large():
    convert = {
        "mu_by_multiplicative_advantage": gaussdp.mu_from_multiplicative_advantage,
        "mu_by_precision": gaussdp.mu_from_precision,
        "mu_by_profile": gaussdp.mu_from_profile,
    }
    with (ROOT / "tests" / "reference" / "paper_tables.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["table"] in convert]
    excess = [
        float(row["printed"]) / convert[row["table"]](float(row["column_value"]), float(row["row_value"])) - 1
        for row in rows
    ]
    assert len(excess) == 72
    assert sum(share > 0 for share in excess) == 34
    assert max(excess) == pytest.approx(0.0305, abs=5e-4)
