"""Nodes of a step: input, observe, plan, validate, execute, continue. Each returns the changed state."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

from langchain_core.messages import HumanMessage

from server.agent.actions import (
    AimedAction,
    AskUserAction,
    CallToolAction,
    NavigateAction,
    ReadPageAction,
    RecordAction,
    StopAction,
    aim,
)
from server.agent.context import RunContext
from server.agent.gate.holding import agreed_terms
from server.agent.gate.logins import count_login
from server.agent.gate.page_facts import focused_element
from server.agent.gate.taint import count_arguments, count_bits
from server.agent.gate.tool_calls import call_of, find_tool
from server.agent.models.errors import BAD_RESPONSE
from server.agent.operator import finishing
from server.agent.operator.act import acting
from server.agent.operator.act.limits import (
    STANDS_STILL,
    TRIES_BEFORE_ASKING,
    TRIES_BEFORE_NEW_PLAN,
    OperatorLimits,
    after_attempt,
    counted_attempt,
    marks_of,
)
from server.agent.operator.act.performing import leave_batch, perform_step
from server.agent.operator.ask import user_input
from server.agent.operator.ask.consent import Consent
from server.agent.operator.memory import collecting, records, reporting
from server.agent.operator.memory.batch import Batch
from server.agent.operator.memory.phrases import phrase
from server.agent.operator.memory.reporting import note, publish_state, say, think
from server.agent.operator.memory.state import Next, State, TriedAct, fresh_run
from server.agent.operator.plan import taken_move
from server.agent.operator.plan.lenient_parsing import LOOKS
from server.agent.operator.plan.move import Move, Offer, to_actions
from server.agent.operator.plan.offering import offers_points, usable_on
from server.agent.operator.plan.opening import address_to_open
from server.agent.operator.plan.planner import Planned, Planner
from server.agent.operator.plan.prompts import has_talk, step_prompt
from server.agent.operator.plan.tool_lines import tool_lines
from server.agent.operator.see.observing import (
    Observer,
    ShownPicture,
    as_shown,
    is_shown,
    is_whole,
    known_lines,
    page_key,
)
from server.agent.operator.see.pointing import find_points, on_page
from server.agent.pointing.prompt import pointed_lines, refs_on
from server.agent.stored_logins import logins_here
from server.browser.addresses import site_of
from server.browser.outgoing.held import ActTerms
from server.clock import steady_time
from wording.catalogue import sentence

log = logging.getLogger(__name__)

AfterPlan = Literal["validate_action", "plan_action"]
AfterCheck = Literal["policy_gate", "plan_action", "manual_interrupt", "finalize_blocked"]
AfterAct = Literal[
    "continue_batch", "confirm_interrupt", "manual_interrupt", "maybe_observe", "finalize_done", "",
]  # fmt: skip
"""What an act leads to unless a limit is reached; "" for the next step."""
AfterStep = Literal[
    "maybe_observe", "continue_batch", "confirm_interrupt", "manual_interrupt", "finalize_done", "finalize_limit",
]  # fmt: skip
AfterFurther = Literal["validate_action", "maybe_observe"]
MAX_INVALID = 3
REPAIR_TURNS = 2
"""Maximum consecutive retries when the model's answer is not a valid move."""
STEPS_BEFORE_NOTES = 5
"""A run that has gone well for fewer steps has found out nothing worth a note."""
AT_ONCE = 0.2
"""Seconds; after a longer wait the page may have changed."""


