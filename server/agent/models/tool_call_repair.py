"""Repair malformed tool calls of weak models and servers: broken arguments, missing or duplicate ids."""

from __future__ import annotations

import uuid

from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AIMessage, BaseMessage, ToolCall
from langchain_core.messages.tool import tool_call

from server.agent.middleware import CallModel, CallTool, Middleware, Request, Response, ToolResult, tool_error
from server.agent.models.errors import broken_tool_calls

BROKEN_CALL = "The arguments were no valid JSON: nothing was done. Make the call again."


class WholeCalls(Middleware):
    """Returns an error to the model for a tool call whose arguments are not valid JSON, instead of executing
    it with guessed arguments or dropping it, as LangChain does. Gives each call a unique id."""

    async def awrap_model_call(self, request: Request, handler: CallModel) -> Response:
        response = await handler(request)
        return Response(result=[_with_all_calls(message) for message in response.result])

    async def awrap_tool_call(self, request: ToolCallRequest, handler: CallTool) -> ToolResult:
        call, messages = request.tool_call, request.state["messages"]
        asked = next((message for message in reversed(messages) if isinstance(message, AIMessage)), None)
        if asked is None or call["id"] not in broken_tool_calls(asked):
            return await handler(request)
        return tool_error(call, BROKEN_CALL)


def _with_all_calls(message: BaseMessage) -> BaseMessage:
    if not isinstance(message, AIMessage) or not (message.tool_calls or message.invalid_tool_calls):
        return message
    unread = [
        tool_call(name=call["name"] or "", args={}, id=call["id"]) for call in message.invalid_tool_calls
    ]
    made = [*message.tool_calls, *unread]
    known: set[str | None] = {None, ""}
    named: list[ToolCall] = []
    for call in made:
        named.append(call if call["id"] not in known else {**call, "id": f"call_{uuid.uuid4().hex}"})
        known.add(named[-1]["id"])
    broken = broken_tool_calls(message)
    still = {
        new["id"]: broken[old["id"] or ""]
        for old, new in zip(made, named, strict=True)
        if (old["id"] or "") in broken
    }
    metadata = {**message.response_metadata, **({"broken_tool_calls": still} if still else {})}
    changes = {"tool_calls": named, "invalid_tool_calls": [], "response_metadata": metadata}
    return message.model_copy(update=changes)
