"""A book in plain values: read by anyone, spent with the token alone."""

import json

import pytest

from gaussdp import GDP, BudgetExceeded, DomainError
from gaussdp.ledger.plain import book_as_dict, budget_as_dict, spend


def test_reading(lite):
    lite.open_budget("all", GDP(1.0))
    lite.reserve("all", GDP(0.8), key="a", purpose="a table")
    seen = json.loads(json.dumps(book_as_dict(lite)))
    assert (seen["unit"], seen["head"]) == ("one person", lite.head)
    assert [(one["name"], one["spent"], one["left"]) for one in seen["budgets"]] == [("all", 0.8, 0.6)]
    told = json.loads(json.dumps(budget_as_dict(lite, "all")))
    assert [(entry["kind"], entry.get("mu")) for entry in told["entries"]] == [("open", None), ("reserve", 0.8)]


def test_people_are_not_told(lite):
    lite.open_budget("each", GDP(1.0), per_person=True)
    lite.reserve("each", GDP(0.5), key="a", people=["ada", "grace"])
    content = budget_as_dict(lite, "each")["entries"][-1]["content"]
    assert not {"people", "who", "units"} & set(content)


def test_spending(lite):
    lite.open_budget("all", GDP(1.0))
    ask = {"do": "reserve", "budget": "all", "key": "a", "release": "mu=0.6", "purpose": "a table"}
    assert spend(lite, "secret", "secret", ask)["mu"] == 0.6
    assert spend(lite, "secret", "secret", ask)["repeated"]
    assert spend(lite, "secret", "secret", {"do": "commit", "key": "a"})["kind"] == "commit"
    with pytest.raises(BudgetExceeded):
        spend(lite, "secret", "secret", ask | {"key": "b", "release": "mu=0.9"})
    spend(lite, "secret", "secret", ask | {"key": "c"})
    spend(lite, "secret", "secret", {"do": "refund", "key": "c", "reason": "nothing came out"})
    assert lite.budget("all").spent == GDP(0.6)


@pytest.mark.parametrize(
    ("token", "given", "change"),
    [
        ("secret", "other", {}),
        ("", "", {}),
        ("secret", "secret", {"do": "open"}),
        ("secret", "secret", {"floor": 1e-6}),
        ("secret", "secret", {"key": 7}),
        ("secret", "secret", {"release": ""}),
        ("secret", "secret", {"budget": ""}),
    ],
)
def test_refusals(lite, token, given, change):
    lite.open_budget("all", GDP(1.0))
    before = lite.head
    ask = {"do": "reserve", "budget": "all", "key": "a", "release": "mu=0.6"} | change
    with pytest.raises(DomainError):
        spend(lite, token, given, ask)
    assert lite.head == before
