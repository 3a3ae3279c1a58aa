"""An answer in parts is the whole answer, less what was not asked for."""

import pytest

from gaussdp.web.schemas.requests import SIDES, SNIPPETS, ChooseRequest, UnderstandRequest
from gaussdp.web.views.choose import choose
from gaussdp.web.views.understand import understand
from gaussdp.words import speaking

ASKED = {
    "choose": (choose, ChooseRequest, {"epsilon": 1.3, "criterion": "precision", "level": 0.02}),
    "choose, met": (
        choose,
        ChooseRequest,
        {"epsilon": 3.0, "policy_delta": 1e-5, "criterion": "profile", "level": 1e-6},
    ),
    "understand": (understand, UnderstandRequest, {"mu": 0.7, "prior": 0.02, "fpr": 0.03}),
}
GROUPS = {
    "advice": {"others", "implied", "recommendation", "cautious"},
    "tables": {"group", "repeated", "equivalents"},
}
OF_SIDE = {"fnr": {"fnr", "pure", "gdp"}, "tpr": {"tpr", "pure_tpr", "gdp_tpr"}}
FIRST = {"choose": "advice", "choose, met": "advice", "understand": "tables"}


@pytest.mark.parametrize("name", list(ASKED))
@pytest.mark.parametrize("parts", [(), ("tpr", "python"), ("fnr", "latex", "cli"), (*SIDES, "json"), None], ids=str)
@pytest.mark.parametrize("grouped", [False, True])
def test_what_is_asked_for_is_as_in_the_whole(name, parts, grouped):
    answer, request, question = ASKED[name]
    group = FIRST[name]
    named = {*(parts or ()), *([group] if grouped else [])} if parts is not None else {group, *SIDES, *SNIPPETS}
    whole, found = answer(request(**question)), answer(request(**question, parts=frozenset(named)))
    curve = "curves" if "curves" in whole else "curve"
    left_out = (set() if group in named else GROUPS[group]) | (set() if named & set(SIDES) else {curve})
    assert set(whole) - set(found) == left_out
    assert found["snippets"] == {kind: text for kind, text in whole["snippets"].items() if kind in named}
    if curve in found:
        lists = {"fpr"}.union(*(OF_SIDE[side] for side in named & set(SIDES)))
        assert found[curve] == {key: values for key, values in whole[curve].items() if key in lists}
    for key in set(found) - {"snippets", curve}:
        assert found[key] == whole[key]


def test_who_names_no_parts_gets_all():
    whole = choose(ChooseRequest(epsilon=1.0, criterion="profile", level=1e-6))
    assert GROUPS["advice"] <= set(whole)
    assert set(whole["snippets"]) == set(SNIPPETS)
    assert set(whole["curves"]) == {"fpr", *OF_SIDE["fnr"], *OF_SIDE["tpr"]} - {"fnr", "tpr"}
    assert GROUPS["tables"] <= set(understand(UnderstandRequest(mu=1.0)))


def test_what_is_taken_away_is_in_english():
    """A sentence for a paper is in one language, whatever the page speaks."""
    answer, kind, values = ASKED["choose"]
    with speaking("de"):
        spoken = answer(kind(**values))
    assert spoken["snippets"] == answer(kind(**values))["snippets"]
    assert spoken["recommendation"] != answer(kind(**values))["recommendation"]
