"""Opening a page in Debian's Chromium, with a record of all that it asked for and complained of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, BrowserContext, Page, Route, sync_playwright

CHROMIUM = Path("/usr/bin/chromium")
DESKTOP = (1280, 800)
PHONE = (360, 740)

Scheme = Literal["light", "dark"]

_WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.violations.push(`${event.violatedDirective}: ${event.blockedURI || "inline"}`);
});
"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser; playwright downloads none."""
    assert CHROMIUM.exists(), "the tests of pages need the package chromium: apt install chromium"
    with sync_playwright() as playwright:
        # Root, as whom tests run in containers, has no sandbox.
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@dataclass
class Visit:
    """An open page. ``requests`` holds all addresses but its own, and none of them was answered."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    """What the console shows as an error, and exceptions of scripts."""

    def violations(self) -> list[str]:
        """Return what the page's security policy has refused."""
        found: list[str] = self.page.evaluate("window.violations")
        return found

    def resize(self, size: tuple[int, int]) -> None:
        """Give the window another size."""
        self.page.set_viewport_size({"width": size[0], "height": size[1]})

    def evaluate(self, script: str, argument: Any = None) -> Any:
        """Return what a script finds in the page."""
        return self.page.evaluate(script, argument)


@contextmanager
def visit(
    browser: Browser,
    path: Path,
    *,
    size: tuple[int, int] = DESKTOP,
    scheme: Scheme = "light",
    has_script: bool = True,
    has_touch: bool = False,
    fragment: str = "",
) -> Iterator[Visit]:
    """Open a page; every request but that for the page itself is refused and recorded."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme=scheme,
        java_script_enabled=has_script,
        has_touch=has_touch,
    )
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    try:
        yield _open(context, path, fragment)
    finally:
        context.close()


def _open(context: BrowserContext, path: Path, fragment: str) -> Visit:
    page = context.new_page()
    opened = Visit(page)

    def refuse(route: Route) -> None:
        if route.request.url.partition("#")[0] == path.as_uri():
            route.continue_()
        else:
            opened.requests.append(route.request.url)
            route.abort()

    context.route("**/*", refuse)
    context.add_init_script(_WATCH)
    page.on("pageerror", lambda error: opened.complaints.append(str(error)))
    page.on(
        "console",
        lambda said: opened.complaints.append(said.text) if said.type == "error" else None,
    )
    page.goto(path.as_uri() + fragment)
    return opened
