"""Reaches runs while a process executes them: `OwnRuns` those of this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from server.browser.browsers import Browsers
from server.database.models import RunRow
from server.errors import Conflict
from server.events import Message, MessageAdded, Resumed
from server.ops.json_types import JsonObject
from server.runs.execution import Execution, current_execution
from server.runs.recorder import RunRecorder
from server.stream.bus import EventBus
from wording.catalogue import sentence


class ExecutedRuns(Protocol):
    """What a user asks of a run that a process executes, this one or another."""

    async def is_executing(self, session_id: str) -> bool: ...

    async def steer(self, run: RunRow, message: Message) -> None:
        """Publish a stored message to a run that is not executed here, and let its process read it."""
        ...

    async def cancel(self, run: RunRow) -> bool:
        """Let another process that executes the run cancel it. False if none does."""
        ...

    async def pause(self, session_id: str) -> None:
        """Raises Conflict `no_run`."""
        ...

    async def resume(self, session_id: str) -> None:
        """Raises Conflict `no_run`, `not_paused` or `takeover_held`."""
        ...

    async def live(self, session_id: str) -> JsonObject | None:
        """Output in progress that is not yet a message."""
        ...

    async def edit_plan(self, session_id: str, plan: Sequence[str]) -> bool:
        """Pass a plan to the process that executes the session's run. False if no other one does."""
        ...

    async def dismiss_plan(self, session_id: str, proposed: Sequence[str]) -> bool:
        """The same with the rejection of the plan that the agent proposed."""
        ...


class OwnRuns:
    """Implements `ExecutedRuns` for a process that is alone on its database."""

    def __init__(
        self, executions: Mapping[str, Execution], bus: EventBus, browsers: Browsers, recorder: RunRecorder
    ) -> None:
        self._executions = executions
        self._bus = bus
        self._browsers = browsers
        self._recorder = recorder

    async def is_executing(self, session_id: str) -> bool:
        return await current_execution(self._executions, session_id) is not None

    async def steer(self, run: RunRow, message: Message) -> None:
        if self._bus.run_of(run.session_id) == run.id:
            self._bus.publish(run.session_id, None, [MessageAdded(message=message)])

    async def cancel(self, run: RunRow) -> bool:
        return False

    async def pause(self, session_id: str) -> None:
        execution = self._active(session_id)
        execution.pause()
        await self._recorder.show_status(execution)

    async def resume(self, session_id: str) -> None:
        execution = self._active(session_id)
        if not execution.is_paused:
            raise Conflict(sentence("run.not_paused"), code="not_paused")
        view = self._browsers.live(session_id)
        if view.has_holder:
            raise Conflict(sentence("takeover.goes_on_after"), code="takeover_held")
        if view.is_held:
            execution.release(await view.hand_back())
            await self._recorder.add_drive(session_id, view.take_drive(), execution)
        paused = execution.resume()
        if paused is not None:
            await self._recorder.add_activity(session_id, Resumed(seconds=paused), execution)
        await self._recorder.show_status(execution)

    async def live(self, session_id: str) -> JsonObject | None:
        execution = self._executions.get(session_id)
        if execution is None:
            return None
        return {"event_id": self._bus.last_id(session_id), **execution.unfinished()}

    async def edit_plan(self, session_id: str, plan: Sequence[str]) -> bool:
        return False

    async def dismiss_plan(self, session_id: str, proposed: Sequence[str]) -> bool:
        return False

    def _active(self, session_id: str) -> Execution:
        execution = self._executions.get(session_id)
        if execution is None:
            raise Conflict(sentence("run.none_in_progress"), code="no_run")
        return execution
