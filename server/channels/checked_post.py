"""A POST to an address that the rules for private addresses allow. Redirects are not followed."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Mapping

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from server.browser.chromium.reach import Reach
from server.channels.destination import SendFailed, checked_url
from wording.catalogue import sentence

POST_SECONDS = 10.0
"""For one try."""
MAX_REASON_BYTES = 1000


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
            raise SendFailed(sentence("channel.forbidden_host", host=host, why=why or ""))
        return allowed

    async def close(self) -> None:
        await self._inner.close()


async def post(url: str, data: bytes, headers: Mapping[str, str], reach: Reach) -> tuple[int, bytes]:
    """The status of the answer, and the first MAX_REASON_BYTES of its body. Raises SendFailed if there is none."""
    target = checked_url(url, reach)
    connector = aiohttp.TCPConnector(resolver=CheckedResolver(reach), use_dns_cache=False)
    timeout = aiohttp.ClientTimeout(total=POST_SECONDS)
    try:
        async with (
            aiohttp.ClientSession(connector=connector, timeout=timeout, trust_env=False) as client,
            client.post(target, data=data, headers=headers, allow_redirects=False) as answer,
        ):
            return answer.status, await answer.content.read(MAX_REASON_BYTES)
    except TimeoutError:
        raise SendFailed(sentence("channel.no_answer", seconds=POST_SECONDS)) from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise SendFailed(sentence("channel.unreachable", why=type(error).__name__)) from None