@dataclass(frozen=True, slots=True)
class Nodes:
    """The nodes, with the dependencies that all runs share."""

    planner: Planner
    consent: Consent
    observer: Observer
    limits: OperatorLimits
    clock: Callable[[], float] = steady_time

    async def ingest_user_input(self, state: State, _: RunContext) -> State:
        """Take a new message: reset the run's counters; keep the goal unless the message sets a new one."""
        asked = state.asked
        text, message_id = asked.user_message, asked.message_id
        goes_on = not user_input.is_new_goal(state, text, message_id) and asked.task_id != message_id
        result = collecting.take_schema(state, asked.result_schema, goes_on=goes_on)
        message = HumanMessage(text, id=message_id)
        state = fresh_run(user_input.take_message(state, text, message_id))
        state = replace(
            state,
            added=user_input.replayed(state, message),
            asked=replace(state.asked, result_schema=None, last_user_message=text),
            work=replace(state.work, result=result),
            limits=replace(state.limits, deadline=self.clock() + self.limits.seconds),
        )
        await publish_state(state)
        return state

    async def maybe_observe(self, state: State, context: RunContext) -> State:
        """Read the user's updates, then observe the page if it may have changed."""
        began = self.clock()
        updates = await context.inbox.take_updates()
        waited = self.clock() - began
        state = user_input.apply_updates(state, updates)
        state = replace(state, limits=replace(state.limits, deadline=state.limits.deadline + waited))
        if waited > AT_ONCE or updates.takeover is not None:
            # Something may have happened since the end of the last step, and its picture.
            needs_observe = state.page.needs_observe or state.page.is_pictured
            state = replace(state, page=replace(state.page, needs_observe=needs_observe, is_pictured=False))
        if user_input.changes_plan(updates):
            await publish_state(state)
        if state.page.needs_observe or state.page.last_observation is None:
            pointed = refs_on(context.pointers(), state.page.last_observation)
            state = await self.observer.look(context, state, pointed)
        return after_attempt(state, self.observer.drawing(context))

    async def plan_action(self, state: State, context: RunContext) -> Next[AfterPlan]:
        """Make one model call: update the working state and plan the next action. An invalid answer is
        requested again; the third in a row raises RunFailed. What the task asks to open is opened without a call."""
        if address := address_to_open(state, state.observation):
            return Next(_opening(state, address), "validate_action")
        shown = await self.observer.image(context, state, state.observation)
        state = leave_batch(state)
        answer = await self._ask(state, context, shown)
        state = replace(
            state,
            page=replace(state.page, shown_page=state.observation.digest()),
            limits=replace(
                state.limits, tokens=state.limits.tokens + answer.tokens, cost=state.limits.cost + answer.cost
            ),
        )
        move, problem = self._taken(state, answer)
        if move is None:
            return Next(await self._repair(state, answer, problem), "plan_action")
        taken = taken_move.take_move(state, move, datetime.now(UTC))
        if taken != state:
            await publish_state(taken)
        spoken = "" if _is_held_back(state) else answer.spoken
        return Next(
            _planned(taken, move, shown, spoken, facts_before=len(state.work.facts)), "validate_action"
        )

    async def _ask(self, state: State, context: RunContext, shown: ShownPicture | None) -> Planned:
        """Make the model call of this turn."""
        files = list(acting.files_in(context.files))
        logins = await logins_here(context, state.observation)
        tools = tool_lines(await context.tools.offered())
        offer = self._offer(state, context, shown, files)
        offer = replace(offer, login=bool(logins), tools=bool(tools))
        page = self._page(state, context)
        known = await context.knowledge.known(state.url, f"{page}\n{state.page.reading or ''}")
        prompt = step_prompt(
            state, page, files=files, image=shown.block if shown else None,
            problem=state.turn.problem, cached=self.planner.caches, offer=offer, today=context.today(), known=known,
            pointed=pointed_lines(context.pointers(), state.observation), logins=logins, tools=tools,
        )  # fmt: skip
        table = state.work.result
        return await self.planner.decide(
            prompt, say=reporting.hold_back if _is_held_back(state) else say, think=think, method=state.turn.method,
            rows=table.wanted.model_schema() if table else None, offer=offer, is_short=state.turn.is_cut,
        )  # fmt: skip

    def _page(self, state: State, context: RunContext) -> str:
        """The page as this turn shows it, without what the model was shown at the last one and can do without."""
        observation = state.observation
        is_read = bool(state.page.reading) and observation.digest() == state.page.shown_page
        described = self.observer.described(context, observation)
        return described.text(with_texts=not is_read, known=known_lines(state))

    def _offer(
        self, state: State, context: RunContext, shown: ShownPicture | None, files: Sequence[str]
    ) -> Offer:
        """What this turn has a use for: `shown` is its picture."""
        observation = state.observation
        return replace(
            usable_on(observation), tabs=context.has_browser(), files=bool(files),
            points=self.planner.points and offers_points(shown, observation), goal=has_talk(state),
            notes=bool(state.work.failures) or state.limits.tool_steps >= STEPS_BEFORE_NOTES,
            lacks=self.planner.lacks,
        )  # fmt: skip

    def _taken(self, state: State, answer: Planned) -> tuple[Move | None, str]:
        """The move, or why it is asked for again. An answer next to a look ends the run where all of the page was shown;
        elsewhere the model is asked once what it means, and then its look is taken."""
        move = answer.move
        if move is None or move.action not in LOOKS or not move.final_response:
            return move, answer.problem or ""
        if is_whole(state):
            return move.model_copy(update={"action": "stop", "then": []}), ""
        if state.turn.repairs:
            return move, ""
        return None, f"{move.action} with `final_response`: the answer goes with `stop`, a look has none"

    async def _repair(self, state: State, answer: Planned, problem: str) -> State:
        """Ask again. Raises RunFailed after `REPAIR_TURNS` answers in a row, and after two in a row that were cut. To ask in
        another way what the server refused is no such turn: the methods are few."""
        turn = replace(state.turn, method=answer.method)
        if answer.is_refused:
            await note(sentence("waiting.asks_differently"))
            return replace(state, turn=turn)
        log.warning("the model's answer could not be used: %s", problem)
        repairs = turn.repairs + 1
        if answer.failure and (turn.is_cut or repairs > REPAIR_TURNS):
            raise answer.failure
        if repairs > REPAIR_TURNS:
            raise BAD_RESPONSE.as_error()
        await note(sentence("waiting.asks_again", failed=repairs, tries=REPAIR_TURNS))
        is_cut = answer.failure is not None
        return replace(state, turn=replace(turn, problem=problem, repairs=repairs, is_cut=is_cut))

    async def validate_action(self, state: State, context: RunContext) -> Next[AfterCheck]:
        """Return an action to the model if it is impossible here or was repeated without effect."""
        action = state.action
        if isinstance(action, StopAction) and (turned_back := collecting.turn_back(state)):
            return Next(turned_back, "plan_action")
        problem = _problem_of(state, acting.files_in(context.files))
        if isinstance(action, CallToolAction) and not problem:
            found = find_tool(await context.tools.offered(), action.tool, action.args)
            problem = found.problem
            if found.spec:
                call = call_of(found.spec, action.args, id=action.id, reason=action.reason)
                state = state.planning(call)
        if action.points and not problem:
            state, problem = await find_points(self.observer, context, state, action)
        if problem:
            return _refused(state, problem)
        if isinstance(action, StopAction) and (problem := finishing.objection(state, action)):
            turn, proof = replace(state.turn, problem=problem), replace(state.proof, is_turned_back=True)
            return Next(replace(state, turn=turn, proof=proof), "plan_action")
        return await self._count(state, context, aim(state.action, state.observation))

    async def _count(
        self, state: State, context: RunContext, aimed: AimedAction
    ) -> Next[Literal["policy_gate", "plan_action", "manual_interrupt"]]:
        """Let an act pass unless it was tried without effect: then the model, and at last the user, is to change the plan."""
        drawing = self.observer.drawing(context)
        state, attempt = counted_attempt(after_attempt(state, drawing), aimed, drawing)
        limits = replace(state.limits, invalid_actions=0)
        state = replace(state, limits=limits)
        count = limits.tried[attempt.key]
        if count <= TRIES_BEFORE_NEW_PLAN or isinstance(aimed.action, StopAction | AskUserAction):
            return Next(state, "policy_gate")
        if limits.moving == attempt.key and await self._stands_still(state, context, attempt):
            tried = {**limits.tried, attempt.key: 1}
            return Next(replace(state, limits=replace(limits, tried=tried)), "policy_gate")
        limits = replace(limits, attempt=None)
        if count > TRIES_BEFORE_ASKING:
            url = aimed.observation.page.url
            state = replace(state, limits=replace(limits, tried={}))
            text = phrase("stuck", state.asked.task, site=site_of(url) or url)
            return Next(self.consent.hand_over(state, text, "answer"), "manual_interrupt")
        what = acting.describe(aimed)
        problem = (
            f"{what}: done {TRIES_BEFORE_NEW_PLAN} times on this very page without effect; change the plan"
        )
        return Next(records.failed(replace(state, limits=limits), problem), "plan_action")

    async def _stands_still(self, state: State, context: RunContext, attempt: TriedAct) -> bool:
        """Whether the page changes nothing by itself, so that what changed is the effect of acts."""
        await asyncio.sleep(STANDS_STILL)
        unpictured = replace(state, page=replace(state.page, is_pictured=False))
        later = await self.observer.look(context, unpictured)
        return marks_of(later.observation, self.observer.drawing(context)) == attempt.marks

    async def execute_action(self, state: State, context: RunContext) -> Next[AfterAct]:
        """Make one tool call. New user input comes first; an approved action is compared with the page."""
        if isinstance(state.action, StopAction):
            return Next(state, "finalize_done")
        began = self.clock()
        updates = await context.inbox.take_updates()
        waited = self.clock() - began > AT_ONCE
        state = user_input.apply_updates(state, updates)
        is_approved = state.turn.approval is not None
        if user_input.says_something(updates) and not (is_approved and user_input.leaves_approval(updates)):
            turn, page = replace(state.turn, approval=None, held=()), replace(state.page, needs_observe=True)
            return Next(replace(state, turn=turn, page=page), "")
        state = await self._checked(state, context, waited=waited)
        if not is_approved and state.turn.planned_action is not None:
            state = await self.consent.use_grants(state, context)
        if state.turn.planned_action is None:
            return Next(state, "")
        aimed = aim(state.action, state.observation, focused_element(state.observation, state.page.focused))
        if isinstance(aimed.action, CallToolAction):
            call = aimed.action
            count_arguments(call.args, state.memory, call.server, (), context.private, approved=is_approved)
        count_bits(aimed, state.memory, context.private, approved=is_approved)
        terms = self.consent.terms(state, context, is_approved=is_approved)
        count_login(aimed, context.logins, approved=is_approved)
        state = replace(state, turn=replace(state.turn, held=()))
        done = await perform_step(state, context, self.observer, terms)
        following: AfterAct = "" if is_approved else done.node  # what was asked about stands alone
        return await self._heed_hold(done.state, context, terms, following)

    async def _checked(self, state: State, context: RunContext, *, waited: bool) -> State:
        """The action on the page as it is now; without one if that is no longer what was planned or approved."""
        if state.turn.approval is None:
            if (waited or not _is_just_seen(state)) and acting.may_commit(
                aim(state.action, state.observation)
            ):
                return await self.consent.judge_again(state, context)
            return state
        is_held = state.turn.held and context.has_browser()
        if is_held and await (await context.browser()).held_waits():
            # The very request is let go, whatever the page shows by now.
            return replace(state, turn=replace(state.turn, approval=None))
        return await self.consent.hold_to_approval(state, context)

    async def _heed_hold(
        self, state: State, context: RunContext, terms: ActTerms, following: AfterAct
    ) -> Next[AfterAct]:
        """Ask about what the act was about to send; where grants cover it, let it go. Else `following` is next."""
        if not context.has_browser() or not (held := (await context.browser()).held()):
            return Next(state, following)
        ruled = await self.consent.rule_on_held(state, context, held)
        if ruled.node:
            return ruled
        done = await perform_step(ruled.state, context, self.observer, agreed_terms(held, terms))
        if not (further := (await context.browser()).held()):
            return Next(replace(done.state, turn=replace(done.state.turn, held=())), done.node)
        return await self.consent.rule_on_held(done.state, context, further, asks=True)

    async def maybe_stop_or_continue(self, state: State, context: RunContext) -> Next[AfterStep]:
        """End if the answer is given or a limit is reached, else continue with the next step."""
        if state.turn.route == "finalize_done":
            return Next(state, "finalize_done")
        deadline = state.limits.deadline + context.take_queued()
        state = replace(state, limits=replace(state.limits, deadline=deadline))
        if self._reached(state, context):
            return Next(state, "finalize_limit")
        match state.turn.route:
            case "continue_batch" | "confirm_interrupt" | "manual_interrupt" as node:
                return Next(state, node)
        return Next(state, "maybe_observe")

    async def continue_batch(self, state: State, context: RunContext) -> Next[AfterFurther]:
        """Observe, and plan the next act of the last move if the page is still the one it was planned on."""
        batch = state.turn.batch
        assert batch is not None
        if state.page.needs_observe:
            state = await self.observer.look(context, state, batch.refs)
        action = batch.next_action(state.observation)
        if action is None:
            return Next(records.failed(state, "the page changed after that: look again"), "maybe_observe")
        turn = replace(state.turn, planned_action=action, is_further=True, batch=batch.after_next())
        return Next(replace(state, turn=turn), "validate_action")

    async def finalize_limit(self, state: State, context: RunContext) -> State:
        reason = self._reached(state, context) or "?"
        known = await context.knowledge.known("", "")
        return await finishing.finalize_limit(
            state, self.planner, reason, context.today(), known.instructions
        )

    def _reached(self, state: State, context: RunContext) -> str | None:
        return self.limits.reached(state, context.max_tool_steps, self.clock())


