"""What the assistant's acts with an effect sent: recorded around the tool call, and compared with its answer."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import takewhile

from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from server.agent.assistant.input import last_asked
from server.agent.context import RunContext
from server.agent.custom_events import AnswerText, dispatch
from server.agent.effects import effect_of, new_text, still_refused
from server.agent.gate.masking import secrets_of
from server.agent.middleware import CallModel, CallTool, Middleware, Request, Response, ToolResult
from server.agent.operator.memory.phrases import refusal_lines
from server.agent.trail import JudgedAct
from server.browser.browser import BrowserUnavailable
from server.events import Effect
from server.ops.json_types import JsonObject

SENT, REFUSED_MARK, LED_ON = "sent", "refused", "led_on"
"""Kept in `additional_kwargs` of a tool message, as in the operator's `State`."""


async def prove(
    handler: CallTool, request: ToolCallRequest, judged: JudgedAct, context: RunContext
) -> tuple[ToolResult, JsonObject]:
    """Make a call of the browser. Returns its result, which says what was sent, and the fields of `CallEnded`."""
    browser, messages = await context.browser(), request.state["messages"]
    async with browser.requests() as requests:
        result = await handler(request)
        sent = await requests.settled()
    if not isinstance(result, ToolMessage):
        return result, {}
    artifact = result.artifact if isinstance(result.artifact, dict) else {}
    before, secrets = judged.aimed.observation, secrets_of(judged.aimed)
    url = (artifact.get("structured_content") or {}).get("url") or ""
    earlier = {key for one in _results(messages) for key in one.additional_kwargs.get(SENT, ())}
    act = effect_of(sent, earlier, (before.page.url, url), secrets)
    lines, fields = [f"{act.in_words()}.", result.text], act.to_json()
    with suppress(BrowserUnavailable):
        after = await browser.observe()
        fields["page_says"] = new_text(before, after, secrets)
        lines += [note for note in after.notes if note not in result.text]
    is_done = bool((artifact.get("structured_content") or {}).get("ok")) and not act.refused
    kept = {
        SENT: [*act.keys],
        LED_ON: is_done and (bool(act.keys) or (bool(url) and url != before.page.url)),
        REFUSED_MARK: [one.model_dump(exclude_none=True) for one in still_refused(_refused(messages), act)],
    }
    update = {"content": "\n".join(lines), "additional_kwargs": {**result.additional_kwargs, **kept}}
    return result.model_copy(update=update), fields


class RefusalNote(Middleware):
    """Adds to the answer which requests of the run were refused: words alone may not hide it.

    The answer was streamed when it is complete, so it cannot be sent back to the model.
    """

    async def awrap_model_call(self, request: Request, handler: CallModel) -> Response:
        response = await handler(request)
        *before, last = response.result
        refused = _refused(request.messages)
        if not refused or not isinstance(last, AIMessage) or last.tool_calls or not last.text.strip():
            return response
        asked = last_asked(request.messages)
        note = refusal_lines(asked, refused)
        await dispatch(AnswerText(note))
        said = AIMessage(f"{last.text}\n\n{note}", usage_metadata=last.usage_metadata)
        return Response(result=[*before, said])


def _results(messages: Sequence[AnyMessage]) -> list[ToolMessage]:
    """The tool results since the user's last message, newest first."""
    newest_first = takewhile(lambda message: not isinstance(message, HumanMessage), reversed(messages))
    return [message for message in newest_first if isinstance(message, ToolMessage)]


def _refused(messages: Sequence[AnyMessage]) -> list[Effect]:
    """The requests that were refused and not accepted later."""
    kept = (result.additional_kwargs.get(REFUSED_MARK) for result in _results(messages))
    newest: list[JsonObject] = next((refused for refused in kept if refused is not None), [])
    return [Effect.model_validate(one) for one in newest]
