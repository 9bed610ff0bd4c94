"""The five ways a run ends. Each builds the final response, streams the rest of it and stores it."""

from __future__ import annotations

import logging

from langchain_core.messages import AIMessage

from server.agent.actions import StopAction
from server.agent.custom_events import OutcomeKnown, dispatch
from server.agent.operator.phrases import limit_summary, phrase
from server.agent.operator.planner import Planner
from server.agent.operator.prompts import summary_prompt
from server.agent.operator.records import FAILED, trimmed
from server.agent.operator.reporting import publish_state, say
from server.agent.operator.state import State, Update, planned
from server.errors import RunFailed

log = logging.getLogger(__name__)

_QUESTION_MARKS = "?？؟"


async def finalize_done(state: State) -> Update:
    """End with the model's answer, which was streamed as it arrived.

    The whole plan is then done, unless it belongs to earlier work that this run only talked about.
    """
    action = planned(state)
    assert isinstance(action, StopAction)
    answer = action.final_response
    progress = dict(state.get("progress", {}))
    if state.get("works_plan"):
        progress["current"] = len(state.get("plan", []))
        await publish_state({**state, "progress": progress})
    return await _end(state, "done", answer) | {"progress": progress}


async def finalize_denied(state: State) -> Update:
    return await _end(state, "denied", phrase("denied", state["task"], reason=_last_failure(state)))


async def finalize_cancelled(state: State) -> Update:
    return await _end(state, "cancelled", phrase("cancelled", state["task"]))


async def finalize_blocked(state: State) -> Update:
    text = phrase("blocked", state["task"], n=state["invalid_actions"], reason=_last_failure(state))
    return await _end(state, "blocked", text)


async def finalize_limit(state: State, planner: Planner, reason: str) -> Update:
    """Summarise what was done, what failed and the next step, and ask; by a template if the model fails."""
    spoken: list[str] = []

    async def send(text: str) -> None:
        spoken.append(text)
        await say(text)

    try:
        await planner.stream_text(summary_prompt(state, reason), say=send)
    except RunFailed as error:
        log.warning("the summary is written by rule: %s", error.code)
        rest = ("\n\n" if spoken else "") + _summary(state, reason)
    else:
        rest = _closing_question(state, "".join(spoken)) if spoken else _summary(state, reason)
    said = "".join(spoken)
    return await _end({**state, "spoken": said}, "limit", said + rest)


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
        step for step in state.get("steps", []) if not step.startswith(FAILED)
    ]
    plan, current = state.get("plan", []), state.get("progress", {}).get("current", 0)
    return limit_summary(
        state["task"], reason, done[-8:], [fact["fact"] for fact in state.get("facts", [])[-8:]], failures[-5:],
        plan[current] if current < len(plan) else None,
    )  # fmt: skip
