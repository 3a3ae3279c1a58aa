"""Where a mu stands: the words agree with the curves."""

import html
import json
import math
import re

import numpy as np
import pytest

import gaussdp
from gaussdp.documents import FORMATS, render
from gaussdp.published import deployment_document, deployments
from gaussdp.published.catalogue import LESS, LESS_IN_GUESSES, MORE, PERHAPS_LESS, SAME, UNKNOWN, compared

FPRS = np.geomspace(1e-12, 0.999, 300)
EXACT = next(use for use in deployments() if use.rho == 0.81)
PURE = next(use for use in deployments() if use.epsilon == 1.68)
BARE = next(use for use in deployments() if use.basis == "none")


@pytest.mark.parametrize("mu", [0.0, 0.1, 0.8, 1.2, 2.0, 2.1, 9.0, math.inf])
@pytest.mark.parametrize("use", deployments(), ids=lambda use: use.name)
def test_words_agree_with_curves(use, mu):
    own = gaussdp.GDP(mu)
    words = compared(use, mu)
    if use.basis == "none":
        assert words == UNKNOWN
        return
    theirs = gaussdp.GDP(use.mu) if use.basis == "exact" else gaussdp.PureDP(use.epsilon)
    kink = 0.5 if use.epsilon is None else 1 / (1 + math.exp(use.epsilon))
    fprs = np.append(FPRS, kink)
    never_better = (theirs.tpr(fprs) <= own.tpr(fprs) * (1 + 1e-12)).all()
    if words == MORE:
        assert never_better
    elif words == LESS:
        assert (own.tpr(fprs) <= theirs.tpr(fprs) * (1 + 1e-12)).all()
    else:
        assert words == LESS_IN_GUESSES
        assert theirs.accuracy() > own.accuracy()
        assert not never_better


def test_equal():
    assert compared(EXACT, EXACT.mu) == SAME
    assert compared(PURE, PURE.mu) == MORE


def test_order_and_standing():
    document = deployment_document(0.8)
    names = [row[0] for row in document.tables[0].rows]
    mus = [row[7] for row in document.tables[0].rows if not isinstance(row[7], str)]
    assert mus == sorted(mus)
    assert names[-2:] == ["CTDC data on trafficking", "Audience Engagements API"]
    assert document.notes[0] == (
        "Of the 13 deployments with a μ, 3 have a smaller one than yours (more privacy) and 10 have a larger one "
        "(less privacy)."
    )


def test_shown_mus_round_up():
    shown = [row[7] for row in deployment_document().tables[0].rounded_rows(3)]
    exact = [row[7] for row in deployment_document().tables[0].rows]
    assert all(a == b if isinstance(b, str) else b <= a < 1.01 * b for a, b in zip(shown, exact, strict=True))


def test_every_rendering():
    document = deployment_document(0.8)
    for style in FORMATS:
        words = re.sub(r"\\(.)", r"\1", html.unescape(render(document, style)))
        named = [word for use in deployments() for word in use.name.split()]  # a name may take two lines of its column
        assert all(word in words for word in named), style
        assert "0.3763" in words
    rows = json.loads(render(document, "json", 4))["tables"]["deployments"]["rows"]
    assert rows[0]["year"] == 2023


@pytest.mark.parametrize("mu", [-1.0, math.nan, "x", [1.0]])
def test_bad_mu(mu):
    with pytest.raises(gaussdp.DomainError, match="mu must be"):
        deployment_document(mu)


@pytest.mark.parametrize("use", deployments(), ids=lambda use: use.name)
def test_a_year_is_its_periods_together(use):
    """The oracle composes: as many Gaussian guarantees with the mu of a period as a year has."""
    if use.mu is None:
        assert use.mu_per_year is None
        return
    periods = {"": 1, "6 hours": 4 * 365, "day": 365, "month": 12}[use.period]
    together = gaussdp.GDP(0.0).compose(*[gaussdp.GDP(use.mu)] * periods)
    assert use.mu_per_year == pytest.approx(together.mu, rel=1e-12)


def test_per_year():
    document = deployment_document(2.0, per_year=True)
    rows = {row[0]: row for row in document.tables[0].rows}
    wikipedia, mobility = rows["Wikipedia pageviews by country"], rows["COVID-19 mobility reports"]
    assert wikipedia[7] == pytest.approx(3.309, abs=1e-3)
    assert (wikipedia[5], wikipedia[-1]) == ("day", LESS)
    assert mobility[-1] == PERHAPS_LESS
    mus = [row[7] for row in document.tables[0].rows if not isinstance(row[7], str)]
    assert mus == sorted(mus)
    assert "of a year" in document.notes[-1]
    assert compared(EXACT, EXACT.mu, per_year=True) == SAME  # released once
