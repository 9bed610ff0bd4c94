"""Both agents ask about what an act was about to send, with a scripted browser that holds it."""

from __future__ import annotations

from typing import Any

import pytest

from server.agent.gate.holding import terms_of
from server.browser.observation import observe_snapshot
from server.browser.outgoing.held import HeldRequest
from tests.support.actions import aimed
from tests.support.operator_world import World
from tests.support.scripted_browser import ScriptedBrowser
from tests.support.scripted_model import ScriptedModel, click, stop
from tests.unit.test_assistant_gate import Assistant

PICTURE = "https://pictures.example/one"
PAGE = """\
- heading "A walk" [level=1] [ref=h1] [box=0,0,200,20]
- button "Zoom in" [ref=z1] [box=0,30,200,20]
- link "Delete account" [ref=l1] [box=0,60,200,20]:
  - /url: /account/end"""
ORDER = HeldRequest(
    id="r1", kind="order", words="new orders to shop.example (item)", method="POST", place="https://shop.example",
    path="/orders", site="shop.example", binding="POST /orders\nkey",
)  # fmt: skip
SENDS = "new orders to shop.example (item)"
ZOOM = {"tool": "browser_click", "target": "z1"}


def browser(**changes: Any) -> ScriptedBrowser:
    return ScriptedBrowser(
        {PICTURE: PAGE}, {}, PICTURE, holding={"Zoom in": ORDER.model_copy(update=changes)}
    )


def operator(*turns: Any, **changes: Any) -> World:
    return World(browser(**changes), ScriptedModel(turns=list(turns), prompts=[], asked=[]))


FIELDS = """\
- textbox "Title" [ref=f1] [box=0,0,200,20]
- switch "Public" [ref=f2] [box=0,30,200,20]
- combobox "Town" [ref=f3] [box=0,60,200,20]:
  - option "Leeds"
  - option "York" """


@pytest.mark.parametrize(
    ("eid", "more", "is_typing"),
    [("e1", {}, True), ("e1", {"submit": True}, False), ("e2", {}, False), ("e3", {}, False)],
    ids=["a text", "a text that is sent", "a switch", "a list"],
)
def test_only_a_text_that_is_not_sent_counts_as_typing(
    eid: str, more: dict[str, Any], is_typing: bool
) -> None:
    seen = observe_snapshot(FIELDS, url=PICTURE)
    act = aimed({"kind": "type", "fields": [{"eid": eid, "text": "York"}], **more}, seen)
    assert terms_of(act, (), ()).is_typing is is_typing


async def test_the_operator_asks_and_a_yes_lets_it_go() -> None:
    it = operator(click("Zoom in"), stop("Done."))
    assert await it.say("zoom in") is None
    question = it.question or {}
    assert (question["would_send"], question["risk"], question["place"]) == (
        SENDS,
        "order",
        "https://shop.example",
    )
    assert question["sends_to"] == "shop.example"
    assert question["scopes"]
    assert it.browser.effects == []
    assert await it.answer(True) == "Done."
    assert it.browser.effects == [f"{SENDS}, let go"]


async def test_after_its_time_the_operator_does_the_act_again_bound_to_what_was_asked() -> None:
    it = operator(click("Zoom in"), stop("Done."))
    await it.say("zoom in")
    it.browser.waits = False
    assert await it.answer(True) == "Done."
    assert it.browser.effects == [SENDS]
    assert it.browser.terms.approved.bound == {ORDER.binding}


async def test_an_act_that_was_sent_in_part_is_not_done_again() -> None:
    it = operator(click("Zoom in"), stop("Done."), is_further=True)
    await it.say("zoom in")
    it.browser.waits = False
    await it.answer(True)
    assert it.browser.effects == []


@pytest.mark.parametrize("words", ["", "no, do something else instead"])
async def test_a_no_fails_it_at_once(words: str) -> None:
    it = operator(click("Zoom in"), stop("Left it."))
    await it.say("zoom in")
    await it.answer(False, words)
    assert (it.browser.refused, it.browser.effects) == (1, [])


async def test_a_grant_for_its_kind_and_site_lets_it_go_without_a_question() -> None:
    it = operator(click("Zoom in"), stop("Done."))
    it.grants.kinds.add(("shop.example", "order"))
    assert await it.say("zoom in") == "Done."
    assert it.browser.effects == [f"{SENDS}, let go"]
    assert len(it.grants.used) == 1


@pytest.mark.parametrize("grant", [("shop.example", "send"), ("pictures.example", "order")])
async def test_a_grant_for_another_kind_or_site_does_not(grant: tuple[str, str]) -> None:
    it = operator(click("Zoom in"), stop("Done."))
    it.grants.kinds.add(grant)
    assert await it.say("zoom in") is None
    assert it.browser.effects == []


def assistant(*turns: Any, **changes: Any) -> Assistant:
    return Assistant(list(turns), browser(**changes))


async def test_the_assistant_asks_and_a_yes_lets_it_go_once() -> None:
    it = assistant(ZOOM, "Done.")
    await it.say("zoom in")
    question = it.question or {}
    assert (question["would_send"], question["risk"]) == (SENDS, "order")
    assert it.browser.effects == []
    await it.answer(True)
    assert it.browser.effects == [f"{SENDS}, let go"]
    assert it.messages[-1].text == "Done."


async def test_a_restart_while_the_assistant_asks_makes_the_call_anew_and_the_answer_counts() -> None:
    it = assistant(ZOOM, "Done.")
    await it.say("zoom in")
    it.turns = ["Done."]
    it.build()
    await it.answer(True)
    assert it.browser.effects == [f"{SENDS}, let go"]


@pytest.mark.parametrize("words", ["", "no, leave it"])
async def test_a_no_is_said_to_the_assistant_and_what_is_held_is_failed(words: str) -> None:
    it = assistant(ZOOM, "Left it.")
    await it.say("zoom in")
    await it.answer(False, message=words)
    assert f"this would have sent: {SENDS}" in it.results[0]
    assert (it.browser.refused, it.browser.effects) == (1, [])


async def test_the_assistant_is_not_asked_again_about_what_was_refused() -> None:
    it = assistant(ZOOM, ZOOM, "Left it.")
    await it.say("zoom in")
    await it.answer(False)
    assert it.question is None
    assert "not asked about again" in it.results[1]
    assert it.browser.effects == []


async def test_a_grant_lets_the_assistants_request_go() -> None:
    it = assistant(ZOOM, "Done.")
    it.grants.kinds.add(("shop.example", "order"))
    await it.say("zoom in")
    assert it.question is None
    assert it.browser.effects == [f"{SENDS}, let go"]


@pytest.mark.parametrize("agent", ["operator", "assistant"])
async def test_what_only_leads_somewhere_is_done_on_stricter_terms_without_a_question(agent: str) -> None:
    it: World | Assistant
    if agent == "operator":
        it = operator(click("Delete account"), stop("Done."))
    else:
        it = assistant({"tool": "browser_click", "target": "l1"}, "Done.")
    await it.say("see how an account is deleted")
    assert it.question is None
    assert it.browser.terms.is_doubted
