"""Whose turn it is, by the order of events alone: no clock, no process."""

import asyncio
from dataclasses import replace

import pytest

from gaussdp.web import Limits
from gaussdp.web.sharing import Shared
from gaussdp.web.telling import Metrics
from gaussdp.web.work.waiting import WaitingLine


def turns(events, computations):
    """The order in which tickets come to work; an event is a ticket such as "a1" that enters, or "-a1" that leaves."""

    async def run():
        most = {"computations": computations, "address_computations": 2, "waiting": 99, "address_waiting": 99}
        limits = replace(Limits(), **most)
        line = WaitingLine(limits, Metrics(Shared(limits)))
        tickets, order = {}, []
        for event in events.split():
            if event.startswith("-"):
                line.leave(tickets.pop(event[1:]))
            else:
                tickets[event] = line.enter(event[0])
            order += [name for name, ticket in tickets.items() if ticket.at_work and name not in order]
            assert line.at_work == sum(ticket.at_work for ticket in tickets.values()) <= computations
        return " ".join(order)

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("events", "computations", "order"),
    [
        ("a1 a2 a3 b1 -a1 -b1 -a2", 1, "a1 b1 a2 a3"),  # as three slow requests and one of somebody else
        ("a1 a2 a3 b1 b2 -a1 -b1 -a2 -b2", 1, "a1 b1 a2 b2 a3"),
        ("a1 a2 b1 c1 -a1 -b1 -c1", 1, "a1 b1 c1 a2"),
        ("a1 c1 a2 b1 -c1 -a1", 2, "a1 c1 b1 a2"),  # a's first is still at work
        ("a1 c1 a2 b1 -a1 -c1", 2, "a1 c1 b1 a2"),
        ("a1 a2 a3 a4 b1 c1 -a1 -a2 -b1", 2, "a1 a2 b1 c1 a3"),
        ("a1 a2 b1 -b1 -a1", 1, "a1 a2"),  # one that does not wait any longer
        ("a1 a2 a3 -a1 -a2", 1, "a1 a2 a3"),
    ],
)
def test_no_second_of_one_address_before_the_first_of_another(events, computations, order):
    assert turns(events, computations) == order


def test_whoever_waits_has_a_turn_while_others_come_and_go():
    """As many turns of others as there are addresses before it, and none more."""
    events = "a1 a2 b1 " + " ".join(f"-{one} {other}1" for one, other in zip(("a1", "b1"), "cd", strict=True))
    assert turns(f"{events} -a2 -c1", 1) == "a1 b1 a2 c1 d1"
