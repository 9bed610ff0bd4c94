"""The lines that a run keeps of its steps, and what is kept of the conversation. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from langchain_core.messages import BaseMessage, RemoveMessage

from server.agent.operator.memory import facts
from server.agent.operator.memory.state import State, Update
from wording.catalogue import Wording, changed, joined, shortened

MESSAGES_KEPT = 40
LINES_KEPT = 60
LINE_CHARS = 240
REFUSED = "the user refused it: do not try it again, do otherwise, or stop and say that it was refused"
FAILED = "failed: "
"""Prefix of a failed step's line."""


def from_start(state: Mapping[str, object], plan: Sequence[str]) -> Update:
    """Progress for a plan that replaces one of an earlier task: nothing of it is done yet, also what both have."""
    if not state.get("is_plan_of_earlier"):
        return {}
    return {"progress": facts.progress_from_start(state.get("progress"), plan), "is_plan_of_earlier": False}


def trimmed(messages: list[BaseMessage]) -> list[BaseMessage]:
    """Removals that keep the conversation bounded to `MESSAGES_KEPT` messages."""
    return [RemoveMessage(id=message.id) for message in messages[:-MESSAGES_KEPT] if message.id]


def failed(state: State, what: str) -> Update:
    """Add a line to the steps and to the failures."""
    text = f"{FAILED}{line(what)}"
    return {
        "steps": [*state.get("steps", []), text][-LINES_KEPT:],
        "failures": [*state.get("failures", []), line(what)][-LINES_KEPT:],
    }


def step(state: State, what: str) -> Update:
    return {"steps": [*state.get("steps", []), what][-LINES_KEPT:]}


def void(state: State, why: str) -> Update:
    """Void an approval: nothing was done, and the model replans."""
    return failed(state, f"{why}: nothing was done") | {"needs_observe": True, "approval": None}


def line_of(text: Wording, chars: int = LINE_CHARS) -> Wording:
    """As `line`, with its sentences."""
    plain = changed(text, lambda words: re.sub(r"\s+", " ", words))
    return plain if len(plain) <= chars else joined((shortened(plain, chars - 1), "…"), "")


def line(text: str, chars: int = LINE_CHARS) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= chars else plain[: chars - 1] + "…"
