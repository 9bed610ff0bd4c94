"""The response of a stream: what ends it, and what it sends while nothing happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from starlette.types import Message

from server.api.merge import merge
from server.api.sse import RETRY, EventStream
from tests.support.eventually import eventually

BLOCK = b"event: token\nid: 1-1\ndata: {}\n\n"
SCOPE: dict[str, Any] = {"type": "http", "method": "GET"}
PATIENCE = 20


class Reader:
    """The other end. It stops reading at the message of number `stops_at`."""

    def __init__(self, stops_at: int | None = None) -> None:
        self.heard: list[Message] = []
        self.leaves = asyncio.Event()
        self._stops_at = stops_at

    @property
    def text(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.heard)

    async def receive(self) -> Message:
        await self.leaves.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if len(self.heard) == self._stops_at:
            await asyncio.Event().wait()
        self.heard.append(message)

    async def read(self, stream: EventStream) -> None:
        async with asyncio.timeout(PATIENCE):
            await stream(SCOPE, self.receive, self.send)


class Source:
    """Gives its blocks, then stays open unless it is to end or to fail; remembers that it was closed."""

    def __init__(self, *blocks: bytes, ends: bool = False, fails: bool = False) -> None:
        self._blocks, self._ends, self._fails = blocks, ends, fails
        self.is_closed = False

    async def __call__(self) -> AsyncIterator[bytes]:
        try:
            for block in self._blocks:
                yield block
            if self._fails:
                raise RuntimeError("the source broke")
            if not self._ends:
                await asyncio.Event().wait()
        finally:
            self.is_closed = True


async def test_each_block_is_one_chunk_and_an_empty_one_none() -> None:
    reader, source = Reader(), Source(BLOCK * 3, b"", BLOCK, ends=True)
    await reader.read(EventStream(source(), is_allowed=lambda: True))
    start, *chunks, last = reader.heard
    headers = dict(start["headers"])
    assert headers[b"content-type"].startswith(b"text/event-stream")
    assert (headers[b"cache-control"], headers[b"x-accel-buffering"]) == (b"no-store", b"no")
    assert [chunk["body"] for chunk in chunks] == [RETRY + BLOCK * 3, BLOCK]
    assert not last["more_body"]


async def test_a_comment_shows_that_a_silent_stream_lives() -> None:
    reader, source = Reader(), Source(BLOCK)
    reading = asyncio.create_task(reader.read(EventStream(source(), is_allowed=lambda: True, ping=0.01)))
    await eventually(
        lambda: reader.text,
        lambda it: it.count(b": ping\n\n") >= 3,
        timeout=PATIENCE,
        message="three comments come",
    )
    reader.leaves.set()
    await reading
    assert source.is_closed


@pytest.mark.parametrize(("source", "stops_at"), [(Source(BLOCK, BLOCK), 2), (Source(BLOCK, ends=True), 2)])
async def test_a_reader_that_does_not_read_is_dropped(source: Source, stops_at: int) -> None:
    reader = Reader(stops_at)
    await reader.read(EventStream(source(), is_allowed=lambda: True, send_timeout=0.05))
    assert len(reader.heard) == stops_at
    assert source.is_closed


async def test_a_reader_that_reads_no_ping_is_dropped_too() -> None:
    reader, source = Reader(1), Source()
    await reader.read(EventStream(source(), is_allowed=lambda: True, ping=0.01, send_timeout=0.05))
    assert source.is_closed


async def test_a_reader_that_leaves_ends_the_source() -> None:
    reader, source = Reader(), Source(BLOCK)
    reader.leaves.set()
    await reader.read(EventStream(source(), is_allowed=lambda: True))
    assert source.is_closed


@pytest.mark.parametrize("merged", [False, True])
async def test_a_source_that_fails_leaves_the_stream_incomplete(merged: bool) -> None:
    reader, other = Reader(), Source(BLOCK)
    source = Source(BLOCK, fails=True)
    blocks = merge([other(), source()]) if merged else source()
    with pytest.raises(RuntimeError, match="the source broke"):
        await reader.read(EventStream(blocks, is_allowed=lambda: True))
    assert all(message.get("more_body", True) for message in reader.heard)
    assert other.is_closed == merged


async def test_a_login_that_ended_is_noticed_in_silence() -> None:
    logins = ["cookie"]

    async def silent() -> AsyncIterator[bytes]:
        yield BLOCK
        logins.clear()
        yield b""
        yield BLOCK

    reader = Reader()
    await reader.read(EventStream(silent(), is_allowed=lambda: bool(logins)))
    assert reader.text == RETRY + BLOCK
