"""What a control's label has to do with the text around it, at each number of words and items."""

from __future__ import annotations

import pytest

from server.agent.policy.labels import heading_commands, is_menu, lists_controls, longer_heading
from server.agent.policy.text import fold


@pytest.mark.parametrize(
    ("heading", "is_longer"),
    [
        ("Skip this payment", True),
        ("Skip tea coffee milk bread salt rice oats", True),
        ("Skip tea coffee milk bread salt rice oats honey", False),
        ("Pay now", False),
        ("Skip", False),
    ],
)
def test_a_heading_of_at_most_eight_significant_words_extends_a_label(heading: str, is_longer: bool) -> None:
    assert longer_heading(heading, "Skip") == (heading if is_longer else "")


@pytest.mark.parametrize(
    ("heading", "commands"),
    [("Valve 3", True), ("Valve 3 upper floor", True), ("Valve 3 on upper floor", False), ("", False)],
)
def test_a_heading_of_at_most_four_words_names_a_device(heading: str, commands: bool) -> None:
    assert heading_commands(heading, "Close", "en") is commands


@pytest.mark.parametrize(
    ("text", "is_row"),
    [
        ("Order", True),
        ("Place your order", False),
        ("Market order, limit", True),
        ("Order, keep all of this as it is", False),
        ("Order, keep all of this as is", True),
        ("Order, 3 left", False),
    ],
)
def test_a_row_of_labels_has_this_one_and_none_of_more_than_six_words(text: str, is_row: bool) -> None:
    assert lists_controls(fold(text), "Order") is is_row


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("Inbox, Drafts, Contacts", True), ("Inbox, Drafts", False), ("Inbox, Pay now, Contacts", False)],
)
def test_a_menu_has_three_places_or_more(text: str, is_one: bool) -> None:
    assert is_menu(fold(text), "Inbox", "en") is is_one


@pytest.mark.parametrize(
    ("new", "old"), [("hoà", "hòa"), ("huỷ", "hủy"), ("khoẻ", "khỏe"), ("quỹ tuý", "qũy túy")]
)
def test_both_spellings_of_a_vietnamese_word_are_one(new: str, old: str) -> None:
    assert fold(new) == fold(old) == old


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Pay \u0665\u0660", "pay 50"),  # digits of another script
        ("\u1d05\u1d07\u029f\u1d07\u1d1b\u1d07", "delete"),  # small capitals
        ("p\u0251y \u0261o \u0269", "pay go i"),
        ("P\u0391Y", "pay"),  # with a Greek letter
        ("\u03c0\u03bb", "\u03c0\u03bb"),  # a word that is all Greek
    ],
)
def test_letters_and_digits_of_other_scripts_are_read_as_they_look(written: str, read: str) -> None:
    assert fold(written) == read
