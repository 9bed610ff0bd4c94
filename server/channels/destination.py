"""Where messages may be sent: the rules for private addresses, and the failure to send."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from server.browser.chromium.reach import Reach
from server.errors import Explained
from wording.catalogue import sentence

if TYPE_CHECKING:
    from yarl import URL


class SendFailed(Explained):
    """The message was not taken; the text says why."""


def check_place(reach: Reach, host: str, port: int) -> None:
    """Raises SendFailed for a host that is an address which may not be reached, or a part of this product."""
    if (host, port) in reach.own_names:
        raise SendFailed(sentence("address.own"))
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return
    if why := reach.refuse_address(host, address, port):
        raise SendFailed(sentence("channel.forbidden_host", host=host, why=why))


def checked_url(text: str, reach: Reach) -> URL:
    """The http or https URL that the HTTP client will open, its place checked. Raises SendFailed.

    Parsed by the client's own library: another one would take a host such as `①②⑦.0.0.1` for a name.
    """
    from yarl import URL

    try:
        url = URL(text)
        host, port = (url.host or "").rstrip("."), url.port or 0
    except ValueError:
        raise SendFailed(sentence("channel.bad_address")) from None
    if url.scheme not in ("http", "https") or not host:
        raise SendFailed(sentence("channel.webhook_scheme"))
    check_place(reach, host, port)
    return url
