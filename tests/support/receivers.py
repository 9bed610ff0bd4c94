"""Local receivers of messages: a webhook that keeps what it was sent, and an ntfy server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

from tests.support.aiohttp_servers import close, listen


@dataclass
class Received:
    headers: dict[str, str]
    body: bytes
    at: float
    """Unix time."""


@dataclass
class Receiver:
    """Answers each POST with the next of `answers`, then with 200; `received` is what it was sent."""

    url: str = ""
    answers: list[int] = field(default_factory=list)
    received: list[Received] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    is_silent: asyncio.Event | None = None
    """Answers wait for it."""

    async def take(self, request: web.Request) -> web.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.received.append(Received(headers, await request.read(), time.time()))
        self.news.set()
        if self.is_silent:
            await self.is_silent.wait()
        status = self.answers.pop(0) if self.answers else 200
        return web.Response(status=status, headers={"location": "/elsewhere"} if status == 307 else {})


@asynccontextmanager
async def receiving(answers: Iterable[int] = ()) -> AsyncIterator[Receiver]:
    """Listens on a free port of loopback."""
    receiver = Receiver(answers=list(answers))
    app = web.Application()
    app.router.add_post("/{path:.*}", receiver.take)
    runner = web.AppRunner(app, shutdown_timeout=0)
    listener = await listen(runner)
    host, port = runner.addresses[0][:2]
    receiver.url = f"http://{host}:{port}"
    try:
        yield receiver
    finally:
        await close(runner, listener)
