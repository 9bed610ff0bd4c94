"""No word that a person can read in the window is missing from an observation."""

import time
from collections import Counter

import pytest

from bench.observation.__main__ import in_window, words_of
from server.browser.observation import DEFAULT_BUDGET, Extra, Observation, observe_snapshot, text_near
from server.browser.observation.page_script import Clickable, SecretField, VisibleText
from server.browser.observation.rendering import cost
from tests.support.observations import load_shot, observe_shot, shot_names


def lines_of(seen: Observation) -> list[str]:
    return seen.text().splitlines()[1:]


def told(*texts: tuple[str, tuple[int, int, int, int]], all_texts: bool = True) -> Extra:
    """A result of the page script: texts and their boxes, each in a block of its own."""
    pieces = (VisibleText(box=box, text=text, block=at) for at, (text, box) in enumerate(texts))
    return Extra(texts=tuple(pieces), all_texts=all_texts)


def test_a_paragraph_in_view_is_whole_and_one_out_of_view_is_cut() -> None:
    words = " ".join(f"word{at}" for at in range(100))
    seen = observe_snapshot(
        f"- paragraph [ref=e1] [box=0,0,900,90]: {words} here\n- paragraph [ref=e2] [box=0,900,900,90]: {words} there"
    )
    here, below, there = lines_of(seen)
    assert here == f"- {words} here"
    assert below == "Below:"
    assert there.endswith("…")


def test_a_heading_that_is_not_painted_does_not_speak_for_a_control() -> None:
    snapshot = (
        '- heading "Filters" [ref=h] [box=0,0,100,20]\n- paragraph [ref=p] [box=0,30,100,20]: Costs €5\n'
        '- paragraph [ref=q] [box=0,60,100,20]: Costs €9\n- button "Apply" [ref=b] [box=0,90,100,20]'
    )
    painted = told(("Filters", (0, 0, 100, 20)), ("Costs €9", (0, 60, 100, 20)), ("Apply", (0, 90, 100, 20)))
    unpainted = told(("Costs €9", (0, 60, 100, 20)), ("Apply", (0, 90, 100, 20)))
    contexts = [
        observe_snapshot(snapshot, extra=extra).interactive[0].context for extra in (painted, unpainted)
    ]
    assert contexts == ["Filters", ""]
    assert observe_snapshot(snapshot, extra=unpainted).hidden == ("Costs €5",)


def test_a_paragraph_that_names_a_field_is_told_as_often_as_it_is_there() -> None:
    words = "Tell us what you think of us. " * 20
    snapshot = (
        f"- generic [ref=e1] [box=0,0,900,300]:\n  - paragraph [ref=e2] [box=0,0,900,90]: {words.strip()}\n"
        "  - textbox [ref=e3] [box=0,100,200,20]"
    )
    seen = observe_snapshot(snapshot)
    assert lines_of(seen)[0] == f"- {words.strip()}"
    short = observe_snapshot(snapshot.replace(words.strip(), "Your name:"))
    assert lines_of(short) == ['[e1] textbox "Your name"']


def test_the_label_of_a_choice_is_not_taken_for_that_of_the_next_one() -> None:
    rows = "\n".join(
        f'  - radio "{name}" [ref=e{at}] [box=0,{30 * at},13,13]\n  - generic [ref=l{at}] [box=20,{30 * at},200,20]: {name}'
        for at, name in enumerate(("Disabled", "Disabled checked"))
    )
    texts = [
        VisibleText(box=(20, 30 * at, 200, 20), text=name, block=at)
        for at, name in enumerate(("Disabled", "Disabled checked"))
    ]
    seen = observe_snapshot(
        f"- generic [ref=g] [box=0,0,300,90]:\n{rows}", extra=Extra(texts=tuple(texts), all_texts=True)
    )
    assert [one.name for one in seen.interactive] == ["Disabled", "Disabled checked"]
    assert seen.text_blocks == ()


