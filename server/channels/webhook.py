"""Sends a message to a webhook: JSON, signed, to an address that the rules for private addresses allow."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import socket
import time
from collections.abc import Callable

import aiohttp
import orjson
from aiohttp.abc import AbstractResolver, ResolveResult

from server.browser.chromium.reach import Reach
from server.channels.destination import SendFailed, check_place, place_of
from server.ops.json_types import JsonObject

SIGNATURE = "Pilothouse-Signature"
SECONDS = 10.0
"""For one try."""


def sign(secret: str, body: bytes, moment: int) -> str:
    """The value of the signature's header: `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">`."""
    digest = hmac.new(secret.encode(), b"%d." % moment + body, hashlib.sha256).hexdigest()
    return f"t={moment},v1={digest}"


class CheckedResolver(AbstractResolver):
    """Resolves names to addresses that may be reached: the connection goes to what was checked."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach
        self._inner = aiohttp.ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._inner.resolve(host, port, family)
        allowed = []
        for place in found:
            why = self._reach.refuse_address(
                host, ipaddress.ip_address(place["host"].partition("%")[0]), port
            )
            if why is None:
                allowed.append(place)
        if not allowed:
            raise SendFailed(f"{host} may not be reached: {why}")
        return allowed

    async def close(self) -> None:
        await self._inner.close()


async def send_webhook(
    url: str, secret: str, body: JsonObject, reach: Reach, clock: Callable[[], float] = time.time
) -> None:
    """POST the body; any 2xx takes it. Redirects are not followed. Raises SendFailed."""
    check_place(reach, *place_of(url))
    data = orjson.dumps(body)
    headers = {"Content-Type": "application/json", SIGNATURE: sign(secret, data, int(clock()))}
    connector = aiohttp.TCPConnector(resolver=CheckedResolver(reach), use_dns_cache=False)
    timeout = aiohttp.ClientTimeout(total=SECONDS)
    try:
        async with (
            aiohttp.ClientSession(connector=connector, timeout=timeout, trust_env=False) as client,
            client.post(url, data=data, headers=headers, allow_redirects=False) as answer,
        ):
            if not 200 <= answer.status < 300:
                raise SendFailed(f"it answered {answer.status}")
    except TimeoutError:
        raise SendFailed(f"it did not answer within {SECONDS:.0f} s") from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise SendFailed(f"it cannot be reached ({type(error).__name__})") from None
