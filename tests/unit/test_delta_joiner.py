"""Joining deltas changes how many events arrive, never what they say."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.agent.models.delta_joiner import DeltaJoiner
from server.agent.models.ollama import join_texts
from tests.support.model_formats import stream
from tests.support.model_reply import Reply, ToolCall, Wire

WIRES: tuple[Wire, ...] = ("anthropic", "chat", "responses", "google")
BODY = {
    "model": "m",
    "stream_options": {"include_usage": True},
    "generationConfig": {"thinkingConfig": {"include_thoughts": True}},
}
REPLY = Reply(
    thinking='Let me "think" \\ about\nit.',
    text='Grüße, мир! 😀 "quoted" \\back\\slash\n\n```python\nprint("data: {}")\n```\nevent: done \u2028 end',
    calls=(
        ToolCall("click", {"target": "e12", "text": "naïve data"}, "call_1"),
        ToolCall("wait", {}, "call_2"),
    ),
)


def recorded(wire: Wire, reply: Reply = REPLY) -> bytes:
    return b"".join(stream(wire, reply, BODY))


def joined(pieces: Iterator[bytes] | list[bytes]) -> bytes:
    joiner = DeltaJoiner()
    out = [joiner.feed(piece) for piece in pieces]
    return b"".join([*out, joiner.flush()])


def told(body: bytes) -> list[Any]:
    """What a stream says: its events, with the text of neighbouring deltas put together."""
    facts: list[Any] = []
    for event in body.decode().replace("\r\n", "\n").split("\n\n"):
        head, _, data = event.partition("data: ")
        payload = json.loads(data) if data.startswith("{") else data
        text = _take_text(payload)
        fact = [head, payload, text]
        if text and facts and facts[-1][:2] == fact[:2] and facts[-1][2]:
            facts[-1][2] += text
        else:
            facts.append(fact)
    return facts


def _take_text(payload: Any) -> str:
    if not isinstance(payload, dict):
        return ""
    payload.pop("sequence_number", None)
    payload.pop("obfuscation", None)
    if str(payload.get("type")).startswith("response.") and isinstance(payload.get("delta"), str):
        return str(payload.pop("delta"))
    for candidate in payload.get("candidates") or ():
        part = candidate["content"]["parts"][0]
        return str(part.pop("text", "")) if "finishReason" not in candidate else ""
    delta = payload.get("delta") or next((c["delta"] for c in payload.get("choices") or ()), None)
    if not isinstance(delta, dict):
        return ""
    for call in delta.get("tool_calls") or ():
        delta = call["function"]
    keys = ("text", "thinking", "content", "reasoning_content", "partial_json", "arguments")
    key = next((k for k in keys if delta.get(k)), None)
    return str(delta.pop(key)) if key else ""


@pytest.mark.sweep
@pytest.mark.parametrize("wire", WIRES)
def test_a_stream_cut_in_two_at_any_byte_says_the_same(wire: Wire) -> None:
    body = recorded(wire)
    whole = told(body)
    for at in range(len(body) + 1):
        assert told(joined([body[:at], body[at:]])) == whole, at


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 500, 4096])
def test_a_stream_in_pieces_of_any_size_says_the_same(wire: Wire, size: int) -> None:
    body = recorded(wire)
    assert told(joined([body[i : i + size] for i in range(0, len(body), size)])) == told(body)


@pytest.mark.parametrize("wire", WIRES)
def test_a_stream_in_random_pieces_says_the_same(wire: Wire) -> None:
    body, dice = recorded(wire), random.Random(7)
    for _ in range(200):
        cuts = sorted(dice.sample(range(len(body)), 9))
        pieces = [body[a:b] for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True)]
        assert told(joined(pieces)) == told(body)


@pytest.mark.parametrize("wire", WIRES)
def test_events_that_arrive_one_by_one_pass_with_their_bytes_but_line_ends(wire: Wire) -> None:
    events = list(stream(wire, REPLY, BODY))
    joiner = DeltaJoiner()
    assert [joiner.feed(event) for event in events] == [event.replace(b"\r\n", b"\n") for event in events]


@pytest.mark.parametrize(
    ("wire", "marker"),
    [
        ("anthropic", b"text_delta"),
        ("chat", b'"content":"'),
        ("responses", b"output_text.delta"),
        ("google", b'"text":"w'),
    ],
)
def test_text_that_arrived_together_becomes_one_event(wire: Wire, marker: bytes) -> None:
    body = recorded(wire, Reply(text=[f"w{i} " for i in range(50)]))
    assert sum(marker in event for event in joined([body]).split(b"\n\n")) <= 3


@pytest.mark.parametrize(
    ("wire", "marker"),
    [("anthropic", b"input_json_delta"), ("chat", b'"arguments":"w'), ("responses", b"arguments.delta")],
)
def test_arguments_that_arrived_together_become_one_event(wire: Wire, marker: bytes) -> None:
    body = recorded(wire, Reply(calls=(ToolCall("click", " ".join(["word"] * 50), "call_1"),)))
    assert body.count(marker) >= 5
    assert joined([body]).count(marker) <= 2  # the first may be an empty one


def test_events_without_a_blank_line_between_them_do_not_wait_for_one() -> None:
    joiner = DeltaJoiner()
    lines = [b'data: {"n": %d}\n' % n for n in range(5)]
    assert [joiner.feed(line) for line in lines] == [b"", lines[0] + lines[1], *lines[2:]]


def test_an_event_in_very_many_pieces_is_joined_once() -> None:
    body = b"data: " + b"x" * 999_000 + b"\n\n"
    joiner = DeltaJoiner()
    begun = time.thread_time()
    out = [joiner.feed(body[at : at + 100]) for at in range(0, len(body), 100)]
    assert b"".join(out) == body
    assert time.thread_time() - begun < 0.5


def google_event(text: str, used: int) -> bytes:
    candidate = {"content": {"parts": [{"text": text}], "role": "model"}, "index": 0}
    payload = {"candidates": [candidate], "usageMetadata": {"totalTokenCount": used}, "modelVersion": "m"}
    return b"data: " + json.dumps(payload).encode() + b"\r\n\r\n"


def test_of_a_usage_that_grows_with_each_event_the_newest_is_kept() -> None:
    out = joined([b"".join(google_event(f"w{n} ", used=n) for n in range(1, 51))])
    assert out.count(b"\n\n") == 1
    payload = json.loads(out.removeprefix(b"data: "))
    assert payload["usageMetadata"] == {"totalTokenCount": 50}
    assert told(out)[0][2] == "".join(f"w{n} " for n in range(1, 51))


@pytest.mark.parametrize("wire", WIRES)
def test_names_usage_and_finish_pass_untouched(wire: Wire) -> None:
    events = list(stream(wire, REPLY, BODY))
    together = set(joined([b"".join(events)]).split(b"\n\n"))
    for event in events:
        if any(
            word in event for word in (b'"name"', b'usage":{', b'finish_reason":"', b"finishReason", b"DONE")
        ):
            assert event.replace(b"\r\n", b"\n").removesuffix(b"\n\n") in together


def test_events_with_the_line_ends_of_http_are_joined_like_the_others() -> None:
    body = recorded("chat")
    for size in (1, 50, 999, 2 * len(body)):
        ends = body.replace(b"\n", b"\r\n")
        assert told(joined([ends[i : i + size] for i in range(0, len(ends), size)])) == told(body)
    assert joined([ends]) == joined([body])


def test_line_ends_of_another_kind_pass_as_they_are() -> None:
    body = recorded("chat").replace(b"\n", b"\r")
    for size in (1, 50, 999, len(body)):
        pieces = [body[i : i + size] for i in range(0, len(body), size)]
        assert joined(pieces) == body


@pytest.mark.parametrize(
    "event",
    [
        b"",
        b": comment",
        b"data: [DONE]",
        b'data: {"choices":[{"delta":{"content":"a"}},{"delta":{"content":"b"}}]}',
        b'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}',
        b'data: {"choices":[{"delta":{"content":"a"},"logprobs":{"content":[]}}]}',
        b'data: {"choices":[{"delta":{"content":"a","tool_calls":[{"index":0}]}}]}',
        b'data: {"choices":[{"delta":{"content":"a"}}],"usage":{"total_tokens":3}}',
        b'data: {"choices":[{"delta":null}]}',
        b'data: {"choices":null}',
        b'data: {"choices":["odd"]}',
        b'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"arguments":"b"}}]}}]}',
        b'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"b"}}]}}]}',
        b'data: {"choices":[{"delta":{"content":"a","tool_calls":[{"index":0,"function":{"arguments":"b"}}]}}]}',
        b'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":null}}]}}]}',
        b'data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"x"}}',
        b'data: {"type":"response.output_text.delta","delta":"a","logprobs":[{"token":"a"}]}',
        b'data: {"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}',
        b'data: {"candidates":[{"content":{"parts":[{"text":"a"},{"text":"b"}]}}]}',
        b'data: {"candidates":[{"content":{"parts":[{"text":"a"}]}},{"content":{"parts":[{"text":"b"}]}}]}',
        b'data: {"candidates":[{"content":{"parts":[{"text":"a","thoughtSignature":"x"}]}}]}',
        b'data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{}}}]}}]}',
        b'data: {"candidates":[{"content":{"parts":"odd"}}]}',
        b'data: {"candidates":null}',
        b'data: {"type":["odd"]}',
        b"data: [1, 2]",
        b"data: not json",
        b'data: {"a": "\\ud83d"}',
        b"id: 7\nevent: content_block_delta\ndata: {}",
        b'data: {"choices":[{"delta":\ndata: {"content":"a"}}]}',
    ],
)
def test_what_is_not_a_plain_text_delta_is_never_joined(event: bytes) -> None:
    body = b"\n\n".join([event, event, event, b""])
    assert joined([body]) == body


def test_an_event_that_never_ends_is_handed_over_when_the_stream_does() -> None:
    assert joined([b'data: {"choices"', b": [", b"]}"]) == b'data: {"choices": []}'


def chat_event(text: str, *, ascii_only: bool, more: str = "") -> bytes:
    content = json.dumps(text, ensure_ascii=ascii_only).encode()
    return b'data: {"id":"c1","choices":[{"index":0,"delta":{"content":%s%s}}]}\n\n' % (
        content,
        more.encode(),
    )


@pytest.mark.parametrize("ascii_only", [True, False])
@given(
    st.lists(st.one_of(st.text(min_size=1), st.sampled_from(['"', "\\", '\\"', '"content":', "\n\n", "😀"])))
)
def test_any_texts_become_one_event_that_says_them_all(ascii_only: bool, texts: list[str]) -> None:
    out = joined([b"".join(chat_event(text, ascii_only=ascii_only) for text in texts)])
    events = [json.loads(event.removeprefix(b"data: ")) for event in out.split(b"\n\n") if event]
    assert "".join(event["choices"][0]["delta"]["content"] for event in events) == "".join(texts)
    assert len(events) == bool(texts)


def test_an_event_that_says_more_between_the_same_bytes_passes_as_it_is() -> None:
    texts = [chat_event("a", ascii_only=True), chat_event("b", ascii_only=True)]
    calls = chat_event("c", ascii_only=True, more=',"tool_calls":[{"index":0}],"name":"d"')
    out = joined([b"".join([*texts, calls, *texts])])
    assert out.split(b"\n\n")[1] + b"\n\n" == calls
    assert out.count(b'"ab"') == 2


def of_ollama(body: bytes) -> list[Any]:
    """What lines of Ollama say, with the texts of neighbouring pieces put together."""
    facts: list[Any] = []
    for line in body.splitlines():
        event = json.loads(line)
        event.pop("created_at", None)
        message = event.get("message") or {}
        key = next((key for key in ("content", "thinking") if message.get(key)), "")
        text = message.pop(key) if key and not event["done"] and not message.get("tool_calls") else ""
        message = {name: value for name, value in message.items() if value}
        fact = [event | {"message": message}, key, text]
        if text and facts and facts[-1][:2] == fact[:2] and facts[-1][2]:
            facts[-1][2] += text
        else:
            facts.append(fact)
    return facts


def test_lines_of_ollama_that_arrived_together_say_the_same_as_one() -> None:
    body = recorded("ollama")
    lines = body.splitlines(keepends=True)
    for size in (1, 2, 7, len(lines)):
        out = b"".join(b"".join(join_texts(lines[at : at + size])) for at in range(0, len(lines), size))
        assert of_ollama(out) == of_ollama(body)
    words = recorded("ollama", Reply(text=[f"w{i} " for i in range(50)])).splitlines(keepends=True)
    assert len(join_texts(words)) <= 2


def test_a_joined_line_of_ollama_has_no_field_that_the_server_did_not_send() -> None:
    lines = [b'{"message":{"content":"%s"},"done":false}\n' % text for text in (b"a", b"b")]
    assert join_texts(lines) == [b'{"message":{"content":"ab"},"done":false}\n']


@pytest.mark.parametrize(
    "line",
    [
        b'{"message":{"content":"a"},"done":true}\n',
        b'{"message":{"content":"a","tool_calls":[{}]},"done":false}\n',
        b'{"message":{"content":"a"},"done":false,"logprobs":[1]}\n',
        b'{"message":{"content":"\\ud83d"},"done":false}\n',
        b'{"error":"busy"}\n', b'{"message":null}\n', b"[1]\n", b"not json\n", b"\n",
    ],
)  # fmt: skip
def test_what_is_no_plain_piece_of_ollamas_text_is_never_joined(line: bytes) -> None:
    assert join_texts([line, line, line]) == [line, line, line]
