"""Bad input in a browser: words beside the field, in the field's own terms, and no number that pretends."""

from urllib.parse import urlencode

import pytest


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
        "0,5": "Write the number without a comma",
        "-1": "ε must be in [0, ∞), got -1",
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
        "Level must be in (0, 1)": {"view": "choose", "level": "2"},
        "Prior must be in (0, 1)": {"view": "understand", "prior": "1.5"},
        "Batch size must be at most dataset size": {"view": "account", "batch_size": "60000"},
        "“x<b>y</b>” is not a number": {"view": "account", "epochs": "x<b>y</b>"},
        "Write a whole number": {"view": "account", "dataset_size": "10.5"},
        "must be": {"view": "account", "mode": "target", "target": "precision", "target_value": "2"},
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


def test_a_server_that_is_gone(calculator, expect):
    calculator.refused = True
    calculator.open(epsilon="1")
    calculator.page.route("**/api/v1/choose", lambda route: route.abort())
    calculator.field("epsilon").fill("2")
    expect(calculator.part("problem")).to_contain_text("does not answer")
    calculator.page.unroute("**/api/v1/choose")
    calculator.field("epsilon").fill("3")
    expect(calculator.part("problem")).to_be_hidden()


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


def test_a_page_that_cannot_start_says_so(calculator, expect):
    calculator.refused = True
    calculator.page.route("**/api/v1/definitions", lambda route: route.abort())
    calculator.page.goto(calculator.address)
    notice = calculator.page.locator("#address-notice")
    expect(notice).to_contain_text("The page cannot start: The server does not answer.")
    calculator.page.unroute("**/api/v1/definitions")
    calculator.open()
    expect(calculator.part("mu")).to_have_text("0.3102")
    expect(notice).to_be_hidden()
