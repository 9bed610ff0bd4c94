"""What an act sends, as the browser saw it: real Chromium on a small site."""

import time
from collections.abc import Iterator

import pytest
import pytest_asyncio

from server.browser.chromium.request_log import SENT_BODY_SECONDS, ChromiumRequestLog
from server.browser.mcp.session_browser import SessionBrowser
from server.browser.pool import BrowserPool
from server.browser.sent import SentRequests
from tests.support.browsers import element
from tests.support.sites import Answer, Site, Visit

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAGE = """<title>Shop</title><h1>Shop</h1>
<button onclick="fetch('/orders?token=s3cret#top', {method: 'POST', body: 'kettle=1'})">Order</button>
<button onclick="fetch('/orders', {method: 'POST', body: 'n=' + (window.n = (window.n || 0) + 1)})">Other order</button>
<button onclick="for (const _ of [1, 2]) fetch('/orders', {method: 'POST', body: 'a'})">Hasty order</button>
<button onclick="const it = new XMLHttpRequest(); it.open('POST', '/closed'); it.send('a')">Delete</button>
<button onclick="fetch('/broken', {method: 'POST'})">Lost order</button>
<button onclick="fetch('/silent', {method: 'POST'})">Silent order</button>
<button onclick="fetch('http://127.0.0.1:9/x', {method: 'POST', mode: 'no-cors'})">Nowhere</button>
<button onclick="fetch('http://localhost:%(port)s/orders', {method: 'POST', body: 'x'})">Other origin</button>
<button onclick="fetch('http://localhost:%(port)s/orders', {method: 'PUT', body: 'x'})">Other origin, refused</button>
<button onclick="navigator.sendBeacon('/orders', 'b')">Beacon</button>
<button onclick="worker.postMessage(1)">By worker</button>
<button onclick="new Worker('/worker.js').postMessage(1)">By new worker</button>
<button onclick="fetch('/slow', {method: 'POST'}); location = '/thanks'">Order and go</button>
<button onclick="setTimeout(() => fetch('/orders', {method: 'POST'}), 100)">Order late</button>
<button onclick="document.title = 'Looked'; fetch('/orders')">Look</button>
<button onclick="for (let n = 0; n < 40; n++) fetch('/orders', {method: 'POST', body: '' + n})">Many</button>
<form method=post action="/form;jsessionid=5" enctype=multipart/form-data><input name=name value=Ann><button>Send form</button></form>
<form method=post action=/form target=_blank><button>Send in a new tab</button></form>
<a href="/delete?id=4">Delete item 4</a>
<iframe src="http://localhost:%(port)s/inner" width=300 height=60></iframe>
<script>const worker = new Worker('/worker.js')</script>"""
INNER = "<button onclick=\"fetch('/orders', {method: 'POST'})\">Pay inside</button>"


def slow(visit: Visit) -> Answer:
    visit.site.pause(0.6)
    return Answer(b"{}", 201)


def silent(visit: Visit) -> None:
    visit.site.pause(8)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site() as site:
        site.add("/", PAGE % {"port": site.port})
        site.add("/inner", INNER)
        site.add("/thanks", "<title>Thanks</title><h1>Thanks</h1>")
        script = b"onmessage = () => fetch('/orders', {method: 'POST', body: 'w'})"
        site.pages |= {
            "/orders": lambda _: Answer(b"{}", 201),
            "/closed": lambda _: Answer(b"{}", 403),
            "/broken": lambda _: None,
            "/silent": silent,
            "/slow": slow,
            "/form;jsessionid=5": lambda _: Answer(b"", 302, headers={"Location": "/thanks"}),
            "/form": lambda _: Answer(b"", 303, headers={"Location": "/thanks"}),
            "/delete": lambda _: Answer(b"<h1>No</h1>", 403),
            "/worker.js": lambda _: Answer(script, type="text/javascript"),
        }
        yield site


@pytest_asyncio.fixture(loop_scope="module")
async def browser(pool: BrowserPool, site: Site) -> SessionBrowser:
    browser = await pool.get("requests")
    for tab in [*await browser.tabs()][:0:-1]:
        await browser.call("browser_tabs", {"action": "close", "index": tab.index})
    await browser.navigate(site.url("/"))
    return browser


