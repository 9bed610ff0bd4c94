"""Wait until something holds, or fail with what was waited for and what was seen last.

session = await eventually(lambda: read(client, "s1"), lambda it: it["run"]["finished_at"], message="the run ends")
await eventually(lambda: site.effects, message="the form is sent")
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast

T = TypeVar("T")

MAX_SHOWN = 3000


async def eventually(
    look: Callable[[], T | Awaitable[T]],
    holds: Callable[[T], object] = bool,
    *,
    timeout: float = 60,
    message: str | Callable[[], str],
    interval: float = 0.02,
) -> T:
    """Call `look` every `interval` seconds until `holds` is true of what it returns. Returns that.

    `message` names what is waited for; a function is called for it when that did not come.
    Raises AssertionError after `timeout` seconds, also if `look` itself does not return.
    """
    seen: Any = None
    try:
        async with asyncio.timeout(timeout) as deadline:
            while True:
                found = look()
                seen = await found if inspect.isawaitable(found) else found
                if holds(cast(T, seen)):
                    return cast(T, seen)
                await asyncio.sleep(interval)
    except TimeoutError:
        if not deadline.expired():
            raise
        raise AssertionError(_failure(message, timeout, seen)) from None


def eventually_sync(
    look: Callable[[], T],
    holds: Callable[[T], object] = bool,
    *,
    timeout: float = 60,
    message: str | Callable[[], str],
    interval: float = 0.02,
    pause: Callable[[float], object] = time.sleep,
) -> T:
    """The same without an event loop. `pause` waits for `interval` seconds between two looks."""
    deadline = time.monotonic() + timeout
    while not holds(seen := look()):
        if time.monotonic() > deadline:
            raise AssertionError(_failure(message, timeout, seen))
        pause(interval)
    return seen


def _failure(message: str | Callable[[], str], timeout: float, seen: object) -> str:
    what = message if isinstance(message, str) else message()
    return f"not within {timeout:g} s: {what}; seen last: {repr(seen)[-MAX_SHOWN:]}"
