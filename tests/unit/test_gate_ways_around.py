"""Ways around the question: keys, drops, lists and labels that do what a click on the right button would ask about."""

from typing import Any

import pytest

from server.agent.actions import aim
from server.agent.assistant.tool_actions import read_call
from server.agent.gate.approval import approval_digest
from server.agent.gate.gate import Gate
from server.agent.gate.keys import brings_text, may_move_focus, read_key
from server.agent.gate.subjects import subjects_of
from server.browser.observation import Element, Extra, Observation, observe_snapshot
from server.browser.observation.page_script import Shown
from tests.support.actions import aimed
from tests.support.operator_world import Granted

URL = "https://mail.example/list"
MAIL = """\
- heading "Inbox" [level=1] [ref=h1] [box=0,0,200,20]
- searchbox "Search" [active] [ref=s1] [box=0,30,200,20]
- generic [ref=i1] [cursor=pointer] [box=300,30,20,20]: Empty the bin
- listitem [ref=i2] [cursor=pointer] [box=0,60,200,20]: Minutes of Monday
- listitem [ref=i3] [cursor=pointer] [box=0,90,200,20]: Papierkorb
- switch "Alarm in the garage" [ref=i4] [box=0,120,40,20]
- combobox "With the selected" [ref=i5] [box=0,150,200,20]:
  - option "Choose" [selected]
  - option "Delete"
  - option "Show as list"
- button "Delete all" [ref=i6] [box=0,180,80,20]"""


def page(snapshot: str = MAIL, url: str = URL, **options: Any) -> Observation:
    return observe_snapshot(snapshot, url=url, title="Mail", **options)


def named(name: str, seen: Observation) -> Element:
    return next(element for element in seen.interactive if element.name == name)


def verdict(
    action: dict[str, Any],
    seen: Observation | None = None,
    *,
    focused: Element | None = None,
    grants: Granted | None = None,
) -> str:
    held = grants.now if grants else ()
    return Gate().judge(aimed(action, seen or page(), focused), grants=held).verdict


def verdict_on(tool: str, args: dict[str, Any], seen: Observation) -> str:
    """On a tool call of the assistant."""
    action = read_call(tool, args, seen)
    assert action is not None
    return Gate().judge(aim(action, seen)).verdict


def test_the_focus_is_where_the_page_says_and_not_where_one_typed_last() -> None:
    assert page().focused == "s1"
    moved = MAIL.replace(" [active]", "").replace('"Delete all"', '"Delete all" [active]')
    assert page(moved).focused == "i6"
    assert page(MAIL.replace(" [active]", "")).focused == ""


def test_the_focus_in_a_frame_counts_only_when_the_frame_has_it() -> None:
    frame = """\
- button "Delete all" [ref=a1]
- iframe [ref=a2]:
  - textbox "Note" [active] [ref=f1]"""
    assert page(frame.replace("[ref=a1]", "[active] [ref=a1]")).focused == "a1"
    assert page(frame.replace("[ref=a2]", "[active] [ref=a2]")).focused == "f1"


FIELD, BUTTON = Element(eid="e1", ref="1", role="textbox"), Element(eid="e1", ref="1", role="button")
OPTION = Element(eid="e1", ref="1", role="option")
RADIO = Element(eid="e1", ref="1", role="radio")


@pytest.mark.parametrize(
    ("key", "focused", "deed"),
    [
        (" ", BUTTON, "press_enter"), ("Shift+Enter", FIELD, "press_enter"), ("Control+Enter", None, "press_enter"),
        ("Alt+p", FIELD, "shortcut"), ("Alt+Shift+p", None, "shortcut"), ("Control+s", FIELD, "shortcut"),
        ("Delete", None, "shortcut"), ("Backspace", BUTTON, "shortcut"), ("d", BUTTON, "shortcut"),
        ("#", None, "shortcut"), ("+", None, "shortcut"), ("Shift+I", None, "shortcut"),
        ("ArrowDown", RADIO, "click"), ("Delete", FIELD, "press"), ("d", FIELD, "press"), ("+", FIELD, "press"),
        ("Control+a", FIELD, "press"), ("Control+ArrowLeft", FIELD, "press"), ("Shift+Tab", BUTTON, "press"),
        ("d", OPTION, "shortcut"), ("Delete", OPTION, "shortcut"), ("ArrowDown", BUTTON, "press"), ("Escape", None, "press"), ("Control+c", None, "press"),
        ("Shift+F10", BUTTON, "press"), ("ContextMenu", BUTTON, "press"), ("F10", BUTTON, "shortcut"),
    ],
)  # fmt: skip
def test_a_key_is_read_by_what_has_the_focus(key: str, focused: Element | None, deed: str) -> None:
    assert read_key(key, focused) == deed


