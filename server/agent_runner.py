"""What people ask of runs: answer this, stop, wait, go on, do it otherwise. A run belongs to the server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from server.agent.gate.approval import site_of
from server.agent.operator.answers import read_answer
from server.browser.browsers import Browsers
from server.database.models import InterruptRow, SessionRow
from server.errors import Conflict, NotFound, Unavailable
from server.events import Decision, MessageAdded, SessionChanged, now
from server.files.screenshots import Screenshots
from server.runs.agent_protocol import Agents
from server.runs.execution import Execution
from server.runs.executor import Executor
from server.runs.recorder import RunRecorder, to_its_end
from server.runs.working_state import WorkingStateService
from server.store import AcceptedMessage, Store, new_id
from server.stream.bus import InProcessBus

T = TypeVar("T")

AT_ONCE = 2.0
"""Seconds. A commit that failed later than this is not tried again within the request."""


class AgentRunner:
    def __init__(
        self,
        store: Store,
        bus: InProcessBus,
        agents: Agents,
        browsers: Browsers,
        screenshots: Screenshots,
        recorder: RunRecorder,
        executor: Executor,
    ) -> None:
        self._store = store
        self._bus = bus
        self._agents = agents
        self._browsers = browsers
        self._screenshots = screenshots
        self._recorder = recorder
        self._executor = executor
        self._in_doubt: set[str] = set()
        """Questions with an answer that was refused, and that may have been committed nevertheless."""
        self.working_state = WorkingStateService(store, bus, agents, executor.executions)

    # A message, and the answer to a question

    async def accept(
        self, session_id: str, content: str, *, client_id: str | None = None, mode: str | None = None
    ) -> AcceptedMessage:
        """Save the message, then have it answered: by a new run, or by the one in progress.

        Raises Conflict `run_in_progress` when a run is in progress and `mode` is neither steer nor queue.
        """
        self._refuse_when_draining()
        return await to_its_end(self._accept(session_id, content, client_id, mode))

    async def _accept(
        self, session_id: str, content: str, client_id: str | None, mode: str | None
    ) -> AcceptedMessage:
        message_id = new_id()
        with self._executor.expecting(session_id):
            accepted = await self._surely(
                lambda again: self._store.accept(
                    session_id, content, client_id=client_id, mode=mode, message_id=message_id,
                    read_answer=_read_answer, is_late=self._recorder.is_late, again=again,
                )
            )  # fmt: skip
            if not accepted.is_new:
                self._executor.adopt(accepted)
            elif accepted.question:
                self._go_on_in_words(accepted, accepted.question)
            elif accepted.steers:
                self._steer(accepted)
            else:
                self._executor.start(accepted)
        return accepted

    async def _surely(self, query: Callable[[bool], Awaitable[T]]) -> T:
        """Ask once more at once when the connection broke: it may have been committed, only the answer was lost.

        A longer outage is left to the caller, who is told at once, and to `Recovery.begin_forgotten`.
        """
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            return await query(False)
        except Unavailable as fault:
            if fault.code != "db_unavailable" or loop.time() - began > AT_ONCE:
                raise
            return await query(True)

    def _steer(self, accepted: AcceptedMessage) -> None:
        """Who executes the run hears of it now, when it begins, or at its end from the database."""
        run = accepted.run
        execution = self._execution(run.session_id)
        if execution and execution.run.id == run.id:
            execution.publish(MessageAdded(message=accepted.message))
            execution.steer(accepted.message)
        elif self._bus.run_of(run.session_id) == run.id:
            self._bus.publish(run.session_id, None, [MessageAdded(message=accepted.message)])

    async def retry(self, session_id: str) -> AcceptedMessage:
        return await to_its_end(self._rerun(session_id))

    async def edit(self, session_id: str, message_id: str, content: str) -> AcceptedMessage:
        """Change the last user message and run again; what followed it is removed."""
        return await to_its_end(self._rerun(session_id, content=content, message_id=message_id))

    async def _rerun(self, session_id: str, **changes: Any) -> AcceptedMessage:
        self._refuse_when_draining()
        run_id = new_id()
        with self._executor.expecting(session_id):
            accepted = await self._surely(
                lambda again: self._store.rerun(session_id, **changes, run_id=run_id, again=again)
            )
            self._executor.start(accepted)
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
        await to_its_end(self._decide(session_id, reference, confirmed, message, remember))

    async def _decide(
        self, session_id: str, reference: str, confirmed: bool, message: str | None, remember: bool
    ) -> None:
        with self._executor.expecting(session_id):
            try:
                row = await self._surely(
                    lambda again: self._store.decide(
                        session_id, reference, confirmed, message=message,
                        grant_of=_grant_of if remember else _no_grant,
                        late=self._recorder.is_late(reference), again=again or reference in self._in_doubt,
                    )
                )  # fmt: skip
            except Unavailable:
                self._in_doubt.add(reference)
                raise
            self._recorder.forget_question(reference)
            if reference not in self._in_doubt or await self._is_unbegun(row.run_id):
                self._tell_decision(row)
            self._in_doubt.discard(reference)
        if row.status == "expired":  # asked anew: about the page as it is now
            raise Conflict("This approval has expired; you are asked again.", code="approval_expired")

    async def _is_unbegun(self, run_id: str) -> bool:
        """Does the run wait for an execution that nobody has begun or is about to?"""
        return not self._executor.knows(run_id) and (await self._store.run(run_id)).status == "queued"

    def _tell_decision(self, row: InterruptRow) -> None:
        if row.status != "expired":
            told = Decision(reference=row.reference, confirmed=bool(row.confirmed))
            self._bus.publish(row.session_id, None, [told])
        self._executor.go_on(row.run_id)

    def _go_on_in_words(self, accepted: AcceptedMessage, question: InterruptRow) -> None:
        """The message was the question's answer, and is committed with it."""
        self._recorder.forget_question(question.reference)
        self._bus.publish(question.session_id, None, [MessageAdded(message=accepted.message)])
        self._tell_decision(question)

    async def reload_grants(self, session_id: str) -> None:
        """A grant was taken back: the run in progress must ask again."""
        if execution := self._execution(session_id):
            grants = await self._store.grants(session_id)
            execution.grants.granted = {(grant.site, grant.kind) for grant in grants}

    # Stop, wait, go on

    async def cancel(self, session_id: str) -> None:
        """End the present run with the terminal error "Task cancelled"; returns when it is committed."""
        ended = None
        while ended is None:
            if execution := self._execution(session_id):
                if await self._stop(execution):
                    return
                continue
            run = await self._store.current_run(session_id)
            if run is None or run.finished_at:
                raise Conflict("There is no run to cancel.", code="run_finished")
            if not await self._executor.begins(run.id):
                ended = await self._recorder.cancel_unexecuted(run)
        self._executor.then_next(ended)

    async def _stop(self, execution: Execution) -> bool:
        """Is its run over with it? Not when it had asked something by then."""
        execution.stop("cancelled")
        await execution.ended.wait()
        return (await self._store.run(execution.run.id)).finished_at is not None

    async def pause(self, session_id: str) -> None:
        execution = self._active(session_id)
        execution.pause()
        await self._recorder.show_status(execution)

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
        await self._recorder.show_status(execution)

    async def hold(self, session_id: str) -> None:
        """A person takes the browser: the run, if any, waits from its next step on."""
        execution = self._execution(session_id)
        if execution:
            execution.hold()
            await self._recorder.show_status(execution)

    async def release(self, session_id: str, changes: str | None) -> None:
        """The person gives the browser back; the agent is told what changed."""
        pending = await self._store.pending(session_id)
        if execution := self._execution(session_id):
            execution.release(changes)
            await self._recorder.show_status(execution)
        elif pending and pending.kind == "manual":
            await self.decide(session_id, pending.reference, confirmed=True, message=changes)
        elif changes:
            self._executor.browser_changes[session_id] = changes, pending is not None

    # What is left of a session

    async def branch(self, session_id: str, message_id: str) -> SessionRow:
        """A new session with copies of the messages up to this one, and of their pictures."""
        said = await self._store.messages(session_id)
        addresses = {address for message in said if (address := (message.meta_json or {}).get("screenshot"))}
        new = new_id()

        def copy_meta(meta: dict[str, Any]) -> dict[str, Any]:
            if meta.get("screenshot") not in addresses:
                return meta
            return meta | {"screenshot": self._screenshots.address_in(new, meta["screenshot"])}

        await self._screenshots.copy_session(session_id, new, addresses)
        try:
            row = await self._store.branch(session_id, message_id, id=new, copy_meta=copy_meta)
        except NotFound:
            await self._screenshots.remove_session(new)
            raise
        self._recorder.announce(row)
        return row

    async def delete(self, session_id: str, *, purge: bool) -> None:
        """Cancel, close the browser, archive; with `purge` nothing of the session is left."""
        await self._store.session(session_id)
        await self._cancel_all(session_id)
        if purge:
            await self._purge(session_id)
        else:
            await self._store.change_session(session_id, archived_at=now())
            await self._browsers.close(session_id)
        self._bus.announce(SessionChanged(session_id=session_id, status="idle", title="", deleted=True))

    async def _purge(self, session_id: str) -> None:
        """The session goes last: of a purge that is cut short it is left, so that it can be purged again."""
        await self._remove_traces(session_id)
        await self._store.purge_session(session_id)
        if execution := self._execution(session_id):  # of a message that came in between
            execution.stop("cancelled")
            await execution.ended.wait()
        await self._remove_traces(session_id)
        self._bus.forget(session_id)
        self._executor.browser_changes.pop(session_id, None)

    async def _remove_traces(self, session_id: str) -> None:
        """All that is kept outside of the session's own rows."""
        await self._browsers.close(session_id, purge=True)
        await self._agents.forget_session(session_id)
        await self._screenshots.remove_session(session_id)

    async def _cancel_all(self, session_id: str) -> None:
        while True:  # held runs start one after the other as the one before them ends
            try:
                await self.cancel(session_id)
            except Conflict:
                return

    # What clients draw

    def live(self, session_id: str) -> dict[str, Any] | None:
        """What is in progress and not yet a message: for a reader that was told to resync."""
        execution = self._execution(session_id)
        if execution is None:
            return None
        unfinished = execution.unfinished()
        return {"event_id": self._bus.last_id(session_id), **unfinished}

    def is_executing(self, session_id: str) -> bool:
        return session_id in self._executor.executions

    def is_acting(self, session_id: str) -> bool:
        execution = self._execution(session_id)
        return execution is not None and not execution.is_paused

    async def announce(self, session_id: str) -> None:
        await self._recorder.read_and_announce(session_id)

    def _execution(self, session_id: str) -> Execution | None:
        return self._executor.executions.get(session_id)

    def _active(self, session_id: str) -> Execution:
        execution = self._execution(session_id)
        if execution is None:
            raise Conflict("There is no run in progress.", code="no_run")
        return execution

    def _refuse_when_draining(self) -> None:
        if self._executor.is_draining:
            raise Unavailable("The server is going down.", code="draining", retry_after=10)


def _read_answer(kind: str, content: str) -> dict[str, Any]:
    """What a message means that answers a question of this kind. Only a plain yes is a yes."""
    answer = read_answer(content)
    is_manual = kind == "manual"
    feedback = content if is_manual or answer.confirmed is None else answer.feedback
    confirmed = is_manual or answer.confirmed is True
    return {"confirmed": confirmed} | ({"message": feedback} if feedback else {})


def _grant_of(payload: dict[str, Any]) -> tuple[str, str] | None:
    """The site and the kind of action that "always here" allows; None where nothing can be allowed for good."""
    site = site_of(payload.get("place") or payload.get("url") or "")
    return (site, payload["risk"]) if payload.get("risk") else None


def _no_grant(_payload: dict[str, Any]) -> None:
    return None
