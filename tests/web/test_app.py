"""The application as a whole: every answer is one, or a refusal of one shape, whatever is sent."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from web_client import Client

CHOOSE = {"epsilon": 1, "criterion": "multiplicative_advantage", "level": 1e-3}
JSON = {"content-type": "application/json"}
CLOSED_FORMS = ["choose", "understand", "mu-through"]


@pytest.fixture(scope="module")
def client():
    return Client()


def refused(response, status):
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    error = response.json()["error"]
    assert set(error) == {"field", "message"}
    assert error["message"]
    return error


def test_health(client):
    assert client.get("/healthz").json()["status"] == "ok"


def test_the_page_is_there(client):
    response = client.get("/")
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert "<title>" in response.text


def test_no_such_page(client):
    assert refused(client.get("/no-such-page"), 404) == {"field": None, "message": "there is no such page"}


def test_another_method(client):
    response = client.get("/api/v1/choose")
    refused(response, 405)
    assert "POST" in response.headers["allow"]


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({}, 422, "criterion"),
        ([], 422, None),
        ("epsilon", 422, None),
        ({**CHOOSE, "epsilon": -1}, 422, "epsilon"),
        ({**CHOOSE, "epsilon": "1"}, 422, "epsilon"),
        ({**CHOOSE, "epsilon": True}, 422, "epsilon"),
        ({**CHOOSE, "epsilon": None}, 422, "epsilon"),
        ({**CHOOSE, "epsilon": [1]}, 422, "epsilon"),
        ({**CHOOSE, "epsilon": {"a": {"b": []}}}, 422, "epsilon"),
        ({**CHOOSE, "epsilon": 10**400}, 422, "epsilon"),
        ({**CHOOSE, "level": 0}, 422, "level"),
        ({**CHOOSE, "level": 1}, 422, "level"),
        ({**CHOOSE, "criterion": "luck"}, 422, "criterion"),
        ({**CHOOSE, "criterion": 3}, 422, "criterion"),
        ({**CHOOSE, "more": 1}, 422, None),
    ],
)
def test_bad_fields(client, body, status, field):
    assert refused(client.post("choose", body), status)["field"] == field


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"\xff\xfe", 400),
        (b'{"epsilon": NaN, "criterion": "profile", "level": 0.1}', 400),
        (b'{"epsilon": Infinity, "criterion": "profile", "level": 0.1}', 400),
        (b'{"epsilon": 1e999, "criterion": "profile", "level": 0.1}', 422),
        (b'{"epsilon": 1, "epsilon": 2, "criterion": "profile", "level": 0.1}', 400),
        (b"[" * 8000, 400),
        (b'{"epsilon": ' + b"9" * 9000 + b"}", 400),
        (b'{"epsilon": "\\ud800", "criterion": "profile", "level": 0.1}', 422),
    ],
)
def test_bad_bodies(client, body, status):
    refused(client.request("POST", "/api/v1/choose", content=body, headers=JSON), status)


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_other_content_types(client, kind):
    headers = {} if kind is None else {"content-type": kind}
    refused(client.request("POST", "/api/v1/choose", content=json.dumps(CHOOSE).encode(), headers=headers), 415)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NAMES = ["epsilon", "criterion", "level", "mu", "prior", "recall", "delta", "fpr", "fnr"]
LIKELY = ANYTHING | st.floats(0, 2) | st.sampled_from(["profile", "precision", 1e-5, 0.5, 5e-324, 1.7e308])


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(CLOSED_FORMS), st.dictionaries(st.sampled_from(NAMES), LIKELY, max_size=6) | ANYTHING)
def test_fuzz(client, path, body):
    """Whatever JSON is sent: an answer without NaN, or a refusal."""
    response = client.request("POST", f"/api/v1/{path}", content=json.dumps(body).encode(), headers=JSON)
    assert response.status_code in (200, 400, 422)
    json.loads(response.content, parse_constant=lambda word: pytest.fail(word))
    if response.status_code != 200:
        refused(response, response.status_code)
