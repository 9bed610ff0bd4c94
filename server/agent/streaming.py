"""The events of one graph run, as cheap as LangChain's `astream_events(version="v2")` can be had."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from contextvars import Context
from functools import lru_cache
from typing import Any, cast

import langsmith.utils
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.schema import StreamEvent
from langgraph.graph.state import CompiledStateGraph

# Left out rather than let in by name: a custom event is filtered by its own name as its type.
_SILENT = ("chain", "prompt", "parser", "retriever", "llm")


async def events(
    graph: CompiledStateGraph[Any, Any, Any, Any], input_: Any, config: RunnableConfig, **options: Any
) -> AsyncIterator[StreamEvent]:
    """on_chat_model_*, on_tool_* and on_custom_event (whose data must be a dict) of one run of `graph`.

    Chains are left out, with them the root's `__interrupt__` chunk: after the loop, open interrupts are
    `(await graph.aget_state(config)).interrupts`. A failing model raises out of here. `options` go to the graph
    (`durability`, `context`).
    """
    prefer_inline_events()
    prefer_inline_tracing()
    stream = graph.astream_events(input_, config, version="v2", exclude_types=_SILENT, **options)
    async with aclosing(cast(Any, stream)) as source:
        async for event in source:
            yield _without_input(event, input_)


def _without_input(event: StreamEvent, input_: Any) -> StreamEvent:
    """LangChain puts the run's input into the first event it sends, taking that for the root's start."""
    data = event["data"]
    if data.get("input") is input_ and event["event"] != "on_chain_start":
        del data["input"]
    return event


@lru_cache
def prefer_inline_events() -> bool:
    """Let the event handler run where it is called instead of in a task per token; False where it cannot be had."""
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
    """Agents' layers are traced by LangSmith, each with two trips to a thread, even if tracing is off: then there
    is nothing to do in them."""
    if not langsmith.utils.tracing_is_enabled():
        langsmith.set_runtime_overrides(aio_to_thread=_inline)


async def _inline(
    _in_thread: object, context: Context, work: Callable[..., Any], /, *args: Any, **kwargs: Any
) -> Any:
    return context.run(work, *args, **kwargs)
