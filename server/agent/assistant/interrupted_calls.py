"""A tool call that a former execution had begun: it is not repeated, the model reads what is known of it."""

from __future__ import annotations

from collections.abc import Sequence

from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langgraph.runtime import get_runtime

from server.agent.assistant.input import kept_for
from server.agent.context import InterruptedCall, RunContext
from server.agent.custom_events import CallEnded, CallStarted, dispatch
from server.agent.gate.masking import without_logins
from server.agent.middleware import CallTool, Middleware, ToolResult
from server.agent.operator.continuing import UNKNOWN

RESULT_LOST = (
    "another process took over after this call: the rest of its result is lost. Look at the page first"
)
_LEFT = "left"
"""Mark of the result of such a call."""
_SHOWN_ARGUMENTS = frozenset({"element", "target", "ref", "index", "url", "key"})
"""Arguments that are shown to the user: others may be a secret, which only the page could show."""


class InterruptedCalls(Middleware):
    """Answers the call that the run's context names. It is published with its unknown end, as a step of the run."""

    async def awrap_tool_call(self, request: ToolCallRequest, handler: CallTool) -> ToolResult:
        call, left = request.tool_call, get_runtime(RunContext).context.left
        if left is None or not _is_left(left, call["id"], request.state["messages"]):
            return await handler(request)
        if left.summary is None:
            shown = {
                name: value
                for name, value in without_logins(call["args"]).items()
                if name in _SHOWN_ARGUMENTS
            }
            provider = kept_for(left.call_id, request.state["messages"])
            await dispatch(CallStarted(left.call_id, call["name"], shown, provider=provider))
            await dispatch(CallEnded(left.call_id, False, UNKNOWN, reason="interrupted"))
        return ToolMessage(
            UNKNOWN if left.summary is None else f"{left.summary}\n({RESULT_LOST})", tool_call_id=left.call_id, name=call["name"],
            status="error" if left.summary is None else "success", additional_kwargs={_LEFT: True},
        )  # fmt: skip


def was_interrupted(messages: Sequence[AnyMessage]) -> bool:
    """Whether the newest tool result is that of such a call: what was to follow has to be thought over."""
    newest = messages[-1] if messages else None
    return isinstance(newest, ToolMessage) and _LEFT in newest.additional_kwargs


def _is_left(left: InterruptedCall, call_id: str | None, messages: Sequence[AnyMessage]) -> bool:
    asking = next((message for message in reversed(messages) if isinstance(message, AIMessage)), None)
    return call_id == left.call_id and asking is not None and asking.id == left.message_id
