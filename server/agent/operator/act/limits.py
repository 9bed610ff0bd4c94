"""When a run must pause: limits of steps, tokens, cost and time, and repeated attempts. Pure."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace

from server.agent.actions import AimedAction, ClickAction
from server.agent.gate.approval import arguments_of
from server.agent.operator.act.acting import describe
from server.agent.operator.memory.phrases import phrase
from server.agent.operator.memory.state import State, TriedAct
from server.browser.observation import Observation
from server.ops.json_types import Json

TRIES_BEFORE_NEW_PLAN = 2
"""Attempts of one action that change nothing before the model must change its plan."""
TRIES_BEFORE_ASKING = 4
"""Attempts after which the user is asked how to continue."""
SILENT_SITE = 2
"""Consecutive timeouts on one site before the model is advised to leave it."""

STANDS_STILL = 1.6
"""Seconds in which a page that changes by itself, such as one with a clock that is drawn late, has changed again."""
NOTHING_CHANGED = "nothing on the page changed"
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class OperatorLimits:
    """Budgets of one run except steps. `seconds` excludes waiting for the user or a free browser."""

    tokens: int
    seconds: float
    dollars: float | None = None
    """None for no cost limit."""

    def reached(self, state: State, max_steps: int, now: float) -> str | None:
        """The reached limit as a sentence for the user; None if none is reached."""
        task, spent = state.asked.task, state.limits
        if spent.tool_steps >= max_steps:
            return phrase("steps", task, n=max_steps)
        if spent.tokens >= self.tokens:
            return phrase("tokens", task)
        if self.dollars is not None and spent.cost >= self.dollars:
            return phrase("cost", task)
        if now >= spent.deadline:
            return phrase("time", task)
        return None


def before_timeout(run_timeout: float) -> float:
    """A run's time budget in seconds: leaves time for the summary before `run_timeout` ends the run."""
    return run_timeout - min(60.0, run_timeout / 10)


def attempt_key(aimed: AimedAction) -> str:
    """Hash that is equal for the same action on the same target of one page."""
    on = [element.ref for element in aimed.targets]
    tried: list[Json] = [aimed.observation.page.url, describe(aimed), arguments_of(aimed.action), *on]
    return _hash(json.dumps(tried, sort_keys=True, ensure_ascii=False))


def marks_of(observation: Observation, drawing: str = "") -> tuple[str, str]:
    """Two hashes of the page: without the numbers in its texts, which a page may change by itself, and of all of it.

    `drawing` is a hash of its picture, where it draws what no text says.
    """
    texts = [observation.page.title, *observation.text_blocks, *(one.text for one in observation.overlays)]
    lines = [observation.page.url, *(_NUMBER.sub("", text) for text in texts)]
    for one in observation.interactive:
        state = (one.value, one.checked, one.expanded, one.selected, one.disabled, one.visible, one.filled)
        lines.append(f"{one.role} {one.name} {one.shows} {state}")
    return _hash("\n".join(lines)), f"{observation.digest()}{drawing}"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def counted_attempt(state: State, aimed: AimedAction, drawing: str) -> tuple[State, TriedAct]:
    """With this attempt among those that changed nothing, and what is compared with the page after the act."""
    key = attempt_key(aimed)
    tried = {**state.limits.tried, key: state.limits.tried.get(key, 0) + 1}
    attempt = TriedAct(
        key=key, what=describe(aimed), is_click=isinstance(aimed.action, ClickAction),
        marks=marks_of(aimed.observation, drawing), steps=state.limits.tool_steps,
    )  # fmt: skip
    return replace(state, limits=replace(state.limits, tried=tried, attempt=attempt)), attempt


def after_attempt(state: State, drawing: str) -> State:
    """What came of the last attempt. One that changed the page is forgotten, a click that did not is reported as such."""
    limits, steps = state.limits, state.work.steps
    attempt = limits.attempt
    if not attempt or limits.tool_steps <= attempt.steps:
        return state
    (plain, whole), before = marks_of(state.observation, drawing), attempt.marks
    limits = replace(limits, attempt=None)
    if plain != before[0]:
        others = {key: count for key, count in limits.tried.items() if key != attempt.key}
        return replace(state, limits=replace(limits, tried=others, moving=""))
    if whole != before[1]:  # a clock, or what the act did: that is found out where it matters
        return replace(state, limits=replace(limits, moving=attempt.key))
    if attempt.is_click and steps and steps[-1].startswith(f"{attempt.what}: ok"):
        steps = (*steps[:-1], f"{steps[-1]}; {NOTHING_CHANGED}")
    return replace(state, limits=limits, work=replace(state.work, steps=steps))
