"""What a question says of the action, and of where it sends what."""

from __future__ import annotations

from typing import Any

import pytest

from server.agent.actions import ToolAction, aim
from server.agent.assistant.tool_actions import read_call
from server.agent.gate.amounts import amount_of, shown_amount
from server.agent.gate.approval import approval_digest, confirm_question, is_unchanged
from server.agent.gate.grantable import sure_amount
from server.agent.gate.masking import MASK, masked, secrets_of, without
from server.agent.gate.page_facts import destination_of, other_site, place_of
from server.agent.gate.shown_page import ShownPage
from server.browser.addresses import site_of
from server.browser.observation import Extra, Observation, observe_snapshot
from server.browser.observation.page_script import Sent
from tests.support.actions import aimed

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


def act(kind: str, name: str, seen: Observation, **more: Any) -> dict[str, Any]:
    element = next(element for element in seen.interactive if element.name == name)
    return {"kind": kind, "eid": element.eid, **more}


def typed(name: str, seen: Observation, *, submit: bool) -> dict[str, Any]:
    eid = act("type", name, seen)["eid"]
    return {"kind": "type", "fields": [{"eid": eid, "text": "Ann"}], "submit": submit}


def destination(action: dict[str, Any], seen: Observation) -> str:
    return destination_of(aimed(action, seen))


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


TWO_FORMS = """\
- textbox "Alone" [ref=a1] [box=0,0,200,20]
- form [ref=f1]:
  - textbox "Search" [ref=f2] [box=0,20,200,20]
- form [ref=f3]:
  - textbox "Card" [ref=f4] [box=0,60,200,20]
  - button "Pay now" [ref=f5] [box=0,80,200,20]"""


def two_forms(snapshot: str = TWO_FORMS) -> Observation:
    boxes = {20: HERE, 60: THERE, 80: THERE}
    sent = tuple(Sent(box=(0, top, 200, 20), to=to) for top, to in boxes.items())
    return observe_snapshot(snapshot, url=HERE, extra=Extra(submits=((0, 80, 200, 20),), sent=sent))


def test_enter_sends_the_form_that_the_field_is_in_and_no_other() -> None:
    seen = two_forms()
    assert destination(typed("Search", seen, submit=True), seen) == HERE
    assert destination(typed("Alone", seen, submit=True), seen) == ""
    assert destination(typed("Card", seen, submit=True), seen) == THERE


def test_enter_sends_a_form_to_its_own_address_when_its_button_only_looks_as_if_it_sends() -> None:
    """A button of a script sends nothing by itself, and has no address; Enter in a lone field sends the form."""
    form = '- form [ref=f1]:\n  - textbox "Name" [ref=f2] [box=0,20,200,20]\n  - button "Save" [ref=f3] [box=0,40,200,20]'
    sent = (Sent(box=(0, 20, 200, 20), to=THERE),)
    seen = observe_snapshot(form, url=HERE, extra=Extra(sent=sent))
    assert [element.submits for element in seen.interactive] == [False, True]
    assert destination(typed("Name", seen, submit=True), seen) == THERE
    assert destination(act("press", "Name", seen, key="Enter"), seen) == THERE


def test_a_yes_is_not_bound_to_what_another_form_holds() -> None:
    def digest(name: str, seen: Observation) -> str:
        action = act("click", name, seen)
        return approval_digest("r", aimed(action, seen))

    filled = two_forms(
        TWO_FORMS.replace('"Search" [ref=f2] [box=0,20,200,20]', '"Search" [ref=f2] [box=0,20,200,20]: tea')
    )
    assert digest("Pay now", filled) == digest("Pay now", two_forms())
    assert digest("Alone", filled) == digest("Alone", two_forms())
    assert digest("Search", filled) != digest("Search", two_forms())


def test_a_yes_to_a_button_outside_of_forms_is_bound_to_the_fields_outside_of_forms() -> None:
    loose = '- textbox "Amount" [ref=a] [box=0,0,200,20]: {}\n- button "Transfer" [ref=b] [box=0,20,200,20]'
    form = '\n- form [ref=f]:\n  - textbox "Search" [ref=s] [box=0,60,200,20]: {}\n  - button "Go" [ref=g] [box=0,80,90,20]'

    def digest(amount: str, words: str) -> str:
        seen = observe_snapshot((loose + form).format(amount, words), url=HERE)
        action = act("click", "Transfer", seen)
        return approval_digest("run", aimed(action, seen))

    assert digest("10", "tea") == digest("10", "coffee")
    assert digest("10", "tea") != digest("1000", "tea")


def test_a_yes_is_not_bound_to_what_the_action_replaces() -> None:
    """The field holds the text already when what its form sends was held."""

    def digest(held: str, **more: Any) -> str:
        seen = observe_snapshot(PAGE.replace("[box=0,40,200,20]", f"[box=0,40,200,20]: {held}"), url=HERE)
        return approval_digest("m", aimed(typed("Name", seen, submit=True) | more, seen))

    assert digest("Ann") == digest("Bob")
    assert digest("Ann", append=True) != digest("Bob", append=True)


