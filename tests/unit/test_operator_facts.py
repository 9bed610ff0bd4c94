"""Facts are merged, never repeated, never tied to the ids of a page."""

import pytest

from server.agent.operator.memory.facts import (
    FACT_CHARS,
    PageWords,
    clean_fact,
    clean_plan,
    merge_facts,
    next_progress,
    page_words,
    whole_plan,
)
from server.agent.operator.memory.state import NotedFact, PlanProgress
from server.browser.observation import Element, Observation, Page

AT = "2026-11-21T10:00:00+00:00"


def test_facts_are_appended_with_their_page_and_time() -> None:
    known = merge_facts([], ["A costs 5"], "https://a/", AT)
    assert merge_facts(known, ["B costs 7"], "https://b/", AT) == (
        NotedFact(fact="A costs 5", url="https://a/", at=AT),
        NotedFact(fact="B costs 7", url="https://b/", at=AT),
    )


def test_a_fact_is_not_repeated_in_other_letters() -> None:
    known = merge_facts([], ["A costs 5"], "https://a/", AT)
    assert merge_facts(known, ["a  COSTS 5.", "A costs 5"], "https://b/", AT) == known


def test_a_fuller_wording_takes_the_place_of_the_shorter() -> None:
    known = merge_facts([], ["A costs 5", "C is red"], "https://a/", AT)
    texts = [fact.fact for fact in merge_facts(known, ["A costs 5 EUR with delivery"], "https://b/", AT)]
    assert texts == ["A costs 5 EUR with delivery", "C is red"]


def test_numbers_that_only_begin_alike_are_different_facts() -> None:
    known = merge_facts([], ["A costs 5"], "u", AT)
    assert len(merge_facts(known, ["A costs 50"], "u", AT)) == 2


def test_eids_and_page_text_stay_out() -> None:
    assert clean_fact("The button [e12] sends,\n eid=e3 cancels") == "The button sends, cancels"
    assert (
        clean_fact("Both [e2, e3] and the link (e4) lead to A 4 (ref=e5)") == "Both and the link lead to A 4"
    )
    assert clean_fact("White opened e4, E12 fits") == "White opened e4, E12 fits"
    assert len(clean_fact("word " * 500)) <= FACT_CHARS


def test_a_flood_of_facts_does_not_wash_older_ones_away() -> None:
    known = merge_facts([], ["A costs 5"], "u", AT)
    flooded = merge_facts(known, [f"item {n}" for n in range(500)], "u", AT)
    assert flooded[0].fact == "A costs 5"
    assert len(flooded) == 21
    echoed = [fact.fact for fact in flooded]
    assert merge_facts(flooded, [*echoed, "B costs 7"], "u", AT)[-1].fact == "B costs 7"


def test_a_plan_has_at_most_six_items_and_keeps_its_answer() -> None:
    assert clean_plan([f"step {n}" for n in range(9)] + ["answer"])[-1] == "answer"
    assert len(clean_plan([f"step {n}" for n in range(9)] + ["answer"])) == 6
    assert clean_plan(["  a\n b ", "", "c"]) == ["a b", "c"]


def test_a_plan_carries_no_eids_and_no_numbers_of_its_own() -> None:
    assert clean_plan(["1. Click [e12]", "Step 2: Look at 3 shops", "3) Answer"]) == [
        "Click",
        "Look at 3 shops",
        "Answer",
    ]


def test_progress_counts_from_the_plan_and_repeats_nothing() -> None:
    progress = next_progress(None, ["a", "b"], step=2, done="looked", blocked=None)
    assert progress == PlanProgress(current=1, done=("looked",))
    again = next_progress(progress, ["a", "b"], step=9, done="looked", blocked="no price")
    assert again == PlanProgress(current=1, done=("looked",), blocked=("no price",))
    assert next_progress(progress, [], step=None, done=None, blocked=None).current == 0


