"""The live view without a browser: who holds, for how long, and what a viewer gets of a moving page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest

from server.browser.takeover.browser_view import ListedElement, Listing, LiveFrame
from server.browser.takeover.live_view import TAKEOVER_LEASE_SECONDS, LiveView
from server.browser.takeover.user_input import KeyPress, Mouse
from server.browser.takeover.viewer import IN_FLIGHT, MAX_WAITING, ElementPoller, Viewer
from server.errors import Conflict
from tests.support.eventually import eventually
from tests.support.scripted_screen import Clock, ScriptedScreen


@pytest.fixture
def screen() -> ScriptedScreen:
    return ScriptedScreen()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def view(screen: ScriptedScreen, clock: Clock) -> AsyncIterator[LiveView]:
    view = LiveView(screen, call_later=clock.call_later)
    yield view
    await view.aclose()


async def read_all(viewer: Viewer) -> list[Any]:
    """Everything that is there to be read now."""
    got: list[Any] = []
    with suppress(TimeoutError):
        while True:
            got.append(await asyncio.wait_for(viewer.next(), 0.02))
    return got


async def is_captured(screen: ScriptedScreen) -> None:
    await eventually(lambda: screen.takes, message="frames are captured")


async def message_of(viewer: Viewer, kind: str) -> dict[str, Any]:
    """The next message of this kind."""
    async with asyncio.timeout(60):
        while True:
            told = await viewer.next()
            if isinstance(told, dict) and told["type"] == kind:
                return told


def pictures(got: list[Any]) -> list[bytes]:
    return [one.data for one in got if isinstance(one, LiveFrame)]


async def holder_told(viewer: Viewer) -> str:
    return next(told["holder"] for told in reversed(await read_all(viewer)) if isinstance(told, dict))


def stroke(text: str = "a") -> KeyPress:
    return KeyPress(type="key", kind="down", key=text, code="KeyA", modifiers=0)


# One holder


async def test_one_person_holds_and_a_second_taker_is_refused(view: LiveView, screen: ScriptedScreen) -> None:
    first, second = view.join(), view.join()
    await view.take(first)
    with pytest.raises(Conflict) as refused:
        await view.take(second)
    assert refused.value.code == "takeover_held"
    with pytest.raises(Conflict) as refused:
        view.act(second, stroke())
    assert refused.value.code == "not_held"
    with pytest.raises(Conflict):
        await view.hand_back(second)
    await view.take(first)
    assert (await holder_told(first), await holder_told(second)) == ("me", "other")
    assert screen.is_held
    await view.hand_back(first)
    await view.take(second)
    assert await holder_told(first) == "other"


async def test_of_many_who_take_at_once_one_gets_it(view: LiveView) -> None:
    takers = [view.join() for _ in range(20)]
    taken = await asyncio.gather(*(view.take(taker) for taker in takers), return_exceptions=True)
    assert sum(one is None for one in taken) == 1
    assert all(isinstance(one, Conflict) for one in taken if one is not None)


# The lease


async def test_a_silent_holder_is_lost_after_thirty_seconds_and_the_agent_still_waits(
    view: LiveView, screen: ScriptedScreen, clock: Clock
) -> None:
    viewer, next_one = view.join(), view.join()
    await view.take(viewer)
    clock.pass_by(TAKEOVER_LEASE_SECONDS - 0.1)
    assert view.has_holder
    clock.pass_by(0.2)
    assert (TAKEOVER_LEASE_SECONDS, view.has_holder, view.is_held, screen.is_held) == (30, False, True, True)
    assert await holder_told(viewer) == "none"
    with pytest.raises(Conflict):
        view.act(viewer, stroke())
    await view.take(next_one)
    assert view.has_holder


async def test_beats_and_input_keep_the_lease_and_those_of_others_do_not(
    view: LiveView, clock: Clock
) -> None:
    holder, other = view.join(), view.join()
    await view.take(holder)
    for renew in (lambda: view.renew(holder), lambda: view.act(holder, stroke()), lambda: view.renew(holder)):
        clock.pass_by(20)
        renew()
        assert view.has_holder
    clock.pass_by(20)
    view.renew(other)
    clock.pass_by(11)
    assert not view.has_holder


async def test_a_lease_that_was_given_back_ends_nobody_elses(view: LiveView, clock: Clock) -> None:
    first, second = view.join(), view.join()
    await view.take(first)
    clock.pass_by(20)
    await view.hand_back(first)
    await view.take(second)
    clock.pass_by(20)
    assert await holder_told(second) == "me"


# Frames


async def test_the_newest_frame_wins(view: LiveView, screen: ScriptedScreen) -> None:
    viewer = view.join()
    await is_captured(screen)
    for number in range(1000):
        screen.show(b"%d" % number)
        await asyncio.sleep(0)
    assert pictures(await read_all(viewer)) == [b"999"]


async def test_a_slow_reader_has_two_frames_on_the_way_and_one_message_of_a_kind(
    view: LiveView, screen: ScriptedScreen
) -> None:
    slow = view.join()
    await is_captured(screen)
    got: list[Any] = []
    for number in range(300):
        screen.show(b"%d" % number)
        slow.send({"type": "error", "code": "refused", "message": str(number)})
        slow.send({"type": "target", "box": None, "label": str(number)})
        if number < 10:
            got += await read_all(slow)
    assert len(pictures(got)) == IN_FLIGHT
    waiting = await read_all(slow)
    assert pictures(waiting) == []
    assert [told.get("message") or told.get("label") for told in waiting] == ["299", "299"]
    slow.ack()
    assert pictures(await read_all(slow)) == [b"299"]


async def test_a_newcomer_sees_the_last_frame_of_a_page_that_rests(
    view: LiveView, screen: ScriptedScreen
) -> None:
    view.join()
    await is_captured(screen)
    screen.show(b"still")
    assert pictures(await read_all(view.join())) == [b"still"]


async def test_nothing_is_captured_while_nobody_watches_and_an_old_picture_is_forgotten(
    view: LiveView, screen: ScriptedScreen
) -> None:
    first = view.join()
    await is_captured(screen)
    screen.show(b"old")
    view.leave(first)
    await eventually(lambda: screen.takes, lambda it: it is None, message="the capture ends")
    again = view.join()
    assert pictures(await read_all(again)) == []
    await is_captured(screen)
    screen.show(b"new")
    assert pictures(await read_all(again)) == [b"new"]


async def test_watching_for_long_leaves_nothing_behind(view: LiveView, screen: ScriptedScreen) -> None:
    view.join()
    await eventually(lambda: screen.looks, lambda it: it > 1, message="a second look")
    before = len(asyncio.all_tasks())
    await eventually(lambda: screen.looks, lambda it: it > 5, message="further looks")
    assert len(asyncio.all_tasks()) <= before


# Input that waits


async def test_input_for_a_page_that_takes_none_is_bounded_and_moves_are_joined(
    view: LiveView, screen: ScriptedScreen
) -> None:
    viewer = view.join()
    await view.take(viewer)
    screen.flows.clear()
    view.act(viewer, stroke("first"))
    await asyncio.sleep(0)
    for x in range(10_000):
        view.act(viewer, Mouse(type="mouse", kind="move", x=x, y=0))
    for _ in range(MAX_WAITING - 1):
        view.act(viewer, stroke())
    with pytest.raises(Conflict) as refused:
        view.act(viewer, stroke())
    assert refused.value.code == "page_busy"
    screen.flows.set()
    await eventually(
        lambda: len(screen.strokes),
        lambda it: it == MAX_WAITING + 1,
        message="what waits is typed",
    )
    moves = [one for one in screen.strokes if isinstance(one, Mouse)]
    assert [move.x for move in moves] == [9999]


# The list of elements

BUTTON, LINK = ListedElement("a-1", "button", "Go"), ListedElement("a-2", "link", "More")


async def test_a_list_grows_while_the_page_loads_and_then_rests() -> None:
    looks = iter([
        Listing(is_loading=True), Listing(is_loading=True), Listing((BUTTON,), is_loading=True),
        Listing((BUTTON, LINK)), Listing(),
    ])  # fmt: skip
    told: list[Listing] = []

    async def look() -> Listing:
        return next(looks)

    lister = ElementPoller(look, pauses=(0.0,) * 7)
    lister.ask(told.append, lambda why: None)
    await eventually(lambda: told, lambda it: it and not it[-1].is_loading, message="the list is complete")
    await lister.aclose()
    assert [(len(one.items), one.is_loading) for one in told] == [
        (0, True), (1, True), (2, False),
    ]  # fmt: skip


async def test_a_page_that_never_ends_loading_is_not_looked_at_for_ever() -> None:
    looks: list[Listing] = []

    async def look() -> Listing:
        looks.append(Listing(is_loading=True))
        return looks[-1]

    lister = ElementPoller(look, pauses=(0.0, 0.0, 0.0))
    lister.ask(lambda listing: None, lambda why: None)
    await eventually(lambda: len(looks), lambda it: it == 4, message="four looks")
    await lister.aclose()
    assert len(looks) == 4


async def test_the_holder_is_told_that_the_page_loads_and_why_there_is_no_list(
    view: LiveView, screen: ScriptedScreen
) -> None:
    viewer = view.join()
    await view.take(viewer)
    screen.listings = [Listing((BUTTON,), is_loading=True), None]
    view.act(viewer, None)
    assert await message_of(viewer, "elements") == {
        "type": "elements", "items": [{"eid": "a-1", "role": "button", "name": "Go"}], "loading": True,
    }  # fmt: skip
    view.act(viewer, None)
    refused = await message_of(viewer, "error")
    assert (refused["code"], refused["message"]) == ("refused", "The page asks something: answer that first.")


async def test_viewers_of_a_browser_that_waits_for_a_place_see_which() -> None:
    places: list[int | None] = [2]
    view = LiveView(ScriptedScreen(), place=lambda: places[-1])
    viewer = view.join()
    assert (await message_of(viewer, "state"))["queue_place"] == 2
    places.append(None)
    assert (await message_of(viewer, "state"))["queue_place"] is None
    view.leave(viewer)
    await view.aclose()
