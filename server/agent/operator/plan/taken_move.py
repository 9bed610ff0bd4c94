"""State updates from the model's moves. Pure."""

from __future__ import annotations

import logging
from datetime import datetime

from server.agent.actions import AimedAction
from server.agent.gate.masking import masked
from server.agent.operator.memory import facts
from server.agent.operator.memory.records import from_start
from server.agent.operator.memory.state import State, Update
from server.agent.operator.plan.move import Move
from server.browser.observation import Observation

log = logging.getLogger(__name__)

GOAL_CHARS = 500


def take_move(state: State, move: Move, observation: Observation, now: datetime) -> Update:
    """The working state after a move; only what changed."""
    page = facts.page_words(observation, state.get("reading") or "", state.get("task", ""))
    update: Update = {"gives_up": move.action == "stop" and bool((move.blocked or "").strip())}
    if goal := facts.without_eids(move.goal or "", GOAL_CHARS, page):
        update["current_goal"] = goal
    update |= _planned(state, move, page)
    plan = update.get("plan", state.get("plan", []))
    if "plan" in update:
        update |= from_start(state, plan)
    progress = facts.next_progress(
        update.get("progress", state.get("progress", {})),
        plan,
        step=move.step,
        done=move.done,
        blocked=move.blocked,
        page=page,
    )
    update["progress"] = progress
    update["works_plan"] = state.get("works_plan", False) or bool(
        move.plan or move.step or move.done or "plan" in update
    )
    if move.facts:
        is_of_file = bool(state.get("reading") and state.get("reading_file"))
        at, url = now.isoformat(timespec="seconds"), "" if is_of_file else observation.page.url
        update["facts"] = facts.merge_facts(state.get("facts", []), move.facts, url, at, page)
    return {name: value for name, value in update.items() if value != state.get(name)}


def _planned(state: State, move: Move, page: facts.PageWords) -> Update:
    """The plan after a move: 3-6 items, the answer last. Work in the browser always has a plan; if the model
    gives none, a general one. A task that is answered at once needs none and may have a shorter one. If the
    user edited the plan, the model's new plan becomes a proposal."""
    known, is_edited, task = state.get("plan", []), state.get("plan_edited", False), state.get("task", "")
    is_work = move.action not in ("stop", "need_user", "ask_user")
    if not move.plan and (known or is_edited or not is_work):
        return {}
    least = facts.LEAST_PLAN_ITEMS if is_work else 1
    plan = facts.whole_plan(facts.clean_plan(move.plan, page), task, least=least)
    if not is_edited:
        return {"plan": plan} | ({"models_plan": plan} if move.plan else {})
    if plan in (state.get("models_plan"), known):
        return {}
    return {"proposed_plan": plan, "models_plan": plan}


def log_move(move: Move, aimed: AimedAction) -> None:
    """Log the decision at debug level, not to the user. Texts for secret fields are masked."""
    if log.isEnabledFor(logging.DEBUG):
        kept = move.model_dump(
            include={"goal", "plan", "step", "done", "blocked", "facts"}, exclude_defaults=True
        )
        log.debug("decided: %s", {**kept, **masked(aimed).to_json()})
