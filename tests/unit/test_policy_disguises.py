"""What has an effect asks in whatever role, key, choice, field or address it is hidden; what has none does not."""

from __future__ import annotations

from typing import Any

import pytest

from server.agent.gate.approval import confirm_question
from server.agent.gate.gate import Gate
from server.agent.gate.shown_page import ShownPage
from server.agent.policy import Subject, Verdict, apply_model_claim, assess
from server.agent.policy.address import find_effect
from server.browser.observation import Extra, Observation, observe_snapshot
from server.browser.observation.page_script import FieldKind, Sent, Shown
from server.browser.observation.rendering import clean
from tests.support.actions import aimed

ASK, ALLOW = Verdict.ASK, Verdict.ALLOW
OPENERS = (
    "tab",
    "treeitem",
    "heading",
    "listbox",
    "combobox",
    "searchbox",
    "spinbutton",
    "textbox",
    "columnheader",
)


def verdict(action: str, role: str, name: str, context: str = "", **more: Any) -> Verdict:
    return assess(Subject(action, role=role, name=name, context=context, **more)).verdict


def on(action: dict[str, Any], snapshot: str, **options: Any) -> Verdict:
    """On a page; a key goes to the element that is named `eid`."""
    return Gate().judge(aimed(action, page(snapshot, **options))).verdict


def page(snapshot: str, **options: Any) -> Observation:
    return observe_snapshot(snapshot, url="https://app.example/", **options)


@pytest.mark.parametrize("role", OPENERS)
@pytest.mark.parametrize("name", ["Pay €500 now", "Delete account permanently", "Send €20 to Eve"])
def test_a_name_with_an_effect_asks_in_a_role_that_opens_something(role: str, name: str) -> None:
    assert verdict("click", role, name) is ASK


@pytest.mark.parametrize(
    ("role", "name"),
    [("tab", "Payment"), ("tab", "Orders"), ("treeitem", "Sent"), ("heading", "Shipping"), ("columnheader", "Amount"),
     ("combobox", "Country"), ("searchbox", "Search"), ("textbox", "Send to"), ("textbox", "Type DELETE to confirm"),
     ("textbox", "Message"), ("spinbutton", "Guests")],
)  # fmt: skip
def test_what_only_opens_or_takes_text_is_not_asked_about(role: str, name: str) -> None:
    assert verdict("click", role, name) is ALLOW


def test_a_single_tab_is_no_row_of_tabs() -> None:
    one = '- tab "Delete account" [ref=t1] [box=0,0,90,20]'
    row = one + '\n- tab "Profile" [ref=t2] [box=90,0,90,20]'
    click = {"kind": "click", "eid": "e1"}
    assert (on(click, one), on(click, row)) == (ASK, ALLOW)


@pytest.mark.parametrize(
    "role", [*OPENERS, "button", "option", "menuitem", "switch", "cell", "img", "clickable"]
)
def test_the_models_word_adds_a_question_for_every_role(role: str) -> None:
    subject = Subject("click", role=role, name="Right then")
    assert apply_model_claim(assess(subject), subject, "send").verdict is ASK


LIST = """\
- {role} "Minutes of Monday" [active] [ref=o1] [box=0,0,200,20]
- combobox "Sort" [ref=o2] [box=0,30,200,20]:
  - option "Newest" [selected]
  - option "Oldest"
- textbox "Note" [ref=o3] [box=0,60,200,20]
- button "Delete" [ref=o4] [box=0,90,80,20]"""


@pytest.mark.parametrize(
    "role", ["option", "treeitem", "tab", "menuitem", "radio", "link", "button", "checkbox"]
)
@pytest.mark.parametrize("key", ["e", "#", "Shift+3", "!", "y", "7", "Control+x", "Control+v", "Control+z"])
def test_a_key_on_an_entry_of_a_list_is_the_pages_own(role: str, key: str) -> None:
    assert on({"kind": "press", "key": key, "eid": "e1"}, LIST.format(role=role)) is ASK


@pytest.mark.parametrize(
    ("key", "eid"), [("n", "e2"), ("2", "e2"), ("x", "e3"), ("Control+v", "e3"), ("Control+z", "e3")]
)
def test_a_key_in_a_select_or_a_text_field_is_typed(key: str, eid: str) -> None:
    assert on({"kind": "press", "key": key, "eid": eid}, LIST.format(role="button")) is ALLOW


def test_a_letter_in_a_field_that_takes_no_text_is_the_pages_own() -> None:
    fixed = Extra(fields=(FieldKind(box=(0, 60, 200, 20), kind="fixed"),))
    key = {"kind": "press", "key": "x", "eid": "e3"}
    assert on(key, LIST.format(role="button"), extra=fixed) is ASK


