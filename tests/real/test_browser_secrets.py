"""What stands in a password field never leaves the browser: not in texts, not in pictures, not in files."""

import asyncio
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from PIL import Image

from server.browser.browser import Field
from server.browser.mcp.current_page import CurrentPage
from server.browser.mcp.session_browser import SessionBrowser
from server.browser.pool import BrowserPool
from tests.support.sites import Site, document

pytestmark = pytest.mark.asyncio(loop_scope="module")

SECRET = 'c4nary: "Ünlock" #1'
SHORT = "q~"
"""No port and no number of an element has it in it."""
FIELD = f"<input type=password name=password value='{SECRET}' style='width:400px;height:40px;font-size:30px'>"
SHOWN = FIELD.replace("type=password", "type=text autocomplete=current-password")
"""What a page makes of the field when its eye is clicked."""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site() as site, Site() as other:
        site.add("/secret", document("Secret", f"<label>Password {FIELD}</label><p>hint {SECRET}</p>"))
        site.add("/shown", document("Shown", f"<label>Word {SHOWN}</label>"))
        site.add(
            "/short",
            document("Short", f"<label>Code <input autocomplete=one-time-code value={SHORT}></label>"),
        )
        inner = other.add("/inner", document("Inner", f"<p style='height:80px'>x</p>{SHOWN}"))
        outer = inner.replace("127.0.0.1", "localhost")
        site.add(
            "/framed",
            document("Framed", f"<iframe src='{outer}' style='margin:50px' width=600 height=300></iframe>"),
        )
        site.add(
            "/nested",
            document(
                "Nested", f"<iframe src='{site.url('/framed', 'localhost')}' width=900 height=500></iframe>"
            ),
        )
        login = "<form method=get action=/welcome><label>Password <input type=password name=p></label><button>Sign in</button></form>"
        site.add("/login", document("Login", login))
        site.add("/welcome", document("Welcome", "<p>Hello</p><a href=/login>Again</a>"))
        kept = "<label>Password <input type=password oninput='location.hash = this.value'></label>"
        site.add("/hash", document("Hash", kept))
        yield site


@pytest_asyncio.fixture(loop_scope="module")
async def browser(pool: BrowserPool) -> SessionBrowser:
    return await pool.get("secrets")


PAGES = ["/secret", "/shown", "/framed", "/nested"]


@pytest.mark.parametrize("path", PAGES)
async def test_no_text_carries_it(browser: SessionBrowser, site: Site, path: str):
    texts = [
        (await browser.call("browser_navigate", {"url": site.url(path)})).text,
        (await browser.call("browser_snapshot", {})).text,
        (await browser.call("browser_find", {"regex": "[Pp]assword|textbox"})).text,
        (await browser.observe()).text(),
        (await browser.observe()).model_dump_json(),
    ]
    for text in texts:
        assert "c4nary" not in text
        assert "nlock" not in text


@pytest.mark.parametrize(("path", "submit"), [("/login", True), ("/hash", False)])
async def test_no_address_carries_what_was_typed_into_it(
    browser: SessionBrowser, site: Site, path: str, submit: bool
):
    await browser.navigate(site.url(path))
    field = next(one for one in (await browser.observe()).interactive if one.secret)
    outcome = await browser.type([Field(field, "hunter 2 & tüte")], submit=submit)
    seen = await browser.observe()
    shown = [
        outcome.url or "",
        outcome.text,
        seen.text(),
        seen.model_dump_json(),
        (await browser.call("browser_snapshot", {})).text,
    ]
    assert seen.page.url != site.url(path)
    assert not any("hunter" in text or "tüte" in text or "t%C3%BCte" in text for text in shown)


async def test_a_short_one_is_masked_too(browser: SessionBrowser, site: Site):
    text = (await browser.call("browser_navigate", {"url": site.url("/short")})).text
    assert "Code" in text
    assert SHORT not in text
    assert SHORT not in (await browser.observe()).text()


async def test_a_strict_page_changes_nothing(browser: SessionBrowser, site: Site):
    text = (await browser.call("browser_navigate", {"url": site.url("/csp")})).text
    assert "Password" in text
    assert "S3cretPw9" not in text


@pytest.mark.parametrize("path", ["/shown", "/framed", "/nested"])
async def test_no_picture_shows_it(browser: SessionBrowser, site: Site, path: str):
    """Where black letters on white would be there is nothing but shades between."""
    await browser.navigate(site.url(path))
    watch = browser.monitor
    assert watch is not None
    boxes = [secret.box for secret in (await CurrentPage(lambda: watch).look()).secrets]
    assert boxes
    picture = await browser.screenshot()
    assert picture is not None
    image = Image.open(io.BytesIO(picture.data)).convert("L")
    for x, y, width, height in boxes:
        inside = image.crop((int(x) + 4, int(y) + 4, int(x + width) - 4, int(y + height) - 4))
        darkest, _ = inside.getextrema()
        assert darkest > 100, f"letters in {x, y, width, height}"


async def test_a_visible_word_elsewhere_stays_sharp(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/form"))
    picture = await browser.screenshot()
    assert picture is not None
    assert Image.open(io.BytesIO(picture.data)).convert("L").getextrema()[0] < 60


async def test_no_file_of_ours_holds_it(browser: SessionBrowser, site: Site, pool: BrowserPool):
    await browser.navigate(site.url("/secret"))
    await browser.observe()
    await browser.screenshot()
    assert files_in(browser._resources.scratch) == []


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def test_while_a_person_holds_it_there_is_no_picture(browser: SessionBrowser, site: Site):
    await browser.navigate(site.url("/form"))
    browser.hold()
    try:
        used = browser.last_used
        assert await browser.screenshot() is None
        assert browser.last_used == used, "the page was asked for a picture"
        assert not (await browser.navigate(site.url("/links"))).ok
    finally:
        browser.hand_back()
    assert (await browser.observe()).page.url == site.url("/form")


async def test_a_picture_that_was_begun_before_a_person_took_it_is_dropped(
    browser: SessionBrowser, site: Site
):
    await browser.navigate(site.url("/form"))
    picture = asyncio.create_task(browser.screenshot())
    await asyncio.sleep(0)  # until it waits for the page
    assert browser.is_busy
    browser.hold()
    try:
        assert await picture is None
    finally:
        browser.hand_back()
    assert await browser.screenshot() is not None