def test_a_heading_is_no_label_of_a_field_that_says_more() -> None:
    snapshot = """- heading "Search" [level=3] [ref=e1] [box=0,0,300,26]
- textbox "Search for..." [ref=e2] [box=0,30,278,34]"""
    seen = observe_snapshot(snapshot, extra=told(("Search", (0, 0, 76, 26))))
    assert seen.text_blocks == ("# Search",)


def test_a_cell_that_says_what_a_field_is_called_keeps_its_place_in_the_table() -> None:
    seen = observe_snapshot("""- generic [ref=e1] [box=0,0,900,300]:
  - text: Total
  - textbox "Total" [ref=e2] [box=0,10,200,20]
  - table [ref=e3] [box=0,40,900,40]:
    - row [ref=e4] [box=0,40,900,20]:
      - cell "Total" [ref=e5] [box=0,40,90,20]
      - cell "17 €" [ref=e6] [box=90,40,90,20]""")
    assert lines_of(seen) == ['[e1] textbox "Total"', "- Total | 17 €"]


def test_a_long_value_in_view_is_whole() -> None:
    value = " ".join(f"word{at}" for at in range(60))
    seen = observe_snapshot(f'- textbox "Note" [ref=e1] [box=0,0,900,90]: {value}')
    assert seen.interactive[0].value == value


def test_of_a_value_all_that_its_field_can_show_is_told() -> None:
    value = " ".join(f"word{at}" for at in range(250))
    values = [
        observe_snapshot(f'- textbox "Note" [ref=e1] [box=0,0,{size}]: {value}').interactive[0].value or ""
        for size in ("900,20", "900,300")
    ]
    assert (len(values[0]), values[1]) == (1000, value)


def test_what_is_on_the_page_twice_is_told_twice() -> None:
    rows = "\n".join(f"- paragraph [ref=e{at}] [box=0,{at * 20},90,20]: Sold out" for at in range(2))
    assert " ".join(lines_of(observe_snapshot(rows))).count("Sold out") == 2


def test_visible_text_under_another_label_is_told_with_it() -> None:
    snapshot = '- button "Step 1" [ref=e1] [box=0,0,90,20]'
    seen = observe_snapshot(snapshot, extra=told(("Address and city", (5, 2, 80, 16))))
    assert lines_of(seen) == ['[e1] button "Step 1"', "- Address and city"]


def test_words_that_a_snapshot_joins_are_told_apart() -> None:
    snapshot = "- generic [ref=e1] [box=0,0,900,20]: Ann LowYour order4 May"
    pieces = [("Ann Low", (0, 0, 90, 20)), ("Your order", (200, 0, 90, 20)), ("4 May", (400, 0, 90, 20))]
    seen = observe_snapshot(snapshot, extra=told(*pieces))
    assert lines_of(seen) == ["- Ann Low | Your order | 4 May"]
    inside = Extra(
        texts=(
            VisibleText(box=(0, 0, 90, 20), text="Half", block=1),
            VisibleText(box=(90, 0, 9, 20), text=", done", block=1, tight=True),
        )
    )
    seen = observe_snapshot("- generic [ref=e1] [box=0,0,900,20]: Half, done", extra=inside)
    assert lines_of(seen) == ["- Half, done"]


def test_equal_texts_are_told_where_they_stand() -> None:
    snapshot = "\n".join(
        f'- button "B{at}" [ref=b{at}] [box=0,{at * 100},90,20]\n- generic [ref=g{at}] [box=0,{at * 100 + 50},90,20]: "1"'
        for at in range(3)
    )
    seen = observe_snapshot(snapshot, extra=told(("1", (0, 250, 9, 20))))
    assert [line for line in lines_of(seen) if line.startswith("- ")] == ["- 1"]
    assert lines_of(seen)[-1] == "- 1"


