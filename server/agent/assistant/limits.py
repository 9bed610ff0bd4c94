"""Limits of one assistant run: tool calls, tokens, cost, time. At a limit the run ends with a summary and the
question whether to continue."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.messages.ai import UsageMetadata
from langgraph.runtime import get_runtime

from server.agent.assistant.input import EARLIER, count_steps, last_asked
from server.agent.assistant.second_answers import ANSWERED_BY
from server.agent.context import RunContext
from server.agent.custom_events import AnswerText, OutcomeKnown, dispatch
from server.agent.language import language_of
from server.agent.middleware import CallModel, CallTool, Middleware, Request, Response, ToolResult
from server.agent.models.catalog import CostOf
from server.agent.operator.memory.phrases import limit_summary, phrase
from wording.step_words import step_words

log = logging.getLogger(__name__)

_QUESTION_SIGNS = "?？؟"
_SUM_UP = (
    "Make no more calls. Tell the person in their language, in a few sentences, what you did, what you found and what "
    "is left, and ask whether to go on."
)
OUT_OF_STEPS = f"The limit of tool calls is reached: this one was not made. {_SUM_UP}"
OUT_OF_BUDGET = f"The budget or the time of this task is used up: this call was not made. {_SUM_UP}"

LIMIT = "limit"
"""Marks the result of a call that a limit prevented; the value is the name of the limit's phrase."""
SHOWN_MARK = "shown"
"""Marks the result of a call; the value is the arguments as shown to the user, with its target's name."""
LINES = 8
"""Maximum lines of each list in a summary by template, the newest ones."""


@dataclass(frozen=True, slots=True)
class RunBudget:
    """None means no limit."""

    tokens: int | None
    dollars: float | None
    cost_of: CostOf
    second_cost_of: CostOf = lambda usage: None
    seconds: float | None = None

    def spent(self, messages: Sequence[AnyMessage], active_seconds: float = 0.0) -> str | None:
        """The budget that this work and the model calls among these messages have used up: `tokens`, `cost`, `time` or
        None."""
        calls = [(m, m.usage_metadata) for m in messages if isinstance(m, AIMessage) and m.usage_metadata]
        spent = {
            "tokens": (sum(usage["total_tokens"] for _, usage in calls), self.tokens),
            "cost": (sum(self._cost(message, usage) for message, usage in calls), self.dollars),
            "time": (active_seconds, self.seconds),
        }
        return next((name for name, (used, most) in spent.items() if most is not None and used >= most), None)

    def _cost(self, message: AIMessage, usage: UsageMetadata) -> float:
        is_second = ANSWERED_BY in message.response_metadata
        return (self.second_cost_of if is_second else self.cost_of)(usage) or 0.0


class RunLimits(Middleware):
    """Rejects tool calls beyond a limit. They are counted in the state, also across questions to the user.

    The model is then called once more, for a summary. What it leaves out is added from a template.
    """

    def __init__(self, budget: RunBudget) -> None:
        super().__init__()
        self._budget = budget

    async def awrap_model_call(self, request: Request, handler: CallModel) -> Response:
        name = next(
            (m.additional_kwargs[LIMIT] for m in request.messages if LIMIT in m.additional_kwargs), None
        )
        if name is None:
            return await handler(request)
        try:
            response = await handler(request)
        except Exception as error:
            log.warning("the summary is written by rule: %s", error)
            response = Response(result=[AIMessage("")])
        *before, last = response.result
        asked = last_asked(request.messages)
        steps = get_runtime(RunContext).context.max_tool_steps
        if not isinstance(last, AIMessage):
            return response
        if last.tool_calls or not last.text.strip():
            rest = _summary(request.messages, asked, phrase(name, asked, n=steps))
        else:
            rest = "" if any(mark in last.text[-200:] for mark in _QUESTION_SIGNS) else phrase("go_on", asked)
        if rest:
            await dispatch(AnswerText(rest))
        said = "\n\n".join(filter(None, (last.text.strip(), rest)))
        return Response(result=[*before, AIMessage(said, usage_metadata=last.usage_metadata)])

    async def awrap_tool_call(self, request: ToolCallRequest, handler: CallTool) -> ToolResult:
        reached = self._reached(request.state["messages"])
        if reached is None:
            return await handler(request)
        await dispatch(OutcomeKnown("limit"))
        call, text = request.tool_call, OUT_OF_STEPS if reached == "steps" else OUT_OF_BUDGET
        return ToolMessage(
            text, tool_call_id=call["id"] or "", name=call["name"], status="error",
            additional_kwargs={LIMIT: reached},
        )  # fmt: skip

    def _reached(self, messages: Sequence[AnyMessage]) -> str | None:
        """The name of the reached limit; None if none is reached."""
        context = get_runtime(RunContext).context
        if count_steps(messages) >= context.max_tool_steps:
            return "steps"
        return self._budget.spent(messages, context.active_seconds())


def _summary(messages: Sequence[AnyMessage], asked: str, reason: str) -> str:
    """Summarise what was done and what failed in this run, in words of a person, and ask whether to continue."""
    done: list[str] = []
    failed: list[str] = []
    language = language_of(asked)
    for message in messages:
        if not isinstance(message, ToolMessage) or message.additional_kwargs.keys() & {EARLIER, LIMIT}:
            continue
        words = step_words(message.name or "", message.additional_kwargs.get(SHOWN_MARK, {})).to(language)
        line = " ".join(message.text.partition("\n")[0].split())[:200]
        if message.status == "error":
            failed.append(f"{words}: {line}" if words else line)
        else:
            done.append(words or line)
    return limit_summary(asked, reason, done[-LINES:], [], failed[-LINES:], None)
