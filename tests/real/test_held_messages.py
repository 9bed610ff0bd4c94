"""Messages over WebSockets are held like requests: real browser, a site that notes what arrives."""

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import pytest_asyncio

from server.agent.gate.holding import agreed_terms
from server.browser.mcp.session_browser import SessionBrowser
from server.browser.outgoing.held import ActTerms, HeldRequest
from server.browser.pool import BrowserPool
from tests.support.browsers import element, open_pool
from tests.support.eventually import eventually
from tests.support.operator_tasks import task
from tests.support.scripted_model import click, navigate, stop
from tests.support.server import Fork
from tests.support.site_sockets import messages
from tests.support.sites import Answer, Site

pytestmark = pytest.mark.asyncio(loop_scope="module")

OPEN = "new WebSocket(location.origin.replace('http', 'ws') + '/socket')"
ORDER = '{"type":"order","item":"kettle"}'
SAYS = "order to 127.0.0.1 (type, item)"
WORKER = f"const ws = {OPEN}; onmessage = () => ws.send('{ORDER}'); ws.onopen = () => postMessage('ready')"
SHARED = f"""const ws = {OPEN}, open = new Promise(done => {{ ws.onopen = done }})
onconnect = ({{ports: [port]}}) => {{ port.onmessage = () => ws.send('{ORDER}'); open.then(() => port.postMessage('ready')) }}"""
PAGE = f"""<title>Picture</title><h1>A walk</h1><p>Clouds over the hill.</p><p role=status id=said></p>
<button type=button onclick="ws.send(order)">Zoom in</button>
<button type=button onclick="worker.postMessage('')">Zoom out</button>
<button type=button onclick="shared.port.postMessage('')">Show map</button>
<button type=button onclick="const later = open_(); later.onopen = () => later.send(order)">Show sun</button>
<button type=button onclick="ws.send(order); for (const end = Date.now() + 1500; Date.now() < end;);">Show rain</button>
<button type=button onclick="ws.send('2'); ws.send(JSON.stringify({{type: 'subscribe', to: 'clouds'}}))">Show list</button>
<button type=button onclick="ws.send(JSON.stringify({{x: 1}}))">Show grid</button>
<button type=button onclick="ws.send(order); fetch('/payments', {{method: 'POST', body: '', signal: AbortSignal.timeout(400)}})">
Show names</button>
<button type=button onclick="fetch('/payments', {{method: 'POST', body: '', keepalive: true}})">Show clouds</button>
<script>
const order = '{ORDER}', open_ = () => {OPEN}
let ws = open_(), worker = new Worker('/socket-worker.js'), shared = new SharedWorker('/socket-shared.js', String(Math.random())), timer
Promise.all([ws, worker, shared.port].map(one => new Promise(done => {{ one.onopen = one.onmessage = done }})))
  .then(() => {{ timer = setInterval(() => ws.send(JSON.stringify({{x: 0}})), 100) }})
ws.onclose = () => {{ clearInterval(timer); said.textContent = 'Connection lost' }}
</script>"""


class SocketSite(Site):
    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []
        self.pages |= {
            "/picture": lambda _: PAGE,
            "/socket": self._socket,
            "/socket-worker.js": lambda _: Answer(WORKER.encode(), type="text/javascript"),
            "/socket-shared.js": lambda _: Answer(SHARED.encode(), type="text/javascript"),
        }

    def _socket(self, visit: Any) -> None:
        for text in messages(visit):
            self.messages.append(text)

    @property
    def said(self) -> list[str]:
        """Without what the page says by itself."""
        return [one for one in self.messages if one != '{"x":0}']


@pytest.fixture(scope="module")
def site() -> Iterator[SocketSite]:
    with SocketSite() as site:
        yield site


@pytest_asyncio.fixture(loop_scope="module")
async def browser(pool: BrowserPool, site: SocketSite) -> SessionBrowser:
    browser = cast(SessionBrowser, await pool.get("sockets"))
    await browser.navigate("about:blank")
    site.messages.clear()
    return browser


async def press(browser: SessionBrowser, site: SocketSite, name: str, terms: ActTerms | None = None) -> str:
    site.messages.clear()
    await browser.navigate(site.url("/picture"))
    await eventually(lambda: bool(site.messages), message="page and workers are connected", timeout=15)
    button = element(await browser.observe(), name)
    with browser.under(terms or ActTerms()):
        return (await browser.click(button)).text