def test_hidden_text_in_the_window_gives_way_to_what_is_visible() -> None:
    hidden = "\n".join(
        f"- paragraph [ref=h{at}] [box=0,0,1,1]: hidden {at} {'some more words ' * 12}" for at in range(60)
    )
    visible = [(f"visible {at} {'some more words ' * 12}".strip(), (0, at * 10, 900, 9)) for at in range(60)]
    shown = "\n".join(
        f"- paragraph [ref=v{at}] [box=0,{at * 10},900,9]: {text}" for at, (text, _) in enumerate(visible)
    )
    seen = observe_snapshot(f"{hidden}\n{shown}", extra=told(*visible))
    assert all(f"visible {at} " in seen.text() for at in range(60))
    assert "hidden" not in seen.text()


def test_text_that_has_moved_since_the_snapshot_is_told_once() -> None:
    snapshot = (
        '- generic [ref=e1] [box=0,0,900,200]:\n  - heading "Offer" [ref=e2] [box=300,10,200,20]\n'
        '  - paragraph [ref=e3] [box=300,40,200,20]: Half price\n  - button "Buy" [ref=e4] [box=300,70,50,20]'
    )
    still = observe_snapshot(
        snapshot,
        extra=told(
            ("Offer", (300, 10, 50, 20)), ("Half price", (300, 40, 90, 20)), ("Buy", (310, 70, 30, 20))
        ),
    )
    moved = observe_snapshot(
        snapshot,
        extra=told(("Offer", (20, 10, 50, 20)), ("Half price", (20, 40, 90, 20)), ("Buy", (30, 70, 30, 20))),
    )
    assert lines_of(still) == ["# Offer", "- Half price", '[e1] button "Buy"']
    assert lines_of(moved) == lines_of(still)


def test_text_that_no_snapshot_has_is_not_taken_for_a_part_of_another() -> None:
    snapshot = (
        "- generic [ref=e1] [box=0,0,900,200]:\n"
        "  - generic [ref=e2] [box=300,10,200,20] [cursor=pointer]: Tea for two"
    )
    texts = told(("Tea", (20, 100, 50, 20)), ("Tea for two", (300, 10, 90, 20)))
    assert sorted(lines_of(observe_snapshot(snapshot, extra=texts))) == [
        "- Tea",
        '[e1] clickable "Tea for two"',
    ]


def test_a_control_that_has_moved_since_the_snapshot_is_told_once() -> None:
    snapshot = (
        "- generic [ref=e1] [box=300,10,80,20] [cursor=pointer]: Show more\n"
        "- generic [ref=e2] [box=400,10,20,20] [cursor=pointer]\n- button [ref=e3] [box=430,10,20,20]"
    )
    found = (
        Clickable(box=(250, 10, 80, 20), tag="div", name="Show more", target="css=div"),
        Clickable(box=(350, 10, 20, 20), tag="i", name="heart", target="css=i"),
        Clickable(box=(380, 10, 20, 20), tag="button", name="close", target="css=button"),
    )
    seen = observe_snapshot(snapshot, extra=Extra(clickables=found))
    assert [(one.ref, one.role, one.name) for one in seen.interactive] == [
        ("e1", "clickable", "Show more"), ("e2", "clickable", "heart"), ("e3", "button", "close"),
    ]  # fmt: skip


def test_a_control_that_only_the_page_script_finds_is_not_taken_for_another_one() -> None:
    snapshot = "- generic [ref=e1] [box=300,10,80,20] [cursor=pointer]: Show more"
    beside = Clickable(box=(100, 10, 80, 20), tag="div", name="Show less", target="css=.less")
    again = Clickable(box=(200, 10, 80, 20), tag="div", name="Show more", target="css=.more")
    there = Clickable(box=(300, 10, 80, 20), tag="div", name="Show more", target="css=.there")
    other = observe_snapshot(snapshot, extra=Extra(clickables=(beside,)))
    twice = observe_snapshot(snapshot, extra=Extra(clickables=(again, there)))
    assert [one.name for one in other.interactive] == ["Show less", "Show more"]
    assert [one.ref for one in twice.interactive] == ["css=.more", "e1"]


