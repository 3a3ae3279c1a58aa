"""The map of mu/epsilon: its numbers, its contours, its refusals."""

import numpy as np
import pytest

import gaussdp
from gaussdp import MultiplicativeAdvantage, Precision, Profile, RuleOfThumb
from gaussdp.figures.maps import render_rule_map, rule_map


def test_ratios_are_the_library():
    chart = rule_map()
    assert [panel.title for panel in chart.panels] == ["multiplicative advantage", "precision", "privacy profile"]
    for panel, risk in zip(chart.panels, (MultiplicativeAdvantage, Precision, Profile), strict=True):
        for i, j in [(0, 0), (70, 140), (140, 3)]:
            epsilon, level = chart.epsilon[j], chart.levels[i]
            assert panel.ratio[i, j] == pytest.approx(risk(level).mu_from_epsilon(epsilon) / epsilon, rel=1e-12)


def test_the_contour_is_where_the_verdict_changes():
    chart = rule_map((0.1, 10.0), (1e-10, 1e-1))
    five = RuleOfThumb(5)
    for panel, risk in zip(chart.panels, (MultiplicativeAdvantage, Precision, Profile), strict=True):
        for i in range(0, 141, 20):
            verdicts = five.is_conservative(chart.epsilon, risk(chart.levels[i]))
            np.testing.assert_array_equal(panel.ratio[i] >= 0.2, verdicts)


def test_divisors_are_sorted_once():
    assert rule_map(divisors=[5, 3, 5.0]).divisors == (3.0, 5.0)


@pytest.mark.parametrize("divisors", [(), (5.0,), (40.0,), (0.01,), (6.5, 4.0, 2.0)])
def test_any_rules_draw(divisors):
    assert render_rule_map(rule_map(divisors=divisors), "svg")["svg"].startswith(b"<?xml")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"epsilon_range": (2.0, 1.0)}, "ranges that ascend, got epsilon 2 to 1"),
        ({"epsilon_range": (1.0, 1.0)}, "ranges that ascend"),
        ({"epsilon_range": (0.0, 1.0)}, "epsilon must be in [1e-06, 1e+06], got 0.0"),
        ({"levels": (1e-3, 2.0)}, "level must be in (0, 1), got 2.0"),
        ({"divisors": [0.0]}, "divisor must be in (0, inf), got 0.0"),
    ],
)
def test_bad_input(arguments, words):
    with pytest.raises(gaussdp.DomainError) as refusal:
        rule_map(**arguments)
    assert words in str(refusal.value)
