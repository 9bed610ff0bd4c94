"""Drives an agent's graph and maps its events.

The graph's `astream_events(version="v2")` become token, thinking, tool_start, tool_end and other events, which are
handed on as they come: to the recorder, which commits what is complete and publishes it (`runs/executor.py`).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any, Literal, Protocol

from server.agent.event_adapter import EventAdapter
from server.events import Event


class StreamingAgent(Protocol):
    """A graph with its input, ready to run."""

    def astream_events(self, *, version: Literal["v2"]) -> AsyncGenerator[Any, None]: ...


async def run_agent(
    agent: StreamingAgent, adapter: EventAdapter, hand_on: Callable[[Sequence[Event]], Awaitable[None]]
) -> None:
    """Run the graph to its end or to its question. Raises what the graph or `hand_on` raises."""
    async with aclosing(agent.astream_events(version="v2")) as raw_events:
        async for raw in raw_events:
            await hand_on(adapter.feed(raw))
