"""The cookies of one site: read from a browser, and set in another one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from server.browser.sites import site_of_host
from server.ops.json_types import JsonObject

if TYPE_CHECKING:
    from server.browser.chromium.cdp import Cdp
    from server.browser.chromium.running import RunningChromium

KEPT = ("name", "value", "domain", "path", "secure", "httpOnly", "sameSite", "partitionKey", "sourceScheme")

Prepare = Callable[[str, "RunningChromium"], Awaitable[None]]
"""What is done with the browser of a session, by its id, when it has started, before its first page."""


async def no_preparation(session_id: str, chromium: RunningChromium) -> None:
    pass


def cookie_site(url: str) -> str:
    """The site of an address as cookies have it: without its port. "" for everything but http and https."""
    parts = urlsplit(url)
    return site_of_host((parts.hostname or "").rstrip(".")) if parts.scheme in ("http", "https") else ""


async def read_cookies_of(cdp: Cdp, site: str) -> list[JsonObject]:
    """Those of this site's hosts, and of no other site that shows it in a frame. Raises CdpError."""
    found = (await cdp.send("Storage.getCookies"))["cookies"]
    return [cookie for cookie in found if is_of(cookie, site)]


def is_of(cookie: JsonObject, site: str) -> bool:
    top = cookie.get("partitionKey", {}).get("topLevelSite")
    return site_of_host(cookie["domain"].lstrip(".")) == site and (top is None or cookie_site(top) == site)


def as_set(cookie: JsonObject, until: float) -> JsonObject:
    """The parameters that set it. `until`: seconds since 1970 after which it has ended at the latest."""
    values = {name: cookie[name] for name in KEPT if name in cookie}
    if not cookie["domain"].startswith(
        "."
    ):  # of this host only; a domain would make it one of the subdomains, too
        scheme = "https" if cookie["secure"] else "http"
        values |= {"url": f"{scheme}://{cookie['domain']}{cookie['path']}"}
        values.pop("domain")
    return values if cookie["session"] else {**values, "expires": min(cookie["expires"], until)}


async def set_cookies(cdp: Cdp, cookies: Sequence[JsonObject], until: float, *, only_missing: bool) -> None:
    """Raises CdpError."""
    there = (
        {name_of(cookie) for cookie in (await cdp.send("Storage.getCookies"))["cookies"]}
        if only_missing
        else set()
    )
    wanted = [as_set(cookie, until) for cookie in cookies if name_of(cookie) not in there]
    if wanted:
        await cdp.send("Storage.setCookies", {"cookies": wanted})


def name_of(cookie: JsonObject) -> tuple[str, str, str]:
    return cookie["name"], cookie["domain"], cookie["path"]
