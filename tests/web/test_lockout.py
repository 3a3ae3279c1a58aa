"""One address cannot lock out the others: neither with idle connections, nor with work, nor by not reading."""

import asyncio
import contextlib
import json
import socket
import sys
import time

import httpx
import pytest

from web_server import running

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs several addresses of this machine")

CHOOSE = {"epsilon": 1, "criterion": "multiplicative_advantage", "level": 1e-3}
RUN = {"noise_multiplier": 1, "dataset_size": 50_000, "batch_size": 256, "epochs": 30}
ENDLESS = {"noise_multiplier": 0.3, "dataset_size": 10**9, "batch_size": 1, "epochs": 1, "adjacency": "replace-one"}
GREEDY, MODEST = "127.0.0.2", "127.0.0.3"
LIMITS = {
    "requests_per_second": 1e6,
    "burst": 10**6,
    "connections": 40,
    "address_connections": 20,
    "body_seconds": 3.0,
    "write_seconds": 1.0,
    "computations": 2,
    "address_computations": 1,
    "waiting": 4,
    "address_waiting": 2,
    "progress_seconds": 0.05,
    "grace_seconds": 0.0,
}


@pytest.fixture(scope="module")
def server():
    with running(**LIMITS) as found:
        yield found


def client_from(address, server, **options):
    transport = httpx.HTTPTransport(local_address=address)
    return httpx.Client(base_url=server.address, transport=transport, timeout=30, **options)


def connected(server, address):
    return socket.create_connection(("127.0.0.1", server.port), timeout=30, source_address=(address, 0))


def answer_to(connection, request):
    answer = b""
    with contextlib.suppress(ConnectionError):
        connection.sendall(request)
    with contextlib.suppress(ConnectionError):
        while piece := connection.recv(65_536):
            answer += piece
    return answer


def test_idle_connections(server):
    with contextlib.ExitStack() as stack, client_from(MODEST, server) as modest:
        for _ in range(120):
            stack.enter_context(connected(server, GREEDY))
        for _ in range(5):
            assert modest.post("/api/v1/choose", json=CHOOSE).status_code == 200
        numbers = modest.get("/metrics").text
    count = next(line for line in numbers.splitlines() if line.startswith("gaussdp_connections "))
    assert float(count.split()[1]) <= LIMITS["address_connections"] + 2


def test_a_burst_of_one_address_is_answered_in_words(server):
    """What has just come is not closed for what comes next: all are answered, or told that they are too many."""
    with contextlib.ExitStack() as stack:
        burst = [stack.enter_context(connected(server, GREEDY)) for _ in range(40)]
        for connection in burst:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        statuses = [answer_to(connection, b"")[9:12] for connection in burst]
    assert set(statuses) == {b"200", b"503"}
    assert statuses.count(b"200") >= LIMITS["address_connections"]


def test_busy_connections_beyond_the_limit_are_told_so(server):
    """A request under way is never cut off for another; health is told to everybody."""
    begun = b"POST /api/v1/choose HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n"
    with contextlib.ExitStack() as stack:
        for _ in range(LIMITS["address_connections"]):
            stack.enter_context(connected(server, GREEDY)).sendall(begun)
        time.sleep(0.3)
        for path, start in (("/", b"HTTP/1.1 503 "), ("/healthz", b"HTTP/1.1 200 ")):
            with connected(server, GREEDY) as another:
                answer = answer_to(
                    another, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
                )
            assert answer.startswith(start)
            assert b"content-security-policy" in answer
        assert b"retry-after" not in answer
        with connected(server, GREEDY) as another:
            another.sendall(begun)
            time.sleep(0.3)
            answer = answer_to(another, b'{"a": 123}')  # which must not cut off the refusal
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert answer.endswith(b'try again in a moment"}}')
        with client_from(MODEST, server) as modest:
            assert modest.post("/api/v1/choose", json=CHOOSE).status_code == 200


def test_all_connections_beyond_the_limit_are_told_so(server):
    """Also more of them at once than may say what they want."""
    begun = b"POST /api/v1/choose HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n"
    with contextlib.ExitStack() as stack:
        for _ in range(LIMITS["address_connections"]):
            stack.enter_context(connected(server, GREEDY)).sendall(begun)
        time.sleep(0.3)
        more = [stack.enter_context(connected(server, GREEDY)) for _ in range(60)]
        time.sleep(0.3)
        answers = [answer_to(one, b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") for one in more]
        with client_from(MODEST, server) as modest:
            assert modest.post("/api/v1/choose", json=CHOOSE).status_code == 200
    for answer in answers:
        head, _, body = answer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 503 ")
        assert {b"retry-after: 2", b"content-type: application/json"} <= set(head.lower().split(b"\r\n"))
        assert b"content-security-policy" in head
        assert json.loads(body)["error"]["message"] == "there are too many connections; try again in a moment"


def test_work_of_one_address(server):
    """At work and waiting are the limits of the address; another's work begins at once."""

    async def scenario():
        async with contextlib.AsyncExitStack() as stack:
            greedy = await stack.enter_async_context(asynchronous(server, GREEDY))
            asked = [asyncio.create_task(first_line(stack, greedy, ENDLESS)) for _ in range(10)]
            lines = await asyncio.gather(*asked)
            modest = await stack.enter_async_context(asynchronous(server, MODEST))
            answer = await modest.post("/api/v1/account", json=RUN)
            return lines, answer

    lines, answer = asyncio.run(scenario())
    assert sorted(status for status, _, _ in lines) == [200] * 3 + [503] * 7
    assert {line["error"]["message"] for status, line, _ in lines if status == 503} == {
        "too many computations of yours are waiting; try again when one has ended"
    }
    assert all(int(headers["retry-after"]) >= 1 for status, _, headers in lines if status == 503)
    assert json.loads(answer.text.splitlines()[-1])["result"]["mu_text"] == "0.5563"


def asynchronous(server, address):
    transport = httpx.AsyncHTTPTransport(local_address=address)
    return httpx.AsyncClient(base_url=server.address, transport=transport, timeout=60)


async def first_line(stack, client, body):
    response = await stack.enter_async_context(client.stream("POST", "/api/v1/account", json=body))
    lines = response.aiter_lines()
    stack.push_async_callback(lines.aclose)
    return response.status_code, json.loads(await anext(lines)), response.headers


def test_who_does_not_read_is_cut_off(server):
    """Else every such client would keep a connection, and its answers, for good."""
    request = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with connected(server, GREEDY) as deaf, client_from(MODEST, server) as client:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.sendall(200 * request)  # far more than what the system itself takes
        before = connections(client)
        deadline = time.monotonic() + 20
        while connections(client) >= before and time.monotonic() < deadline:
            time.sleep(0.2)
        assert connections(client) == before - 1


def connections(client):
    """How many the server counts, this one among them."""
    lines = client.get("/metrics").text.splitlines()
    return next(float(line.split()[-1]) for line in lines if line.startswith("gaussdp_connections"))


def test_a_websocket(server):
    request = (
        b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    with connected(server, MODEST) as connection:
        answer = answer_to(connection, request)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"this server has no websockets" in answer


def test_what_is_not_http_is_refused_like_all_else(server):
    with connected(server, MODEST) as connection:
        answer = answer_to(connection, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"content-security-policy" in head
    assert set(json.loads(body)["error"]) == {"field", "message"}