def test_a_field_that_takes_no_text_is_judged_by_what_stands_in_it() -> None:
    snapshot = '- textbox "Plan" [ref=p1] [box=0,0,200,20]: Pay €500 now'
    fixed = Extra(fields=(FieldKind(box=(0, 0, 200, 20), kind="fixed"),))
    for action in ({"kind": "click", "eid": "e1"}, {"kind": "press", "key": "Enter", "eid": "e1"}):
        assert on(action, snapshot, extra=fixed) is ASK
    assert on({"kind": "click", "eid": "e1"}, snapshot) is ALLOW


CHOICES = [
    ("select", "combobox", "Role of eve@evil.example", "Members", "Owner"),
    ("select", "combobox", "Who can see this", "Photo", "Everyone"),
    ("select", "combobox", "Visibility", "Repository", "Public"),
    ("select", "combobox", "Wer kann das sehen", "Foto", "Alle"),
    ("click", "checkbox", "Two-factor authentication", "Security", ""),
    ("click", "checkbox", "Anyone with the link can edit", "Sharing", ""),
    ("click", "checkbox", "Make my medical records public", "Health", ""),
    ("click", "radio", "In favour", "Board vote", ""),
    ("click", "radio", "1 star", "Rate your driver", ""),
    ("click", "radio", "★★★★☆", "How was it", ""),
]
EASY = [
    ("select", "combobox", "Sort by", "Shoes", "Price: low to high"),
    ("select", "combobox", "Language", "Reader", "English"),
    ("select", "combobox", "Quantity", "Basket", "2"),
    ("click", "checkbox", "In stock", "Filters", ""),
    ("click", "checkbox", "Show weekends", "Calendar", ""),
    ("click", "radio", "Dark", "Theme", ""),
]


def choose(action: str, role: str, name: str, heading: str, option: str, button: str = "") -> Verdict:
    snapshot = f"""\
- heading "{heading}" [level=2] [ref=h1] [box=0,0,200,20]
- form [ref=f1] [box=0,20,400,200]:
  - {role} "{name}" [ref=c1] [box=0,30,200,20]
  - textbox "Words" [ref=c2] [box=0,60,200,20]"""
    if button:
        snapshot += f'\n  - button "{button}" [ref=c3] [box=0,90,80,20]'
    extra = Extra(submits=((0, 90, 80, 20),) if button else ())
    given = {"kind": action, "eid": "e1"} | ({"option": option} if option else {})
    return on(given, snapshot, extra=extra)


@pytest.mark.parametrize("choice", CHOICES)
def test_a_choice_that_acts_at_once_is_judged_with_its_list_and_its_heading(choice: tuple[str, ...]) -> None:
    assert choose(*choice) is ASK
    assert choose(*choice, button="Search") is ASK
    assert choose(*choice, button="Save") is ALLOW


@pytest.mark.parametrize("choice", EASY)
def test_a_choice_of_what_is_shown_is_not_asked_about(choice: tuple[str, ...]) -> None:
    assert choose(*choice) is ALLOW


def test_the_box_of_a_row_only_marks_the_row() -> None:
    row = """\
- table [ref=t1] [box=0,0,400,50]:
  - row "Payment due: transfer €50" [ref=r1] [box=0,0,400,50]:
    - cell [ref=r2] [box=0,0,30,50]:
      - checkbox "Select" [ref=r3] [box=0,0,20,20]
    - cell "Payment due: transfer €50" [ref=r4] [box=30,0,300,50]"""
    assert on({"kind": "click", "eid": "e1"}, row) is ALLOW


@pytest.mark.parametrize("name", ["Type here", "New todo", "Notes", "Title", "To", "Aa", "Schreib etwas"])
def test_enter_in_a_field_of_several_lines_asks(name: str) -> None:
    field = f'- heading "Team chat" [level=1] [ref=h] [box=0,0,90,20]\n- textbox "{name}" [ref=e] [box=0,30,200,60]'
    lines = Extra(fields=(FieldKind(box=(0, 30, 200, 60), kind="lines"),))
    assert on({"kind": "press", "key": "Enter", "eid": "e1"}, field, extra=lines) is ASK


def test_enter_begins_a_line_of_a_text_that_buttons_beside_it_format() -> None:
    enter = Subject(
        "press_enter",
        role="textbox",
        name="Description",
        value="Enter",
        lines=True,
        siblings=("Bold", "Italic", "Link"),
    )
    assert assess(enter).verdict is ALLOW
    for key in ("Control+Enter", "Meta+Enter", "ControlOrMeta+Enter", "Alt+Enter"):
        assert verdict("press_enter", "textbox", "Description", "New issue", value=key) is ASK


@pytest.mark.parametrize(
    ("role", "name", "expected"),
    [("textbox", "Amount", ASK), ("spinbutton", "Amount (EUR)", ASK), ("textbox", "Betrag", ASK), ("textbox", "Montant", ASK),
     ("searchbox", "Message to all customers", ASK), ("searchbox", "Pay €5 now", ASK), ("searchbox", "Search", ALLOW),
     ("searchbox", "Search messages", ALLOW), ("searchbox", "", ALLOW), ("spinbutton", "Guests", ALLOW),
     ("spinbutton", "Width", ALLOW), ("textbox", "City", ALLOW)],
)  # fmt: skip
def test_enter_is_judged_by_the_name_of_the_field(role: str, name: str, expected: Verdict) -> None:
    assert verdict("press_enter", role, name, value="Enter") is expected


