"""The gate judges by what the page is made of, and the same for an agent's action, a tool call and a hand command."""

from typing import Any, get_args

import pytest

from server.agent.actions import EffectKind, aim
from server.agent.assistant.tool_actions import read_call
from server.agent.gate.approval import approval_digest, retarget
from server.agent.gate.gate import Gate
from server.agent.gate.rulings import ruling_of
from server.agent.gate.subjects import subjects_of
from server.agent.gate.taint import LEAK
from server.agent.policy import Verdict
from server.browser.addresses import site_of
from server.browser.observation import Element, Extra, Observation, observe_snapshot
from server.browser.observation.page_script import Sent
from tests.support.actions import aimed
from tests.support.operator_world import Granted

URL = "https://shop.example/checkout"
PAGE = """\
- heading "Checkout" [level=1] [ref=h1] [box=0,0,200,20]
- link "Terms" [ref=l1] [box=300,0,80,20]:
  - /url: https://shop.example/terms
- form "Pay €43.90" [ref=f1] [box=0,40,400,200]:
  - textbox "Card number" [ref=f2] [box=10,50,200,20]
  - textbox "Note" [ref=f3] [box=10,80,200,20]
  - button "Pay now" [ref=f4] [box=10,110,100,30]
  - button "Cancel" [ref=f5] [box=120,110,100,30]"""


def page(snapshot: str = PAGE, url: str = URL, notes: tuple[str, ...] = ()) -> Observation:
    return observe_snapshot(snapshot, url=url, title="Checkout", notes=notes)


def eid(name: str, observation: Observation) -> str:
    return next(element.eid for element in observation.interactive if element.name == name)


def judged(
    action: dict[str, Any],
    observation: Observation | None = None,
    *,
    focused: Element | None = None,
    grants: Granted | None = None,
) -> str:
    return (
        Gate()
        .judge(aimed(action, observation or page(), focused), grants=grants.now if grants else ())
        .verdict
    )


UNCLEAR = """\
- heading "Orders" [level=1] [ref=h1] [box=0,0,200,20]
- text: "Total of all orders: €1,200.00" [box=0,30,200,20]
- form "Boiler, live" [ref=f0] [box=0,50,400,300]:
  - slider "Dose per hour" [ref=s1] [box=10,60,200,20]: "5"
  - textbox "From" [ref=f1] [box=10,90,200,20]
  - button "Visa tåg" [ref=b1] [box=10,120,100,30]
  - button "Slet alt" [ref=b2] [box=10,160,100,30]
  - button "Save" [ref=b3] [box=10,200,100,30]
  - button "Place order" [ref=b4] [box=10,240,100,30]"""
"""Names in languages other than the page's, a slider of a running system, and names that say what they do."""


@pytest.mark.parametrize(
    ("action", "is_guess"),
    [
        ({"kind": "click", "name": "Visa tåg"}, True),
        ({"kind": "click", "name": "Slet alt"}, False),
        ({"kind": "click", "name": "Dose per hour"}, True),
        ({"kind": "click", "name": "Save"}, False),
        ({"kind": "click", "name": "Place order"}, False),
    ],
)
def test_what_is_only_a_guess_is_left_to_the_browser_that_holds_what_is_sent(
    action: dict[str, Any], is_guess: bool
) -> None:
    observation = page(UNCLEAR)
    action["eid"] = eid(action.pop("name"), observation)
    held = observation.model_copy(update={"sends_are_held": True})
    assert judged(dict(action), observation) == Verdict.ASK
    assert judged(dict(action), held) == (Verdict.ALLOW if is_guess else Verdict.ASK)


def test_a_link_that_names_an_effect_is_left_to_what_it_sends_unless_the_model_claims_it_too() -> None:
    held = page('- link "Delete account" [ref=l1] [box=0,0,200,20]:\n  - /url: /account/end').model_copy(
        update={"sends_are_held": True}
    )
    act = aimed({"kind": "click", "eid": eid("Delete account", held)}, held)
    judgement = Gate().judge(act)
    assert (judgement.verdict, ruling_of(judgement).is_doubted) == (Verdict.ALLOW, True)
    claimed = aimed({"kind": "click", "eid": eid("Delete account", held), "commits": "delete"}, held)
    assert Gate().judge(claimed).verdict is Verdict.ASK
    plain = aimed({"kind": "click", "eid": eid("Visa tåg", page(UNCLEAR))}, page(UNCLEAR))
    assert not ruling_of(Gate().judge(plain)).is_doubted


