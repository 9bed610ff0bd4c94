"""The one subscriber connection of a process to Redis: to the channels that are wanted, reopened when it is lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable

from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

SILENCE = 1.0
"""Seconds without a message after which the server is asked for a sign of life; after twice that the link is lost."""
RECONNECT_SECONDS = 0.1
"""Seconds between attempts to connect."""


class Hub:
    def __init__(
        self,
        redis: Redis,
        *,
        on_message: Callable[[str, bytes], None],
        on_subscribed: Callable[[str], None],
        on_lost: Callable[[], None],
    ) -> None:
        self._redis = redis
        self._on_message = on_message
        self._on_subscribed = on_subscribed
        """Called each time the server confirms a channel: what is published from then on arrives."""
        self._on_lost = on_lost
        """Called when the connection is lost: messages may be missed until a channel is confirmed again."""
        self._wanted: set[str] = set()
        self._requested: set[str] = set()
        self._confirmed: set[str] = set()
        self._changed = asyncio.Event()

    def subscribe(self, channel: str) -> None:
        self._wanted.add(channel)
        if channel in self._confirmed:
            self._on_subscribed(channel)
        else:
            self._changed.set()

    def unsubscribe(self, channel: str) -> None:
        self._wanted.discard(channel)
        self._changed.set()

    @property
    def channels(self) -> set[str]:
        return set(self._wanted)

    async def run(self) -> None:
        """Read until cancelled. At least one channel has to be wanted before."""
        while True:
            try:
                await self._serve()
            except (RedisError, OSError) as error:
                logger.warning("the subscriber connection to REDIS_URL is lost: %s", error)
            self._confirmed.clear()
            self._on_lost()
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _serve(self) -> None:
        """Returns or raises when the connection is lost."""
        async with self._redis.pubsub() as link:
            self._requested = set()
            await self._request(link)
            tasks = [asyncio.create_task(work(link)) for work in (self._keep_requesting, self._read)]
            try:
                ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                await end_tasks(tasks)
            for task in ended:
                task.result()

    async def _keep_requesting(self, link: PubSub) -> None:
        while True:
            await self._changed.wait()
            await self._request(link)

    async def _request(self, link: PubSub) -> None:
        self._changed.clear()
        new, old = self._wanted - self._requested, self._requested - self._wanted
        self._requested = set(self._wanted)
        self._confirmed -= old
        if new:
            await link.subscribe(*new)
        if old:
            await link.unsubscribe(*old)

    async def _read(self, link: PubSub) -> None:
        is_asked = False
        while True:
            message = await link.get_message(timeout=SILENCE)
            if message is None:
                if is_asked:
                    raise TimeoutError("no answer")
                await link.ping()
            is_asked = message is None
            if message is None:
                continue
            channel = (message.get("channel") or b"").decode()
            if message["type"] == "message":
                self._on_message(channel, message["data"])
            elif message["type"] == "subscribe" and channel in self._wanted:
                self._confirmed.add(channel)
                self._on_subscribed(channel)


async def end_tasks(tasks: Iterable[asyncio.Task[None]]) -> None:
    """Cancel until they have ended: `asyncio.wait_for`, with which commands are sent, can lose a cancellation."""
    running = {task for task in tasks if not task.done()}
    is_cancelled = False
    while running:
        for task in running:
            task.cancel()
        try:
            _, running = await asyncio.wait(running, timeout=0.1)
        except asyncio.CancelledError:
            is_cancelled = True
            running = {task for task in running if not task.done()}
    if is_cancelled:
        raise asyncio.CancelledError