def test_the_order_of_an_actions_arguments_does_not_change_the_yes() -> None:
    args = {"text": "Ann", "slowly": True}
    one, other = (
        ToolAction(tool="fill", args=dict(pairs)) for pairs in (args.items(), reversed(args.items()))
    )
    assert list(one.args) != list(other.args)
    assert approval_digest("r", aim(one, page())) == approval_digest("r", aim(other, page()))


def test_a_login_in_an_address_is_not_shown() -> None:
    url, shown = "https://ann:hunter2@shop.example/pay", "https://shop.example/pay"
    tool = ToolAction(tool="fetch", args={"url": url, "depth": 2})
    assert masked(aim(tool, page())).to_json() == {"kind": "fetch", "url": shown, "depth": 2}
    assert masked(aimed({"kind": "navigate", "url": url}, page())).to_json()["url"] == shown


def test_a_yes_can_be_bound_to_a_text_that_has_no_utf_8_form() -> None:
    seen = page()

    def digest(text: str) -> str:
        ref = next(element.ref for element in seen.interactive if element.name == "Name")
        action = read_call("browser_type", {"target": ref, "text": text, "submit": True}, seen)
        assert action is not None
        return approval_digest("r", aim(action, seen))

    assert digest("Ann \ud83d") != digest("Ann")


def test_a_place_in_a_picture_is_told_in_hundredths_of_a_percent_of_its_own_size() -> None:
    field = page().interactive[0].model_copy(update={"box": (10, 20, 200, 30)})
    seen = page().model_copy(update={"viewport": (1000, 500)})
    assert ShownPage(seen).box(field) == (1.0, 4.0, 20.0, 6.0)
    assert ShownPage(seen, "p", (300, 700)).box(field) == (3.33, 2.86, 66.67, 4.29)
    assert ShownPage(seen).box(field.model_copy(update={"visible": False})) is None
    assert ShownPage(seen).box(field.model_copy(update={"box": None})) is None
    assert ShownPage(seen).box(None) is None


def test_only_what_goes_into_a_secret_field_is_a_secret() -> None:
    seen = observe_snapshot(
        '- textbox "User" [ref=l1]\n- textbox "Password" [ref=l2]\n- textbox "New password" [ref=l3]'
    )
    texts = {"User": "ann", "Password": "hunter2", "New password": ""}
    fields = [{"eid": act("type", name, seen)["eid"], "text": text} for name, text in texts.items()]
    assert [element.secret for element in seen.interactive] == [False, True, True]
    assert secrets_of(aimed({"kind": "type", "fields": [*fields, {"eid": "e99", "text": "gone"}]}, seen)) == (
        "hunter2",
    )


def test_an_action_is_shown_without_its_secrets_and_with_everything_else() -> None:
    seen = observe_snapshot(
        '- textbox "User" [ref=l1]\n- textbox "Password" [ref=l2]\n- textbox "PIN" [ref=l3]'
    )
    user, password, pin = (element.eid for element in seen.interactive)
    fields = [{"eid": user, "text": "ann"}, {"eid": password, "text": "hunter2"}, {"eid": pin, "text": ""}]
    action = {"kind": "type", "fields": fields, "reason": "ann logs in with hunter2"}
    shown = masked(aimed(action, seen)).to_json()
    assert [field["text"] for field in shown["fields"]] == ["ann", MASK, MASK]
    assert shown["reason"] == f"ann logs in with {MASK}"
    for other in ({"kind": "click", "eid": password, "reason": "hunter2"}, action | {"fields": fields[:1]}):
        assert masked(aimed(other, seen)).to_json() == other


def test_a_question_names_the_field_of_each_text() -> None:
    seen = observe_snapshot('- textbox "User" [ref=l1]\n- textbox "Password" [ref=l2]')
    user, password = (element.eid for element in seen.interactive)
    action = {"kind": "type", "fields": [{"eid": user, "text": "ann"}, {"eid": password, "text": "hunter2"}]}
    question = confirm_question(
        aimed(action, seen), ShownPage(seen), run_id="r", reason="", risk="credential", asked_at=0, timeout=1
    )
    shown = [(field["name"], field["text"]) for field in question.action["fields"]]
    assert shown == [("User", "ann"), ("Password", MASK)]


def test_a_link_to_another_site_sends_no_form_there() -> None:
    seen = page()
    action = act("click", "Help", seen)
    assert site_of(place_of(aimed(action, seen))) == "help.example"
    assert other_site(aimed(action, seen)) is None


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
        assert other_site(aimed(action, seen)) == site, address


def test_what_is_allowed_on_a_site_is_not_allowed_where_its_forms_lead() -> None:
    seen = page()
    action = act("click", "Pay now", seen)
    assert site_of(place_of(aimed(action, seen))) == "bank.example"


