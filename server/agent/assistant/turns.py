"""Between two steps of the assistant: its calls one after the other, the person's words, old pages reduced."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage
from langgraph.types import Command

from server.agent.context import RunContext
from server.agent.gate.approval import site_of

OVERTAKEN = "Not done: the person said or did something in between. Consider that first."

KEPT_RESULTS = 3
"""Of the tool results after the newest page so many of the newest stay whole."""
OLD_RESULT_CHARS = 300
"""Of an older result without a page so much is kept."""

_PAGE = re.compile(r"<untrusted-page>\n(.*?)\n</untrusted-page>", re.DOTALL)
_WHOLE_PAGE = re.compile(r"^Page: .*\n<untrusted-page>\n", re.MULTILINE)


class Turns(AgentMiddleware[AgentState[Any], RunContext]):
    """Of several tool calls in one answer of the model only the first is made; the next follows in a step of its own.

    So each call is judged by the page that the one before it left, at most one question is open at any time, and the
    checkpoint tells which calls are done. Before every step the run waits while it is paused, and reads what the person
    said: calls that are still open then are not made. Pages that are no longer current are reduced in the state itself.
    """

    async def awrap_model_call(
        self,
        request: ModelRequest[RunContext],
        handler: Callable[[ModelRequest[RunContext]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        heard = await _hear(request.runtime.context)
        open_calls, messages = find_open_calls(request.messages), reduce_old_results(request.messages)
        changed: list[Any] = [
            new for old, new in zip(request.messages, messages, strict=True) if new is not old
        ]
        if open_calls and not heard:
            return ModelResponse(result=changed)
        overtaken = [_error(call, OVERTAKEN) for call in open_calls]
        news = [*overtaken, *heard]
        response = await handler(request.override(messages=[*messages, *news]))
        return ModelResponse(result=[*changed, *news, *response.result])

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        open_calls = find_open_calls(request.state["messages"])
        if open_calls and open_calls[0]["id"] != request.tool_call["id"]:
            return Command()  # it stays open, and its turn comes
        return await handler(request)


async def _hear(context: RunContext) -> list[AnyMessage]:
    news = await context.inbox.hear()
    texts = list(news.messages)
    if news.takeover is not None:
        await _keep_private(context)
        what = f" Since then: {news.takeover}" if news.takeover else ""
        texts.append(f"(The person had the browser.{what} Look at the page again.)")
    return [HumanMessage(text) for text in texts]


async def _keep_private(context: RunContext) -> None:
    """What a person does on a site with their own hands is their own."""
    if context.has_browser():
        site = site_of((await (await context.browser()).observe()).page.url)
        context.private.add([site])


def find_open_calls(messages: Sequence[AnyMessage]) -> list[ToolCall]:
    """The calls of the model's last answer that have no result yet, in its order."""
    answered: set[str] = set()
    for message in reversed(messages):
        if isinstance(message, AIMessage):
            return [call for call in message.tool_calls if call["id"] not in answered]
        if isinstance(message, ToolMessage):
            answered.add(message.tool_call_id)
    return []


def _error(call: ToolCall, text: str) -> ToolMessage:
    return ToolMessage(text, tool_call_id=call["id"] or "", name=call["name"], status="error")


def reduce_old_results(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """The same messages; tool results before the current page, which is the newest whole one, are reduced.

    Where no page was seen yet, or long since, the newest results stay whole.
    """
    places = [at for at, message in enumerate(messages) if isinstance(message, ToolMessage)]
    page = next((at for at in reversed(places) if _WHOLE_PAGE.search(messages[at].text)), -1)
    kept = {page, *(at for at in places[-KEPT_RESULTS:] if at > page)}
    return [
        _reduced(message) if isinstance(message, ToolMessage) and at not in kept else message
        for at, message in enumerate(messages)
    ]


def _reduced(message: ToolMessage) -> ToolMessage:
    """Without page text; the message itself when there is nothing to take away."""
    text = _PAGE.sub(_page_summary, message.text)
    if len(text) > OLD_RESULT_CHARS:
        text = f"{text[:OLD_RESULT_CHARS]}\n(the rest is left out)"
    return message if text == message.text else message.model_copy(update={"content": text})


def _page_summary(page: re.Match[str]) -> str:
    return f"(an earlier page, {page[1].count(chr(10)) + 1} lines, left out)"
