"""What every request meets: an id, a log line that it cannot forge, a count, and an answer where the code fails."""

import asyncio
import json
import logging
from importlib import import_module

import pytest

from gaussdp.web.safety.hosts import Proxies, site_of
from gaussdp.web.telling import logging_to
from web_client import Client

CHOOSE = {"epsilon": 1, "criterion": "multiplicative_advantage", "level": 1e-3}


def test_a_failure_is_masked_and_found_in_the_log_by_the_id_that_is_told(monkeypatch, caplog):
    def broken():
        raise RuntimeError("secret")

    monkeypatch.setattr(import_module("gaussdp.web.app"), "deployments", broken)
    client = Client()
    with caplog.at_level(logging.ERROR, "gaussdp.serve"):
        response = client.get("/api/v1/deployments", fail=True)
    request_id = response.headers["x-request-id"]
    assert response.status_code == 500
    assert response.json()["error"]["message"] == f"the server failed; its log says how (request {request_id})"
    assert f"request {request_id}: GET '/api/v1/deployments' failed" in caplog.text
    assert "RuntimeError: secret" in caplog.text
    assert "\ngaussdp_failures_total 1\n" in client.get("/metrics").text


@pytest.mark.parametrize("kind", ["text", "json"])
def test_the_access_log(kind, tmp_path):
    """One line a request, whatever the request spells."""
    client = Client()
    path = tmp_path / "log"
    with path.open("w") as stream, logging_to(kind, stream):
        answered = client.post("choose", CHOOSE)
        client.get("/no%0Asuch%1b[31mpage?mu=1")
    first, second = path.read_text().splitlines()
    if kind == "json":
        record = json.loads(first)
        assert (record["method"], record["path"], record["status"]) == ("POST", "/api/v1/choose", 200)
        assert record["bytes"] == len(answered.content)
        assert record["request_id"] == answered.headers["x-request-id"]
        assert json.loads(second)["path"] == "/no%0asuch%1b[31mpage"
    else:
        assert f"127.0.0.1 POST /api/v1/choose 200 {len(answered.content)} bytes" in first
        assert " /no%0asuch%1b[31mpage 404 " in second


def test_no_log_of_requests_unless_wanted(tmp_path):
    path = tmp_path / "log"
    with path.open("w") as stream, logging_to("off", stream):
        Client().get("/healthz")
    assert path.read_text() == ""


def test_metrics():
    client = Client()
    client.post("choose", CHOOSE)
    client.post("choose", {})
    client.get("/nothing")
    client.get("/", headers={"host": "evil.example"})
    response = client.get("/metrics")
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = response.text.splitlines()
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert values['gaussdp_requests_total{path="/api/v1/choose",status="200"}'] == "1"
    assert values['gaussdp_requests_total{path="/api/v1/choose",status="422"}'] == "1"
    assert values['gaussdp_requests_total{path="other",status="404"}'] == "1"
    assert values['gaussdp_refusals_total{reason="host"}'] == "1"
    buckets = [
        int(value)
        for name, value in values.items()
        if name.startswith('gaussdp_request_seconds_bucket{path="/api/v1/choose"')
    ]
    assert buckets == sorted(buckets)
    assert buckets[-1] == int(values['gaussdp_request_seconds_count{path="/api/v1/choose"}']) == 2
    typed = {line.split()[2] for line in lines if line.startswith("# TYPE")}
    assert {
        name.partition("{")[0].removesuffix("_bucket").removesuffix("_sum").removesuffix("_count") for name in values
    } == typed


def test_a_websocket_is_closed_under_any_server():
    sent = []

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message)

    scope = {"type": "websocket", "path": "/", "headers": [], "client": ("127.0.0.1", 1)}
    asyncio.run(Client().app(scope, receive, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("10.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "1.2.3.4, 203.0.113.7, 10.9.9.9", "203.0.113.7"),  # what stands before was written by the client
        ("10.0.0.1", "203.0.113.7:4711", "203.0.113.7"),
        ("10.0.0.1", "[2001:db8::1]:4711", "2001:db8::1"),
        ("::ffff:10.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "unknown", "10.0.0.1"),
        ("10.0.0.1", "203.0.113.7, <script>", "10.0.0.1"),
        ("192.0.2.1", "203.0.113.7", "192.0.2.1"),
    ],
)
def test_who_asks(peer, forwarded, expected):
    assert Proxies(["10.0.0.0/8"]).client(peer, forwarded) == expected


def test_an_address_is_all_that_one_client_can_have():
    assert site_of("2001:db8::1") == site_of("2001:db8::ffff") != site_of("2001:db8:0:1::1")
    assert site_of("::ffff:192.0.2.1") == site_of("192.0.2.1") != site_of("192.0.2.2")
