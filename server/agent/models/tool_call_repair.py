"""Repair malformed tool calls of weak models and servers: broken arguments, bad names, missing or duplicate ids."""

from __future__ import annotations

import re
import uuid
from collections.abc import Container, Sequence
from itertools import takewhile

from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, ToolCall, ToolMessage
from langchain_core.messages.tool import tool_call

from server.agent.middleware import CallModel, CallTool, Middleware, Request, Response, ToolResult, tool_error
from server.agent.models.errors import BAD_RESPONSE, broken_tool_calls
from server.agent.models.text_channel import TEXT_CALL, without_taken_back
from server.ops.json_types import JsonObject

BROKEN_CALL = "The arguments were no valid JSON: nothing was done. Make the call again."
UNREADABLE_CALL = (
    "This call was written as text and cannot be read: nothing was done. Make it as a tool call."
)
UNREADABLE_IN_A_ROW = 2
"""Calls written as text that the model is asked to make again."""
UNKNOWN_NAME = "unknown"
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""What all providers accept as a name, also in the history."""


class WholeCalls(Middleware):
    """Returns an error to the model for a tool call whose arguments are not valid JSON, instead of executing
    it with guessed arguments or dropping it, as LangChain does. Gives each call a unique id and a name that every
    provider accepts."""

    async def awrap_model_call(self, request: Request, handler: CallModel) -> Response:
        response = await handler(request)
        messages = [_with_all_calls(message) for message in response.result]
        if any(map(_is_unreadable, messages)) and _unreadable_before(request.messages) >= UNREADABLE_IN_A_ROW:
            raise BAD_RESPONSE.as_error()
        return Response(result=messages)

    async def awrap_tool_call(self, request: ToolCallRequest, handler: CallTool) -> ToolResult:
        call, messages = request.tool_call, request.state["messages"]
        asked = next((message for message in reversed(messages) if isinstance(message, AIMessage)), None)
        if asked is None or call["id"] not in broken_tool_calls(asked):
            return await handler(request)
        return tool_error(call, UNREADABLE_CALL if str(call["id"]).startswith(TEXT_CALL) else BROKEN_CALL)


def _is_unreadable(message: BaseMessage) -> bool:
    """Whether it has a call that was written as text and could not be read."""
    return isinstance(message, AIMessage) and any(
        call_id.startswith(TEXT_CALL) for call_id in broken_tool_calls(message)
    )


def _unreadable_before(messages: Sequence[AnyMessage]) -> int:
    """The number of such answers since the last one that was not."""
    asked = (message for message in reversed(messages) if not isinstance(message, ToolMessage))
    return len([*takewhile(_is_unreadable, asked)])


def _with_all_calls(message: BaseMessage) -> BaseMessage:
    if not isinstance(message, AIMessage):
        return message
    message = without_taken_back(message)
    if not (message.tool_calls or message.invalid_tool_calls):
        return message
    unread = [
        tool_call(name=call["name"] or "", args={}, id=call["id"]) for call in message.invalid_tool_calls
    ]
    made = [*message.tool_calls, *unread]
    known: set[str | None] = {None, ""}
    named: list[ToolCall] = []
    for call in made:
        call_id = call["id"] if call["id"] not in known else f"call_{uuid.uuid4().hex}"
        named.append({**call, "name": _name(call["name"]), "id": call_id})
        known.add(named[-1]["id"])
    broken = broken_tool_calls(message)
    still = {
        new["id"]: broken[old["id"] or ""]
        for old, new in zip(made, named, strict=True)
        if (old["id"] or "") in broken
    }
    metadata = {**message.response_metadata, **({"broken_tool_calls": still} if still else {})}
    content = message.content
    if isinstance(content, list):  # where a provider's calls are a part of it
        content = [_with_name(block, broken) for block in content]
    changes = {
        "tool_calls": named,
        "invalid_tool_calls": [],
        "response_metadata": metadata,
        "content": content,
    }
    return message.model_copy(update=changes)


def _with_name(block: str | JsonObject, broken: Container[str]) -> str | JsonObject:
    """A call in the content; a provider refuses arguments in the history that are no JSON."""
    if not isinstance(block, dict) or "name" not in block:
        return block
    unread = {"arguments": "{}"} if block.get("call_id") in broken else {}
    return block | {"name": _name(block["name"])} | unread


def _name(name: str) -> str:
    name = name.removeprefix("functions.")  # how the model's own template names them
    return name if _TOOL_NAME.fullmatch(name) else UNKNOWN_NAME
