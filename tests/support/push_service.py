"""A push service on loopback (RFC 8030) with devices that decrypt what they get (RFC 8291) and check who signed it (RFC 8292)."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import threading
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import http_ece
from aiohttp import web
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.support.aiohttp_servers import close, listen


@dataclass(frozen=True)
class Pushed:
    headers: dict[str, str]
    text: str
    """What the device has decrypted."""
    at: float
    """Unix time."""

    @property
    def body(self) -> dict[str, Any]:
        return dict(json.loads(self.text))


@dataclass
class Device:
    """A subscription of a browser: it takes only what the holder of `server_key` has signed."""

    endpoint: str
    server_key: str | None = None
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    auth: bytes = field(default_factory=lambda: os.urandom(16))
    received: list[Pushed] = field(default_factory=list)

    @property
    def keys(self) -> dict[str, str]:
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {"p256dh": encode(point), "auth": encode(self.auth)}

    def decrypt(self, data: bytes) -> str:
        text: bytes = http_ece.decrypt(data, private_key=self.key, auth_secret=self.auth, version="aes128gcm")
        return text.decode()


class PushService:
    """`devices` by the last part of their endpoint. An unknown one is answered 410, as if it had unsubscribed."""

    def __init__(self) -> None:
        self.url = ""
        self.devices: dict[str, Device] = {}
        self.answers: list[int] = []
        self.reason = ""
        """The body of an answer that is none of success."""
        """Answered instead, first one first."""

    def subscribe(self, server_key: str | None = None) -> Device:
        name = encode(os.urandom(12))
        self.devices[name] = Device(f"{self.url}/push/{name}", server_key)
        return self.devices[name]

    async def take(self, request: web.Request) -> web.Response:
        if self.answers:
            return web.Response(status=self.answers.pop(0), text=self.reason)
        device = self.devices.get(request.match_info["name"])
        if device is None:
            return web.Response(status=410)
        headers = {name.lower(): value for name, value in request.headers.items()}
        if headers.get("content-encoding") != "aes128gcm" or not headers.get("ttl", "").isdigit():
            return web.Response(status=400)
        if not self.is_signed(headers.get("authorization", ""), device):
            return web.Response(status=403)
        body = await request.read()
        if len(body) > 4096:
            return web.Response(status=413)
        device.received.append(Pushed(headers, device.decrypt(body), time.time()))
        return web.Response(status=201, headers={"location": f"{self.url}/message/1"})

    def is_signed(self, authorization: str, device: Device) -> bool:
        """Whether it is a token for this service that holds now, signed by the key the device has subscribed with."""
        scheme, _, rest = authorization.partition(" ")
        fields = dict(part.strip().partition("=")[::2] for part in rest.split(","))
        if scheme != "vapid" or device.server_key not in (None, fields.get("k")):
            return False
        signed, _, signature = fields["t"].rpartition(".")
        raw = decode(signature)
        point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode(fields["k"]))
        point.verify(
            encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:])),
            signed.encode(), ec.ECDSA(hashes.SHA256()),
        )  # fmt: skip
        claims = json.loads(decode(signed.partition(".")[2]))
        is_now = time.time() < claims["exp"] <= time.time() + 86_400
        return bool(claims["aud"] == self.url and is_now and claims["sub"].startswith(("mailto:", "https:")))


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@asynccontextmanager
async def push_service() -> AsyncIterator[PushService]:
    """Listens on a free port of loopback."""
    service = PushService()
    app = web.Application()
    app.router.add_post("/push/{name}", service.take)
    runner = web.AppRunner(app, shutdown_timeout=0)
    listener = await listen(runner)
    host, port = runner.addresses[0][:2]
    service.url = f"http://{host}:{port}"
    try:
        yield service
    finally:
        await close(runner, listener)


@contextmanager
def push_service_in_thread() -> Iterator[PushService]:
    """The same for tests that are not asynchronous."""
    started: Future[tuple[PushService, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def serve() -> None:
        stop = asyncio.Event()
        async with push_service() as service:
            started.set_result((service, asyncio.get_running_loop(), stop))
            await stop.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    service, loop, stop = started.result()
    yield service
    loop.call_soon_threadsafe(stop.set)
    thread.join()
