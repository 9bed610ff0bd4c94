"""Questions at the prompt: how each is answered, and what was done with it."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from cli.client.address import Address
from cli.screen.items import Item, Question, Visited
from cli.screen.render import THEME, draw
from cli.screen.view import View


def text_of(item: Item, width: int = 80) -> str:
    out = StringIO()
    Console(file=out, width=width, theme=THEME, force_terminal=False).print(draw(item))
    return out.getvalue()


def test_the_kind_of_risk_which_may_be_a_guess_is_not_shown() -> None:
    event = {
        "reference": "q1",
        "kind": "confirm",
        "reason": "It is not clear what it saves.",
        "risk": "legal",
    }
    shown = text_of(Question.read(event, None))
    assert "It is not clear" in shown
    assert "legal" not in shown


@pytest.mark.parametrize(
    ("asked", "told", "shown"),
    [
        ({"kind": "manual", "wants": "answer"}, {}, "✓ Answered"),
        ({"kind": "manual", "wants": "step"}, {}, "✓ Done by you"),
        ({"kind": "manual", "wants": "step"}, {"outcome": "answered"}, "✓ Answered"),
        ({"kind": "confirm"}, {"outcome": "yes"}, "✓ Approved"),
        ({"kind": "confirm"}, {"confirmed": False, "outcome": "replan"}, "✗ Asked for another plan"),
    ],
)
def test_what_was_done_with_a_question_is_told_by_the_server_or_else_by_what_was_asked(
    asked: dict[str, Any], told: dict[str, Any], shown: str
) -> None:
    view, of_run = View(Address("http://pilot.example")), {"run_id": "r1", "epoch": 1, "reference": "q1"}
    view.apply({"type": "interrupt", "seq": 1, "reason": "Which one?", **of_run, **asked})
    (answered,) = view.apply({"type": "decision", "seq": 2, "confirmed": True, **of_run, **told})
    assert text_of(answered).strip() == shown


def test_a_question_of_the_agent_says_how_it_is_answered() -> None:
    question, step = (
        text_of(Question("q1", "manual", "Which one?", wants=wants)) for wants in ("answer", "step")
    )
    assert "A question for you" in question
    assert "/done" not in question
    assert "Your turn" in step
    assert "/done when you have done it" in step


@pytest.mark.parametrize("language", ["en", "de", "ru"])
@pytest.mark.parametrize("kind", ["confirm", "manual"])
def test_how_to_answer_is_shown_whole_on_a_narrow_terminal(
    kind: Any, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", language)
    asked = Question("q1", kind, "why")
    words = " ".join(text_of(asked, width=80).split())
    ending = {
        "confirm": {"en": "[words] refuses", "de": "[Worte] lehnt ab", "ru": "[слова] — отказать"},
        "manual": {"en": "in words", "de": "in Worten", "ru": "ответ словами"},
    }
    assert ending[kind][language] in words
    assert "…" not in words


def test_what_lies_over_a_page_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    item = Visited("Sign in", "https://a.example/", ("login", "captcha"))
    assert "over it: a login form" in text_of(item)
    monkeypatch.setenv("LC_ALL", "ru")
    shown = text_of(item)
    assert "поверх: форма входа" in shown
    assert "captcha" not in shown


@pytest.mark.parametrize(
    ("how", "shown"),
    [
        ({}, "Click the row “Draft”"),
        ({"double": True}, "Double-click the row “Draft”"),
        ({"manner": "right"}, "Right-click the row “Draft”"),
        ({"manner": "hold", "ms": 900}, "Press and hold the row “Draft”"),
        ({"manner": "alt"}, "Click the row “Draft”  manner alt"),
    ],
)
def test_a_question_says_how_a_click_is_done(how: dict[str, Any], shown: str) -> None:
    event = {
        "reference": "q1", "kind": "confirm", "reason": "It deletes.",
        "action": {"kind": "click", "eid": "e1", **how}, "target": {"role": "row", "name": "Draft"},
    }  # fmt: skip
    assert shown in text_of(Question.read(event, None))
