"""What advice says may be spent: one number everywhere, and all shares fit into a ledger of the total."""

import json
import re
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaussdp import GDP, Gaussian, Ledger
from gaussdp.advising import Answers, Asked, Published, advise, record
from gaussdp.documents import render
from gaussdp.ledger.balances import Balance
from gaussdp.ledger.charges import charge_of
from gaussdp.web.schemas.requests import AdviseRequest, PublishedRequest
from gaussdp.web.views.advise import advised

DAY = date(2026, 1, 2)
NUMBER = r"[0-9.]+(?:e-?[0-9]+)?"
MONTHLY = {"aim": "attribute", "chance": 0.01, "acceptable": 0.02, "every": "month", "years": 5.0}

plans = st.builds(
    Answers,
    aim=st.just("identification"),
    chance=st.floats(1e-6, 0.3),
    acceptable=st.floats(0.35, 0.99),
    every=st.sampled_from(["once", "day", "week", "month", "quarter", "year"]),
    years=st.sampled_from([1.0, 2.0, 5.0, 20.0]),
    published=st.lists(st.just(Published(kind="count")), max_size=3).map(tuple),
    requirements=st.lists(st.floats(1e-6, 8.0).map(lambda mu: Asked(f"mu={mu!r}")), max_size=1).map(tuple),
)


def fits(total: float, releases: list[object]) -> bool:
    """Whether a ledger opened at the total takes all of them, one by one."""
    book = Balance("all", total, 0.0)
    for release in releases:
        charge = charge_of(release, unit="one person", adjacency="add-remove")
        if not book.affords(charge):
            return False
        book = book.reserved(charge.square, charge.slack)
    return True


@settings(max_examples=60, deadline=None)
@given(plans, st.integers(1, 12))
def test_all_shares_together_fit_into_the_total(answers, digits):
    found = advise(answers, digits=digits)
    for step in found.steps:
        mu, each, noise = float(f"{step.mu!r}"), step.each, step.noise[0]
        assert fits(mu, [GDP(each)] * found.count)
        assert fits(mu, [Gaussian(noise.sd)] * found.count)


@settings(max_examples=12, deadline=None)
@given(plans, st.integers(1, 12))
def test_one_number_wherever_it_stands(answers, digits):
    found = advise(answers, digits=digits)
    decided = record(found, day=DAY)
    told = json.loads(found.render("json"))
    kept = json.loads(render(decided.document(), "json"))
    budgets = {found.mu, told["mu"], told["choice"]["mu"], kept["mu"], kept["advice"]["mu"]}
    shares = {found.each(found.mu), told["releases"]["mu_each"], kept["mu_each"]}
    # of the rows of the table as it is printed, the one of the budget
    place = next(i for i, step in enumerate(found.steps) if step.mu == found.mu)
    for text in (found.render("text"), render(decided.document(), "markdown")):
        rows = re.findall(rf"^\W*({NUMBER})[ |]+[a-z][a-z :]*?[ |]+({NUMBER})[ |]+[0-9.e-]+%", text, re.MULTILINE)
        budgets.add(float(rows[place][0]))
        shares.add(float(rows[place][1]))
    for words in (found.sentence, decided.sentence):
        budgets.add(float(re.search(rf"μ (?:= |between )({NUMBER})", words)[1]))
        shares.update(float(one) for one in re.findall(rf"μ = ({NUMBER}) for each", words))
    assert budgets == {found.mu}
    assert shares == {found.each(found.mu)}


def test_the_page_says_the_same():
    answer = advised(AdviseRequest(**MONTHLY, published=(PublishedRequest(kind="count"),)))
    found = advise(Answers(**MONTHLY))
    assert (answer["mu_text"], answer["each_text"]) == ("0.2725", "0.03517")
    assert (answer["mu"], answer["utility"][2]["each_text"]) == (found.mu, "0.03517")
    assert answer["requirements"][0]["mu_text"] == "0.2725"


def test_a_real_ledger_takes_all_sixty(tmp_path):
    found = advise(Answers(**MONTHLY))
    assert (found.mu, found.count) == (0.2725, 60)
    with Ledger.create(f"sqlite:///{tmp_path / 'l.db'}", unit="one person", adjacency="add-remove") as book:
        book.open_budget("all", GDP(found.mu))
        for month in range(60):
            book.reserve("all", GDP(found.each(found.mu)), key=f"month-{month}", purpose="a count")
        assert book.budget("all").left.mu < found.each(found.mu)


@pytest.mark.parametrize("digits", [2, 6])
def test_digits_are_those_of_the_budget(digits):
    found = advise(Answers(**MONTHLY), digits=digits)
    assert found.mu == {2: 0.27, 6: 0.272598}[digits]
    for words in (found.sentence, found.render("text"), found.render("markdown")):
        assert str(found.mu) in words
        assert str(found.each(found.mu)) in words


def test_what_was_decided_is_told_as_it_was_decided():
    found = record(advise(Answers(**MONTHLY)), 0.123456, DAY)
    assert "μ = 0.123456 (μ = 0.01593 for each of 60 statistics)" in found.sentence
    assert fits(0.123456, [GDP(0.01593)] * 60)
    assert found.as_object()["mu_each"] == 0.01593


@pytest.mark.parametrize("mu", ["1e-320", "1e-200", "1e-120", "1e120", "1e200"])
def test_budgets_beyond_all_reason_are_shared_too(mu):
    found = advise(Answers(requirements=(Asked(f"mu={mu}"),), every="day"))
    total, each = found.mu, found.each(found.mu)
    assert total == float(mu)
    assert each <= total / 366**0.5
    assert all(one.sd >= 0 for step in found.steps for one in step.noise)
    assert found.render("text")