async def test_a_yes_in_time_lets_the_very_message_go(browser: SessionBrowser, site: SocketSite) -> None:
    async with task(browser, navigate(site.url("/picture")), click("Zoom in"), stop("Done.")) as it:
        assert await it.say("zoom in") is None
        assert it.question is not None
        assert (it.question["would_send"], it.question["risk"]) == (SAYS, "order")
        assert site.said == []
        assert await it.answer(True) == "Done."
        await eventually(lambda: site.said == [ORDER], message="the message was not let go")
        ends = it.of("tool_end")
    assert (ends[1]["ok"], ends[1]["summary"]) == (False, f"Held before it was sent: {SAYS}.")
    assert [(one["method"], one["path"]) for one in ends[2]["effects"]] == [("MESSAGE", "/socket")]


async def test_of_what_one_act_sends_the_step_says_what_was_given_up(
    browser: SessionBrowser, site: SocketSite
) -> None:
    await press(browser, site, "Show names")
    held = browser.held()
    assert {one.kind for one in held} == {"order", "pay"}
    await asyncio.sleep(0.5)
    with browser.under(agreed_terms(held, ActTerms())):
        outcome = await browser.click(element(await browser.observe(), "Show names"))
    assert outcome.text == f"Sent: {SAYS}. Not sent, the page had given it up: payment to 127.0.0.1."
    await eventually(lambda: site.said == [ORDER], message="the message was not let go")
    assert site.effects == []


async def test_a_no_cuts_the_connection_and_the_page_may_make_a_new_one(
    browser: SessionBrowser, site: SocketSite
) -> None:
    async with task(browser, navigate(site.url("/picture")), click("Zoom in")) as it:
        await it.say("zoom in")
        await it.answer(False)
        await eventually(lambda: bool(site.messages), message="the page was connected")
        assert "Connection lost" in (await browser.observe()).text()
    assert site.said == []
    assert await press(browser, site, "Show list") == 'Clicked button "Show list".'
    await eventually(lambda: len(site.said) == 2, message="the new connection is used")


@pytest.mark.parametrize("name", ["Zoom out", "Show map", "Show sun", "Show rain"])
async def test_workers_new_sockets_and_pages_that_do_not_answer_send_nothing(
    browser: SessionBrowser, site: SocketSite, name: str
) -> None:
    assert await press(browser, site, name) == f"Held before it was sent: {SAYS}."
    await browser.refuse_held()
    await asyncio.sleep(0.2)
    assert site.said == []


async def test_signs_of_life_and_what_the_page_says_by_itself_pass(
    browser: SessionBrowser, site: SocketSite
) -> None:
    assert await press(browser, site, "Show list") == 'Clicked button "Show list".'
    seen = ["2", '{"type":"subscribe","to":"clouds"}']
    await eventually(lambda: site.said == seen, message="signs of life arrive")
    with browser.under(ActTerms()):
        await browser.click(element(await browser.observe(), "Show grid"))
    await eventually(lambda: site.said == [*seen, '{"x":1}'], message="the custom of the page arrives")


def _die_at_the_hold(folder: str, url: str, name: str, tell: Callable[[str], None]) -> None:
    """Press a button, and end this process without notice once what it sends is held, before anything else is done."""

    def die(held: HeldRequest) -> None:
        tell(held.words)
        os._exit(137)

    async def run() -> None:
        async with open_pool(Path(folder)) as pool:
            browser = cast(SessionBrowser, await pool.get("dies"))
            with browser.under(ActTerms()):
                await browser.navigate(url)
                button = element(await browser.observe(), name)
                assert browser.chromium is not None
                assert browser.chromium.outgoing is not None
                browser.chromium.outgoing.listen(die)
                await browser.click(button)

    asyncio.run(run())


@pytest.mark.parametrize("name", ["Zoom in", "Show clouds"])
async def test_nothing_leaves_when_the_process_is_killed_between_the_hold_and_its_question(
    tmp_path: Path, site: SocketSite, name: str
) -> None:
    site.messages.clear()
    site.effects.clear()
    fork = Fork(_die_at_the_hold, (str(tmp_path), site.url("/picture"), name))
    assert await asyncio.to_thread(fork.end) == (137, SAYS if name == "Zoom in" else "payment to 127.0.0.1")
    await asyncio.sleep(1)
    assert site.said == []
    assert site.effects == []
