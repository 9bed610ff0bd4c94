"""What a text near a control is: a heading, a row of labels, a count of steps, a disguise of another text."""

from __future__ import annotations

import pytest

from server.agent.policy.labels import heading_commands, is_menu, lists_controls, longer_heading
from server.agent.policy.lexicon import lexicon
from server.agent.policy.sentence import Sentence, find_step, is_calm
from server.agent.policy.text import fold, has_tones, plain, readings


def sentence(text: str) -> Sentence:
    return Sentence(fold(text), lexicon().find(fold(text), "en"))


EIGHT = "Skip payment for Anna Berta Carla Dora Emma"


def test_a_heading_extends_a_name_up_to_eight_words() -> None:
    assert len(lexicon().significant(EIGHT).split()) == 8
    assert longer_heading(EIGHT, "Skip") == EIGHT
    assert longer_heading(f"{EIGHT} Frida", "Skip") == ""


@pytest.mark.parametrize(
    ("heading", "commands"), [("Valve 3 in hall", True), ("Valve 3 in the hall", False), ("Hall 3", False)]
)
def test_a_heading_of_up_to_four_words_names_what_a_verb_acts_on(heading: str, commands: bool) -> None:
    assert heading_commands(heading, "Close", "en") is commands
    assert not heading_commands(heading, "", "en")


@pytest.mark.parametrize(
    ("text", "is_row"),
    [
        ("cancel order", False),
        ("order", True),
        ("cancel order, help", True),
        ("order, one two three four five six", True),
        ("order, one two three four five six seven", False),
        ("order, help 2", False),
    ],
)
def test_a_row_of_labels_includes_the_controls_own_and_has_only_short_ones(text: str, is_row: bool) -> None:
    assert lists_controls(text, "Order") is is_row


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("inbox, trash", False), ("inbox, sent, trash", True), ("inbox, share, trash", False)],
)
def test_a_menu_has_three_places(text: str, is_one: bool) -> None:
    assert is_menu(text, "Trash", "en") is is_one


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("2/4", (2, 4)),
        ("Step 3", None),
        ("Step 2 of 3", (2, 3)),
        ("Step 2 of 25", (2, 25)),
        ("Step 2 of 26", None),
        ("Step 2 of 3, 40 questions", (2, 3)),
        ("Step 2 of 4, page 1", (2, 4)),
        ("Step 2 of 4, 9 questions", (2, 4)),
        ("Table 2 of 3", None),
    ],
)
def test_the_first_two_numbers_of_a_step_count_up_to_25(text: str, step: tuple[int, int] | None) -> None:
    assert find_step(sentence(text)) == step


@pytest.mark.parametrize(
    ("text", "calm"), [("Captions", True), ("Captions for members", False), ("Members", False)]
)
def test_a_minor_thing_is_calm_unless_the_same_sentence_names_a_weighty_one(text: str, calm: bool) -> None:
    assert is_calm(sentence(text)) is calm


@pytest.mark.parametrize(
    ("disguised", "read"),
    [("🅐🅩", "az"), ("🅰🆉", "az"), ("🇦🇾🇿", "ayz"), ("🇦🇿", " "), ("dεletε", "delete"), ("δεν", "δεν")],
)
def test_letters_in_signs_and_of_two_scripts_are_read_as_the_letters_they_look_like(
    disguised: str, read: str
) -> None:
    assert fold(disguised) == read
    assert fold(disguised) in readings(disguised)


RARE = [
    ("a\u2063b", "ab"), ("\u07c3", "3"), ("\u04c2", "\u0436"), ("\u06d3", "\u06d2"), ("ᴅᴇʟ", "del"), ("ɡ", "g"),
    ("ħŧ", "ħŧ"), ("🅪", "mc"), ("huỷ", "hủy"), ("hoà", "hòa"), ("hủy", "hủy"),
]  # fmt: skip
"""Letters that no word of the lexicon has: what one is folded to is computed once."""


@pytest.mark.parametrize(("text", "folded"), RARE)
def test_a_letter_has_one_spelling(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_a_mark_is_taken_off_a_letter_and_not_the_letter_off_a_mark() -> None:
    assert (fold("ṩẘ"), plain("ṩẘ"), plain("ħŧ")) == ("ṩẘ", "sw", "ht")


def test_a_word_has_tones_if_a_letter_is_of_vietnamese_only() -> None:
    assert [has_tones(word) for word in ("bạn", "bán", "ban", "đi")] == [True, False, False, True]
