"""A session's goal, plan, progress and facts, as read and edited by the user."""

from __future__ import annotations

from collections.abc import Mapping

from server.errors import Conflict, NotFound
from server.events import PlanEdited, StateChanged, read_question, with_plan
from server.runs.agents import AgentFactory
from server.runs.executed import ExecutedRuns
from server.runs.execution import Execution, current_execution
from server.runs.recorder import RunRecorder
from server.store import Store
from server.stream.bus import EventBus
from wording.catalogue import sentence


class WorkingStateService:
    def __init__(
        self,
        store: Store,
        bus: EventBus,
        agents: AgentFactory,
        recorder: RunRecorder,
        executions: Mapping[str, Execution],
        executed: ExecutedRuns,
    ) -> None:
        self._executed = executed
        self._store = store
        self._bus = bus
        self._agents = agents
        self._recorder = recorder
        self._executions = executions

    async def read(self, session_id: str) -> StateChanged | None:
        execution = self._executions.get(session_id)
        if execution and execution.state:
            return execution.state
        state = await self._agents.read_state(session_id)
        pending = await self._store.pending(session_id) if state else None
        edited = (
            read_question(pending.payload).plan if pending else None
        )  # passed to the agent with the answer
        return with_plan(state, edited) if state and edited else state

    async def edit_plan(self, session_id: str, plan: list[str]) -> StateChanged:
        """Replace the plan. The agent follows it from its next step, or in its next run if it has none.

        Setting the plan that the agent proposed accepts it.
        """
        known = await self.read(session_id) or StateChanged()
        state = await self._apply_plan(session_id, known, plan)
        if known.plan != plan:
            edited = PlanEdited(before=known.plan, plan=plan)
            await self._recorder.add_activity(session_id, edited, self._executions.get(session_id))
        return state

    async def _apply_plan(self, session_id: str, known: StateChanged, plan: list[str]) -> StateChanged:
        if execution := await current_execution(self._executions, session_id):
            state = with_plan(known, plan)
            execution.edit_plan(plan)
            execution.publish(state)
            return state
        if await self._executed.edit_plan(session_id, plan):
            return with_plan(known, plan)
        pending = await self._store.pending(session_id)
        if pending is None:
            state = await self._agents.write_state(session_id, plan=plan)
        else:
            state = with_plan(await self.read(session_id) or StateChanged(), plan)
            await self._store.edit_plan(pending.reference, plan)
        self._bus.publish(session_id, None, [state])
        return state

    async def dismiss_plan(self, session_id: str) -> StateChanged:
        """Reject the plan that the agent proposed. Raises NotFound if there is none."""
        known = await self.read(session_id)
        if known is None or not known.proposed_plan:
            raise NotFound(sentence("session.no_proposed_plan"), code="no_proposal")
        state = known.model_copy(update={"proposed_plan": []})
        if execution := await current_execution(self._executions, session_id):
            execution.dismiss_plan(known.proposed_plan)
            execution.publish(state)
            return state
        if await self._executed.dismiss_plan(session_id, known.proposed_plan):
            return state
        await self._agents.write_state(session_id, proposed_plan=[])
        self._bus.publish(session_id, None, [state])
        return state

    async def drop_fact(self, session_id: str, index: int) -> StateChanged:
        if await self._executed.is_executing(session_id):
            raise Conflict(sentence("facts.during_run"), code="run_in_progress")
        state = await self.read(session_id)
        facts = list(state.facts) if state else []
        if not 0 <= index < len(facts):
            raise NotFound(sentence("facts.unknown"), code="fact_unknown")
        state = await self._agents.write_state(session_id, facts=facts[:index] + facts[index + 1 :])
        self._bus.publish(session_id, None, [state])
        return state
