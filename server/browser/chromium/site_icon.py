"""Reads the icon of a page's site, through the browser and from where the page says it is."""

from __future__ import annotations

import base64
import binascii

from server.browser.chromium.page_monitor import PageMonitor
from server.browser.chromium.watched_page import WatchedPage

MAX_ICON_BYTES = 200_000
PLACES = 3
ICON_SECONDS = 3.0
ICONS_SCRIPT = r"""() => {
  const size = link => parseInt(link.getAttribute('sizes')) || 16;
  const links = [...document.querySelectorAll('link[rel~="icon" i][href]')]
    .filter(link => !/svg/i.test(link.type) && !/\.svg([?#]|$)/i.test(link.href))
    .sort((a, b) => Math.abs(size(a) - 32) - Math.abs(size(b) - 32));
  return [...links.map(link => link.href), new URL('/favicon.ico', location.href).href];
}"""


async def read_site_icon(monitor: PageMonitor, page: WatchedPage) -> bytes | None:
    """The icon file; None if the site has none. Raises CdpError."""
    if not page.document.startswith(("http://", "https://")) or page.dialog or page.is_crashed:
        return None
    found = await monitor.evaluate(ICONS_SCRIPT, page, deadline=ICON_SECONDS)
    places = [place for place in found if isinstance(place, str)] if isinstance(found, list) else []
    for place in places[:PLACES]:
        if data := await _read(monitor, page, place):
            return data
    return None


async def _read(monitor: PageMonitor, page: WatchedPage, place: str) -> bytes | None:
    if place.startswith("data:image/"):
        head, _, data = place.partition(",")
        return _decoded(data) if head.endswith(";base64") else None
    if not place.startswith(("http://", "https://")):
        return None
    params = {
        "frameId": page.target, "url": place, "options": {"disableCache": False, "includeCredentials": False},
    }  # fmt: skip
    answer = await monitor.cdp.send(
        "Network.loadNetworkResource", params, session=page.session, deadline=ICON_SECONDS
    )
    resource = answer["resource"]
    if not resource.get("stream"):
        return None
    try:
        is_there = resource.get("success") and resource.get("httpStatusCode") == 200
        return await _drain(monitor, page, resource["stream"]) if is_there else None
    finally:
        await monitor.cdp.send("IO.close", {"handle": resource["stream"]}, session=page.session)


async def _drain(monitor: PageMonitor, page: WatchedPage, handle: str) -> bytes | None:
    """None if it is larger than MAX_ICON_BYTES."""
    data = b""
    while len(data) <= MAX_ICON_BYTES:
        part = await monitor.cdp.send(
            "IO.read", {"handle": handle, "size": MAX_ICON_BYTES}, session=page.session, deadline=ICON_SECONDS
        )
        chunk = part["data"]
        data += base64.b64decode(chunk) if part.get("base64Encoded") else chunk.encode()
        if part["eof"]:
            return data
    return None


def _decoded(data: str) -> bytes | None:
    try:
        return base64.b64decode(data, validate=True) if len(data) < 2 * MAX_ICON_BYTES else None
    except (binascii.Error, ValueError):
        return None
