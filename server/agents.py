"""From a run to its prepared agent: which graph, which model, which thread, which input."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from server.agent.assistant import build_assistant, first_input
from server.agent.chat_model import classify, usage_cost
from server.agent.context import RunContext
from server.agent.event_adapter import EventAdapter
from server.agent.streaming import events
from server.browser.browser import Browsers
from server.errors import AppError, Conflict
from server.events import Message, State, Usage
from server.models import RunRow
from server.settings import Settings

Graph = CompiledStateGraph[Any, Any, Any, Any]
Durability = Literal["exit", "async", "sync"]


@dataclass
class PreparedAgent:
    """A graph with its input, ready to run once."""

    graph: Graph
    input: Any
    config: RunnableConfig
    context: RunContext
    durability: Durability
    checkpointer: BaseCheckpointSaver[Any]
    keeps_thread: bool

    def events(self) -> AsyncIterator[Mapping[str, Any]]:
        return events(self.graph, self.input, self.config, context=self.context, durability=self.durability)

    async def question(self) -> dict[str, Any] | None:
        interrupts = (await self.graph.aget_state(self.config)).interrupts
        return dict(interrupts[0].value) if interrupts else None

    async def forget(self) -> None:
        """Keep the newest checkpoint of a thread that goes on, none of one that starts over."""
        thread_id = self.config["configurable"]["thread_id"]
        if self.keeps_thread:
            await self.checkpointer.aprune([thread_id], strategy="keep_latest")
        else:
            await self.checkpointer.adelete_thread(thread_id)


class AgentFactory:
    """Builds agents; what does not belong to one run is built once and used again."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        model: Callable[[str], BaseChatModel],
        browsers: Browsers,
        checkpointer: BaseCheckpointSaver[Any],
    ) -> None:
        self._settings = settings
        self.model = model
        self._browsers = browsers
        self._checkpointer = checkpointer
        self._graphs: dict[tuple[str, str, int], Graph] = {}

    async def begin(self, run: RunRow, context: RunContext, history: Sequence[Message]) -> PreparedAgent:
        return await self._prepare(run, context, first_input(history))

    async def resume(self, run: RunRow, context: RunContext, answer: dict[str, Any]) -> PreparedAgent:
        return await self._prepare(run, context, Command(resume=answer))

    async def _prepare(self, run: RunRow, context: RunContext, input: Any) -> PreparedAgent:
        config: RunnableConfig = {
            "configurable": {"thread_id": f"assistant:{run.session_id}"},
            "recursion_limit": 10 + 6 * (context.max_tool_steps + 3),
        }
        graph = await self._assistant(run.model, context.max_tool_steps)
        return PreparedAgent(graph, input, config, context, "exit", self._checkpointer, keeps_thread=False)

    async def _assistant(self, model_name: str, max_tool_steps: int) -> Graph:
        key = ("assistant", model_name, max_tool_steps)
        if key not in self._graphs:
            self._graphs[key] = build_assistant(
                self.model(model_name),
                await self._browsers.tools(),
                max_tool_steps=max_tool_steps,
                checkpointer=self._checkpointer,
            )
        return self._graphs[key]

    def adapter(self, run: RunRow, said: str) -> EventAdapter:
        return EventAdapter(
            run.answer_id,
            said=said,
            usage=Usage.model_validate(run.usage or {}),
            cost=partial(_cost, run.model),
        )

    def failure(self, error: BaseException) -> tuple[str, str]:
        if isinstance(error, AppError):
            return error.code, error.detail
        failure = classify(error)
        return failure.code, failure.message

    async def read_state(self, session_id: str) -> State | None:
        return None

    async def write_state(self, session_id: str, **values: Any) -> State:
        raise Conflict("This session has no plan.", code="no_plan")

    async def forget_session(self, session_id: str) -> None:
        for thread_id in (session_id, f"assistant:{session_id}"):
            await self._checkpointer.adelete_thread(thread_id)

    def rebuild(self) -> None:
        """Settings or keys changed: build anew at the next need."""
        self._graphs.clear()


def _cost(model_name: str, usage: Usage) -> float | None:
    return usage_cost(
        model_name,
        {
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "input_token_details": {"cache_read": usage.cached_tokens},
        },
    )
