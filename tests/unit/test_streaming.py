"""The cheap event stream still has every event that the display of a run needs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.callbacks.manager import adispatch_custom_event
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from server.agent.streaming import graph_events, prefer_inline_events


class Speaker(BaseChatModel):
    """Says two words and calls a tool once."""

    fails: bool = False

    @property
    def _llm_type(self) -> str:
        return "speaker"

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        raise NotImplementedError

    async def _astream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        yield ChatGenerationChunk(message=AIMessageChunk("Hello "))
        if self.fails:
            raise RuntimeError("broken")
        call: Any = {"name": "look", "args": "{}", "id": "c1", "index": 0}
        yield ChatGenerationChunk(message=AIMessageChunk("there", tool_call_chunks=[call]))


@tool
async def look() -> str:
    """Look."""
    return "seen"


def graph(*, asks: bool = False, fails: bool = False) -> Any:
    async def tell(state: MessagesState) -> dict[str, Any]:
        await adispatch_custom_event("state", {"goal": "x"})
        return {}

    async def speak(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await Speaker(fails=fails).ainvoke(state["messages"])]}

    async def ask(state: MessagesState) -> dict[str, Any]:
        interrupt({"kind": "confirm"})
        return {}

    built = StateGraph(MessagesState)
    built.add_node("tell", tell).add_node("speak", speak).add_node("tools", ToolNode([look]))
    built.add_edge(START, "tell").add_edge("tell", "speak").add_edge("speak", "tools")
    if asks:
        built.add_node("ask", ask).add_edge("tools", "ask").add_edge("ask", END)
    else:
        built.add_edge("tools", END)
    return built.compile(checkpointer=InMemorySaver())


async def collect(run: Any, told: list[Any]) -> None:
    async for event in graph_events(run, INPUT, CONFIG):
        told.append(event)


CONFIG: RunnableConfig = {"configurable": {"thread_id": "t"}}
INPUT = {"messages": [HumanMessage("hi")]}


async def test_model_tool_and_custom_events_come_and_chains_do_not() -> None:
    told = [event async for event in graph_events(graph(), INPUT, CONFIG)]
    kinds = [event["event"] for event in told]
    assert kinds[0] == "on_custom_event"
    assert {"on_chat_model_start", "on_chat_model_end", "on_tool_start", "on_tool_end"} <= set(kinds)
    assert not [kind for kind in kinds if "chain" in kind]
    text = "".join(e["data"]["chunk"].text for e in told if e["event"] == "on_chat_model_stream")
    assert text == "Hello there"


async def test_the_runs_input_is_not_put_into_the_first_event() -> None:
    told = [event async for event in graph_events(graph(), INPUT, CONFIG)]
    assert told[0]["data"] == {"goal": "x"}


async def test_an_open_interrupt_is_in_the_state_after_the_stream() -> None:
    asking = graph(asks=True)
    async for _ in graph_events(asking, INPUT, CONFIG):
        pass
    assert [i.value for i in (await asking.aget_state(CONFIG)).interrupts] == [{"kind": "confirm"}]


async def test_a_failing_model_raises_after_its_partial_text() -> None:
    told: list[Any] = []
    with pytest.raises(RuntimeError, match="broken"):
        await collect(graph(fails=True), told)
    assert [e["data"]["chunk"].text for e in told if e["event"] == "on_chat_model_stream"] == ["Hello "]


@pytest.mark.parametrize(("durability", "kept"), [("exit", 1), ("sync", 5)])
async def test_options_reach_the_graph(durability: str, kept: int) -> None:
    """With `exit` only the end is kept, with `sync` each step: the input, the start and three nodes."""
    built = graph()
    async for _ in graph_events(built, INPUT, CONFIG, durability=durability):
        pass
    assert len([state async for state in built.aget_state_history(CONFIG)]) == kept


async def test_the_context_reaches_the_nodes() -> None:
    seen: list[object] = []

    async def node(state: MessagesState, runtime: Runtime[str]) -> dict[str, Any]:
        seen.append(runtime.context)
        return {}

    built: Any = StateGraph(MessagesState, context_schema=str)
    built.add_node("node", node).add_edge(START, "node").add_edge("node", END)
    async for _ in graph_events(built.compile(), INPUT, CONFIG, context="of this run"):
        pass
    assert seen == ["of this run"]


def test_the_event_handler_runs_inline() -> None:
    """A private line of LangChain; when it goes, streaming still works, only dearer."""
    assert prefer_inline_events()


class Layer(AgentMiddleware):
    """Stays out of the way."""

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return await handler(request)


async def test_an_agents_layer_takes_no_trip_to_a_thread() -> None:
    taken: list[object] = []

    class Threads(ThreadPoolExecutor):
        def submit(self, work: Any, *args: Any, **kwargs: Any) -> Future[Any]:
            taken.append(work)
            return super().submit(work, *args, **kwargs)

    asyncio.get_running_loop().set_default_executor(Threads())
    agent = create_agent(Speaker(), [], middleware=[Layer()])
    heard = [event async for event in graph_events(agent, {"messages": [HumanMessage("hi")]}, {})]
    assert heard
    assert taken == []
