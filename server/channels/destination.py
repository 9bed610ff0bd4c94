"""Where messages may be sent: the rules for private addresses, and the failure to send."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from server.browser.chromium.reach import Reach


class SendFailed(Exception):
    """The message was not taken; the text says why."""


def check_place(reach: Reach, host: str, port: int) -> None:
    """Raises SendFailed for a host that is an address which may not be reached, or a part of this product."""
    if (host, port) in reach.own_names:
        raise SendFailed("it belongs to Pilothouse itself")
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return
    if why := reach.refuse_address(host, address, port):
        raise SendFailed(f"{host} may not be reached: {why}")


def place_of(url: str) -> tuple[str, int]:
    """Host and port of an http or https URL. Raises SendFailed."""
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        raise SendFailed("the address is not valid") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SendFailed("a webhook's address begins with https:// or http://")
    return parts.hostname, port
