"""The page for everyone: by keyboard alone, on a phone, in the dark, with a screen reader."""

import itertools

import pytest

VIEWS = ("start", "choose", "understand", "account")
FULL = {
    "start": {"published": "count visits 1000; model _ 256 1", "required": "epsilon 3 1e-5 the_board"},
    "choose": {"currency": "tpr", "policy_value": "1%", "policy_level": "0.001", "also": "epsilon 3 _; accuracy 0.55"},
    "understand": {"deployed": "year", "prior": "0.01"},
    "account": {"sampling": "shuffle"},
}
"""Each view with everything that it can show."""


@pytest.fixture
def expect():
    return pytest.importorskip("playwright.sync_api").expect


def serious_findings(page, **options) -> list:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    return [
        (rule["id"], [node["target"] for node in rule["nodes"]], rule["nodes"][0]["failureSummary"])
        for rule in axe.run(page, **options).response["violations"]
        if rule["impact"] in ("serious", "critical")
    ]


def test_axe_finds_nothing_serious(new_calculator):
    calculator = new_calculator(reduced_motion="reduce")
    for view in VIEWS:
        calculator.open(view=view, **FULL[view])
        calculator.unfold()
        for theme, forced in (("light", "none"), ("dark", "none"), ("dark", "active")):
            calculator.page.emulate_media(color_scheme=theme, forced_colors=forced)
            assert serious_findings(calculator.page) == [], f"{view}, {theme}, {forced}"
        calculator.page.emulate_media(forced_colors="none")
    calculator.page.goto(f"{calculator.address}docs")
    assert serious_findings(calculator.page) == []


def test_axe_finds_nothing_serious_in_errors(calculator):
    calculator.open(criterion="foo", shoe="42")
    calculator.field("epsilon").fill("abc")
    # What is dimmed is out of date and said to be so; its contrast is that of a disabled control.
    assert serious_findings(calculator.page, context={"exclude": [[".stale-able"]]}) == []


def focused(calculator) -> str:
    return calculator.page.evaluate(
        """() => {
          const e = document.activeElement;
          return e.id || e.getAttribute('aria-label') || e.value || e.textContent.trim();
        }"""
    )


def test_by_keyboard_alone(calculator, expect):
    """From the skip link through every control of a view, each with a visible focus, and back out of the page."""
    calculator.open()
    press = calculator.page.keyboard.press
    press("Tab")
    expect(calculator.page.locator(".skip")).to_be_focused()
    expect(calculator.page.locator(".skip")).to_be_in_viewport()
    for _ in ("language", "theme", "tabs"):
        press("Tab")
    expect(calculator.page.locator("#tab-choose")).to_be_focused()
    press("ArrowRight")
    expect(calculator.page.locator("#tab-understand")).to_be_focused()
    expect(calculator.page.locator("#understand")).to_be_visible()
    press("Home")
    expect(calculator.page.locator("#start")).to_be_visible()
    press("ArrowRight")
    expect(calculator.page.locator("#choose")).to_be_visible()
    seen = []
    while True:
        press("Tab")
        if calculator.page.evaluate("document.activeElement === document.body"):
            break
        seen.append(focused(calculator))
        outline = calculator.page.evaluate(
            """() => [document.activeElement, document.activeElement.closest('.option')].some(
                 (e) => e && getComputedStyle(e).outlineStyle !== 'none')"""
        )
        assert outline, f"no visible focus on {seen[-1]}"
        assert len(seen) < 60
        if seen[-1] == "HTTP API":
            break
    for name in (
        "field-epsilon",
        "Policy ε, slider",
        "About ε",
        "field-level",
        "Copy",
        "Copy link",
        "Figure SVG",
        "Figure PNG",
    ):
        assert name in seen
    calculator.slider("epsilon").focus()
    press("ArrowRight")
    expect(calculator.field("epsilon")).not_to_have_value("1")
    calculator.field("epsilon").focus()
    press("ArrowDown")
    expect(calculator.field("epsilon")).to_have_value("1")
    calculator.settled()