def test_the_models_own_claim_is_asked_about_also_where_what_is_sent_is_held() -> None:
    held = page(UNCLEAR).model_copy(update={"sends_are_held": True})
    action = {"kind": "click", "eid": eid("Visa tåg", held), "commits": "order"}
    assert judged(action, held) == Verdict.ASK


def test_a_subject_is_made_of_facts_of_the_page() -> None:
    observation = page()
    (subject,) = subjects_of(aimed({"kind": "click", "eid": eid("Pay now", observation)}, observation))
    assert (subject.action, subject.role, subject.name, subject.url) == ("click", "button", "Pay now", URL)
    assert "Cancel" in subject.siblings
    assert set(subject.form_fields) == {"Card number", "Note"}


def test_a_field_that_is_gone_leaves_the_others_to_be_judged() -> None:
    observation = page()
    card = {"eid": eid("Card number", observation), "text": "4111"}
    gone = {"eid": "e999", "text": "hi"}
    (subject,) = subjects_of(aimed({"kind": "type", "fields": [card, gone]}, observation))
    assert (subject.name, subject.value) == ("Card number", "4111")


def test_a_form_that_is_filled_and_sent_is_judged_by_its_worst_part() -> None:
    observation = page()
    note = {"eid": eid("Note", observation), "text": "hi"}
    card = {"eid": eid("Card number", observation), "text": "4111"}
    assert judged({"kind": "type", "fields": [note]}) == Verdict.ALLOW
    assert judged({"kind": "type", "fields": [note, card]}) == Verdict.ASK
    assert judged({"kind": "type", "fields": [note], "submit": True}) == Verdict.ASK


@pytest.mark.parametrize("key", ["Enter", "Control+Enter", "NumpadEnter", "Return"])
def test_enter_is_judged_as_what_has_the_focus(key: str) -> None:
    observation = page()
    focused = observation.find(eid("Note", observation))
    assert judged({"kind": "press", "key": key}, observation, focused=focused) == Verdict.ASK


@pytest.mark.parametrize("key", ["Escape", "Tab", "ArrowDown", "PageDown"])
def test_keys_that_only_move_are_allowed(key: str) -> None:
    assert judged({"kind": "press", "key": key}) == Verdict.ALLOW


def test_a_question_of_the_pages_script_is_accepted_only_with_a_yes() -> None:
    asked = page(notes=('A confirm dialog is open: "Delete all files?"',))
    assert judged({"kind": "dialog", "accept": True}, asked) == Verdict.ASK
    assert judged({"kind": "dialog", "accept": False}, asked) == Verdict.ALLOW
    (button,) = subjects_of(aimed({"kind": "dialog", "accept": True}, asked))
    assert (button.role, button.name, button.siblings) == ("button", "OK", ("Cancel",))
    assert button.submits
    assert button.in_dialog


def test_a_page_with_a_persons_input_is_left_only_with_a_yes_that_no_grant_gives() -> None:
    leaving = page("").model_copy(update={"dialog": "beforeunload"})
    by_name = read_call("browser_handle_dialog", {"accept": True}, leaving)
    assert by_name is not None
    for asked in (aimed({"kind": "dialog", "accept": True}, leaving), aim(by_name, leaving)):
        granted = Granted({(site_of(URL), kind) for kind in ("leave", "delete", "unknown_submit")})
        ruled = Gate().judge(asked, grants=granted.now)
        assert (ruled.verdict, ruled.kind) == (Verdict.ASK, "leave")
    assert judged({"kind": "dialog", "accept": False}, leaving) == Verdict.ALLOW


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "chrome://version",
        "view-source:https://x",
        "data:text/html,x",
    ],
)
def test_schemes_that_are_no_pages_are_denied(url: str) -> None:
    assert judged({"kind": "navigate", "url": url}) == Verdict.DENY


def test_a_grant_turns_a_question_into_a_yes_but_never_a_no() -> None:
    observation = page()
    pay = {"kind": "click", "eid": eid("Pay now", observation)}
    kind = Gate().judge(aimed(pay, observation)).kind
    grants = Granted({("shop.example", kind), ("shop.example", "scheme")})
    assert judged(pay, observation, grants=grants) == Verdict.ALLOW
    assert judged({"kind": "navigate", "url": "file:///x"}, observation, grants=grants) == Verdict.DENY


