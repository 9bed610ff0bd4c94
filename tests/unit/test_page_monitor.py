"""What the page monitor reads of a page, with a scripted Chromium."""

import asyncio

from server.browser.chromium.cdp import Cdp
from server.browser.chromium.page_monitor import PageMonitor
from server.browser.chromium.watched_page import WatchedPage
from tests.support.scripted_chromium import scripted_pipe

URL = "http://shop.example/"


async def test_a_title_that_the_browser_process_does_not_know_yet_is_read_from_the_page():
    async with scripted_pipe() as (chromium, devtools):
        cdp = await Cdp.connect(devtools)
        await chromium.attach_tab(cdp)
        page = WatchedPage("T1", URL, session="TAB")
        reading = asyncio.create_task(PageMonitor(cdp, lambda line: None).read_title(page))
        chromium.answer(
            await chromium.heard("Target.getTargetInfo"),
            {"targetInfo": {"targetId": "T1", "url": URL, "title": "shop.example/"}},
        )
        chromium.answer(await chromium.heard("Page.createIsolatedWorld"), {"executionContextId": 1})
        chromium.answer(await chromium.heard("Runtime.evaluate"), {"result": {"value": "The shop"}})
        await reading
        cdp.close()
    assert page.title == "The shop"
