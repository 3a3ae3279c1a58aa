"""The budget book on the page: read by everyone, spent from with the token, for everyone's eyes and hands."""

import re
import subprocess
import sys

import pytest

from gaussdp import GDP, Ledger

from .test_languages import ENGLISH, texts
from .test_people import serious_findings

TOKEN = "a-token-of-this-server"


@pytest.fixture
def expect():
    return pytest.importorskip("playwright.sync_api").expect


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two books, of which one has a history."""
    folder = tmp_path_factory.mktemp("books")
    with Ledger.create(str(folder / "clinic.db"), unit="one patient", adjacency="add-remove") as book:
        book.open_budget("health", GDP(2.0), slack=1e-8)
        book.open_budget("health/2027", GDP(1.0), within="health", period="year")
        book.open_budget("each", GDP(1.0), per_person=True)
        for i in range(30):
            book.reserve("health/2027", GDP(0.1), key=f"table-{i}", purpose=f"<img src=x> monthly table {i}")
        book.refund("table-3", reason="the job was cancelled")
        book.renew("health/2027", reason="another year")
        book.reserve("health/2027", GDP(0.8), key="large")
    with Ledger.create(str(folder / "lab.db"), unit="one image", adjacency="add-remove") as book:
        book.open_budget("models", GDP(0.5))
    (folder / "token").write_text(TOKEN)
    return folder


@pytest.fixture(scope="module")
def books(chromium, folder):
    """Where a server listens that spends from them."""
    command = [sys.executable, "-m", "gaussdp", "serve", "--port", "0", "--no-open"]
    command += ["--ledger", str(folder / "clinic.db"), "--ledger", str(folder / "lab.db")]
    command += ["--ledger-token-file", str(folder / "token")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        yield server.stdout.readline().split(" at ")[1].split()[0]
        server.terminate()


def opened(calculator):
    calculator.page.goto(f"{calculator.address}?view=ledger")
    calculator.page.wait_for_selector("#ledger .history table")
    return calculator.page


def chosen(page, budget):
    page.get_by_role("button", name=budget).first.click()
    page.locator('#ledger [data-part="title"]', has_text=f"{budget}:").wait_for()


def test_no_tab_without_a_book(calculator, expect):
    calculator.open(view="understand")
    expect(calculator.page.get_by_role("tab")).to_have_count(4)


def test_what_is_shown(new_calculator, books, expect):
    page = opened(new_calculator(address=books))
    expect(page.get_by_role("tab", name="Budget book")).to_have_attribute("aria-selected", "true")
    chosen(page, "health/2027")
    expect(page.locator('#ledger [data-part="left"]')).to_have_text("0.6")
    facts = page.locator('#ledger [data-part="facts"]')
    expect(facts).to_contain_text("Privacy loss does not renew")
    expect(facts).to_contain_text("Lies withinhealth")
    expect(page.get_by_role("img", name="The μ spent from health/2027 over time: 0.8 of 1 now")).to_be_visible()
    rows = page.locator("#ledger .history tbody tr")
    expect(rows.first).to_contain_text("large")
    expect(page.locator("#ledger .history img")).to_have_count(0)  # words are never markup
    expect(rows.nth(3)).to_contain_text("<img src=x>")
    chosen(page, "each")
    expect(page.locator('#ledger [data-part="meaning"]')).to_contain_text("depends on the data")
    chosen(page, "models")
    expect(page.locator('#ledger [data-part="left"]')).to_have_text("0.5")


def test_spending(new_calculator, books, folder, expect):
    """By keyboard: a missing token, a wrong one, too much, then what fits; the book and the page say so."""
    calculator = new_calculator(address=books)
    calculator.refused = True
    page = opened(calculator)
    chosen(page, "models")
    key, release, token = (page.locator(f"#spend-{name}") for name in ("key", "release", "token"))
    said = page.locator("#ledger .said")
    key.fill("first")
    release.fill("noise=1")
    page.keyboard.press("Enter")
    expect(page.locator("#spend-token-error")).to_have_text("This is needed.")
    expect(token).to_be_focused()
    page.keyboard.type("a wrong one")
    page.keyboard.press("Enter")
    expect(page.locator("#spend-token-error")).to_contain_text("does not open the books")
    token.fill(TOKEN)
    page.keyboard.press("Enter")
    expect(page.locator("#spend-release-error")).to_contain_text("fits with a noise multiplier of 2")
    expect(release).to_be_focused()
    release.fill("noise=2.5")
    page.keyboard.press("Enter")
    expect(said).to_have_text("Entry 3: reserve first, μ = 0.4.")
    expect(page.locator('#ledger [data-part="left"]')).to_have_text("0.3")
    page.keyboard.press("Enter")
    expect(said).to_contain_text("Do not release a second time")
    page.get_by_role("radio", name="Refund").check()
    page.locator("#spend-reason").fill("the job was cancelled")
    page.get_by_role("button", name="Refund").click()
    expect(page.locator('#ledger [data-part="left"]')).to_have_text("0.5")
    with Ledger.open(str(folder / "lab.db")) as book:
        assert (book.state("first"), book.verify().ok) == ("refunded", True)
    assert TOKEN not in page.url
    assert page.evaluate("Object.values(localStorage).concat(Object.values(sessionStorage)).join()").count(TOKEN) == 0


def test_for_everyone(new_calculator, books, expect):
    """axe in every theme, by keyboard from the tabs, and on the narrowest phone with large letters."""
    calculator = new_calculator(address=books, reduced_motion="reduce")
    page = opened(calculator)
    for theme, forced in (("light", "none"), ("dark", "none"), ("dark", "active")):
        page.emulate_media(color_scheme=theme, forced_colors=forced)
        assert serious_findings(page) == [], (theme, forced)
    page.emulate_media(forced_colors="none")
    page.locator("#tab-ledger").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tab-start")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#ledger")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the second budget
    expect(page.locator("#ledger [aria-pressed=true]")).to_be_focused()
    for width, letters in ((320, "100%"), (320, "200%"), (768, "100%")):
        page.set_viewport_size({"width": width, "height": 740})
        page.evaluate(f"document.documentElement.style.fontSize = '{letters}'")
        page.get_by_role("button", name="Read again").click()
        page.wait_for_timeout(200)
        wide = page.evaluate(
            """() => [...document.querySelectorAll('.view:not([hidden]) *, .top *')].filter((e) => {
                 const { right, width } = e.getBoundingClientRect();
                 return width > 0 && right > innerWidth + 1 && !e.closest('.scroll, .visually-hidden, .tip');
               }).map((e) => e.className.baseVal ?? (e.className || e.tagName))"""
        )
        assert wide == [], (width, letters)
        page.wait_for_function(f"() => document.documentElement.scrollWidth <= {width}")


def test_a_server_that_is_gone(new_calculator, books, expect):
    calculator = new_calculator(address=books)
    calculator.refused = True
    page = opened(calculator)
    page.route("**/api/v1/ledger", lambda route: route.abort())
    page.get_by_role("button", name="Read again").click()
    expect(page.locator('#ledger [data-part="problem"]')).to_contain_text("does not answer")


def test_in_german(new_calculator, books, expect):
    """Every word but those that people wrote into the book."""
    calculator = new_calculator(address=books)
    calculator.refused = True
    page = calculator.page
    page.goto(f"{books}?view=ledger&lang=de")
    page.wait_for_selector("#ledger .history table")
    for budget in ("health/2027", "each", "models"):
        chosen(page, budget)
        page.evaluate(
            """() => document.querySelectorAll("#ledger .history td:last-child").forEach((e) => e.remove())"""
        )
        told = {re.sub(r"one patient|one image|\beach\b", "", text) for text in texts(calculator)}
        assert not [text for text in told if ENGLISH.search(text)]
    expect(page.locator('#ledger [data-part="left"]')).to_have_text("0,5")
    expect(page.locator("#ledger .timeline-label").first).to_have_text("0,5")
    page.locator("#spend-key").fill("neu")
    page.locator("#spend-release").fill("noise=1")
    page.locator("#spend-token").fill(TOKEN)
    page.get_by_role("button", name="Reservieren").click()
    expect(page.locator("#spend-release-error")).to_contain_text("passt mit einem Rauschmultiplikator von 2")
    page.get_by_role("radio", name="Bestätigen").check()
    page.get_by_role("button", name="Bestätigen").click()
    expect(page.locator("#spend-key-error")).to_contain_text("Schlüssel der Veröffentlichung ist unbekannt")
