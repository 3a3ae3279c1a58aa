"""What is computed, and what is remembered."""

import asyncio

import pytest
from starlette.requests import Request

from gaussdp.web.endpoints import closed_form
from gaussdp.web.schemas.requests import PointRequest


@pytest.fixture
def asked():
    """A function that asks an endpoint for points, and the points that were computed for it."""
    computed = []
    endpoint = closed_form(PointRequest, lambda request: computed.append(request.fpr) or {"fpr": request.fpr})

    def ask(fpr):
        async def receive():
            return {"type": "http.request", "body": b'{"fpr": %a, "fnr": 0.5}' % fpr, "more_body": False}

        scope = {"type": "http", "headers": [(b"content-type", b"application/json")]}
        return asyncio.run(endpoint(Request(scope, receive))).body

    return ask, computed


def test_answers_are_remembered_from_the_second_time_on(asked):
    ask, computed = asked
    assert [ask(0.1) for _ in range(5)] == [b'{"fpr":0.1}'] * 5
    assert computed == [0.1, 0.1]


def test_questions_that_come_once_push_nothing_out(asked):
    ask, computed = asked
    answers = [ask(0.1), ask(0.1), *(ask(0.2 + i / 10_000) for i in range(2_000)), ask(0.1)]
    assert answers[0] == answers[-1]
    assert computed.count(0.1) == 2
