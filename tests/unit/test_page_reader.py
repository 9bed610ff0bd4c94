"""A look at a page that came without its second source is repeated, and said if that does not help."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from server.browser.mcp.lifecycle import Notes
from server.browser.mcp.page_reader import DEGRADED, PageReader, Source
from server.browser.mcp.tool_calls import ToolCalls
from server.browser.observation.page_script import Extra

WHOLE, PARTLY = Extra(texts=(), moment="1:view:0"), Extra(unknown=True)
DEAF = Extra(texts=(), moment="1:view:0", deaf=True)


class Snapshot(Source):
    async def snapshot(self) -> tuple[str, bool]:
        return '- button "Go" [ref=e1]', True


class Here:
    dialog = None
    moment = ("tab", 0)
    page = SimpleNamespace(is_crashed=False)
    url = "http://127.0.0.1/"

    def __init__(self, looks: list[Extra]) -> None:
        self.looks = looks

    async def run(self, script: str, *, deadline: float = 3) -> float:
        return 1.0

    async def look(self) -> Extra:
        return self.looks.pop(0)


class Calls:
    is_held = False

    def __init__(self, looks: list[Extra]) -> None:
        self.here, self.notes = Here(looks), Notes()

    async def until_free(self) -> None:
        pass


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("looks", "found", "notes"),
    [
        ([WHOLE], WHOLE, ()),
        ([PARTLY, WHOLE], WHOLE, ()),
        ([PARTLY, PARTLY], PARTLY, (DEGRADED,)),
        ([DEAF, WHOLE], WHOLE, ()),
        ([DEAF, DEAF], DEAF, (DEGRADED,)),
    ],
)
async def test_a_look_without_the_page_script_or_the_listeners_is_repeated_or_said(
    looks: list[Extra], found: Extra, notes: tuple[str, ...]
) -> None:
    calls = Calls([*looks])
    seen = await PageReader(cast(ToolCalls, calls), Snapshot()).see()
    assert (seen.extra, calls.notes.take(), calls.here.looks) == (found, notes, [])
