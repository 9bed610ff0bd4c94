"""What runs need of agents; `agents.py` has the real ones."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Protocol

from server.agent.context import RunContext
from server.agent.event_adapter import EventAdapter
from server.database.models import RunRow
from server.events import Message, StateChanged, Usage


class Agent(Protocol):
    """A prepared agent: what it will say can be iterated, then its open question can be read."""

    def events(self) -> AsyncIterator[Mapping[str, Any]]: ...

    async def question(self) -> dict[str, Any] | None:
        """The payload of the open interrupt, None when the agent has finished."""
        ...

    def release(self) -> None:
        """Nothing more is asked of it; what it has to keep is kept."""
        ...


class Agents(Protocol):
    async def begin(self, run: RunRow, context: RunContext, history: Sequence[Message]) -> Agent: ...

    async def resume(self, run: RunRow, context: RunContext, answer: dict[str, Any]) -> Agent: ...

    async def title(self, model_name: str, asked: str, answered: str) -> tuple[str | None, Usage]:
        """A name for a session of this model, None when there is no better one than its first words; what it cost."""
        ...

    def adapter(self, run: RunRow, said: str) -> EventAdapter: ...

    def failure(self, error: BaseException) -> tuple[str, str]:
        """What went wrong, as a code and a sentence for the person."""
        ...

    async def read_state(self, session_id: str) -> StateChanged | None: ...

    async def write_state(self, session_id: str, **values: Any) -> StateChanged: ...

    async def forget_session(self, session_id: str) -> None: ...
