"""Nodes of a step: input, observe, plan, validate, execute, continue. Each returns the changed state."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from server.agent.actions import (
    AimedAction,
    AskUserAction,
    NavigateAction,
    ReadPageAction,
    RecordAction,
    StopAction,
    aim,
)
from server.agent.context import RunContext
from server.agent.gate.holding import agreed_terms, from_state
from server.agent.gate.logins import count_login
from server.agent.gate.page_facts import focused_element
from server.agent.gate.taint import count_bits
from server.agent.models.errors import BAD_RESPONSE
from server.agent.operator import finishing
from server.agent.operator.act import acting
from server.agent.operator.act.batch import Batch, leave_batch
from server.agent.operator.act.limits import (
    STANDS_STILL,
    TRIES_BEFORE_ASKING,
    TRIES_BEFORE_NEW_PLAN,
    OperatorLimits,
    after_attempt,
    attempted,
    count_attempt,
    marks_of,
)
from server.agent.operator.act.performing import perform_step
from server.agent.operator.ask import user_input
from server.agent.operator.ask.consent import Consent
from server.agent.operator.memory import collecting, records, reporting
from server.agent.operator.memory.phrases import phrase
from server.agent.operator.memory.reporting import note, publish_state, say, think
from server.agent.operator.memory.state import State, Update, fresh_run, merged, planned, seen
from server.agent.operator.plan import taken_move
from server.agent.operator.plan.lenient_parsing import LOOKS
from server.agent.operator.plan.move import Move, Offer, to_actions
from server.agent.operator.plan.offering import offers_points, usable_on
from server.agent.operator.plan.opening import address_to_open
from server.agent.operator.plan.planner import Planned, Planner
from server.agent.operator.plan.prompts import has_talk, step_prompt
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
from server.browser.addresses import site_of
from server.browser.outgoing.held import ActTerms
from server.clock import steady_time
from server.ops.json_types import JsonObject
from wording.catalogue import sentence

log = logging.getLogger(__name__)

MAX_INVALID = 3
REPAIR_TURNS = 2
"""Maximum consecutive retries when the model's answer is not a valid move."""
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

    async def ingest_user_input(self, state: State) -> Update:
        """Take a new message: reset the run's counters; keep the goal unless the message sets a new one."""
        text = state["user_message"]
        update = fresh_run() | user_input.take_message(state, text, state["message_id"])
        goes_on = "current_goal" not in update and state.get("task_id") != state["message_id"]
        update |= {
            "result_schema": None,
            "result": collecting.take_schema(state, state.get("result_schema"), goes_on=goes_on),
            "messages": user_input.replayed(state, HumanMessage(text, id=state["message_id"])), "last_user_message": text,
            "deadline": self.clock() + self.limits.seconds,
        }  # fmt: skip
        await publish_state(merged(state, update))
        return update

    async def maybe_observe(self, state: State, runtime: Runtime[RunContext]) -> Update:
        """Read the user's updates, then observe the page if it may have changed."""
        began = self.clock()
        updates = await runtime.context.inbox.take_updates()
        waited = self.clock() - began
        update = user_input.apply_updates(state, updates) | {"deadline": state["deadline"] + waited}
        if waited > AT_ONCE or updates.takeover is not None:
            if state.get("is_pictured"):  # at the end of the last step, perhaps with an observation
                update["needs_observe"] = True
            update["is_pictured"] = False
        now = merged(state, update)
        if user_input.changes_plan(updates):
            await publish_state(now)
        if now.get("needs_observe") or now.get("last_observation") is None:
            update |= await self.observer.look(runtime.context, now)
        return update | self._after_attempt(merged(state, update), runtime.context)

    def _after_attempt(self, state: State, context: RunContext) -> Update:
        return after_attempt(state, seen(state), self.observer.drawing(context))

    async def plan_action(self, state: State, runtime: Runtime[RunContext]) -> Update:
        """Make one model call: update the working state and plan the next action. An invalid answer is
        requested again; the third in a row raises RunFailed. What the task asks to open is opened without a call."""
        observation, left = seen(state), leave_batch(state)
        if address := address_to_open(state, observation):
            opening = NavigateAction(id=uuid.uuid4().hex, url=address).to_json()
            return {"planned_action": opening, "is_further": False, "batch": None, "route": "validate_action"}
        shown = await self.observer.image(runtime.context, state, observation)
        files = list(acting.files_in(runtime.context.files))
        now = merged(state, left)
        offer = self._offer(now, runtime.context, shown, files)
        prompt = step_prompt(
            now, self._page(state, runtime.context), files=files,
            image=shown.block if shown else None, problem=state.get("problem"),
            cached=self.planner.caches, offer=offer, today=runtime.context.today(),
        )  # fmt: skip
        table = collecting.Collected.of(state)
        # The answer of a move that may be turned back is not streamed: it would be shown and then replaced.
        is_held = bool(state.get("refused")) and not state.get("is_turned_back")
        is_held |= table is not None and not table.turned_back and table.lacks() is not None
        answer = await self.planner.decide(
            prompt, say=reporting.hold_back if is_held else say, think=think,
            method=state.get("method", ""), rows=table.wanted.model_schema() if table else None, offer=offer,
            is_short=state.get("is_cut", False),
        )  # fmt: skip
        spent = {
            "shown_page": observation.digest(),
            "tokens": state.get("tokens", 0) + answer.tokens, "cost": state.get("cost", 0.0) + answer.cost,
        }  # fmt: skip
        move, problem = self._taken(state, answer)
        if move is None:
            return left | spent | await self._repair(state, answer, problem)
        update = taken_move.take_move(state, move, observation, datetime.now(UTC))
        if update:
            await publish_state(merged(state, update))
        first, *further = to_actions(move, lambda: uuid.uuid4().hex)
        action = on_page(acting.with_whole_address(first, observation.page.url), shown)
        if shown and shown.picture:
            update["pictured_page"] = page_key(observation)
        taken_move.log_move(move, aim(action, observation))
        batch = Batch.plan(further, observation)
        return left | update | spent | {
            "planned_action": action.to_json(), "is_further": False,
            "batch": batch.to_json() if batch else None, "spoken": "" if is_held else answer.spoken, "problem": None, "repairs": 0,
            "method": "", "is_cut": False,
            "reading": state.get("reading") if isinstance(first, RecordAction | ReadPageAction) else None,
            "facts_before": len(state.get("facts", [])), "shown_lines": as_shown(state, observation),
            "route": "validate_action",
        }  # fmt: skip

    def _page(self, state: State, context: RunContext) -> str:
        """The page as this turn shows it, without what the model was shown at the last one and can do without."""
        observation = seen(state)
        is_read = bool(state.get("reading")) and observation.digest() == state.get("shown_page")
        described = self.observer.described(context, observation)
        return described.text(with_texts=not is_read, known=known_lines(state, observation))

    def _offer(
        self, state: State, context: RunContext, shown: ShownPicture | None, files: Sequence[str]
    ) -> Offer:
        """What this turn has a use for: `shown` is its picture."""
        observation = seen(state)
        return replace(
            usable_on(observation), tabs=context.has_browser(), files=bool(files),
            points=self.planner.points and offers_points(shown, observation), goal=has_talk(state),
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
        if state.get("repairs", 0):
            return move, ""
        return None, f"{move.action} with `final_response`: the answer goes with `stop`, a look has none"

    async def _repair(self, state: State, answer: Planned, problem: str) -> Update:
        """Ask again. Raises RunFailed after `REPAIR_TURNS` answers in a row, and after two in a row that were cut. To ask in
        another way what the server refused is no such turn: the methods are few."""
        update: Update = {"method": answer.method, "route": "plan_action"}
        if answer.is_refused:
            await note(sentence("waiting.asks_differently"))
            return update
        log.warning("the model's answer could not be used: %s", problem)
        repairs = state.get("repairs", 0) + 1
        if answer.failure and (state.get("is_cut") or repairs > REPAIR_TURNS):
            raise answer.failure
        if repairs > REPAIR_TURNS:
            raise BAD_RESPONSE.as_error()
        await note(sentence("waiting.asks_again", failed=repairs, tries=REPAIR_TURNS))
        return update | {"problem": problem, "repairs": repairs, "is_cut": answer.failure is not None}

    async def validate_action(self, state: State, runtime: Runtime[RunContext]) -> Update:
        """Return an action to the model if it is impossible here or was repeated without effect."""
        action, observation = planned(state), seen(state)
        if isinstance(action, StopAction) and (turned_back := collecting.turn_back(state)):
            return turned_back
        batch = Batch.model_validate(state["batch"]) if state.get("batch") else None
        files = acting.files_in(runtime.context.files)
        look: Update = {}
        problems = (
            acting.problem_of(one, observation, files) for one in (action, *(batch.actions if batch else ()))
        )
        problem = next(filter(None, problems), None)
        if is_shown(state, action):
            problem = f"{action.kind}: this part is in <reading> above: answer from it, or read another"
        if action.points and not problem:
            look, problem = await find_points(self.observer, runtime.context, state, action)
            state = merged(state, look)
            action, observation = planned(state), seen(state)
        if problem:
            invalid = state.get("invalid_actions", 0) + 1
            route = "finalize_blocked" if invalid >= MAX_INVALID else "plan_action"
            return (
                look
                | records.failed(state, problem)
                | {
                    "invalid_actions": invalid,
                    "route": route,
                }
            )
        if isinstance(action, StopAction) and (problem := finishing.objection(state, action)):
            return {"problem": problem, "is_turned_back": True, "route": "plan_action"}
        return look | await self._count(state, runtime.context, aim(action, observation))

    async def _count(self, state: State, context: RunContext, aimed: AimedAction) -> Update:
        """Let an act pass unless it was tried without effect: then the model, and at last the user, is to change the plan."""
        before = self._after_attempt(state, context)
        tried, count = count_attempt(state := merged(state, before), aimed)
        attempt = attempted(state, aimed, self.observer.drawing(context))
        update = before | {"invalid_actions": 0, "tried": tried, "route": "policy_gate", "attempt": attempt}
        if count <= TRIES_BEFORE_NEW_PLAN or isinstance(aimed.action, StopAction | AskUserAction):
            return update
        if state.get("moving") == attempt["key"] and await self._stands_still(state, context, attempt):
            return update | {"tried": {**tried, attempt["key"]: 1}}
        update |= {"attempt": None}
        observation = aimed.observation
        if count > TRIES_BEFORE_ASKING:
            text = phrase("stuck", state["task"], site=site_of(observation.page.url) or observation.page.url)
            return update | {
                "pending": self.consent.hand_over(state, text, "answer"),
                "route": "manual_interrupt",
                "tried": {},
            }
        what = acting.describe(aimed)
        problem = (
            f"{what}: done {TRIES_BEFORE_NEW_PLAN} times on this very page without effect; change the plan"
        )
        return update | records.failed(state, problem) | {"route": "plan_action"}

    async def _stands_still(self, state: State, context: RunContext, attempt: JsonObject) -> bool:
        """Whether the page changes nothing by itself, so that what changed is the effect of acts."""
        await asyncio.sleep(STANDS_STILL)
        later = merged(state, await self.observer.look(context, merged(state, {"is_pictured": False})))
        return bool(marks_of(seen(later), self.observer.drawing(context)) == attempt["marks"])

    async def execute_action(self, state: State, runtime: Runtime[RunContext]) -> Update:
        """Make one tool call. New user input comes first; an approved action is compared with the page."""
        if isinstance(planned(state), StopAction):
            return {"route": "finalize_done"}
        began = self.clock()
        updates = await runtime.context.inbox.take_updates()
        waited = self.clock() - began > AT_ONCE
        update: Update = user_input.apply_updates(state, updates) | {"route": ""}
        if user_input.says_something(updates) and not (
            state.get("approval") and user_input.leaves_approval(updates)
        ):
            return update | {"approval": None, "held": [], "needs_observe": True}
        held = from_state(state.get("held"))
        if (
            state.get("approval")
            and held
            and runtime.context.has_browser()
            and await (await runtime.context.browser()).held_waits()
        ):
            update |= {"approval": None}  # the very request is let go, whatever the page shows by now
        elif state.get("approval"):
            update |= await self.consent.hold_to_approval(merged(state, update), runtime.context)
        elif (waited or not _is_just_seen(state)) and acting.may_commit(aim(planned(state), seen(state))):
            update |= await self.consent.judge_again(merged(state, update), runtime.context)
        is_approved = bool(state.get("approval"))
        if not is_approved and merged(state, update)["planned_action"] is not None:
            update |= await self.consent.use_grants(merged(state, update), runtime.context)
        now = merged(state, update)
        if now["planned_action"] is None:
            return update
        aimed = aim(planned(now), seen(now), focused_element(now, seen(now)))
        count_bits(aimed, now, runtime.context.private, approved=is_approved)
        terms = self.consent.terms(now, runtime.context, is_approved=is_approved)
        count_login(aimed, runtime.context.logins, approved=is_approved)
        update |= {"held": []} | await perform_step(now, runtime.context, self.observer, terms)
        update |= {"route": ""} if is_approved else {}  # what was asked about stands alone
        return update | await self._heed_hold(merged(state, update), runtime.context, terms)

    async def _heed_hold(self, state: State, context: RunContext, terms: ActTerms) -> Update:
        """Ask about what the act was about to send; where grants cover it, let it go."""
        if not context.has_browser() or not (held := (await context.browser()).held()):
            return {}
        update, is_covered = await self.consent.rule_on_held(state, context, held)
        if not is_covered:
            return update
        update |= await perform_step(merged(state, update), context, self.observer, agreed_terms(held, terms))
        if not (further := (await context.browser()).held()):
            return update | {"held": []}
        asked, _ = await self.consent.rule_on_held(merged(state, update), context, further, asks=True)
        return update | asked

    async def maybe_stop_or_continue(self, state: State, runtime: Runtime[RunContext]) -> Update:
        """End if the answer is given or a limit is reached, else continue with the next step."""
        if state["route"] == "finalize_done":
            return {}
        now: Update = {"deadline": state["deadline"] + runtime.context.take_queued()}
        if self._reached(merged(state, now), runtime):
            return now | {"route": "finalize_limit"}
        return now | {"route": state["route"] or "maybe_observe"}

    async def continue_batch(self, state: State, runtime: Runtime[RunContext]) -> Update:
        """Observe, and plan the next act of the last move if the page is still the one it was planned on."""
        batch = Batch.model_validate(state["batch"])
        update = (
            await self.observer.look(runtime.context, state, batch.refs) if state["needs_observe"] else {}
        )
        action = batch.next_action(seen(merged(state, update)))
        if action is None:
            why = records.failed(state, "the page changed after that: look again")
            return update | why | {"route": "maybe_observe"}
        rest = batch.after_next()
        return update | {
            "planned_action": action.to_json(), "is_further": True, "batch": rest.to_json() if rest else None,
            "route": "validate_action",
        }  # fmt: skip

    async def finalize_limit(self, state: State, runtime: Runtime[RunContext]) -> Update:
        reason = self._reached(state, runtime) or "?"
        return await finishing.finalize_limit(state, self.planner, reason, runtime.context.today())

    def _reached(self, state: State, runtime: Runtime[RunContext]) -> str | None:
        return self.limits.reached(state, runtime.context.max_tool_steps, self.clock())


def _is_just_seen(state: State) -> bool:
    """Whether the planned action was checked on an observation that was taken after the model's answer."""
    return bool(state.get("is_further") or planned(state).points)
