"""Loads the file that a tab shows, such as a PDF, by the page's own network access."""

from __future__ import annotations

import asyncio
import base64

from server.browser.chromium.cdp import Cdp, CdpError

_RESOURCE_CHUNK = 1_000_000


async def load_resource(
    cdp: Cdp, session: str, frame: str, url: str, *, most_bytes: int, deadline: float = 20
) -> bytes:
    """Fetch `url` as the frame would, with its cookies, from the cache if it is there, through the egress proxy.

    Raises CdpError, also if it has more than `most_bytes`.
    """
    options = {"disableCache": False, "includeCredentials": True}
    try:
        async with asyncio.timeout(deadline):
            asked = {"frameId": frame, "url": url, "options": options}
            found = await cdp.send("Network.loadNetworkResource", asked, session=session, deadline=deadline)
            resource = found["resource"]
            if not resource.get("success") or "stream" not in resource:
                raise CdpError(
                    f"not loaded: {resource.get('netErrorName') or resource.get('httpStatusCode')}"
                )
            return await _read_stream(cdp, session, resource["stream"], most_bytes)
    except TimeoutError:
        raise CdpError(f"not loaded within {deadline:g} s") from None


async def _read_stream(cdp: Cdp, session: str, stream: str, most_bytes: int) -> bytes:
    data = bytearray()
    try:
        while True:
            part = await cdp.send("IO.read", {"handle": stream, "size": _RESOURCE_CHUNK}, session=session)
            text = part["data"]
            data += base64.b64decode(text) if part.get("base64Encoded") else text.encode()
            if len(data) > most_bytes:
                raise CdpError(f"more than {most_bytes} bytes")
            if part["eof"]:
                return bytes(data)
    finally:
        await cdp.send("IO.close", {"handle": stream}, session=session)
