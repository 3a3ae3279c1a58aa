"""Only known hosts are answered, and only our own page may post."""

import pytest

from gaussdp.web.safety.hosts import allowed_names, is_loopback
from web_client import Client

CHOOSE = {"epsilon": 1, "criterion": "multiplicative_advantage", "level": 1e-3}


@pytest.fixture(scope="module")
def client():
    return Client()


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:9000", "127.0.0.1", "127.0.0.1:8000", "[::1]", "[::1]:1"])
def test_known_hosts(client, host):
    assert client.get("/docs", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("host", ["[2001:db8::1]", "[2001:DB8:0:0:0:0:0:1]:8000"])
def test_an_address_is_known_however_it_is_written(host):
    for allowed in ("2001:DB8:0::1", "[2001:db8::1]"):
        client = Client(more_hosts=[allowed])
        assert client.get("/docs", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil.example:8000",
        "localhost:8000@evil.example",
        "localhost, evil.example",
        "192.168.0.7",
        "0.0.0.0",
        "[::1",
        "localhost:99999999",
        "local host",
        "",
    ],
)
def test_unknown_hosts(client, host):
    assert client.get("/docs", headers={"host": host}).status_code == 421


def test_two_hosts(client):
    headers = [("host", "localhost"), ("host", "localhost")]
    assert client.get("/docs", headers=headers).status_code == 421


@pytest.mark.parametrize("origin", ["http://localhost", "http://LocalHost", "https://localhost", None])
def test_own_origin(client, origin):
    headers = {} if origin is None else {"origin": origin}
    assert client.post("choose", CHOOSE, headers=headers).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://localhost:9000"},  # another port is another site
        {"origin": ""},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_origins(client, headers):
    response = client.post("choose", CHOOSE, headers=headers)
    assert response.status_code == 403
    assert set(response.json()["error"]) == {"field", "message"}


def test_addresses_only_where_others_may_come():
    names = allowed_names("0.0.0.0", ["calculator.example"])
    client = Client(hosts=names, any_address=True)
    for host in ("192.168.0.7:8000", "[fe80::1]", "Calculator.example", "localhost"):
        assert client.get("/docs", headers={"host": host}).status_code == 200
    assert client.get("/docs", headers={"host": "evil.example"}).status_code == 421


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False),
     ("example.org", False), ("10.0.0.1", False)],
)  # fmt: skip
def test_loopback(host, expected):
    assert is_loopback(host) is expected
