"""What an act sets off is held before it leaves: the real operator and browser, pages whose words say nothing."""

import asyncio
import os
import signal
from collections.abc import Iterator
from typing import Any, cast

import pytest
import pytest_asyncio

from server.browser.mcp.session_browser import SessionBrowser
from server.browser.outgoing.assessment import Approved
from server.browser.outgoing.held import ActTerms
from server.browser.pool import BrowserPool
from tests.support.browsers import element
from tests.support.eventually import eventually
from tests.support.operator_tasks import task
from tests.support.scripted_model import click, navigate, stop
from tests.support.sites import Answer, Effect, Site

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAGE = """<title>Picture</title><h1>A walk</h1><p>Clouds over the hill.</p><p role=status id=said></p>
<button type=button onclick="send()">Zoom in</button>
<button type=button onclick="navigator.sendBeacon('/orders', 'item=kettle')">Zoom out</button>
<button type=button onclick="fetch('/orders', {method: 'POST', body: 'item=kettle', keepalive: true}); location.href = '/quiet'">
Show map</button>
<button type=button onclick="new Worker('/worker.js')">Show legend</button>
<button type=button onclick="frames[0].document.forms[0].submit()">Show frame</button>
<button type=button onclick="blank.submit()">Show grid</button>
<button type=button onclick="plain.submit()">Show names</button>
<button type=button onclick="const x = new XMLHttpRequest(); x.open('POST', '/orders', false); x.send('item=kettle')">Show clouds</button>
<button type=button onclick="setTimeout(() => send(), 1500)">Show sun</button>
<button type=button onclick="send(AbortSignal.timeout(500))">Show rain</button>
<button type=button onclick="fetch('/api/search', {method: 'POST', body: '{}'}); said.textContent = 'Looked'">Show list</button>
<iframe srcdoc="<form method=post action=/orders><input name=item value=kettle></form>"></iframe>
<form id=blank method=post action=/orders target=_blank><input type=hidden name=item value=kettle></form>
<form id=plain method=post action=/orders><input type=hidden name=item value=kettle></form>
<script>
const send = async (signal) => { said.textContent = 'Sending'
  const answer = await fetch('/orders', {method: 'POST', body: 'item=kettle', signal}).catch(() => ({status: 0}))
  said.textContent = answer.status === 201 ? 'Sent' : 'Not sent' }
</script>"""
SEND = "fetch('/orders', {method: 'POST', body: 'item=kettle'})"
WAYS = {
    "a shared worker": "new SharedWorker('/worker.js')",
    "a form in a popup": "const w = window.open('about:blank'); w.document.write('<form method=post action='"
    " + location.origin + '/orders><input name=item value=kettle></form>'); w.document.forms[0].submit()",
    "a page that is left": "window.addEventListener('pagehide', () => navigator.sendBeacon('/orders', 'item=kettle'));"
    " location.href = '/quiet'",
    "a later fetch": "fetchLater('/orders', {method: 'POST', body: 'item=kettle', activateAfter: 0})",
    "a frame of another site": "document.querySelector('iframe').contentWindow.postMessage('fetch', '*')",
    "a form in a frame of another site": "document.querySelector('iframe').contentWindow.postMessage('form', '*')",
    "a service worker": "navigator.serviceWorker.ready.then(it => it.active.postMessage(''))",
    "a page through a service worker": "navigator.serviceWorker.ready.then(() => " + SEND + ")",
}
FRAME = f"""<form method=post action=/orders><input name=item value=kettle></form>
<script>onmessage = event => event.data === 'fetch' ? {SEND} : document.forms[0].submit()</script>"""
SERVICE = f"""oninstall = () => skipWaiting(); onactivate = event => event.waitUntil(clients.claim())
onfetch = event => event.respondWith(fetch(event.request)); onmessage = () => {SEND}"""
ORDER = Effect("orders", {"item": "kettle"})
SAYS = "new orders to 127.0.0.1 (item)"


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site() as site:
        site.add("/picture", PAGE)
        site.add("/quiet", "<title>Quiet</title><h1>Nothing here</h1>")
        site.add("/frame", FRAME)
        buttons = "".join(
            f'<p><button type=button onclick="{script}">Show {name}</button>' for name, script in WAYS.items()
        )
        site.add(
            "/ways/",
            f"<title>Ways</title><h1>A walk</h1>{buttons}<iframe src={site.url('/frame', 'localhost')}></iframe>"
            "<script>navigator.serviceWorker.register('/ways/service.js')</script>",
        )
        site.pages |= {
            "/orders": lambda _: Answer(b"{}", 201),
            "/api/search": lambda _: Answer(b"{}", 200),
            "/worker.js": lambda _: Answer(SEND.encode(), type="text/javascript"),
            "/ways/service.js": lambda _: Answer(SERVICE.encode(), type="text/javascript"),
        }
        yield site


