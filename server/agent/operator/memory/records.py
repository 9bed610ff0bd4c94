"""The lines that a run keeps of its steps, and what is kept of the conversation. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from langchain_core.messages import BaseMessage, RemoveMessage

from server.agent.operator.memory import facts
from server.agent.operator.memory.state import State, WorkState
from wording.catalogue import Wording, changed, joined, shortened

MESSAGES_KEPT = 40
LINES_KEPT = 60
LINE_CHARS = 240
REFUSED = "the user refused it: do not try it again, do otherwise, or stop and say that it was refused"
FAILED = "failed: "
"""Prefix of a failed step's line."""


def from_start(work: WorkState, plan: Sequence[str]) -> WorkState:
    """With progress for a plan that replaces one of an earlier task: nothing of it is done yet, also what both have."""
    if not work.is_plan_of_earlier:
        return work
    progress = facts.progress_from_start(work.progress, plan)
    return replace(work, progress=progress, is_plan_of_earlier=False)


def trimmed(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Removals that keep the conversation bounded to `MESSAGES_KEPT` messages."""
    return [RemoveMessage(id=message.id) for message in messages[:-MESSAGES_KEPT] if message.id]


def failed(state: State, what: str) -> State:
    """Add a line to the steps and to the failures."""
    failures = (*state.work.failures, line(what))[-LINES_KEPT:]
    return step(replace(state, work=replace(state.work, failures=failures)), f"{FAILED}{line(what)}")


def step(state: State, *what: str) -> State:
    """Add lines to the steps."""
    return replace(state, work=replace(state.work, steps=(*state.work.steps, *what)[-LINES_KEPT:]))


def did(state: State, words: str) -> State:
    """Add what a step did, for the person."""
    return replace(state, work=replace(state.work, did=(*state.work.did, words)[-LINES_KEPT:]))


def void(state: State, why: str) -> State:
    """Void an approval: nothing was done, and the model replans."""
    state = failed(state, f"{why}: nothing was done")
    return replace(
        state, page=replace(state.page, needs_observe=True), turn=replace(state.turn, approval=None)
    )


def line_of(text: Wording, chars: int = LINE_CHARS) -> Wording:
    """As `line`, with its sentences."""
    plain = changed(text, lambda words: re.sub(r"\s+", " ", words))
    return plain if len(plain) <= chars else joined((shortened(plain, chars - 1), "…"), "")


def line(text: str, chars: int = LINE_CHARS) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= chars else plain[: chars - 1] + "…"
