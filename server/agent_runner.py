"""One run from its first message to its terminal event. A run belongs to the server, not to a connection."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any, Protocol, TypeVar

from server.agent.context import RunContext
from server.agent.event_adapter import EventAdapter
from server.agent.gate import site_of
from server.agent.operator.answers import read_answer
from server.browser.browser import Browser, Browsers, Picture
from server.bus import InProcessBus
from server.errors import Conflict, NotFound, RunFailed, Unavailable
from server.events import (
    Decision,
    Done,
    Error,
    Event,
    Interrupt,
    Message,
    MessageAdded,
    SessionChanged,
    State,
    ToolEnd,
    ToolStart,
    UsageChanged,
    now,
)
from server.execution import Execution
from server.models import InterruptRow, RunRow, SessionRow
from server.queue import InProcessRunQueue
from server.screenshots import Screenshots
from server.settings import Settings
from server.store import Accepted, Begun, Ended, Store, title_of

logger = logging.getLogger(__name__)

T = TypeVar("T")

CANCEL_GRACE = 1.0
"""Seconds an agent gets to end by itself once it is told to; then it is abandoned."""
COMMIT_PATIENCE = 30.0
"""Seconds a finished run waits for a database that is away."""
AWAY = "The database was away for too long."

ENDINGS = {
    "cancelled": "Task cancelled",
    "interrupted": "Interrupted by a restart of the server.",
    "time_limit": "The time limit of this run is reached.",
}


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

    async def title(self, asked: str, answered: str) -> str | None:
        """A name for the session, None when there is no better one than its first words."""
        ...

    def adapter(self, run: RunRow, said: str) -> EventAdapter: ...

    def failure(self, error: BaseException) -> tuple[str, str]:
        """What went wrong, as a code and a sentence for the person."""
        ...

    async def read_state(self, session_id: str) -> State | None: ...

    async def write_state(self, session_id: str, **values: Any) -> State: ...

    async def forget_session(self, session_id: str) -> None: ...


class AgentRunner:
    def __init__(
        self,
        settings: Settings,
        store: Store,
        bus: InProcessBus,
        agents: Agents,
        browsers: Browsers,
        screenshots: Screenshots,
    ) -> None:
        self._settings = settings
        self._store = store
        self._bus = bus
        self._agents = agents
        self._browsers = browsers
        self._screenshots = screenshots
        self._executions: dict[str, Execution] = {}
        self._answers: dict[str, dict[str, Any]] = {}
        self._changes: dict[str, str] = {}
        """By session: what a person changed in the browser while no run was there to be told."""
        self._lost: set[str] = set()
        """Runs of ours that the database was away for too long to begin or to end."""
        self._tasks: set[asyncio.Task[Any]] = set()
        self._draining = False
        self.queue = InProcessRunQueue(self.execute, slots=settings.max_runs)

    # What people ask for

    async def accept(
        self, session_id: str, content: str, *, client_id: str | None = None, mode: str | None = None
    ) -> Accepted:
        """Save the message, then have it answered: by a new run, or by the one in progress.

        Raises Conflict `run_in_progress` when a run is in progress and `mode` is neither steer nor queue.
        """
        self._refuse_when_draining()
        accepted = await self._store.accept(session_id, content, client_id=client_id, mode=mode)
        if not accepted.is_new:
            return accepted
        if accepted.question:
            return await self._answer_in_words(accepted, accepted.question)
        if accepted.steers:
            self._steer(accepted)
        else:
            self._start(accepted)
        return accepted

    def _steer(self, accepted: Accepted) -> None:
        """Who executes the run hears of it now, when it begins, or at its end from the database."""
        run = accepted.run
        execution = self._executions.get(run.session_id)
        if execution and execution.run.id == run.id:
            execution.publish(MessageAdded(message=accepted.message))
            execution.steer(accepted.message)
        elif self._bus.run_of(run.session_id) == run.id:
            self._bus.publish(run.session_id, None, [MessageAdded(message=accepted.message)])

    async def retry(self, session_id: str) -> Accepted:
        self._refuse_when_draining()
        accepted = await self._store.rerun(session_id)
        self._start(accepted)
        return accepted

    async def edit(self, session_id: str, message_id: str, content: str) -> Accepted:
        """Change the last user message and run again; what followed it is removed."""
        self._refuse_when_draining()
        accepted = await self._store.rerun(session_id, content=content, message_id=message_id)
        self._start(accepted)
        return accepted

    async def decide(
        self,
        session_id: str,
        reference: str,
        *,
        confirmed: bool,
        message: str | None = None,
        remember: bool = False,
    ) -> None:
        """Answer an open question; the run goes on from there. The first answer wins."""
        self._refuse_when_draining()
        row = await self._store.decide(session_id, reference, confirmed)
        answer: dict[str, Any] = {"reference": row.payload.get("reference"), "confirmed": confirmed}
        if row.status == "expired":
            # Whoever answers too late is asked anew: about the page as it is now.
            self._go_on(row, answer | {"confirmed": False, "expired": True})
            raise Conflict("This approval has expired; you are asked again.", code="approval_expired")
        if remember and confirmed and row.payload.get("risk"):
            await self._remember(row)
        if row.kind == "manual":
            answer |= {"done": True}
        if message:
            answer["message"] = message
        self._bus.publish(session_id, None, [Decision(reference=reference, confirmed=confirmed)])
        self._go_on(row, answer)

    async def cancel(self, session_id: str) -> None:
        """End the present run with the terminal error "Task cancelled"; returns when it is committed."""
        execution = self._executions.get(session_id)
        if execution:
            execution.stop("cancelled")
            await execution.ended.wait()
            return
        run = await self._store.current_run(session_id)
        if run is None or run.finished_at:
            raise Conflict("There is no run to cancel.", code="run_finished")
        await self._end_unstarted(run, "cancelled")

    async def pause(self, session_id: str) -> None:
        execution = self._active(session_id)
        execution.pause()
        await self._show_status(execution)

    async def resume(self, session_id: str) -> None:
        execution = self._active(session_id)
        if not execution.is_paused:
            raise Conflict("The run is not paused.", code="not_paused")
        view = self._browsers.live(session_id)
        if view.has_holder:
            raise Conflict(
                "A person has the browser; it goes on when they give it back.", code="takeover_held"
            )
        if view.is_held:
            execution.release(await view.hand_back())
        execution.resume()
        await self._show_status(execution)

    async def hold(self, session_id: str) -> None:
        """A person takes the browser: the run, if any, waits from its next step on."""
        execution = self._executions.get(session_id)
        if execution:
            execution.hold()
            await self._show_status(execution)

    async def release(self, session_id: str, changes: str | None) -> None:
        """The person gives the browser back; the agent is told what changed."""
        execution = self._executions.get(session_id)
        if execution:
            execution.release(changes)
            await self._show_status(execution)
            return
        pending = await self._store.pending(session_id)
        if pending and pending.kind == "manual":
            await self.decide(session_id, pending.reference, confirmed=True, message=changes)
        elif changes:
            self._changes[session_id] = changes

    async def edit_plan(self, session_id: str, plan: list[str]) -> State:
        """The agent follows the edited plan from its next step, in its next run if none is going on."""
        execution = self._executions.get(session_id)
        pending = await self._store.pending(session_id)
        if execution is None and pending is None:
            return await self._agents.write_state(session_id, plan=plan)
        known = await self.state(session_id) or State()
        state = known.model_copy(update={"plan": plan})
        if execution:
            execution.edit_plan(plan)
            execution.publish(state)
        elif pending:
            await self._store.amend_interrupt(pending.reference, {"plan": plan})
            self._bus.publish(session_id, None, [state])
        return state

    async def drop_fact(self, session_id: str, index: int) -> State:
        if session_id in self._executions:
            raise Conflict("Facts can be removed when the run has ended.", code="run_in_progress")
        state = await self.state(session_id)
        facts = list(state.facts) if state else []
        if not 0 <= index < len(facts):
            raise NotFound("There is no such fact.", code="fact_unknown")
        return await self._agents.write_state(session_id, facts=facts[:index] + facts[index + 1 :])

    async def delete(self, session_id: str, *, purge: bool) -> None:
        """Cancel, close the browser, archive; with `purge` nothing of the session is left."""
        await self._store.session(session_id)
        await self._cancel_all(session_id)
        await self._browsers.close(session_id, purge=purge)
        if purge:
            await self._store.purge_session(session_id)
            await self._agents.forget_session(session_id)
            await self._screenshots.remove_session(session_id)
            self._bus.forget(session_id)
        else:
            await self._store.change_session(session_id, archived_at=now())
        self._bus.announce(SessionChanged(session_id=session_id, status="idle", title="", deleted=True))

    async def _cancel_all(self, session_id: str) -> None:
        while True:  # held runs start one after the other as the one before them ends
            try:
                await self.cancel(session_id)
            except Conflict:
                return

    # What clients draw

    async def state(self, session_id: str) -> State | None:
        execution = self._executions.get(session_id)
        if execution and execution.state:
            return execution.state
        state = await self._agents.read_state(session_id)
        pending = await self._store.pending(session_id) if state else None
        if (
            state and pending and "plan" in pending.payload
        ):  # edited since; the agent hears of it with the answer
            return state.model_copy(update={"plan": pending.payload["plan"]})
        return state

    def live(self, session_id: str) -> dict[str, Any] | None:
        """What is in progress and not yet a message: for a reader that was told to resync."""
        execution = self._executions.get(session_id)
        if execution is None:
            return None
        execution.flush()
        adapter = execution.adapter
        return {
            "event_id": self._bus.last_id(session_id),
            "message_id": adapter.message_id,
            "text": adapter.answer,
            "thinking": adapter.thinking,
            "tools": [call.model_dump(exclude={"type"}) for call in adapter.open_calls],
        }

    async def reload_grants(self, session_id: str) -> None:
        """A grant was taken back: the run in progress must ask again."""
        if execution := self._executions.get(session_id):
            execution.grants.granted = await self._granted(session_id)

    async def _granted(self, session_id: str) -> set[tuple[str, str]]:
        return {(grant.site, grant.kind) for grant in await self._store.grants(session_id)}

    def is_executing(self, session_id: str) -> bool:
        return session_id in self._executions

    def is_acting(self, session_id: str) -> bool:
        execution = self._executions.get(session_id)
        return execution is not None and not execution.is_paused

    @property
    def is_draining(self) -> bool:
        return self._draining

    @property
    def active_count(self) -> int:
        return len(self._executions)

    async def announce(self, session_id: str) -> None:
        if self._bus.is_watched:
            self._announce(await self._store.session(session_id))

    def _announce(self, session: SessionRow) -> None:
        """Tell the list of sessions how this one stands now."""
        if self._bus.is_watched:
            self._bus.announce(to_change(session))

    # The life of the server

    async def recover(self) -> None:
        """After a start: questions stay open, everything else that was under way is interrupted."""
        await self.end_orphans()
        for run, question in await self._store.waiting_runs():
            renewed = await self._store.take_run(run.id, "waiting_user")
            if renewed:
                self._bus.open(run.session_id, run.id, renewed.epoch)
                self._bus.publish(run.session_id, renewed.epoch, [to_interrupt(question)])

    async def end_orphans(self) -> None:
        """Runs that nobody executes any more end as interrupted; nothing is silently run again."""
        for run in await self._store.orphaned_runs(self._lost):
            is_lost = run.id in self._lost
            code, text = ("db_unavailable", AWAY) if is_lost else ("server_restart", interruption(run.doing))
            logger.warning("run %s is interrupted: %s", run.id, text)
            ended = await self._store.finish_run(
                run.id, "interrupted", epoch=run.epoch, error_code=code, error=text, then_next=is_lost
            )
            self._lost.discard(run.id)
            if ended:
                self._tell_orphan(ended, Error(code=code, message=text))

    def _tell_orphan(self, ended: Ended, error: Error) -> None:
        session_id = ended.run.session_id
        if self._bus.run_of(session_id) == ended.run.id:
            self._bus.publish(session_id, None, [error])
        self._announce(ended.session)
        if ended.next:
            self._start(ended.next)

    async def drain(self, seconds: float) -> None:
        """Take nothing new, give runs time to end, interrupt the rest."""
        self._draining = True
        running = [execution.ended.wait() for execution in self._executions.values()]
        if running:
            await asyncio.wait([asyncio.ensure_future(ended) for ended in running], timeout=seconds)
        for execution in list(self._executions.values()):
            execution.stop("interrupted")
        await self.queue.drain(CANCEL_GRACE + COMMIT_PATIENCE)
        for task in self._tasks:
            task.cancel()

    # One execution

    async def execute(self, run_id: str) -> None:
        """Run it until it ends or asks something. Called by the queue, once per submission."""
        try:
            begun = await self._patiently(lambda: self._store.begin_execution(run_id))
        except Unavailable as error:
            logger.warning("run %s does not begin: %s", run_id, error.detail)
            self._lost.add(run_id)
            return
        if begun is None:
            return
        session_id = begun.session.id
        try:
            execution = self._open_execution(begun)
            self._announce(begun.session)
            await self._hear_of_takeover(execution)
            ended = await self._supervise(execution, begun.messages)
        except Exception:
            logger.exception("the execution of run %s broke", run_id)
            present = self._executions.get(session_id)
            ended = await self._end_broken(begun.run, present.heard if present else ())
        finally:
            over = self._executions.pop(session_id, None)
            if over:
                over.ended.set()
        if ended and ended.next:
            self._start(ended.next)

    def _open_execution(self, begun: Begun) -> Execution:
        run, before = begun.run, begun.before
        adapter = self._agents.adapter(run, str(before.get("said", "")))
        adapter.step = before.get("step", 0)
        execution = Execution(run, adapter, self._bus, max_steps=begun.session.max_tool_steps)
        execution.grants.granted = begun.grants
        if before.get("plan"):
            execution.edit_plan(before["plan"])
        for message in begun.unheard:
            execution.steer(message)
        self._executions[run.session_id] = execution
        self._bus.open(run.session_id, run.id, run.epoch)
        execution.publish(execution.changed("running"))
        return execution

    async def _end_broken(self, run: RunRow, heard: Collection[str]) -> Ended | None:
        """A fault of ours must not leave a run without an end."""
        text = "Something went wrong inside the service. Its log has the details."
        try:
            ended = await self._store.finish_run(
                run.id,
                "failed",
                epoch=run.epoch,
                error_code="internal",
                error=text,
                heard=heard,
                then_next=not self._draining,
            )
        except Unavailable:
            self._lost.add(run.id)
            return None
        if ended:
            self._bus.open(run.session_id, run.id, run.epoch)
            self._bus.publish(run.session_id, run.epoch, [Error(code="internal", message=text)])
        return ended

    async def _hear_of_takeover(self, execution: Execution) -> None:
        """A person who has the browser keeps it; one who left it without a word has given it back by now."""
        session_id = execution.run.session_id
        view = self._browsers.live(session_id)
        if changes := self._changes.pop(session_id, None):
            execution.release(changes)
        if view.has_holder:
            await self.hold(session_id)
        elif view.is_held:
            execution.release(await view.hand_back())

    async def _supervise(self, execution: Execution, history: Sequence[Message]) -> Ended | None:
        """Let the agent work until it ends, its time is up or somebody stops it; then end the run."""
        work = asyncio.create_task(self._work(execution, history), name=f"agent {execution.run.id}")
        stopped = asyncio.create_task(execution.stopped.wait())
        try:
            while not work.done() and not stopped.done():
                left = self._settings.run_timeout - execution.active_seconds
                if left <= 0:
                    execution.stop("time_limit")
                await asyncio.wait(
                    {work, stopped}, timeout=max(left, 0.05), return_when=asyncio.FIRST_COMPLETED
                )
        except asyncio.CancelledError:
            execution.stop("interrupted")
        finally:
            stopped.cancel()
        if not work.done():
            work.cancel()
            await asyncio.wait({work}, timeout=CANCEL_GRACE)
            self._reset_browser(execution.run.session_id)
        return await self._end(execution, work, history)

    async def _work(self, execution: Execution, history: Sequence[Message]) -> dict[str, Any] | None:
        """Drive the agent; returns the payload of its question, None when it has finished."""
        run = execution.run
        context = self._context(execution)
        answer = self._answers.pop(run.id, None)
        if answer is None:
            agent = await self._agents.begin(run, context, history)
        else:
            agent = await self._agents.resume(run, context, answer)
        try:
            async with aclosing(agent.events()) as raw_events:  # type: ignore[type-var]
                async for raw in raw_events:
                    for event in execution.adapter.feed(raw):
                        await self._take(execution, event)
                    execution.show_progress()
            return await agent.question()
        finally:
            agent.release()

    async def _take(self, execution: Execution, event: Event) -> None:
        run = execution.run
        match event:
            case ToolStart():
                await self._patiently(lambda: self._store.set_doing(run, describe(event)))
                execution.publish(event)
            case ToolEnd():
                await _to_its_end(self._tell_tool_end(execution, event))
            case UsageChanged():
                execution.publish(event)
                self._check_budget(execution, event)
            case _:
                execution.publish(event)

    def _check_budget(self, execution: Execution, event: UsageChanged) -> None:
        """The last guard; the operator sums up and asks before it comes to this."""
        total = event.total.input_tokens + event.total.output_tokens
        if total > 1.2 * self._settings.token_budget:
            raise RunFailed("The token budget of this run is used up.", code="budget")
        if self._settings.cost_budget and (event.total.cost or 0) > 1.2 * self._settings.cost_budget:
            raise RunFailed("The cost budget of this run is used up.", code="budget")

    async def _tell_tool_end(self, execution: Execution, event: ToolEnd) -> None:
        args = execution.adapter.args_of(event.call_id)
        meta = event.model_dump(exclude={"type", "summary"}, exclude_none=True) | {"args": dict(args)}
        meta["status"] = "ok" if event.ok else "error"
        message = await self._patiently(
            lambda: self._store.add_tool_message(execution.run, event.summary, meta)
        )
        execution.publish(event)
        if message:
            execution.publish(MessageAdded(message=message))

    async def _end(
        self, execution: Execution, work: asyncio.Task[dict[str, Any] | None], history: Sequence[Message]
    ) -> Ended | None:
        reason = execution.stop_reason
        if reason:
            return await self._fail(execution, reason, ENDINGS[reason])
        if work.cancelled():
            return await self._fail(execution, "interrupted", ENDINGS["interrupted"])
        if error := work.exception():
            code, text = self._agents.failure(error)
            if code == "internal":
                logger.error("run %s failed", execution.run.id, exc_info=error)
            return await self._fail(execution, code, text)
        if question := work.result():
            await self._ask(execution, question)
            return None
        return await self._complete(execution, history)

    async def _complete(self, execution: Execution, history: Sequence[Message]) -> Ended | None:
        adapter = execution.adapter
        if not adapter.answer.strip():
            text = "The model gave an empty answer; try again."
            return await self._fail(execution, "llm_bad_response", text)
        meta = {"thinking": adapter.thinking} if adapter.thinking else None
        ended = await self._commit(execution, "completed", answer=adapter.answer, answer_meta=meta)
        if ended and (message := ended.message):
            execution.publish(MessageAdded(message=message))
            execution.publish(Done(message=message, usage=adapter.usage))
            self._announce(ended.session)
            if {said.run_id for said in history} == {execution.run.id}:
                self._background(self._name_session(ended.session, history[0], message))
        return ended

    async def _name_session(self, session: SessionRow, asked: Message, answer: Message) -> None:
        """After the first answer, unless the person has named the session."""
        if session.title != title_of(asked.content):
            return
        if title := await self._agents.title(asked.content, answer.content):
            renamed = await self._store.rename_session(session.id, old=session.title, new=title)
            if renamed:
                self._announce(renamed)

    async def _fail(self, execution: Execution, code: str, text: str) -> Ended | None:
        for event in execution.adapter.flush(text):
            await self._take(execution, event)
        status = {"cancelled": "cancelled", "interrupted": "interrupted"}.get(code, "failed")
        ended = await self._commit(execution, status, error_code=code, error=text)
        if ended:
            execution.publish(Error(code=code, message=text))
            self._announce(ended.session)
        return ended

    async def _commit(self, execution: Execution, status: str, **values: Any) -> Ended | None:
        run, usage = execution.run, execution.adapter.usage
        return await self._patiently(
            lambda: self._store.finish_run(
                run.id,
                status,
                epoch=run.epoch,
                usage=usage,
                heard=execution.heard,
                then_next=not self._draining,
                **values,
            )
        )

    async def _patiently(self, query: Callable[[], Awaitable[T]]) -> T:
        """A database that is away gets some time to come back."""
        deadline = asyncio.get_running_loop().time() + COMMIT_PATIENCE
        while True:
            try:
                return await query()
            except Unavailable:
                if asyncio.get_running_loop().time() > deadline:
                    raise
                await asyncio.sleep(0.5)

    async def _ask(self, execution: Execution, question: dict[str, Any]) -> None:
        """Open the question and let the run wait; the execution ends, the run does not."""
        run = execution.run
        said = {
            "said": execution.adapter.answer,
            "reason": question.get("reason") or question.get("text", ""),
        }
        expires_at = None
        if question["kind"] == "confirm":
            expires_at = now() + timedelta(seconds=self._settings.decision_timeout)
        row = await self._patiently(
            lambda: self._store.open_interrupt(
                run,
                question | said,
                expires_at=expires_at,
                usage=execution.adapter.usage,
                heard=execution.heard,
            )
        )
        if row:
            execution.publish(execution.changed("waiting_user"))
            execution.publish(to_interrupt(row))
        await self.announce(run.session_id)

    # Small parts

    def _context(self, execution: Execution) -> RunContext:
        session_id = execution.run.session_id

        async def browser() -> Browser:
            return await self._browsers.get(session_id)

        async def keep(picture: Picture) -> str | None:
            try:
                return await self._screenshots.keep(session_id, picture.data, picture.mime)
            except OSError as error:
                logger.warning("screenshot not saved: %s", error)
                return None

        return RunContext(
            run_id=execution.run.id,
            session_id=session_id,
            browser=browser,
            keep=keep,
            inbox=execution,
            grants=execution.grants,
            max_tool_steps=execution.max_steps,
            has_browser=lambda: self._browsers.peek(session_id) is not None,
            files=self._settings.downloads_dir / session_id,
        )

    def _start(self, accepted: Accepted) -> None:
        run = accepted.run
        self._announce(accepted.session)
        if run.held:
            self._bus.publish(run.session_id, None, [MessageAdded(message=accepted.message)])
            return
        self._bus.open(run.session_id, run.id, run.epoch)
        self._bus.publish(run.session_id, run.epoch, [MessageAdded(message=accepted.message)])
        self.queue.submit(run.id)

    async def _answer_in_words(self, accepted: Accepted, question: InterruptRow) -> Accepted:
        """A message while a question is open is its answer. Only a plain yes is a yes."""
        self._bus.publish(question.session_id, None, [MessageAdded(message=accepted.message)])
        content = accepted.message.content
        answer = read_answer(content)
        is_manual = question.kind == "manual"
        feedback = content if is_manual or answer.confirmed is None else answer.feedback
        with suppress(Conflict):  # decided elsewhere meanwhile, or expired: then it is asked anew
            await self.decide(
                question.session_id, question.reference,
                confirmed=is_manual or answer.confirmed is True, message=feedback,
            )  # fmt: skip
        return replace(accepted, run=await self._store.run(question.run_id))

    def _go_on(self, row: InterruptRow, answer: dict[str, Any]) -> None:
        self._answers[row.run_id] = answer
        self.queue.submit(row.run_id)

    async def _remember(self, row: InterruptRow) -> None:
        site = site_of(row.payload.get("url") or "")
        await self._store.add_grant(row.session_id, site, row.payload["risk"])

    async def _end_unstarted(self, run: RunRow, status: str) -> None:
        """End a run that nobody executes: queued, or waiting for an answer."""
        renewed = await self._store.take_run(run.id, "running")
        if renewed is None:
            return
        self._bus.open(run.session_id, run.id, renewed.epoch)
        text = ENDINGS[status]
        ended = await self._store.finish_run(
            run.id, status, epoch=renewed.epoch, error_code=status, error=text, then_next=not self._draining
        )
        if ended is None:
            return
        self._bus.publish(run.session_id, renewed.epoch, [Error(code=status, message=text)])
        self._announce(ended.session)
        if ended.next:
            self._start(ended.next)

    async def _show_status(self, execution: Execution) -> None:
        status = "paused" if execution.is_paused else "running"
        if await self._store.set_run_status(execution.run, status):
            execution.publish(execution.changed(status))  # type: ignore[arg-type]
        await self.announce(execution.run.session_id)

    def _active(self, session_id: str) -> Execution:
        execution = self._executions.get(session_id)
        if execution is None:
            raise Conflict("There is no run in progress.", code="no_run")
        return execution

    def _reset_browser(self, session_id: str) -> None:
        """An abandoned call may still be going on in the page: the next message must work at once."""
        if self._browsers.peek(session_id) is None:
            return

        async def reset() -> None:
            await (await self._browsers.get(session_id)).reset()

        self._background(reset())

    def _background(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget_task)

    def _forget_task(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            logger.warning("background work failed: %s", error)

    def _refuse_when_draining(self) -> None:
        if self._draining:
            raise Unavailable("The server is going down.", code="draining", retry_after=10)


async def _to_its_end(part: Coroutine[Any, Any, None]) -> None:
    """Who is cancelled meanwhile goes on when it is over: what is committed is told, too."""
    task = asyncio.ensure_future(part)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


def describe(event: ToolStart) -> str:
    words = " ".join(str(value) for value in event.args.values() if isinstance(value, str | int))
    return f"{event.name} {words}".strip()[:300]


def interruption(doing: str | None) -> str:
    text = ENDINGS["interrupted"]
    return f"{text} The last action may or may not have happened: {doing}" if doing else text


def to_change(session: SessionRow) -> SessionChanged:
    return SessionChanged(
        session_id=session.id, status=session.status, title=session.title, unread=session.unread,
        updated_at=session.updated_at,
    )  # fmt: skip


def to_interrupt(row: InterruptRow) -> Interrupt:
    known = {
        name: row.payload.get(name)
        for name in ("reason", "action", "target", "url", "risk", "amount", "screenshot")
    }
    return Interrupt.model_validate(
        known | {"reference": row.reference, "kind": row.kind, "expires_at": row.expires_at}
    )
