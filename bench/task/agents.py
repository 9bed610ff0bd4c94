"""The two agents on the bench: our operator, and stock `create_agent` with Playwright MCP's tools."""

from __future__ import annotations

import os
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool
from langchain_mcp_adapters.sessions import StdioConnection, create_session
from langchain_mcp_adapters.tools import load_mcp_tools
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from server.agent.context import Knowledge, NoKnowledge, RunContext, UserUpdates
from server.agent.operator.graph import build_operator
from server.agent.pointing.pointer import Pointer
from server.agent.streaming import graph_events
from server.browser.browser import Browser, PagePicture
from server.browser.chromium import executables as parts
from server.files.screenshots import Screenshots
from server.grants.coverage import GrantUse, HeldGrant
from tests.support.browsers import open_pool


class Agent(Protocol):
    name: str

    async def begin(self) -> None:
        """Each task is a session's first one: no page is open, and there is no file."""

    async def run(self, model: BaseChatModel, text: str) -> str: ...


class Operator:
    """Its person says yes to everything."""

    name = "operator"

    def __init__(self, browser: Browser, folder: Path, files: Path) -> None:
        self.browser = browser
        self._files = files
        self.asked: list[str] = []
        """The kind of each question."""
        self.pointers: tuple[Pointer, ...] = ()
        """What the person points at in the next tasks."""
        self.knowledge: Knowledge = NoKnowledge()
        self._screenshots = Screenshots(folder, "/api/files/screenshots")

    async def begin(self) -> None:
        for file in filter(Path.is_file, self._files.rglob("*")):
            file.unlink()
        await self.browser.navigate("about:blank")

    async def run(self, model: BaseChatModel, text: str) -> str:
        graph = build_operator(model, points=True, checkpointer=InMemorySaver())
        config: Any = {"configurable": {"thread_id": uuid.uuid4().hex}, "recursion_limit": 500}
        given: Any = {"user_message": text, "message_id": uuid.uuid4().hex}
        while True:
            async for _ in graph_events(graph, given, config, context=self._context()):
                pass
            state = await graph.aget_state(config)
            if not state.interrupts:
                return str(state.values["final_response"])
            self.asked.append(state.interrupts[0].value["kind"])
            given = Command(resume={"reference": state.interrupts[0].value["reference"], "confirmed": True})

    def _context(self) -> RunContext:
        async def browser() -> Browser:
            return self.browser

        async def keep(picture: PagePicture) -> str:
            return await self._screenshots.keep("bench", picture.data, picture.mime)

        return RunContext(
            run_id="r", session_id="bench", browser=browser, keep=keep, inbox=_Nobody(), grants=_NoGrants(),
            max_tool_steps=30, files=self._files, pointers=lambda: self.pointers,
            knowledge=self.knowledge,
        )  # fmt: skip


class _Nobody:
    async def take_updates(self) -> UserUpdates:
        return UserUpdates()


class _NoGrants:
    async def held(self) -> Sequence[HeldGrant]:
        return ()

    async def use(self, uses: Sequence[GrantUse], act: str) -> bool:
        return True


class Stock:
    name = "stock"

    def __init__(self, tools: list[BaseTool]) -> None:
        self._tools = tools

    async def begin(self) -> None:
        opener = next(tool for tool in self._tools if tool.name == "browser_navigate")
        await opener.ainvoke({"url": "about:blank"})

    async def run(self, model: BaseChatModel, text: str) -> str:
        agent = create_agent(model, self._tools)
        result = await agent.ainvoke({"messages": [("user", text)]}, {"recursion_limit": 200})
        return str(result["messages"][-1].text)


@asynccontextmanager
async def open_operator(folder: Path) -> AsyncIterator[Operator]:
    async with open_pool(folder) as pool:
        browser = await pool.get("bench")
        yield Operator(browser, folder / "screenshots", browser.files)


@asynccontextmanager
async def open_stock(folder: Path) -> AsyncIterator[Stock]:
    node, script, chromium = parts.find_node(), parts.find_playwright_mcp(), parts.find_chromium()
    flags = ["--headless", "--isolated", "--executable-path", str(chromium), "--output-dir", str(folder)]
    flags += ["--no-sandbox"] if os.geteuid() == 0 else []
    connection: StdioConnection = {"transport": "stdio", "command": str(node), "args": [str(script), *flags]}
    async with create_session(connection) as session:
        await session.initialize()
        yield Stock(await load_mcp_tools(session))
