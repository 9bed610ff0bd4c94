"""A question finds the sentences, items and rows that have its words, in any of their forms."""

from __future__ import annotations

import pytest

from server.extras.demo.findings import BRIEF, find, in_brief, sentences, shown, units_of
from server.extras.demo.stems import asked_words, stem, stems_of

TEXT = """\
# Port Ellis

## History

The harbour was built in 1871 by fishermen. It was enlarged [twice](http://a.example/x), and the **old mole** still stands.

## Prices

The tariffs were raised in 2024 to 31 cents per ton. Boats under six metres pay nothing.

| Year | Tariff | Ships |
| --- | --- | --- |
| 2023 | 0.27 | 799 |
| 2024 | 0.31 | 845 |

- Grey seal
- Common tern

В 2025 году тарифы снова повысят. Лодки не платят."""


def found(question: str) -> list[str]:
    return [unit.text for unit in find(question, TEXT).units]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what does it say about the tariff in 2024", ["The tariffs were raised in 2024 to 31 cents per ton.", "2024 | 0.31 | 845"]),
        ("when was the harbour built?", ["The harbour was built in 1871 by fishermen."]),
        ("boat", ["Boats under six metres pay nothing."]),
        ("seals", ["Grey seal"]),
        ("ships in 2023", ["2023 | 0.27 | 799"]),
        ("какой тариф в 2025 году?", ["В 2025 году тарифы снова повысят."]),
        ("лодкам", ["Лодки не платят."]),
        ("enlarging", ["It was enlarged twice, and the old mole still stands."]),
        ("prices of boats", ["Boats under six metres pay nothing."]),
        ("penguins", []),
        ("penguins and polar bears near the harbour in winter", []),
    ],
)  # fmt: skip
def test_what_has_all_the_words_is_found(question: str, expected: list[str]) -> None:
    assert found(question) == expected


def test_the_words_that_nothing_has_are_named() -> None:
    finding = find("harbour penguins", TEXT)
    assert [unit.text for unit in finding.units] == ["The harbour was built in 1871 by fishermen."]
    assert finding.missing == ("penguins",)
    assert find("penguins", TEXT).missing == ("penguins",)


def test_rows_are_shown_with_the_names_of_their_columns() -> None:
    text = shown(find("tariff 2024", TEXT).units)
    assert text == (
        "> The tariffs were raised in 2024 to 31 cents per ton.\n\n"
        "| Year | Tariff | Ships |\n| --- | --- | --- |\n| 2024 | 0.31 | 845 |"
    )


def test_sentences_of_a_paragraph_and_items_of_a_list_stay_together() -> None:
    text = shown(units_of(TEXT))
    assert (
        "> The harbour was built in 1871 by fishermen. It was enlarged twice, and the old mole still stands."
        in text
    )
    assert "> - Grey seal\n> - Common tern" in text


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("It costs 3.50 per kg. See p. 4.", ["It costs 3.50 per kg.", "See p. 4."]),
        ("Dr. Smith of St. Ives came.", ["Dr. Smith of St. Ives came."]),
        ("В 1871 г. построили порт. Потом маяк.", ["В 1871 г. построили порт.", "Потом маяк."]),
        ("", []),
    ],
)
def test_text_is_split_at_the_ends_of_sentences(text: str, parts: list[str]) -> None:
    assert list(sentences(text)) == parts


def test_a_finding_in_brief_has_the_asked_words() -> None:
    long = "Many words come first, " * 10 + "then the tariff of 2024, and many more follow. " + "x " * 50
    brief = in_brief(find("tariff 2024", long), "tariff 2024")
    assert len(brief) <= BRIEF
    assert "tariff of 2024" in brief
    assert in_brief(find("ships 2024", TEXT), "ships 2024") == "Year: 2024; Tariff: 0.31; Ships: 845"


@pytest.mark.parametrize(
    ("one", "other"),
    [("tariff", "tariffs"), ("raised", "raising"), ("harbour's", "harbour"), ("тариф", "тарифами"), ("ёлка", "елки"),
     ("1,5", "1.5"), ("café", "cafe"), ("статьей", "статьёй")],
)  # fmt: skip
def test_forms_of_a_word_have_one_stem(one: str, other: str) -> None:
    assert stems_of(one) == stems_of(other)


def test_different_words_keep_different_stems() -> None:
    assert len({stem(word) for word in ("tariff", "tare", "2024", "2023", "тариф", "тара")}) == 6


def test_words_of_the_question_itself_are_not_looked_for() -> None:
    assert asked_words("Please tell me what the article says about it") == []
    assert asked_words("Скажите, пожалуйста, что там написано про маяк") == ["маяк"]
