"""Limits for the size and the duration of a request body."""

from __future__ import annotations

import asyncio
import re

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Scope

from server.errors import BadRequest, TooLarge
from wording.catalogue import sentence

_LENGTH = re.compile(r"[0-9]{1,19}")
JSON_LIMIT = 1_000_000
FILE_LIMIT = 26_000_000
BODY_SECONDS = 30.0
"""Timeout between two parts of a body, and time allowed for the whole body beyond its size / `SLOWEST`."""
SLOWEST = 2_000
"""Minimum rate in bytes per second."""


def limit_body(
    scope: Scope, headers: Headers, receive: Receive, *, patience: float = BODY_SECONDS
) -> Receive:
    """A `receive` that raises HTTPException 413 or 408 for a body that is too large or too slow.

    A declared size is checked at once: raises BadRequest or TooLarge.
    """
    if scope["type"] != "http":
        return receive
    limit = FILE_LIMIT if scope["path"].endswith("/files") else JSON_LIMIT
    declared = headers.get("content-length", "0")
    if not _LENGTH.fullmatch(declared):
        raise BadRequest(sentence("body.size"))
    if int(declared) > limit:
        raise TooLarge(sentence("body.too_large", n=limit))
    received, is_whole = 0, False
    began: float | None = None

    async def counted() -> Message:
        nonlocal received, is_whole, began
        loop = asyncio.get_running_loop()
        began = began or loop.time()
        # Also limited by the average rate: a slow trickle of bytes must not keep a connection for hours.
        until = min(loop.time(), began + received / SLOWEST) + patience
        try:
            async with asyncio.timeout_at(None if is_whole else until):
                message = await receive()
        except TimeoutError as error:
            raise HTTPException(408, "The body did not come in time.") from error
        is_whole = not message.get("more_body", False)
        received += len(message.get("body", b""))
        if received > limit:  # HTTPException, because FastAPI turns other exceptions of `receive` into a 400
            raise HTTPException(413, sentence("body.too_large", n=limit))
        return message

    return counted