@pytest_asyncio.fixture(loop_scope="module")
async def browser(pool: BrowserPool, site: Site) -> SessionBrowser:
    browser = cast(SessionBrowser, await pool.get("held"))
    await browser.navigate("about:blank")
    site.effects.clear()
    return browser


def turns(site: Site, name: str, *more: Any) -> tuple[Any, ...]:
    return navigate(site.url("/picture")), click(name), *more


async def test_a_yes_in_time_lets_the_very_request_go(browser: SessionBrowser, site: Site) -> None:
    async with task(browser, *turns(site, "Zoom in", stop("Done."))) as it:
        assert await it.say("zoom in") is None
        assert it.question is not None
        assert (it.question["would_send"], it.question["risk"]) == (SAYS, "order")
        assert it.question["place"] == site.url("")
        assert site.effects == []
        assert await it.answer(True) == "Done."
    assert site.effects == [ORDER]
    ends = it.of("tool_end")
    assert (ends[1]["ok"], ends[1]["summary"]) == (False, f"Held before it was sent: {SAYS}.")
    assert [(one["method"], one["path"], one["status"]) for one in ends[2]["effects"]] == [
        ("POST", "/orders", 201)
    ]
    assert (ends[2]["effect"], ends[2]["page_says"]) == ("accepted", "Sent")


ONCE = """<title>Once</title><form method=post action=/orders enctype={enctype}
onsubmit="if (window.isSent) {{ event.preventDefault(); document.title = 'Please be patient' }} window.isSent = true">
<input type=hidden name=item value=kettle><button name=key value=one>Zoom in</button></form>"""


@pytest.mark.parametrize("enctype", ["application/x-www-form-urlencoded", "multipart/form-data"])
async def test_a_form_that_its_page_sends_only_once_is_sent_after_a_yes(
    browser: SessionBrowser, site: Site, enctype: str
) -> None:
    site.add("/once", ONCE.format(enctype=enctype))
    async with task(browser, navigate(site.url("/once")), click("Zoom in"), stop("Done.")) as it:
        assert await it.say("zoom in") is None
        assert site.effects == []
        assert await it.answer(True) == "Done."
        page = await browser.observe()
    assert [(one.name, one.fields) for one in site.effects] == [("orders", {"item": "kettle", "key": "one"})]
    assert page.page.url == site.url("/orders")
    assert it.of("tool_end")[2]["ok"]


async def test_a_no_fails_it_and_the_run_ends(browser: SessionBrowser, site: Site) -> None:
    async with task(browser, *turns(site, "Zoom in")) as it:
        await it.say("zoom in")
        await it.answer(False)
        assert it.values["outcome"] == "cancelled"
        page = await browser.observe()
    assert "Not sent" in page.text()
    assert site.effects == []


async def test_words_against_it_are_said_to_the_agent_which_is_not_asked_twice(
    browser: SessionBrowser, site: Site
) -> None:
    async with task(browser, *turns(site, "Zoom in", click("Zoom in"), stop("Left it."))) as it:
        await it.say("zoom in")
        assert await it.answer(False, "no, do not order anything, look for another way") == "Left it."
        assert f"this would have sent: {SAYS}" in it.options["server"].requests[-2].text
    assert site.effects == []


@pytest.mark.parametrize(
    "name", ["Zoom out", "Show map", "Show legend", "Show frame", "Show names", "Show clouds"]
)
async def test_every_way_to_send_is_held_and_a_yes_sends_once(
    browser: SessionBrowser, site: Site, name: str
) -> None:
    async with task(browser, *turns(site, name, stop("Done."))) as it:
        assert await it.say("go on") is None
        assert it.question is not None
        assert str(it.question["would_send"]).startswith("new orders to 127.0.0.1")
        assert site.effects == []
        await it.answer(True)
    await eventually(lambda: bool(site.effects), message="the request was not let go")
    await asyncio.sleep(0.2)
    assert site.effects == [ORDER]


async def test_workers_popups_frames_and_pages_that_are_left_send_nothing(
    pool: BrowserPool, site: Site
) -> None:
    browser = cast(SessionBrowser, await pool.get("ways"))
    for name in WAYS:
        await browser.navigate(site.url("/ways/"))
        seen = await browser.observe()
        site.effects.clear()
        with browser.under(ActTerms()):
            outcome = await browser.click(element(seen, f"Show {name}"))
        assert outcome.text.startswith("Held before it was sent: new orders to "), name
        await browser.refuse_held()
        assert site.effects == [], name


