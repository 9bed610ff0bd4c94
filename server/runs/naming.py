"""Names a session after its first answer, by a call of the model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from server.events import Message
from server.runs.services import RunServices
from server.store import FinishedRun, is_first_title

NAMING_PAUSE = 1.0
"""Seconds between a session's first answer and the request for its name: other runs' first tokens come first."""
NEARBY_PAUSE = 60.0
"""The same for a server of one's own, where nothing else may have run since."""
NAMED_AT_ONCE = 4


class SessionNaming:
    def __init__(
        self,
        services: RunServices,
        count_begun: Callable[[], tuple[int, int]],
        nearby_pause: float = NEARBY_PAUSE,
    ) -> None:
        """`count_begun`: how many executions have begun here, and how many are in progress."""
        self._store = services.store
        self._agents = services.agents
        self._recorder = services.recorder
        self._knowledge_of = services.knowledge_of
        self._count_begun = count_begun
        self._nearby_pause = nearby_pause
        self.free = asyncio.Semaphore(NAMED_AT_ONCE)

    async def name(self, ended: FinishedRun, asked: Message, answer: Message) -> None:
        """Ask the model for a title after the first answer, unless the user has renamed the session."""
        session = ended.session
        if not is_first_title(session.title, asked.content):
            return
        is_near, (begun, _) = self._agents.names_nearby(ended.run.model), self._count_begun()
        await asyncio.sleep(self._nearby_pause if is_near else NAMING_PAUSE)
        if is_near and self._count_begun() != (begun, 0):
            return  # the next message would wait for the name
        async with self.free:
            known = await self._knowledge_of(ended.run).known("", "")
            title, usage = await self._agents.title(
                ended.run.model, asked.content, answer.content, known.instructions
            )
        if usage.model_calls:
            named = await self._store.name_session(session.id, old=session.title, new=title, usage=usage)
            self._recorder.announce(named)
