"""Sends a message to a device by Web Push: encrypted for it (RFC 8291), signed by this installation (RFC 8292)."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import orjson

from server.browser.addresses import is_near
from server.browser.chromium.reach import Reach
from server.channels.destination import SendFailed
from server.fs.secret_box import SecretLost
from server.ops.json_types import JsonObject
from server.preferences import Preferences
from server.store import Store
from server.text import cut
from wording.catalogue import in_language, languages, sentence

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

KEY_NAME = "vapid"
URGENT_KINDS = frozenset({"question", "manual", "needs_you", "notice", "test"})
TTL = 86_400
"""Seconds that a push service keeps a message for a device that is off."""
MAX_PUSHED_ITEMS = 4
"""The most items of a digest: a push service accepts 4,096 bytes."""
SIGNED_SECONDS = 12 * 3600
REASON_CHARS = 120
GONE_STATUSES = frozenset({404, 410})


class DeviceGone(SendFailed):
    """The push service does not know the device any more: the user has withdrawn the permission."""


class PushKeys:
    """The key that signs the messages to all devices; generated at first use."""

    def __init__(self, store: Store, preferences: Preferences) -> None:
        self._store = store
        self._preferences = preferences
        self._key: EllipticCurvePrivateKey | None = None
        self._opening = asyncio.Lock()

    async def public_key(self) -> str:
        """As a browser's `applicationServerKey`: base64url of the point on P-256."""
        return _public(await self.private_key())

    async def private_key(self) -> EllipticCurvePrivateKey:
        async with self._opening:
            if self._key is None:
                self._key = await self._load() or await self._make()
            return self._key

    async def _load(self) -> EllipticCurvePrivateKey | None:
        from cryptography.hazmat.primitives.asymmetric import ec

        stored = await self._store.secret(KEY_NAME)
        if stored is None:
            return None
        try:
            number = await self._preferences.secrets.decrypt(stored)
        except SecretLost:  # the key file was replaced: all devices have to be added again
            return None
        return ec.derive_private_key(int(number, 16), ec.SECP256R1())

    async def _make(self) -> EllipticCurvePrivateKey:
        from cryptography.hazmat.primitives.asymmetric import ec

        key = ec.generate_private_key(ec.SECP256R1())
        number = f"{key.private_numbers().private_value:064x}".encode()
        ciphertext = await self._preferences.secrets.encrypt(number)
        await self._store.put_secret(KEY_NAME, ciphertext, await self._store.secret(KEY_NAME))
        return await self._load() or key


def device_of(endpoint: str) -> str:
    return hashlib.sha256(endpoint.encode()).hexdigest()


def check_keys(p256dh: str, auth: str) -> None:
    """Raises SendFailed if these are not the keys of a push subscription."""
    from cryptography.hazmat.primitives.asymmetric import ec

    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decode(p256dh))
        if len(_decode(auth)) != 16:
            raise ValueError
    except (ValueError, binascii.Error):
        raise SendFailed(sentence("channel.bad_push_keys")) from None


async def send_push(
    subscription: JsonObject, body: JsonObject, key: EllipticCurvePrivateKey, subject: str, reach: Reach
) -> None:
    """`subscription` is `{endpoint, keys: {p256dh, auth}}`. Raises SendFailed, and DeviceGone if it has expired."""
    from server.channels.checked_post import post

    data, headers = await asyncio.to_thread(_encrypted, subscription, body, key, subject)
    status, said = await post(subscription["endpoint"], data, headers, reach)
    if status in GONE_STATUSES:
        raise DeviceGone(sentence("device.gone"))
    if not 200 <= status < 300:
        why = _reason_in(said)
        raise SendFailed(
            sentence("channel.refused", status=status, why=why)
            if why
            else sentence("channel.status", status=status)
        )


def _encrypted(
    subscription: JsonObject, body: JsonObject, key: EllipticCurvePrivateKey, subject: str
) -> tuple[bytes, dict[str, str]]:
    from py_vapid import Vapid02
    from pywebpush import WebPusher

    body = body | {"items": body["items"][:MAX_PUSHED_ITEMS]} if "items" in body else body
    body = _in_each_language(body)
    data: bytes = WebPusher(subscription).encode(orjson.dumps(body), "aes128gcm")["body"]
    parts = urlsplit(subscription["endpoint"])
    claims = {
        "aud": f"{parts.scheme}://{parts.netloc}",
        "exp": int(time.time()) + SIGNED_SECONDS,
        "sub": subject,
    }
    return data, {
        **Vapid02(key).sign(claims),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(TTL),
        "Urgency": "high" if body["type"] in URGENT_KINDS else "normal",
        # A retry replaces the message that the service may still hold.
        "Topic": body["id"],
    }


def _in_each_language(body: JsonObject) -> JsonObject:
    """`x_parts` as `x_de` and so on: the service worker has no catalogue."""
    parts = {
        name.removesuffix("_parts"): body[name] for name in body if name.endswith("_parts") and body[name]
    }
    known = {
        f"{name}_{language}": in_language(language, body[name], found)
        for name, found in parts.items()
        for language in languages()
    }
    return {name: value for name, value in (body | known).items() if not name.endswith("_parts")}


def _reason_in(said: bytes) -> str:
    """Why the service refuses, as far as it says so: Apple by `{"reason": ...}`, others in a line of text."""
    text = said.decode(errors="replace").strip()
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        found = text
    if isinstance(found, dict):
        found = next(
            (found[key] for key in ("reason", "message", "error") if isinstance(found.get(key), str)), ""
        )
    is_page = not isinstance(found, str) or found.startswith("<")
    return "" if is_page else cut(" ".join(found.split()), REASON_CHARS)


def subject_of(contact: str | None, public_url: str) -> str:
    """The `sub` claim, whom the push service can write to: services refuse what is not https, or a host that only a
    local network knows."""
    parts = urlsplit(public_url)
    is_known = parts.scheme == "https" and not is_near(parts.hostname or "")
    return contact or (public_url if is_known else "mailto:pilothouse@example.com")


def _public(key: EllipticCurvePrivateKey) -> str:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return base64.urlsafe_b64encode(point).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
