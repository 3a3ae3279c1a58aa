"""Every response carries the headers that keep the page to itself."""

from importlib import import_module

import pytest

from gaussdp.web.safety.hosts import CONTENT_SECURITY_POLICY, lines_of
from web_client import Client

CHOOSE = {"epsilon": 1, "criterion": "multiplicative_advantage", "level": 1e-3}


@pytest.fixture(scope="module")
def responses():
    client = Client()
    return [
        client.get("/"),
        client.get("/static/icon.svg"),
        client.get("/nothing"),
        client.get("/docs"),
        client.post("choose", CHOOSE),
        client.post("choose", {}),
        client.get("/", headers={"host": "evil.example"}),
        client.request("POST", "/api/v1/choose", content=b"x" * 20_000),
    ]


def test_the_policy_allows_only_what_the_package_holds():
    allowed = dict(part.split(" ", 1) for part in CONTENT_SECURITY_POLICY.split("; "))
    assert allowed["default-src"] == allowed["frame-ancestors"] == allowed["base-uri"] == "'none'"
    assert allowed["script-src"] == allowed["style-src"] == allowed["connect-src"] == "'self'"
    assert "unsafe" not in CONTENT_SECURITY_POLICY


def test_on_every_response(responses):
    assert [response.status_code for response in responses] == [200, 200, 404, 200, 200, 422, 421, 413]
    for response in responses:
        assert response.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["x-frame-options"] == "DENY"
        assert response.headers["cross-origin-resource-policy"] == "same-origin"
        assert "server" not in response.headers
        assert "access-control-allow-origin" not in response.headers


def test_answers_are_not_stored(responses):
    assert responses[4].headers["cache-control"] == "no-store"
    assert responses[0].headers["cache-control"] == "no-cache"


def test_a_failure_carries_them_too_and_tells_nothing(monkeypatch):
    def broken():
        raise RuntimeError("secret")

    monkeypatch.setattr(import_module("gaussdp.web.app"), "deployments", broken)
    response = Client().get("/api/v1/deployments", fail=True)
    assert response.status_code == 500
    assert "secret" not in response.text
    assert response.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert set(response.json()["error"]) == {"field", "message"}


def test_a_header_is_one_line():
    assert lines_of([(b"vary", b"Accept-Language"), (b"x-request-id", b"a1")]) == (
        b"vary: Accept-Language\r\nx-request-id: a1\r\n"
    )
    for value in (b"a\r\nset-cookie: b", b"a\nb", b"a\rb", b"a\0b"):
        with pytest.raises(ValueError, match="one line"):
            lines_of([(b"location", value)])
