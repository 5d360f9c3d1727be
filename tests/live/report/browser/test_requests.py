"""A page asks for nothing and runs nothing but its own script, whatever names are in it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.live.report.browser.examples import HOSTILE, Examples
from tests.live.report.browser.visit import visit

pytestmark = pytest.mark.live

TEXTS = "[...document.querySelectorAll('body, svg text, svg title')].map((e) => e.textContent)"
"""All that is shown, with the words of drawings."""
FOREIGN = "[...document.querySelectorAll('img, iframe, object, embed, link, base, form')].length"
HANDLERS = """
[...document.querySelectorAll("*")].flatMap((element) =>
  element.getAttributeNames().filter((name) => name.startsWith("on")))
"""


@pytest.mark.parametrize(
    "name", ["two_factors", "watched", "nothing_valid", "tpcc", "every_block", "measured"]
)
def test_nothing_is_requested_and_the_script_runs(
    name: str, spoken: str, browser: Browser, examples: Examples
) -> None:
    with visit(browser, examples.page(name, spoken)) as opened:
        assert (opened.requests, opened.complaints, opened.violations()) == ([], [], [])
        assert opened.evaluate("document.documentElement.lang") == {"zh": "zh-Hans"}.get(
            spoken, spoken
        )
        assert opened.evaluate("document.querySelectorAll('script').length") == 1
        assert opened.page.locator("#theme").count() == 1, "the script has added its buttons"


def test_hostile_names_are_shown_as_they_are(
    spoken: str, browser: Browser, examples: Examples
) -> None:
    with visit(browser, examples.page("hostile", spoken)) as opened:
        # Whatever waits for a pointer or a key would run now.
        opened.page.mouse.move(300, 60)
        opened.page.mouse.wheel(0, 2000)
        opened.page.keyboard.press("Tab")
        assert (opened.requests, opened.complaints, opened.violations()) == ([], [], [])
        assert opened.page.title() == f"{HOSTILE[4]} – dbdyno"
        assert opened.page.locator("h1").inner_text() == HOSTILE[4]
        assert opened.evaluate("document.querySelectorAll('script').length") == 1
        assert (opened.evaluate(FOREIGN), opened.evaluate(HANDLERS)) == (0, [])
        shown = " ".join(opened.evaluate(TEXTS))
        for text in HOSTILE:
            assert text in shown


def test_a_request_would_be_seen(browser: Browser, examples: Examples) -> None:
    html = examples.html("every_block", "en")
    image = html.replace("<main>", '<main><img alt="" src="http://attacker.invalid/x.png">')
    with visit(browser, examples.save("image.html", image)) as opened:
        assert opened.requests == [], "the policy refuses it before it is a request"
        assert opened.violations() == ["img-src: http://attacker.invalid/x.png"]
    free = image.replace("Content-Security-Policy", "X-Nothing")
    with visit(browser, examples.save("free.html", free)) as opened:
        assert opened.requests == ["http://attacker.invalid/x.png"]


def test_a_script_that_is_not_the_reports_own_does_not_run(
    browser: Browser, examples: Examples
) -> None:
    html = examples.html("every_block", "en").replace('"use strict";', "'use strict';")
    with visit(browser, examples.save("script.html", html)) as opened:
        assert opened.violations() == ["script-src-elem: inline"]
        assert len(opened.complaints) == 1
        assert opened.page.locator("button").count() == 0
