"""Understand: the library's readings of one guarantee."""

import math
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gaussdp
from gaussdp.web.schemas.requests import UnderstandRequest
from gaussdp.web.views.understand import understand

NORMAL = NormalDist()


def test_the_icon_array_of_the_paper():
    answer = understand(UnderstandRequest(mu=1.0))
    (icons,) = answer["icons"]
    assert (icons["of"], icons["before"], icons["after"], icons["drawn"]) == (100, 50, 70, [50, 20, 30])
    assert answer["accuracy"]["value"] == pytest.approx(NORMAL.cdf(0.5), rel=1e-12)


def test_by_textbook_formulas():
    answer = understand(UnderstandRequest(mu=0.8, prior=0.01, recall=0.2, fpr=0.05))
    tpr = {row["fpr"]: row["tpr"] for row in answer["tpr"]}
    assert list(tpr) == [1e-2, 1e-3, 1e-5, 0.05]
    for fpr, rate in tpr.items():
        assert rate == pytest.approx(NORMAL.cdf(NORMAL.inv_cdf(fpr) + 0.8), rel=1e-9)
    fpr = NORMAL.cdf(NORMAL.inv_cdf(0.2) - 0.8)
    assert answer["precision"]["value"] == pytest.approx(0.01 * 0.2 / (0.01 * 0.2 + 0.99 * fpr), rel=1e-9)
    assert answer["advantage"]["value"] == pytest.approx(2 * NORMAL.cdf(0.4) - 1, rel=1e-12)
    assert {row["k"]: row["mu"] for row in answer["group"]} == {2: pytest.approx(1.6), 5: pytest.approx(4.0)}
    assert {row["releases"]: row["mu"] for row in answer["repeated"]}[100] == pytest.approx(8.0)
    assert "1 of 100 people is a member" in " ".join(answer["sentences"])


@given(st.floats(0.001, 8), st.floats(0.001, 0.999), st.floats(1e-9, 0.4))
def test_texts_round_up(mu, prior, delta):
    answer = understand(UnderstandRequest(mu=mu, prior=prior, delta=delta))
    assert float(answer["mu_text"]) >= mu
    assert float(answer["epsilon"]["text"]) >= answer["epsilon"]["epsilon"]
    for row in answer["tpr"]:
        assert float(row["text"].removesuffix("%")) / 100 >= row["tpr"] * (1 - 1e-12)
    accused = answer["icons"][-1]
    assert 0 <= accused["before"] <= accused["after"] <= accused["of"]
    more = accused["after"] - accused["before"]
    assert f"{accused['after']:,}" in accused["sentence"] or f"{more:,} guess" in accused["sentence"] or more <= 1
    assert sum(accused["drawn"]) in (100, 1000)


@given(st.floats(0.01, 6))
def test_equivalent_policies_match_back(mu):
    """The budget for an equivalent policy is the guarantee again."""
    matched = {
        "multiplicative_advantage": gaussdp.mu_from_multiplicative_advantage,
        "precision": gaussdp.mu_from_precision,
        "profile": gaussdp.mu_from_profile,
    }
    for row in understand(UnderstandRequest(mu=mu))["equivalents"]:
        if row["epsilon"] > 0:
            assert matched[row["criterion"]](row["epsilon"], row["level"]) == pytest.approx(mu, rel=1e-6)


@pytest.mark.parametrize("mu", [0.0, 5e-324, 40.0, 1e300])
def test_limits(mu):
    answer = understand(UnderstandRequest(mu=mu))
    assert not any(math.isnan(rate) for rate in answer["curve"]["fnr"])
    icons = answer["icons"][0]
    assert 0.5 <= icons["after"] / icons["of"] <= 1