def test_visible_text_comes_before_controls_that_are_far_away() -> None:
    texts = "\n".join(
        f"- paragraph [ref=p{at}] [box=0,{at * 14},900,14]: {'河流市场信号' * 8}{at}" for at in range(40)
    )
    links = "\n".join(f'- link "菜单{at}" [ref=l{at}] [box=0,{900 + at * 20},90,20]' for at in range(200))
    seen = observe_snapshot(f"{links}\n{texts}")
    assert seen.text().count("河流市场信号" * 8) == 40
    assert cost(seen.text().split("\n")) <= 3300


def test_what_cannot_fit_is_cut_at_the_end_of_the_window() -> None:
    texts = "\n".join(
        f"- paragraph [ref=p{at}] [box=0,{at * 7},900,7]: {at} {'window village ' * 30}" for at in range(100)
    )
    seen = observe_snapshot(f'{texts}\n- button "Send" [ref=b] [box=0,710,90,9]')
    assert seen.text_blocks[0].startswith("0 window")
    assert seen.text_blocks[-1].startswith(f"{len(seen.text_blocks) - 1} window")
    assert [element.name for element in seen.interactive] == ["Send"]
    assert cost(seen.text().split("\n")) <= DEFAULT_BUDGET.tokens
    assert "also at the bottom of the window: scroll to them; read_page has all text" in seen.notes[-1]


def test_a_window_full_of_controls_and_text_shows_all_of_both_that_fits() -> None:
    """More controls than the observation has of an ordinary page, with text between them."""
    rows = "\n".join(
        f'- button "B{at}" [ref=b{at}] [box=0,{at * 3},50,3]\n- paragraph [ref=p{at}] [box=60,{at * 3},200,3]: t{at}'
        for at in range(180)
    )
    seen = observe_snapshot(rows)
    shown = Counter(words_of(in_window(seen.text())))
    assert all(shown[f"t{at}"] == shown[f"b{at}"] == 1 for at in range(180))
    assert not seen.notes


def test_a_window_that_cannot_be_shown_whole_loses_controls_and_text_at_its_bottom() -> None:
    rows = "\n".join(
        f'- button "Button {at}" [ref=b{at}] [box=0,{at * 3},50,3]\n'
        f"- paragraph [ref=p{at}] [box=60,{at * 3},200,3]: {at} {'window village ' * 9}"
        for at in range(200)
    )
    seen = observe_snapshot(rows)
    buttons = [element.name for element in seen.interactive]
    texts = [block.split()[0] for block in seen.text_blocks]
    assert buttons == [f"Button {at}" for at in range(len(buttons))]
    assert texts == [str(at) for at in range(len(texts))]
    costs = [
        cost([line for line in seen.text().split("\n") if line.startswith(mark)]) for mark in ("[", "- ")
    ]
    assert min(costs) > 0.4 * sum(costs)
    assert "more elements, also at the bottom of the window: scroll to them" in seen.notes[-1]
    assert cost(seen.text().split("\n")) <= DEFAULT_BUDGET.tokens


def test_visible_text_that_no_snapshot_has_is_told() -> None:
    seen = observe_snapshot("", extra=told(("One", (0, 0, 90, 20)), ("Two", (0, 400, 90, 20))))
    assert lines_of(seen) == ["- One | Two"]


def test_if_the_script_stopped_early_the_snapshot_tells_the_rest() -> None:
    snapshot = (
        "- paragraph [ref=e1] [box=0,0,90,20]: One\n- paragraph [ref=e2] [box=0,40,90,20]: " + "Two " * 90
    )
    one = ("One", (0, 0, 90, 20))
    assert "Two " * 89 in observe_snapshot(snapshot, extra=told(one, all_texts=False)).text()
    assert "Two " * 89 not in observe_snapshot(snapshot, extra=told(one)).text()


