"""The agent interface that runs depend on; implemented in `agents.py`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Protocol

from server.agent.context import RunContext
from server.agent.event_adapter import EventAdapter
from server.database.models import RunRow
from server.events import Message, StateChanged, Usage


class Agent(Protocol):
    """A prepared agent: iterate its events first, then read its open question."""

    def events(self) -> AsyncIterator[Mapping[str, Any]]: ...

    async def question(self) -> dict[str, Any] | None:
        """The payload of the open interrupt; None if the agent has finished."""
        ...

    def release(self) -> None:
        """Release the agent, which saves the rest of its thread; it must not be used afterwards."""
        ...


class Agents(Protocol):
    async def begin(self, run: RunRow, context: RunContext, history: Sequence[Message]) -> Agent: ...

    async def resume(self, run: RunRow, context: RunContext, answer: dict[str, Any]) -> Agent: ...

    async def title(self, model_name: str, asked: str, answered: str) -> tuple[str | None, Usage]:
        """A session title from this model (None: keep the title made of the first words), and the usage."""
        ...

    def adapter(self, run: RunRow, said: str) -> EventAdapter: ...

    def failure(self, error: BaseException) -> tuple[str, str]:
        """An error code, and a sentence for the user."""
        ...

    async def read_state(self, session_id: str) -> StateChanged | None: ...

    async def write_state(self, session_id: str, **values: Any) -> StateChanged: ...

    async def forget_session(self, session_id: str) -> None: ...
