"""Where both agents' prompts have what the person wants them to know, and how they propose notes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage

from server.agent.assistant.knowledge import PersonsKnowledge
from server.agent.context import Known
from server.agent.foresight import ask_plan
from server.agent.operator.memory.state import State
from server.agent.operator.plan.move import Move, Offer, move_schema, to_action
from server.agent.operator.plan.prompts import step_prompt, summary_prompt
from server.agent.titles import ask_title
from tests.support.scripted_model import ScriptedModel

KNOWN = Known(
    "The person's standing instructions:\nAnswer in German.", "<notes>\n- Search wants Enter\n</notes>"
)
SHOWN = '<untrusted-page>\nPage: https://shop.example/list "List"\n</untrusted-page>'


def test_the_operator_reads_instructions_before_the_task_and_notes_before_the_page() -> None:
    rules, work = step_prompt(State.read({"task": "find it"}), "URL: x", known=KNOWN, cached=True)
    alone, _ = step_prompt(State.read({"task": "find it"}), "URL: x", cached=True)
    assert rules.text == alone.text  # what the provider caches
    places = [work.text.index(part) for part in ("Answer in German.", "Task: find it", "<notes>", "<page>")]
    assert places == sorted(places)


async def test_titles_plans_and_summaries_have_the_instructions_before_the_persons_words() -> None:
    model = ScriptedModel(turns=["A name", "{}"], prompts=[])
    await ask_title(model, "find it", "Done", "Today", KNOWN.instructions)
    await ask_plan(model, "find it", None, (), "Today", KNOWN.instructions)
    _, work = summary_prompt(State.read({"task": "find it"}), "time", "Today", KNOWN.instructions)
    for text in (*model.prompts, work.text):
        places = [text.index(part) for part in ("Answer in German.", "find it", "Today")]
        assert places == sorted(places)


def test_a_turn_is_offered_notes_only_when_there_may_be_some() -> None:
    assert "notes" not in move_schema()["properties"]
    assert "notes" in move_schema(None, Offer(notes=True))["properties"]
    move = Move.model_validate({"action": "stop", "final_response": "done", "notes": ["Search wants Enter"]})
    assert getattr(to_action(move, "a"), "notes", None) == ["Search wants Enter"]


class Request(SimpleNamespace):
    def override(self, **values: object) -> Request:
        return Request(**{**vars(self), **values})


class Kept:
    """Knows `KNOWN`, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    async def known(self, address: str, page: str) -> Known:
        self.asked.append((address, page))
        return KNOWN


async def test_the_assistant_reads_instructions_after_its_rules_and_notes_last() -> None:
    knowledge, sent = Kept(), list[Any]()
    shown = ToolMessage(SHOWN, tool_call_id="1")
    request = Request(
        messages=[HumanMessage("Find it."), shown], system_message=SystemMessage("Rules."),
        runtime=SimpleNamespace(context=SimpleNamespace(knowledge=knowledge)),
    )  # fmt: skip

    async def call(changed: Any) -> Any:
        sent.append(changed)

    await PersonsKnowledge().awrap_model_call(cast("Any", request), call)
    assert sent[0].system_message.text == f"Rules.\n{KNOWN.instructions}"
    assert sent[0].messages[-1].text == f"{SHOWN}\n\n{KNOWN.notes}"
    assert knowledge.asked == [("https://shop.example/list", SHOWN)]
    assert shown.text == SHOWN  # the state keeps none of it
