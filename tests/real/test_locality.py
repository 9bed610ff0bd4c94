"""Pages see the zone and the language of the person: scripts, frames, workers, popups and requests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from server.browser.mcp.session_browser import SessionBrowser
from server.browser.pool import BrowserPool
from server.ops.json_types import Json
from tests.support.browsers import element, open_pool, settings_for
from tests.support.eventually import eventually
from tests.support.sites import Site, Visit, document, page

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(300)]

SEEN = """[new Date('2026-11-26T16:05:00Z').toString().slice(0, 33), Intl.DateTimeFormat().resolvedOptions().timeZone,
  Intl.NumberFormat().resolvedOptions().locale, navigator.language].join(' ')"""
SCRIPT = f"""<script>
const seen = {{page: {SEEN}}};
addEventListener('message', event => Object.assign(seen, event.data));
const send = () => {{ for (const other of [parent, opener]) if (other && other !== window) other.postMessage({{[name]: seen.page}}, '*') }};
send();
const worker = new Worker(URL.createObjectURL(new Blob([`postMessage(${{JSON.stringify('')}} + {SEEN})`])));
worker.onmessage = event => seen.worker = event.data;
</script>"""


@page("/locality")
def locality(visit: Visit) -> str:
    port = visit.headers["Host"].rpartition(":")[2]
    inner = f"<iframe name=frame src='http://localhost:{port}/locality-inside'></iframe>"
    opener = "<button onclick=\"window.open('/locality-inside', 'popup')\">Open</button>"
    return document(visit.headers.get("Accept-Language", ""), SCRIPT + inner + opener)


@page("/locality-inside")
def inside(visit: Visit) -> str:
    return document("Inside", SCRIPT)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site() as site:
        yield site


async def what_pages_see(browser: SessionBrowser, site: Site) -> tuple[str | None, Json]:
    """`Accept-Language`, and what each script sees."""
    await browser.navigate(site.url("/locality"))
    monitor = browser.monitor
    assert monitor is not None
    shown = monitor.page_at(site.url("/locality"))
    assert shown is not None
    await browser.click(element(await browser.observe(), "Open"))

    async def read() -> Json:
        found = await monitor.cdp.send(
            "Runtime.evaluate", {"expression": "seen", "returnByValue": True}, session=shown.session
        )
        return found["result"]["value"]

    seen = await eventually(read, lambda seen: len(seen) == 4, message="page, frame, worker and popup")
    return shown.title, seen


TOKYO = "Fri Nov 27 2026 01:05:00 GMT+0900 Asia/Tokyo ja-JP ja-JP"
LISBON = "Thu Nov 26 2026 16:05:00 GMT+0000 Europe/Lisbon pt-PT pt-PT"
PLACES = ("page", "frame", "worker", "popup")


@pytest.mark.parametrize("server", ["playwright", "browser-use"])
async def test_pages_see_the_persons_zone_and_language(server: str, tmp_path, site: Site):
    person = {"time_zone": "Asia/Tokyo", "locale": "ja-JP", "browser_mcp": server}
    async with open_pool(tmp_path, **person) as pool:
        browser = await pool.get("a")
        languages, seen = await what_pages_see(browser, site)
        assert seen == dict.fromkeys(PLACES, TOKYO)
        assert languages == "ja-JP,ja;q=0.9"
        await change(
            pool, settings_for(tmp_path, **person | {"time_zone": "Europe/Lisbon", "locale": "pt-PT"})
        )
        languages, seen = await what_pages_see(browser, site)
        assert seen == dict.fromkeys(PLACES, LISBON)
        assert languages == "pt-PT,pt;q=0.9"


async def change(pool: BrowserPool, settings) -> None:
    pool.configure(settings)
    browser = await pool.get("a")
    assert browser.monitor is not None
    await browser.monitor.settle()