def test_every_control_is_reached_by_the_keyboard(calculator):
    """By Tab alone, in every view with all that it can show, and always with a visible focus."""
    for view in VIEWS:
        calculator.open(view=view, **FULL[view])
        calculator.unfold()
        calculator.page.evaluate(
            """() => [...document.querySelectorAll(
                 '.view:not([hidden]) :is(button, input:not([type=radio]), select, summary, a[href], [tabindex="0"])')]
                 .filter((e) => e.offsetParent && !e.disabled).forEach((e) => { e.dataset.reach = 'no'; })"""
        )
        while not calculator.page.evaluate("document.activeElement?.closest('footer')"):
            calculator.page.keyboard.press("Tab")
            outlined = calculator.page.evaluate(
                """() => { const e = document.activeElement; e.dataset.reach = 'yes';
                     return [e, e.closest('.option')].some((x) => x && getComputedStyle(x).outlineStyle !== 'none') }"""
            )
            assert outlined, f"no visible focus on {focused(calculator)}"
        missed = "[...document.querySelectorAll('[data-reach=no]')].map((e) => e.id || e.textContent)"
        assert calculator.page.evaluate(missed) == [], view


def test_the_skip_link_skips(calculator, expect):
    calculator.open()
    calculator.page.keyboard.press("Tab")
    calculator.page.keyboard.press("Enter")
    expect(calculator.page.locator("main")).to_be_focused()


def test_symbols_are_explained(calculator, expect):
    calculator.open()
    button = calculator.page.get_by_role("button", name="About ε").first
    tip = calculator.page.locator(f"#{button.get_attribute('aria-describedby')}")
    expect(tip).to_be_hidden()
    button.hover()
    expect(tip).to_be_visible()
    expect(tip).to_contain_text("pure differential privacy")
    calculator.page.mouse.move(0, 0)
    expect(tip).to_be_hidden()
    button.focus()
    expect(tip).to_be_visible()
    calculator.page.keyboard.press("Escape")
    expect(tip).to_be_hidden()


