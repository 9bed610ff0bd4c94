"""When a page counts as hung: by what its process does, not by how busy the machine is."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from server.browser.chromium.cdp import Cdp, CdpError, Params
from server.browser.chromium.hangs import is_responsive, is_steady, replace
from server.browser.chromium.watched_page import WatchedPage

DEADLINE = 0.05


class ScriptedCdp(Cdp):
    """A browser whose page answers when its CPU times have been asked for `answers_after` times; None is never.

    Each time another process has used `others` seconds more, and the page's `share` of the time that it is given.
    """

    def __init__(
        self, *, share: float, answers_after: int | None = None, documents: tuple[int, ...] = (1,)
    ) -> None:
        super().__init__()
        self.share, self.answers_after, self.documents = share, answers_after, list(documents)
        self.looks = 0
        self.may_answer = asyncio.Event()

    async def send(
        self, method: str, params: Params | None = None, *, session: str | None = None, deadline: float = 5
    ) -> Params:
        if method == "SystemInfo.getProcessInfo":
            return self._look()
        assert method == "Runtime.evaluate"
        if self.answers_after is None or self.looks < self.answers_after:
            await self.may_answer.wait()
        document = self.documents.pop(0) if len(self.documents) > 1 else self.documents[0]
        return {"result": {"value": document}}

    def _look(self) -> dict[str, Any]:
        self.looks += 1
        if self.looks == self.answers_after:
            self.may_answer.set()
        used = (self.looks - 1) * self.share * DEADLINE
        return {"processInfo": [
            {"type": "browser", "id": 1, "cpuTime": 100.0 * self.looks},
            {"type": "renderer", "id": 2, "cpuTime": 7.0 + used},
            {"type": "renderer", "id": 3, "cpuTime": 50.0},
        ]}  # fmt: skip


PAGE = WatchedPage("target", "https://kettle.example/", session="session")


async def test_a_page_that_answers_at_once_costs_no_look_at_its_process() -> None:
    cdp = ScriptedCdp(share=1.0, answers_after=0)
    assert await is_responsive(cdp, PAGE, deadline=DEADLINE)
    assert await is_steady(cdp, PAGE, deadline=DEADLINE)
    assert cdp.looks == 0


@pytest.mark.parametrize("share", [0.0, 0.01, 0.8, 1.0, 3.0])
async def test_a_page_that_waits_or_spins_is_hung_after_one_deadline(share: float) -> None:
    cdp = ScriptedCdp(share=share)
    assert not await is_responsive(cdp, PAGE, deadline=DEADLINE)
    assert cdp.looks == 2


async def test_a_page_that_gets_little_of_a_busy_machine_has_longer() -> None:
    cdp = ScriptedCdp(share=0.1, answers_after=5)
    assert await is_responsive(cdp, PAGE, deadline=DEADLINE)
    assert cdp.looks == 5


async def test_a_page_that_spins_on_a_busy_machine_is_hung_when_it_had_its_time() -> None:
    cdp = ScriptedCdp(share=0.3)
    assert not await is_steady(cdp, PAGE, deadline=DEADLINE)
    assert cdp.looks == 4


async def test_a_page_that_never_answers_is_hung_however_busy_the_machine_is() -> None:
    cdp = ScriptedCdp(share=0.05)
    assert not await is_responsive(cdp, PAGE, deadline=DEADLINE)
    assert cdp.looks == 11


async def test_a_browser_that_does_not_tell_its_processes_is_not_waited_for() -> None:
    class Silent(ScriptedCdp):
        def _look(self) -> dict[str, Any]:
            raise CdpError("not offered")

    assert not await is_responsive(Silent(share=0.5), PAGE, deadline=DEADLINE)


async def test_a_document_that_is_replaced_meanwhile_is_not_steady() -> None:
    cdp = ScriptedCdp(share=0.1, answers_after=0, documents=(1, 2))
    assert not await is_steady(cdp, PAGE, deadline=DEADLINE)


class Tabs(Cdp):
    """A browser whose first `failing` new tabs cannot be opened; a tab is gone when it is closed."""

    def __init__(self, page: WatchedPage, failing: int = 0) -> None:
        super().__init__()
        self.page, self.failing, self.opened = page, failing, 0

    async def send(
        self, method: str, params: Params | None = None, *, session: str | None = None, deadline: float = 5
    ) -> Params:
        await asyncio.sleep(0)
        if method == "Target.createTarget":
            if self.failing:
                self.failing -= 1
                raise CdpError("no tab")
            self.opened += 1
            return {"targetId": f"empty-{self.opened}"}
        elif method == "Target.closeTarget":
            self.page.gone.set()
        return {}


async def test_a_page_that_two_replace_at_once_gets_one_empty_tab() -> None:
    page = WatchedPage("target", "https://kettle.example/", session="session")
    tabs = Tabs(page)
    await asyncio.gather(replace(tabs, page), replace(tabs, page))
    assert tabs.opened == 1


async def test_a_page_whose_empty_tab_could_not_be_opened_is_replaced_later() -> None:
    page = WatchedPage("target", "https://kettle.example/", session="session")
    tabs = Tabs(page, failing=1)
    with pytest.raises(CdpError):
        await replace(tabs, page)
    assert not page.gone.is_set()
    await replace(tabs, page)
    assert tabs.opened == 1