PAGE = PageWords(eids=frozenset({"e3", "e4", "e12", "e13"}))


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Click e12 to sort", "Click to sort"),
        ("click the button e12", "click the button"),
        ("e12 button opens the menu", "button opens the menu"),
        ("Fill in e3, e4 and e13, then submit", "Fill in , then submit"),
        ("Нажать e12", "Нажать"),
        ("Кликнуть по кнопке e12 и ждать", "Кликнуть по кнопке и ждать"),
        ("Hidden behind e12 there is a price", "Hidden behind e12 there is a price"),
        ("Click e99", "Click e99"),
        ("Click E12", "Click E12"),
        ("White plays e4, Black answers e5", "White plays e4, Black answers e5"),
        ("The knight on e4 is pinned", "The knight on e4 is pinned"),
        ("Ферзь идёт на поле e4", "Ферзь идёт на поле e4"),
    ],
)
def test_a_bare_eid_is_taken_out_where_it_is_known_and_aimed_at(written: str, kept: str) -> None:
    assert clean_fact(written, PAGE) == kept


def test_what_the_page_or_the_person_calls_so_is_no_eid() -> None:
    square = Element(eid="e4", ref="r", role="button", name="Square e4")
    chess = Observation(page=Page(url="https://chess.example/", title=""), interactive=(square,))
    plain = Observation(page=chess.page, interactive=(Element(eid="e4", ref="r", role="button", name="Go"),))
    assert clean_plan(["Click e4"], page_words(chess)) == ["Click e4"]
    assert clean_plan(["Click e4 now"], page_words(plain)) == ["Click now"]
    assert clean_plan(["Click e4 now"], page_words(plain, task="open with e4")) == ["Click e4 now"]


BLOCK = (
    "The Amber kettle is made of brushed steel and boils one litre of water in two minutes; it switches itself off, "
    "has a lid that locks, and its handle stays cool even when the water boils for a long time. It costs €43.90."
)
SHOP = Observation(
    page=Page(url="https://a/", title=""), text_blocks=("Kettles", BLOCK, "水" * 30 + "壶" * 30)
)


def test_a_long_passage_of_the_page_is_cut_to_its_beginning() -> None:
    fact = clean_fact(f"The page says: {BLOCK} Fine.", page_words(SHOP))
    assert fact.startswith("The page says: The Amber kettle is made of brushed steel")
    assert fact.endswith("… Fine.")
    assert "€43.90" not in fact
    assert len(fact) < 150
    assert len(clean_fact("水" * 30 + "壶" * 30, page_words(SHOP))) <= 41


def test_a_passage_read_beside_an_element_is_page_text_too() -> None:
    empty = Observation(page=SHOP.page)
    assert len(clean_fact(BLOCK, page_words(empty))) == len(BLOCK)
    assert len(clean_fact(BLOCK, page_words(empty, reading=BLOCK.upper()))) <= 121


@pytest.mark.parametrize(
    "finding",
    [
        "The Amber kettle is made of brushed steel; it costs €43.90 and boils a litre in two minutes.",
        "It switches itself off, has a lid that locks, and its handle stays cool.",
        "Amber: 1 l in 2 min, €43.90. "
        + "Own words about many other things, more than the page has of them. " * 3,
    ],
)
def test_names_prices_and_own_words_stay_as_they_are(finding: str) -> None:
    assert clean_fact(finding, page_words(SHOP)) == finding.strip()


@pytest.mark.parametrize(
    ("given", "task", "whole"),
    [
        ([], "find it", ["Look at the page", "Do what is asked and check it", "Give the answer"]),
        ([], "найди чайник", ["Посмотреть страницу", "Сделать, что нужно, и проверить", "Дать ответ"]),
        (["Search"], "find it", ["Search", "Do what is asked and check it", "Give the answer"]),
        (["Answer"], "find it", ["Look at the page", "Do what is asked and check it", "Answer"]),
        (["Search", "Tell the price"], "x", ["Search", "Do what is asked and check it", "Tell the price"]),
        (["Search", "Compare", "Buy"], "купи", ["Search", "Compare", "Buy", "Дать ответ"]),
        (["1", "2", "3", "4", "5", "6"], "x", ["1", "2", "3", "4", "5", "Give the answer"]),
        (["Открыть", "Сравнить", "Сообщить цену"], "найди", ["Открыть", "Сравнить", "Сообщить цену"]),
        (["打开", "比较", "回答"], "x", ["打开", "比较", "回答"]),
    ],
)
def test_a_plan_has_three_items_and_ends_with_the_answer(
    given: list[str], task: str, whole: list[str]
) -> None:
    assert whole_plan(clean_plan(given), task) == whole