def test_no_sideways_scrolling(new_calculator):
    calculator = new_calculator(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page = calculator.page
    for view in VIEWS:
        calculator.open(view=view, prior="0.1")
        calculator.unfold()
        for width in (360, 320, 768):
            page.set_viewport_size({"width": width, "height": 740})
            # Until the picture has its new size.
            page.wait_for_function(
                """() => { const chart = document.querySelector('.view:not([hidden]) .chart');
                           const drawn = chart?.querySelector('.uplot').offsetWidth;
                           return !chart || Math.abs(drawn - chart.clientWidth) <= 1; }"""
            )
            wide = page.evaluate(
                """() => [...document.querySelectorAll('.view:not([hidden]) *, .top *')].filter((e) => {
                     const { right, width } = e.getBoundingClientRect();
                     return width > 0 && right > innerWidth + 1 && !e.closest('.scroll, .code, .visually-hidden, .tip');
                   }).map((e) => e.className || e.tagName)"""
            )
            assert wide == [], f"{view} at {width}"
            # The mark on the picture follows a frame after the picture itself.
            page.wait_for_function(f"() => document.documentElement.scrollWidth <= {width}")
    page.set_viewport_size({"width": 360, "height": 740})
    for button in page.locator("#account .controls .term").all():
        if button.is_visible():
            button.tap()
            tip = page.locator(f"#{button.get_attribute('aria-describedby')}").bounding_box()
            assert tip["x"] >= 0
            assert tip["x"] + tip["width"] <= 360
            page.keyboard.press("Escape")


def test_at_twice_the_size(new_calculator):
    """A browser's zoom of 200 %, half as many CSS pixels and twice as dense: nothing is cut or scrolls sideways."""
    calculator = new_calculator(viewport={"width": 640, "height": 450}, device_scale_factor=2)
    for view in VIEWS:
        calculator.open(view=view)
        calculator.unfold()
        calculator.page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
        cut = calculator.page.evaluate(
            """() => ['.view:not([hidden]) button', '.view:not([hidden]) label', '.tabs *'].flatMap(
                 (those) => [...document.querySelectorAll(those)]).filter(
                 (e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline'
                   && !e.closest('.visually-hidden, .scroll, .code')).map((e) => e.className || e.textContent)"""
        )
        assert cut == [], view


def test_themes(new_calculator, expect):
    """The system's theme until another is chosen; then that one, also the next time."""
    calculator = new_calculator(color_scheme="dark").open()
    background = "getComputedStyle(document.body).backgroundColor"
    dark = calculator.page.evaluate(background)
    button = calculator.page.locator("#theme")
    expect(button).to_have_text("Theme: system")
    button.click()
    expect(button).to_have_text("Theme: light")
    light = calculator.page.evaluate(background)
    assert light != dark
    calculator.open()
    assert calculator.page.evaluate(background) == light
    button.click()
    expect(button).to_have_text("Theme: dark")
    assert calculator.page.evaluate(background) == dark


def test_the_curve_by_finger(new_calculator, expect):
    """A finger on the handle drags it; elsewhere on the picture it scrolls the page."""
    calculator = new_calculator(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    calculator.open(view="understand", mu="1")
    handle = calculator.page.locator("#understand .handle")
    assert handle.evaluate("(e) => getComputedStyle(e).touchAction") == "none"
    assert handle.bounding_box()["width"] >= 44
    over = calculator.page.locator("#understand .u-over")
    over.dispatch_event("pointerdown", {"pointerType": "touch", "button": 0, "clientX": 150, "clientY": 300})
    expect(calculator.field("mu")).to_have_value("1")


def test_what_a_screen_reader_hears(calculator, expect):
    calculator.open(view="understand", mu="1")
    page = calculator.page
    expect(page.get_by_role("tab", name="Understand")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tabpanel")).to_have_accessible_name("Understand what μ lets an attacker do")
    expect(page.get_by_role("textbox", name="μ of the release")).to_have_value("1")
    expect(page.get_by_role("img", name="at most 70 of 100 are right")).to_have_count(1)
    expect(page.get_by_role("img", name="Trade-off curve of μ = 1")).to_have_count(1)
    live = page.locator("#live")
    expect(live).to_have_attribute("aria-live", "polite")
    expect(live).to_contain_text("at most 70 of 100 are right")


def test_nothing_jumps_while_the_page_loads(new_calculator):
    """The layout shifts by less than a tenth, with two requests for style and script."""
    for view in VIEWS:
        calculator = new_calculator()
        calculator.page.add_init_script(
            """window.shifted = 0; new PerformanceObserver((list) => {
                 for (const entry of list.getEntries()) window.shifted += entry.value;
               }).observe({ type: 'layout-shift', buffered: true });"""
        )
        asked = []
        calculator.page.on("request", lambda request, asked=asked: asked.append(request.url))
        calculator.open(view=view)
        assert calculator.page.evaluate("window.shifted") < 0.1, view
        assert len([url for url in asked if url.endswith((".js", ".css"))]) == 2


def test_large_letters(calculator):
    """With letters twice as large, nothing is cut off or lies outside the page."""
    for view in VIEWS:
        calculator.open(view=view)
        before = calculator.page.evaluate(
            "document.querySelector('.view:not([hidden]) h3').getBoundingClientRect().height"
        )
        calculator.page.evaluate("document.documentElement.style.fontSize = '200%'")
        calculator.page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
        after = calculator.page.evaluate(
            "document.querySelector('.view:not([hidden]) h3').getBoundingClientRect().height"
        )
        assert after >= 1.8 * before
    calculator.open(view="understand")
    calculator.page.evaluate("document.documentElement.style.fontSize = '200%'")
    ticks = [label.bounding_box() for label in calculator.page.locator("#understand .tick-label").all()]
    assert all(left["x"] + left["width"] < right["x"] for left, right in itertools.pairwise(ticks))


def test_on_paper(calculator):
    """From the dark: black on white, without controls, and no card split."""
    calculator.page.emulate_media(color_scheme="dark", media="print")
    for view in VIEWS:
        calculator.open(view=view)
        shown = calculator.page.evaluate(
            """() => [...document.querySelectorAll('.view:not([hidden]) button, .tabs, input[type=range]')]
                 .filter((e) => e.getBoundingClientRect().height > 0).map((e) => e.textContent)"""
        )
        assert shown == []
        style = "getComputedStyle(document.querySelector('.view:not([hidden]) .card'))"
        assert calculator.page.evaluate(f"{style}.breakInside") == "avoid"
        assert calculator.page.evaluate("getComputedStyle(document.body).color") == "rgb(23, 33, 46)"
