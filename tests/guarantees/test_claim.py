import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussdp import Claim, DomainError


@pytest.mark.parametrize(
    ("text", "claim", "kind", "words"),
    [
        ("epsilon=3.0 delta=1e-5", Claim(epsilon=3, delta=1e-5), "approximate", "ε = 3 at δ = 1e-5"),
        ("eps = 3, DELTA= 1e-5", Claim(epsilon=3, delta=1e-5), "approximate", "ε = 3 at δ = 1e-5"),
        ("ε=3;δ=1e-5", Claim(epsilon=3, delta=1e-5), "approximate", "ε = 3 at δ = 1e-5"),
        ("epsilon=2", Claim(epsilon=2), "pure", "ε = 2 (pure)"),
        ("epsilon=2 delta=0", Claim(epsilon=2, delta=0), "pure", "ε = 2 (pure)"),
        ("mu=0.8", Claim(mu=0.8), "gdp", "μ = 0.8"),
        ("μ=0.8 floor=1e-10", Claim(mu=0.8, floor=1e-10), "gdp", "μ = 0.8 with floor 1e-10"),
        ("rho=0.5", Claim(rho=0.5), "zcdp", "ρ = 0.5"),
        ("Eps=3 Delta=1e-5", Claim(epsilon=3, delta=1e-5), "approximate", "ε = 3 at δ = 1e-5"),
        ("ϵ=3 δ=1e-5", Claim(epsilon=3, delta=1e-5), "approximate", "ε = 3 at δ = 1e-5"),
        ("(3, 1e-5)", Claim(epsilon=3, delta=1e-5), "approximate", "ε = 3 at δ = 1e-5"),
        (" ( 3;1e-5 )-DP ", Claim(epsilon=3, delta=1e-5), "approximate", "ε = 3 at δ = 1e-5"),
        ("MU=0.8", Claim(mu=0.8), "gdp", "μ = 0.8"),
    ],
)
def test_what_is_understood(text, claim, kind, words):
    assert Claim.parse(text) == claim
    assert (claim.kind, str(claim)) == (kind, words)
    assert claim.with_value(7.0).value == 7.0
    assert claim.with_value(7.0).kind == kind


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "exactly one of epsilon, mu and rho, got none; write"),
        ("epsilon=1 mu=2", "exactly one of epsilon, mu and rho, got epsilon, mu"),
        ("mu=1 delta=1e-5", "delta belongs to a claim of epsilon, not of mu"),
        ("epsilon=1 floor=1e-5", "floor belongs to a claim of mu, not of epsilon"),
        ("epsilon=1 epsilon=2", "states epsilon twice"),
        ("epsilon 3", "key=value pairs, got 'epsilon'"),
        ("epsilon=", "key=value pairs, got 'epsilon='"),
        ("epsilon=three", "epsilon must be a number, got 'three'"),
        ("epsilon=nan", r"epsilon must be in \[0, inf\), got nan"),
        ("epsilon=inf", r"epsilon must be in \[0, inf\), got inf"),
        ("epsilon=1 delta=1", r"delta must be in \[0, 1\), got 1.0"),
        ("mu=1 floor=0", r"floor must be in \(0, 1\), got 0.0"),
        ("epsilon=1 dleta=1e-5", "no 'dleta'; did you mean 'delta'"),
        ("sigma=1", "no 'sigma'; write"),
        ("epsilon=1_0", "epsilon must be a number, got '1_0'"),
        ("mu=1e400", "mu must be a number, got '1e400'"),
        ("(3)", "key=value pairs"),
        ("(3, 1e-5, 7)", "key=value pairs"),
        ("(three, 1e-5)", "epsilon must be a number, got 'three'"),
        ("(3, 1)", r"delta must be in \[0, 1\)"),
    ],
)
def test_what_is_refused(text, message):
    with pytest.raises(DomainError, match=message):
        Claim.parse(text)


def test_only_text_is_parsed():
    with pytest.raises(DomainError, match="claim must be text, got float"):
        Claim.parse(3.0)


@given(st.text(max_size=40) | st.from_regex(r"(epsilon|mu|rho|delta|floor)=[0-9e.\-+]{0,6} ?(delta|floor)?=?[0-9.]*"))
def test_any_text_is_a_claim_or_a_domain_error(text):
    with contextlib.suppress(DomainError):
        assert isinstance(Claim.parse(text), Claim)
