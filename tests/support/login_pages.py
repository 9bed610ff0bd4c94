"""Pages of made-up hosts over https, answered at the browser's edge: no name is looked up and nothing leaves the machine."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from server.browser.chromium.cdp import Cdp, CdpError, Params
from server.browser.mcp.session_browser import SessionBrowser


class MadeUpHosts:
    """Answers every request of a browser from `pages`, by its address without the query; all others get 404."""

    def __init__(self, cdp: Cdp) -> None:
        self.pages: dict[str, str] = {}
        self.requests: list[tuple[str, str, str]] = []
        """Method, address and body of each, in order."""
        self._cdp = cdp
        self._answers: set[asyncio.Task[None]] = set()

    def _on_paused(self, params: Params, session: str | None) -> None:
        task = asyncio.create_task(self._answer(params, session))
        self._answers.add(task)
        task.add_done_callback(self._answers.discard)

    async def _answer(self, params: Params, session: str | None) -> None:
        request = params["request"]
        self.requests.append((request["method"], request["url"], request.get("postData", "")))
        page = self.pages.get(request["url"].partition("?")[0])
        answer = {
            "requestId": params["requestId"], "responseCode": 404 if page is None else 200,
            "responseHeaders": [{"name": "Content-Type", "value": "text/html; charset=utf-8"}],
            "body": base64.b64encode((page or "").encode()).decode(),
        }  # fmt: skip
        with suppress(CdpError):  # the page has gone on
            await self._cdp.send("Fetch.fulfillRequest", answer, session=session)


@asynccontextmanager
async def made_up_hosts(browser: SessionBrowser) -> AsyncIterator[MadeUpHosts]:
    await browser.open()
    assert browser.chromium
    cdp = await Cdp.connect(browser.chromium.devtools)
    hosts = MadeUpHosts(cdp)
    cdp.on("Fetch.requestPaused", hosts._on_paused)
    await cdp.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
    try:
        yield hosts
    finally:
        cdp.close()
