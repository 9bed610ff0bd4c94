"""State updates from what the user says and does. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from langchain_core.messages import BaseMessage, HumanMessage, RemoveMessage

from server.agent.context import UserUpdates
from server.agent.operator.ask.answers import is_continuation
from server.agent.operator.memory import facts
from server.agent.operator.memory.records import LINES_KEPT, REFUSED, failed, from_start, line
from server.agent.operator.memory.state import State, Update, last_url, merged
from server.browser.addresses import site_of

NO_PLAN: Mapping[str, list[str] | bool] = {
    "plan": [],
    "plan_edited": False,
    "proposed_plan": [],
    "models_plan": [],
}


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
        return {"plan": tidy, "plan_edited": False, "proposed_plan": []} | from_start(state, tidy)
    return {"plan": tidy, "plan_edited": True}


def replayed(state: State, message: HumanMessage) -> list[BaseMessage]:
    """The message for the conversation; if it is run again, the messages after it are removed."""
    messages = state.get("messages", [])
    at = next((place for place, old in enumerate(messages) if old.id == message.id), len(messages))
    return [*(RemoveMessage(id=old.id) for old in messages[at + 1 :] if old.id), message]


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