@pytest.mark.parametrize("key", ["Alt+p", "Delete", "y", "#"])
def test_a_key_whose_meaning_is_the_pages_own_asks(key: str) -> None:
    assert verdict({"kind": "press", "key": key}) == "ask"
    assert verdict({"kind": "press", "key": key}, focused=BUTTON) == "ask"


GAME = '- heading "River" [ref=h1] [box=0,0,90,20]\n- button "Restart" [ref=b1] [box=0,30,90,20]'


@pytest.mark.parametrize("key", ["a", "Shift+D", "#", "Delete"])
def test_a_key_on_a_page_without_a_form_or_entries_is_pressed(key: str) -> None:
    """A game. A question about each key would teach the person to press yes."""
    press = {"kind": "press", "key": key}
    assert verdict(press, page(GAME)) == "allow"
    assert verdict(press, page(GAME), focused=named("Restart", page(GAME))) == "allow"
    assert verdict(press | {"commits": "delete"}, page(GAME)) == "ask"
    for more in ("checkbox", "textbox", "row", "listitem", "treeitem", "tab"):
        assert (
            verdict(press, page(GAME + f'\n- {more} "Mail 1" [ref=m1] [cursor=pointer] [box=0,60,90,20]'))
            == "ask"
        )


@pytest.mark.parametrize("key", ["Enter", "Space", "Control+Enter"])
def test_enter_with_an_unknown_focus_asks_on_any_page(key: str) -> None:
    assert verdict({"kind": "press", "key": key}, page(GAME)) == "ask"


TASKS = "\n".join(
    f'- listitem "{name}" [ref=t{at}] [cursor=pointer] [box={left},{30 * at},90,20]'
    for at, (name, left) in enumerate(
        (("Write tests", 0), ("Water plants", 0), ("Trash", 0), ("Elsewhere", 300))
    )
)


@pytest.mark.parametrize(
    ("end", "expected"), [("Water plants", "allow"), ("Trash", "ask"), ("Elsewhere", "ask")]
)
def test_an_entry_is_dragged_within_its_list_without_a_question(end: str, expected: str) -> None:
    seen = page(TASKS)
    drag = {"startTarget": named("Write tests", seen).ref, "endTarget": named(end, seen).ref}
    assert verdict_on("browser_drag", drag, seen) == expected


@pytest.mark.parametrize(("button", "expected"), [("Post review", "allow"), ("More about us", "ask")])
def test_a_star_that_a_button_of_the_page_sends_is_chosen(button: str, expected: str) -> None:
    seen = page(f'- radio "4 stars" [ref=r1] [box=0,0,9,9]\n- button "{button}" [ref=b1] [box=0,30,90,20]')
    assert verdict({"kind": "click", "eid": named("4 stars", seen).eid}, seen) == expected


def test_typing_into_what_is_no_field_is_a_click() -> None:
    seen = page()
    into = {"eid": named("Empty the bin", seen).eid, "text": "x"}
    assert verdict({"kind": "type", "fields": [into]}, seen) == "ask"
    assert verdict({"kind": "type", "fields": [into | {"eid": named("Search", seen).eid}]}, seen) == "allow"


def test_a_card_number_is_a_secret_in_a_field_of_any_name() -> None:
    seen = page()
    into = {"eid": named("Search", seen).eid, "text": "4111 1111 1111 1111"}
    assert Gate().judge(aimed({"kind": "type", "fields": [into]}, seen)).kind == "credential"


def test_an_option_that_nothing_else_sends_is_judged_by_its_own_name() -> None:
    seen = page()
    choose = {"kind": "select", "eid": named("With the selected", seen).eid}
    assert verdict(choose | {"option": "Delete"}, seen) == "ask"
    assert verdict(choose | {"option": "Show as list"}, seen) == "allow"
    form = """\
- form "Question" [ref=f0]:
  - combobox "Topic" [ref=f1]:
    - option "Delete"
  - textbox "Words" [ref=f2]
  - button "Send" [ref=f3]"""
    seen = page(form)
    assert verdict({"kind": "select", "eid": named("Topic", seen).eid, "option": "Delete"}, seen) == "allow"


