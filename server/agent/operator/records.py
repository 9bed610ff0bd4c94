"""State updates from user input, the model's moves and step results. Pure."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from langchain_core.messages import BaseMessage, HumanMessage, RemoveMessage

from server.agent.actions import AimedAction
from server.agent.context import UserUpdates
from server.agent.gate.approval import masked, site_of
from server.agent.operator import facts
from server.agent.operator.answers import is_continuation
from server.agent.operator.batch import Batch
from server.agent.operator.move import Move
from server.agent.operator.observing import seen
from server.agent.operator.state import State, Update, last_url, merged
from server.browser.observation import Observation
from wording.catalogue import Wording, changed, joined, shortened

log = logging.getLogger(__name__)

MESSAGES_KEPT = 40
LINES_KEPT = 60
LINE_CHARS = 240
GOAL_CHARS = 500
NO_PLAN: Mapping[str, list[str] | bool] = {
    "plan": [],
    "plan_edited": False,
    "proposed_plan": [],
    "models_plan": [],
}
REFUSED = "the user refused it: do not try it again, do otherwise, or stop and say that it was refused"
FAILED = "failed: "
"""Prefix of a failed step's line."""


def take_message(state: State, text: str, message_id: str) -> Update:
    """Apply a new message: "continue" and "yes" keep the goal, new words after a finished task replace it.

    While work is unfinished, new words become the task, and the goal stays until the model changes it; the
    goal's own words begin it from the start. A message that is run again continues from the current state; if it was
    edited, it is a new goal.
    """
    goal, is_again = state.get("current_goal"), state.get("task_id") == message_id
    if goal and (is_continuation(text) or (is_again and text == state.get("task"))):
        return {}
    update: Update = {"task": text, "task_id": message_id}
    if not goal or is_again or text == goal or state.get("outcome") == "done":
        return update | {"current_goal": text, "progress": {}, "is_plan_of_earlier": False, **NO_PLAN}
    return update | {"is_plan_of_earlier": bool(state.get("plan"))}


def take_plan(state: Mapping[str, object], plan: Sequence[str]) -> Update:
    """Apply the user's plan: their own, or the model's proposal that they accepted."""
    tidy = facts.tidy_plan(plan)
    if tidy and tidy == state.get("proposed_plan"):
        return {"plan": tidy, "plan_edited": False, "proposed_plan": []} | _from_start(state, tidy)
    return {"plan": tidy, "plan_edited": True}


def _from_start(state: Mapping[str, object], plan: Sequence[str]) -> Update:
    """Progress for a plan that replaces one of an earlier task: nothing of it is done yet, also what both have."""
    if not state.get("is_plan_of_earlier"):
        return {}
    return {"progress": facts.progress_from_start(state.get("progress"), plan), "is_plan_of_earlier": False}


def replayed(state: State, message: HumanMessage) -> list[BaseMessage]:
    """The message for the conversation; if it is run again, the messages after it are removed."""
    messages = state.get("messages", [])
    at = next((place for place, old in enumerate(messages) if old.id == message.id), len(messages))
    return [*(RemoveMessage(id=old.id) for old in messages[at + 1 :] if old.id), message]


def trimmed(messages: list[BaseMessage]) -> list[BaseMessage]:
    """Removals that keep the conversation bounded to `MESSAGES_KEPT` messages."""
    return [RemoveMessage(id=message.id) for message in messages[:-MESSAGES_KEPT] if message.id]


def says_something(updates: UserUpdates) -> bool:
    return bool(updates.messages or updates.takeover is not None) or changes_plan(updates)


def changes_plan(updates: UserUpdates) -> bool:
    return updates.plan is not None or updates.dismissed is not None


def leaves_approval(updates: UserUpdates) -> bool:
    """Whether an approval stays valid: neither a new plan nor a takeover before the answer voids it."""
    return not updates.messages and (updates.takeover is None or updates.before_answer)


