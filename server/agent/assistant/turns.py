"""Between two steps of the assistant: one call at a time, the user's messages, reduction of old pages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.types import Command

from server.agent.assistant.input import find_open_calls
from server.agent.assistant.interrupted_calls import was_interrupted
from server.agent.context import RunContext
from server.agent.gate.taint import TAKEOVER
from server.agent.middleware import CallModel, CallTool, Middleware, Request, Response, ToolResult, tool_error
from server.browser.addresses import site_of
from server.browser.fence import SHOWS_PAGE

SUPERSEDED = "Not done: the person said or did something in between. Consider that first."
NOT_BEGUN = "Not done: another process took over during the call before it. Look at the page first."

KEPT_RESULTS = 3
"""Newest tool results after the current page that stay whole."""
OLD_RESULT_CHARS = 300
"""Maximum characters of an older result, without its page text."""

# `fence` adds a number to the name where the page has a lookalike of it.
_PAGE = re.compile(r"<(untrusted-page(?:-\d{1,6})?)>\n(.*?)\n</\1>", re.DOTALL)


class Turns(Middleware):
    """Makes only the first of several tool calls in one model answer; the next follows in a step of its own.

    So each call is judged by the page that the one before it left, at most one question is open at any time,
    and the checkpoint records which calls are done. Before every step the run waits while it is paused and
    reads the user's messages: calls still open then are not made. Outdated pages are reduced in the state.
    """

    async def awrap_model_call(self, request: Request, handler: CallModel) -> Response:
        updates = await _take_updates(request.runtime.context)
        open_calls, messages = find_open_calls(request.messages), reduce_old_results(request.messages)
        pairs = zip(request.messages, messages, strict=True)
        changed: list[BaseMessage] = [new for old, new in pairs if new is not old]
        is_left = was_interrupted(request.messages)
        if open_calls and not (updates or is_left):
            return Response(result=changed)
        superseded = [tool_error(call, NOT_BEGUN if is_left else SUPERSEDED) for call in open_calls]
        added = [*superseded, *updates]
        response = await handler(request.override(messages=[*messages, *added]))
        return Response(result=[*changed, *added, *response.result])

    async def awrap_tool_call(self, request: ToolCallRequest, handler: CallTool) -> ToolResult:
        open_calls = find_open_calls(request.state["messages"])
        if open_calls and open_calls[0]["id"] != request.tool_call["id"]:
            return Command()  # the call stays open until its own step
        return await handler(request)


async def _take_updates(context: RunContext) -> list[AnyMessage]:
    updates = await context.inbox.take_updates()
    messages: list[AnyMessage] = [HumanMessage(text) for text in updates.messages]
    if updates.takeover is not None:
        if context.has_browser():  # what the user does there manually is private
            context.private.add([site_of((await (await context.browser()).observe()).page.url)])
        what = f" Since then: {updates.takeover}" if updates.takeover else ""
        text = f"(The person had the browser.{what} Look at the page again.)"
        messages.append(HumanMessage(text, additional_kwargs={TAKEOVER: True}))
    return messages


def reduce_old_results(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Reduce old tool results. The current page, the newest whole one, stays whole.

    So do the newest `KEPT_RESULTS` results after it, or of all results if there is no such page.
    """
    places = [at for at, message in enumerate(messages) if isinstance(message, ToolMessage)]
    page = next((at for at in reversed(places) if SHOWS_PAGE.search(messages[at].text)), -1)
    kept = {page, *(at for at in places[-KEPT_RESULTS:] if at > page)}
    return [
        _reduced(message) if isinstance(message, ToolMessage) and at not in kept else message
        for at, message in enumerate(messages)
    ]


def _reduced(message: ToolMessage) -> ToolMessage:
    """The message without page text; the message itself if nothing changes."""
    text = _PAGE.sub(_in_short, message.text)
    if len(text) > OLD_RESULT_CHARS:
        text = f"{text[:OLD_RESULT_CHARS]}\n(the rest is left out)"
    return message if text == message.text else message.model_copy(update={"content": text})


def _in_short(page: re.Match[str]) -> str:
    """A line in place of a page: the host it was on, and its length."""
    shown = SHOWS_PAGE.match(page[0])
    site = shown and site_of(shown[1])
    return f"(an earlier page{f' of {site}' if site else ''}, {page[2].count(chr(10)) + 1} lines, left out)"
