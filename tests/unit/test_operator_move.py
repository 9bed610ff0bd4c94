"""One flat schema that every provider accepts, and forgiveness for how they fill it in."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from server.agent.actions import ClickAction, aim
from server.agent.operator.act.acting import perform, problem_of
from server.agent.operator.memory.state import State
from server.agent.operator.plan.lenient_parsing import ARGUMENTS
from server.agent.operator.plan.move import POINT_ARGUMENTS, Move, Offer, move_schema, to_action, to_actions
from server.agent.operator.plan.offering import usable_on
from server.agent.operator.plan.prompts import (
    FIELD_RULES,
    FILE_RULES,
    GOAL_RULES,
    NO_PLAN,
    OPENING_RULES,
    PAGE_RULES,
    POINT_RULES,
    READ_ONCE,
    step_prompt,
    summary_prompt,
)
from server.browser.browser import HOLD_MS, MAX_HOLD_MS, Field, Manner, PagePoint, ToolOutcome
from server.browser.observation import Element, Extra, Observation, observe_snapshot
from server.browser.observation.page import Page
from server.browser.observation.page_script import FieldKind, Takes
from server.runs.agents import LACKED
from tests.support.scripted_browser import ScriptedBrowser


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
    offered = set(Move.model_fields)
    assert offered - {"rows", "manner", "append", "notes", "login", "tool", "args", *POINT_ARGUMENTS} == set(
        properties
    )
    every = Offer(points=True, manners=True, adds=True, notes=True, login=True, tools=True)
    assert offered == set(move_schema({"type": "array"}, every)["properties"])
    assert {"click", "type", "scroll", "wait", "screenshot", "stop", "need_user", "ask_user", "navigate", "back", "press", "select",
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
        ({"action": "need_user"}, {"kind": "need_user"}),
        ({"action": "ask_user", "reason": "Which?"}, {"kind": "need_user", "reason": "Which?", "wants": "answer"}),
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
    first = step_prompt(State.read({"task": "t"}), "")
    later = step_prompt(State.read({"task": "t", "plan": ["Look", "Answer"]}), "")
    reading = step_prompt(State.read({"task": "t", "plan": ["Look", "Answer"], "reading": "All of it."}), "")
    assert len({prompt[0].text for prompt in (first, later, reading)}) == 1
    assert [NO_PLAN in prompt[1].text for prompt in (first, later, reading)] == [True, False, False]
    assert [READ_ONCE in prompt[1].text for prompt in (first, later, reading)] == [False, False, True]
    assert NO_PLAN not in summary_prompt(State.read({"task": "t"}), "time is up")[1].text


def test_the_address_of_the_page_at_hand_is_not_repeated() -> None:
    url, other = "https://a.example/1", "https://a.example/2"
    facts = [
        {"fact": "Blue costs 9", "url": url},
        {"fact": "Red costs 8", "url": other},
        {"fact": "Of a file", "url": ""},
    ]
    steps = [f"navigate {other}: ok", f"navigate {url}: ok", f"failed: navigate {url}: no answer"]
    page = {"page": {"url": url, "title": ""}}
    state = State.read({"task": "t", "facts": facts, "steps": steps, "last_observation": page})
    prompt = step_prompt(state, f"URL: {url}")[1].text
    for line in (
        "Blue costs 9 (here)",
        f"Red costs 8 ({other})",
        f"1. navigate {other}: ok",
        "2. navigate (here): ok",
    ):
        assert line in prompt
    assert prompt.count(url) == 2  # the page's own line, and what failed
    summary = summary_prompt(state, "time is up")[1].text
    assert (summary.count(url), "here" in summary) == (3, False)


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
    with_files, without = move_schema()["properties"], move_schema(offer=Offer(files=False))["properties"]
    assert set(with_files) - set(without) == {"file"}
    assert set(with_files["action"]["enum"]) - set(without["action"]["enum"]) == {"read_file", "upload"}
    prompts = [
        step_prompt(State.read({"task": "t"}), "", offer=Offer(files=has))[0].text for has in (False, True)
    ]
    assert ["read_file" in prompt for prompt in prompts] == [False, True]


def test_acts_that_the_browsers_server_lacks_are_not_offered() -> None:
    every, some = (
        move_schema(offer=Offer(points=True, lacks=frozenset(lacks))) for lacks in ((), LACKED["browser-use"])
    )
    kinds = [set(schema["properties"]["action"]["enum"]) for schema in (every, some)]
    assert kinds[0] - kinds[1] == {"press", "hover", "drag", "double_click"}
    follow = some["properties"]["then"]["items"]["properties"]["action"]["enum"]
    assert not {"press", "hover"} & {*follow}


URL = "https://a.example/"
LINK = '- link "Next" [ref=x1] [box=0,0,9,9]'
FIELD = '- textbox "Name" [ref=x2] [box=0,9,9,9]'
OTHER_FIELD = '- textbox "Town" [ref=x3] [box=0,18,9,9]'
LIST = '- combobox "Colour" [ref=x4] [box=0,27,9,9]:\n  - option "Red"\n  - option "Blue"'
OF_A_PAGE = {"click", "press", "hover", "scroll", "wait", "back", "focus", "read", "read_page", "screenshot", "switch_tab", "upload",
             "read_file", "navigate", "need_user", "ask_user", "stop"}  # fmt: skip


@pytest.mark.parametrize(
    ("page", "kinds", "fields", "rules"),
    [
        (LINK, OF_A_PAGE, False, {PAGE_RULES}),
        (FIELD, OF_A_PAGE | {"type"}, False, {PAGE_RULES, FIELD_RULES}),
        (f"{FIELD}\n{OTHER_FIELD}", OF_A_PAGE | {"type"}, True, {PAGE_RULES, FIELD_RULES}),
        (f"{LINK}\n{LIST}", OF_A_PAGE | {"type", "select"}, False, {PAGE_RULES, FIELD_RULES}),
        ("", OF_A_PAGE | {"dialog"}, False, {PAGE_RULES}),
    ],
)
def test_a_page_offers_what_it_has_a_use_for(
    page: str, kinds: set[str], fields: bool, rules: set[str]
) -> None:
    offer = usable_on(observe_snapshot(page, url=URL))
    schema = move_schema(offer=offer)
    offered = schema["properties"]["action"]["enum"]
    assert set(offered) == kinds
    assert ("fields" in schema["properties"]) == fields
    further = schema["properties"]["then"]["items"]["properties"]
    assert set(further["action"]["enum"]) == kinds & {
        "click",
        "type",
        "select",
        "press",
        "hover",
        "read_page",
    }
    prompt = step_prompt(State.read({"task": "t"}), "", offer=offer)[0].text
    every = {PAGE_RULES, FIELD_RULES, OPENING_RULES, POINT_RULES, FILE_RULES, GOAL_RULES}
    assert {rule for rule in every if rule in prompt} == rules | {FILE_RULES, GOAL_RULES}
    for kind in offered:  # each action with all its arguments
        given = set(ARGUMENTS.get(kind, ())) - offer.left_out
        assert given <= set(schema["properties"]), kind


def test_without_a_page_one_can_be_opened_and_read() -> None:
    offer = usable_on(Observation(page=Page(url="about:blank", title="")))
    schema = move_schema(offer=offer)["properties"]
    assert set(schema["action"]["enum"]) == {
        "navigate", "switch_tab", "read_file", "need_user", "ask_user", "stop",
    }  # fmt: skip
    assert schema["then"]["items"]["properties"]["action"]["enum"] == ["read_page"]
    assert not {"eid", "text", "fields", "key", "commits"} & set(schema)
    prompt = step_prompt(State.read({"task": "t"}), "", offer=offer)[0].text
    assert OPENING_RULES in prompt
    assert PAGE_RULES not in prompt


def test_what_is_not_offered_is_understood_all_the_same() -> None:
    """A model may know better than the schema what a page takes."""
    move = Move.model_validate({"action": "type", "eid": "e1", "text": "Ann", "then": [{"action": "select", "eid": "e2", "option": "Red"}]})  # fmt: skip
    assert to_action(move, "a").to_json()["fields"] == [{"eid": "e1", "text": "Ann"}]
    assert move.then[0].option == "Red"


@pytest.mark.parametrize("offer", [Offer(), Offer(page=False), Offer(typing=False, choosing=False, form=False), Offer(points=True)])  # fmt: skip
def test_every_offer_is_flat(offer: Offer) -> None:
    text = json.dumps(move_schema(offer=offer))
    for word in ("$ref", "$defs", "anyOf", "oneOf", "allOf", "default", 'title": "A'):
        assert f'"{word}"' not in text


@pytest.mark.parametrize(
    ("given", "manner"),
    [
        ({"manner": "right"}, "right"), ({"button": "right"}, "right"), ({"modifiers": ["Shift"]}, "shift"), ({"hold": True}, "hold"),
        ({"manner": "Meta"}, "ctrl"), ({"modifiers": "Control"}, "ctrl"), ({"doubleClick": True}, "double"),
        ({"button": "left", "modifiers": [], "hold": 0}, ""), ({"button": None}, ""), ({"manner": "none"}, ""),
        ({"button": "middle"}, "button middle"), ({"modifiers": ["Shift", "Alt"]}, "modifiers shift, modifiers alt"),
        ({"manner": "right", "modifiers": ["Shift"]}, "right, modifiers shift"),
    ],
)  # fmt: skip
def test_a_click_is_done_as_it_is_meant_or_refused(given: dict[str, Any], manner: str) -> None:
    page = observe_snapshot('- button "Files" [ref=a1] [box=0,0,90,20]', url="http://x.org/", title="")
    first = Move.model_validate({"reason": "go", "action": "click", "eid": "e1", **given})
    after = Move.model_validate({"reason": "go", "action": "click", "eid": "e1", "then": [{"action": "click", "eid": "e1", **given}]})  # fmt: skip
    for action in (to_action(first, "a"), to_actions(after, lambda: "b")[-1]):
        assert isinstance(action, ClickAction)
        assert ("double" if action.double else action.manner) == manner
        problem = problem_of(action, page, {}) or ""
        is_known = manner in get_args(Manner)
        assert problem.startswith(f"click: a click with {manner} cannot be done") is not is_known, problem


@pytest.mark.parametrize(("given", "ms"), [({"ms": 2000}, 2000), ({"hold": "900"}, 900), ({"hold": 800}, 800), ({"ms": "soon"}, None)])  # fmt: skip
def test_a_button_is_held_as_long_as_is_said(given: dict[str, Any], ms: int | None) -> None:
    action = to_action(Move.model_validate({"action": "click", "eid": "e1", "manner": "hold", **given}), "a")
    assert isinstance(action, ClickAction)
    assert (action.manner, action.ms) == ("hold", ms)


def test_manners_and_adding_are_offered_where_a_page_has_a_use_for_them() -> None:
    menu = Extra(takes=(Takes(box=(0, 0, 9, 9), ways=("right",)),))
    full = Extra(fields=(FieldKind(box=(0, 9, 9, 9), kind="lines"),))
    with_menu = usable_on(observe_snapshot(LINK, url=URL, extra=menu))
    with_text = usable_on(observe_snapshot(f"{FIELD}: Ann", url=URL, extra=full))
    for offer, argument, other in ((with_menu, "manner", "append"), (with_text, "append", "manner")):
        properties = move_schema(offer=offer)["properties"]
        assert argument in properties
        assert other not in properties
        prompt = step_prompt(State.read({"task": "t"}), "", offer=offer)[0].text
        assert f"`{argument}`" in prompt
        assert f"`{other}`" not in prompt
    assert "double_click" in with_menu.kinds
    assert "manner" in replace(with_menu, lacks=frozenset(LACKED["browser-use"])).left_out
    assert "takes=right" in observe_snapshot(LINK, url=URL, extra=menu).text()


async def test_a_text_is_added_and_a_button_is_held_by_the_browser() -> None:
    page = observe_snapshot(f"{LINK}\n{FIELD}", url=URL)
    given: list[object] = []

    class Recorder(ScriptedBrowser):
        async def click(self, target: Element | PagePoint, *, manner: Manner = "", hold_ms: int = HOLD_MS) -> ToolOutcome:  # fmt: skip
            given.append((manner, hold_ms))
            return await super().click(target, manner=manner, hold_ms=hold_ms)

        async def type(self, fields: Sequence[Field], *, submit: bool = False) -> ToolOutcome:
            given.extend((field.text, field.adds) for field in fields)
            return await super().type(fields, submit=submit)

    moves = ({"action": "click", "eid": "e1", "hold": 90_000}, {"action": "type", "eid": "e2", "text": " Lee", "append": True})  # fmt: skip
    for move in moves:
        aimed = aim(to_action(Move.model_validate(move), "a"), page)
        await perform(Recorder({}), aimed, {})
    assert given == [("hold", MAX_HOLD_MS), (" Lee", True)]