def apply_updates(state: State, updates: UserUpdates) -> Update:
    """Apply what the user said or did since the last step."""
    update: Update = {}
    steps = list(state.get("steps", []))
    if updates.messages:
        update["messages"] = [HumanMessage(text) for text in updates.messages]
        update["last_user_message"] = updates.messages[-1]
        steps += [f"the user said: {line(text)}" for text in updates.messages]
    if updates.plan is not None:
        update |= take_plan(state, updates.plan)
        accepted = "proposed_plan" in update
        steps.append("the user accepted the new plan" if accepted else "the user edited the plan")
    if updates.dismissed is not None and list(updates.dismissed) == state.get("proposed_plan"):
        update["proposed_plan"] = []
        steps.append("the user turned the proposed plan down")
    if updates.takeover is not None:
        steps.append(f"the user had the browser: {line(updates.takeover) or 'no details are known'}")
        update |= {"needs_observe": True, "tried": {}, "private_sites": with_site(state), "refused": []}
    if (updates.messages or updates.plan is not None) and not updates.are_words_old:
        update["denied"] = {}
    return update | ({"steps": steps[-LINES_KEPT:]} if says_something(updates) else {})


def with_site(state: State) -> list[str]:
    """The private sites including the current one: what the user does there manually is private."""
    known, site = state.get("private_sites", []), site_of(last_url(state))
    return [*known, site] if site and site not in known else list(known)


def add_user_words(state: State, words: str) -> Update:
    """Apply the user's words during a run: feedback that the model replans with."""
    steps = [*state.get("steps", []), f"the user said: {line(words)}"]
    return {
        "messages": [HumanMessage(words)], "last_user_message": words, "steps": steps[-LINES_KEPT:],
        "needs_observe": True, "tried": {}, "denied": {},
    }  # fmt: skip


def take_refusal(state: State, act: str, digest: str, words: str) -> Update:
    """Apply a no with words: they replace earlier words and refusals, and the act is not asked for again."""
    update = failed(state, f"{act}: {REFUSED}")
    return update | add_user_words(merged(state, update), words) | {"denied": {digest: 0}}


def take_manual(state: State, words: str) -> Update:
    """Apply the end of a manual step: the site is private, and the user's words are feedback."""
    update: Update = {"private_sites": with_site(state), "needs_observe": True, "refused": []}
    steps = [*state.get("steps", []), "the user has done their part"]
    update["steps"] = steps[-LINES_KEPT:]
    if words and not is_continuation(words):
        update |= add_user_words(merged(state, update), words)
    return update


def take_move(state: State, move: Move, observation: Observation, now: datetime) -> Update:
    """The working state after a move; only what changed."""
    page = facts.page_words(observation, state.get("reading") or "", state.get("task", ""))
    update: Update = {"gives_up": move.action == "stop" and bool((move.blocked or "").strip())}
    if goal := facts.without_eids(move.goal or "", GOAL_CHARS, page):
        update["current_goal"] = goal
    update |= _planned(state, move, page)
    plan = update.get("plan", state.get("plan", []))
    if "plan" in update:
        update |= _from_start(state, plan)
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


def failed(state: State, what: str) -> Update:
    """Add a line to the steps and to the failures."""
    text = f"{FAILED}{line(what)}"
    return {
        "steps": [*state.get("steps", []), text][-LINES_KEPT:],
        "failures": [*state.get("failures", []), line(what)][-LINES_KEPT:],
    }


def step(state: State, what: str) -> Update:
    return {"steps": [*state.get("steps", []), what][-LINES_KEPT:]}


def leave_batch(state: State) -> Update:
    """Record what of the last move was not done, for the model; nothing if all of it was."""
    if not state.get("batch"):
        return {}
    left = Batch.model_validate(state["batch"]).describe(seen(state))
    return step(state, f"not done of that move: {line(left)}") | {"batch": None}


def void(state: State, why: str) -> Update:
    """Void an approval: nothing was done, and the model replans."""
    return failed(state, f"{why}: nothing was done") | {"needs_observe": True, "approval": None}


def log_move(move: Move, aimed: AimedAction) -> None:
    """Log the decision at debug level, not to the user. Texts for secret fields are masked."""
    if log.isEnabledFor(logging.DEBUG):
        kept = move.model_dump(
            include={"goal", "plan", "step", "done", "blocked", "facts"}, exclude_defaults=True
        )
        log.debug("decided: %s", {**kept, **masked(aimed).to_json()})


def line_of(text: Wording, chars: int = LINE_CHARS) -> Wording:
    """As `line`, with its sentences."""
    plain = changed(text, lambda words: re.sub(r"\s+", " ", words))
    return plain if len(plain) <= chars else joined((shortened(plain, chars - 1), "…"), "")


def line(text: str, chars: int = LINE_CHARS) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= chars else plain[: chars - 1] + "…"
