"""Detects pages that hang; stops, closes and replaces them."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from server.browser.chromium.cdp import Cdp, CdpError
from server.browser.chromium.watched_page import WatchedPage

_CLOSE_TRIES = 5


async def is_responsive(cdp: Cdp, page: WatchedPage, *, deadline: float = 3) -> bool:
    """Whether the page's main thread answers within `deadline` seconds."""
    try:
        await _document(cdp, page, deadline)
    except CdpError:
        return False
    return True


async def is_steady(cdp: Cdp, page: WatchedPage, *, deadline: float = 1.5) -> bool:
    """Whether the page's main thread answers, and the document is still the same 0.2 s later."""
    try:
        first = await _document(cdp, page, deadline)
        await asyncio.sleep(0.2)
        return first == await _document(cdp, page, deadline)
    except CdpError:
        return False


async def _document(cdp: Cdp, page: WatchedPage, deadline: float) -> object:
    """What differs between two documents of the tab: the time at which the document began."""
    done = await cdp.send(
        "Runtime.evaluate",
        {"expression": "performance.timeOrigin", "returnByValue": True},
        session=page.session,
        deadline=deadline,
    )
    return done["result"].get("value")


async def stop_loading(cdp: Cdp, page: WatchedPage) -> None:
    with suppress(CdpError):
        await cdp.send("Page.stopLoading", session=page.session, deadline=1)


async def replace(cdp: Cdp, page: WatchedPage, context: str | None) -> None:
    """Open an empty tab in the same browser context and close the one that hangs. Raises CdpError."""
    place = {"browserContextId": context} if context else {}
    await cdp.send("Target.createTarget", {"url": "about:blank", **place})
    await close(cdp, page)


async def close(cdp: Cdp, page: WatchedPage) -> None:
    """Close a tab in any state. Retries, since a page that keeps navigating loses close requests."""
    for _ in range(_CLOSE_TRIES):
        if await _try_to_close(cdp, page):
            return
        await stop_loading(cdp, page)
    with suppress(CdpError):  # it does not close: crash its process, then close the tab
        await cdp.send("Page.crash", session=page.session, deadline=0.5)
    await _try_to_close(cdp, page)


async def _try_to_close(cdp: Cdp, page: WatchedPage) -> bool:
    with suppress(CdpError):
        await cdp.send("Target.closeTarget", {"targetId": page.target}, deadline=1)
    with suppress(TimeoutError):
        async with asyncio.timeout(0.4):
            await page.gone.wait()
    return page.gone.is_set()
