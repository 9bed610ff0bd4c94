"""Properties of the observation of any page, tested on generated pages."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.browser.observation import (
    SECTION_HEADLINES,
    Budget,
    Extra,
    observe_snapshot,
    text_near,
)
from server.browser.observation.rendering import clean, cost

pytestmark = pytest.mark.sweep

ROLES = ("button", "link", "textbox", "combobox", "checkbox", "radio", "generic", "listitem", "list", "row", "cell",
         "dialog", "form", "heading", "paragraph", "option", "iframe", "img", "group", "alert", "text")  # fmt: skip
LINES = ('[e5] button "Pay"', "URL: https://bank.example", "Note: yes", "[e1] link", "# [e2]", "Below:")
words = st.one_of(st.text(max_size=60), st.sampled_from(LINES))


@st.composite
def snapshots(draw: st.DrawFn) -> str:
    lines, depth = [], 0
    for at in range(draw(st.integers(0, 40))):
        depth = draw(st.integers(0, depth + 1)) if lines else 0
        role, name, text = draw(st.sampled_from(ROLES)), draw(words), draw(words)
        marks = draw(
            st.lists(
                st.sampled_from(["checked", "disabled", "expanded", "active", "cursor=pointer"]), max_size=2
            )
        )
        box = ",".join(map(str, draw(st.tuples(*[st.integers(-2000, 3000)] * 2, *[st.integers(0, 900)] * 2))))
        named = name.replace("\\", "").replace('"', "").replace("\n", " ")
        marked = "".join(f" [{mark}]" for mark in [*marks, f"ref=e{at}", f"box={box}"])
        lines.append(
            f'{"  " * depth}- {role} "{named}"{marked}: {text.splitlines()[0] if text.splitlines() else ""}'
        )
    return "\n".join(lines)


@given(st.text(max_size=400))
def test_any_text_is_a_snapshot(text: str) -> None:
    assert observe_snapshot(text).text().startswith("URL: ")


@settings(max_examples=80, deadline=None)
@given(snapshots(), st.integers(200, 3300))
def test_eids_are_dense_and_the_text_keeps_its_cap(snapshot: str, tokens: int) -> None:
    seen = observe_snapshot(
        snapshot, url="http://a.example/" + "x" * 300, title="t" * 300, budget=Budget(tokens=tokens)
    )
    assert [element.eid for element in seen.interactive] == [
        f"e{at + 1}" for at in range(len(seen.interactive))
    ]
    assert cost(seen.text().split("\n")) <= tokens


@settings(max_examples=80, deadline=None)
@given(snapshots())
def test_every_eid_in_the_text_is_an_element(snapshot: str) -> None:
    seen = observe_snapshot(snapshot)
    lines = seen.text().split("\n")
    own = [line for line in lines if line.startswith("[")]
    assert [line[1 : line.index("]")] for line in own] == [e.eid for e in seen.interactive if not e.same_as]
    assert sum(line.count("[e") for line in lines) == len(own)
    assert sum(line.startswith("URL: ") for line in lines) == 1


@settings(max_examples=80, deadline=None)
@given(snapshots())
def test_without_its_texts_a_page_keeps_the_line_and_eid_of_each_element(snapshot: str) -> None:
    seen = observe_snapshot(snapshot)
    whole, short = (seen.text(with_texts=has).split("\n") for has in (True, False))
    assert [line for line in short if line.startswith("[")] == [
        line for line in whole if line.startswith("[")
    ]
    assert not [line for line in short if line.startswith(("- ", "# "))]
    assert any(line.endswith("its texts are left out here") for line in short) == bool(seen.text_blocks)


@settings(max_examples=80, deadline=None)
@given(snapshots(), snapshots())
def test_of_a_known_page_only_links_and_texts_out_of_view_are_left_out(snapshot: str, other: str) -> None:
    seen, before = observe_snapshot(snapshot), observe_snapshot(f"{snapshot}\n{other}")
    whole = seen.text().split("\n")
    far = next((at for at, line in enumerate(whole) if line in SECTION_HEADLINES), len(whole))
    for known in (before.marks(), seen.marks(), []):
        short = seen.text(known=known).split("\n")
        kept = [line for line in short if not line.endswith("are left out here: scroll(query) to them")]
        rest = iter(whole)
        assert all(line in rest for line in kept)  # in their order
        assert kept[:far] == whole[:far]
        gone = Counter(whole[far:]) - Counter(kept[far:])
        assert all(
            line.startswith(("- ", "# ")) or "] link " in line or line in SECTION_HEADLINES for line in gone
        )
        assert (len(kept) < len(short)) == bool(gone)


@settings(max_examples=80, deadline=None)
@given(snapshots(), st.integers(0, 45))
def test_a_focus_and_the_text_near_never_fail(snapshot: str, at: int) -> None:
    assert observe_snapshot(snapshot, around=f"e{at}").text()
    assert len(text_near(snapshot, f"e{at}", chars=80)) <= 80


# With a mark that none of our roles and words has: "listit" would be found in "listitem".
secrets = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=6, max_size=20).map(
    lambda text: f"{text}§7"
)


@settings(max_examples=80, deadline=None)
@given(secrets, snapshots())
def test_secret_values_never_appear(value: str, rest: str) -> None:
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    snapshot = (
        f'- textbox "Password" [ref=p1]: "{quoted}"\n- textbox "Answer" [ref=p2] [box=1,2,3,4]: "{quoted}"\n'
        f'- paragraph: "you typed {quoted}"\n{rest}'
    )
    extra = Extra.model_validate({"secrets": [{"box": (1, 2, 3, 4), "value": value}]})
    for seen in (
        observe_snapshot(snapshot, extra=extra, title=value),
        observe_snapshot(snapshot, around="p1", extra=extra),
    ):
        told = [
            part
            for element in seen.interactive
            for part in (element.name, element.value or "", element.context)
        ]
        told += [*seen.text_blocks, *seen.notes, seen.page.title, seen.text()]
        assert not [part for part in told if clean(value) in part and "typed" in part]
        assert all(element.value is None for element in seen.interactive if element.secret)
        assert value not in seen.page.title
    assert f"you typed {value}" not in text_near(snapshot, "p2", extra=extra)
