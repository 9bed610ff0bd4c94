"""The person's channels: added, changed, tested, removed. Addresses and secrets are stored encrypted."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from server.browser.chromium.reach import Reach
from server.channels.destination import SendFailed, check_place, place_of
from server.channels.messages import body_of
from server.channels.services import describe, send_by_service
from server.database.models import ChannelRow
from server.errors import BadRequest
from server.events import now
from server.ops.json_types import JsonObject
from server.preferences import Preferences
from server.store import Store, new_id

MOST_CHANNELS = 20


class Channels:
    def __init__(self, store: Store, preferences: Preferences, reach: Callable[[], Reach]) -> None:
        self._store = store
        self._preferences = preferences
        self._reach = reach

    async def add(
        self, kind: str, address: str, events: Sequence[str], mode: str, quiet: JsonObject | None
    ) -> tuple[ChannelRow, str | None]:
        """The new channel, and the secret of a webhook, which is returned this once. Raises BadRequest."""
        if len(await self._store.channels()) >= MOST_CHANNELS:
            raise BadRequest(f"There can be {MOST_CHANNELS} channels.", code="too_many_channels")
        shown = await self._shown(kind, address)
        secret = secrets.token_urlsafe(32) if kind == "webhook" else None
        row = await self._store.add_channel(
            kind=kind, address=await self._encrypt(address), shown=shown, mode=mode, quiet=quiet,
            events=list(events), secret=await self._encrypt(secret) if secret else None,
        )  # fmt: skip
        return row, secret

    async def change(self, channel_id: str, address: str | None, values: JsonObject) -> ChannelRow:
        if address is not None:
            kind = (await self._store.channel(channel_id)).kind
            shown = await self._shown(kind, address)
            values = values | {"address": await self._encrypt(address), "shown": shown, "failing": None}
        return await self._store.change_channel(channel_id, **values)

    async def test(self, channel_id: str) -> str | None:
        """Send a message at once; return why it was not taken, None if it was."""
        row = await self._store.channel(channel_id)
        try:
            await self.send(row, body_of(
                type="test", id=new_id(), session_id=None, session_title="Pilothouse", about=None, facts={},
                public_url=self._preferences.current.public_address, at=now(),
            ))  # fmt: skip
        except SendFailed as failed:
            return str(failed)
        return None

    async def send(self, row: ChannelRow, body: JsonObject) -> None:
        """Raises SendFailed."""
        from cryptography.fernet import InvalidToken  # 6 MB, of use where a channel is stored

        try:
            address = await self._decrypt(row.address)
            secret = await self._decrypt(row.secret) if row.secret else ""
        except InvalidToken:
            raise SendFailed("its address cannot be decrypted any more: set it again") from None
        if row.kind == "webhook":
            from server.channels.webhook import send_webhook  # aiohttp, of use where a webhook is stored

            await send_webhook(address, secret, body, self._reach())
        else:
            await send_by_service(address, body, self._reach())

    async def _shown(self, kind: str, address: str) -> str:
        """The address without what is secret in it. Raises BadRequest if it cannot be used."""
        try:
            if kind == "apprise":
                return (await describe(address))[:200]
            check_place(self._reach(), *place_of(address))
        except SendFailed as failed:
            raise BadRequest(f"address: {failed}.", code="address_refused") from None
        parts = urlsplit(address)
        where = parts.netloc.rpartition("@")[2]
        return f"{parts.scheme}://{where}{'/…' if len(parts.path) > 1 or parts.query else ''}"[:200]

    async def _encrypt(self, text: str) -> bytes:
        return (await self._preferences.open_fernet()).encrypt(text.encode())

    async def _decrypt(self, ciphertext: bytes) -> str:
        return (await self._preferences.open_fernet()).decrypt(ciphertext).decode()
