"""A link to PostgreSQL that can lose the answer to a COMMIT: the server has done it, the client hears nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class LossyLink:
    """Forwards a local port. `losing` is set while the next COMMIT's answer is to be lost, with its connection."""

    def __init__(self, target: int) -> None:
        self._target = target
        self.port = 0
        self.losing = False
        self.lost = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream, to_server = await asyncio.open_connection("127.0.0.1", self._target)
        answers = asyncio.create_task(self._forward(upstream, writer))
        try:
            while data := await reader.read(65536):
                to_server.write(data)
                if self.losing and b"COMMIT" in data:
                    self.losing = False
                    answers.cancel()
                    await asyncio.gather(answers, return_exceptions=True)
                    await upstream.read(65536)  # the server has committed
                    self.lost += 1
                    return
        except ConnectionError:
            pass
        finally:
            answers.cancel()
            writer.close()
            to_server.close()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)


@asynccontextmanager
async def lossy_link(target: int) -> AsyncIterator[LossyLink]:
    link = LossyLink(target)
    server = await asyncio.start_server(link.serve, "127.0.0.1", 0)
    link.port = server.sockets[0].getsockname()[1]
    async with server:
        yield link
