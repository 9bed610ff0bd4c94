"""Input of the assistant's graph: the stored messages as its model reads them, and the step limit."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, ToolCall, ToolMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from server.agent.operator.answers import is_continuation
from server.events import SECOND_MODEL, Message
from server.ops.json_types import JsonObject

GO_ON = "(Your answer was cut off. Go on exactly where it ends, and repeat nothing of it.)"
EARLIER = "earlier"
"""Marks tool results of earlier runs: they count towards no limit of this one."""


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
    is_cut = False
    for message in history:
        meta = message.meta_json or {}
        if message.role == "user":
            goes_on = is_cut and is_continuation(message.content)
            result.append(HumanMessage(f"{message.content}\n{GO_ON}" if goes_on else message.content))
        elif message.role == "assistant" and message.content.strip():
            result.append(AIMessage(message.content))
            is_cut = bool(meta.get("cut"))
        elif message.role == "tool" and "call_id" in meta and meta["name"] != SECOND_MODEL:
            call = {"name": meta["name"], "args": meta.get("args") or {}, "id": meta["call_id"]}
            text = message.content.strip() or "done"
            result.append(AIMessage("", tool_calls=[call]))
            earlier = {"additional_kwargs": {EARLIER: True}, "name": meta["name"]}
            result.append(ToolMessage(text, tool_call_id=meta["call_id"], **earlier))
    return result


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
