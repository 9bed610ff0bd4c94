"""Executes requests with a client-chosen id only once, even if they are sent again."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from server.ops.json_types import JsonObject

Receipt = JsonObject


class Receipts:
    """The result for each id, in memory; beyond `most` ids the oldest are dropped.

    A client whose connection was lost before the response sends its request again with the same id. It gets
    the result of the first request, and waits for it if that is still in progress.
    """

    def __init__(self, most: int = 1000) -> None:
        self._most = most
        self._work: OrderedDict[tuple[str, str], asyncio.Future[Receipt]] = OrderedDict()

    async def once(self, key: tuple[str, str], work: Callable[[], Awaitable[Receipt]]) -> Receipt:
        """The result of `work`, which is called only if there is no result for this key.

        Cancelling a caller does not cancel the work. Exceptions are not stored, so the request can be
        retried.
        """
        task = self._work.get(key)
        if task is None:
            task = self._work[key] = asyncio.ensure_future(work())
            task.add_done_callback(lambda done: self._settle(key, done))
        return await asyncio.shield(task)

    def _settle(self, key: tuple[str, str], done: asyncio.Future[Receipt]) -> None:
        if done.cancelled() or done.exception():
            self._work.pop(key, None)
        while len(self._work) > self._most and next(iter(self._work.values())).done():
            self._work.popitem(last=False)