@pytest.mark.parametrize("other", [page("https://thief.example/"), page(button="https://thief.example/")])
@pytest.mark.parametrize("how", ["click", "enter"])
def test_a_yes_is_bound_to_where_the_form_is_sent(other: Observation, how: str) -> None:
    def digest(seen: Observation) -> str:
        action = act("click", "Pay now", seen) if how == "click" else typed("Name", seen, submit=True)
        return approval_digest("r", aimed(action, seen))

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
        return approval_digest("r", aimed({"id": "a", "kind": kind, "accept": True}, seen))

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
        (["abc"], "xabcx", f"x{MASK}x"),
        (["ab"], "cab, ab", f"cab, {MASK}"),
        (["123", "123456"], "123456 and 123", f"{MASK} and {MASK}"),
    ],
)
def test_secrets_are_masked_and_the_words_around_a_short_one_stay_readable(
    secrets: list[str], text: str, shown: str
) -> None:
    assert without(secrets, {"text": [text]}) == {"text": [shown]}


TICKING = """\
- heading "Offer ends in 00:04:{0}" [level=2] [ref=h1] [box=0,0,200,20]
- button "{1}" [ref=b1] [box=0,30,90,20]
- paragraph [ref=p1] [box=0,60,200,20]: Total €43.90
- paragraph [ref=p2] [box=0,90,200,20]: One coin is at $60,0{0}"""


@pytest.mark.parametrize(
    ("name", "risk", "amount"),
    [("Send reply", "send", None), ("Delete", "delete", None), ("Place order", "order", "€43.90")],
)
def test_a_price_or_a_clock_that_ticks_elsewhere_voids_no_yes(
    name: str, risk: str, amount: str | None
) -> None:
    acts = [
        aimed({"kind": "click", "eid": "e1"}, observe_snapshot(TICKING.format(at, name), url=HERE))
        for at in (41, 42)
    ]
    assert len({approval_digest("r", act) for act in acts}) == 1
    assert shown_amount(acts[0], risk) == amount


def test_a_name_that_runs_backwards_has_no_amount() -> None:
    seen = observe_snapshot('- button "Pay \u202e005€\u202c now" [ref=b1] [box=0,0,90,20]', url=HERE)
    act = aimed({"kind": "click", "eid": "e1"}, seen)
    assert (amount_of(act), sure_amount(act)) == (None, None)


@pytest.mark.parametrize("where", ["name", "text"])
def test_a_sum_that_is_not_painted_is_no_amount(where: str) -> None:
    """What the page paints instead, such as a picture of another sum, cannot be read."""
    button, text = ("Pay €5.00", "Bill") if where == "name" else ("Pay", "€5.00")
    page = f'- paragraph [ref=p1] [box=0,0,90,20]: {text}\n- button "{button}" [ref=b1] [box=0,60,90,20]'
    amounts = []
    for hidden in ("€5.00", "Bill"):
        painted = [one for one in (text, *button.split()) if one != hidden]
        boxes = [{"text": one, "box": (0, 60 if one in button else 0, 90, 20), "block": 1} for one in painted]
        seen = observe_snapshot(
            page, url=HERE, extra=Extra.model_validate({"texts": boxes, "all_texts": True})
        )
        act = aimed({"kind": "click", "eid": "e1"}, seen)
        amounts.append((amount_of(act), sure_amount(act) and True))
    assert amounts == [(None, None), ("€5.00", True)]


LETTER = """\
- form [ref=f1] [box=0,0,400,200]:
  - textbox "To" [ref=f2] [box=0,20,200,20]: Team
  - textbox "Message" [ref=f3] [box=0,40,200,20]: We meet at nine.
  - textbox "Note" [ref=f4] [box=0,60,200,20]: 4242 4242 4242 4242
  - textbox "Copy" [ref=f5] [box=0,80,200,20]
  - button "Send" [ref=f6] [box=0,100,200,20]
  - button "Attach" [ref=f7] [box=0,120,200,20]"""


def on_letter(kind: str, name: str, **more: Any) -> list[dict[str, str]]:
    sent = tuple(Sent(box=(0, top, 200, 20), to=HERE) for top in (20, 40, 60, 80, 100))
    seen = observe_snapshot(LETTER, url=HERE, extra=Extra(submits=((0, 100, 200, 20),), sent=sent))
    given = typed(name, seen, submit=True) if kind == "type" else act(kind, name, seen, **more)
    question = confirm_question(
        aimed(given, seen), ShownPage(seen), run_id="r", reason="", risk="send", asked_at=0, timeout=1
    )
    return [{one["name"]: one["text"]} for one in question.action.get("fields", ())]


def test_a_card_shows_to_whom_and_what_a_form_sends_without_secrets() -> None:
    whole = [{"To": "Team"}, {"Message": "We meet at nine."}, {"Note": MASK}]
    assert on_letter("click", "Send") == whole
    assert on_letter("press", "Message", key="Enter") == [whole[1], whole[0], whole[2]]
    assert on_letter("type", "Message") == [{"Message": "Ann"}, whole[0], whole[2]]


def test_a_card_of_an_act_that_sends_no_form_shows_none_of_its_fields() -> None:
    assert on_letter("click", "Attach") == []
    assert on_letter("press", "Message", key="Tab") == []
