"""Joined text: the first delta at once, the next ones together, all in order."""

from __future__ import annotations

import asyncio
from typing import Any

from server.events import Event, Thinking, Token
from server.runs.text_joiner import FRAME_SECONDS, JOIN_DELTAS, LONGEST_JOIN, TextJoiner, join_for


def token(text: str) -> Token:
    return Token(message_id="m", text=text)


async def test_the_first_delta_goes_at_once_the_next_ones_together() -> None:
    sent: list[Event] = []
    joiner = TextJoiner(sent.append)
    for text in ("a", "b", "c"):
        joiner.add(token(text))
    assert sent == [token("a")]
    joiner.flush()
    assert sent == [token("a"), token("bc")]


async def test_nothing_waits_longer_than_a_moment() -> None:
    arrived = asyncio.Event()
    sent: list[Event] = []

    def emit(event: Event) -> None:
        sent.append(event)
        if len(sent) == 2:
            arrived.set()

    joiner = TextJoiner(emit)
    joiner.add(token("a"))
    joiner.add(token("b"))
    async with asyncio.timeout(60):
        await arrived.wait()
    assert sent == [token("a"), token("b")]


async def test_a_change_of_kind_keeps_the_order() -> None:
    sent: list[Event] = []
    joiner = TextJoiner(sent.append)
    joiner.add(Thinking(message_id="m", text="t1"))
    joiner.add(Thinking(message_id="m", text="t2"))
    joiner.add(token("x"))
    joiner.flush()
    assert [event.text for event in sent if isinstance(event, Token | Thinking)] == ["t1", "t2", "x"]


async def test_many_deltas_are_not_held_back() -> None:
    sent: list[Any] = []
    joiner = TextJoiner(sent.append)
    for number in range(3 * JOIN_DELTAS):
        joiner.add(token(f"{number} "))
    joiner.flush()
    assert len(sent) >= 3
    assert "".join(event.text for event in sent) == "".join(f"{number} " for number in range(3 * JOIN_DELTAS))


async def test_a_delta_after_a_pause_goes_at_once() -> None:
    arrived = asyncio.Event()
    joiner = TextJoiner(lambda event: arrived.set())
    joiner.add(token("a"))
    async with asyncio.timeout(60):
        while joiner.is_joining:
            await asyncio.sleep(0)
    arrived.clear()

    joiner.add(token("b"))

    assert arrived.is_set()


def test_it_joins_for_longer_only_while_the_loop_is_late() -> None:
    assert join_for(0.0) == join_for(0.002) == FRAME_SECONDS
    assert FRAME_SECONDS < join_for(0.005) < join_for(0.010) < LONGEST_JOIN
    assert join_for(1.0) == LONGEST_JOIN
