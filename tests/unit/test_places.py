import asyncio

import pytest

from server.browser.slots import Slots


async def waiter(places: Slots, name: str) -> asyncio.Task[None]:
    task = asyncio.create_task(places.enter(name))
    await asyncio.sleep(0)
    assert places.place_of(name)
    return task


async def test_who_comes_first_is_served_first():
    places = Slots(1)
    await places.enter("a")
    waiting = [await waiter(places, name) for name in "bcd"]
    assert [places.place_of(name) for name in "abcd"] == [None, 1, 2, 3]
    places.leave("a")
    await waiting[0]
    assert [places.place_of(name) for name in "bcd"] == [None, 1, 2]
    places.leave("b")
    places.leave("c")
    await asyncio.gather(*waiting)


async def test_a_holder_that_enters_again_takes_no_second_place():
    places = Slots(2)
    for _ in range(3):
        await places.enter("a")
    await asyncio.wait_for(places.enter("b"), 60)


async def test_nobody_passes_those_who_wait():
    places = Slots(1)
    await places.enter("a")
    first = await waiter(places, "b")
    places.leave("a")
    second = asyncio.create_task(places.enter("c"))
    await first
    assert places.place_of("c") == 1 or not second.done()
    places.leave("b")
    await asyncio.wait_for(second, 60)


async def test_more_places_let_those_who_wait_in_and_fewer_take_none_away():
    places = Slots(1)
    await places.enter("a")
    first, second = await waiter(places, "b"), await waiter(places, "c")
    places.resize(2)
    await asyncio.wait_for(first, 60)
    places.resize(1)
    places.leave("a")
    assert places.place_of("c") == 1
    places.leave("b")
    await asyncio.wait_for(second, 60)


async def test_one_who_gives_up_waiting_leaves_the_queue():
    places = Slots(1)
    await places.enter("a")
    first, second = await waiter(places, "b"), await waiter(places, "c")
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert places.place_of("c") == 1
    places.leave("a")
    await asyncio.wait_for(second, 60)
    assert not places.is_crowded


async def test_a_place_given_to_one_who_just_gave_up_goes_to_the_next():
    places = Slots(1)
    await places.enter("a")
    first, second = await waiter(places, "b"), await waiter(places, "c")
    places.leave("a")
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    await asyncio.wait_for(second, 60)


async def test_each_hears_its_place_whenever_it_changes():
    heard: list[tuple[str, int | None]] = []
    places = Slots(1, lambda name, place: heard.append((name, place)))
    await places.enter("a")
    first, second = await waiter(places, "b"), await waiter(places, "c")
    assert heard == [("b", 1), ("c", 2)]
    heard.clear()
    first.cancel()
    await asyncio.wait({first})
    assert heard == [("b", None), ("c", 1)]
    places.leave("a")
    await second
    assert heard[2:] == [("c", None)]


async def test_there_is_room_for_holders_and_while_nobody_waits():
    places = Slots(1)
    assert places.has_room("a")
    await places.enter("a")
    assert places.has_room("a")
    assert not places.has_room("b")
