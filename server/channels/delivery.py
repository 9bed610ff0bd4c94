"""Delivers stored messages in the background: no run waits for it, fails by it or is repeated by it.

A message is stored in the transaction of what it is about and delivered at least once: a process that ends in
between leaves it to the next one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

from server.channels.destination import SendFailed
from server.channels.messages import body_of, digest_of
from server.channels.presence import Presence
from server.channels.push import DeviceGone
from server.channels.quiet import end_of_quiet
from server.database.models import ChannelRow
from server.errors import NotFound, Unavailable
from server.events import now
from server.ops.json_types import JsonObject
from server.store import Store
from server.store.channels import NOTICE, DueDelivery

logger = logging.getLogger(__name__)

BACK_OFF = (2.0, 10.0, 60.0, 300.0)
"""Seconds between the tries: one more try than there are pauses."""
CLAIM = timedelta(seconds=60)
"""When a message is due again whose process did not say what became of it."""
COALESCE_SECONDS = 0.05
"""After a wake-up: the runs that end within it share one look."""
DELIVERY_POLL_SECONDS = 5.0
"""Between two looks for messages of other processes."""
AWAY_SECONDS = 15.0
"""Between two looks whether the person still sees the web UI."""
MAX_PARALLEL = 16
DELIVERY_DRAIN_SECONDS = 1.0
"""How long `aclose` waits for what it has cancelled."""


class Sender(Protocol):
    async def send(self, row: ChannelRow, body: JsonObject) -> None:
        """Raises SendFailed."""
        ...


class Delivery:
    def __init__(
        self,
        store: Store,
        sender: Sender,
        presence: Presence,
        public_url: Callable[[], str],
        *,
        back_off: Sequence[float] = BACK_OFF,
        clock: Callable[[], datetime] = now,
        zone: Callable[[], str | None] = lambda: None,
    ) -> None:
        """`zone` is the person's: times of messages are in it."""
        self._store = store
        self._sender = sender
        self._presence = presence
        self._public_url = public_url
        self._back_off = back_off
        self._clock = clock
        self._zone = zone
        self._news = asyncio.Event()
        self._sending: dict[asyncio.Task[None], DueDelivery] = {}

    def wake(self) -> None:
        """A message may have been stored."""
        self._news.set()

    async def run(self) -> None:
        """Deliver until cancelled; then `aclose` ends what is being sent."""
        while True:
            self._news.clear()
            await self._wait(await self._look())
            await asyncio.sleep(COALESCE_SECONDS)

    async def aclose(self) -> None:
        """Give up what is being sent: another process, or the next start, sends it at once instead of after CLAIM."""
        sending = dict(self._sending)
        for task in sending:
            task.cancel()
        if sending:
            await asyncio.wait(sending, timeout=DELIVERY_DRAIN_SECONDS)
        for due in sending.values():
            with suppress(Unavailable):
                await self._store.postpone_deliveries(due.rows, self._clock(), tries=due.delivery.tries)

    async def _look(self) -> float:
        try:
            return await self.deliver_due()
        except Unavailable as error:
            logger.warning("messages to channels are delivered later: %s", error.detail)
            return DELIVERY_POLL_SECONDS

    async def _wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()

    async def deliver_due(self) -> float:
        """Begin to deliver what is due; return the seconds until the next look."""
        moment = self._clock()
        due = await self._store.next_delivery()
        if due is None or due > moment:
            until = (due - moment).total_seconds() if due else DELIVERY_POLL_SECONDS
            return min(until, DELIVERY_POLL_SECONDS)
        claimed = await self._store.claim_deliveries(moment=moment, until=moment + CLAIM, most=MAX_PARALLEL)
        for one in claimed:
            task = asyncio.create_task(self._settle(one))
            self._sending[task] = one
            task.add_done_callback(self._sending.pop)
        return 0 if len(claimed) == MAX_PARALLEL else 0.05

    async def _settle(self, due: DueDelivery) -> None:
        try:
            await self._deliver(due)
        except Unavailable as error:
            logger.warning("message %s is delivered again: %s", due.delivery.id, error.detail)
        except Exception:  # one message must not end the delivery of all others
            logger.exception("message %s could not be delivered", due.delivery.id)

    async def _deliver(self, due: DueDelivery) -> None:
        row, channel = due.delivery, due.channel
        is_question = row.type in ("question", "manual")
        if not due.is_current:
            return await self._store.settle_deliveries(due.rows, "dropped")
        if channel.mode == "away" and not self._presence.is_away and row.type != NOTICE:
            if not is_question:
                return await self._store.settle_deliveries(due.rows, "dropped")
            return await self._postpone(due, self._clock() + timedelta(seconds=AWAY_SECONDS))
        if channel.quiet and (end := end_of_quiet(channel.quiet, self._clock())):
            return await self._postpone(due, end)
        body = self._body_of(due)
        try:
            await self._sender.send(channel, body)
        except DeviceGone:
            logger.info("device %s takes no messages any more and is removed", channel.shown)
            with suppress(NotFound):
                await self._store.remove_channel(channel.id)
        except SendFailed as failed:
            await self._fail(due, str(failed))
        else:
            await self._store.settle_deliveries(due.rows, "delivered")

    def _body_of(self, due: DueDelivery) -> JsonObject:
        zone = ZoneInfo(self._zone() or "UTC")
        bodies = [
            body_of(
                type=row.type, id=row.id, session_id=row.session_id, session_title=title, about=row.about,
                facts=row.facts, public_url=self._public_url(), at=row.created_at.astimezone(zone),
            )
            for row, title in [(due.delivery, due.session_title), *due.others]
        ]  # fmt: skip
        return (
            bodies[0]
            if len(bodies) == 1
            else digest_of(bodies, self._public_url(), self._clock().astimezone(zone))
        )

    async def _postpone(self, due: DueDelivery, moment: datetime) -> None:
        """It was not tried: that does not count."""
        await self._store.postpone_deliveries(due.rows, moment, tries=due.delivery.tries - 1)

    async def _fail(self, due: DueDelivery, fault: str) -> None:
        row = due.delivery
        if row.tries > len(self._back_off):
            logger.warning("channel %s is failing: %s", due.channel.shown, fault)
            return await self._store.settle_deliveries(due.rows, "failed", fault=fault)
        pause = timedelta(seconds=self._back_off[row.tries - 1])
        await self._store.postpone_deliveries(due.rows, self._clock() + pause, tries=row.tries)
        self.wake()
