"""Facts are merged, never repeated, never tied to the ids of a page."""

from server.agent.operator.facts import FACT_CHARS, clean_fact, clean_plan, merge_facts, next_progress

AT = "2026-11-21T10:00:00+00:00"


def test_facts_are_appended_with_their_page_and_time() -> None:
    known = merge_facts([], ["A costs 5"], "https://a/", AT)
    assert merge_facts(known, ["B costs 7"], "https://b/", AT) == [
        {"fact": "A costs 5", "url": "https://a/", "at": AT},
        {"fact": "B costs 7", "url": "https://b/", "at": AT},
    ]


def test_a_fact_is_not_repeated_in_other_letters() -> None:
    known = merge_facts([], ["A costs 5"], "https://a/", AT)
    assert merge_facts(known, ["a  COSTS 5.", "A costs 5"], "https://b/", AT) == known


def test_a_fuller_wording_takes_the_place_of_the_shorter() -> None:
    known = merge_facts([], ["A costs 5", "C is red"], "https://a/", AT)
    texts = [fact["fact"] for fact in merge_facts(known, ["A costs 5 EUR with delivery"], "https://b/", AT)]
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
    assert flooded[0]["fact"] == "A costs 5"
    assert len(flooded) == 21
    echoed = [fact["fact"] for fact in flooded]
    assert merge_facts(flooded, [*echoed, "B costs 7"], "u", AT)[-1]["fact"] == "B costs 7"


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
    progress = next_progress({}, ["a", "b"], step=2, done="looked", blocked=None)
    assert progress == {"current": 1, "done": ["looked"], "blocked": []}
    again = next_progress(progress, ["a", "b"], step=9, done="looked", blocked="no price")
    assert again == {"current": 1, "done": ["looked"], "blocked": ["no price"]}
    assert next_progress(progress, [], step=None, done=None, blocked=None)["current"] == 0
