"""Detects pages that hang; stops, closes and replaces them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from server.browser.chromium.cdp import Cdp, CdpError
from server.browser.chromium.watched_page import WatchedPage

_CLOSE_TRIES = 5
_PROMPT_ANSWER_SECONDS = 0.1
"""Nearly every page answers within these seconds; CPU time is measured only after that."""
_ROUNDS = 10
_IDLE, _BUSY = 0.02, 0.7
"""Shares of the wait in CPU time: below the first the process is idle; above the second it was busy and did not answer."""


async def is_responsive(cdp: Cdp, page: WatchedPage, *, deadline: float = 3) -> bool:
    """Whether the page's main thread answers within `deadline` seconds, or later on a busy machine."""
    try:
        await _document(cdp, page, deadline)
    except CdpError:
        return False
    return True


async def is_steady(cdp: Cdp, page: WatchedPage, *, deadline: float = 1.5) -> bool:
    """As `is_responsive`, and whether the document is still the same 0.2 s later."""
    try:
        first = await _document(cdp, page, deadline)
        await asyncio.sleep(0.2)
        return first == await _document(cdp, page, deadline)
    except CdpError:
        return False


async def _document(cdp: Cdp, page: WatchedPage, deadline: float) -> object:
    """The document's time origin, which identifies the document within the tab.

    Raises CdpError if the main thread does not answer although it could: within `deadline` seconds its process did
    next to nothing, or it has had nearly as many seconds of CPU time. A process that gets less than it could use,
    because the machine is busy, gets up to `_ROUNDS` times as long.
    """
    script = {"expression": "performance.timeOrigin", "returnByValue": True}
    asked = asyncio.ensure_future(
        cdp.send(
            "Runtime.evaluate",
            script,
            session=page.session,
            deadline=_PROMPT_ANSWER_SECONDS + _ROUNDS * deadline,
        )
    )
    try:
        await asyncio.wait({asked}, timeout=_PROMPT_ANSWER_SECONDS)
        began = used = {} if asked.done() else await _cpu_seconds(cdp)
        for _ in range(_ROUNDS):
            await asyncio.wait({asked}, timeout=deadline)
            if asked.done():
                return (await asked)["result"].get("value")
            before, used = used, await _cpu_seconds(cdp)
            if _most_used(before, used) < _IDLE * deadline or _most_used(began, used) > _BUSY * deadline:
                break
        raise CdpError(f"no answer within {deadline:g} s")
    finally:
        asked.cancel()


async def _cpu_seconds(cdp: Cdp) -> dict[int, float]:
    """CPU time so far, by id, of the processes that run pages. Raises CdpError."""
    found = await cdp.send("SystemInfo.getProcessInfo")
    return {each["id"]: each["cpuTime"] for each in found["processInfo"] if each["type"] == "renderer"}


def _most_used(before: Mapping[int, float], after: Mapping[int, float]) -> float:
    """The CPU time that the busiest process used in between."""
    return max((seconds - before.get(pid, 0.0) for pid, seconds in after.items()), default=0.0)


async def stop_loading(cdp: Cdp, page: WatchedPage) -> None:
    with suppress(CdpError):
        await cdp.send("Page.stopLoading", session=page.session, deadline=1)


async def replace(cdp: Cdp, page: WatchedPage) -> None:
    """Open an empty tab and close the one that hangs. Raises CdpError.

    Two callers may find the same hang, such as one by its alerts and one by a call without an answer: one tab is opened.
    """
    if not page.is_replaced:
        page.is_replaced = True
        try:
            created = await cdp.send("Target.createTarget", {"url": "about:blank"})
            page.replacement = created["targetId"]
        except CdpError:
            page.is_replaced = False
            raise
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