def _opening(state: State, address: str) -> State:
    action = NavigateAction(id=uuid.uuid4().hex, url=address)
    return replace(state, turn=replace(state.turn, planned_action=action, is_further=False, batch=None))


def _is_held_back(state: State) -> bool:
    """The answer of a move that may be turned back is not streamed: it would be shown and then replaced."""
    table = state.work.result
    lacks_rows = table is not None and not table.turned_back and table.lacks() is not None
    return lacks_rows or (bool(state.proof.refused) and not state.proof.is_turned_back)


def _planned(state: State, move: Move, shown: ShownPicture | None, spoken: str, facts_before: int) -> State:
    """With the acts of the move, and what the model was shown for it."""
    observation = state.observation
    first, *further = to_actions(move, lambda: uuid.uuid4().hex)
    action = on_page(acting.with_whole_address(first, observation.page.url), shown)
    taken_move.log_move(move, aim(action, observation))
    is_reading = isinstance(first, RecordAction | ReadPageAction)
    return replace(
        state,
        work=replace(state.work, facts_before=facts_before),
        page=replace(
            state.page,
            pictured_page=page_key(observation) if shown and shown.picture else state.page.pictured_page,
            reading=state.page.reading if is_reading else None,
            shown_lines=as_shown(state),
        ),
        turn=replace(
            state.turn, planned_action=action, batch=Batch.plan(further, observation), is_further=False,
            spoken=spoken, problem=None, repairs=0, method="", is_cut=False,
        ),
    )  # fmt: skip


def _problem_of(state: State, files: acting.Files) -> str | None:
    """Why the planned action, or one of those that follow it, is impossible on this page."""
    action, batch = state.action, state.turn.batch
    if is_shown(state, action):
        return f"{action.kind}: this part is in <reading> above: answer from it, or read another"
    acts = (action, *(batch.actions if batch else ()))
    problems = (acting.problem_of(one, state.observation, files) for one in acts)
    return next(filter(None, problems), None)


def _refused(state: State, problem: str) -> Next[Literal["plan_action", "finalize_blocked"]]:
    """The model is asked for another act, a few times in a row."""
    invalid = state.limits.invalid_actions + 1
    state = records.failed(state, problem)
    state = replace(state, limits=replace(state.limits, invalid_actions=invalid))
    return Next(state, "finalize_blocked" if invalid >= MAX_INVALID else "plan_action")


def _is_just_seen(state: State) -> bool:
    """Whether the planned action was checked on an observation that was taken after the model's answer."""
    return bool(state.turn.is_further or state.action.points)
