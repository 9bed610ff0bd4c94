"""What earlier versions stored of a run that waits for an answer can still be read."""

from __future__ import annotations

from server.agent.actions import ClickAction, FieldText, ScrollAction, TypeAction, read_action
from server.agent.gate.approval import Approval
from server.events import Answer, ConfirmQuestion, ManualQuestion, read_question

CONFIRM = {
    "kind": "confirm", "reference": "a1", "reason": "places an order or a booking", "risk": "order",
    "action": {"id": "a1", "kind": "click", "reason": "buy it", "eid": "e3"},
    "target": {"role": "button", "name": "Place order", "box": [10.0, 10.0, 20.0, 5.0]},
    "url": "https://shop.example/cart", "place": "https://shop.example:443", "sends_to": None, "screenshot": "/shots/1.jpg",
    "asked_at": 1763800000.5, "amount": "€43.90", "digest": "d" * 64, "expires_at": "2026-11-22T08:26:40.500000+00:00",
    "said": "Let me buy it.",
}  # fmt: skip
MANUAL = {
    "kind": "manual", "reference": "b2", "reason": "Please log in.", "text": "Please log in.",
    "url": "https://mail.example/", "screenshot": None, "asked_at": 1763800000.5, "said": "",
    "answer": {"reference": "b2", "confirmed": True, "message": "I am in", "done": True},
}  # fmt: skip


def test_a_question_about_an_action_keeps_what_its_approval_is_bound_to() -> None:
    question = read_question(CONFIRM)
    assert isinstance(question, ConfirmQuestion)
    assert question.target
    assert (question.target.name, question.said, question.step) == ("Place order", "Let me buy it.", 0)
    approval = {name: CONFIRM[name] for name in ("reference", "digest", "expires_at")}
    assert Approval.model_validate(approval) == Approval.model_validate(question, from_attributes=True)
    assert read_question(question.to_json()) == question


def test_an_answered_question_keeps_its_answer() -> None:
    question = read_question(MANUAL)
    assert isinstance(question, ManualQuestion)
    assert question.answer == Answer(reference="b2", confirmed=True, message="I am in")
    late = {"reference": "a1", "confirmed": False, "expired": True}
    assert read_question(CONFIRM | {"answer": late}).answer == Answer(reference="a1", expired=True)


def test_a_planned_action_is_read_with_its_own_arguments() -> None:
    click = {"id": "a1", "kind": "click", "reason": "buy it", "eid": "e3", "commits": "order"}
    assert read_action(click) == ClickAction(id="a1", reason="buy it", eid="e3", commits="order")
    typed = {
        "id": "a",
        "kind": "type",
        "reason": "",
        "fields": [{"eid": "e1", "text": "tea"}],
        "submit": True,
    }
    assert read_action(typed) == TypeAction(id="a", fields=(FieldText(eid="e1", text="tea"),), submit=True)
    scroll = {"id": "a", "kind": "scroll", "reason": "", "direction": "down"}
    assert read_action(scroll) == ScrollAction(id="a", direction="down")