def test_visible_text_tells_no_secret_and_no_line_of_ours() -> None:
    extra = told(
        ("You typed S3cret pass!", (0, 0, 90, 20)), ('[e5] button "Pay"\nNote: yes', (0, 40, 90, 20))
    )
    extra = extra.model_copy(update={"secrets": (SecretField(box=(0, 90, 9, 9), value="S3cret pass!"),)})
    seen = observe_snapshot("- paragraph [ref=e1] [box=0,0,900,90]: x", extra=extra)
    assert "S3cret" not in seen.model_dump_json()
    assert not [line for line in lines_of(seen) if line.startswith(("[", "Note:"))]


def test_texts_of_a_hostile_page_are_placed_in_time() -> None:
    snapshot = "\n".join(f"- generic [ref=e{at}] [box=0,{at % 700},9,9]: {'a' * 9}" for at in range(10_000))
    started = time.process_time()
    assert observe_snapshot(snapshot, extra=told(*[("a" * 9, (900, 600, 9, 9))] * 1000)).text_blocks
    assert time.process_time() - started < 8


def test_a_focus_tells_the_whole_text_of_its_part() -> None:
    words = " ".join(f"word{at}" for at in range(100))
    snapshot = (
        f"- form [ref=e1] [box=0,2000,900,90]:\n  - paragraph [ref=e2] [box=0,2000,900,60]: {words}\n"
        '  - textbox "A" [ref=e3] [box=0,2060,90,20]\n  - button "B" [ref=e4] [box=0,2080,90,20]'
    )
    assert words in observe_snapshot(snapshot, around="e3").text()
    assert words not in observe_snapshot(snapshot).text()


@pytest.mark.parametrize("name", shot_names())
def test_every_word_in_view_is_told(name: str) -> None:
    in_view = Counter(words_of(" ".join(load_shot(name)["words"])))
    assert in_view - Counter(words_of(in_window(observe_shot(name).text()))) == Counter()


def test_an_icon_with_a_number_is_told_by_both() -> None:
    bell = Clickable(box=(0, 0, 40, 20), tag="a", name="bell 15", target="css=a")
    seen = observe_snapshot('- link "\uf0f3 15" [ref=e1] [box=0,0,40,20]', extra=Extra(clickables=(bell,)))
    assert seen.interactive[0].name == "bell 15"


TREES = """- table [ref=e1]:
  - row "Id Tree Place Height" [ref=e2]:
    - columnheader "Id"
    - columnheader "Tree"
    - columnheader "Place"
    - columnheader "Height"
  - row "4 Oak Castle Hill 4.7 1921 hollow" [ref=e5]:
    - cell "4"
    - cell "Oak"
    - cell "Castle Hill"
    - cell "4.7"
    - cell "1921"
    - cell "hollow"
  - row "6 Lime North Park 18.6" [ref=e6]:
    - cell "6"
    - cell "Lime"
    - cell "North Park"
    - cell "18.6"
  - row "7 Lime North Park 18.6" [ref=e7]:
    - cell "7"
    - cell "Lime"
    - cell "North Park"
    - cell "18.6"
"""


def test_a_table_is_read_with_every_value_of_every_row() -> None:
    assert text_near(TREES, "e1").splitlines()[1:] == [
        "4 | Oak | Castle Hill | 4.7 | 1921 | hollow", "6 | Lime | North Park | 18.6", "7 | Lime | North Park | 18.6",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("snapshot", "text"),
    [
        ("- code [ref=e1]:\n  - text: sum\n  - generic: (\n  - text: sum_rain\n  - generic: )\n  - text: =\n  - text: sum",
         "sum ( sum_rain ) = sum"),
        ("- list [ref=e1]:\n  - listitem: 3\n  - listitem: 13\n  - listitem: 3", "3\n13\n3"),
        ('- generic [ref=e1]:\n  - button "Save the draft":\n    - generic: Save\n  - text: Saved 12:00',
         "Save the draft Saved 12:00"),
        ('- textbox "Note" [ref=e1]: Ring twice', "Ring twice"),
    ],
)  # fmt: skip
def test_nothing_that_repeats_is_left_out_of_what_is_read(snapshot: str, text: str) -> None:
    assert text_near(snapshot, "e1") == text