def test_a_secret_that_a_pages_question_asks_for_is_one_as_in_a_field() -> None:
    seen = page(notes=('The page waits for an answer to its prompt dialog: "Your password?"',))
    answer = {"kind": "dialog", "accept": True, "text": "x"}
    assert Gate().judge(aimed(answer, seen)).kind == "credential"
    assert verdict(answer | {"accept": False}, seen) == "allow"


def test_a_control_with_another_page_over_its_middle_is_told_as_that_pages_controls() -> None:
    snapshot = """\
- button "Play video" [ref=b1] [box=0,0,300,200]:
  - iframe [ref=b2] [box=0,0,300,200]:
    - button "Pay now" [ref=f1e1] [box=0,0,300,200]
- button "Comment" [ref=b3] [box=0,300,300,200]:
  - iframe [ref=b4] [box=0,300,20,20]:
    - img "Logo" [ref=f2e1] [box=0,0,20,20]"""
    assert {element.name for element in page(snapshot).interactive} == {"Pay now", "Comment"}


def test_what_is_seen_on_a_control_counts_as_much_as_what_it_is_called() -> None:
    snapshot = '- button "Next page" [ref=b1] [box=0,0,100,20]'
    seen = page(snapshot, extra=Extra(shown=(Shown(box=(0, 0, 100, 20), text="Pay €500 now"),)))
    click = {"kind": "click", "eid": "e1"}
    assert verdict(click, page(snapshot)) == "allow"
    assert verdict(click, seen) == "ask"
    other = page(snapshot, extra=Extra(shown=(Shown(box=(0, 0, 100, 20), text="Pay €900 now"),)))
    digests = {approval_digest("r", aimed(click, one)) for one in (seen, other)}
    assert len(digests) == 2


def test_a_sum_that_the_question_shows_is_part_of_the_yes() -> None:
    snapshot = '- button "Place order" [ref=b1] [box=0,0,100,20]\n- paragraph [ref=p1] [box=0,30,100,20]: Total €43.90'
    click = {"kind": "click", "eid": "e1"}
    seen = [page(snapshot), page(snapshot.replace("43.90", "4390.00"))]
    assert len({approval_digest("r", aimed(click, one)) for one in seen}) == 2


def test_the_words_on_a_control_are_judged_as_those_of_a_link_only_where_it_is_one() -> None:
    def roles(control: str) -> list[tuple[str, str]]:
        seen = page(control, extra=Extra(shown=(Shown(box=(0, 0, 100, 20), text="Look here"),)))
        return [(each.role, each.name) for each in subjects_of(aimed({"kind": "click", "eid": "e1"}, seen))]

    link = '- link "Next page" [ref=b1] [box=0,0,100,20]:\n  - /url: /next'
    assert roles(link) == [("link", "Next page"), ("link", "Look here")]
    button = '- button "Next page" [ref=b1] [box=0,0,100,20]'
    assert roles(button) == [("button", "Next page"), ("menuitem", "Look here")]


@pytest.mark.parametrize(
    ("href", "expected"), [("/delete?id=3", "ask"), ("delete?id=3", "ask"), ("message?id=3", "allow")]
)
def test_a_link_is_judged_by_where_it_leads_from_this_page(href: str, expected: str) -> None:
    seen = page(f'- link "Details" [ref=l1] [box=0,0,90,20]:\n  - /url: {href}')
    assert verdict({"kind": "click", "eid": "e1"}, seen) == expected


def test_enter_in_any_field_of_a_form_is_its_button() -> None:
    seen = page("""\
- form "Ticket" [ref=f0]:
  - textbox "City" [ref=f1]
  - button "Buy now" [ref=f2]""")
    city = named("City", seen)
    enter = {"kind": "press", "key": "Enter"}
    for focused, names in ((city, ["City", "Buy now"]), (named("Buy now", seen), ["Buy now"]), (None, [""])):
        assert [subject.name for subject in subjects_of(aimed(enter, seen, focused))] == names
    assert [subject.name for subject in subjects_of(aimed(enter | {"key": "x"}, seen, city))] == ["City"]
    assert verdict({"kind": "press", "key": "Enter"}, seen, focused=city) == "ask"
    assert (
        verdict({"kind": "type", "fields": [{"eid": city.eid, "text": "Bonn"}], "submit": True}, seen)
        == "ask"
    )
    seen = page("""\
- form "Where to" [ref=f0]:
  - textbox "City" [ref=f1]
  - button "Search" [ref=f2]""")
    assert verdict({"kind": "press", "key": "Enter"}, seen, focused=named("City", seen)) == "allow"


