"""The calculator in a real browser, as the tests drive it: one page, and everything it did that it should not have."""

from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 20_000  # milliseconds to wait for a condition, on a machine that is busy with other tests

_REPORT_VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.violations.push(`${event.violatedDirective}: ${event.blockedURI}`);
});
"""


class Calculator:
    """A page of the calculator.

    Args:
        context: of a browser, with its size, theme and permissions.
        address: of the server.
    """

    def __init__(self, context: Any, address: str) -> None:
        self.address = address
        self.faults: list[str] = []
        self.refused = False  # set by tests that provoke a refusal: browsers write those to the console
        context.add_init_script(_REPORT_VIOLATIONS)
        self.page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.faults.append(f"uncaught: {error}"))
        self.page.on("request", self._on_request)

    def open(self, **state: Any) -> "Calculator":
        """The page in this state, once its answers are there; the view to choose by ε if no other is named."""
        query = urlencode({"view": "choose", **state})
        self.page.goto(f"{self.address}?{query}")
        return self.settled()

    def settled(self) -> "Calculator":
        """Wait until what is shown answers what is asked."""
        self.page.wait_for_function(
            """() => {
              const view = document.querySelector('.view:not([hidden])');
              return document.documentElement.dataset.ready && !view.matches('.stale, .busy, .behind')
                && view.querySelector('.code').textContent !== '';
            }"""
        )
        return self

    def unfold(self) -> None:
        """Open all that can be opened."""
        self.page.evaluate("for (const more of document.querySelectorAll('details')) more.open = true")

    def field(self, name: str) -> Any:
        """What a person types into."""
        return self.page.locator(f"#field-{name}")

    def slider(self, name: str) -> Any:
        """The slider of a field."""
        return self.page.locator(f'[data-field="{name}"] input[type=range]')

    def error(self, name: str) -> Any:
        """The words beside a field."""
        return self.page.locator(f"#error-{name}")

    def part(self, name: str) -> Any:
        """A part of the view that is shown."""
        return self.page.locator(f'.view:not([hidden]) [data-part="{name}"]')

    def state(self) -> dict[str, str]:
        """What the address says."""
        return {name: values[0] for name, values in parse_qs(urlsplit(self.page.url).query).items()}

    def wait_for_state(self, **state: str) -> None:
        """Wait until the address says this."""
        self.page.wait_for_function(
            "(state) => { const query = new URLSearchParams(location.search);"
            " return Object.entries(state).every(([name, text]) => query.get(name) === text); }",
            arg=state,
        )

    def all_faults(self) -> list[str]:
        """What the page did that it should not have: errors, requests to elsewhere, breaches of its own policy."""
        violations = self.page.evaluate("window.violations ?? []")
        return [*self.faults, *(f"policy: {violation}" for violation in violations)]

    def _on_console(self, message: Any) -> None:
        if message.type not in ("error", "warning"):
            return
        if self.refused and "Failed to load resource" in message.text:
            return
        self.faults.append(f"console: {message.text}")

    def _on_request(self, request: Any) -> None:
        if not request.url.startswith((self.address, f"blob:{self.address}")):
            self.faults.append(f"elsewhere: {request.url}")
