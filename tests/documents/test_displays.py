"""Results in a notebook: the right numbers, rounded to the right side, in HTML that stands alone."""

import math
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gaussdp

DPSGD_CURVE = gaussdp.account(gaussdp.DPSGD(noise_multiplier=0.5, sample_rate=0.002, steps=10_000))
GENERATOR = np.random.default_rng(1)
RESULTS = {
    "gdp": gaussdp.GDP(0.31),
    "no privacy": gaussdp.GDP(math.inf),
    "nothing": gaussdp.GDP(0.0),
    "pure": gaussdp.PureDP(1.0),
    "approximate": gaussdp.ApproxDP(1.0, 1e-6),
    "laplace": gaussdp.LaplaceDP(1.0),
    "points": gaussdp.ProfilePoints([0.5, 1.0], [1e-3, 1e-6]),
    "curve": DPSGD_CURVE,
    "distribution": gaussdp.account(gaussdp.Laplace(scale=2.0)),
    "gaussian": gaussdp.account(gaussdp.Gaussian(2.0)),
    "fit": DPSGD_CURVE.fit(),
    "audit": gaussdp.audit(members=GENERATOR.normal(1, 1, 300), nonmembers=GENERATOR.normal(0, 1, 300)),
    "one run": gaussdp.audit_one_run(canaries=1000, guesses=100, correct=90),
    "plan": gaussdp.plan_audit(mu=2.0, claim_mu=0.5),
    "calibration": gaussdp.calibration.noise_multiplier(gaussdp.GDP(1.0), sample_rate=0.1, steps=100),
    "release": gaussdp.calibration.gaussian_noise_multiplier(gaussdp.GDP(1.0)),
}


class Reader(HTMLParser):
    """The tables of a fragment as lists of rows; refuses tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.tables = [], set(), [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)
        self.attributes += attrs
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("th", "td"):
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("th", "td"):
            self.tables[-1][-1][-1] += data


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_shows_itself(name):
    text = RESULTS[name]._repr_html_()
    read = Reader(text)
    assert text == RESULTS[name]._repr_html_()
    assert read.tags <= {"div", "style", "p", "table", "caption", "thead", "tbody", "tr", "th", "td", "ul", "li"}
    assert {key for key, _ in read.attributes} <= {"class", "scope", "role", "tabindex", "aria-label"}
    assert not re.search(r"https?:|url\(|@import|nan", text)
    assert all(len({len(row) for row in table}) == 1 for table in read.tables)


def test_what_a_guarantee_shows():
    attacker, epsilon = Reader(gaussdp.GDP(0.31)._repr_html_()).tables
    assert attacker[0] == ["at FPR", "TPR at most", "TPR/FPR at most"]
    assert attacker[2] == ["1e-3", "0.002717", "2.717"]  # 0.0027164...
    assert epsilon[2] == ["1e-6", "1.339"]  # 1.33840...
    assert "Gaussian DP with μ = 0.31<" in gaussdp.GDP(0.31)._repr_html_()
    assert "at most 56.16 are right" in gaussdp.GDP(0.31)._repr_html_()  # 56.158...


def test_what_a_fit_shows():
    (table,) = Reader(DPSGD_CURVE.fit()._repr_html_()).tables
    assert table[:3] == [["μ", "1.894"], ["no μ below", "1.893"], ["floor", "1e-10"]]
    assert "μ = 1.894 holds for every attack whose FPR and FNR are at least 1e-10." in DPSGD_CURVE.fit()._repr_html_()
    assert Reader(DPSGD_CURVE._repr_html_()).tables[0] == table
    assert "exactly 0.5-GDP" in RESULTS["gaussian"]._repr_html_()


@given(st.floats(1e-6, 20.0))
def test_shown_risks_are_no_smaller_than_the_true_ones(mu):
    guarantee = gaussdp.GDP(mu)
    attacker, epsilon = Reader(guarantee._repr_html_()).tables
    for fpr, tpr, ratio in attacker[1:]:
        assert float(tpr) >= guarantee.tpr(float(fpr))
        assert float(ratio) >= guarantee.multiplicative_advantage(float(fpr))
    for delta, value in epsilon[1:]:
        assert float(value) >= guarantee.epsilon(float(delta))


class Quiet(gaussdp.GDP):
    """Says nothing at small deltas, as a curve from a distribution does."""

    def epsilon(self, delta):
        if delta < 1e-6:
            raise gaussdp.DomainError("delta", "at least the noise floor")
        return super().epsilon(delta)


def test_levels_below_the_noise_floor_are_left_out():
    _, epsilon = Quiet(1.0).document().tables
    assert [delta for delta, _ in epsilon.rows] == [1e-5, 1e-6]