async def sent_by(
    browser: SessionBrowser, name: str, patience: float = 20, *, ok: bool = True
) -> SentRequests:
    """With more patience than the product has: this machine may be busy."""
    target = element(await browser.observe(), name)
    async with browser.requests() as log:
        assert isinstance(log, ChromiumRequestLog)
        clicked = await browser.click(target)
        sent = await log.settled(patience)
    assert clicked.ok is ok, clicked.text
    assert sent is not None
    return sent


def shown(sent: SentRequests) -> list[tuple[str, str, int | str | None]]:
    return [(one.method, one.path, one.status or one.failure) for one in sent.requests]


@pytest.mark.parametrize(
    ("name", "requests"),
    [
        ("Order", [("POST", "/orders", 201)]),
        ("Delete", [("POST", "/closed", 403)]),
        ("Lost order", [("POST", "/broken", "dropped")]),
        ("Silent order", [("POST", "/silent", "no_answer")]),
        ("Nowhere", [("POST", "/x", "unreachable")]),
        ("Other origin", [("POST", "/orders", 201)]),
        ("Other origin, refused", [("PUT", "/orders", "cors")]),
        ("Beacon", [("POST", "/orders", 201)]),
        ("By worker", [("POST", "/orders", 201)]),
        ("By new worker", [("POST", "/orders", 201)]),
        ("Order and go", [("POST", "/slow", 201), ("GET", "/thanks", 200)]),
        ("Order late", [("POST", "/orders", 201)]),
        ("Look", []),
        ("Send form", [("POST", "/form", 302), ("GET", "/thanks", 200)]),
        ("Delete item 4", [("GET", "/delete", 403)]),
        ("Pay inside", [("POST", "/orders", 201)]),
    ],
)
async def test_requests_with_an_effect_are_told_with_their_answers(
    browser: SessionBrowser, name: str, requests: list[tuple[str, str, int | str]]
):
    patience = SENT_BODY_SECONDS if name == "Silent order" else 20
    # The link opens a page that answers 403: the step has failed.
    sent = await sent_by(browser, name, patience, ok=name != "Delete item 4")
    assert shown(sent) == requests
    assert sent.is_all
    assert "s3cret" not in repr(sent)


async def test_the_first_request_of_a_new_tab_is_told_or_said_to_be_missing(browser: SessionBrowser):
    sent = await sent_by(browser, "Send in a new tab")
    assert not sent.is_all or shown(sent) == [("POST", "/form", 303), ("GET", "/thanks", 200)]


async def test_equal_requests_are_counted_and_have_one_key(browser: SessionBrowser):
    once, again = [await sent_by(browser, "Order") for _ in range(2)]
    assert once.requests == again.requests
    other, another = [await sent_by(browser, "Other order") for _ in range(2)]
    assert len({sent.requests[0].key for sent in (once, other, another)}) == 3
    assert [one.times for one in (await sent_by(browser, "Hasty order")).requests] == [2]
    assert [one.times for one in (await sent_by(browser, "Many")).requests] == [1] * 20


async def test_two_uploads_of_one_form_are_equal(browser: SessionBrowser, site: Site):
    first = await sent_by(browser, "Send form")
    await browser.navigate(site.url("/"))
    assert (await sent_by(browser, "Send form")).requests[0] == first.requests[0]


async def test_a_page_without_an_answer_holds_up_an_act_for_seconds_only(browser: SessionBrowser):
    target = element(await browser.observe(), "Silent order")
    async with browser.requests() as log:
        await browser.click(target)
        began = time.monotonic()
        sent = await log.settled()  # the site keeps the request for as long as the test lasts
    assert shown(sent) == [("POST", "/silent", "no_answer")]
    assert time.monotonic() - began >= SENT_BODY_SECONDS
    assert SENT_BODY_SECONDS <= 3


async def test_workers_that_start_after_an_act_run(browser: SessionBrowser, site: Site):
    await sent_by(browser, "Look")
    known = len(site.effects)
    await browser.click(element(await browser.observe(), "By new worker"))
    await browser.wait(300)
    assert len(site.effects) == known + 1
