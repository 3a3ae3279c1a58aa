"""What to take away in a browser: a link that restores the page, text to copy, files to keep."""

import io
import json
import subprocess
import sys
import zipfile

import pytest


@pytest.fixture
def expect():
    return pytest.importorskip("playwright.sync_api").expect


PATIENCE = 200  # looks, a tenth of a second apart
STATES = (
    {"view": "choose", "epsilon": "3", "criterion": "precision", "level": "0.05", "scale": "linear"},
    {"view": "understand", "mu": "0.7", "fpr": "0.01", "prior": "0.3", "recall": "0.1", "delta": "1e-7"},
    {"view": "account", "dataset_size": "6000", "batch_size": "60", "epochs": "2.5", "noise_multiplier": "1.1"},
)


def test_a_link_gives_the_same_page(new_calculator, expect):
    """Typed into one browser, opened in another."""
    here, there = new_calculator(), new_calculator()
    for state in STATES:
        here.open(view=state["view"])
        for name, text in state.items():
            if name == "criterion":
                here.page.get_by_role("radio", name="Precision").check()
            elif name == "scale":
                here.page.get_by_label("Linear axes").first.check()
            elif name != "view":
                here.field(name).fill(text)
        here.wait_for_state(**state)
        there.page.goto(here.page.url)
        there.settled()
        for name, text in state.items():
            if name not in ("view", "criterion", "scale"):
                expect(there.field(name)).to_have_value(text)
        view = f"#{state['view']}"
        _wait_for_the_same_text(here.page.locator(view), there.page.locator(view))


def test_copy(new_calculator, expect):
    calculator = new_calculator(permissions=["clipboard-read", "clipboard-write"]).open(epsilon="2", level="1e-4")
    button = calculator.page.locator("#choose .takeaway .primary")
    copied = {}
    for kind in ("Python", "CLI", "LaTeX", "JSON"):
        calculator.page.locator("#choose .takeaway").get_by_label(kind, exact=True).check()
        button.click()
        text = calculator.settled().page.locator("#choose .code").text_content()
        calculator.page.wait_for_function("async (text) => await navigator.clipboard.readText() === text", arg=text)
        copied[kind] = text
    expect(button).to_have_text("Copied")
    expect(button).to_have_text("Copy")
    mu = json.loads(copied["JSON"])["mu"]
    printed = subprocess.run(
        [sys.executable, "-c", copied["Python"]], capture_output=True, text=True, check=True
    ).stdout
    assert float(printed.split()[0]) == mu
    assert copied["CLI"].startswith("gaussdp choose")
    assert "\\mu" in copied["LaTeX"]
    calculator.field("epsilon").fill("3")
    calculator.page.locator("#choose").get_by_role("button", name="Copy link").click()
    expect(calculator.page.locator("#choose").get_by_role("button", name="Copied")).to_be_visible()
    calculator.wait_for_state(epsilon="3")
    assert calculator.page.evaluate("navigator.clipboard.readText()") == calculator.page.url


def test_copy_without_a_clipboard_interface(calculator, expect):
    calculator.open()
    calculator.page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    button = calculator.page.locator("#choose .takeaway .primary")
    button.click()
    expect(button).to_have_text("Copied")


def download(calculator, view: str, button: str) -> tuple[str, bytes]:
    with calculator.page.expect_download() as waited:
        calculator.page.locator(f"#{view}").get_by_role("button", name=button, exact=True).click()
    return waited.value.suggested_filename, waited.value.path().read_bytes()


def test_download(calculator, expect):
    calculator.open(epsilon="2")
    name, content = download(calculator, "choose", "Figure SVG")
    assert name.endswith(".svg")
    assert b"<svg" in content
    name, content = download(calculator, "choose", "Figure PNG")
    assert name.endswith(".png")
    assert content.startswith(b"\x89PNG")
    name, content = download(calculator, "choose", "Statement")
    assert name.endswith(".zip")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.namelist() == ["gaussdp-choose.md", "tradeoff.png"]
        assert "μ" in archive.read("gaussdp-choose.md").decode()
    expect(calculator.page.locator("#choose .said")).to_contain_text(name)


def test_the_statement_of_a_run_says_whom_it_protects(calculator, expect):
    calculator.refused = True
    calculator.open(view="account", dataset_size="6000", batch_size="60", epochs="2")
    calculator.page.locator("#account").get_by_role("button", name="Statement", exact=True).click()
    expect(calculator.error("unit")).to_contain_text("Say whom or what the guarantee protects")
    calculator.field("unit").fill("one patient")
    calculator.page.locator("#account").get_by_label("Format of the statement").select_option("html")
    name, content = download(calculator, "account", "Statement")
    assert name.endswith(".html")
    assert "one patient" in content.decode()
    calculator.wait_for_state(unit="one patient")


def _wait_for_the_same_text(one, other):
    """Either page may still be waiting for an answer, so that neither text is the one to compare with."""
    for _ in range(PATIENCE):
        if one.inner_text() == other.inner_text():
            return
        one.page.wait_for_timeout(100)
    assert one.inner_text() == other.inner_text()


def test_a_view_as_one_file(new_calculator, tmp_path):
    """Numbers, words and picture, for who has no server; axe has nothing to say about it."""
    calculator = new_calculator(color_scheme="dark", accept_downloads=True)
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for state in ({"view": "start", "ask_every": "month"}, *STATES):
        calculator.open(**state)
        number = calculator.part("mu").inner_text() if state["view"] != "understand" else "0.7"
        _, content = download(calculator, state["view"], "Save as a file")
        saved = tmp_path / "saved.html"
        saved.write_bytes(content)
        page = calculator.page.context.new_page()
        asked = []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.goto(saved.as_uri())
        assert number in page.locator("main").inner_text()
        assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
        assert page.locator("main button, main input, script").count() == 0
        assert page.locator("main img").count() == (state["view"] != "start")
        assert bool(page.locator("main .picture details td").count()) == (state["view"] != "start")
        found = [rule for rule in axe.run(page).response["violations"] if rule["impact"] in ("serious", "critical")]
        assert [(rule["id"], rule["nodes"][0]["html"][:200]) for rule in found] == [], state["view"]
        page.close()
