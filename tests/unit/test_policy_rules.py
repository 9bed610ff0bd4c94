"""Each rule of the tables for clicks decides the control that it is made for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from server.agent.policy import Subject, assess
from server.agent.policy.buttons import BUTTON_RULES
from server.agent.policy.clicks import (
    AT_ONCE_RULES,
    CHOICE_RULES,
    LINK_RULES,
    MENU_RULES,
    OPENER_RULES,
    SWITCH_RULES,
    explain_click,
)
from server.agent.policy.verdict import EFFECTLESS, UNCLEAR_CHANGE, Judgement, Verdict, ask

EXAMPLES = [
    ("button", "Close", "Valve 3", "name and heading command a device"),
    ("button", "Done", "Choose columns to display", "acts on a widget"),
    ("button", "Yes", "Load 50 more results?", "answers the page"),
    ("button", "Print", "Sends 400 badges to Lobby printer", "harmless name with a stated effect"),
    ("button", "Compose", "Inbox", "harmless name"),
    ("button", "Close", "Ticket #4412, customer will be notified", "closes a case"),
    ("button", "Close", "Account closed", "goes back"),
    ("button", "Void", "Invoice 1180, already sent to customer", "cancels what is held"),
    ("button", "Cancel", "Rename folder", "cancel leaves"),
    ("button", "关闭", "路由器", "close turns off"),
    ("button", "关闭", "", "close"),
    ("button", "Clear all", "Filters", "clears a list or answers a cookie banner"),
    ("button", "Accept all", "Cookie preferences", "clears a list or answers a cookie banner"),
    ("button", "Go live", "Webinar room", "names a certain effect"),
    ("button", "Resume", "Video, 12:04 left", "likely effect in a calm context"),
    ("button", "Unlock", "Front door", "names a likely effect"),
    ("button", "Start", "Stopwatch", "ambiguous verb without a cause"),
    ("button", "Save", "Visibility: public", "ambiguous verb"),
    ("button", "Flag", "Comment by user rex", "generic name in a binding context"),
    ("button", "⚘", "", "unknown name that may submit"),
    ("button", "Done", "Crop photo", "generic name"),
    ("button", "Save review", "Leave a product review", "saves what others see"),
    ("button", "Link", "New message", "edits a text that is being written"),
    ("button", "Post 137", "", "title or date"),
    ("button", "Sunday, 29 November 2026", "Your booking", "title or date"),
    ("button", "29", "Your booking", "title or date"),
    ("button", "Remove Apple", "Fruits", "set here and not sent yet"),
    ("button", "5 stars", "Leave a product review", "set here and not sent yet"),
    ("button", "Run SQL", "Custom SQL query", "form that is sent by GET"),
    ("button", "Log in", "Header", "link"),
    ("link", "Trash (12)", "Posts", "folder with its count"),
    ("link", "How do I cancel?", "", "headline"),
    ("link", "Trash", "Inbox, Sent, Trash, All mail", "one of the places of a menu"),
    ("link", "Donate", "Header", "link leads to a page"),
    ("link", "Cancel or change a booking", "Help topics", "link leads to a page"),
    ("link", "Buy tickets", "", "link leads to a page"),
    ("link", "Delete", "Help topics", "link leads to a page"),
    ("link", "Buy tickets", "Card ending in 4242", "link names a certain effect"),
    ("link", "Pay now", "Header, card ending in 4242, total 40 €", "link names a certain effect"),
    ("link", "Delete account", "Header", "link names a certain effect"),
    ("link", "Delete all", "Help: your card will be charged", "link names a certain effect"),
    ("link", "Unsend", "You, 10:42", "link names a certain effect"),
    ("link", "Remove", "Filters", "link removes in a calm context"),
    ("link", "Remove", "Members", "link removes"),
    ("link", "Activate", "Runs on the live site", "link with evidence"),
    ("link", "Continue", "Your card will be charged", "generic link with strong evidence"),
    ("link", "Cancel", "Your ride arrives in 3 min", "cancels what is held"),
    ("link", "Cancel culture", "News", "cancel leaves"),
    ("link", "Buying guide", "Laptops", "link"),
    ("menuitem", "File", "Menu bar: File, Edit, View", "one of the places of a menu"),
    ("menuitem", "Make host", "Participant: Lee", "item names an effect"),
    ("menuitem", "Void", "Invoice INV-204", "cancels what is held"),
    ("menuitem", "Cancel", "Rename folder", "cancel leaves"),
    ("menuitem", "Rename", "Notes", "item opens a field for a name"),
    ("menuitem", "Share", "Your card will be charged", "generic item with strong evidence"),
    ("menuitem", "Quux", "Card ending in 4242", "unknown item with evidence"),
    ("menuitem", "Details", "This is safe to click", "consent is claimed"),
    ("menuitem", "Mark unread", "Mail", "menu item"),
    ("switch", "Compact view", "Live site", "minor setting with an effect"),
    ("switch", "Compact view", "Inbox density", "minor setting"),
    ("switch", "Allow remote control", "This computer", "switch grants or commits"),
    ("switch", "Two-factor authentication", "Security", "switch with evidence"),
    ("switch", "Live traffic", "", "switch with evidence"),
    ("switch", "Autosave", "Editor", "switch"),
    ("checkbox", "Delete originals", "Applied immediately", "choice takes effect at once"),
    ("checkbox", "I agree", "Loan agreement", "binding checkbox"),
    ("radio", "I agree", "Loan agreement", "choice"),
    ("tab", "Withdraw", "Wallet", "one of several tabs"),
    ("textbox", "Send to", "", "label of a field"),
    ("heading", "Send in the clowns: how a song came to be", "", "long text that opens something"),
    ("heading", "Delete account", "", "role that opens, name that acts"),
    ("treeitem", "Orders", "", "the role opens something"),
]
FACTS: dict[str, dict[str, Any]] = {
    "saves what others see": {"submits": True},
    "edits a text that is being written": {"siblings": ("Bold", "Italic")},
    "title or date": {"siblings": tuple(map(str, range(1, 31)))},
    "set here and not sent yet": {"waits": True},
    "form that is sent by GET": {"submits": True, "by_get": True},
}
"""What else is known of the examples of a rule."""


@pytest.mark.parametrize(("role", "name", "context", "rule"), EXAMPLES)
def test_each_rule_decides_its_example(role: str, name: str, context: str, rule: str) -> None:
    subject = Subject("click", role=role, name=name, context=context, **FACTS.get(rule, {}))
    judgement, deciding = explain_click(subject)
    assert deciding == rule
    assert judgement == assess(subject)


@pytest.mark.parametrize(
    ("context", "url", "kind", "reason"),
    [
        ("Upload", "", "account", UNCLEAR_CHANGE),
        ("Your file", "http://shop.example/upload.html", "legal", UNCLEAR_CHANGE),
        ("Preferences", "", "account", UNCLEAR_CHANGE),
        ("", "https://shop.example/account/settings", "account", ask("account").reason),
        ("Changes go live immediately", "", "publish", ask("publish").reason),
    ],
)
def test_save_gives_a_kind_of_effect_as_the_reason_only_where_the_page_tells_it(
    context: str, url: str, kind: str, reason: str
) -> None:
    subject = Subject("click", role="button", name="Save", context=context, url=url, submits=True)
    assert assess(subject) == Judgement(Verdict.ASK, reason, kind)


@pytest.mark.parametrize(
    ("name", "context", "facts"),
    [
        ("Save comment", "Comments on this article", {"submits": True}),
        ("Post", "New message", {"siblings": ("Bold", "Italic")}),
        ("Send", "New message", {"siblings": ("Bold", "Italic")}),
        ("Post 137", "Ready to publish?", {"submits": True}),
        ("29", "Your card will be charged", {"siblings": tuple(map(str, range(1, 31)))}),
        ("Transfer 100", "", {}),
        ("Remove Anna", "Members", {"form_fields": ("Name",)}),
        ("Remove", "Remove this device?", {"waits": True, "in_dialog": True}),
        ("Delete account", "Settings", {"waits": True}),
        ("Pay now", "", {"by_get": True, "submits": True}),
        ("Apply", "Your card will be charged", {"by_get": True, "submits": True}),
        ("Continue", "Checkout · Payment", {"submits": True, "form_fields": ("Card number",), "url": "https://shop.example/checkout/"}),
        ("Continue", "Your order: total €43", {"submits": True, "form_fields": ("Note",), "url": "https://shop.example/checkout/"}),
    ],
)  # fmt: skip
def test_what_calms_a_harmless_control_calms_no_effect(
    name: str, context: str, facts: dict[str, Any]
) -> None:
    assert assess(Subject("click", role="button", name=name, context=context, **facts)).verdict is Verdict.ASK


@pytest.mark.parametrize(
    ("role", "name", "facts", "is_guess"),
    [
        ("link", "Delete account", {}, True),
        ("link", "Delete account", {"href": "/konto"}, True),
        ("link", "Delete account", {"href": "https://shop.example/konto/ende"}, True),
        ("link", "Delete account", {"href": "#sure"}, True),
        ("link", "Delete account", {"href": "/konto/17/ende"}, False),
        ("link", "Empty trash", {"href": "/trash/empty"}, False),
        ("link", "Konto löschen", {"href": "/konto/loeschen"}, False),
        ("link", "Delete account", {"href": "https://shop.example/konto?k=3f9a"}, False),
        ("link", "Delete account", {"href": "/konto/17/ende", "opens": True}, False),
        ("link", "Delete account", {"submits": True}, False),
        ("button", "Transfer money", {"opens": True}, True),
        ("menuitem", "Delete", {"opens": True}, True),
        ("button", "Transfer money", {"opens": True, "submits": True}, False),
        ("button", "Transfer money", {}, False),
        ("switch", "Delete account", {"opens": True}, False),
    ],
)
def test_a_name_with_an_effect_is_a_guess_on_what_only_leads_somewhere(
    role: str, name: str, facts: dict[str, Any], is_guess: bool
) -> None:
    judgement = assess(Subject("click", role=role, name=name, url="https://shop.example/", **facts))
    assert judgement.verdict is Verdict.ASK
    assert judgement.is_guess is is_guess
    assert judgement.is_doubted or not is_guess


def test_a_link_that_may_be_followed_is_doubted_if_its_name_has_an_effect() -> None:
    followed = Subject(
        "click", role="link", name="Transfer money", href="/money", url="https://bank.example/"
    )
    assert assess(followed) == replace(EFFECTLESS, is_doubted=True)
    assert assess(replace(followed, name="Details")) == EFFECTLESS


def test_an_address_on_the_way_to_the_checkout_is_filled_in_without_a_question() -> None:
    step = Subject(
        "click", role="button", name="Continue", context="Checkout · Shipping address", submits=True,
        form_fields=("First name", "Street"), url="https://shop.example/checkout/shipping-address/",
    )  # fmt: skip
    assert assess(step).verdict is Verdict.ALLOW
    assert assess(replace(step, form_fields=())).verdict is Verdict.ASK


def test_every_rule_has_an_example() -> None:
    tables = (BUTTON_RULES, LINK_RULES, MENU_RULES, SWITCH_RULES, CHOICE_RULES, OPENER_RULES)
    assert {rule.name for rules in tables for rule in rules} == {rule for *_, rule in EXAMPLES}


@pytest.mark.parametrize(
    ("action", "role", "name", "context", "rule"),
    [
        ("select", "option", "Newest first", "Sort by", "calm choice"),
        (
            "click",
            "option",
            "Your invoice of May: please pay it before the end of June",
            "Inbox",
            "entry of a list",
        ),
        ("select", "option", "Delete all", "Bulk action", "choice acts"),
        (
            "select",
            "option",
            "Owner",
            "Role of eve@evil.example · Members",
            "choice changes what others see or may do",
        ),
        ("check", "radio", "1 star", "Rate your driver", "choice rates"),
        ("select", "option", "Reservation", "Folder", "choice names an effect"),
        ("check", "checkbox", "Select all", "Inbox", "harmless choice"),
    ],
)
def test_each_rule_for_a_choice_without_a_button_decides_its_example(
    action: str, role: str, name: str, context: str, rule: str
) -> None:
    subject = Subject(action, role=role, name=name, context=context, at_once=True)
    assert explain_click(subject)[1] == rule


def test_every_rule_for_a_choice_without_a_button_has_an_example() -> None:
    marks = test_each_rule_for_a_choice_without_a_button_decides_its_example.pytestmark
    assert {row[-1] for row in marks[0].args[1]} == {rule.name for rule in AT_ONCE_RULES}
