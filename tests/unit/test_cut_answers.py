"""Answers that are only a part are marked, kept, and gone on from; limits of the assistant end in a question."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from server.agent.assistant.agent import build_assistant
from server.agent.assistant.input import CONTINUE_CUT_ANSWER, to_lc_messages
from server.agent.event_adapter import EventAdapter
from server.agent.operator.plan.opening import names_address
from server.agent.streaming import graph_events
from server.agent.today import without_today
from server.checkpoints import MemoryTables
from server.events import Message, now
from server.files.transcript import remarks_on
from server.runs.cut_answers import continued_by
from server.settings import Settings
from tests.support.model_reply import say
from tests.support.model_server import ModelServer
from tests.support.scripted_model import ScriptedModel
from tests.unit.test_assistant import LOOK, SPECS, new_context
from tests.unit.test_chat_model import every_wire
from tests.unit.test_continuing_assistant import Worker, begun, message
from tests.unit.test_text_channel import work


def row(role: Any, content: str, **meta: Any) -> Message:
    return Message(
        id=content,
        session_id="s",
        run_id="r",
        seq=1,
        role=role,
        content=content,
        meta_json=meta,
        created_at=now(),
    )


ASKED, CUT = row("user", "Tell me of Paris."), row("assistant", "Paris is the cap", cut="length")


@every_wire
async def test_an_answer_that_its_length_limit_cut_is_marked(wire: str) -> None:
    async with ModelServer([say("Paris is the cap", stop="length"), say("A whole one.")]) as server:
        cut, *_ = await work(server, wire)
        whole, *_ = await work(server, wire)
    assert (cut.answer_meta or {}).get("cut") == "length"
    assert "cut" not in (whole.answer_meta or {})


@pytest.mark.parametrize(
    ("history", "answer"),
    [
        ([ASKED, CUT, row("user", "Continue")], CUT),
        ([ASKED, CUT, row("user", "Продолжай")], CUT),
        ([ASKED, CUT, row("user", "What is the capital of Italy?")], None),
        ([ASKED, row("assistant", "It is Paris."), row("user", "Continue")], None),
        ([ASKED, CUT, row("user", "Rome?"), row("assistant", "Yes."), row("user", "Continue")], None),
        ([ASKED], None),
    ],
)
def test_only_a_message_right_after_a_cut_answer_goes_on_from_it(
    history: list[Message], answer: Message | None
) -> None:
    assert continued_by(history) == answer
    assert (CONTINUE_CUT_ANSWER in to_lc_messages(history)[-1].text) == (answer is not None)


def test_what_an_answer_lacks_is_said_in_both_languages() -> None:
    assert remarks_on(CUT) == ["Cut off at the length limit"]
    assert remarks_on(row("assistant", "ital", continues=True)) == ["Goes on from the cut answer before"]
    assert remarks_on(row("assistant", "x", without_browser=True, cut="stream"), "ru") == [
        "Ответ дан без браузера", "Оборвано: связь с моделью прервалась",
    ]  # fmt: skip
    assert remarks_on(row("assistant", "It is Paris.")) == []


def test_marks_of_an_answer_are_stored_with_it() -> None:
    adapter = EventAdapter("m")
    adapter.cut, adapter.continues, adapter.without_browser = "stream", True, True
    assert adapter.answer_meta == {"cut": "stream", "continues": True, "without_browser": True}


@pytest.mark.parametrize(
    ("text", "names"), [("Open https://a.example", True), ("See www.a.example", True), ("Hi", False)]
)
def test_addresses_in_a_task_are_found(text: str, names: bool) -> None:
    assert names_address(text) is names


async def test_the_assistants_time_limit_ends_in_a_summary_and_the_question_whether_to_go_on() -> None:
    graph = build_assistant(
        ScriptedModel(turns=[LOOK, LOOK, "I saw a cart."], prompts=[]), SPECS, run_timeout=100
    )
    adapter, seconds = EventAdapter("m"), iter([1.0, 90.0])
    context = replace(new_context(max_tool_steps=9), active_seconds=lambda: next(seconds))
    async for raw in graph_events(graph, {"messages": [HumanMessage("Look.")]}, {}, context=context):
        adapter.feed(raw)
    assert adapter.answer == "I saw a cart.\n\nShall I go on?"
    assert adapter.answer_meta == {"outcome": "limit"}


async def test_continue_goes_on_from_a_cut_answer_in_another_process(settings: Settings) -> None:
    """Of the session it knows what is stored; it has no steps of the run before."""
    history = [
        message("1", "user", "Tell me of Paris.", "q"),
        message("2", "assistant", "Paris is the cap", "q", cut="length"),
    ]
    asked = message("3", "user", "Continue")
    worker = Worker(settings, MemoryTables(), ["ital of France."])
    await worker.run(replace(begun(1), messages=[*history, asked]))
    assert [(one.type, one.text) for one in without_today(worker.model.asked[-1])[-2:]] == [
        ("ai", "Paris is the cap"), ("human", f"Continue\n{CONTINUE_CUT_ANSWER}"),
    ]  # fmt: skip
    assert worker.adapter.answer == "ital of France."
