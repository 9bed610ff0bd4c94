"""A control that sends a form, and whose name does not say what, is asked about: by itself, in rows and on a page."""

from __future__ import annotations

import json

import pytest

from server.agent.actions import ClickAction, aim
from server.agent.gate.gate import Gate
from server.agent.policy import Subject, assess
from server.agent.policy.__main__ import judge_lines
from server.agent.policy.fields import is_secret
from server.browser.observation import Extra, observe_snapshot

URL = "https://notes.example/new"
UNNAMED = ["", "⚑", "Zorbl", "Xyzzy plugh"]
SAFE_NAMES = ["Search", "Apply filters", "Cancel"]


@pytest.mark.parametrize("context", ["", "Notes", "Weather", "Filter results"])
@pytest.mark.parametrize("name", UNNAMED)
def test_a_control_that_sends_a_form_and_does_not_say_what_asks(name: str, context: str) -> None:
    judgement = assess(Subject("click", role="button", name=name, context=context, url=URL, submits=True))
    assert (judgement.verdict, judgement.kind) == ("ask", "unknown_submit")


@pytest.mark.parametrize("name", ["Zorbl", "Xyzzy plugh"])
def test_the_same_control_that_sends_nothing_does_not_ask(name: str) -> None:
    assert assess(Subject("click", role="button", name=name, context="Notes", url=URL)).verdict == "allow"


@pytest.mark.parametrize("name", SAFE_NAMES)
def test_a_form_that_says_something_harmless_does_not_ask(name: str) -> None:
    assert assess(Subject("click", role="button", name=name, url=URL, submits=True)).verdict == "allow"


def test_rows_that_say_what_submits_are_judged_by_it() -> None:
    rows = [
        {"id": f"{name}-{submits}", "lang": "en", "action": "click", "role": "button", "name": name, "context": "Weather",
         "url": URL, "submits": submits}
        for name in ("Zorbl", "Search") for submits in (True, False, None)
    ]  # fmt: skip
    answers = [json.loads(line) for line in judge_lines(map(json.dumps, rows))]
    assert [answer["verdict"] for answer in answers] == ["ask", "allow", "allow", "allow", "allow", "allow"]
    assert answers[0]["kind"] == "unknown_submit"


def test_what_the_page_tells_of_its_forms_reaches_the_judgement() -> None:
    snapshot = (
        '- heading "Notes" [level=1] [ref=h1] [box=0,0,200,20]\n- button "Zorbl" [ref=b1] [box=0,30,80,20]'
    )
    for submits, verdict in (((), "allow"), (((0, 30, 80, 20),), "ask")):
        seen = observe_snapshot(snapshot, url=URL, extra=Extra(submits=submits))
        eid = next(element.eid for element in seen.interactive if element.name == "Zorbl")
        assert Gate().judge(aim(ClickAction(eid=eid), seen)).verdict == verdict


@pytest.mark.parametrize(
    ("name", "context", "secret"),
    [
        ("Zorbl", "Enter the code we sent to your phone.", True),
        ("Zorbl", "Enter the code.", False),
        ("Zorbl", "We sent you a letter.", False),
        ("", "We sent you a text message.", True),
        ("Code", "We sent you a text message.", True),
        ("Code", "Discount code", False),
    ],
)
def test_a_field_whose_name_leaves_it_open_is_secret_where_a_code_was_sent(
    name: str, context: str, secret: bool
) -> None:
    assert is_secret(Subject("type", role="textbox", name=name, context=context)) is secret


def test_a_search_for_a_word_that_names_a_secret_is_no_secret() -> None:
    assert is_secret(Subject("type", role="textbox", name="Password"))
    assert not is_secret(Subject("type", role="searchbox", name="Password"))
