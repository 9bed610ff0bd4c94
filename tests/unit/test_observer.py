"""Which pictures an observer keeps, and what it says of a page by them."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from server.agent.actions import Point, ReadFileAction
from server.agent.context import RunContext
from server.agent.operator.memory.state import PageState, RunCounts, State, TurnState
from server.agent.operator.see.observing import (
    DRAWN_SHARE,
    PICTURES_KEPT,
    Observer,
    as_shown,
    is_poor,
    known_lines,
    page_key,
    says_little,
)
from server.browser.browser import PagePicture
from server.browser.observation import Observation, Page
from server.browser.reading.reader import FilePicture
from tests.support.operator_world import Granted, Post

URL = "https://map.example/"


class Screen:
    """A browser that can only be photographed."""

    def __init__(self) -> None:
        self.picture: PagePicture | None = PagePicture(b"page", "image/jpeg", 10, 10, moment="d1:1")
        self.kept: list[PagePicture] = []

    async def screenshot(self) -> PagePicture | None:
        return self.picture

    def context(self, session_id: str = "s") -> RunContext:
        async def browser() -> Any:
            return self

        async def keep(picture: PagePicture) -> str | None:
            self.kept.append(picture)
            return f"/{session_id}.jpg"

        return RunContext(
            run_id="r", session_id=session_id, browser=browser, keep=keep, inbox=Post(), grants=Granted(),
            max_tool_steps=1,
        )  # fmt: skip


def page(moment: str = "d1:1", url: str = URL, **more: Any) -> Observation:
    return Observation(page=Page(url=url, title=""), moment=moment, **more)


def drawn(share: float, moment: str = "d1:1") -> PagePicture:
    return PagePicture(b"page", "image/jpeg", 10, 10, moment=moment, drawn=share)


async def test_a_page_that_cannot_be_photographed_has_no_picture_not_even_the_former_one() -> None:
    screen, observer = Screen(), Observer("auto", model_sees=False)
    points = [Point(x=1, y=1)]
    assert await observer.with_drawings(screen.context(), points) == points
    screen.picture = drawn(1.0)
    assert await observer.picture(screen.context())
    assert observer.described(screen.context(), page()).notes
    screen.picture = None
    assert await observer.picture(screen.context()) is None
    assert screen.kept == [drawn(1.0)]
    assert not observer.described(screen.context(), page()).notes
    assert await observer.with_drawings(screen.context(), points) == points


async def test_the_newest_pictures_of_pages_are_kept() -> None:
    screen, observer = Screen(), Observer("auto", model_sees=False)
    screen.picture = drawn(1.0)

    def kept(number: int) -> bool:
        return bool(observer.described(screen.context(f"s{number}"), page()).notes)

    for number in range(PICTURES_KEPT):
        await observer.picture(screen.context(f"s{number}"))
    assert all(map(kept, range(PICTURES_KEPT)))
    await observer.picture(screen.context(f"s{PICTURES_KEPT}"))
    assert [number for number in range(PICTURES_KEPT + 1) if not kept(number)] == [0]


async def test_the_newest_picture_files_are_kept_and_each_is_shown_after_the_act_that_read_it() -> None:
    screen, observer = Screen(), Observer("never", model_sees=False)

    async def shown(number: int, action_id: str = "a") -> str | None:
        read = State(turn=TurnState(ReadFileAction(id=action_id, file="a.png")))
        found = await observer.image(screen.context(f"s{number}"), read, page())
        assert found is None or (found.picture, found.size) == (None, (0, 0))
        return base64.b64decode(found.block["base64"]).decode() if found else None

    for number in range(PICTURES_KEPT):
        observer.show(f"s{number}", "a", FilePicture(f"file {number}".encode(), "image/png", 10, 10))
    assert [await shown(number) for number in range(PICTURES_KEPT)] == [
        f"file {number}" for number in range(PICTURES_KEPT)
    ]
    observer.show("more", "a", FilePicture(b"more", "image/png", 10, 10))
    assert [await shown(number) for number in (0, 1, PICTURES_KEPT - 1)] == [
        None,
        "file 1",
        f"file {PICTURES_KEPT - 1}",
    ]
    assert await shown(1, "another act") is None


@pytest.mark.parametrize(
    ("picture", "observation", "is_told"),
    [
        (drawn(DRAWN_SHARE), page(), True),
        (drawn(DRAWN_SHARE - 0.01), page(), False),
        (drawn(1.0), page("d1:2"), True),  # the same document, a moment later
        (drawn(1.0, moment=""), page(), True),
        (drawn(1.0), page("d2:1"), False),
        (drawn(1.0), page(url="about:blank"), False),
    ],
)
async def test_a_model_without_pictures_is_told_what_is_only_drawn_on_this_page(
    picture: PagePicture, observation: Observation, is_told: bool
) -> None:
    screen, observer = Screen(), Observer("auto", model_sees=False)
    screen.picture = picture
    await observer.picture(screen.context())
    notes = observer.described(screen.context(), observation).notes
    assert [note.startswith("drawn: ") for note in notes] == [True] * is_told


def test_a_page_is_another_one_by_its_document_or_its_path() -> None:
    assert page_key(page("d1:1")) == page_key(page("d1:2"))
    assert page_key(page("d1:1")) != page_key(page("d2:1"))
    assert page_key(page(url=f"{URL}a?q=1#x")) == page_key(page(url=f"{URL}a?q=2#y"))
    assert page_key(page(url=f"{URL}a")) != page_key(page(url=f"{URL}b"))


def test_lines_are_known_once_the_model_has_acted_since_they_were_shown() -> None:
    observation = page(text_blocks=("Opening hours",))
    shown = as_shown(State(page=PageState(observation)))
    assert shown.marks

    def known(tool_steps: int, observation: Observation) -> frozenset[str]:
        at_turn = PageState(observation, shown_lines=shown)
        return known_lines(State(page=at_turn, limits=RunCounts(tool_steps)))

    assert known(0, observation) == frozenset()
    assert known(1, observation) == frozenset(shown.marks)
    assert known(1, page("d2:1")) == frozenset()


def test_an_empty_tab_has_nothing_to_show() -> None:
    assert not says_little(page(url="about:blank"), drawn(1.0))
    assert not is_poor(page(url="about:blank"))
    assert is_poor(page())
    assert says_little(page(), drawn(0.0))
