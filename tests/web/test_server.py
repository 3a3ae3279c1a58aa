"""The server as others meet it: over a socket, slow, large, many at once, and gone in the middle."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
import time

import httpx
import pytest

from web_server import running

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes through /proc")

CHOOSE = {"epsilon": 1, "criterion": "multiplicative_advantage", "level": 1e-3}
RUN = {"noise_multiplier": 1, "dataset_size": 50_000, "batch_size": 256, "epochs": 30}
ENDLESS = {"noise_multiplier": 0.3, "dataset_size": 10**9, "batch_size": 1, "epochs": 1, "adjacency": "replace-one"}
LIMITS = {
    "requests_per_second": 1e6,
    "burst": 10**6,
    "body_seconds": 2.0,
    "computations": 1,
    "waiting": 1,
    "address_waiting": 1,
    "work_seconds": 120.0,
    "progress_seconds": 0.05,
    "grace_seconds": 0.05,
}


@pytest.fixture(scope="module")
def server():
    with running(**LIMITS) as found:
        yield found


@pytest.fixture
def client(server):
    with httpx.Client(base_url=server.address, timeout=60) as found:
        yield found


def raw(server, *parts, pause=0.0):
    """What the server answers to these bytes until it closes the connection."""
    answer = b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        for part in parts:
            connection.sendall(part)
            time.sleep(pause)
        while piece := connection.recv(65_536):
            answer += piece
    return answer


def head(length=None, **more):
    lines = ["POST /api/v1/choose HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
    lines += ["Transfer-Encoding: chunked"] if length is None else [f"Content-Length: {length}"]
    lines += [f"{name}: {value}" for name, value in more.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def lines_of(client, path, body):
    with client.stream("POST", f"/api/v1/{path}", json=body) as response:
        assert response.headers["content-type"] == "application/x-ndjson"
        return [json.loads(line) for line in response.iter_lines()]


def test_the_page_and_an_answer(client):
    page = client.get("/")
    assert "<title>" in page.text
    assert "server" not in page.headers
    assert client.post("/api/v1/choose", json=CHOOSE).json()["mu_text"] == "0.3102"


def test_what_takes_a_while_holds_up_nobody(server, client):
    """A policy in rho is a region of attacks, which is searched for by a worker: here one that is stopped."""
    policies = {"criterion": "precision", "level": 1e-3, "requirements": [{"policy": "rho=0.05"}, {"policy": "mu=1"}]}
    first = client.post("/api/v1/choose", json=policies).json()
    assert first["mu_text"] == "0.3162"
    for pid in server.workers():
        os.kill(pid, signal.SIGSTOP)
    try:
        policies["requirements"][0]["policy"] = "rho=0.06"
        with pytest.raises(httpx.ReadTimeout):
            client.post("/api/v1/choose", json=policies, timeout=1.0)
        assert client.post("/api/v1/choose", json={**CHOOSE, "epsilon": 1.25}, timeout=1.0).status_code == 200
    finally:
        for pid in server.workers():
            os.kill(pid, signal.SIGCONT)
    policies["requirements"][0]["policy"] = "rho=-1"
    refused = client.post("/api/v1/choose", json=policies)
    assert refused.status_code == 422
    assert refused.json()["error"]["field"] == "requirements.0.policy"


def test_account_streams(client):
    *progress, last = lines_of(client, "account", RUN)
    assert last["result"]["mu_text"] == "0.5563"
    assert all(set(line) == {"progress"} for line in progress)


def test_calibrate_streams(client):
    body = {**RUN, "target": {"kind": "mu", "value": 0.5}}
    del body["noise_multiplier"]
    assert lines_of(client, "calibrate", body)[-1]["result"]["mu"] <= 0.5


def test_the_library_refuses_in_the_stream(client):
    last = lines_of(client, "account", {**RUN, "floor": 0.9})[-1]
    assert set(last) == {"error"}
    assert last["error"]["field"] == "floor"


@pytest.mark.parametrize(
    ("path", "body", "kind"),
    [
        ("figure", {"view": "choose", "format": "svg", "state": CHOOSE}, "image/svg+xml"),
        ("figure", {"view": "account", "format": "png", "state": RUN}, "image/png"),
        ("statement", {"view": "understand", "format": "html", "state": {"mu": 1}}, "text/html"),
        ("statement", {"view": "choose", "format": "latex", "state": CHOOSE}, "application/zip"),
        ("statement", {"view": "account", "format": "text", "state": {**RUN, "unit": "<b>one</b>"}}, "text/plain"),
        ("statement", {"view": "advise", "format": "html", "state": {"title": "<b>one</b>"}}, "text/html"),
        ("statement", {"view": "advise", "format": "pdf", "state": {"every": "month"}}, "application/pdf"),
    ],
)  # fmt: skip
def test_files(client, path, body, kind):
    response = client.post(f"/api/v1/{path}", json=body)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith(kind)
    assert response.headers["content-disposition"].startswith(f'attachment; filename="gaussdp-{body["view"]}')
    assert b"<b>one</b>" not in response.content or kind == "text/plain"
    starts = {"application/pdf": b"%PDF", "image/png": b"\x89PNG", "image/svg+xml": b"<?xml"}
    assert response.content.startswith(starts.get(kind, b""))


def test_a_statement_needs_to_know_whom_it_protects(client):
    response = client.post("/api/v1/statement", json={"view": "account", "format": "text", "state": RUN})
    assert response.status_code == 422
    assert response.json()["error"]["field"] == "state.unit"


def test_too_large_without_a_length(server):
    chunk = b"1000\r\n" + b" " * 4096 + b"\r\n"
    assert raw(server, head(), *[chunk] * 5).startswith(b"HTTP/1.1 413 ")


def test_too_large_with_a_length(server):
    assert raw(server, head(10**9)).startswith(b"HTTP/1.1 413 ")


def test_a_body_that_does_not_come(server):
    """It has its time, and no more."""
    start = time.monotonic()
    assert raw(server, head(100), b"{").startswith(b"HTTP/1.1 408 ")
    assert time.monotonic() - start < LIMITS["body_seconds"] + 1


def test_headers_that_do_not_come(server):
    assert raw(server, b"GET / HTTP/1.1\r\nHost: localhost\r\n") == b""


def test_what_is_not_http(server):
    assert raw(server, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n").startswith(b"HTTP/1.1 400 ")


POINT = b'{"fpr": 0.1, "fnr": 0.5}'
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(POINT), POINT)
GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
LAST = GET + b"Connection: close\r\n\r\n"


def point(*lines, version="1.1"):
    """The head of a request with these lines besides."""
    first = f"POST /api/v1/mu-through HTTP/{version}"
    return "\r\n".join([first, "Host: localhost", "Content-Type: application/json", *lines, "", ""]).encode()


@pytest.mark.parametrize(
    ("request_bytes", "statuses"),
    [
        (point(f"Content-Length: {len(POINT)}", version="1.0") + POINT, [200]),
        (point("Transfer-Encoding: chunked") + CHUNKED + LAST, [200, 200]),
        (point("Transfer-Encoding: chunked") + CHUNKED + b"NONSENSE\r\n\r\n", [200, 400]),
        (point(f"Content-Length: {len(POINT)}", "Expect: 100-continue") + POINT + LAST, [100, 200, 200]),
        (point("Transfer-Encoding: chunked", "Content-Length: 3") + CHUNKED + LAST, [400]),
        (GET + b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n" + CHUNKED + LAST, [400]),
        (point("Content-Length: 3", "Content-Length: 4") + POINT + LAST, [400]),
        (point("Transfer-Encoding: gzip, chunked") + CHUNKED + LAST, [400]),
        (point(f"Content-Length: {len(POINT)}", "Content-Encoding: gzip") + POINT + LAST, [415, 200]),
        (GET + b"X: y\r\n" * 4_000 + b"\r\n", [400]),
        (GET + b"X: " + b"y" * 30_000 + b"\r\n\r\n", [400]),
    ],
    ids=[
        *("HTTP/1.0", "chunks, then another", "another that is none", "100-continue", "length and chunks"),
        *("length and chunks for a monitor", "two lengths", "compressed chunks", "compressed body"),
        *("many headers", "a long header"),
    ],
)
def test_requests_of_every_kind_have_as_many_answers_each_with_the_strict_headers(server, request_bytes, statuses):
    """What is sent after a request that is read in more than one way is read in none."""
    answer = raw(server, request_bytes)
    heads = [part.partition(b"\r\n\r\n")[0] for part in answer.split(b"HTTP/1.1 ")[1:]]
    assert [int(head[:3]) for head in heads] == statuses
    for head in heads[statuses[0] == 100 :]:
        names = [line.partition(b":")[0].lower() for line in head.split(b"\r\n")[1:]]
        assert len(names) == len(set(names))
        assert {b"content-security-policy", b"x-frame-options", b"x-request-id", b"cache-control"} <= set(names)


def test_a_body_that_came_whole_and_is_too_large_is_refused_at_once(server):
    chunks = b"5000\r\n" + b" " * 0x5000 + b"\r\n0\r\n\r\n"
    answer = raw(server, head() + chunks + LAST)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"HTTP/1.1 200 OK" in answer  # the connection goes on: nothing was left behind


def test_an_unknown_host(client):
    assert client.get("/", headers={"host": "evil.example"}).status_code == 421


def test_many_at_once(server):
    async def scenario():
        async with httpx.AsyncClient(base_url=server.address, timeout=60) as many:
            bodies = [{**CHOOSE, "epsilon": 0.1 + i / 10} for i in range(50)]
            return await asyncio.gather(*(many.post("/api/v1/choose", json=body) for body in bodies))

    answers = asyncio.run(scenario())
    assert {answer.status_code for answer in answers} == {200}
    mus = [answer.json()["mu"] for answer in answers]
    assert mus == sorted(mus)


def test_while_work_goes_on_others_are_served(server):
    async def scenario():
        async with httpx.AsyncClient(base_url=server.address, timeout=60) as many, contextlib.AsyncExitStack() as stack:
            lines = []  # kept, since to drop them is to go away
            for _ in range(2):  # one at work, one waiting
                stream = await stack.enter_async_context(many.stream("POST", "/api/v1/account", json=ENDLESS))
                lines.append(stream.aiter_lines())
                first = json.loads(await anext(lines[-1]))
                assert set(first) == {"progress"}
            assert first["progress"]["message"] == "waiting for other computations"
            refused = await many.post("/api/v1/account", json=RUN)
            served = [await many.post("/api/v1/choose", json=CHOOSE) for _ in range(5)]
            return refused, served

    refused, served = asyncio.run(scenario())
    assert refused.status_code == 503, refused.text
    assert refused.headers["retry-after"] == "2"
    assert {answer.status_code for answer in served} == {200}


def test_who_goes_away_stops_the_work(server, client):
    lines_of(client, "account", RUN)  # so that a worker is there
    before = server.workers()
    with client.stream("POST", "/api/v1/account", json=ENDLESS) as response:
        next(response.iter_lines())
    client.close()
    deadline = time.monotonic() + 30
    while all(os.path.exists(f"/proc/{pid}") for pid in before) and time.monotonic() < deadline:  # noqa: PTH110
        time.sleep(0.05)
    assert before - server.workers()
    with httpx.Client(base_url=server.address, timeout=60) as another:
        assert lines_of(another, "account", RUN)[-1]["result"]["mu_text"] == "0.5563"


def test_answers_one_after_another_on_a_connection_have_all_their_headers(server):
    head = b"%s /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(head % b"GET" + head % b"HEAD" + head % b"GET")
        said = b""
        while said.count(b'{"status":"ok"') < 2:
            said += connection.recv(65_536)
    for line in (b"HTTP/1.1 200", b"content-security-policy: ", b"x-request-id: ", b"vary: ", b"content-language: en"):
        assert said.count(line) == 3
    assert len(set(said.split(b"x-request-id: ")[1:])) == 3


def test_a_question_is_answered_alike_however_often_and_however_it_is_written(server):
    spaced = json.dumps(CHOOSE, indent=4).encode()
    with httpx.Client(base_url=server.address) as client:
        answers = [
            client.post("api/v1/choose", content=content, headers={"content-type": "application/json"})
            for content in (json.dumps(CHOOSE).encode(), spaced, spaced, json.dumps(CHOOSE).encode())
        ]
        german = client.post("api/v1/choose?lang=de", json=CHOOSE)
    assert len({answer.content for answer in answers}) == 1
    assert german.content != answers[0].content


def _post(path, body, more=b""):
    content = json.dumps(body).encode()
    head = (
        f"POST /api/v1/{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n"
    )
    return head.encode() + more + b"\r\n" + content


def _answers(connection, count):
    """So many answers, told apart by their lengths."""
    held, found = b"", []
    while len(found) < count:
        head, end, rest = held.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0) if end else 0
        if end and len(rest) >= length:
            found.append((int(head.split()[1]), json.loads(rest[:length])))
            held = rest[length:]
        else:
            piece = connection.recv(65536)
            assert piece, held
            held += piece
    return found


def test_questions_sent_at_once_or_in_pieces_are_answered_in_their_order(server):
    points = [{"fpr": 0.1, "fnr": round(0.1 + 0.02 * i, 2)} for i in range(30)]
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(_post("mu-through", points[0]))
        (single,) = _answers(connection, 1)
        connection.sendall(b"".join(_post("mu-through", point) for point in points))
        together = _answers(connection, len(points))
        apart = []
        for point in points[:5]:
            sent = _post("mu-through", point)
            for piece in (sent[:40], sent[40:-3], sent[-3:]):
                connection.sendall(piece)
                time.sleep(0.02)
            apart += _answers(connection, 1)
        rest = _post("mu-through", points[1])
        connection.sendall(_post("mu-through", points[0]) + rest[:30])
        apart += _answers(connection, 1)
        connection.sendall(rest[30:])
        apart += _answers(connection, 1)
    assert together[0] == single == apart[0] == apart[5]
    assert [status for status, _ in together] == [200] * len(points)
    mus = [answer["mu"] for _, answer in together]
    assert mus == sorted(mus, reverse=True)
    assert apart == [*together[:5], together[0], together[1]]


def test_a_connection_that_was_answered_may_rest_longer_than_headers_may_take(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(_post("choose", CHOOSE))
        first = _answers(connection, 1)
        time.sleep(1.5 * LIMITS["body_seconds"])
        connection.sendall(_post("choose", CHOOSE))
        assert _answers(connection, 1) == first
        connection.sendall(b"POST /api/v1/choose HTTP/1.1\r\nHost: ")  # and nothing more
        assert connection.recv(1) == b""


def test_what_is_refused_at_once_and_what_a_worker_answers(server):
    region = {"criterion": "profile", "level": 1e-5, "requirements": [{"policy": "rho=0.5"}]}
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(_post("choose", CHOOSE | {"level": 2}))
        connection.sendall(_post("choose", region))
        connection.sendall(_post("choose", CHOOSE, b"Sec-Fetch-Site: cross-site\r\n"))
        connection.sendall(_post("choose", CHOOSE))
        assert [status for status, _ in _answers(connection, 4)] == [422, 200, 403, 200]
