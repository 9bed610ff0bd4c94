"""Links to PostgreSQL and Redis that lose an answer together with its connection, or fall silent."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import TypeVar


class LossyLink:
    """Forwards a local port, and can lose the answer to a COMMIT together with its connection."""

    def __init__(self, target: int) -> None:
        self._target = target
        self.port = 0
        self.losing = False
        """Set while the next COMMIT's answer is to be lost."""
        self.after = b""
        """Only of a transaction that has sent this."""
        self.then_down = False
        """After that the link stays down, until `come_back`."""
        self._is_down = False
        self.lost = 0

    def lose(self, after: bytes, *, then_down: bool) -> None:
        self.losing, self.after, self.then_down = True, after, then_down

    def come_back(self) -> None:
        self._is_down = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_down:
            writer.close()
            return
        upstream, to_server = await asyncio.open_connection("127.0.0.1", self._target)
        answers = asyncio.create_task(_forward(upstream, writer))
        sent = b""
        try:
            while data := await reader.read(65536):
                if self._is_down:
                    return
                sent += data
                to_server.write(data)
                if b"COMMIT" not in data and b"ROLLBACK" not in data:
                    continue
                if self.losing and b"COMMIT" in data and self.after in sent:
                    self.losing, self._is_down = False, self.then_down
                    answers.cancel()
                    await asyncio.gather(answers, return_exceptions=True)
                    await upstream.read(65536)  # the server has committed
                    self.lost += 1
                    return
                sent = b""
        except ConnectionError:
            pass
        finally:
            answers.cancel()
            writer.close()
            to_server.close()


@asynccontextmanager
async def lossy_link(target: int) -> AsyncIterator[LossyLink]:
    async with _listening(LossyLink(target)) as link:
        yield link


class ForgetfulLink:
    """Forwards a local port. While `losing`, a script is executed, but its reply is lost with the connection."""

    def __init__(self, target: int) -> None:
        self._target = target
        self.port = 0
        self.losing = 0
        """How many replies are still to be lost."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream, to_server = await asyncio.open_connection("127.0.0.1", self._target)
        answers = asyncio.create_task(_forward(upstream, writer))
        try:
            while data := await reader.read(65536):
                is_lost = self.losing > 0 and b"EVALSHA" in data
                if is_lost:
                    self.losing -= 1
                    answers.cancel()
                    await asyncio.gather(answers, return_exceptions=True)
                to_server.write(data)
                if is_lost:
                    await upstream.read(65536)  # it is executed
                    return
        except ConnectionError:
            pass
        finally:
            answers.cancel()
            writer.close()
            to_server.close()


@asynccontextmanager
async def forgetful_link(target: int) -> AsyncIterator[ForgetfulLink]:
    async with _listening(ForgetfulLink(target)) as link:
        yield link


class SilentLink:
    """Forwards a local port; while it is silent, nothing is forwarded either way and no connection is reset."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._may_forward = asyncio.Event()
        self._may_forward.set()
        self._times_forgotten = 0
        self.port = 0

    def fall_silent(self) -> None:
        self._may_forward.clear()

    def come_back(self) -> None:
        self._may_forward.set()

    def forget_connections(self) -> None:
        """Drop what is sent on the connections of now, for good, and reset none; new ones work."""
        self._times_forgotten += 1

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._may_forward.wait()
        upstream, to_server = await asyncio.open_connection("127.0.0.1", self._target)
        ways = [
            asyncio.create_task(self._forward(reader, to_server)),
            asyncio.create_task(self._forward(upstream, writer)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            writer.close()
            to_server.close()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        times_forgotten = self._times_forgotten
        while data := await reader.read(65536):
            await self._may_forward.wait()
            if times_forgotten == self._times_forgotten:
                writer.write(data)
                await writer.drain()


@asynccontextmanager
async def silent_link(target: int) -> AsyncIterator[SilentLink]:
    async with _listening(SilentLink(target)) as link:
        yield link
        link.come_back()


class LingeringLink:
    """Forwards a local port. Behind it a connection lives on after its client has closed it, until the link ends."""

    def __init__(self, target: int) -> None:
        self._target = target
        self.ended = asyncio.Event()
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream, to_server = await asyncio.open_connection("127.0.0.1", self._target)
        answers = asyncio.create_task(_forward(upstream, writer))
        while (data := await reader.read(65536)) and data != PG_TERMINATE:
            to_server.write(data)
        await self.ended.wait()
        answers.cancel()
        writer.close()
        to_server.close()


PG_TERMINATE = b"X\0\0\0\4"
"""The message with which a client of PostgreSQL leaves."""


@asynccontextmanager
async def lingering_link(target: int) -> AsyncIterator[LingeringLink]:
    async with _listening(LingeringLink(target)) as link:
        yield link
        link.ended.set()


class Partition:
    """Links to several ports, in a thread, that fall silent together: a process that uses them is cut off from all."""

    def __init__(self, loop: asyncio.AbstractEventLoop, links: Sequence[SilentLink]) -> None:
        self._loop, self._links = loop, links

    @property
    def ports(self) -> list[int]:
        return [link.port for link in self._links]

    def begin(self) -> None:
        self._do(SilentLink.fall_silent)

    def end(self) -> None:
        self._do(SilentLink.come_back)

    def _do(self, work: Callable[[SilentLink], None]) -> None:
        async def on_all() -> None:
            for link in self._links:
                work(link)

        asyncio.run_coroutine_threadsafe(on_all(), self._loop).result()


@contextmanager
def partition(*targets: int) -> Iterator[Partition]:
    """The links, each to one of these local ports, until the block is left."""
    loop, started = asyncio.new_event_loop(), threading.Event()
    stop = asyncio.Event()
    links: list[SilentLink] = []

    async def serve() -> None:
        async with AsyncExitStack() as stack:
            for target in targets:
                links.append(await stack.enter_async_context(silent_link(target)))
            started.set()
            await stop.wait()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    started.wait()
    try:
        yield Partition(loop, links)
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


Link = TypeVar("Link", LossyLink, ForgetfulLink, SilentLink, LingeringLink)


@asynccontextmanager
async def _listening(link: Link) -> AsyncIterator[Link]:
    server = await asyncio.start_server(link.serve, "127.0.0.1", 0)
    link.port = server.sockets[0].getsockname()[1]
    async with server:
        yield link


async def _forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
