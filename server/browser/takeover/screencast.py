"""The screencast of one page over DevTools."""

from __future__ import annotations

import asyncio
import base64
from contextlib import suppress
from time import monotonic

from server.browser.chromium.cdp import Cdp, CdpError, Params
from server.browser.takeover.browser_view import LiveFrame, TakeFrame
from server.ops.background_tasks import BackgroundTasks

FRAMES_PER_SECOND = 12
QUALITY = 60
WIDEST = 1280


class Screencast:
    """Calls `take` with each new frame. A page that does not change yields a single frame.

    Chromium sends the next frame once the previous one is acknowledged; late acknowledgement limits the rate.
    """

    def __init__(self, cdp: Cdp, session: str, take: TakeFrame) -> None:
        self.session = session
        self.began = monotonic()
        self._cdp = cdp
        self._take = take
        self._last_ack = 0.0
        self._acks = BackgroundTasks()
        self._stop_listening = cdp.on("Page.screencastFrame", self._on_frame)

    async def start(self) -> None:
        """Raises CdpError."""
        await self._cdp.send("Page.startScreencast", {
            "format": "jpeg", "quality": QUALITY, "maxWidth": WIDEST, "maxHeight": 2 * WIDEST, "everyNthFrame": 1,
        }, session=self.session)  # fmt: skip

    async def stop(self) -> None:
        self._stop_listening()
        self._acks.cancel()
        with suppress(CdpError):
            await self._cdp.send("Page.stopScreencast", session=self.session, deadline=1)

    def _on_frame(self, params: Params, session: str | None) -> None:
        if session != self.session:
            return
        self._acks.start(self._ack(params["sessionId"]))
        seen = params["metadata"]
        self._take(LiveFrame(
            base64.b64decode(params["data"]), round(seen["deviceWidth"]), round(seen["deviceHeight"]),
            (seen["scrollOffsetX"], seen["scrollOffsetY"]),
        ))  # fmt: skip

    async def _ack(self, number: int) -> None:
        now = monotonic()
        self._last_ack = max(now, self._last_ack + 1 / FRAMES_PER_SECOND)
        await asyncio.sleep(self._last_ack - now)
        with suppress(CdpError):
            await self._cdp.send("Page.screencastFrameAck", {"sessionId": number}, session=self.session)
