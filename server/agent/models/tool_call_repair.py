"""Repair malformed tool calls of weak models and servers: broken arguments, missing or duplicate ids."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage
from langchain_core.messages.tool import tool_call
from langgraph.types import Command

from server.agent.context import RunContext
from server.agent.models.errors import broken_tool_calls

BROKEN_CALL = "The arguments were no valid JSON: nothing was done. Make the call again."


class WholeCalls(AgentMiddleware[AgentState[Any], RunContext]):
    """Returns an error to the model for a tool call whose arguments are not valid JSON, instead of executing
    it with guessed arguments or dropping it, as LangChain does. Gives each call a unique id."""

    async def awrap_model_call(
        self,
        request: ModelRequest[RunContext],
        handler: Callable[[ModelRequest[RunContext]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        response = await handler(request)
        return ModelResponse(result=[_with_all_calls(message) for message in response.result])

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        call, messages = request.tool_call, request.state["messages"]
        asked = next((message for message in reversed(messages) if isinstance(message, AIMessage)), None)
        if asked is None or call["id"] not in broken_tool_calls(asked):
            return await handler(request)
        return ToolMessage(BROKEN_CALL, tool_call_id=call["id"] or "", name=call["name"], status="error")


def _with_all_calls(message: BaseMessage) -> BaseMessage:
    if not isinstance(message, AIMessage) or not (message.tool_calls or message.invalid_tool_calls):
        return message
    unread = [
        tool_call(name=call["name"] or "", args={}, id=call["id"]) for call in message.invalid_tool_calls
    ]
    made = [*message.tool_calls, *unread]
    named = _with_own_ids(made)
    broken = broken_tool_calls(message)
    still = {
        new["id"]: broken[old["id"] or ""]
        for old, new in zip(made, named, strict=True)
        if (old["id"] or "") in broken
    }
    metadata = {**message.response_metadata, **({"broken_tool_calls": still} if still else {})}
    changes = {"tool_calls": named, "invalid_tool_calls": [], "response_metadata": metadata}
    return message.model_copy(update=changes)


def _with_own_ids(calls: list[ToolCall]) -> list[ToolCall]:
    known: set[str | None] = {None, ""}
    own = []
    for call in calls:
        fresh = call if call["id"] not in known else {**call, "id": f"call_{uuid.uuid4().hex}"}
        known.add(fresh["id"])
        own.append(fresh)
    return own
