"""The hosts of a login, as a person or a file names them. Which pages they fit is in `server.browser.sites`."""

from __future__ import annotations

from urllib.parse import urlsplit

import idna

from server.browser.addresses import normal_url
from server.browser.sites import origin_host
from server.errors import BadRequest
from wording.catalogue import sentence

MAX_LOGIN_HOST = 255


def read_host(text: str) -> str:
    """The host of a name or an address, as `origin_host` writes it. Raises BadRequest."""
    try:
        url = normal_url(text)
        name = urlsplit(url).hostname or ""
        # Not Python's own codec, which follows rules that browsers have left: its name for straße.example is another one.
        host = origin_host(url if name.isascii() else f"https://{idna.encode(name, uts46=True).decode()}")
    except (ValueError, UnicodeError):
        host = ""
    if not host or len(host) > MAX_LOGIN_HOST:
        raise BadRequest(sentence("vault.bad_host"), code="bad_host")
    return host
