"""The curve through a point."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gaussdp
from gaussdp.documents.rounding import TIE
from gaussdp.errors import DomainError
from gaussdp.web.schemas.requests import PointRequest
from gaussdp.web.views.understand import mu_through


@given(st.floats(0.01, 8), st.floats(1e-9, 0.999))
def test_a_point_on_a_curve_gives_the_curve(mu, fpr):
    fnr = gaussdp.fnr_from_mu(mu, fpr)
    if fnr > 1e-12:
        answer = mu_through(PointRequest(fpr=fpr, fnr=fnr))
        assert answer["mu"] == pytest.approx(mu, rel=1e-6)
        assert float(answer["mu_text"]) >= answer["mu"] * (1 - TIE)


def test_guessing():
    assert mu_through(PointRequest(fpr=0.25, fnr=0.75)) == {"mu": 0.0, "mu_text": "0"}


def test_worse_than_guessing():
    with pytest.raises(DomainError, match=r"fnr must be at most 1 − fpr = 0\.4, got 0\.5"):
        mu_through(PointRequest(fpr=0.6, fnr=0.5))
