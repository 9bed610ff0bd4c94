"""A link to a server that can lose what the server answers: the server has done it, the client does not learn so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class CutLink:
    """Forwards a local port. `swallows` is set while connections whose request begins so get no answer."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._open: set[asyncio.StreamWriter] = set()
        self.port = 0
        self.swallows: bytes | None = None
        self.swallowed = 0
        """Pieces of answers that were not forwarded."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream, to_server = await asyncio.open_connection("127.0.0.1", self._target)
        self._open.add(writer)
        first = await reader.read(65536)
        to_server.write(first)
        answers = asyncio.create_task(self._forward(upstream, writer, first))
        try:
            while data := await reader.read(65536):
                to_server.write(data)
        except ConnectionError:
            pass
        finally:
            answers.cancel()
            self._open.discard(writer)
            writer.close()
            to_server.close()

    async def _forward(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, first: bytes
    ) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        writer.write(head)
        while data := await reader.read(65536):
            if self.swallows and first.startswith(self.swallows):
                self.swallowed += 1
            else:
                writer.write(data)

    def cut(self) -> None:
        """End every connection."""
        for writer in list(self._open):
            writer.transport.abort()


@asynccontextmanager
async def cut_link(target: int) -> AsyncIterator[CutLink]:
    link = CutLink(target)
    server = await asyncio.start_server(link.serve, "127.0.0.1", 0)
    link.port = server.sockets[0].getsockname()[1]
    try:
        yield link
    finally:
        server.close()
        link.cut()
