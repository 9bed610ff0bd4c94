"""The assistant's answers by a second model, and histories that are valid for either."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, ToolMessage

from server.agent.middleware import CallModel, Middleware, Request, Response
from server.agent.models.answer import PROVIDER_PARTS
from server.agent.second_model import SecondModel, answered
from server.ops.json_types import JsonObject

ANSWERED_BY = "answered_by"
"""In the metadata of an answer: the model that gave it, if it was the second."""
_CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
"""Ids of calls that every provider takes."""


class SecondModelMiddleware(Middleware):
    """The assistant's. It is the innermost, so that all else sees one answer."""

    def __init__(self, second: SecondModel | None) -> None:
        super().__init__()
        self._second = second

    async def awrap_model_call(self, request: Request, handler: CallModel) -> Response:
        second = self._second

        async def ask() -> Response:
            return await handler(request.override(messages=given_by(None, request.messages)))

        async def ask_second() -> Response:
            assert second is not None
            messages = given_by(second.name, request.messages)
            response = await handler(request.override(model=second.model, messages=messages))
            return Response(result=[_marked(message, second.name) for message in response.result])

        return await answered(ask, second, ask_second, has_said=lambda error: error.has_said)


def given_by(name: str | None, messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """A history that is valid for one model: what another one gave is reduced to its text and its calls.

    Thoughts, signatures and items are a provider's own. `name` None is the first model.
    """
    return [_plain(message, name) for message in messages]


def _plain(message: AnyMessage, name: str | None) -> AnyMessage:
    if isinstance(message, ToolMessage):
        call_id = _id_for_all(message.tool_call_id)
        same = call_id == message.tool_call_id
        return message if same else message.model_copy(update={"tool_call_id": call_id})
    if not isinstance(message, AIMessage):
        return message
    calls = [{**call, "id": _id_for_all(call["id"] or "")} for call in message.tool_calls]
    is_own = message.response_metadata.get(ANSWERED_BY) == name
    if is_own and calls == message.tool_calls:
        return message
    kept = _with_ids_for_all(message.additional_kwargs)
    if is_own:
        return message.model_copy(update={"tool_calls": calls, "additional_kwargs": kept})
    own = {PROVIDER_PARTS: kept[PROVIDER_PARTS]} if PROVIDER_PARTS in kept else {}  # they name their model
    return AIMessage(message.text, tool_calls=calls, id=message.id, additional_kwargs=own)


def _with_ids_for_all(marks: JsonObject) -> JsonObject:
    parts: JsonObject = marks.get(PROVIDER_PARTS) or {}
    if "calls" not in parts:
        return marks
    calls = {_id_for_all(call_id): extra for call_id, extra in parts["calls"].items()}
    return marks | {PROVIDER_PARTS: parts | {"calls": calls}}


def _id_for_all(call_id: str) -> str:
    if _CALL_ID.fullmatch(call_id):
        return call_id
    return f"call_{hashlib.sha256(call_id.encode()).hexdigest()[:24]}"


def _marked(message: BaseMessage, name: str) -> BaseMessage:
    metadata = {**message.response_metadata, ANSWERED_BY: name}
    return message.model_copy(update={"response_metadata": metadata})
