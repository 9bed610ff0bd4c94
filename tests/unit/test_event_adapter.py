"""The fold from LangGraph's raw events to ours."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk, HumanMessage

from server.agent.event_adapter import EventAdapter
from server.agent.thoughts import loggable
from server.events import Thinking, Token, ToolEnd, ToolStart, Usage, UsageChanged


def chunk(content: Any, *, node: str = "model", run_id: str = "lc1", **metadata: Any) -> dict[str, Any]:
    message = AIMessageChunk(content=content, response_metadata={"model_provider": "anthropic"})
    return {
        "event": "on_chat_model_stream",
        "run_id": run_id,
        "metadata": {"langgraph_node": node, **metadata},
        "data": {"chunk": message},
    }


def custom(event: str, **data: Any) -> dict[str, Any]:
    return {"event": "on_custom_event", "name": event, "data": data}


def test_text_and_thinking_of_every_provider_shape() -> None:
    adapter = EventAdapter("m")
    assert adapter.feed(chunk("Hi")) == [Token(message_id="m", text="Hi")]
    thinking = [{"type": "thinking", "thinking": "hm", "index": 0}]
    assert adapter.feed(chunk(thinking)) == [Thinking(message_id="m", text="hm")]
    text = [{"type": "text", "text": " there", "index": 1}]
    assert adapter.feed(chunk(text)) == [Token(message_id="m", text=" there")]
    assert (adapter.answer, adapter.thinking) == ("Hi there", "hm")


def model_end(message: AIMessageChunk) -> dict[str, Any]:
    return {"event": "on_chat_model_end", "data": {"output": message}}


THOUGHT = "Ada's password is 'rosebud', the card 4111 1111 1111 1111. I type hunter2 into the field, then search tea."


@pytest.mark.parametrize("agent", ["assistant", "operator by tool", "operator by schema"])
def test_thoughts_go_to_the_log_without_secrets_when_the_setting_says_so(
    agent: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "server")
    adapter = EventAdapter("m", log_thoughts=True)
    for part in (THOUGHT[:20], THOUGHT[20:]):
        thinking = [{"type": "thinking", "thinking": part, "index": 0}]
        adapter.feed(chunk(thinking) if agent == "assistant" else custom("thinking", text=part))
    args = {"action": "type", "fields": [{"eid": "e1", "text": "hunter2"}]}
    calls = [{"name": "act", "args": args, "id": "1"}]
    by_tool = AIMessageChunk(content="", tool_calls=calls)
    by_schema = AIMessageChunk(content=json.dumps(args))
    adapter.feed(model_end(by_schema if agent == "operator by schema" else by_tool))
    (line,) = [record.getMessage() for record in caplog.records]
    assert line == (
        "for answer m the model thinks: Ada's password is '••• the card •••. I type ••• into the field, then search tea."
    )
    adapter.feed(chunk([{"type": "thinking", "thinking": "hunter2 was typed", "index": 0}]))
    adapter.flush("cancelled")
    assert caplog.records[-1].getMessage().endswith("thinks: ••• was typed"), "also where it was typed before"


def test_thoughts_stay_out_of_the_log_by_default(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "server")
    adapter = EventAdapter("m")
    adapter.feed(custom("thinking", text="a secret thought"))
    adapter.feed(model_end(AIMessageChunk(content="")))
    adapter.flush("ended")
    assert caplog.text == ""
    assert adapter.thinking == "a secret thought"


@pytest.mark.parametrize(
    ("thought", "told"),
    [
        ("Пароль: «роза», код из СМС 1234", "Пароль: «••• код из СМС •••"),
        ("password hunter2 and PIN is 1234.", "password ••• and PIN is •••"),
        ("Compare the prices of three kettles, €43.90.", "Compare the prices of three kettles, €43.90."),
    ],
)
def test_words_that_follow_password_are_masked(thought: str, told: str) -> None:
    assert loggable(thought, ()) == told


def test_an_answer_keeps_what_was_thought_and_for_how_long() -> None:
    now = [10.0]
    adapter = EventAdapter("m", clock=lambda: now[0])
    assert adapter.answer_meta is None
    for at, content in ((10.0, "hm"), (12.5, "so"), (13.0, None), (50.0, "again"), (51.0, None)):
        now[0] = at
        thought = [{"type": "thinking", "thinking": content, "index": 0}] if content else "text"
        adapter.feed(chunk(thought))
    assert adapter.answer_meta == {"thinking": "hmsoagain", "thinking_ms": 4000}


def test_an_answer_tells_how_the_run_ended_where_it_did_not_just_answer() -> None:
    adapter = EventAdapter("m")
    adapter.feed(custom("outcome", outcome="done"))
    assert adapter.answer_meta is None
    adapter.feed(custom("outcome", outcome="limit"))
    assert adapter.answer_meta == {"outcome": "limit"}


def test_other_models_calls_are_not_the_answer() -> None:
    adapter = EventAdapter("m")
    assert adapter.feed(chunk("plan", node="plan_action")) == []
    assert adapter.feed(chunk("summary", lc_source="summarization")) == []


def test_what_is_said_after_a_tool_call_is_a_new_paragraph() -> None:
    adapter = EventAdapter("m")
    events = adapter.feed(chunk("I look.", run_id="one")) + adapter.feed(chunk("Done.", run_id="two"))
    assert "".join(event.text for event in events) == adapter.answer == "I look.\n\nDone."


def test_a_run_that_goes_on_begins_with_what_was_said_before() -> None:
    adapter = EventAdapter("m", said="Before.")
    event = adapter.feed(chunk("After."))[0]
    assert event == Token(message_id="m", text="\n\nAfter.")
    assert adapter.answer == "Before.\n\nAfter."


def test_a_tool_call_opens_and_closes_with_its_time() -> None:
    times = iter([10.0, 10.25])
    adapter = EventAdapter("m", clock=lambda: next(times))
    start = adapter.feed(custom("tool_start", call_id="c", name="click", args={"text": "x" * 900}))
    assert isinstance(start[0], ToolStart)
    assert len(str(start[0].args["text"])) < 600
    end = adapter.feed(custom("tool_end", call_id="c", ok=True, summary="Clicked", url="http://a"))
    assert end == [
        ToolEnd(call_id="c", name="click", ok=True, summary="Clicked", duration_ms=250, url="http://a")
    ]


def test_the_title_of_the_page_is_shortened_and_can_be_stored() -> None:
    adapter = EventAdapter("m")
    adapter.feed(custom("tool_start", call_id="c", name="navigate", args={}))
    [end] = adapter.feed(custom("tool_end", call_id="c", ok=True, summary="", title="a\0\ud800" + "x" * 900))
    assert isinstance(end, ToolEnd)
    assert end.title == "a\ufffd\ufffd" + "x" * 197


def test_what_is_open_is_closed_when_the_run_breaks_off() -> None:
    adapter = EventAdapter("m")
    adapter.feed(custom("tool_start", call_id="c", name="click", args={}))
    [end] = adapter.flush("Task cancelled", "cancelled")
    assert isinstance(end, ToolEnd)
    assert (end.call_id, end.ok, end.summary, end.reason) == ("c", False, "Task cancelled", "cancelled")
    assert adapter.flush("again") == []
    assert adapter.feed(custom("tool_end", call_id="c", ok=True, summary="late")) == []


def test_usage_adds_up_with_cost() -> None:
    adapter = EventAdapter("m", usage=Usage(input_tokens=5, model_calls=1), cost=lambda usage: 0.5)
    output = AIMessageChunk(
        content="",
        usage_metadata={
            "input_tokens": 10, "output_tokens": 2, "total_tokens": 12, "input_token_details": {"cache_read": 4},
        },
    )  # fmt: skip
    (event,) = adapter.feed({"event": "on_chat_model_end", "data": {"output": output}})
    assert isinstance(event, UsageChanged)
    assert event.total == Usage(input_tokens=15, output_tokens=2, cached_tokens=4, model_calls=2, cost=0.5)


def test_unknown_raw_events_are_ignored() -> None:
    adapter = EventAdapter("m")
    assert adapter.feed({"event": "on_tool_start", "data": {}}) == []
    assert adapter.feed(custom("something_new", a=1)) == []


def test_a_model_that_does_not_answer_is_told_until_it_speaks() -> None:
    adapter = EventAdapter("m")
    adapter.feed(custom("model_retry", code="llm_unavailable", delay=1.0, failed=1, tries=3))
    assert adapter.note is not None
    assert "1 of 3" in adapter.note
    adapter.feed(chunk("Hi"))
    assert adapter.note is None


def test_the_operators_model_has_spoken_when_its_decision_begins() -> None:
    adapter = EventAdapter("m")
    adapter.feed(custom("note", text="asking again"))
    assert adapter.note == "asking again"
    assert adapter.feed(chunk("", node="plan_action")) == []
    assert adapter.note is None


def test_what_cannot_be_stored_is_replaced_and_what_is_long_is_cut() -> None:
    adapter = EventAdapter("m")
    adapter.feed(chunk("a\0\ud83d"))
    assert adapter.answer == "a\ufffd\ufffd"
    args = {"text": ["\0", "y" * 9000], "fields": [{"text": "z" * 9000}] * 99}
    (start,) = adapter.feed(custom("tool_start", call_id="1", name="type", args=args))
    assert isinstance(start, ToolStart)
    assert start.args["text"][0] == "\ufffd"
    assert len(str(start.args)) < 50 * 600


def begun(text: str) -> Any:
    return {
        "event": "on_chat_model_start",
        "run_id": "1",
        "metadata": {},
        "data": {"input": {"messages": [[HumanMessage(text)]]}},
    }


def streamed(text: str) -> Any:
    return {
        "event": "on_chat_model_stream", "run_id": "1", "metadata": {"langgraph_node": "model"},
        "data": {"chunk": AIMessageChunk(text)},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("events", "reason", "tokens"),
    [
        ([begun("x" * 400), streamed("y" * 40)], "cancelled", (100, 10)),
        ([begun("x" * 400)], "cancelled", (100, 0)),
        ([begun("x" * 400), streamed("y" * 40)], "llm_stream_cut", (100, 10)),
        ([begun("x" * 400)], "llm_auth", (0, 0)),
        ([begun("x" * 400), streamed("y" * 40), begun("x" * 400)], "cancelled", (200, 10)),
        ([], "cancelled", (0, 0)),
    ],
)
def test_the_usage_of_a_call_without_an_end_is_estimated(
    events: list[Any], reason: str, tokens: tuple[int, int]
) -> None:
    adapter = EventAdapter("m", cost=lambda usage: usage.input_tokens / 100)
    for event in events:
        adapter.feed(event)
    adapter.flush("It ended.", reason)
    assert (adapter.usage.input_tokens, adapter.usage.output_tokens) == tokens
    assert (adapter.usage.cost or 0) == tokens[0] / 100
