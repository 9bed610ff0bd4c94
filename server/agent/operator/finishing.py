"""The five ways a run ends. Each builds the final response, streams the rest of it and stores it."""

from __future__ import annotations

import logging
import re

from langchain_core.messages import AIMessage

from server.agent.actions import StopAction
from server.agent.custom_events import OutcomeKnown, dispatch
from server.agent.effects import in_short
from server.agent.language import language_of
from server.agent.operator.memory import collecting
from server.agent.operator.memory.phrases import limit_summary, phrase, refusal_lines
from server.agent.operator.memory.records import FAILED, trimmed
from server.agent.operator.memory.reporting import publish_state, say
from server.agent.operator.memory.state import State, Update, planned
from server.agent.operator.plan.planner import Planner
from server.agent.operator.plan.prompts import summary_prompt
from server.errors import RunFailed
from server.events import Effect
from wording.step_words import line_in_words

log = logging.getLogger(__name__)

_QUESTION_MARKS = "?？؟"


async def finalize_done(state: State) -> Update:
    """End with the model's answer, which was streamed as it arrived.

    The whole plan is then done, unless it belongs to earlier work that this run only talked about, or the task was
    not done: then the item that does not work stays open.
    """
    action = planned(state)
    assert isinstance(action, StopAction)
    note = collecting.closing_words(state, is_whole=True)
    answer = "\n\n".join(filter(None, (action.final_response, note)))
    progress = dict(state.get("progress", {}))
    plan, is_unmet = state.get("plan", []), _is_unmet(state)
    if is_unmet:
        item = plan[progress.get("current", 0) :][:1]
        progress["blocked"] = list(dict.fromkeys([*progress.get("blocked", []), *item]))
    elif state.get("works_plan"):
        progress["current"] = len(plan)
    if is_unmet or state.get("works_plan"):
        await publish_state({**state, "progress": progress})
    outcome = "blocked" if is_unmet else "done"
    ended = await _end(state, outcome, answer + _refusals(state))
    return ended | {"progress": progress, "outcome": "done"}  # the next message is a new task in both cases


def _is_unmet(state: State) -> bool:
    """Whether the task was not done: the model says so, or nothing that was tried has worked."""
    steps = state.get("steps", [])
    return state.get("gives_up", False) or (bool(steps) and all(step.startswith(FAILED) for step in steps))


async def finalize_denied(state: State) -> Update:
    return await _end(state, "denied", phrase("denied", state["task"], reason=_last_failure(state)))


async def finalize_cancelled(state: State) -> Update:
    return await _end(state, "cancelled", phrase("cancelled", state["task"]))


async def finalize_blocked(state: State) -> Update:
    text = phrase("blocked", state["task"], n=state["invalid_actions"], reason=_last_failure(state))
    return await _end(state, "blocked", text)


async def finalize_limit(state: State, planner: Planner, reason: str, today: str) -> Update:
    """Summarise what was done, what failed and the next step, and ask; by a template if the model fails."""
    spoken: list[str] = []

    async def send(text: str) -> None:
        spoken.append(text)
        await say(text)

    try:
        await planner.stream_text(summary_prompt(state, reason, today), say=send)
    except RunFailed as error:
        log.warning("the summary is written by rule: %s", error.code)
        rest = ("\n\n" if spoken else "") + _summary(state, reason)
    else:
        rest = _closing_question(state, "".join(spoken)) if spoken else _summary(state, reason)
    said = "".join(spoken)
    if note := collecting.closing_words(state, is_whole=False):
        rest = f"\n\n{note}{rest}" if said else f"{rest}\n\n{note}"
    return await _end({**state, "spoken": said}, "limit", said + rest + _refusals(state))


def objection(state: State, action: StopAction) -> str | None:
    """Why the answer is sent back to the model, once: a request was refused, and the answer does not name it."""
    refused = [Effect.model_validate(effect) for effect in state.get("refused", [])]
    if not refused or state.get("is_turned_back"):
        return None
    words = set(re.findall(r"\d+", action.final_response))
    if all(str(effect.status) in words for effect in refused):
        return None
    listed = ", ".join(map(in_short, refused))
    return f"it does not say that a request was refused: {listed}. What it was for has not happened: say so, with the number"


def _refusals(state: State) -> str:
    lines = refusal_lines(state["task"], state.get("refused", []))
    return f"\n\n{lines}" if lines else ""


async def _end(state: State, outcome: str, answer: str) -> Update:
    spoken = state.get("spoken", "")
    if rest := answer.removeprefix(spoken):
        await say(rest)
    await dispatch(OutcomeKnown(outcome))
    log.info("run ends: %s after %d steps", outcome, state.get("tool_steps", 0))
    messages = [*trimmed(state.get("messages", [])), AIMessage(answer)]
    return {
        "final_response": answer, "outcome": outcome, "messages": messages, "spoken": answer,
        "planned_action": None, "approval": None, "pending": None,
    }  # fmt: skip


def _last_failure(state: State) -> str:
    return (state.get("failures") or ["?"])[-1]


def _closing_question(state: State, said: str) -> str:
    """The question whether to continue, if the model's summary does not ask one."""
    asks = said.rstrip()[-200:].count
    return "" if any(asks(mark) for mark in _QUESTION_MARKS) else "\n\n" + phrase("go_on", state["task"])


def _summary(state: State, reason: str) -> str:
    failures = list(dict.fromkeys(state.get("failures", [])))
    done = state.get("progress", {}).get("done") or [
        line_in_words(step).to(language_of(state["task"]))
        for step in state.get("steps", [])
        if not step.startswith(FAILED)
    ]
    plan, current = state.get("plan", []), state.get("progress", {}).get("current", 0)
    return limit_summary(
        state["task"], reason, done[-8:], [fact["fact"] for fact in state.get("facts", [])[-8:]], failures[-5:],
        plan[current] if current < len(plan) else None,
    )  # fmt: skip
