"""LangChain's middleware types, as the middleware of the assistant uses them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
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


class MiddlewareStack(Middleware):
    """Several middleware as one; the first is the outermost.

    LangChain wraps each one that it is given into tracing of its own, at every model and tool call.
    """

    def __init__(self, layers: Sequence[Middleware]) -> None:
        super().__init__()
        self._around_models = [
            layer.awrap_model_call
            for layer in reversed(layers)
            if type(layer).awrap_model_call is not AgentMiddleware.awrap_model_call
        ]
        self._around_tools = [
            layer.awrap_tool_call
            for layer in reversed(layers)
            if type(layer).awrap_tool_call is not AgentMiddleware.awrap_tool_call
        ]

    async def awrap_model_call(self, request: Request, handler: CallModel) -> Response:
        call: Any = handler
        for around in self._around_models:
            call = partial(around, handler=call)
        response: Response = await call(request)
        return response

    async def awrap_tool_call(self, request: ToolCallRequest, handler: CallTool) -> ToolResult:
        call: Any = handler
        for around in self._around_tools:
            call = partial(around, handler=call)
        result: ToolResult = await call(request)
        return result


def tool_error(call: ToolCall, text: str) -> ToolMessage:
    """The result of a call that is not made: the model reads why."""
    return ToolMessage(text, tool_call_id=call["id"] or "", name=call["name"], status="error")
