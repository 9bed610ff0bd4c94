"""What a provider wants back with its calls is stored with their steps, and given back in later turns; it is never shown."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from server.agent.assistant.agent import build_assistant
from server.agent.assistant.input import MAX_KEPT, kept_for, to_lc_messages
from server.agent.assistant.second_answers import given_by
from server.agent.event_adapter import EventAdapter
from server.agent.models.answer import PROVIDER_PARTS
from server.agent.streaming import graph_events
from server.database.models import MessageRow
from server.events import PROVIDER, Message, ToolEnd, now
from server.ops.json_types import JsonObject
from server.store.records import to_message
from tests.support.raw_model import Raw, RawServer, raw_server
from tests.unit.test_assistant import SPECS, new_context
from tests.unit.test_chat_model import impatient
from tests.unit.test_provider_answers import chat, piece
from tests.unit.test_refused_fields import model_of

THOUGHT = "I look \ue000 first.\n"
SIGNED = {"extra_content": {"google": {"thought_signature": "CiQB+/=="}}}
LOOK = SPECS[0].name
ONE_CALL = chat({"reasoning_content": THOUGHT}, piece(LOOK, "{}", id="A", index=0), reason="tool_calls")
TWO_CALLS = chat(
    {"reasoning_content": THOUGHT}, piece(LOOK, "{}", id="A", index=0, **SIGNED),
    piece(LOOK, "{}", id="B", index=1), reason="tool_calls",
)  # fmt: skip
DONE = chat({"content": "Done."})


async def stored_steps(server: RawServer) -> list[MessageRow]:
    """The rows of one run, as its recorder stores them."""
    graph, adapter = build_assistant(impatient(model_of(server)), SPECS), EventAdapter("m")
    first, rows = {"messages": [HumanMessage("Look.")]}, []
    async for raw in graph_events(graph, first, {}, context=new_context(max_tool_steps=5)):
        for event in adapter.feed(raw):
            if isinstance(event, ToolEnd):
                meta = {"call_id": event.call_id, "name": event.name, "args": {}}
                if provider := adapter.provider_of(event.call_id):
                    meta[PROVIDER] = json.loads(json.dumps(provider))
                rows.append(row(event.summary, meta))
    return rows


def row(content: str, meta: JsonObject) -> MessageRow:
    return MessageRow(
        id="i", session_id="s", run_id="r", seq=1, role="tool", content=content, meta_json=meta, created_at=now()
    )  # fmt: skip


async def sent_in_the_next_turn(*answers: Raw) -> list[JsonObject]:
    """The messages with calls in the request of another run, which knows the stored rows only."""
    async with raw_server([*answers, DONE, DONE]) as server:
        history = [to_message(row) for row in await stored_steps(server)]
        await model_of(server).ainvoke([*to_lc_messages(history), HumanMessage("And now?")])
        messages: list[JsonObject] = server.requests[-1]["messages"]
    return [message for message in messages if message.get("tool_calls")]


async def test_thoughts_and_signatures_are_given_back_to_a_later_run() -> None:
    first, second = await sent_in_the_next_turn(TWO_CALLS, ONE_CALL)
    assert first["reasoning_content"] == second["reasoning_content"] == THOUGHT
    assert [(call["id"], call.get("extra_content")) for call in first["tool_calls"]] == [
        ("A", SIGNED["extra_content"]), ("B", None),
    ]  # fmt: skip
    assert [call["id"] for call in second["tool_calls"]] == ["A"]


async def test_answers_with_the_same_id_keep_their_own_calls() -> None:
    """`chat` names all its answers "c", as some servers do."""
    assert [len(sent["tool_calls"]) for sent in await sent_in_the_next_turn(ONE_CALL, ONE_CALL)] == [1, 1]


async def test_what_is_kept_for_the_provider_is_not_in_the_message_that_clients_get() -> None:
    async with raw_server([TWO_CALLS, DONE]) as server:
        shown = [to_message(row) for row in await stored_steps(server)]
    assert all(message.provider for message in shown)
    assert "reasoning_content" not in "".join(message.model_dump_json() for message in shown)
    assert all(PROVIDER not in (message.meta_json or {}) for message in shown)
    assert PROVIDER not in Message.model_json_schema(mode="serialization")["properties"]


def asked(call_ids: list[str], **parts: Any) -> list[AnyMessage]:
    calls: Any = [{"name": LOOK, "args": {}, "id": call_id} for call_id in call_ids]
    marks = {PROVIDER_PARTS: {"model": "m"} | parts} if parts else {}
    return [AIMessage("", id="a", tool_calls=calls, additional_kwargs=marks)]


@pytest.mark.parametrize(
    ("messages", "kept"),
    [
        (asked(["A"]), None),
        (asked(["A", "B"]), {"answer": "a", "at": 0}),
        (asked(["A"], message={"reasoning_content": "x" * MAX_KEPT}), {"answer": "a", "at": 0}),
        (asked(["B"], message={"reasoning_content": "x"}), None),
    ],
)
def test_nothing_is_kept_but_what_is_needed(messages: list[AnyMessage], kept: JsonObject | None) -> None:
    assert kept_for("A", messages) == kept


def test_calls_whose_ids_are_changed_for_a_second_model_keep_their_own_parts() -> None:
    (message,) = given_by("second", asked(["a:1"], calls={"a:1": SIGNED}))
    assert isinstance(message, AIMessage)
    made = message.tool_calls[0]["id"]
    assert made != "a:1"
    assert message.additional_kwargs[PROVIDER_PARTS]["calls"] == {made: SIGNED}
