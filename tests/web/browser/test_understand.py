"""Understand in a browser: drag the slider or the curve, and read what an attacker can do."""

import itertools

import pytest

import gaussdp
from gaussdp.web.views.showing import guarantee_text, percent_text


@pytest.fixture
def expect():
    return pytest.importorskip("playwright.sync_api").expect


def facts(calculator) -> dict[str, str]:
    rows = calculator.page.locator("#understand .fact")
    return {row.locator("dt > span").first.inner_text(): row.locator("dd").inner_text() for row in rows.all()}


def drag_curve_to(calculator, fpr: float, fnr: float) -> None:
    """From the handle to a point of the linear axes."""
    handle = calculator.page.locator("#understand .handle").bounding_box()
    over = calculator.page.locator("#understand .u-over").bounding_box()
    mouse = calculator.page.mouse
    mouse.move(handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2)
    mouse.down()
    x, y = over["x"] + fpr * over["width"], over["y"] + (1 - fnr) * over["height"]
    mouse.move(x + 30, y - 30, steps=4)
    mouse.move(x, y, steps=4)
    mouse.up()


def test_the_numbers_are_the_librarys(calculator):
    calculator.open(view="understand", mu="0.8", prior="0.2", recall="0.05", delta="1e-7", fpr="0.02")
    release = gaussdp.GDP(0.8)
    shown = facts(calculator)
    assert shown["TPR at FPR 0.02"] == percent_text(release.tpr(0.02))
    assert shown["TPR at FPR 1e-3"] == percent_text(release.tpr(1e-3))
    assert shown["Precision at recall 0.05, prior 0.2"] == percent_text(release.precision(0.05, 0.2))
    assert shown["ε at δ = 1e-7"] == guarantee_text(release.epsilon(1e-7))
    assert shown["Advantage"] == percent_text(release.advantage())
    cells = calculator.part("tables").locator("td b").all_text_contents()
    assert cells[0] == guarantee_text(release.group(2).mu)


def test_icons_agree_with_their_words(calculator, expect):
    """With μ = 1 a coin tosser goes from 50 to 69.15 right guesses: the part of a guess counts as one. At another prior
    accusations are drawn, of more people the fewer members there are."""
    calculator.open(view="understand", mu="1")
    figure = calculator.page.locator("#understand .guesses-figure")
    expect(figure).to_have_count(1)
    expect(figure.locator(".icons .right")).to_have_attribute("data-count", "50")
    expect(figure.locator(".icons .gained")).to_have_attribute("data-count", "20")
    expect(figure.locator(".after")).to_have_text("70")
    expect(figure.locator("figcaption")).to_contain_text("at most 70 of 100")
    for prior, of in (("0.1", "100"), ("0.001", "1,000"), ("1e-6", "1,000,000")):
        calculator.field("prior").fill(prior)
        expect(figure.nth(1).locator(".unit")).to_contain_text(f"of {of} right")
        before, after = (figure.nth(1).locator(f".{name}").inner_text() for name in ("before", "after"))
        caption = f"Of {of} accusations at most {after} are right (without the release: {before})"
        expect(figure.nth(1).locator("figcaption")).to_contain_text(caption)


def test_drag_the_curve(calculator, expect):
    """The curve goes through the point to which it is dragged, and the page says its μ."""
    calculator.open(view="understand", mu="1", scale="linear")
    drag_curve_to(calculator, 0.1, 0.3)
    mu = 1.2815515655446004 + 0.5244005127080409  # the normal quantiles of 0.9 and 0.7
    calculator.page.wait_for_function("(low) => Number(document.querySelector('#field-mu').value) > low", arg=mu - 0.05)
    calculator.settled()
    text = calculator.field("mu").input_value()
    assert float(text) == pytest.approx(mu, abs=0.03)
    calculator.wait_for_state(mu=text)
    release = gaussdp.GDP(float(text))
    expect(calculator.page.locator("#understand .fact dd").nth(1)).to_have_text(percent_text(release.tpr(1e-3)))
    handle = calculator.page.locator("#understand .handle").bounding_box()
    over = calculator.page.locator("#understand .u-over").bounding_box()
    share = (handle["x"] + handle["width"] / 2 - over["x"]) / over["width"]
    assert share == pytest.approx(0.1, abs=0.01)  # the curve is held where it was taken


def test_drag_beyond_no_information(calculator, expect):
    calculator.open(view="understand", mu="1", scale="linear")
    drag_curve_to(calculator, 0.6, 0.9)
    expect(calculator.field("mu")).to_have_value("0")
    expect(calculator.page.locator("#understand .guesses-numbers .after")).to_have_text("50")


def test_the_curve_by_keyboard(calculator, expect):
    calculator.open(view="understand", mu="1")
    handle = calculator.page.get_by_role("slider", name="μ, by the curve")
    handle.focus()
    handle.press("ArrowRight")
    assert float(calculator.field("mu").input_value()) > 1
    handle.press("End")
    expect(calculator.field("mu")).to_have_value("10")
    expect(handle).to_have_attribute("aria-valuetext", "μ = 10")
    handle.press("Home")
    expect(handle).to_have_attribute("aria-valuetext", "μ = 0.01")


def test_deployments_on_the_axis(calculator, expect):
    """A row each, from the most private on, with its unit and its period; as published or for a year."""
    calculator.open(view="understand", mu="1")
    rows = calculator.page.locator("#understand .deployed li")
    known = sorted((one for one in gaussdp.deployments() if one.mu), key=lambda one: one.mu)
    expect(rows).to_have_count(len(gaussdp.deployments()))
    boxes = [dot.bounding_box() for dot in calculator.page.locator("#understand .dot").all()]
    assert len(boxes) == len(known)
    assert [box["x"] for box in boxes] == sorted(box["x"] for box in boxes)
    tops = [box["y"] for box in boxes]
    assert min(below - above for above, below in itertools.pairwise(tops)) > 14  # none over another
    wikipedia = rows.filter(has_text="Wikipedia")
    expect(wikipedia).to_contain_text("a device's first 10 unique page views of a day; each day")
    expect(rows.filter(has_text="Windows")).to_contain_text("every 6 hours")
    expect(wikipedia).to_contain_text("μ = 0.1733")
    calculator.page.locator("#understand .deployments .option").filter(has_text="Of a year").click()
    expect(rows.filter(has_text="Wikipedia")).to_contain_text("μ = 3.31")
    expect(rows.filter(has_text="Full URLs")).to_contain_text("μ = 0.3763")
    calculator.wait_for_state(deployed="year")
