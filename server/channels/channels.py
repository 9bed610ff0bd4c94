"""The person's channels: added, changed, tested, removed. Addresses and secrets are stored encrypted.

Each device that gets messages by Web Push is a channel of its own.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

import orjson

from server.browser.chromium.reach import Reach
from server.channels.destination import SendFailed, checked_url
from server.channels.messages import body_of, one_use_link
from server.channels.push import DeviceGone, PushKeys, check_keys, device_of, send_push, subject_of
from server.channels.services import describe, send_by_service
from server.database.models import ChannelRow
from server.errors import BadRequest
from server.events import now
from server.fs.secret_box import SecretLost
from server.ops.json_types import JsonObject
from server.preferences import Preferences
from server.store import Store, new_id
from wording.catalogue import known_language, sentence

MAX_CHANNELS = 20


@dataclass(frozen=True, slots=True)
class ChannelAddress:
    """Where a channel's messages go: a URL; for `push` with the keys of the device, and what the person calls it."""

    url: str
    keys: JsonObject | None = None
    name: str = ""

    @property
    def text(self) -> str:
        """As it is stored, encrypted."""
        if self.keys is None:
            return self.url
        return orjson.dumps({"endpoint": self.url, "keys": self.keys}).decode()


class Channels:
    def __init__(self, store: Store, preferences: Preferences, reach: Callable[[], Reach]) -> None:
        self._store = store
        self._preferences = preferences
        self._reach = reach
        self.push_keys = PushKeys(store, preferences)

    async def add(
        self, kind: str, address: ChannelAddress, values: JsonObject
    ) -> tuple[ChannelRow, str | None]:
        """The new channel, and the secret of a webhook, which is returned this once. Raises BadRequest.

        `values`: the columns `events`, `mode`, `quiet`, `links`. A device that has a channel keeps it, with these.
        """
        if len(await self._store.channels()) >= MAX_CHANNELS:
            raise BadRequest(sentence("channel.too_many", n=MAX_CHANNELS), code="too_many_channels")
        where = await self._where(kind, address)
        secret = secrets.token_urlsafe(32) if kind == "webhook" else None
        row = await self._store.add_channel(
            kind=kind, secret=await self._encrypt(secret) if secret else None, **where, **values,
        )  # fmt: skip
        return row, secret

    async def change(self, channel_id: str, address: ChannelAddress | None, values: JsonObject) -> ChannelRow:
        if address is not None:
            row = await self._store.channel(channel_id)
            values = values | await self._where(row.kind, address) | {"failing": None}
        return await self._store.change_channel(channel_id, **values)

    async def test(self, channel_id: str) -> str | None:
        """Send a message at once; return why it was not taken, None if it was."""
        row = await self._store.channel(channel_id)
        try:
            await self.send(row, body_of(
                type="test", id=new_id(), session_id=None, session_title="Pilothouse", about=None, facts={},
                public_url=self._public_url, at=now(),
            ))  # fmt: skip
        except DeviceGone as gone:
            await self._store.remove_channel(channel_id)
            return str(gone)
        except SendFailed as failed:
            return str(failed)
        return None

    async def send(self, row: ChannelRow, body: JsonObject) -> None:
        """Raises SendFailed; DeviceGone if nothing can be sent there any more."""
        try:
            address = await self._decrypt(row.address)
            secret = await self._decrypt(row.secret) if row.secret else ""
        except SecretLost:
            raise SendFailed(sentence("channel.undecryptable")) from None
        if row.links and body.get("reference"):
            body = body | {"link": await self._link_to(body["reference"])}
        if row.kind == "webhook":
            from server.channels.webhook import send_webhook  # aiohttp, of use where a webhook is stored

            await send_webhook(address, secret, body, self._reach())
        elif row.kind == "push":
            open_questions = (await self._store.open_questions(limit=1)).total
            key = await self.push_keys.private_key()
            await send_push(
                orjson.loads(address), body | {"open": open_questions}, key, subject_of(self._preferences.current.push_contact, self._public_url),
                self._reach(),
            )  # fmt: skip
        else:
            language = known_language(self._preferences.current.locale or "")
            await send_by_service(address, body, self._reach(), language)

    async def _link_to(self, reference: str) -> str:
        """A link to one question that needs no login. Each try to send has its own."""
        secret = secrets.token_urlsafe(32)
        await self._store.add_question_link(secret, reference)
        return one_use_link(self._public_url, secret)

    @property
    def _public_url(self) -> str:
        return self._preferences.current.public_address

    async def _where(self, kind: str, address: ChannelAddress) -> JsonObject:
        """The columns of the address. Raises BadRequest if it cannot be used."""
        if (kind == "push") != (address.keys is not None):
            raise BadRequest(sentence("channel.device_keys"), code="address_refused")
        try:
            if kind == "apprise":
                shown = await describe(address.url)
            else:
                checked_url(address.url, self._reach())
                shown = address.name or _without_secrets(address.url)
            if address.keys is not None:
                check_keys(**address.keys)
        except SendFailed as failed:
            raise BadRequest(sentence("field.address", why=failed.why), code="address_refused") from None
        device = device_of(address.url) if kind == "push" else None
        return {"address": await self._encrypt(address.text), "shown": shown[:200], "device": device}

    async def _encrypt(self, text: str) -> bytes:
        return await self._preferences.secrets.encrypt(text.encode())

    async def _decrypt(self, ciphertext: bytes) -> str:
        return (await self._preferences.secrets.decrypt(ciphertext)).decode()


def _without_secrets(address: str) -> str:
    parts = urlsplit(address)
    where = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{where}{'/…' if len(parts.path) > 1 or parts.query else ''}"
