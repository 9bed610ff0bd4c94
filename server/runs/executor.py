"""Executes runs: opens an execution, has its agent driven, supervises it, and ends it.

The recorder commits completed messages, then publishes; it also ends the run with done or error.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from weakref import WeakValueDictionary

from server.agent import foresight, policy, stored_logins
from server.agent.context import RunContext
from server.agent.event_adapter import EventAdapter
from server.agent.operator.ask.answers import read_confirm
from server.agent.operator.plan.opening import names_address
from server.agent.pointing.pointer import SeenPage
from server.agent.private_sites import PrivateSites
from server.agent_runner import run_agent
from server.browser.addresses import site_of
from server.browser.browser import Browser, PagePicture
from server.browser.chromium.profiles import folder_name
from server.browser.lease import lease_of_run
from server.clock import steady_time
from server.errors import AppError, Conflict, RunFailed
from server.events import Answer, ConfirmQuestion, Event, Message, Question, Resync, Usage
from server.ops.background_tasks import BackgroundTasks
from server.runs.agents import cost_of
from server.runs.budgets import check_budget, check_own_budget
from server.runs.cut_answers import continued_by
from server.runs.dispatch import CANCEL_GRACE, Dispatch
from server.runs.events import ENDINGS
from server.runs.execution import Execution, RunLease
from server.runs.grants import RunGrants
from server.runs.naming import NEARBY_PAUSE, SessionNaming
from server.runs.queue import Execute, HandedBack, InProcessRunQueue, RunQueue
from server.runs.services import RunServices
from server.store import FinishedRun, StartedRun

logger = logging.getLogger(__name__)


class StartRefused(RunFailed):
    """The person has said no before the run began."""

    code = "cancelled"


class Executor:
    """Executes the runs that are submitted to this process, from the queue to a question or the end."""

    def __init__(
        self,
        services: RunServices,
        queue_for: Callable[[Execute], RunQueue] | None = None,
        executions: dict[str, Execution] | None = None,
        nearby_pause: float = NEARBY_PAUSE,
    ) -> None:
        """`queue_for` makes the queue of several processes. Unset: the queue of one.

        `executions` are filled by it.
        """
        self._settings = services.settings
        self._store = services.store
        self._bus = services.bus
        self._agents = services.agents
        self._browsers = services.browsers
        self._screenshots = services.screenshots
        self._recorder = services.recorder
        self._knowledge_of = services.knowledge_of
        self._vault = services.vault
        self._tools_of = services.tools_of
        self._is_shared = queue_for is not None
        self._background = BackgroundTasks()
        self._private: WeakValueDictionary[str, PrivateSites] = WeakValueDictionary()
        """By session; kept alive by its run."""
        self._executions: dict[str, Execution] = {} if executions is None else executions
        """By session."""
        self._executed = 0
        """How many executions have begun."""
        self._browser_changes: dict[str, tuple[str, bool]] = {}
        """By session: what the user changed in the browser while no run was executed, and whether they did so
        before they answered its question."""
        queue = (
            queue_for(self.execute)
            if queue_for
            else InProcessRunQueue(self.execute, slots=services.settings.max_runs)
        )
        self.dispatch = Dispatch(services, queue, self._executions, is_shared=self._is_shared)
        self.naming = SessionNaming(services, lambda: (self._executed, len(self._executions)), nearby_pause)
        self._browsers.place_listeners.append(self._show_queue_place)
        self._browsers.drive_listeners.append(self._note_driven)

    # One execution

    async def execute(self, run_id: str, has_begun: asyncio.Event) -> None:
        """Execute the run until it ends or asks a question. Called by the queue, once per submission.

        Raises HandedBack if another process has to go on with it.
        """
        started = self.dispatch.take_begun(run_id) or await self._recorder.begin(run_id)
        if started is None:
            return
        execution = None
        try:
            execution = await self._open(started)
            has_begun.set()
            await self._apply_takeover(execution)
            ended = await self._supervise(execution, started)
        except HandedBack:
            raise
        except Exception:
            logger.exception("the execution of run %s broke", run_id)
            ended = await self._recorder.end_broken(started.run, execution.read_ids if execution else ())
        finally:
            if execution:
                del self._executions[started.session.id]
                execution.ended.set()
        if ended and self._agents.saves_steps(ended.run):
            self._background.start(self._agents.forget_run(ended.run))
        self.dispatch.start_next(ended)

    async def _supervise(self, execution: Execution, started: StartedRun) -> FinishedRun | None:
        """Run the agent until it ends, times out or is stopped; then end the run."""
        work = asyncio.create_task(self._work(execution, started), name=f"agent {execution.run.id}")
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
            execution.stop(self.dispatch.reason_of_leaving)
        finally:
            stopped.cancel()
        if not work.done():
            work.cancel()
            _, unfinished = await asyncio.wait({work}, timeout=CANCEL_GRACE)
            for abandoned in unfinished:
                logger.warning("the agent of run %s does not end; it is abandoned", execution.run.id)
                self._background.start(abandoned)
            self._reset_browser(execution.run.session_id)
        return await self._end(execution, work, started.messages)

    async def _work(self, execution: Execution, started: StartedRun) -> Question | None:
        """Run the agent to its end. Returns its question; None if it has finished."""
        if self._is_shared:
            lease_of_run.set(execution.lease.hold)
        if question := await self._ask_first(execution, started):
            return question
        agent = await self._agents.prepare(started, self._context(execution, started))
        try:
            for event in execution.adapter.take_over(agent.said):
                execution.publish(event)
            await run_agent(agent, execution.adapter, partial(self._hand_on, execution, started.budget))
            return await agent.question()
        finally:
            agent.release()

    async def _hand_on(
        self, execution: Execution, budget: Mapping[str, float] | None, events: Sequence[Event]
    ) -> None:
        """Raises RunFailed if the run has used more than it may."""
        await self._recorder.take_all(execution, events)
        check_budget(events, self._settings)
        check_own_budget(execution.adapter.usage, budget)
        execution.show_progress()

    async def _ask_first(self, execution: Execution, started: StartedRun) -> Question | None:
        """The question before the run begins, for which one call of the model is made; None if it may begin.

        Raises StartRefused after a no. The answer counts when it was given, however late the run continues.
        """
        asked, before, words = started.question, None, list[str]()
        if asked is None:
            if not started.asks_first:
                return None
        elif not isinstance(asked, ConfirmQuestion) or asked.start is None:
            return None
        else:
            said = read_confirm(asked.answer or Answer(expired=True), asked, now=0)
            if said.kind == "yes":
                return None
            if said.kind == "no":
                raise StartRefused(ENDINGS["cancelled"])
            before, words = asked.start, [one.message for one in started.start_words]
        known = await self._knowledge_of(started.run).known("", "")
        start, reply, by_second = await self._agents.foresee(started, before, words, known.instructions)
        if by_second:
            await self._recorder.take_all(execution, execution.adapter.replace(by_second))
        execution.publish(execution.adapter.count(reply))
        check_own_budget(execution.adapter.usage, started.budget)
        timeout = execution.patience or self._settings.decision_timeout
        return foresight.start_question(start, url="", asked_at=steady_time(), timeout=timeout)

    async def _end(
        self, execution: Execution, work: asyncio.Task[Question | None], history: Sequence[Message]
    ) -> FinishedRun | None:
        reason = execution.stop_reason or ("interrupted" if work.cancelled() else None)
        error = None if reason else work.exception()  # a stopped agent may not have ended
        question = None if reason or error else work.result()
        plan, dismissed = execution.close_inbox()
        if question and plan:
            question = question.model_copy(update={"plan": list(plan)})
        await self._keep_edits(execution.run.session_id, None if question else plan, dismissed)
        if reason == "handed_back":
            if await self._recorder.hand_back(execution):
                raise HandedBack
            return None
        if reason:
            return await self._recorder.fail(execution, reason, ENDINGS[reason])
        if error:
            code, text = self._agents.failure(error)
            if code == "internal":
                logger.error("run %s failed", execution.run.id, exc_info=error)
            return await self._recorder.fail(execution, code, text)
        if question:
            await self._recorder.ask(execution, question)
            return None
        execution.adapter.without_browser = _is_without_browser(execution, history)
        ended = await self._recorder.complete(execution)
        if ended and ended.message and not any(said.role == "assistant" for said in history):
            self._background.start(self.naming.name(ended, history[0], ended.message))
        return ended

    async def _keep_edits(
        self, session_id: str, plan: Sequence[str] | None, dismissed: Sequence[str] | None
    ) -> None:
        """Store the edits of the plan that the agent has not read before it ended."""
        try:
            stored = await self._agents.read_state(session_id) if plan or dismissed else None
            if stored and plan:
                stored = await self._agents.write_state(session_id, plan=list(plan))
            if stored and dismissed and list(dismissed) == stored.proposed_plan:
                await self._agents.write_state(session_id, proposed_plan=[])
        except AppError as error:
            logger.warning("an edit of the plan is not stored: %s", error.detail)

    async def _open(self, started: StartedRun) -> Execution:
        run = started.run
        while former := self._executions.get(run.session_id):  # its last commit comes first
            former.stop("interrupted")
            await former.ended.wait()
        asked = started.question
        adapter = EventAdapter(
            run.answer_id,
            said=asked.said if asked else "",
            step=asked.step if asked else 0,
            usage=Usage.model_validate(run.usage or {}),
            cost=partial(cost_of, run.model),
            second_cost=cost_of,
            log_thoughts=self._settings.log_thoughts,
        )
        execution = Execution(
            run, adapter, self._bus, max_steps=started.session.max_tool_steps, patience=started.patience,
            only_first_model=started.only_first_model, lease=RunLease(self._settings.run_lease if self._is_shared else None),
        )  # fmt: skip
        if asked and (plan := asked.plan or _approved_plan(started)):
            execution.edit_plan(plan, is_old=True)
        execution.point(started.messages)
        for message in started.unread:
            execution.steer(message, is_old=asked is not None)
        adapter.continues = continued_by(started.messages) is not None
        self._bus.open(run.session_id, run.id, run.epoch)
        if started.continues and not started.is_newly_answered:
            execution.publish(Resync())  # what the former execution has said of the answer does not count
        execution.publish(execution.changed("running"))
        self._executions[run.session_id] = execution
        self._executed += 1
        wishes = run.wishes or {}
        if wishes.get("pause"):
            execution.pause()
        if wishes.get("cancel"):
            execution.stop("cancelled")
        if self.dispatch.is_closing:
            execution.stop(self.dispatch.reason_of_leaving)
        return execution

    async def _apply_takeover(self, execution: Execution) -> None:
        """Apply the state of a browser takeover to a new execution.

        A user who holds the browser keeps it. If the holder disconnected without handing it back, it is
        handed back now.
        """
        session_id = execution.run.session_id
        view = self._browsers.live(session_id)
        if changed := self._browser_changes.pop(session_id, None):
            changes, before_answer = changed
            execution.release(changes, before_answer=before_answer)
        while view.is_held and not view.has_holder:
            with suppress(Conflict):  # its holder is just handing it back, or has taken it again
                execution.release(await view.hand_back(), before_answer=True)
                await self._recorder.add_drive(session_id, view.take_drive(), execution)
        if view.has_holder:
            execution.hold()
            await self._recorder.show_status(execution)

    def _context(self, execution: Execution, started: StartedRun) -> RunContext:
        session_id, settings = execution.run.session_id, self._settings
        masked: list[Browser] = []

        async def browser() -> Browser:
            """The session's browser. The policy's data is loaded in parallel with the browser's start."""
            browser, _ = await asyncio.gather(
                self._browsers.get(session_id), asyncio.to_thread(policy.warm_up)
            )
            if browser not in masked and await stored_logins.mask_filled(self._vault, session_id, browser):
                masked.append(browser)
            return browser

        async def keep(picture: PagePicture) -> str | None:
            try:
                return await self._screenshots.keep(session_id, picture.data, picture.mime)
            except OSError as error:
                logger.warning("screenshot not saved: %s", error)
                execution.note_lost_picture()
                return None

        async def keep_page(address: str, page: SeenPage) -> None:
            await self._screenshots.keep_page(address, page.model_dump_json(exclude_defaults=True).encode())

        return RunContext(
            run_id=execution.run.id,
            session_id=session_id,
            browser=browser,
            keep=keep,
            inbox=execution,
            grants=RunGrants(self._store, self._recorder, execution),
            max_tool_steps=execution.max_steps,
            has_browser=lambda: self._browsers.peek(session_id) is not None,
            active_seconds=lambda: execution.active_seconds,
            take_queued=execution.take_queued,
            private=self.private_sites(session_id),
            patience=execution.patience,
            vault=self._vault,
            automation_id=started.automation_id,
            only_first_model=execution.only_first_model,
            today=partial(self._agents.today, started.zone),
            knowledge=self._knowledge_of(execution.run),
            tools=self._tools_of(session_id),
            keep_page=keep_page,
            pointers=lambda: execution.pointers,
            files=settings.downloads_dir / session_id,
        )

    def _note_driven(self, session_id: str, address: str) -> None:
        """What the user does there manually is private, wherever they leave the browser."""
        self.private_sites(session_id).add([site_of(address)])

    def private_sites(self, session_id: str) -> PrivateSites:
        """What the session and its browser profile know of private sites. A run in progress gets what is added."""
        if (known := self._private.get(session_id)) is None:
            name = folder_name(session_id)
            known = PrivateSites(self._settings.profiles / name, self._settings.private_dir / name)
            self._private[session_id] = known
        return known

    def _reset_browser(self, session_id: str) -> None:
        """Reset an open browser: an abandoned call may still run in the page and block the next run."""
        state = self._browsers.peek(session_id)
        if state is None or state.status != "open":
            return

        async def reset() -> None:
            await (await self._browsers.get(session_id)).reset()

        self._background.start(reset())

    # What others see of it

    @property
    def executions(self) -> Mapping[str, Execution]:
        """The executions in progress, by session."""
        return self._executions

    def keep_browser_changes(self, session_id: str, changes: str, *, before_answer: bool) -> None:
        """Keep what the user changed in the browser for the session's next execution."""
        self._browser_changes[session_id] = changes, before_answer

    def forget_session(self, session_id: str) -> None:
        self._browser_changes.pop(session_id, None)

    async def drain(self, seconds: float) -> None:
        """Stop accepting runs, wait up to `seconds` for the current ones, then stop the rest and what else has begun."""
        await self.dispatch.drain(seconds)
        self._background.cancel()

    def _show_queue_place(self, session_id: str, place: int | None) -> None:
        """Publish the session's position in the queue for a browser; None if it does not wait any more."""
        if execution := self._executions.get(session_id):
            execution.queue(place)
            self._background.start(self._recorder.with_retry(lambda _: self._recorder.show_status(execution)))


def _approved_plan(started: StartedRun) -> Sequence[str] | None:
    """The plan of a run that begins by the person's yes to it; the operator keeps to it as to one that they have edited."""
    asked = started.question
    if asked is None or asked.start is None or started.run.agent != "operator":
        return None
    is_new = started.is_newly_answered and asked.answer is not None and asked.answer.confirmed
    return asked.start.plan if is_new else None


def _is_without_browser(execution: Execution, history: Sequence[Message]) -> bool:
    """Whether the assistant has answered a task that names an address without any call."""
    of_run = [message for message in history if message.run_id == execution.run.id]
    asks = any(message.role == "user" and names_address(message.content) for message in of_run)
    has_called = execution.adapter.has_called or any(message.role == "tool" for message in of_run)
    return asks and execution.run.agent == "assistant" and not has_called