def test_an_act_that_is_asked_about_uses_no_grant() -> None:
    """One of its effects is granted, the other is not: the yes to the question is for both."""
    observation = page()
    pay = aimed({"kind": "click", "eid": eid("Pay now", observation)}, observation)
    grants = Granted({("shop.example", str(Gate().judge(pay).kind))}).now
    assert Gate().judge(pay, grants=grants).uses
    asks = Gate().judge(pay, grants=grants, also=LEAK)
    assert (asks.verdict, asks.kind, asks.uses) == (Verdict.ASK, LEAK.kind, ())


def test_enter_in_a_form_that_is_sent_to_another_site_needs_a_grant_for_that_site() -> None:
    boxes = ((10, 80, 200, 20), (10, 110, 100, 30))
    sent = tuple(Sent(box=box, to="https://bank.example/charge") for box in boxes)
    observation = observe_snapshot(PAGE, url=URL, extra=Extra(sent=sent))
    note = observation.find(eid("Note", observation))
    enter = {"kind": "press", "key": "Enter"}
    kind = Gate().judge(aimed(enter, observation, note)).kind
    verdicts = {
        site: judged(enter, observation, focused=note, grants=Granted({(site, kind)}))
        for site in ("shop.example", "bank.example")
    }
    assert verdicts == {"shop.example": Verdict.ASK, "bank.example": Verdict.ALLOW}


def test_what_has_the_focus_does_not_tell_where_a_click_leads() -> None:
    link = '- link "Delete it" [ref=l1] [box=0,0,80,20]:\n  - /url: https://other.example/delete'
    observation = page(f"{link}\n{PAGE}")
    note = observation.find(eid("Note", observation))
    click = {"kind": "click", "eid": eid("Delete it", observation)}
    kind = Gate().judge(aimed(click, observation)).kind
    grants = Granted({("shop.example", kind)})
    assert judged(click, observation, focused=note, grants=grants) == Verdict.ASK


@pytest.mark.parametrize(
    ("url", "site"),
    [("https://www.shop.example/x", "shop.example"), ("http://127.0.0.1:8123/a", "127.0.0.1:8123"),
     ("about:blank", ""), ("", ""), ("https://a.example:99999/", "a.example")],
)  # fmt: skip
def test_a_site_is_a_host_with_a_port_of_its_own(url: str, site: str) -> None:
    assert site_of(url) == site


# Tool calls of MCP servers


@pytest.mark.parametrize(
    ("name", "args", "verdict"),
    [
        ("browser_click", {"element": "Harmless link", "target": "f4"}, "ask"),
        ("browser_click", {"element": "Pay now", "target": "l1"}, "allow"),
        ("browser_click", {"coordinate_x": 20, "coordinate_y": 120}, "ask"),
        ("browser_click", {"index": "f4"}, "ask"),
        ("browser_type", {"target": "f3", "text": "x"}, "allow"),
        ("browser_type", {"target": "f3", "text": "x", "submit": True}, "ask"),
        ("browser_type", {"target": "f2", "text": "4111"}, "ask"),
        (
            "browser_fill_form",
            {"fields": [{"target": "f3", "value": "x"}, {"target": "f2", "value": "1"}]},
            "ask",
        ),
        ("browser_navigate", {"url": "file:///etc/passwd"}, "deny"),
        ("browser_tabs", {"action": "new", "url": "chrome://version"}, "deny"),
        ("browser_tabs", {"action": "list"}, "allow"),
        ("browser_handle_dialog", {"accept": False}, "allow"),
        ("browser_hover", {"target": "f4"}, "allow"),
        ("browser_wait_for", {"time": 1}, "allow"),
    ],
)
def test_a_tool_call_is_read_by_its_target_and_not_by_the_models_words(
    name: str, args: dict[str, Any], verdict: str
) -> None:
    observation = page()
    action = read_call(name, args, observation)
    assert action is not None
    assert Gate().judge(aim(action, observation)).verdict == verdict


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("browser_click", {"target": "text=Pay now"}), ("browser_click", {"target": "#pay"}),
        ("browser_click", {"target": "gone"}), ("browser_click", {}), ("browser_fill_form", {"fields": []}),
        ("browser_fill_form", {"fields": [{"target": "gone", "value": "x"}]}), ("files_delete", {"path": "/"}),
    ],
)  # fmt: skip
def test_what_cannot_be_seen_is_no_known_action(name: str, args: dict[str, Any]) -> None:
    assert read_call(name, args, page()) is None


