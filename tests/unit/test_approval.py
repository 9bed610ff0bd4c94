"""What a question says of the action, and of where it sends what."""

from __future__ import annotations

from typing import Any

import pytest

from server.agent.approval import (
    MASK,
    Action,
    approval_digest,
    destination_of,
    is_unchanged,
    other_site,
    place_of,
    site_of,
    targets_of,
    without,
)
from server.browser.observation import Extra, Observation, observe_snapshot
from server.browser.page_script import Sent

PAGE = """\
- form [ref=f1] [box=0,0,400,200]:
  - textbox "Card" [ref=f2] [box=0,20,200,20]
  - textbox "Name" [ref=f3] [box=0,40,200,20]
  - button "Pay now" [ref=f4] [box=0,60,200,20]
- link "Help" [ref=l1] [box=0,300,200,20]:
  - /url: https://help.example/
- button "Menu" [ref=b1] [box=0,320,200,20]"""
HERE, THERE = "https://shop.example/pay", "https://bank.example/charge"


def page(form: str = THERE, button: str | None = None) -> Observation:
    """The page with the addresses that its form and its button send to."""
    boxes = {20: form, 40: form, 60: form if button is None else button}
    sent = tuple(Sent(box=(0, top, 200, 20), to=to) for top, to in boxes.items())
    extra = Extra(submits=((0, 60, 200, 20),), sent=sent)
    return observe_snapshot(PAGE, url=HERE, extra=extra)


def act(kind: str, name: str, seen: Observation, **more: Any) -> Action:
    element = next(element for element in seen.interactive if element.name == name)
    return {"kind": kind, "eid": element.eid, **more}


def typed(name: str, seen: Observation, *, submit: bool) -> Action:
    eid = act("type", name, seen)["eid"]
    return {"kind": "type", "fields": [{"eid": eid, "text": "Ann"}], "submit": submit}


def destination(action: Action, seen: Observation) -> str:
    return destination_of(action, targets_of(action, seen), seen)


def test_a_form_is_sent_by_its_button_and_by_enter_in_a_field_and_by_nothing_else() -> None:
    seen = page()
    assert destination(act("click", "Pay now", seen), seen) == THERE
    assert destination(act("press", "Pay now", seen, key="space"), seen) == THERE
    assert destination(act("press", "Name", seen, key="Enter"), seen) == THERE
    assert destination(typed("Name", seen, submit=True), seen) == THERE
    for harmless in (
        act("click", "Name", seen),
        act("hover", "Pay now", seen),
        act("press", "Name", seen, key="a"),
        typed("Name", seen, submit=False),
        act("click", "Help", seen),
        act("click", "Menu", seen),
        {"kind": "scroll"},
    ):
        assert destination(harmless, seen) == ""


def test_a_button_with_an_address_of_its_own_sends_there_whoever_presses_it() -> None:
    seen = page(form=HERE, button=THERE)
    assert destination(act("click", "Pay now", seen), seen) == THERE
    assert destination(typed("Name", seen, submit=True), seen) == THERE


def test_another_site_is_told_and_the_pages_own_is_not() -> None:
    sites = {
        THERE: "bank.example",
        "https://pay.shop.example/x": "pay.shop.example",
        "https://shop.example:8443/x": "shop.example:8443",
        "https://www.shop.example/x": None,
        HERE: None,
        "javascript:void(0)": None,
        "": None,
    }
    for address, site in sites.items():
        seen = page(address)
        action = act("click", "Pay now", seen)
        assert other_site(action, targets_of(action, seen), seen) == site, address


def test_what_is_allowed_on_a_site_is_not_allowed_where_its_forms_lead() -> None:
    seen = page()
    action = act("click", "Pay now", seen)
    assert site_of(place_of(action, targets_of(action, seen), seen)) == "bank.example"


@pytest.mark.parametrize("other", [page("https://thief.example/"), page(button="https://thief.example/")])
@pytest.mark.parametrize("how", ["click", "enter"])
def test_a_yes_is_bound_to_where_the_form_is_sent(other: Observation, how: str) -> None:
    def digest(seen: Observation) -> str:
        action = act("click", "Pay now", seen) if how == "click" else typed("Name", seen, submit=True)
        return approval_digest("r", action, targets_of(action, seen), seen)

    assert digest(page()) == digest(page())
    assert digest(page()) != digest(other)


def test_a_control_is_unchanged_while_it_looks_the_same_whatever_it_holds() -> None:
    _card, name, pay, *_others = page().interactive
    assert is_unchanged(name, name.model_copy(update={"value": "Ada"}))
    assert not is_unchanged(pay, pay.model_copy(update={"name": "Delete my account"}))
    assert not is_unchanged(name, name.model_copy(update={"secret": True}))
    assert not is_unchanged(pay, pay.model_copy(update={"name": "Delete my account", "secret": True}))


def test_a_yes_to_a_dialog_is_bound_to_the_dialog_that_is_open() -> None:
    def digest(*notes: str, kind: str = "dialog") -> str:
        seen = observe_snapshot(PAGE, url=HERE, notes=notes)
        return approval_digest("r", {"id": "a", "kind": kind, "accept": True}, [], seen)

    opened = 'A confirm is open: "Delete the draft?"'
    assert digest(opened) != digest('A confirm is open: "Delete the account?"')
    assert digest("an older note", opened) == digest(opened)
    assert digest("one", kind="scroll") == digest("other", kind="scroll")


@pytest.mark.parametrize(
    ("secrets", "text", "shown"),
    [
        (["hunter2"], "fill('hunter2') at x?p=hunter2", f"fill('{MASK}') at x?p={MASK}"),
        (["a"], "Typed a into a text area, took 12 ms", f"Typed {MASK} into {MASK} text area, took 12 ms"),
        (["7"], "fill('7'), 17 ms, x?pin=7", f"fill('{MASK}'), 17 ms, x?pin={MASK}"),
        (["7"], "7", MASK),
        (["-"], "well-known, fill('-')", f"well-known, fill('{MASK}')"),
        (["я"], "ввёл я в поле имя", f"ввёл {MASK} в поле имя"),
        (["123", "123456"], "123456 and 123", f"{MASK} and {MASK}"),
    ],
)
def test_secrets_are_masked_and_the_words_around_a_short_one_stay_readable(
    secrets: list[str], text: str, shown: str
) -> None:
    assert without(secrets, {"text": [text]}) == {"text": [shown]}
