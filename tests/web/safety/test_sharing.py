"""A client that asks too often is told when to come back, whichever process it asks; so are too many connections."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussdp.web import Limits
from gaussdp.web.sharing import EVERYBODY, Shared, file_for
from web_client import Client


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def shared(rate, burst, clients=5, clock=None, **options):
    limits = replace(Limits(), requests_per_second=rate, burst=burst, clients=clients)
    return Shared(limits, clock=clock or Clock(), **options)


def test_a_burst_then_the_rate():
    clock = Clock()
    buckets = shared(10.0, 3, clock=clock)
    assert [buckets.seconds_to_wait("a") for _ in range(4)] == [0, 0, 0, pytest.approx(0.1)]
    assert buckets.seconds_to_wait("b") == 0
    clock.now = 0.1
    assert buckets.seconds_to_wait("a") == 0
    assert buckets.seconds_to_wait("a") > 0


def test_a_refusal_costs_nothing():
    buckets = shared(1.0, 1)
    buckets.seconds_to_wait("a")
    assert [buckets.seconds_to_wait("a") for _ in range(5)] == [1.0] * 5


def test_whom_it_forgets():
    """The longest unseen, and never one who is still there."""
    clock = Clock()
    buckets = shared(1e-9, 1, clients=10, clock=clock)
    assert buckets.connect("there", 1)
    assert buckets.seconds_to_wait("there") == 0
    for i in range(1000):
        clock.now += 1
        buckets.seconds_to_wait(str(i))
    assert buckets.seconds_to_wait("999") > 0
    assert buckets.seconds_to_wait("there") > 0
    assert not buckets.connect("there", 1)
    assert sum(buckets.seconds_to_wait(str(i)) > 0 for i in range(1000)) <= 20


@given(st.lists(st.tuples(st.floats(0, 5), st.sampled_from([1, 8]), st.integers(0, 1)), min_size=1, max_size=60))
def test_never_more_than_burst_and_rate_allow_in_all_processes_together(steps):
    clock = Clock()
    limits = replace(Limits(), requests_per_second=4.0, burst=10, clients=4)
    with file_for(limits) as file:
        processes = [Shared(limits, number, file, clock) for number in (1, 2)]
        spent = 0
        for pause, cost, number in steps:
            clock.now += pause
            if processes[number].seconds_to_wait("a", cost) == 0:
                spent += cost
            assert spent <= 10 + 4.0 * clock.now + 1e-9


def test_connections_of_all_processes():
    limits = Limits()
    with file_for(limits) as file:
        one, two = (Shared(limits, number, file) for number in (1, 2))
        assert [one.connect("a", 3), two.connect("a", 3), two.connect("a", 3), one.connect("a", 3)] == [1, 1, 1, 0]
        two.disconnect("a")
        assert one.connections("a") == 2
        two.forget(1)  # it died
        assert two.connections("a") == 1
        assert one.connect("a", 3)


def test_all_connections_together_are_never_forgotten():
    """However many addresses there are, and wherever they come to stand."""
    counts = shared(1.0, 1, clients=10)
    addresses = [str(i) for i in range(200)]
    assert all(counts.connect(EVERYBODY, 200) and counts.connect(address, 1) for address in addresses)
    assert counts.connections(EVERYBODY) == 200
    assert not counts.connect(EVERYBODY, 200)
    counts.forget(0)
    assert counts.connections(EVERYBODY) == 0


def test_over_http():
    client = Client(replace(Limits(), burst=2, requests_per_second=0.5))
    statuses = [client.get("/docs").status_code for _ in range(2)]
    refused = client.get("/docs")
    assert statuses == [200, 200]
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) in (1, 2)
    assert set(refused.json()["error"]) == {"field", "message"}
    assert client.get("/healthz").status_code == 200  # which never counts


def test_work_costs_more():
    client = Client(replace(Limits(), burst=9, work_cost=8, requests_per_second=0.001))
    assert client.post("account", {}).status_code == 422
    assert client.get("/docs").status_code == 200
    assert client.get("/docs").status_code == 429


def test_work_that_costs_more_than_there_ever_is_takes_all():
    clock = iter([0.0, 0.0, 0.0, 1.0, 1.0]).__next__
    shared = Shared(replace(Limits(), burst=4, requests_per_second=2.0), clock=clock)
    assert [shared.seconds_to_wait("a", 8.0) for _ in range(2)] == [0.0, 2.0]
    assert shared.seconds_to_wait("a", 8.0) == 1.0


@pytest.mark.parametrize(
    "limits",
    [{"body_bytes": 0}, {"burst": 1.5}, {"connections": True}, {"work_seconds": -1}, {"requests_per_second": 0},
     {"drain_seconds": float("nan")}, {"idle_seconds": "5"}, {"write_seconds": 1e9},
     {"clients": 10**9}, {"progress_seconds": 0}],
)  # fmt: skip
def test_bad_limits(limits):
    with pytest.raises(ValueError, match=f"^{next(iter(limits))} must be"):
        Limits(**limits)
