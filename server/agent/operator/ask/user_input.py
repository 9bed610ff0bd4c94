"""State updates from what the user says and does. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from langchain_core.messages import BaseMessage, HumanMessage, RemoveMessage

from server.agent.context import UserUpdates
from server.agent.operator.ask.answers import is_continuation
from server.agent.operator.memory import facts
from server.agent.operator.memory.records import REFUSED, failed, from_start, line, step
from server.agent.operator.memory.state import State, WorkState
from server.browser.addresses import site_of


def take_message(state: State, text: str, message_id: str) -> State:
    """Apply a new message: "continue" and "yes" keep the goal, new words after a finished task replace it.

    While work is unfinished, new words become the task, and the goal stays until the model changes it; the
    goal's own words begin it from the start. A message that is run again continues from the current state; if it was
    edited, it is a new goal.
    """
    if _keeps_task(state, text, message_id):
        return state
    asked = replace(state.asked, task=text, task_id=message_id)
    if is_new_goal(state, text, message_id):
        work = replace(
            state.work, plan=(), plan_edited=False, proposed_plan=(), models_plan=(), progress=None,
            is_plan_of_earlier=False,
        )  # fmt: skip
        return replace(state, asked=replace(asked, current_goal=text), work=work)
    return replace(state, asked=asked, work=replace(state.work, is_plan_of_earlier=bool(state.work.plan)))


def is_new_goal(state: State, text: str, message_id: str) -> bool:
    """Whether a message sets a new goal, with everything that belongs to it."""
    if _keeps_task(state, text, message_id):
        return False
    goal, is_again = state.asked.current_goal, state.asked.task_id == message_id
    return not goal or is_again or text == goal or state.work.outcome == "done"


def _keeps_task(state: State, text: str, message_id: str) -> bool:
    asked = state.asked
    is_same = asked.task_id == message_id and text == asked.task
    return bool(asked.current_goal) and (is_same or is_continuation(text))


def take_plan(work: WorkState, plan: Sequence[str]) -> WorkState:
    """Apply the user's plan: their own, or the model's proposal that they accepted."""
    tidy = tuple(facts.tidy_plan(plan))
    if tidy and tidy == work.proposed_plan:
        return from_start(replace(work, plan=tidy, plan_edited=False, proposed_plan=()), tidy)
    return replace(work, plan=tidy, plan_edited=True)


def replayed(state: State, message: HumanMessage) -> tuple[BaseMessage, ...]:
    """The message for the conversation; if it is run again, the messages after it are removed."""
    messages = state.messages
    at = next((place for place, old in enumerate(messages) if old.id == message.id), len(messages))
    return (*(RemoveMessage(id=old.id) for old in messages[at + 1 :] if old.id), message)


def says_something(updates: UserUpdates) -> bool:
    return bool(updates.messages or updates.takeover is not None) or changes_plan(updates)


def changes_plan(updates: UserUpdates) -> bool:
    return updates.plan is not None or updates.dismissed is not None


def leaves_approval(updates: UserUpdates) -> bool:
    """Whether an approval stays valid: neither a new plan nor a takeover before the answer voids it."""
    return not updates.messages and (updates.takeover is None or updates.before_answer)


def apply_updates(state: State, updates: UserUpdates) -> State:
    """Apply what the user said or did since the last step."""
    if updates.messages:
        state = _said(state, updates.messages)
    if updates.plan is not None:
        work = take_plan(state.work, updates.plan)
        accepted = state.work.proposed_plan and not work.proposed_plan
        line_of_it = "the user accepted the new plan" if accepted else "the user edited the plan"
        state = step(replace(state, work=work), line_of_it)
    if updates.dismissed == state.work.proposed_plan:
        state = replace(state, work=replace(state.work, proposed_plan=()))
        state = step(state, "the user turned the proposed plan down")
    if updates.takeover is not None:
        what = line(updates.takeover) or "no details are known"
        state = step(_with_site(state), f"the user had the browser: {what}")
        state = replace(state, limits=replace(state.limits, tried={}))
    if updates.asks_anew:
        state = replace(state, proof=replace(state.proof, denied={}))
    return state


def _said(state: State, words: Sequence[str]) -> State:
    """With the user's words in the conversation and among the steps."""
    added = (*state.added, *map(HumanMessage, words))
    state = replace(state, added=added, asked=replace(state.asked, last_user_message=words[-1]))
    return step(state, *(f"the user said: {line(text)}" for text in words))


def _with_site(state: State) -> State:
    """After what the user did in the browser: the site is private, the page is to be observed, and a refused request
    may have been accepted."""
    known, site = state.page.private_sites, site_of(state.url)
    sites = (*known, site) if site and site not in known else known
    page = replace(state.page, private_sites=sites, needs_observe=True)
    return replace(state, page=page, proof=replace(state.proof, refused=()))


def add_user_words(state: State, words: str) -> State:
    """Apply the user's words during a run: feedback that the model replans with."""
    state = _said(state, (words,))
    return replace(
        state,
        page=replace(state.page, needs_observe=True),
        limits=replace(state.limits, tried={}),
        proof=replace(state.proof, denied={}),
    )


def take_refusal(state: State, act: str, digest: str, words: str) -> State:
    """Apply a no with words: they replace earlier words and refusals, and the act is not asked for again."""
    state = add_user_words(failed(state, f"{act}: {REFUSED}"), words)
    return replace(state, proof=replace(state.proof, denied={digest: 0}))


def take_manual(state: State, words: str) -> State:
    """Apply the end of a manual step: the site is private, and the user's words are feedback."""
    state = step(_with_site(state), "the user has done their part")
    return add_user_words(state, words) if words and not is_continuation(words) else state
