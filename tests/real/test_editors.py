"""Typing into other people's editors replaces all that they hold, and the outcome says what they show then."""

from __future__ import annotations

import pytest
import pytest_asyncio

from server.browser.browser import Browser, Field
from server.browser.mcp.session_browser import SessionBrowser
from server.browser.observation import Element, Observation
from server.browser.pool import BrowserPool
from tests.support.browsers import element
from tests.support.sites import Site
from tests.support.widgets import add_widget

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(300)]

OLD = '{\n  "old": 1,\n  "more": [2, 3]\n}'
CODE = 'def rows(n):\n    if n:\n        return [{"a": (1, 2)}]\n\n    return "none"'
LETTER = "Dear Ann,\n\nThe first paragraph.\nIts second line.\n\nBest, Bo"
LONG = "\n".join(f'row {number}: {{"n": [{number}]}}' for number in range(1000))
CODE_EDITORS = ("monaco", "monaco-old", "cm6", "cm5", "ace")
TEXT_EDITORS = ("lexical", "tiptap", "quill", "plain")


@pytest_asyncio.fixture(loop_scope="module")
async def browser(either_pool: BrowserPool) -> Browser:
    return await either_pool.get("editors")


async def held(browser: Browser) -> str:
    """What the page's own editor says that it holds."""
    assert isinstance(browser, SessionBrowser)
    page, monitor = browser._calls.here.page, browser.monitor
    assert page
    assert monitor
    done = await monitor.cdp.send(
        "Runtime.evaluate", {"expression": "held()", "returnByValue": True}, session=page.session
    )
    return str(done["result"]["value"])


async def shown(browser: Browser) -> tuple[Observation, Element]:
    for _ in range(50):
        seen = await browser.observe()
        found = [one for one in seen.interactive if one.role == "textbox"]
        if found and "more" in (found[0].value or ""):
            assert len(seen.interactive) == 1, seen.text()
            return seen, found[0]
        await browser.wait(100)
    raise AssertionError(seen.text())


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.replace("\xa0", " ").split("\n") if line.strip()]


@pytest.mark.parametrize("name", [*CODE_EDITORS, *TEXT_EDITORS])
async def test_the_whole_content_is_replaced(browser: Browser, widgets: Site, name: str) -> None:
    await browser.navigate(add_widget(widgets, name, OLD))
    seen, editor = await shown(browser)
    assert "old" not in "".join(seen.text_blocks)
    near, old = lines(await browser.text_near(editor)), lines(OLD)
    if name in TEXT_EDITORS:  # a page shows spaces at the start of a line only where its style says so
        near, old = [line.strip() for line in near], [line.strip() for line in old]
    assert near == old
    for text in (CODE, LONG, "") if name in CODE_EDITORS else (LETTER, CODE, ""):
        outcome = await browser.type([Field(editor, text)])
        assert (outcome.ok, outcome.notes) == (True, ()), outcome
        assert lines(await held(browser)) == lines(text)
        seen = await browser.observe()
        editor = next(one for one in seen.interactive if one.role == "textbox")


TWO = """<p>First</p><div contenteditable style="width:300px;height:40px">one</div>
<p>Second</p><div contenteditable style="width:300px;height:40px">two</div>
<p><a style="cursor:pointer" onclick="1">Fold the lines</a></p>
<div onclick="document.getElementById('inner').focus()" style="cursor:pointer">Click to write<textarea id=inner
style="opacity:0;width:9px;height:9px"></textarea></div>"""


async def test_the_editor_that_is_meant_is_filled(browser: Browser, widgets: Site) -> None:
    await browser.navigate(widgets.add("/two", f"{TWO}<script>held = () => document.body.innerText</script>"))
    editors = [one for one in (await browser.observe()).interactive if one.field == "lines" and one.value]
    await browser.type([Field(editors[1], "three"), Field(editors[0], "")])
    assert lines(await held(browser)) == ["First", "Second", "three", "Fold the lines", "Click to write"]


async def test_what_takes_no_text_is_told_and_what_gives_the_focus_to_a_field_is_filled(
    browser: Browser, widgets: Site
) -> None:
    await browser.navigate(
        widgets.add("/none", f"{TWO}<script>held = () => document.getElementById('inner').value</script>")
    )
    seen = await browser.observe()
    mark, box = (element(seen, name) for name in ("Fold the lines", "Click to write"))
    outcome = await browser.type([Field(mark, "x")])
    assert (outcome.ok, "takes no text" in outcome.text) == (False, True), outcome
    outcome = await browser.type([Field(box, "two\nlines")])
    assert (outcome.ok, outcome.notes, await held(browser)) == (True, (), "two\nlines")


async def test_what_an_editor_made_of_the_text_is_told(browser: Browser, widgets: Site) -> None:
    vetoing = (
        "<div contenteditable role=textbox aria-label=Note oninput=\"this.textContent = 'kept'\">old</div>"
    )
    await browser.navigate(widgets.add("/vetoing", vetoing))
    outcome = await browser.type([Field(element(await browser.observe(), "Note"), "new")])
    assert outcome.notes == ('textbox "Note" holds "kept" instead.',)
