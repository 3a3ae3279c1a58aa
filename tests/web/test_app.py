"""The application as a whole: every answer is one, or a refusal of one shape."""

import pytest

from web_client import Client

CHOOSE = {"epsilon": 1, "criterion": "multiplicative_advantage", "level": 1e-3}


@pytest.fixture(scope="module")
def client():
    return Client()


def test_health(client):
    assert client.get("/healthz").json()["status"] == "ok"


def test_no_such_page(client):
    response = client.get("/no-such-page")
    assert response.status_code == 404
    assert response.json() == {"error": {"field": None, "message": "there is no such page"}}


def test_another_method(client):
    response = client.get("/api/v1/choose")
    assert response.status_code == 405
    assert set(response.json()["error"]) == {"field", "message"}


def test_choose(client):
    answer = client.post("choose", CHOOSE).json()
    assert answer["mu"] == pytest.approx(0.310272557, rel=1e-9)
    assert answer["mu_text"] == "0.3102"


def test_every_response_is_guarded(client):
    for response in (client.get("/"), client.get("/nothing"), client.post("choose", CHOOSE), client.post("choose", {})):
        assert response.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; ")
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert "server" not in response.headers
