"""A client that asks too often is told when to come back."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussdp.web import Limits
from gaussdp.web.safety.rates import Buckets
from web_client import Client


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_a_burst_then_the_rate():
    clock = Clock()
    buckets = Buckets(rate=10.0, burst=3, clients=5, clock=clock)
    assert [buckets.seconds_to_wait("a") for _ in range(4)] == [0, 0, 0, pytest.approx(0.1)]
    assert buckets.seconds_to_wait("b") == 0
    clock.now = 0.1
    assert buckets.seconds_to_wait("a") == 0
    assert buckets.seconds_to_wait("a") > 0


def test_a_refusal_costs_nothing():
    clock = Clock()
    buckets = Buckets(rate=1.0, burst=1, clients=5, clock=clock)
    buckets.seconds_to_wait("a")
    assert [buckets.seconds_to_wait("a") for _ in range(5)] == [1.0] * 5


def test_memory_is_bounded():
    buckets = Buckets(rate=1.0, burst=1, clients=10, clock=Clock())
    for i in range(1000):
        buckets.seconds_to_wait(str(i))
    assert len(buckets._buckets) == 10


@given(st.lists(st.tuples(st.floats(0, 5), st.sampled_from([1, 8])), min_size=1, max_size=60))
def test_never_more_than_burst_and_rate_allow(steps):
    clock = Clock()
    buckets = Buckets(rate=4.0, burst=10, clients=2, clock=clock)
    spent = 0
    for pause, cost in steps:
        clock.now += pause
        if buckets.seconds_to_wait("a", cost) == 0:
            spent += cost
        assert spent <= 10 + 4.0 * clock.now + 1e-9


def test_over_http():
    client = Client(replace(Limits(), burst=2, requests_per_second=0.5))
    statuses = [client.get("/healthz").status_code for _ in range(2)]
    refused = client.get("/healthz")
    assert statuses == [200, 200]
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) in (1, 2)
    assert set(refused.json()["error"]) == {"field", "message"}


def test_work_costs_more():
    client = Client(replace(Limits(), burst=9, work_cost=8, requests_per_second=0.001))
    assert client.post("account", {}).status_code == 422
    assert client.get("/healthz").status_code == 200
    assert client.get("/healthz").status_code == 429
