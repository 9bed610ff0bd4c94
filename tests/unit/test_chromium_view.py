"""The live view's screen, with a scripted Chromium."""

from __future__ import annotations

import asyncio
import base64
from typing import Any, cast

from server.browser.chromium.cdp import Cdp
from server.browser.chromium.page_monitor import PageMonitor
from server.browser.chromium.watched_page import WatchedPage
from server.browser.takeover.browser_view import LiveFrame
from server.browser.takeover.chromium_view import CdpScreen
from server.browser.takeover.foreground_tab import Held
from server.browser.takeover.user_input import Resize
from tests.support.eventually import eventually
from tests.support.scripted_chromium import scripted_pipe

OLD, NEW = (1280, 720), (390, 800)
METHODS = (
    "Target.getTargets", "Page.startScreencast", "Page.stopScreencast", "Page.screencastFrameAck",
    "Runtime.enable", "Runtime.addBinding", "Page.addScriptToEvaluateOnNewDocument",
    "Emulation.setDeviceMetricsOverride",
)  # fmt: skip


class OneTab:
    """A session's browser with one tab."""

    url = "http://shop.example/"

    def __init__(self, monitor: PageMonitor) -> None:
        self.monitor = monitor


def frame(size: tuple[int, int]) -> dict[str, Any]:
    metadata = {"deviceWidth": size[0], "deviceHeight": size[1], "scrollOffsetX": 0, "scrollOffsetY": 0}
    return {"data": base64.b64encode(b"jpeg").decode(), "metadata": metadata, "sessionId": 1}


async def test_a_screencast_that_begins_with_the_size_before_a_resize_is_started_again():
    """A static page sends no second frame: the picture would keep the old size."""
    async with scripted_pipe() as (chromium, devtools):
        cdp = await Cdp.connect(devtools)
        await chromium.attach_tab(cdp)
        monitor = PageMonitor(cdp, lambda line: None)
        monitor.pages["T1"] = WatchedPage("T1", OneTab.url, session="TAB", document=OneTab.url)
        browser = cast(Held, OneTab(monitor))
        sizes = iter((OLD, OLD, NEW))  # of the casts' first and only frames

        async def answer(method: str) -> None:
            while True:
                command = await chromium.heard(method)
                chromium.answer(command, {"targetInfos": [], "identifier": "1"})
                if method == "Page.startScreencast":
                    chromium.say(
                        {"method": "Page.screencastFrame", "params": frame(next(sizes)), "sessionId": "TAB"}
                    )

        answering = [asyncio.create_task(answer(method)) for method in METHODS]
        frames: list[LiveFrame] = []
        try:
            screen = CdpScreen(lambda: browser, lambda: asyncio.sleep(0, browser), lambda host: None)
            await screen.capture(frames.append)
            await eventually(lambda: frames, message="the first frame")
            await screen.do(Resize(type="resize", width=NEW[0], height=NEW[1]))

            async def size_shown() -> tuple[int, int]:
                await screen.capture(frames.append)
                return frames[-1].width, frames[-1].height

            await eventually(size_shown, lambda size: size == NEW, message="a frame of the new size")
            assert [(one.width, one.height) for one in frames] == [OLD, OLD, NEW]
            assert next(sizes, None) is None
            await screen.capture(None)
        finally:
            for task in answering:
                task.cancel()
            await asyncio.wait(answering)
            cdp.close()