# What was allowed for the session


def test_a_grant_for_one_kind_covers_no_other_part_of_the_action() -> None:
    seen = page("""\
- form "Pay €43.90" [ref=f0]:
  - textbox "Card number" [ref=f1]
  - textbox "City" [ref=f2]
  - button "Pay now" [ref=f3]""")
    fields = [{"eid": named(name, seen).eid, "text": "1"} for name in ("Card number", "City")]
    grants = Granted({("mail.example", "send")})
    sent = Gate().judge(
        aimed({"kind": "type", "fields": fields[1:], "submit": True}, seen), grants=grants.now
    )
    assert (sent.verdict, sent.kind) == ("ask", "pay")
    both = Granted({("mail.example", "pay"), ("mail.example", "credential")})
    secret = Gate().judge(aimed({"kind": "type", "fields": fields, "submit": True}, seen), grants=both.now)
    assert (secret.verdict, secret.kind) == ("ask", "credential")


def test_a_grant_holds_on_the_site_where_the_effect_is() -> None:
    grants = Granted({("mail.example", "delete")})
    away = "https://bank.example/delete?id=3"
    seen = page(f'- link "Details" [ref=l1] [box=0,0,90,20]:\n  - /url: {away}')
    for action in ({"kind": "navigate", "url": away}, {"kind": "click", "eid": "e1"}):
        assert verdict(action, seen, grants=grants) == "ask"
    assert (
        verdict({"kind": "navigate", "url": "https://mail.example/delete?id=3"}, seen, grants=grants)
        == "allow"
    )
    tricky = {"kind": "navigate", "url": "https://bank.example\\@mail.example/delete?id=3"}
    assert verdict(tricky, seen, grants=grants) == "ask"


# Tool calls of MCP servers


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("browser_drag", {"startTarget": "i2", "endTarget": "i3"}, "ask"),
        ("browser_press_key", {"key": "Alt+d"}, "ask"),
        ("browser_press_key", {"key": "Delete"}, "ask"),
        ("browser_fill_form", {"fields": [{"target": "i4", "type": "checkbox", "value": "false"}]}, "ask"),
        ("browser_fill_form", {"fields": [{"target": "i5", "type": "combobox", "value": "Delete"}]}, "ask"),
        ("browser_select_option", {"target": "i5", "values": ["Delete"]}, "ask"),
        ("browser_type", {"target": "s1", "text": "minutes", "slowly": True}, "allow"),
    ],
)
def test_every_tool_is_judged_by_what_it_sets_off(name: str, args: dict[str, Any], expected: str) -> None:
    assert verdict_on(name, args, page()) == expected


def test_what_is_dragged_and_what_it_is_dropped_on_are_both_judged() -> None:
    seen = page()
    action = read_call("browser_drag", {"startTarget": "i2", "endTarget": "i3"}, seen)
    assert action is not None
    subjects = [(subject.action, subject.name) for subject in subjects_of(aim(action, seen))]
    assert subjects == [("drag", "Minutes of Monday"), ("drop", "Papierkorb")]


def test_a_new_line_that_is_typed_key_by_key_is_enter() -> None:
    seen = page('- textbox "Message" [ref=m1] [box=0,0,90,20]')
    call = {"target": "m1", "text": "Hello\n"}
    assert verdict_on("browser_type", call, seen) == "allow"
    assert verdict_on("browser_type", call | {"slowly": True}, seen) == "ask"


@pytest.mark.parametrize(
    ("key", "expected"),
    [("x", True), ("Shift+X", True), ("Control+v", True), ("ControlOrMeta+v", True), ("Shift+Insert", True),
     ("Control+c", False), ("Tab", False), ("Enter", False), ("Shift+Tab", False)],
)  # fmt: skip
def test_a_key_brings_text_by_itself_or_from_the_clipboard(key: str, expected: bool) -> None:
    assert brings_text(key) == expected


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("Tab", True),
        ("Control+Tab", True),
        ("F1", True),
        ("Enter", True),
        ("a", False),
        ("Shift+A", False),
        ("", False),
    ],
)
def test_a_key_with_a_name_may_move_the_focus(key: str, expected: bool) -> None:
    assert may_move_focus(key) == expected
