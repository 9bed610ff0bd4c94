"""A call to a browser's tools waits until the run's lease is fresh."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from mcp.types import CallToolResult

from server.browser.lease import lease_of_run
from server.browser.mcp.lifecycle import Lifecycle, Notes, SessionResources
from server.browser.mcp.tool_calls import ToolCalls
from server.runs.execution import RunLease
from server.settings import Settings


class ToolServer:
    """A running tool server, as its lifecycle hands it out."""

    chromium = None
    watch = None

    def __init__(self) -> None:
        self.called: list[str] = []

    async def make_ready(self) -> ToolServer:
        return self

    async def call(self, tool: str, args: Any, *, deadline: float) -> CallToolResult:
        self.called.append(tool)
        return CallToolResult(content=[])


async def test_nothing_is_clicked_while_the_lease_is_old(tmp_path: Path) -> None:
    clock = SimpleNamespace(now=0.0)
    lease, server = RunLease(10, lambda: clock.now), ToolServer()
    resources = SimpleNamespace(settings=Settings.model_validate({}), files=tmp_path, session_id="s")
    calls = ToolCalls(cast(SessionResources, resources), cast(Lifecycle, server), Notes(), frozenset())
    lease_of_run.set(lease.hold)
    clock.now = 9.0
    click = asyncio.create_task(calls.ask("browser_click", {}, 5))
    for _ in range(10):
        await asyncio.sleep(0)
    assert server.called == []
    lease.renew(clock.now)
    await click
    assert server.called == ["browser_click"]
