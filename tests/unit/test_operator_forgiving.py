"""How weak and odd models fill a move in, and what is made of it."""

from typing import Any

import pytest
from pydantic import ValidationError

from server.agent.actions import SelectAction, StopAction
from server.agent.operator.plan.move import Move, to_action

EVERYTHING: dict[str, Any] = {
    "goal": "", "plan": [], "step": 0, "done": "", "blocked": "none", "facts": [""], "reason": "", "eid": "", "text": "",
    "fields": [{"eid": "", "text": ""}], "submit": "", "url": "", "option": "", "key": "", "direction": "", "amount": "",
    "ms": "", "tab": "", "file": "N/A", "accept": "", "commits": "", "final_response": "null",
}  # fmt: skip


@pytest.mark.parametrize(
    ("meant", "action"),
    [
        ({"action": "scroll"}, {"kind": "scroll", "direction": "down"}),
        ({"action": "click", "eid": "e2"}, {"kind": "click", "eid": "e2"}),
        ({"action": "type", "eid": "e1", "text": "tea"}, {"kind": "type", "fields": [{"eid": "e1", "text": "tea"}]}),
        ({"action": "dialog"}, {"kind": "dialog", "accept": False, "text": ""}),
        ({"action": "stop", "final_response": "None"}, {"kind": "stop", "final_response": "None"}),
    ],
)  # fmt: skip
def test_empty_words_everywhere_do_no_harm(meant: dict[str, Any], action: dict[str, Any]) -> None:
    move = Move.model_validate(EVERYTHING | meant)
    assert to_action(move, "a").to_json() == {"id": "a", **action}
    assert (move.plan, move.facts, move.step, move.blocked) == ([], [], None, None)


def test_what_belongs_to_other_actions_never_spoils_this_one() -> None:
    odd = {"direction": "sideways", "amount": "600px", "fields": "[]", "tab": {}, "submit": 7, "ms": "soon"}
    assert to_action(Move.model_validate({"action": "click", "eid": "e2", **odd}), "a").eids == ("e2",)
    with pytest.raises(ValidationError):
        Move.model_validate({"action": "scroll", **odd})


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("[e3]", "e3"),
        ("E3", "e3"),
        (3, "e3"),
        ("`e3`", "e3"),
        ('[e3] button "Add 2 to cart"', "e3"),
        ("e3 or e4", "e3 or e4"),
        ("[e3], [e4]", "[e3], [e4]"),
        ("3 kettles", "3 kettles"),
    ],
)
def test_an_eid_is_understood_unless_it_may_be_another(written: str | int, meant: str) -> None:
    assert Move.model_validate({"action": "click", "eid": written}).eid == meant


def test_an_actions_name_may_be_in_capitals() -> None:
    assert Move.model_validate({"action": " Back "}).action == "back"


def test_an_answer_in_the_wrong_field_is_the_answer() -> None:
    move = Move.model_validate({"action": "stop", "text": "It is 42.", "final_response": ""})
    assert to_action(move, "a") == StopAction(id="a", final_response="It is 42.")


def test_a_plan_in_one_text_is_its_lines() -> None:
    assert Move.model_validate({"action": "back", "plan": "Open\n\nAnswer"}).plan == ["Open", "Answer"]


def test_nothing_that_cannot_be_stored_gets_in() -> None:
    odd = "a\ud83d\0"
    move = Move.model_validate(
        {"action": "type", "fields": [{"eid": "e1", "text": odd}], "plan": [odd], "facts": [odd], "goal": odd}
    )
    texts = [move.fields[0].text, *move.plan, *move.facts, move.goal]
    assert texts == ["a\ufffd\ufffd"] * 4


@pytest.mark.parametrize("written", [["reader", "remove admin"], "reader\nremove admin"])
def test_several_choices_are_a_list_or_lines(written: list[str] | str) -> None:
    action = to_action(Move.model_validate({"action": "select", "eid": "e1", "option": written}), "a")
    assert isinstance(action, SelectAction)
    assert action.options == ["reader", "remove admin"]
