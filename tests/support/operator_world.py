"""The real operator graph with a scripted model and a scripted browser, driven as the executor drives it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from server.agent.context import RunContext, UserUpdates
from server.agent.gate.gate import Gate
from server.agent.logins import FilledLogins, NoVault, Vault
from server.agent.operator.ask.answers import answer_in_words
from server.agent.operator.graph import FINALS, Operator, build_operator
from server.agent.pointing.pointer import Pointer, SeenPage
from server.agent.streaming import graph_events
from server.browser.browser import PagePicture
from server.checkpoints import Checkpoints
from server.grants.coverage import GrantUse, HeldGrant
from tests.support.scripted_browser import ScriptedBrowser
from tests.support.scripted_model import ScriptedModel
from tests.support.tools import FakeTools


@dataclass
class Post:
    """An inbox: each entry is what is found there at one checkpoint."""

    news: list[UserUpdates] = field(default_factory=list)
    read: int = 0

    async def take_updates(self) -> UserUpdates:
        self.read += 1
        return self.news.pop(0) if self.news else UserUpdates()


@dataclass
class Granted:
    """Grants without limits for these sites and kinds, and others."""

    kinds: set[tuple[str, str]] = field(default_factory=set)
    others: list[HeldGrant] = field(default_factory=list)
    used: list[tuple[GrantUse, ...]] = field(default_factory=list)
    refuses: bool = False
    """None of them covers anything when an act begins."""

    @property
    def now(self) -> list[HeldGrant]:
        plain = [
            HeldGrant(id=f"{site} {kind}", scope="session", site=site, kind=kind) for site, kind in self.kinds
        ]
        return plain + self.others

    async def held(self) -> list[HeldGrant]:
        return self.now

    async def use(self, uses: Sequence[GrantUse], act: str) -> bool:
        self.used.append(tuple(uses))
        return not self.refuses


@dataclass
class World:
    browser: ScriptedBrowser
    model: ScriptedModel
    checkpointer: BaseCheckpointSaver[Any] = field(default_factory=InMemorySaver)
    inbox: Post = field(default_factory=Post)
    grants: Granted = field(default_factory=Granted)
    gate: Gate = field(default_factory=Gate)
    max_tool_steps: int = 10
    files: Path | None = None
    is_open: bool = True
    """Was a browser started before?"""
    patience: float | None = None
    pointers: tuple[Pointer, ...] = ()
    vault: Vault = field(default_factory=NoVault)
    automation_id: str | None = None
    filled: FilledLogins = field(default_factory=FilledLogins)
    logins: set[str] = field(default_factory=set)
    tools: FakeTools = field(default_factory=lambda: FakeTools(specs=()))
    pages: dict[str, SeenPage] = field(default_factory=dict)
    """What the kept pictures show, by address."""
    queued: float = 0.0
    """Seconds that it waits for a free browser in each step."""
    options: dict[str, Any] = field(default_factory=dict)
    told: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    kept: list[PagePicture] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    question: dict[str, Any] | None = None
    numbers: Any = field(default_factory=itertools.count)
    epochs: Any = field(default_factory=partial(itertools.count, 1))
    graph: Operator = field(init=False)

    def __post_init__(self) -> None:
        self.build()

    def build(self) -> None:
        """A new graph object on the same checkpoints, as after a restart."""
        self.graph = build_operator(
            self.model, gate=self.gate, checkpointer=self.checkpointer, **self.options
        )

    async def say(self, text: str, **more: Any) -> str | None:
        """A message of the person; returns the final response, None while a question is open."""
        return await self._run({"user_message": text, "message_id": f"m{next(self.numbers)}", **more})

    async def answer(
        self, confirmed: bool | None = None, message: str | None = None, **more: Any
    ) -> str | None:
        """The person's decision on the open question."""
        given = {"reference": (self.question or {}).get("reference"), **more}
        given |= {} if confirmed is None else {"confirmed": confirmed}
        given |= {} if message is None else {"message": message}
        return await self.resume(given)

    async def reply(self, words: str) -> str | None:
        """A message of the person while a question is open."""
        question = self.question or {}
        answer = answer_in_words(question["kind"], words)
        return await self.answer(answer.confirmed, answer.message, in_words=answer.in_words)

    async def resume(self, value: Any) -> str | None:
        return await self._run(Command(resume=value))

    async def go_on(self) -> str | None:
        """Continue from the last checkpoint."""
        return await self._run(None)

    async def _run(self, given: Any) -> str | None:
        config: RunnableConfig = {"configurable": {"thread_id": "s"}}
        thread = None
        if isinstance(self.checkpointer, Checkpoints):
            thread = await self.checkpointer.open("s", next(self.epochs), "async")
            config = thread.config
        config["recursion_limit"] = 500
        async for event in graph_events(
            self.graph, given, config, context=self._context(), durability="async"
        ):
            if event["event"] == "on_custom_event":
                self.told.append((event["name"], event["data"]))
        if thread:
            await thread.settle()
        snapshot = await self.graph.aget_state(config)
        self.values = snapshot.values
        self.question = snapshot.interrupts[0].value if snapshot.interrupts else None
        return None if self.question else self.values.get("final_response")

    def _context(self) -> RunContext:
        async def browser() -> ScriptedBrowser:
            self.is_open = True
            return self.browser

        async def keep(picture: PagePicture) -> str:
            self.kept.append(picture)
            return f"/shots/{len(self.kept)}.jpg"

        async def keep_page(address: str, page: SeenPage) -> None:
            self.pages[address] = page

        return RunContext(
            run_id="r", session_id="s", browser=browser, keep=keep, inbox=self.inbox, grants=self.grants,
            max_tool_steps=self.max_tool_steps, has_browser=lambda: self.is_open,
            take_queued=lambda: self.queued, files=self.files, patience=self.patience,
            keep_page=keep_page, pointers=lambda: self.pointers, vault=self.vault,
            automation_id=self.automation_id, filled=self.filled, logins=self.logins, tools=self.tools,
        )  # fmt: skip

    def of(self, name: str) -> list[dict[str, Any]]:
        """The custom events of this name."""
        return [payload for told, payload in self.told if told == name]

    @property
    def spoken(self) -> str:
        return "".join(payload["text"] for payload in self.of("token"))


def world(pages: dict[str, str], turns: Sequence[Any], **options: Any) -> World:
    """`leads`, `url` and `again` go to the browser and the model, the rest to the world."""
    browser = ScriptedBrowser(pages, options.pop("leads", {}), options.pop("url", "about:blank"))
    model = ScriptedModel(turns=list(turns), again=options.pop("again", None), prompts=[], asked=[])
    return World(browser, model, **options)


__all__ = ["FINALS", "Granted", "Post", "World", "world"]
