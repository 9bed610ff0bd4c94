"""A text is found on a page wherever it is, in the snapshot that the tool server gives."""

from __future__ import annotations

import pytest

from server.browser.observation import find_place

VIEWPORT = (1280, 720)
ROWS = "\n".join(
    f"""  - row "{name} 12 €" [ref=r{at}] [box=0,{at * 300},600,40]:
    - cell "{name}" [ref=c{at}] [box=0,{at * 300},300,40]
    - cell [ref=d{at}] [box=300,{at * 300},300,40]:
      - text: "12"
      - strong: €"""
    for at, name in enumerate(("Anna Low", "Bruno May", "Clara  Orr", "Anna Low"))
)
PAGE = f"""- table [ref=t] [box=0,0,600,1200]:
{ROWS}
- textbox "Code" [ref=f] [box=0,1300,200,20]: hunter2"""


@pytest.mark.parametrize(
    ("query", "ref"),
    [
        ("clara orr", "c2"),
        ("Bruno May 12 €", "r1"),
        ("12 €", "d2"),
        ("Code", "f"),
        ("hunter2", None),
        ("Dora", None),
        ("  ", None),
    ],
)
def test_the_innermost_element_with_the_words_is_found_but_no_value_of_a_field(
    query: str, ref: str | None
) -> None:
    place = find_place(PAGE, query, VIEWPORT)
    assert (place.ref if place else None) == ref


def test_the_next_place_comes_before_those_passed_and_after_the_last_the_first_again() -> None:
    assert (ahead := find_place(PAGE, "Anna Low", VIEWPORT)) is not None
    assert (ahead.ref, ahead.seen) == ("c3", False)
    assert (behind := find_place(PAGE, "Anna Low", VIEWPORT, backwards=True)) is not None
    assert (behind.ref, behind.seen) == ("c0", True)
    passed = PAGE.replace("box=0,900", "box=0,10")
    assert (first := find_place(passed, "Anna Low", VIEWPORT)) is not None
    assert first.ref == "c0"
