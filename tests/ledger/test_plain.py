"""A book in plain values: what anyone may read, and what is asked in words."""

import json

import pytest

from gaussdp import GDP, BudgetExceeded, DomainError
from gaussdp.ledger.plain import asked, book_as_dict, budget_as_dict, entry_as_dict


def test_reading(lite):
    lite.open_budget("all", GDP(1.0))
    lite.reserve("all", GDP(0.8), key="a", purpose="a table")
    seen = json.loads(json.dumps(book_as_dict(lite)))
    assert (seen["unit"], seen["head"]) == ("one person", lite.head)
    assert [(one["name"], one["spent"], one["left"]) for one in seen["budgets"]] == [("all", 0.8, 0.6)]
    told = json.loads(json.dumps(budget_as_dict(lite, "all")))
    assert [(entry["kind"], entry.get("mu")) for entry in told["entries"]] == [("reserve", 0.8), ("open", None)]


def test_people_are_not_told(lite):
    """Neither who took part, nor what they have spent: it depends on the data, and is the output of no release."""
    lite.open_budget("each", GDP(1.0), per_person=True)
    before = budget_as_dict(lite, "each")
    lite.reserve("each", GDP(0.5), key="a", people=["ada", "grace"])
    told = budget_as_dict(lite, "each")
    assert not {"people", "who", "units"} & set(told["entries"][0]["content"])
    assert {name: told[name] for name in before if name != "entries"} == {
        name: before[name] for name in before if name != "entries"
    }
    assert told["spent"] is None
    assert told["total"] == 1.0


@pytest.mark.parametrize("last", [1, 2, 3, 5, 8, 100])
def test_over_time_from_any_entry_on(lite, last):
    """What the last entries show is the end of what all of them show."""
    lite.open_budget("all", GDP(2.0))
    lite.open_budget("yearly", GDP(1.0), period="year", within="all")
    for i, mu in enumerate((0.5, 0.6, 0.3)):
        lite.reserve("yearly", GDP(mu), key=f"k{i}")
    lite.commit("k0")
    lite.renew("yearly", reason="another year")
    lite.reserve("yearly", GDP(0.8), key="k3")
    lite.refund("k1", reason="nothing came out")  # of the year before
    lite.refund("k3", reason="nothing came out")
    lite.reserve("yearly", GDP(0.7), key="k4")
    expected = {"yearly": [0, 0.5, 0.61**0.5, 0.7**0.5, 0, 0.8, 0.8, 0, 0.7]}
    expected["all"] = [0, 0.5, 0.61**0.5, 0.7**0.5, 1.34**0.5, 0.98**0.5, 0.34**0.5, 0.83**0.5]
    for name, whole in expected.items():
        told = [point["mu"] for point in budget_as_dict(lite, name, last=last)["over_time"]]
        assert len(told) <= last
        assert told == pytest.approx(whole[len(whole) - len(told) :], abs=1e-7), name


def test_asking(lite):
    lite.open_budget("all", GDP(1.0))
    ask = {"budget": "all", "key": "a", "release": "mu=0.6", "purpose": "a table"}
    assert entry_as_dict(asked(lite, "reserve", ask))["mu"] == 0.6
    assert asked(lite, "reserve", ask).repeated
    assert asked(lite, "commit", {"key": "a"}).kind == "commit"
    with pytest.raises(BudgetExceeded):
        asked(lite, "reserve", ask | {"key": "b", "release": "mu=0.9"})
    assert asked(lite, "reserve", ask | {"key": "c", "release": "noise=4"}).guarantee.mu == 0.25
    asked(lite, "refund", {"key": "c", "reason": "nothing came out"})
    assert lite.budget("all").spent == GDP(0.6)


@pytest.mark.parametrize(
    ("what", "change", "field"),
    [
        ("open", {}, "do"),
        ("reserve", {"floor": "1e-6"}, "floor"),
        ("reserve", {"release": ""}, None),
        ("reserve", {"release": "noise=a lot"}, "release"),
        ("reserve", {"release": "noise=-1"}, "noise"),
        ("reserve", {"release": "/etc/passwd"}, None),
        ("reserve", {"budget": ""}, "budget"),
        ("reserve", {"budget": "other"}, "budget"),
        ("commit", {}, "budget"),
    ],
)
def test_refusals(lite, what, change, field):
    lite.open_budget("all", GDP(1.0))
    before = lite.head
    ask = {"budget": "all", "key": "a", "release": "mu=0.6"} | change
    with pytest.raises(DomainError) as caught:
        asked(lite, what, ask)
    assert field is None or caught.value.parameter == field
    assert lite.head == before
