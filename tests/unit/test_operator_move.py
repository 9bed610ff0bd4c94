"""One flat schema that every provider accepts, and forgiveness for how they fill it in."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from server.agent.operator.move import POINT_ARGUMENTS, Move, move_schema, to_action
from server.agent.operator.prompts import NO_PLAN, READ_ONCE, RULES, step_prompt, summary_prompt


def test_the_schema_is_flat_and_small() -> None:
    schema = move_schema()
    text = json.dumps(schema, separators=(",", ":"))
    for word in ("$ref", "$defs", "anyOf", "oneOf", "allOf", "default", "null"):
        assert f'"{word}"' not in text
    assert schema["type"] == "object"
    assert schema["required"] == ["reason", "action"]
    assert len(text) < 1650


def test_the_schema_names_every_action_and_argument() -> None:
    properties = move_schema()["properties"]
    assert set(Move.model_fields) - {"rows", *POINT_ARGUMENTS} == set(properties)
    assert set(Move.model_fields) == set(move_schema({"type": "array"}, points=True)["properties"])
    assert {"click", "type", "scroll", "wait", "screenshot", "stop", "need_user", "navigate", "back", "press", "select",
            "hover", "focus", "read", "read_page", "read_file", "switch_tab", "upload", "dialog"} == set(properties["action"]["enum"])  # fmt: skip


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"action": "click", "eid": "[E3]"}, {"kind": "click", "eid": "e3"}),
        ({"action": "type", "eid": "e1", "text": "a"}, {"kind": "type", "fields": [{"eid": "e1", "text": "a"}]}),
        ({"action": "type", "fields": [{"eid": "[e1]", "text": "a"}], "submit": True},
         {"kind": "type", "fields": [{"eid": "e1", "text": "a"}], "submit": True}),
        ({"action": "type", "fields": [{"eid": 1, "text": "a"}], "eid": "e1", "text": "b"},
         {"kind": "type", "fields": [{"eid": "e1", "text": "a"}]}),
        ({"action": "type", "text": "b"}, {"kind": "type"}),
        ({"action": "click", "eid": 7}, {"kind": "click", "eid": "e7"}),
        ({"action": "press", "key": "Enter", "eid": "e1"}, {"kind": "press", "key": "Enter"}),
        ({"action": "scroll"}, {"kind": "scroll", "direction": "down"}),
        ({"action": "dialog"}, {"kind": "dialog", "accept": False}),
        ({"action": "click", "eid": "e1", "commits": "send"}, {"kind": "click", "eid": "e1", "commits": "send"}),
        ({"action": "scroll", "commits": "send"}, {"kind": "scroll", "direction": "down"}),
        ({"action": "read_page", "page": "2", "eid": "e1"}, {"kind": "read_page", "page": 2}),
        ({"action": "read_page", "query": "refund", "page": None}, {"kind": "read_page", "query": "refund"}),
        ({"action": "back", "eid": "e3", "url": "http://x"}, {"kind": "back"}),
        ({"action": "navigate", "url": "http://x", "text": None}, {"kind": "navigate", "url": "http://x"}),
        ({"action": "navigate", "url": "http://x", "text": "Open it"}, {"kind": "navigate", "url": "http://x"}),
        ({"action": "navigate", "text": "http://x"}, {"kind": "navigate", "url": "http://x"}),
        ({"action": "select", "eid": "e1", "text": "None"}, {"kind": "select", "eid": "e1", "option": "None"}),
        ({"action": "press", "text": "Enter"}, {"kind": "press", "key": "Enter"}),
        ({"action": "read_page", "text": "refund"}, {"kind": "read_page", "query": "refund"}),
        ({"action": "scroll", "text": "Imprint"}, {"kind": "scroll", "direction": "down", "query": "Imprint"}),
        ({"action": "drag", "eid": "e1", "to": "e2"}, {"kind": "drag", "start": "e1", "end": "e2"}),
        ({"action": "drag", "at": "1,2", "to": "3,4"},
         {"kind": "drag", "at": {"x": 1, "y": 2}, "to": {"x": 3, "y": 4}}),
    ],
)  # fmt: skip
def test_an_action_keeps_its_own_arguments_only(given: dict[str, Any], expected: dict[str, Any]) -> None:
    action = to_action(Move.model_validate(given), "a1")
    assert action.to_json() == {"id": "a1", **expected}


def test_text_is_taken_for_the_argument_that_is_missing() -> None:
    further = Move.model_validate({
        "action": "click", "eid": "e1", "then": [{"action": "select", "eid": "e2", "text": "Red"},
        {"action": "press", "text": "Tab"}, {"action": "hover", "eid": "e3"}, {"action": "read_page", "text": "price"}],
    }).then  # fmt: skip
    assert [(one.option, one.key, one.eid, one.query) for one in further] == [
        ("Red", None, "e2", None), (None, "Tab", None, None), (None, None, "e3", None), (None, None, None, "price")
    ]  # fmt: skip


def test_each_rule_is_in_the_prompts_that_need_it() -> None:
    """What holds at some turns only is not paid for at each of them."""
    first = step_prompt({"task": "t"}, "")
    later = step_prompt({"task": "t", "plan": ["Look", "Answer"]}, "")
    reading = step_prompt({"task": "t", "plan": ["Look", "Answer"], "reading": "All of it."}, "")
    assert {prompt[0].text for prompt in (first, later, reading)} == {RULES}
    assert [NO_PLAN in prompt[1].text for prompt in (first, later, reading)] == [True, False, False]
    assert [READ_ONCE in prompt[1].text for prompt in (first, later, reading)] == [False, False, True]
    assert NO_PLAN not in summary_prompt({"task": "t"}, "time is up")[1].text


@pytest.mark.parametrize(
    "odd",
    [
        {"plan": "one"},
        {"plan": {"a": 1}},
        {"facts": [1, {"x": 2}]},
        {"step": "two"},
        {"goal": 5},
        {"done": []},
        {"commits": "nothing"},
        {"commits": True},
    ],
)
def test_an_odd_record_never_spoils_a_sound_action(odd: dict[str, Any]) -> None:
    assert Move.model_validate({"action": "back", **odd}).action == "back"


@pytest.mark.parametrize(
    "wrong", [{}, {"action": "fly"}, {"action": "click", "eid": {"x": 1}}, [], "click", None]
)
def test_a_wrong_action_is_refused(wrong: Any) -> None:
    with pytest.raises(ValidationError):
        Move.model_validate(wrong)


def test_acts_with_files_are_offered_only_where_there_are_files() -> None:
    with_files, without = move_schema()["properties"], move_schema(files=False)["properties"]
    assert set(with_files) - set(without) == {"file"}
    assert set(with_files["action"]["enum"]) - set(without["action"]["enum"]) == {"read_file", "upload"}
    prompts = [step_prompt({"task": "t"}, "", files=files)[0].text for files in ((), ("a.pdf",))]
    assert ["read_file" in prompt for prompt in prompts] == [False, True]
