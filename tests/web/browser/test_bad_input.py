"""Bad input in a browser: words beside the field, in the field's own terms, and no number that pretends."""

from urllib.parse import urlencode

import pytest

import gaussdp
from gaussdp.web.replies import encoded
from gaussdp.web.schemas.requests import ChooseRequest
from gaussdp.web.views.choose import choose
from gaussdp.web.views.showing import budget_text
from web_server import started

ANSWERED = ChooseRequest(epsilon=2.0, criterion="multiplicative_advantage", level=1e-3)


@pytest.fixture
def expect():
    return pytest.importorskip("playwright.sync_api").expect


def assert_wrong(calculator, expect, name: str, *words: str) -> None:
    for word in words:
        expect(calculator.error(name)).to_contain_text(word)
    field = calculator.field(name)
    expect(field).to_have_attribute("aria-invalid", "true")
    assert f"error-{name}" in field.get_attribute("aria-describedby")
    expect(calculator.page.locator(".view:not([hidden])")).to_have_class("view stale")


def test_typed(calculator, expect):
    calculator.refused = True
    calculator.open(epsilon="1")
    for text, words in {
        "abc": "“abc” is not a number; write one such as 1 or 0.5.",
        "": "Write a number, such as 1 or 0.5.",
        "1,500": "“1,500” can mean 1.500 or 1500: write it without a comma.",
        "-1": "Policy ε must be at least 0.",
        "1e999": "is not a number",
    }.items():
        calculator.field("epsilon").fill(text)
        assert_wrong(calculator, expect, "epsilon", words)
    calculator.field("epsilon").fill("2")
    expect(calculator.error("epsilon")).to_be_empty()
    calculator.settled()
    assert calculator.field("epsilon").get_attribute("aria-invalid") is None


def test_in_the_address(calculator, expect):
    calculator.refused = True
    for words, state in {
        "False-positive rate must be above 0 and below 1.": {"view": "choose", "level": "2"},
        "Prior of membership must be above 0 and below 1.": {"view": "understand", "prior": "1.5"},
        "Batch size must be at most dataset size": {"view": "account", "batch_size": "60000"},
        "“x<b>y</b>” is not a number": {"view": "account", "epochs": "x<b>y</b>"},
        "Dataset size must be a whole number from 1": {"view": "account", "dataset_size": "10.5"},
        "Precision cannot be met": {"view": "account", "mode": "target", "target": "precision", "target_value": "2"},
    }.items():
        calculator.page.goto(f"{calculator.address}?{urlencode(state)}")
        name, text = list(state.items())[-1]
        assert_wrong(calculator, expect, name, words)
        assert calculator.field(name).input_value() == text


def test_choices_and_names_that_do_not_exist(calculator, expect):
    calculator.open(criterion="foo", scale="cubic", shoe="42")
    expect(calculator.error("criterion")).to_contain_text("“foo”")
    expect(calculator.page.locator("#address-notice")).to_contain_text("“cubic”")
    expect(calculator.page.locator("#address-notice")).to_contain_text("“shoe”")
    calculator.page.get_by_role("radio", name="Precision").check()
    expect(calculator.error("criterion")).to_be_empty()


def test_a_file_is_not_made_of_bad_input(calculator, expect):
    calculator.open(epsilon="1")
    calculator.field("epsilon").fill("abc")
    calculator.page.get_by_role("button", name="Figure SVG").first.click()
    expect(calculator.page.locator("#choose .said")).to_contain_text("Mend the field")


def test_numbers_as_people_write_them(calculator, expect):
    calculator.open(epsilon="1")
    for text, epsilon in {"0,5": 0.5, "50%": 0.5, "1/2": 0.5, "1 in 4": 0.25, "5e-1": 0.5, "2×10⁻¹": 0.2}.items():
        calculator.field("epsilon").fill(text)
        matched = gaussdp.match(gaussdp.PureDP(epsilon), gaussdp.MultiplicativeAdvantage(fpr=1e-3)).mu
        expect(calculator.part("mu")).to_have_text(budget_text(matched))
    calculator.open(view="account", dataset_size="50,000", batch_size="256", epochs="30")
    assert calculator.page.locator("#account .fact dd").last.inner_text() == "5,860"


def test_all_wrong_fields_are_told_at_once(calculator, expect):
    calculator.refused = True
    calculator.page.goto(f"{calculator.address}?view=understand&mu=-1&prior=2&recall=x&delta=0")
    for name in ("mu", "prior", "recall", "delta"):
        expect(calculator.error(name)).not_to_be_empty()
    calculator.page.goto(f"{calculator.address}?view=account&released=releases&releases=gaussian+0+1+1.5")
    expect(calculator.error("releases")).to_contain_text("Standard deviation must be above 0.")
    expect(calculator.error("releases")).to_contain_text("How many must be a whole number")


def test_a_server_that_is_gone(new_calculator, expect):
    """Killed while the page is open: a message, the old numbers marked as such, and Retry once it is back."""
    with started() as server:
        calculator = new_calculator(address=server.address)
        calculator.refused = True
        calculator.open(view="account", dataset_size="6000", batch_size="60", epochs="2")
        calculator.open(epsilon="1")
    shown = calculator.part("mu").inner_text()
    for view in ("choose", "understand", "account"):
        calculator.page.locator(f"#tab-{view}").click()
        name = {"choose": "epsilon", "understand": "mu", "account": "noise_multiplier"}[view]
        calculator.field(name).fill("2")
        expect(calculator.part("problem")).to_contain_text("does not answer")
        expect(calculator.part("problem")).to_contain_text("belongs to earlier values")
        expect(calculator.page.locator(".view:not([hidden])")).to_have_class("view stale")
    calculator.page.locator("#tab-choose").click()
    expect(calculator.part("mu")).to_have_text(shown)
    answer = encoded(choose(ANSWERED))
    calculator.page.route("**/api/v1/choose", lambda route: route.fulfill(body=answer, content_type="application/json"))
    calculator.part("problem").get_by_role("button", name="Retry").click()
    expect(calculator.part("problem")).to_be_hidden()
    expect(calculator.part("mu")).not_to_have_text(shown)


def test_too_many_requests_are_asked_again(calculator, expect):
    calculator.refused = True
    calculator.open(epsilon="1")
    shown = calculator.part("mu").inner_text()
    answers = [
        {
            "status": 429,
            "headers": {"Retry-After": "1"},
            "json": {"error": {"field": None, "message": "too many requests"}},
        }
    ]

    def refuse_once(route):
        if answers:
            route.fulfill(**answers.pop())
        else:
            route.continue_()

    calculator.page.route("**/api/v1/choose", refuse_once)
    calculator.field("epsilon").fill("2")
    expect(calculator.part("problem")).to_contain_text("Too many requests")
    expect(calculator.part("problem")).to_be_hidden()
    expect(calculator.part("mu")).not_to_have_text(shown)