def test_a_part_of_a_long_value_is_called_a_part() -> None:
    text = text_near(f'- textbox "Note" [ref=e1]: {"word " * 1400}', "e1")
    assert text.startswith("word word")
    assert text.endswith("… (a part: 7000 characters in all)")


def test_signs_of_code_are_kept_and_signs_in_the_name_of_a_link_are_not_told_twice() -> None:
    extra = Extra.model_validate({"all_texts": True, "texts": [
        {"text": part, "box": (10 + 30 * at, 0, 25, 20), "block": 1} for at, part in enumerate(("limit", "=", "40"))
    ]})  # fmt: skip
    code = """- generic [ref=e1] [cursor=pointer] [box=0,0,300,20]:
  - generic [ref=e2] [box=0,0,300,20]:
    - generic [ref=e3] [box=10,0,25,20]: limit
    - generic [ref=e4] [box=40,0,25,20]: =
    - generic [ref=e5] [box=70,0,25,20]: "40"
"""
    assert "limit = 40" in observe_snapshot(code, extra=extra).text()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Home", "View child pages of 'Home'"),
        ("Copper kettle", "More about Copper kettle"),
        ("News (3)", "News"),
    ],
)
@pytest.mark.parametrize("y", [0, 2000])
def test_links_of_one_address_keep_their_own_names_and_targets(first: str, second: str, y: int) -> None:
    seen = observe_snapshot(
        f'- link "{first}" [ref=e1] [box=0,0,50,20]:\n  - /url: /1\n- link "{second}" [ref=e2] [box=60,{y},50,20]:\n  - /url: /1'
    )
    assert [(element.name, element.ref) for element in seen.interactive] == [(first, "e1"), (second, "e2")]
    assert all(f'"{name}"' in seen.text() for name in (first, second))


FIELD = "- textbox [ref=e9] [box=0,40,90,20]"


@pytest.mark.parametrize(
    ("snapshot", "name"),
    [
        (f"- generic:\n  - paragraph: In stock (3 available)\n  {FIELD}", ""),
        (f"- generic:\n  - paragraph: \"Quantity:\"\n  {FIELD}", "Quantity"),
        (f'- generic:\n  - heading "List of issues" [level=1]\n  {FIELD}', ""),
        (f"- generic:\n  - generic: ▾\n  {FIELD}", ""),
        (f"- generic:\n  - generic: ✖\n  {FIELD}:\n    - /placeholder: Name", "Name"),
        ('- row:\n  - cell "Status"\n  - cell "urgent":\n    - combobox [ref=e9]:\n      - option "urgent" [selected]', "Status"),
        ("- generic:\n  - generic: unread\n  - combobox [ref=e9]:\n    - option \"unread\" [selected]", ""),
        ('- table:\n  - row:\n    - rowheader "Width"\n    - cell "now 5 cm"\n    - cell:\n      - textbox [ref=e9]', "Width"),
        ('- table:\n  - row:\n    - rowheader "Priority"\n    - cell "high"\n    - rowheader "Status"\n    - cell:\n      - textbox [ref=e9]', "Status"),
        ('- table:\n  - row:\n    - columnheader "Product"\n    - columnheader "Quantity"\n  - row:\n    - cell "Kettle"\n'
         "    - cell:\n      - textbox [ref=e9]", "Quantity"),
        (f"- generic:\n  - text: Name *\n  {FIELD}", "Name"),
    ],
)  # fmt: skip
def test_the_name_of_a_field_is_its_label_or_none(snapshot: str, name: str) -> None:
    (field,) = observe_snapshot(snapshot).interactive
    assert field.name == name
