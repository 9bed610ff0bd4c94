"""State updates from the model's moves. Pure."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import datetime

from server.agent.actions import AimedAction
from server.agent.gate.masking import masked
from server.agent.operator.memory import facts
from server.agent.operator.memory.records import from_start
from server.agent.operator.memory.state import State, WorkState
from server.agent.operator.plan.move import Move

log = logging.getLogger(__name__)

GOAL_CHARS = 500


def take_move(state: State, move: Move, now: datetime) -> State:
    """Plan, progress and facts after a move."""
    page = facts.page_words(state.observation, state.page.reading or "", state.asked.task)
    work = _planned(state.work, move, page, state.asked.task)
    if is_planned := work.plan is not state.work.plan:
        work = from_start(work, work.plan)
    progress = facts.next_progress(
        work.progress, work.plan, step=move.step, done=move.done, blocked=move.blocked, page=page
    )
    has_worked = any((move.plan, move.step, move.done, is_planned))
    known = work.facts
    if move.facts:
        at, url = now.isoformat(timespec="seconds"), "" if _is_of_file(state) else state.url
        known = facts.merge_facts(known, move.facts, url, at, page)
    goal = facts.without_eids(move.goal or "", GOAL_CHARS, page)
    return replace(
        state,
        asked=replace(state.asked, current_goal=goal) if goal else state.asked,
        work=replace(
            work,
            progress=progress,
            facts=known,
            works_plan=work.works_plan or has_worked,
            gives_up=move.action == "stop" and bool((move.blocked or "").strip()),
        ),
    )


def _is_of_file(state: State) -> bool:
    return bool(state.page.reading and state.page.reading_file)


def _planned(work: WorkState, move: Move, page: facts.PageWords, task: str) -> WorkState:
    """The plan after a move: 3-6 items, the answer last. Work in the browser always has a plan; if the model
    gives none, a general one. A task that is answered at once needs none and may have a shorter one. If the
    user edited the plan, the model's new plan becomes a proposal."""
    is_work = move.action not in ("stop", "need_user", "ask_user")
    if not move.plan and (work.plan or work.plan_edited or not is_work):
        return work
    least = facts.LEAST_PLAN_ITEMS if is_work else 1
    plan = tuple(facts.whole_plan(facts.clean_plan(move.plan, page), task, least=least))
    if not work.plan_edited:
        return replace(work, plan=plan, models_plan=plan if move.plan else work.models_plan)
    if plan in (work.models_plan, work.plan):
        return work
    return replace(work, proposed_plan=plan, models_plan=plan)


def log_move(move: Move, aimed: AimedAction) -> None:
    """Log the decision at debug level, not to the user. Texts for secret fields are masked."""
    if log.isEnabledFor(logging.DEBUG):
        kept = move.model_dump(
            include={"goal", "plan", "step", "done", "blocked", "facts"}, exclude_defaults=True
        )
        log.debug("decided: %s", {**kept, **masked(aimed).to_json()})
