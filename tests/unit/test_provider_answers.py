"""What servers of all kinds send besides their providers' own form, over the real SDKs: read as it is meant."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage

from bench.wire.asked import HIGH, LOW, as_bytes, call_in
from server.agent.models.answer import PROVIDER_PARTS
from server.agent.models.chat_model import broken_tool_calls
from server.errors import RunFailed
from tests.support.model_reply import Reply, Wire, say
from tests.support.raw_model import Raw, raw_server
from tests.unit.test_refused_fields import NAMES, click, model_of

EVENTS = {"content-type": "text/event-stream"}
LINES = {"content-type": "application/x-ndjson"}
JSON = {"content-type": "application/json"}
DONE = b"data: [DONE]\n\n"


def event(data: Any, *, named: bool = False) -> bytes:
    name = f"event: {data['type']}\n" if named else ""
    return f"{name}data: {json.dumps(data)}\n\n".encode()


def chat(*deltas: dict[str, Any], reason: str | None = "stop", end: bytes = DONE, **more: Any) -> Raw:
    """Chat Completions of these deltas."""
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": reason})
    body = b"".join(event({"id": "c", "model": "m", "choices": [choice], **more}) for choice in choices)
    return Raw(body=body + end, headers=EVENTS)


def piece(name: str | None = None, args: Any = None, **more: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": args}
    return {
        "tool_calls": [
            {**more, "function": {key: value for key, value in function.items() if value is not None}}
        ]
    }


async def answered(answer: Raw, wire: Wire = "chat") -> AIMessage:
    """The message, joined as `ainvoke` and as the operator join it."""
    async with raw_server([answer], wire) as server:
        model = model_of(server, wire).bind_tools([click])
        whole: AIMessage = await model.ainvoke("hi")
        pieces = [one async for one in model.astream("hi")]
    joined: AIMessageChunk = pieces[0] + pieces[1:]
    assert [(made["name"], made["args"]) for made in joined.tool_calls] == [
        (made["name"], made["args"]) for made in whole.tool_calls
    ]
    assert joined.text == whole.text
    return whole


A, B = ("click", {"target": "a"}), ("click", {"target": "b"})
HEAD, TAIL_A, TAIL_B = '{"target": ', '"a"}', '"b"}'
CALLS: dict[str, tuple[Sequence[dict[str, Any]], list[Any]]] = {
    "no index": ([piece("click", HEAD, id="A"), piece(args=TAIL_A), piece("click", HEAD, id="B"), piece(args=TAIL_B)], [A, B]),
    "no index, whole": ([piece("click", HEAD + TAIL_A, id="A"), piece("click", HEAD + TAIL_B, id="B")], [A, B]),
    "no index and no id": ([piece("click", HEAD + TAIL_A), piece("click", HEAD + TAIL_B)], [A, B]),
    "no index, id in each piece": ([piece("click", HEAD, id="A"), piece("click", HEAD, id="B"), piece(args=TAIL_A, id="A"), piece(args=TAIL_B, id="B")], [A, B]),
    "index null": ([piece("click", HEAD, id="A", index=None), piece(args=TAIL_A, index=None)], [A]),
    "late index": ([piece("click", HEAD, id="A"), piece(args=TAIL_A, index=0)], [A]),
    "late id": ([piece("click", HEAD, index=0), piece(args=TAIL_A, index=0, id="A")], [A]),
    "late name": ([piece(args=HEAD, index=0, id="A"), piece("click", TAIL_A, index=0)], [A]),
    "same index, other id": ([piece("click", HEAD, id="A", index=0), piece(args=TAIL_A, index=0), piece("click", HEAD, id="B", index=0), piece(args=TAIL_B, index=0)], [A, B]),
    "same index, no ids": ([piece("click", HEAD + TAIL_A, index=0), piece("click", HEAD + TAIL_B, index=0)], [A, B]),
    "same ids": ([piece("click", HEAD + TAIL_A, id="A", index=0), piece("click", HEAD + TAIL_B, id="A", index=1)], [A, B]),
    "ids change": ([piece("click", HEAD, id="A", index=0), piece(args='"a', id="B", index=0), piece(args='"}', id="C", index=0)], [A]),
    "ids change, no index": ([piece("click", HEAD, id="A"), piece(args='"a', id="B"), piece(args='"}', id="C")], [A]),
    "interleaved": ([piece("click", HEAD, id="A", index=0), piece("click", HEAD, id="B", index=1), piece(args=TAIL_A, index=0), piece(args=TAIL_B, index=1)], [A, B]),
    "index as text": ([piece("click", HEAD, id="A", index="0"), piece(args=TAIL_A, index="0")], [A]),
    "name in two pieces": ([piece("cli", "", id="A", index=0), piece("ck", HEAD + TAIL_A, index=0)], [A]),
    "name and id repeated": ([piece("click", HEAD, id="A", index=0), piece("click", TAIL_A, id="A", index=0)], [A]),
    "name repeated alone": ([piece("click", HEAD), piece("click", TAIL_A)], [A]),
    "whole call repeated": ([piece("click", HEAD + TAIL_A, id="A", index=0), piece("click", HEAD + TAIL_A, id="A", index=0)], [A]),
    "object": ([piece("click", {"target": "a"}, id="A", index=0)], [A]),
    "object in its own piece": ([piece("click", id="A", index=0), piece(args={"target": "a"}, index=0)], [A]),
    "encoded twice": ([piece("click", json.dumps(HEAD + TAIL_A), id="A", index=0)], [A]),
    "function_call": ([{"function_call": {"name": "click", "arguments": HEAD}}, {"function_call": {"arguments": TAIL_A}}], [A]),
    "halves": ([piece("click", HEAD + '"\ud83d', id="A", index=0), piece(args='\ude00"}', index=0)], [("click", {"target": "😀"})]),
}  # fmt: skip


@pytest.mark.parametrize("kind", CALLS)
async def test_calls_are_neither_melted_together_nor_torn(kind: str) -> None:
    deltas, expected = CALLS[kind]
    message = await answered(chat(*deltas, reason="tool_calls"))
    assert [(made["name"], made["args"]) for made in message.tool_calls] == expected
    ids = [made["id"] for made in message.tool_calls]
    assert all(ids)
    assert len({*ids}) == len(ids)
    assert broken_tool_calls(message) == {}


@pytest.mark.parametrize(
    "args", ['{"target": "a', "[1]", "null", "7", "click a", '{"target": NaN', "{'target': 'a'}", "[" * 9_000]
)
async def test_a_call_with_other_arguments_is_broken_and_keeps_its_place(args: str) -> None:
    message = await answered(
        chat(piece("click", args, id="A", index=0), piece("click", HEAD + TAIL_B, id="B", index=1))
    )
    assert [made["args"] for made in message.tool_calls] == [{}, {"target": "b"}]
    assert list(broken_tool_calls(message)) == ["A"]


THOUGHT = "Let me see."
TEXTS: dict[str, tuple[Raw, str, str]] = {
    "message for delta": (Raw(body=event({"choices": [{"message": {"role": "assistant", "content": "Paris."}, "finish_reason": "stop"}]}) + DONE, headers=EVENTS), "Paris.", ""),
    "finish empty": (chat({"content": "Paris."}, reason=""), "Paris.", ""),
    "finish missing": (chat({"content": "Paris."}, reason=None), "Paris.", ""),
    "content as parts": (chat({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]}, {"type": "text", "text": "Par"}]}, {"content": "is."}), "Paris.", THOUGHT),
    "thought and text in one": (chat({"reasoning_content": THOUGHT, "content": "Paris."}), "Paris.", THOUGHT),
    "two names of one thought": (chat({"reasoning": THOUGHT, "reasoning_content": THOUGHT}, {"content": "Paris."}), "Paris.", THOUGHT),
    "details": (chat({"reasoning": THOUGHT, "reasoning_details": [{"type": "reasoning.text", "text": THOUGHT}]}, {"content": "Paris."}), "Paris.", THOUGHT),
    "line ends CR": (Raw(body=chat({"content": "Paris."}).body.replace(b"\n", b"\r"), headers=EVENTS), "Paris.", ""),
    "data over two lines": (Raw(body=chat({"content": "Paris."}).body.replace(b', "choices"', b',\ndata: "choices"'), headers=EVENTS), "Paris.", ""),
    "no blank lines": (Raw(body=chat({"content": "Paris."}).body.replace(b"\n\n", b"\n"), headers=EVENTS), "Paris.", ""),
    "bytes that are no UTF-8": (Raw(body=chat({"content": "Paris."}).body.replace(b"Paris", b"Pa\xffris"), headers=EVENTS), "Pa\ufffdris.", ""),
    "pair in two": (chat({"content": "Paris \ud83d"}, {"content": "\ude00 it is"}), "Paris 😀 it is", ""),
    "half alone": (chat({"content": "Paris \ud83d it"}, {"content": " is"}), "Paris \ufffd it is", ""),
    "half at the end": (chat({"content": "Paris \ud83d"}), "Paris \ufffd", ""),
    "half in a thought": (chat({"reasoning_content": "hm \ud83d"}, {"reasoning_content": "\ude00"}, {"content": "Paris."}), "Paris.", "hm 😀"),
}  # fmt: skip


@pytest.mark.parametrize("kind", TEXTS)
async def test_texts_and_thoughts_are_read(kind: str) -> None:
    answer, text, thought = TEXTS[kind]
    assert isinstance(answer.body, bytes)
    if kind != "line ends CR":
        slices = [answer.body[at : at + 7] for at in range(0, len(answer.body), 7)]
        assert (await answered(Raw(parts=slices, headers=EVENTS))).text == text
    message = await answered(answer)
    assert message.text == text
    assert "".join(b["reasoning"] for b in message.content_blocks if b["type"] == "reasoning") == thought


HALVES: dict[Wire, Raw] = {
    "anthropic": Raw(
        body=b"".join(
            event(data, named=True)
            for data in (
                {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None, "usage": {"input_tokens": 1, "output_tokens": 1}}},
                {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
                {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a \ud83d"}},
                {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "\ude00"}},
                {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
                {"type": "message_stop"},
            )
        ),
        headers=EVENTS,
    ),
    "google": Raw(
        body=b"".join(
            event({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, **end}]})
            for text, end in (("a \ud83d", {}), ("\ude00", {"finishReason": "STOP"}))
        ),
        headers=EVENTS,
    ),
    "ollama": Raw(
        body="".join(
            json.dumps({"model": "m", "message": {"role": "assistant", "content": text}, **end}) + "\n"
            for text, end in (("a \ud83d", {"done": False}), ("\ude00", {"done": True, "done_reason": "stop"}))
        ),
        headers=LINES,
    ),
}  # fmt: skip


@pytest.mark.parametrize("wire", HALVES)
async def test_halves_of_a_pair_are_joined_on_every_wire(wire: Wire) -> None:
    assert (await answered(HALVES[wire], wire)).text == "a 😀"


STREAMED: tuple[Wire, ...] = ("chat", "responses", "anthropic")


@pytest.mark.parametrize("wire", STREAMED)
async def test_halves_of_a_pair_are_joined_in_thoughts_and_calls(wire: Wire) -> None:
    pieces = ['{"target": "a' + HIGH, LOW + '"}']
    made = call_in(wire, "click", pieces, [f"hm {HIGH}", f"{LOW} ok"]).halved()
    message = await answered(Raw(body=made.body, headers=EVENTS), wire)
    assert [call["args"] for call in message.tool_calls] == [{"target": "a😀"}]
    assert [block["reasoning"] for block in message.content_blocks if block["type"] == "reasoning"] == [
        "hm 😀 ok"
    ]
    assert json.dumps(message.content, ensure_ascii=False).encode()


@pytest.mark.parametrize("wire", STREAMED)
async def test_a_half_without_its_other_is_replaced_at_the_end(wire: Wire) -> None:
    made = as_bytes(wire, Reply(text=["Paris ", f"it is {HIGH}"])).halved()
    assert (await answered(Raw(body=made.body, headers=EVENTS), wire)).text == "Paris it is \ufffd"


CALL = {"id": "call_1", "type": "function", "function": {"name": "click", "arguments": '{"target": "a"}'}}
UNSTREAMED: dict[Wire, Any] = {
    "chat": {"object": "chat.completion", "choices": [{"message": {"role": "assistant", "content": "Paris.", "tool_calls": [CALL]}, "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}},
    "anthropic": {"type": "message", "id": "m", "role": "assistant", "model": "m", "content": [{"type": "text", "text": "Paris."}, {"type": "tool_use", "id": "toolu_1", "name": "click", "input": {"target": "a"}}], "stop_reason": "tool_use", "usage": {"input_tokens": 7, "output_tokens": 2}},
    "responses": {"object": "response", "id": "r", "created_at": 1, "model": "m", "status": "completed", "parallel_tool_calls": False, "tool_choice": "auto", "tools": [], "output": [{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": "Paris.", "annotations": []}]}, {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "click", "arguments": '{"target": "a"}', "status": "completed"}], "usage": {"input_tokens": 7, "output_tokens": 2, "total_tokens": 9, "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}},
    "google": {"candidates": [{"content": {"role": "model", "parts": [{"text": "Paris."}, {"functionCall": {"name": "click", "args": {"target": "a"}}}]}, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 2, "totalTokenCount": 9}},
    "ollama": {"model": "m", "message": {"role": "assistant", "content": "Paris.", "tool_calls": [{"function": {"name": "click", "arguments": {"target": "a"}}}]}, "done": True, "done_reason": "stop", "prompt_eval_count": 7, "eval_count": 2},
}  # fmt: skip


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("wire", NAMES)
async def test_an_answer_that_is_not_streamed_is_read_as_one_piece(wire: Wire, indent: int | None) -> None:
    message = await answered(Raw(body=json.dumps(UNSTREAMED[wire], indent=indent), headers=JSON), wire)
    assert (message.text, [(made["name"], made["args"]) for made in message.tool_calls]) == ("Paris.", [A])
    assert message.usage_metadata is not None
    assert (message.usage_metadata["input_tokens"], message.usage_metadata["output_tokens"]) == (7, 2)


@pytest.mark.parametrize(
    "arguments", ['{"target": "[1, 2]"}', {"target": "[1, 2]"}, '"{\\"target\\": \\"[1, 2]\\"}"']
)
async def test_ollamas_arguments_are_taken_as_they_are(arguments: Any) -> None:
    made = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"function": {"name": "click", "arguments": arguments}}],
    }
    lines = [{"message": made, "done": False}, {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}]  # fmt: skip
    body = "".join(json.dumps({"model": "m", **line}) + "\n" for line in lines)
    message = await answered(Raw(body=body, headers=LINES), "ollama")
    assert [made["args"] for made in message.tool_calls] == [{"target": "[1, 2]"}]


async def test_usage_that_grows_with_each_event_is_counted_once() -> None:
    counts = [{"prompt_tokens": 25, "completion_tokens": n, "total_tokens": 25 + n} for n in (1, 3, 5)]
    body = b"".join(
        event(
            {
                "choices": [{"delta": {"content": "a"}, "finish_reason": "stop" if n == 2 else None}],
                "usage": usage,
            }
        )
        for n, usage in enumerate(counts)
    )
    message = await answered(Raw(body=body + DONE, headers=EVENTS))
    assert message.usage_metadata is not None
    assert (message.usage_metadata["input_tokens"], message.usage_metadata["output_tokens"]) == (25, 5)


async def test_a_refusal_in_a_field_of_its_own_is_a_refusal() -> None:
    with pytest.raises(RunFailed) as failed:
        await answered(chat({"refusal": "I cannot help with that."}))
    assert failed.value.code == "llm_content_filter"


@pytest.mark.parametrize("empty", [b"data:\n\n", b"data: \r\n\r\n", b"event: ping\ndata:\n\n"])
async def test_an_event_without_data_is_no_part_of_the_answer(empty: bytes) -> None:
    begin, end = ({"choices": [{"delta": {"content": text}}]} for text in ("It is ", "Paris."))
    body = empty + event(begin) + empty + event(end) + empty + DONE
    assert (await answered(Raw(body=body, headers=EVENTS))).text == "It is Paris."


@pytest.mark.parametrize("end", [DONE, b"", b'data: {"error": {"message": "too late"}}\n\n'])
async def test_after_the_end_neither_an_open_connection_nor_an_error_counts(end: bytes) -> None:
    body = chat({"content": "Paris."}, end=end).body
    assert isinstance(body, bytes)
    async with raw_server([Raw(parts=[body, b": open\n\n"], pause=20, headers=EVENTS)]) as server:
        begun = time.monotonic()
        message = await asyncio.wait_for(model_of(server).ainvoke("hi"), 15)
    assert message.text == "Paris."
    assert time.monotonic() - begun < 10


async def test_thoughts_alone_may_be_taken_back() -> None:
    broken = {"error": {"message": "overloaded", "code": 503}}
    first = Raw(
        body=event({"choices": [{"delta": {"reasoning_content": "One."}}]}) + event(broken), headers=EVENTS
    )
    async with raw_server([first, chat({"reasoning_content": "Two."}, {"content": "Paris."})]) as server:
        pieces = [one async for one in model_of(server).astream("hi")]
        assert len(server.requests) == 2
    message = pieces[0] + pieces[1:]
    assert message.text == "Paris."
    assert message.additional_kwargs["reasoning_content"] == "Two."


SIGNED = {"extra_content": {"google": {"thought_signature": "CiQBtest+/=="}}}
OPAQUE: dict[str, tuple[Sequence[dict[str, Any]], dict[str, Any], dict[str, Any]]] = {
    "reasoning_content": ([{"reasoning_content": "Let "}, {"reasoning_content": "me."}], {"reasoning_content": "Let me."}, {}),
    "reasoning": ([{"reasoning": "Let me."}], {"reasoning": "Let me."}, {}),
    "reasoning_details": (
        [{"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "Let ", "format": "x-v1"}]}, {"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "me.", "format": "x-v1"}, {"type": "reasoning.encrypted", "index": 1, "data": "gAAA=="}]}],
        {"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "Let me.", "format": "x-v1"}, {"type": "reasoning.encrypted", "index": 1, "data": "gAAA=="}]},
        {},
    ),
    "extra_content": ([], {}, SIGNED),
}  # fmt: skip


@pytest.mark.parametrize("later_turn", [False, True])
@pytest.mark.parametrize("kind", OPAQUE)
async def test_opaque_parts_come_back_byte_for_byte(kind: str, later_turn: bool) -> None:
    deltas, of_message, of_call = OPAQUE[kind]
    made = chat(*deltas, piece("click", '{"target": "a"}', id="A", index=0, **of_call), reason="tool_calls")
    async with raw_server([made, say("Done.")]) as server:
        model = model_of(server).bind_tools([click])
        first = await model.ainvoke("Click a.")
        stored = json.loads(json.dumps(first.additional_kwargs[PROVIDER_PARTS]))
        again = AIMessage("", tool_calls=first.tool_calls, additional_kwargs={PROVIDER_PARTS: stored})
        said = [HumanMessage("Click a."), again, ToolMessage("ok", tool_call_id="A")]
        await model.ainvoke([*said, AIMessage("Done."), HumanMessage("More.")] if later_turn else said)
        sent = server.requests[1]["messages"][1]
    assert {name: sent[name] for name in of_message} == of_message
    assert {name: sent["tool_calls"][0][name] for name in of_call} == of_call


async def test_opaque_parts_of_another_model_are_not_sent() -> None:
    parts = {"model": "openai-chat:other", "message": {"reasoning_content": "Hm."}, "calls": {"A": SIGNED}}
    call = {"name": "click", "args": {}, "id": "A", "type": "tool_call"}
    asked = [
        AIMessage("", tool_calls=[call], additional_kwargs={PROVIDER_PARTS: parts}),
        ToolMessage("ok", tool_call_id="A"),
    ]
    async with raw_server([say("Done.")]) as server:
        await model_of(server).ainvoke([HumanMessage("hi"), *asked])
        assert "Hm." not in str(server.requests)
        assert "signature" not in str(server.requests)


async def test_geminis_signatures_come_back_after_a_restart() -> None:
    part = {"functionCall": {"name": "click", "args": {"target": "a"}}, "thoughtSignature": "c2lnbmF0dXJl"}
    body = event({"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]})
    async with raw_server([Raw(body=body, headers=EVENTS), say("Done.")], "google") as server:
        model = model_of(server, "google").bind_tools([click])
        first = await model.ainvoke("Click a.")
        stored = json.loads(json.dumps(first.additional_kwargs[PROVIDER_PARTS]))
        again = AIMessage("", tool_calls=first.tool_calls, additional_kwargs={PROVIDER_PARTS: stored})
        result = ToolMessage("ok", tool_call_id=first.tool_calls[0]["id"], name="click")
        await model.ainvoke([HumanMessage("Click a."), again, result])
        assert server.requests[1]["contents"][1]["parts"][0]["thoughtSignature"] == "c2lnbmF0dXJl"