async def test_a_tab_that_was_opened_for_it_is_closed(pool: BrowserPool, site: Site) -> None:
    browser = cast(SessionBrowser, await pool.get("tab"))
    site.effects.clear()
    await browser.navigate(site.url("/picture"))
    with browser.under(ActTerms()):
        await browser.click(element(await browser.observe(), "Show grid"))
    assert [one.words for one in browser.held()] == [SAYS]
    assert browser.monitor is not None
    pages = browser.monitor.pages
    await eventually(lambda: len(pages) == 1, message="the empty tab is closed")
    assert site.effects == []
    await browser.close()


async def test_a_request_long_after_its_act_is_held_and_asked_about_when_the_act_is_done_again(
    browser: SessionBrowser, site: Site
) -> None:
    async with task(
        browser, *turns(site, "Show sun", {"action": "wait", "ms": 2500}, click("Show sun"), stop("Done."))
    ) as it:
        assert await it.say("go on") is None
        assert f"after the act: {SAYS}" in it.options["server"].requests[-1].text
        assert it.question is not None
        assert it.question["would_send"] == SAYS
        await it.answer(True)
    assert site.effects == [ORDER]


async def test_harmless_requests_are_not_asked_about(browser: SessionBrowser, site: Site) -> None:
    async with task(browser, *turns(site, "Show list", stop("Done."))) as it:
        assert await it.say("show it") == "Done."
    assert [one.name for one in site.effects] == ["search"]


async def test_a_grant_for_the_kind_lets_it_go_and_one_for_another_kind_does_not(
    browser: SessionBrowser, site: Site
) -> None:
    place = f"127.0.0.1:{site.port}"
    async with task(browser, *turns(site, "Zoom in", stop("Done."))) as it:
        it.grants.kinds.add((place, "order"))
        assert await it.say("zoom in") == "Done."
        assert [use.need.kind for uses in it.grants.used for use in uses] == ["order"]
    assert site.effects == [ORDER]
    async with task(browser, *turns(site, "Zoom in", stop("Done."))) as it:
        it.grants.kinds.add((place, "send"))
        assert await it.say("zoom in") is None


async def test_what_is_held_is_failed_before_the_browser_ends(site: Site, pool: BrowserPool) -> None:
    site.effects.clear()
    browser = cast(SessionBrowser, await pool.get("ends"))
    for end in (browser.park, browser.close):
        await browser.navigate(site.url("/picture"))
        with browser.under(ActTerms()):
            await browser.click(element(await browser.observe(), "Zoom in"))
        assert [one.words for one in browser.held()] == [SAYS]
        await end()
    await asyncio.sleep(0.3)
    assert site.effects == []


async def test_a_yes_after_the_page_gave_it_up_does_the_act_again(
    browser: SessionBrowser, site: Site
) -> None:
    async with task(browser, *turns(site, "Show rain", stop("Done."))) as it:
        assert await it.say("go on") is None
        await browser.wait(700)
        assert not await browser.held_waits()
        assert await it.answer(True) == "Done."
    assert site.effects == [ORDER]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
async def test_nothing_that_was_held_leaves_a_browser_that_dies_and_the_yes_asks_again(
    pool: BrowserPool, site: Site, number: signal.Signals
) -> None:
    browser = cast(SessionBrowser, await pool.get("dies"))
    site.effects.clear()
    async with task(browser, *turns(site, "Zoom in", *turns(site, "Zoom in", stop("Done.")))) as it:
        await it.say("zoom in")
        reference = (it.question or {})["reference"]
        assert browser.chromium is not None
        os.kill(browser.chromium.pid, number)
        await it.answer(True)
        assert f"so this was not sent: {SAYS}" in it.options["server"].requests[-2].text
        assert site.effects == []
        assert (it.question or {})["reference"] != reference
        await it.answer(True)
    assert site.effects == [ORDER]


async def test_a_bound_approval_sends_nothing_else(browser: SessionBrowser, site: Site) -> None:
    await browser.navigate(site.url("/picture"))
    button = element(await browser.observe(), "Zoom in")
    with browser.under(ActTerms()):
        await browser.click(button)
    (held,) = browser.held()
    approved = Approved(
        kinds=frozenset({held.kind}), sites=frozenset({held.site}), bound=frozenset({"other"})
    )
    with browser.under(ActTerms(approved=approved)):
        outcome = await browser.click(button)
    assert not outcome.ok
    assert site.effects == []
    exact = approved.model_copy(update={"bound": frozenset({held.binding})})
    with browser.under(ActTerms(approved=exact)):
        outcome = await browser.click(button)
    assert outcome.ok
    assert site.effects == [ORDER]
