"""The page in a real browser: at the width of a desk and of a phone, and on paper."""

import re
import subprocess

import pytest

import gaussdp
from browsers import CHROMIUM, NO_CHROMIUM
from golden_statements import runs

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=NO_CHROMIUM)

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
# The page forbids scripts; to measure it, a copy allows this one.
MEASURE = """<script>
addEventListener("load", () => {
  const wide = [...document.querySelectorAll("body *")].filter(
    (item) => !item.closest(".scroll, svg") && item.getBoundingClientRect().right > innerWidth + 1);
  document.title = JSON.stringify([innerWidth, document.documentElement.scrollWidth, wide.length,
    document.querySelectorAll("svg").length, document.querySelectorAll("script").length]);
});
</script>"""


def browser(folder, *arguments):
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={folder / 'profile'}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


@pytest.fixture(scope="module")
def page():
    return gaussdp.report_run(runs()["bad"]).render("html")


@pytest.mark.parametrize("width", [1200, 500])
def test_nothing_sticks_out(page, width, tmp_path):
    allowed = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', MEASURE, page)
    (tmp_path / "page.html").write_text(allowed)
    dom = browser(tmp_path, f"--window-size={width},900", "--dump-dom", (tmp_path / "page.html").as_uri())
    inner, scroll, wide, pictures, scripts = map(int, re.search(r"<title>\[(.*?)\]</title>", dom)[1].split(","))
    assert inner == width
    assert scroll <= inner
    assert (wide, pictures, scripts) == (0, 1, 1)  # the one script is the measuring one


def test_on_paper(page, tmp_path):
    (tmp_path / "page.html").write_text(page)
    uri = (tmp_path / "page.html").as_uri()
    browser(tmp_path, "--no-pdf-header-footer", f"--print-to-pdf={tmp_path / 'page.pdf'}", uri)
    printed = (tmp_path / "page.pdf").read_bytes()
    assert printed.startswith(b"%PDF")
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 5