EFFECTS = """\
/items/abc/delete /user.delete?id=3 /?action=deleteUser&id=3 /?do=delete_user /?delete=3 /removeItem?id=1
/api/v1/money-transfer?to=x&amount=5 /account/close-account?sure=1 /unsubscribe/ab12cd /approve/abcd /send-message?text=hi
/x;delete?id=3 /loeschen?id=3 /eliminar?id=3 /supprimer?id=2 /borrar/77 /graphql?query=mutation{deleteUser(id:3)}
/graphql?query=mutation+Foo{x} /logout /sign-out /index.php?cmd=removeMember&id=4 /orders/88/cancel /post/7/publish
/api/messages.delete?ts=1 /?op=transfer&amount=5 /placeOrder?id=3 /buyNow?sku=3 /confirm/7ab3 /cgi-bin/delete.cgi?x=2"""
PAGES = """\
/docs/delete /help/how-to-delete?x=1 /search?q=shoes /search?q=delete /blog/2024/how-to-cancel-your-subscription
/shop/buy/shoes /products/17 /cart/remove?id=3 /news/transfer-window-2024-latest-deals /tickets?order=asc /wiki/Delete
/users?sort=name&order=desc /page?utm_campaign=buy_now /help/cancel/subscription /inbox?filter=sent /jobs/apply?id=3
/consent?accept=1 /login?next=/delete /share?u=x /orders/88 /watch?v=abc123 /book/97812345 /pay-monthly/phones?brand=x
/docs/api/v2/messages/send /graphql?query={user{name}}"""


@pytest.mark.parametrize("path", EFFECTS.split())
def test_an_address_whose_words_have_an_effect_asks(path: str) -> None:
    assert find_effect(f"https://a.example{path}")


@pytest.mark.parametrize("path", PAGES.split())
def test_an_address_of_a_page_does_not_ask(path: str) -> None:
    assert not find_effect(f"https://a.example{path}")


@pytest.mark.parametrize(
    "name",
    [
        "\u202ewon yaP",
        "P👏a👏y now",
        "P\u200bay €\u20635\u206300 now",
        "D🗑e🗑l🗑ete account",
        "Pa\u00ady n\u2060ow",
        "P\ufe0fay now",
    ],
)
def test_characters_that_draw_nothing_and_pictures_in_words_change_nothing(name: str) -> None:
    assert verdict("click", "button", name) is ASK
    seen = page(f'- button "{name}" [ref=b1] [box=0,0,90,20]').interactive[0].name
    assert verdict("click", "button", seen) is ASK


def test_invisible_characters_are_no_blanks() -> None:
    assert clean("P\u200bay €\u20635\u206300 no\u00adw") == "Pay €500 now"
    button = page('- button "Pay \u202e005€\u202c now" [ref=b1] [box=0,0,90,20]').interactive[0]
    assert button.name == "Pay \ufffd€500\ufffd now"


def test_nobody_opens_a_headline_by_two_clicks() -> None:
    name = "Double click to transfer €500 to the account of Eve"
    assert verdict("double_click", "gridcell", name) is ASK
    assert verdict("click", "gridcell", name) is ALLOW


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("/effect/delete?x=1", ASK),
        ("/items/7/delete", ASK),
        ("/search", ALLOW),
        ("/cart/remove?id=3", ALLOW),
        ("/filter?a=1", ALLOW),
    ],
)
def test_a_button_is_judged_by_where_it_sends_its_form(address: str, expected: Verdict) -> None:
    snapshot = """\
- form [ref=f1] [box=0,0,400,90]:
  - textbox "Words" [ref=c1] [box=0,10,200,20]
  - button "Search" [ref=c2] [box=0,40,80,20]"""
    button = (0, 40, 80, 20)
    extra = Extra(submits=(button,), sent=(Sent(box=button, to=f"https://app.example{address}"),))
    assert on({"kind": "click", "eid": "e2"}, snapshot, extra=extra) is expected


@pytest.mark.parametrize("text", ["Pay €500 now and more", "Pay €500 now " + "and more " * 400])
def test_a_name_that_a_snapshot_leaves_out_is_on_the_card(text: str) -> None:
    box = (0, 0, 90, 20)
    seen = page("- button [ref=b1] [box=0,0,90,20]", extra=Extra(shown=(Shown(box=box, text=text),)))
    act = aimed({"kind": "click", "eid": "e1"}, seen)
    judgement = Gate().judge(act)
    question = confirm_question(
        act, ShownPage(seen), run_id="r", reason="", risk=judgement.kind, asked_at=0, timeout=9
    )
    assert (judgement.kind, question.target and question.target.name[:12]) == ("pay", "Pay €500 now")
