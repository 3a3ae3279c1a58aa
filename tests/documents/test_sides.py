"""Every column of a table rounds to the side on which it promises no more privacy than there is."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "gaussdp"
UP = """
    advantage delta divisor epsilon epsilon_at_1e-6 floor fnr_upper fpr_upper high lifetime mu_per_year needed
    noise_multiplier precision precision_at_1e-2 ratio regret reserved right_of_100 slack slack_spent spent
    standard_deviation tpr
    tpr_at_1e-2 tpr_at_1e-3 tpr_at_1e-5 tpr_by_mu tpr_over_fpr upper
"""  # what a release costs or an attacker achieves, and the noise that keeps it there
DOWN = "epsilon_lower evidence left low lower mu_each mu_high mu_lower power rule_of_thumb saturated_from"
NEAREST = "auc right_of_100_before"  # what was observed, and what holds without the release
SIDES = {key: side for side, keys in (("UP", UP), ("DOWN", DOWN), ("NEAREST", NEAREST)) for key in keys.split()}
BUDGETS = ("choosing/", "advising/", "ledger/budgets.py")  # here mu is what may be spent; elsewhere what is spent
SPECIAL = {
    ("explaining/explanation.py", "fpr"): "DOWN",  # the least at which so many are found
    ("accounting/fitted.py", "fpr"): "NEAREST",  # where mu binds
    ("auditing/planning.py", "fpr"): "NEAREST",  # of a threshold to be chosen
    ("auditing/trials.py", "tpr"): "NEAREST",  # observed, without a claim
    ("statements/verdict.py", "value"): "NEAREST",  # what somebody claims
}


def columns():
    """File, key and side of every column whose side stands in the source."""
    for path in sorted(SOURCE.rglob("*.py")):
        file = path.relative_to(SOURCE).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Column" and len(node.args) > 2:
                key, side = node.args[0], node.args[2]
                if isinstance(key, ast.Constant) and isinstance(side, ast.Attribute):
                    yield file, key.value, side.attr


def safe_side(file, key):
    if key == "mu":
        return "DOWN" if file.startswith(BUDGETS) else "UP"
    return SPECIAL.get((file, key)) or SIDES.get(key)


@pytest.mark.parametrize(("file", "key", "side"), sorted(set(columns())))
def test_a_column_rounds_to_the_safe_side(file, key, side):
    assert side == safe_side(file, key), "say here which side is safe, and why, if this column is new"


def test_there_are_columns():
    assert len(list(columns())) > 70
