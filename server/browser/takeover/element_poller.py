"""Refreshes the element list that a user requested until the page has loaded."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from server.browser.takeover.browser_view import InputRefused, Listing

LOOK_AGAIN = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
"""Seconds between two reads of a page that is still loading."""


class Lister:
    """Polls the element list. `look` returns the current list."""

    def __init__(
        self, look: Callable[[], Awaitable[Listing]], *, pauses: tuple[float, ...] = LOOK_AGAIN
    ) -> None:
        self._look = look
        self._pauses = pauses
        self._task: asyncio.Task[None] | None = None

    def ask(self, show: Callable[[Listing], None], refuse: Callable[[str], None]) -> None:
        """Call `show` with the list now and after each change, or `refuse` with the reason why there is none.

        Replaces an earlier request.
        """
        self.stop()
        self._task = asyncio.create_task(self._poll(show, refuse), name="list of elements")

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def aclose(self) -> None:
        self.stop()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    async def _poll(self, show: Callable[[Listing], None], refuse: Callable[[str], None]) -> None:
        sent: Listing | None = None
        for pause in (*self._pauses, 0.0):
            try:
                listing = await self._look()
            except InputRefused as error:
                refuse(str(error))
                return
            if listing != sent:
                show(listing)
            if not listing.is_loading:
                return
            sent = listing
            await asyncio.sleep(pause)