# What a yes is bound to


def digest(observation: Observation, run: str = "r", **more: Any) -> str:
    action = {"id": "x", "reason": "why", "kind": "click", "eid": eid("Pay now", observation), **more}
    return approval_digest(run, aimed(action, observation))


def test_the_digest_ignores_ids_and_words_of_the_model() -> None:
    moved = page(PAGE.replace("ref=f", "ref=g").replace("box=10", "box=90"))
    assert digest(page()) == digest(moved) == digest(page(), id="y", reason="other")


@pytest.mark.parametrize(
    ("old", "new"),
    [("€43.90", "€4390"), ('"Cancel"', '"Keep"'), ('"Pay now"', '"Pay now"'), ('"Note"', '"Note to seller"')],
)
def test_the_digest_changes_with_what_a_person_sees(old: str, new: str) -> None:
    changed = page(PAGE.replace(old, new))
    assert (digest(changed) == digest(page())) == (old == new)
    assert digest(page()) != digest(page(url=URL + "?x"))
    assert digest(page()) != digest(page(), run="other")


def test_an_action_finds_its_target_on_a_fresh_page() -> None:
    before = page()
    action = aimed({"kind": "click", "eid": eid("Pay now", before)}, before)
    after = page('- button "New" [ref=n1] [box=500,0,80,20]\n' + PAGE.replace("ref=f4", "ref=z4"))
    found = retarget(action, after)
    assert found is not None
    assert found.eids == (eid("Pay now", after),)
    assert retarget(action, page(PAGE.replace("Pay now", "Buy").replace("ref=f4", "ref=z4"))) is None


@pytest.mark.parametrize(
    "action",
    [
        {"kind": "click", "eid": "e99"},
        {"kind": "type", "fields": [{"eid": "e2", "text": "1"}, {"eid": "e99", "text": "2"}]},
        {"kind": "drag", "start": "e2", "end": "e99"},
    ],
)
def test_an_action_on_an_element_that_never_was_there_is_not_found_again(action: dict[str, Any]) -> None:
    assert retarget(aimed(action, page()), page()) is None


VOICED = """\
- heading "Weather" [level=1] [ref=h1] [box=0,0,200,20]
- link "Next page" [ref=v1] [box=300,0,80,20]:
  - /url: https://shop.example/next
- link "Fine by me" [ref=v2] [box=300,30,80,20]:
  - /url: "#"
- searchbox "Search" [ref=v3] [box=0,40,200,20]
- tab "Details" [ref=v4] [box=0,70,80,20]
- textbox "Subject" [ref=v5] [box=0,100,200,20]
- button "Right then" [ref=v6] [box=0,130,80,20]"""


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("Right then", Verdict.ASK),
        ("Fine by me", Verdict.ASK),
        ("Next page", Verdict.ALLOW),
        ("Details", Verdict.ASK),
        ("Search", Verdict.ASK),
    ],
)
def test_what_the_agent_says_of_its_own_step_adds_a_question_where_there_can_be_an_effect(
    name: str, verdict: Verdict
) -> None:
    observation = page(VOICED, "https://shop.example/messages")
    action = {"kind": "click", "eid": eid(name, observation)}
    assert judged(action, observation) == Verdict.ALLOW
    assert judged(action | {"commits": "send"}, observation) == verdict


def test_typing_commits_nothing_before_it_is_sent() -> None:
    observation = page(VOICED, "https://shop.example/messages")
    typed = {
        "kind": "type",
        "fields": [{"eid": eid("Subject", observation), "text": "Hi"}],
        "commits": "send",
    }
    assert judged(typed, observation) == Verdict.ALLOW
    assert judged(typed | {"submit": True}, observation) == Verdict.ASK


@pytest.mark.parametrize("effect", get_args(EffectKind))
def test_what_the_agent_says_names_the_kind_and_never_makes_a_judgement_milder(effect: str) -> None:
    observation = page(VOICED, "https://shop.example/messages")
    doubted = {"kind": "click", "eid": eid("Right then", observation), "commits": effect}
    assert Gate().judge(aimed(doubted, observation)).kind == effect
    pay = {"kind": "click", "eid": eid("Pay now", page())}
    assert Gate().judge(aimed(pay | {"commits": effect}, page())) == Gate().judge(aimed(pay, page()))
    barred = {"kind": "navigate", "url": "file:///etc/passwd", "commits": effect}
    assert judged(barred) == Verdict.DENY
