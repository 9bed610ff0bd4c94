"""Input of the assistant's graph: the stored messages as its model reads them, and the step limit."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, ToolCall, ToolMessage
from langchain_core.messages.tool import tool_call
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from server.agent.models.answer import PROVIDER_PARTS
from server.agent.operator.ask.answers import is_continuation
from server.events import SECOND_MODEL, Message
from server.ops.json_types import JsonObject

CONTINUE_CUT_ANSWER = "(Your answer was cut off. Go on exactly where it ends, and repeat nothing of it.)"
EARLIER = "earlier"
"""Marks tool results of earlier runs: they count towards no limit of this one."""
MAX_KEPT = 524_288
"""Characters of what a provider wants back with one call: more than the thoughts of the longest answer."""


def recursion_limit(max_tool_steps: int) -> int:
    """Graph steps, alternating between model and tool, with room for text after the last tool call."""
    return 2 * (max_tool_steps + 3)


def first_input(history: Sequence[Message], said: Sequence[str] = ()) -> JsonObject:
    """The graph's input for a new run: the thread is replaced by the stored messages, and what was said after them."""
    words = map(HumanMessage, said)
    return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *to_lc_messages(history), *words]}


def to_lc_messages(history: Sequence[Message]) -> list[AnyMessage]:
    """Convert stored messages for the model; each tool message follows the call that it answers."""
    result: list[AnyMessage] = []
    is_cut, calling = False, _Calling()
    for message in history:
        meta = message.meta_json or {}
        if message.role != "tool":
            calling = _Calling()
        if message.role == "user":
            goes_on = is_cut and is_continuation(message.content)
            result.append(
                HumanMessage(f"{message.content}\n{CONTINUE_CUT_ANSWER}" if goes_on else message.content)
            )
        elif message.role == "assistant" and message.content.strip():
            result.append(AIMessage(message.content))
            is_cut = bool(meta.get("cut"))
        elif message.role == "tool" and "call_id" in meta and meta["name"] != SECOND_MODEL:
            call = {"name": meta["name"], "args": meta.get("args") or {}, "id": meta["call_id"]}
            text = message.content.strip() or "done"
            calling = calling.add(call, message.provider or {}, result)
            earlier = {"additional_kwargs": {EARLIER: True}, "name": meta["name"]}
            result.append(ToolMessage(text, tool_call_id=meta["call_id"], **earlier))
    return result


@dataclass(frozen=True)
class _Calling:
    """The answer whose calls are being rebuilt. `name` and `at` as in `kept_for`."""

    message: AIMessage | None = None
    name: str | None = None
    at: int = 0

    def add(self, call: JsonObject, kept: JsonObject, result: list[AnyMessage]) -> _Calling:
        """Add a call to its answer, which is appended to the result with its first call."""
        name, at = kept.get("answer"), kept.get("at", 0)
        asking = self.message if name is not None and name == self.name and at > self.at else None
        if asking is None:
            asking = AIMessage("")
            result.append(asking)
        asking.tool_calls.append(tool_call(**call))
        if "parts" in kept:
            given = json.loads(kept["parts"])
            parts = asking.additional_kwargs.setdefault(PROVIDER_PARTS, given)
            parts["calls"] = parts.get("calls", {}) | given.get("calls", {})
        return _Calling(asking, name, at)


def last_asked(messages: Sequence[AnyMessage]) -> str:
    """The user's newest message; "" if there is none."""
    return next((one.text for one in reversed(messages) if isinstance(one, HumanMessage)), "")


def kept_for(call_id: str, messages: Sequence[AnyMessage]) -> JsonObject | None:
    """What is stored with a call of the newest answer, to rebuild it in later runs (`Message.provider`).

    `{"answer": name of the answer, "at": the call's place in it, "parts": JSON}`. `parts` are `PROVIDER_PARTS` with this
    call only, as a text because its bytes must stay as they are. None where a call alone has none.
    """
    asked = next((one for one in reversed(messages) if isinstance(one, AIMessage)), AIMessage(""))
    ids = list(map(itemgetter("id"), asked.tool_calls))
    if call_id not in ids:
        return None
    parts: JsonObject = dict(asked.additional_kwargs.get(PROVIDER_PARTS) or {})
    if "calls" in parts:
        parts["calls"] = {name: extra for name, extra in parts["calls"].items() if name == call_id}
    text = json.dumps(parts) if parts else ""
    if not text and len(ids) == 1:
        return None
    kept: JsonObject = {"answer": asked.id, "at": ids.index(call_id)}
    return kept | ({"parts": text} if 0 < len(text) <= MAX_KEPT else {})


def find_open_calls(messages: Sequence[AnyMessage]) -> list[ToolCall]:
    """The calls of the model's last answer that have no result yet, in its order."""
    answered: set[str] = set()
    for message in reversed(messages):
        if isinstance(message, AIMessage):
            return [call for call in message.tool_calls if call["id"] not in answered]
        if isinstance(message, ToolMessage):
            answered.add(message.tool_call_id)
    return []


def count_steps(messages: Sequence[AnyMessage]) -> int:
    """The tool calls of this run that have been answered."""
    return sum(isinstance(m, ToolMessage) and EARLIER not in m.additional_kwargs for m in messages)
