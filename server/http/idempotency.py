"""Requests that carry an id chosen by the client are carried out once, however often they arrive."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any

Receipt = dict[str, Any]


class Receipts:
    """What was answered to each id, in memory; of more than `most` ids the oldest are forgotten.

    A client whose connection broke before the answer sends its request again under the same id. It gets
    the answer of the first one, also while that is still being worked on.
    """

    def __init__(self, most: int = 1000) -> None:
        self._most = most
        self._work: OrderedDict[tuple[str, str], asyncio.Future[Receipt]] = OrderedDict()

    async def once(self, key: tuple[str, str], work: Callable[[], Awaitable[Receipt]]) -> Receipt:
        """The result of `work`, run now unless it was run for this key before.

        A caller that is cancelled does not cancel the work. What raises is not kept: it may be tried again.
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
