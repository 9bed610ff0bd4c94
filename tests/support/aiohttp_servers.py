"""How a server of a test begins and ends."""

from __future__ import annotations

import asyncio
import socket

from aiohttp import web

ROUNDS = 4
"""Of the event loop, until a connection that was accepted is known to its server."""


async def listen(runner: web.AppRunner, port: int = 0) -> socket.socket:
    """Serve on a port of loopback, a free one for 0. Returns the socket that listens."""
    await runner.setup()
    listener = socket.create_server(("127.0.0.1", port))
    await web.SockSite(runner, listener).start()
    return listener


async def close(runner: web.AppRunner, listener: socket.socket) -> None:
    """End the server and all of its connections.

    Up to Python 3.12 asyncio leaves the socket of a connection open that it accepts at the moment when its server ends.
    So none is accepted any more before that.
    """
    asyncio.get_running_loop().remove_reader(listener)
    for _ in range(ROUNDS):
        await asyncio.sleep(0)
    await runner.cleanup()
    await asyncio.sleep(0)  # the transports close in the next round
