"""What one run of the assistant may take: tool calls, tokens, money. Beyond it the model is told to answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.callbacks import adispatch_custom_event
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langgraph.runtime import get_runtime
from langgraph.types import Command

from server.agent.assistant_input import EARLIER
from server.agent.context import RunContext
from server.agent.prices import CostOf

OUT_OF_STEPS = "The limit of tool calls is reached. Make no more of them: answer with what you know."
OUT_OF_BUDGET = (
    "The budget of this task is used up. Make no more calls: say what you found, and ask whether to go on."
)


@dataclass(frozen=True, slots=True)
class Budget:
    """None is no limit."""

    tokens: int | None
    dollars: float | None
    cost_of: CostOf

    def is_spent(self, messages: Sequence[AnyMessage]) -> bool:
        """Is so much used by the model's calls among these messages?"""
        calls = [m.usage_metadata for m in messages if isinstance(m, AIMessage) and m.usage_metadata]
        if self.tokens is not None and sum(call["total_tokens"] for call in calls) >= self.tokens:
            return True
        return self.dollars is not None and sum(self.cost_of(call) or 0.0 for call in calls) >= self.dollars


class RunLimits(AgentMiddleware[AgentState[Any], RunContext]):
    """Tool calls beyond a limit are not made. The state counts them, over questions to the person too."""

    def __init__(self, budget: Budget) -> None:
        super().__init__()
        self._budget = budget

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        reached = self._reached(request)
        if reached is None:
            return await handler(request)
        await adispatch_custom_event("outcome", {"outcome": "limit"})
        call = request.tool_call
        return ToolMessage(reached, tool_call_id=call["id"] or "", name=call["name"], status="error")

    def _reached(self, request: ToolCallRequest) -> str | None:
        """What the model is told; None while there is room."""
        messages: list[AnyMessage] = request.state["messages"]
        made = sum(isinstance(m, ToolMessage) and EARLIER not in m.additional_kwargs for m in messages)
        asked = [other["id"] for m in messages[-1:] if isinstance(m, AIMessage) for other in m.tool_calls]
        before = asked.index(request.tool_call["id"]) if request.tool_call["id"] in asked else 0
        if made + before >= get_runtime(RunContext).context.max_tool_steps:
            return OUT_OF_STEPS
        return OUT_OF_BUDGET if self._budget.is_spent(messages) else None
