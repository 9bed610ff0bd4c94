"""The events of one graph run: LangChain's `astream_events(version="v2")` with the least overhead."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from contextvars import Context
from functools import lru_cache
from typing import Any, Literal, cast

import langsmith.utils
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.schema import StreamEvent
from langgraph.graph.state import CompiledStateGraph

# Excluded types instead of included names: a custom event is filtered by its own name as its type.
_SILENT = ("chain", "prompt", "parser", "retriever", "llm")


async def graph_events(
    graph: CompiledStateGraph[Any, Any, Any, Any],
    input_: Any,
    config: RunnableConfig,
    *,
    version: Literal["v2"] = "v2",
    **options: Any,
) -> AsyncGenerator[StreamEvent]:
    """Yield on_chat_model_*, on_tool_* and on_custom_event (whose data must be a dict) of one run of `graph`.

    Chain events are excluded, and with them the root's `__interrupt__` chunk: after the loop, open interrupts
    are `(await graph.aget_state(config)).interrupts`. Raises the model's errors. `options` are passed to the
    graph (`durability`, `context`).
    """
    prefer_inline_events()
    prefer_inline_tracing()
    stream = graph.astream_events(input_, config, version=version, exclude_types=_SILENT, **options)
    async with aclosing(cast(Any, stream)) as source:
        async for event in source:
            yield _without_input(event, input_)


def _without_input(event: StreamEvent, input_: Any) -> StreamEvent:
    """Remove the run's input, which LangChain adds to the first event, taking it for the root's start."""
    data = event["data"]
    if data.get("input") is input_ and event["event"] != "on_chain_start":
        del data["input"]
    return event


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
    _in_thread: object, context: Context, work: Callable[..., Any], /, *args: Any, **kwargs: Any
) -> Any:
    return context.run(work, *args, **kwargs)
