"""Commands of the user for runs: message, decision, cancel, takeover, branch, delete.

A run belongs to the server, not to a client's connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeVar

from server.agent.gate.grantable import granted_site
from server.agent.operator.ask.answers import answer_in_words
from server.database.models import InterruptRow, SessionRow
from server.errors import BadRequest, Conflict, NotFound, Unavailable
from server.events import (
    Answer,
    ConfirmQuestion,
    MessageAdded,
    MessageRemoved,
    Question,
    now,
)
from server.grants.coverage import WantedGrant
from server.ops.json_types import JsonObject
from server.results.rows import pictures_in, with_pictures
from server.runs.events import deleted_session, to_decision, to_interrupt
from server.runs.executed import ExecutedRuns, OwnRuns
from server.runs.execution import Execution, current_execution
from server.runs.executor import Executor
from server.runs.recorder import shielded
from server.runs.services import RunServices
from server.runs.working_state import WorkingStateService
from server.store import AcceptedMessage, new_id
from server.store.grants import NewGrant
from server.text import with_words
from wording.catalogue import sentence

T = TypeVar("T")

RETRY_WITHIN_SECONDS = 2.0
"""Seconds. A commit that failed later than this is not retried within the request."""


class RunCommands:
    def __init__(
        self,
        services: RunServices,
        executor: Executor,
        executed: ExecutedRuns | None = None,
    ) -> None:
        """`executed`: the way to runs that processes execute; unset: to those of this one."""
        self._store = services.store
        self._bus = services.bus
        self._agents = services.agents
        self._browsers = services.browsers
        self._screenshots = services.screenshots
        self._recorder = services.recorder
        self.executed = executed or OwnRuns(
            executor.executions, services.bus, services.browsers, services.recorder
        )
        self._executor = executor
        self.decision_listeners: list[Callable[[InterruptRow], Awaitable[None]]] = []
        """Called with each question that the person has answered by a decision."""
        self._in_doubt: set[str] = set()
        """Questions whose answer failed with Unavailable, but may have been committed."""
        self.working_state = WorkingStateService(
            services.store,
            services.bus,
            services.agents,
            services.recorder,
            executor.executions,
            self.executed,
        )

    # Messages and decisions

    async def accept(
        self, session_id: str, content: str, *, client_id: str | None = None, mode: str | None = None,
        result_schema: JsonObject | None = None, pointers: Sequence[JsonObject] = (),
    ) -> AcceptedMessage:  # fmt: skip
        """Store the message, then pass it to a new run, to the run in progress, or to its open question.

        `result_schema`: the table that the message asks for, as `ResultSchema.to_json`; `pointers`: what the user points
        at, as in `MessageQueries.accept`.

        Raises Conflict `run_in_progress` if a run is in progress and `mode` is neither steer nor queue.
        """
        self._refuse_when_draining()
        return await shielded(self._accept(session_id, content, client_id, mode, result_schema, pointers))

    async def _accept(
        self, session_id: str, content: str, client_id: str | None, mode: str | None,
        result_schema: JsonObject | None, pointers: Sequence[JsonObject],
    ) -> AcceptedMessage:  # fmt: skip
        message_id = new_id()
        with self._executor.dispatch.submitting(session_id):
            begins, accepted = await self._executor.dispatch.reserve(), None
            try:
                accepted = await self._commit(
                    lambda again: self._store.accept(
                        session_id, content, client_id=client_id, mode=mode, message_id=message_id,
                        result_schema=result_schema, pointers=pointers, read_answer=answer_in_words, is_late=self._recorder.is_late,
                        begins=begins, again=again,
                    )
                )  # fmt: skip
            finally:
                if begins and not (accepted and accepted.started):
                    self._executor.dispatch.queue.give_back()
            if not accepted.is_new:
                self._executor.dispatch.submit_recovered(accepted)
            elif accepted.question:
                self._recorder.forget_question(accepted.question.reference)
                self._bus.publish(session_id, None, [MessageAdded(message=accepted.message)])
                self._publish_decision(accepted.question)
            elif accepted.steers:
                await self._steer(accepted)
            else:
                self._executor.dispatch.start(accepted)
        return accepted

    async def _commit(self, query: Callable[[bool], Awaitable[T]]) -> T:
        """Retry once at once if the connection was lost: the query may have been committed, its reply lost.

        A longer outage is raised to the caller; `Recovery.begin_forgotten` submits what was committed.
        """
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            return await query(False)
        except Unavailable as fault:
            if fault.code != "db_unavailable" or loop.time() - began > RETRY_WITHIN_SECONDS:
                raise
            return await query(True)

    async def _steer(self, accepted: AcceptedMessage) -> None:
        """Pass the message to the run's execution, if that is in progress here.

        Otherwise it is read from the database when the run begins, or gets its own run when the run ends.
        """
        run = accepted.run
        execution = self._execution(run.session_id)
        if execution and execution.run.id == run.id:
            execution.publish(MessageAdded(message=accepted.message))
            execution.steer(accepted.message)
        else:
            await self.executed.steer(run, accepted.message)

    async def remove_queued(self, session_id: str, message_id: str) -> None:
        """Take a queued message back. Raises Conflict `not_queued`."""
        await shielded(self._remove_queued(session_id, message_id))

    async def _remove_queued(self, session_id: str, message_id: str) -> None:
        await self._store.remove_queued(session_id, message_id)
        self._bus.publish(session_id, None, [MessageRemoved(message_id=message_id)])

    async def steer_queued(self, session_id: str, message_id: str) -> AcceptedMessage:
        """Pass a queued message to the run in progress now. Raises Conflict `not_queued`."""
        return await shielded(self._steer_queued(session_id, message_id))

    async def _steer_queued(self, session_id: str, message_id: str) -> AcceptedMessage:
        accepted = await self._store.steer_queued(session_id, message_id)
        await self._steer(accepted)
        return accepted

    async def retry(self, session_id: str) -> AcceptedMessage:
        return await shielded(self._rerun(session_id))

    async def edit(self, session_id: str, message_id: str, content: str, **changes: Any) -> AcceptedMessage:
        """Change the last user message, delete the later ones and run it again.

        `changes` are those of `MessageQueries.rerun`.
        """
        return await shielded(self._rerun(session_id, content=content, message_id=message_id, **changes))

    async def _rerun(self, session_id: str, **changes: Any) -> AcceptedMessage:
        self._refuse_when_draining()
        run_id = new_id()
        with self._executor.dispatch.submitting(session_id):
            accepted = await self._commit(
                lambda again: self._store.rerun(session_id, **changes, run_id=run_id, again=again)
            )
            self._executor.dispatch.start(accepted)
        return accepted

    async def decide(self, session_id: str, answer: Answer, *, grant: WantedGrant | None = None) -> None:
        """Answer an open question and resume its run. Only the first answer counts.

        `grant`: a yes also counts for later acts of this kind on this site. Raises NotFound, Conflict
        `already_decided` or `approval_expired`, or BadRequest `not_grantable`: nothing is decided then.
        """
        self._refuse_when_draining()
        await shielded(self._decide(session_id, answer, grant))

    async def _decide(self, session_id: str, answer: Answer, grant: WantedGrant | None) -> None:
        reference = answer.reference or ""
        with self._executor.dispatch.submitting(session_id):
            try:
                row = await self._commit(
                    lambda again: self._store.decide(
                        session_id, answer, grant_of=partial(_grant_of, grant) if grant else lambda _: None,
                        late=self._recorder.is_late(reference), again=again or reference in self._in_doubt,
                    )
                )  # fmt: skip
            except Unavailable:
                self._in_doubt.add(reference)
                raise
            self._recorder.forget_question(reference)
            is_known = reference in self._in_doubt and (
                self._executor.dispatch.knows(row.run_id)
                or (await self._store.run(row.run_id)).status != "queued"
            )
            if not is_known:
                self._publish_decision(row)
            self._in_doubt.discard(reference)
            for listener in self.decision_listeners:
                await listener(row)
        if row.status == "expired":  # the agent asks again, for the current page
            raise Conflict(sentence("approval.expired"), code="approval_expired")

    async def put_off(self, session_id: str, reference: str, until: datetime) -> InterruptRow:
        """Put an open question off until then. Raises NotFound or Conflict as `QuestionQueries.put_off`."""
        timeout = timedelta(seconds=self._recorder.patience_of_answers)
        row = await shielded(self._store.put_off(session_id, reference, until, timeout))
        self._bus.publish(session_id, None, [to_interrupt(row)])
        return row

    def _publish_decision(self, row: InterruptRow) -> None:
        if row.status != "expired":
            self._bus.publish(row.session_id, None, [to_decision(row)])
        self._executor.dispatch.submit(row.run_id)

    # Cancel and takeover

    async def cancel(self, session_id: str) -> None:
        """End the current run with the terminal error "Task cancelled"; return once it is committed.

        Raises Conflict if there is no unfinished run.
        """
        ended = None
        while ended is None:
            await self._executor.dispatch.wait_submitted(session_id)
            if execution := self._execution(session_id):
                execution.stop("cancelled")
                await execution.ended.wait()
                if (await self._store.run(execution.run.id)).finished_at:
                    return
                continue  # its run is not finished: it has asked a question before
            run = await self._store.current_run(session_id)
            if run is None or run.finished_at:
                raise Conflict(sentence("run.nothing_to_cancel"), code="run_finished")
            if await self.executed.cancel(run):
                return
            run = await self._store.run(run.id)  # another process may have changed it before it let go
            if not await self._executor.dispatch.wait_started(run.id):
                ended = await self._recorder.cancel_unexecuted(run)
        self._executor.dispatch.start_next(ended)

    async def hold(self, session_id: str) -> None:
        """Pause the run, if any, before its next step, because the user takes control of the browser."""
        execution = self._execution(session_id)
        if execution:
            execution.hold()
            await self._recorder.show_status(execution)

    async def release(
        self, session_id: str, changes: str, words: str | None, *, was_handed_off: bool = False
    ) -> None:
        """Resume after the user has handed back the browser; pass the changes and their words to the agent."""
        execution = self._execution(session_id)
        drive = self._browsers.live(session_id).take_drive()
        await self._recorder.add_drive(session_id, drive, execution, was_handed_off=was_handed_off)
        pending = await self._store.pending(session_id)
        if execution := self._execution(session_id):
            execution.release(with_words(changes, words))
            await self._recorder.show_status(execution)
        elif pending and pending.kind == "manual":
            answer = Answer(reference=pending.reference, confirmed=True, message=words or "", changes=changes)
            await self.decide(session_id, answer)
        else:
            described = with_words(changes, words)
            self._executor.keep_browser_changes(session_id, described, before_answer=pending is not None)

    # Branch and delete

    async def branch(self, session_id: str, message_id: str) -> SessionRow:
        """Create a session with copies of the messages up to this one, and of their screenshots."""
        said = await self._store.messages(session_id)
        addresses = {address for message in said for address in pictures_in(message.meta_json or {})}
        new = new_id()

        def copy_meta(meta: JsonObject) -> JsonObject:
            copied: JsonObject = with_pictures(
                meta, lambda address: self._screenshots.address_in(new, address)
            )
            return copied

        await self._screenshots.copy_session(session_id, new, addresses)
        # The copied messages may repeat what was seen on private pages.
        private = self._executor.private_sites(new)
        private.add(self._executor.private_sites(session_id).sites)
        try:
            row = await self._store.branch(session_id, message_id, id=new, copy_meta=copy_meta)
        except NotFound:
            await self._screenshots.remove_session(new)
            private.forget()
            raise
        self._recorder.announce(row)
        return row

    async def delete(self, session_id: str, *, purge: bool) -> None:
        """Cancel the session's runs, close its browser and archive it; with `purge`, delete all its data."""
        await self._store.session(session_id)
        await self._cancel_all(session_id)
        if purge:
            await self._purge(session_id)
        else:
            await self._store.change_session(session_id, archived_at=now())
            await self._browsers.close(session_id)
        self._bus.announce(deleted_session(session_id))

    async def _purge(self, session_id: str) -> None:
        """Delete the session's rows after its other data, so that an interrupted purge can be repeated."""
        await self._remove_traces(session_id)
        await self._store.purge_session(session_id)
        if execution := self._execution(session_id):  # of a message that arrived in between
            execution.stop("cancelled")
            await execution.ended.wait()
        await self._remove_traces(session_id)
        self._bus.forget(session_id)
        self._executor.forget_session(session_id)

    async def _remove_traces(self, session_id: str) -> None:
        """Delete what is stored outside of the session's rows: browser data, checkpoints, screenshots, private sites."""
        await self._browsers.close(session_id, purge=True)
        self._executor.private_sites(session_id).forget()
        await self._agents.forget_session(session_id)
        await self._screenshots.remove_session(session_id)

    async def _cancel_all(self, session_id: str) -> None:
        while True:  # held runs start one after another
            try:
                await self.cancel(session_id)
            except Conflict:
                return

    # State for clients

    async def is_acting(self, session_id: str) -> bool:
        execution = await current_execution(self._executor.executions, session_id)
        return execution is not None and not execution.is_paused

    async def announce(self, session_id: str) -> None:
        await self._recorder.read_and_announce(session_id)

    def _execution(self, session_id: str) -> Execution | None:
        return self._executor.executions.get(session_id)

    def _refuse_when_draining(self) -> None:
        if self._executor.dispatch.is_draining:
            raise Unavailable(sentence("server.going_down"), code="draining", retry_after=10)


def _grant_of(wanted: WantedGrant, question: Question) -> NewGrant:
    """What the person allows together with a yes. Raises BadRequest if acts like this one are always asked about."""
    if not isinstance(question, ConfirmQuestion) or wanted.scope not in question.scopes:
        raise BadRequest(sentence("grant.one_act_only"), code="not_grantable")
    has_amount = wanted.act_parts is not None or wanted.month_parts is not None
    if has_amount and question.spends is None:
        raise BadRequest(sentence("grant.amount_unclear"), code="amount_unknown")
    limits = wanted.model_dump()
    if has_amount and question.spends:
        limits["currency"] = question.spends.currency
    return NewGrant(site=granted_site(question.place or question.url), kind=question.risk, **limits)
