"""The five ways a run ends. Each builds the final response, streams the rest of it and stores it."""

from __future__ import annotations

import logging
import re
from dataclasses import replace

from langchain_core.messages import AIMessage

from server.agent.actions import StopAction
from server.agent.context import RunContext
from server.agent.custom_events import OutcomeKnown, dispatch
from server.agent.effects import in_short
from server.agent.operator.memory import collecting
from server.agent.operator.memory.phrases import limit_summary, phrase, refusal_lines
from server.agent.operator.memory.records import FAILED, trimmed
from server.agent.operator.memory.reporting import publish_state, say
from server.agent.operator.memory.state import Outcome, PlanProgress, State, WorkState
from server.agent.operator.plan.planner import Planner
from server.agent.operator.plan.prompts import summary_prompt
from server.errors import RunFailed

log = logging.getLogger(__name__)

_QUESTION_MARKS = "?？؟"


async def finalize_done(state: State, context: RunContext) -> State:
    """End with the model's answer, which was streamed as it arrived.

    The whole plan is then done, unless it belongs to earlier work that this run only talked about, or the task was
    not done: then the item that does not work stays open.
    """
    action = state.action
    assert isinstance(action, StopAction)
    note = collecting.closing_words(state, is_whole=True)
    answer = "\n\n".join(filter(None, (action.final_response, note)))
    is_unmet = _is_unmet(state)
    if is_unmet or state.work.works_plan:
        progress = _closing_progress(state.work, is_unmet=is_unmet)
        state = replace(state, work=replace(state.work, progress=progress))
        await publish_state(state)
    if action.notes:
        await context.knowledge.propose(state.url, action.notes)
    ended = await _end(state, "blocked" if is_unmet else "done", answer + _refusals(state))
    return replace(
        ended, work=replace(ended.work, outcome="done")
    )  # the next message is a new task in both cases


def _closing_progress(work: WorkState, *, is_unmet: bool) -> PlanProgress:
    """With the item that stays open, or with none."""
    progress = work.progress or PlanProgress()
    if not is_unmet:
        return progress.model_copy(update={"current": len(work.plan)})
    item = work.plan[progress.current :][:1]
    return progress.model_copy(update={"blocked": tuple(dict.fromkeys((*progress.blocked, *item)))})


def _is_unmet(state: State) -> bool:
    """Whether the task was not done: the model says so, or nothing that was tried has worked."""
    steps = state.work.steps
    return state.work.gives_up or (bool(steps) and all(step.startswith(FAILED) for step in steps))


async def finalize_denied(state: State, _: RunContext) -> State:
    return await _end(state, "denied", phrase("denied", state.asked.task, reason=_last_failure(state)))


async def finalize_cancelled(state: State, _: RunContext) -> State:
    return await _end(state, "cancelled", phrase("cancelled", state.asked.task))


async def finalize_blocked(state: State, _: RunContext) -> State:
    times, reason = state.limits.invalid_actions, _last_failure(state)
    return await _end(state, "blocked", phrase("blocked", state.asked.task, n=times, reason=reason))


async def finalize_limit(state: State, planner: Planner, reason: str, today: str, instructions: str) -> State:
    """Summarise what was done, what failed and the next step, and ask; by a template if the model fails."""
    spoken: list[str] = []

    async def send(text: str) -> None:
        spoken.append(text)
        await say(text)

    try:
        await planner.stream_text(summary_prompt(state, reason, today, instructions), say=send)
    except RunFailed as error:
        log.warning("the summary is written by rule: %s", error.code)
        rest = ("\n\n" if spoken else "") + _summary(state, reason)
    else:
        rest = _closing_question(state, "".join(spoken)) if spoken else _summary(state, reason)
    said = "".join(spoken)
    if note := collecting.closing_words(state, is_whole=False):
        rest = f"\n\n{note}{rest}" if said else f"{rest}\n\n{note}"
    state = replace(state, turn=replace(state.turn, spoken=said))
    return await _end(state, "limit", said + rest + _refusals(state))


def objection(state: State, action: StopAction) -> str | None:
    """Why the answer is sent back to the model, once: a request was refused, and the answer does not name it."""
    refused = state.proof.refused
    if not refused or state.proof.is_turned_back:
        return None
    words = set(re.findall(r"\d+", action.final_response))
    if all(str(effect.status) in words for effect in refused):
        return None
    listed = ", ".join(map(in_short, refused))
    return f"it does not say that a request was refused: {listed}. What it was for has not happened: say so, with the number"


def _refusals(state: State) -> str:
    lines = refusal_lines(state.asked.task, state.proof.refused)
    return f"\n\n{lines}" if lines else ""


async def _end(state: State, outcome: Outcome, answer: str) -> State:
    if rest := answer.removeprefix(state.turn.spoken):
        await say(rest)
    await dispatch(OutcomeKnown(outcome))
    log.info("run ends: %s after %d steps", outcome, state.limits.tool_steps)
    turn = replace(
        state.turn, final_response=answer, spoken=answer, planned_action=None, approval=None, pending=None
    )
    added = (*state.added, *trimmed(state.messages), AIMessage(answer))
    return replace(state, added=added, turn=turn, work=replace(state.work, outcome=outcome))


def _last_failure(state: State) -> str:
    return (state.work.failures or ("?",))[-1]


def _closing_question(state: State, said: str) -> str:
    """The question whether to continue, if the model's summary does not ask one."""
    asks = said.rstrip()[-200:].count
    return "" if any(asks(mark) for mark in _QUESTION_MARKS) else "\n\n" + phrase("go_on", state.asked.task)


def _summary(state: State, reason: str) -> str:
    work, progress = state.work, state.work.progress or PlanProgress()
    return limit_summary(
        state.asked.task, reason, (progress.done or work.did)[-8:], [fact.fact for fact in work.facts[-8:]],
        list(dict.fromkeys(work.failures))[-5:], next(iter(work.plan[progress.current :]), None),
    )  # fmt: skip
