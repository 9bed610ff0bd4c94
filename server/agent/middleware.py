"""LangChain's middleware types, as the middleware of the assistant uses them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import ToolCall, ToolMessage
from langgraph.types import Command

from server.agent.context import RunContext

Middleware = AgentMiddleware[AgentState[Any], RunContext]
"""The assistant answers in words: its state has no structured response."""
Request = ModelRequest[RunContext]
Response = ModelResponse[Any]
CallModel = Callable[[Request], Awaitable[Response]]
ToolResult = ToolMessage | Command[Any]
"""A `Command` is a call that stays open until a step of its own."""
CallTool = Callable[[ToolCallRequest], Awaitable[ToolResult]]


def tool_error(call: ToolCall, text: str) -> ToolMessage:
    """The result of a call that is not made: the model reads why."""
    return ToolMessage(text, tool_call_id=call["id"] or "", name=call["name"], status="error")
