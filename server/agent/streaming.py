"""The events of one graph run: LangChain's `astream_events(version="v2")` with the least overhead."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from contextvars import Context
from functools import lru_cache
from typing import Any, Literal, ParamSpec, TypeVar, cast

import langsmith.utils
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.schema import StreamEvent
from langgraph.graph.state import CompiledStateGraph

Graph = CompiledStateGraph[Any, Any, Any, Any]
"""A graph of either agent, or of a test."""
P = ParamSpec("P")
T = TypeVar("T")

# Excluded types instead of included names: a custom event is filtered by its own name as its type.
_SILENT_EVENTS = ("chain", "prompt", "parser", "retriever", "llm")


async def graph_events(
    graph: Graph,
    input_: object,
    config: RunnableConfig,
    *,
    version: Literal["v2"] = "v2",
    **options: object,
) -> AsyncGenerator[StreamEvent]:
    """Yield on_chat_model_*, on_tool_* and on_custom_event (whose data must be a dict) of one run of `graph`.

    Chain events are excluded, and with them the root's `__interrupt__` chunk: after the loop, open interrupts
    are `(await graph.aget_state(config)).interrupts`. Raises the model's errors. `options` are passed to the
    graph (`durability`, `context`).
    """
    prefer_inline_events()
    prefer_inline_tracing()
    stream = graph.astream_events(input_, config, version=version, exclude_types=_SILENT_EVENTS, **options)
    async with aclosing(cast("AsyncGenerator[StreamEvent]", stream)) as source:
        async for event in source:
            data = event["data"]
            # LangChain adds the run's input to the first event, taking it for the root's start.
            if data.get("input") is input_ and event["event"] != "on_chain_start":
                data.pop("input", None)
            yield event


@lru_cache
def prefer_inline_events() -> bool:
    """Run the event handler inline instead of in a task per token; False if LangChain does not support it."""
    try:
        from langchain_core.tracers.event_stream import _AstreamEventsCallbackHandler as handler
    except ImportError:
        return False
    if not hasattr(handler, "run_inline"):
        return False
    handler.run_inline = True
    return True


@lru_cache
def prefer_inline_tracing() -> None:
    """Run LangSmith's tracing of middleware inline if tracing is off: each trace would take two thread hops
    to do nothing."""
    if not langsmith.utils.tracing_is_enabled():
        langsmith.set_runtime_overrides(aio_to_thread=_inline)


async def _inline(
    _in_thread: object, context: Context, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
) -> T:
    return context.run(work, *args, **kwargs)
