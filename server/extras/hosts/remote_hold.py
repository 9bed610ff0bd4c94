"""The hold of a browser on a host, where that browser's pipe is, as its holder uses it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from server.browser.chromium.cdp import CdpError
from server.browser.outgoing.held import ActTerms, HeldRequest, OutgoingHold
from server.extras.hosts.protocol import HoldDone, HoldOrder, ToHost

REMOTE_CALL_SECONDS = 5.0


class RemoteHold:
    """Implements `OutgoingHold`. Its methods raise CdpError if the host does not answer."""

    def __init__(self, say: Callable[[ToHost], None]) -> None:
        self._say = say
        self._number = 0
        self._asked: dict[int, asyncio.Future[HoldDone]] = {}
        self._held: Callable[[HeldRequest], None] = lambda held: None

    def listen(self, held: Callable[[HeldRequest], None]) -> None:
        self._held = held

    async def begin(self, terms: ActTerms, url: str, *, is_passive: bool) -> None:
        await self._order(HoldOrder(number=0, begin=terms, url=url, is_passive=is_passive))

    async def end(self) -> None:
        await self._order(HoldOrder(number=0, end=True))

    async def waits(self, request_ids: Sequence[str]) -> bool:
        return (await self._order(HoldOrder(number=0, waits=list(request_ids)))).is_true

    async def release(self, request_ids: Sequence[str]) -> list[str]:
        done = await self._order(HoldOrder(number=0, release=list(request_ids)))
        return list(request_ids) if done.released is None and done.is_true else done.released or []

    async def fail(self) -> None:
        await self._order(HoldOrder(number=0, fail=True))

    def rest(self, *, rests: bool) -> None:
        self._say(ToHost(hold=HoldOrder(number=0, rests=rests)))

    async def _order(self, order: HoldOrder) -> HoldDone:
        self._number += 1
        number = self._number
        done: asyncio.Future[HoldDone] = asyncio.get_running_loop().create_future()
        self._asked[number] = done
        self._say(ToHost(hold=order.model_copy(update={"number": number})))
        try:
            async with asyncio.timeout(REMOTE_CALL_SECONDS):
                return await done
        except TimeoutError:
            raise CdpError("the browser's host does not answer") from None
        finally:
            del self._asked[number]

    def take(self, held: HeldRequest | None, done: HoldDone | None) -> None:
        """Take what the host says of it."""
        if held:
            self._held(held)
        answer = self._asked.get(done.number) if done else None
        if done and answer is not None and not answer.done():
            answer.set_result(done)

    def lose(self) -> None:
        """The connection has ended."""
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(CdpError("the browser is gone"))


async def carry_out(order: HoldOrder, hold: OutgoingHold) -> HoldDone:
    """On the host: do what the holder says."""
    is_true, released = False, None
    if order.begin is not None:
        await hold.begin(order.begin, order.url, is_passive=order.is_passive)
    elif order.waits:
        is_true = await hold.waits(order.waits)
    elif order.release:
        released = await hold.release(order.release)
        is_true = bool(released)
    elif order.rests is not None:
        hold.rest(rests=order.rests)
    elif order.fail:
        await hold.fail()
    elif order.end:
        await hold.end()
    return HoldDone(number=order.number, is_true=is_true, released=released)
