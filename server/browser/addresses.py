"""Which addresses a browser may be sent to. Pure.

The first wall, by the address as written; the egress proxy is the second, by the address as resolved.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from urllib.parse import urlsplit

SCHEMES = ("http", "https")
_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*):")
_HOST_AND_PORT = re.compile(r"^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}(?=[/?#]|$)")
_LOGIN = re.compile(r"(?i)\b(https?:/{2})[^\s/?#@\\]*@")
_IGNORED = re.compile(r"[\t\r\n]")
"""Characters that a browser drops from an address before it looks at the scheme."""


class AddressRefused(ValueError):
    """The address may not be opened; the text says why."""


def normal_url(text: str) -> str:
    """The address as a browser would understand it, `https://` added where it has no scheme.

    Raises AddressRefused for every scheme but http, https and about:blank.
    """
    url = _IGNORED.sub("", text).strip("".join(map(chr, range(0x21))))
    if not url:
        raise AddressRefused("the address is empty")
    if url.lower() == "about:blank":
        return "about:blank"
    scheme = _SCHEME.match(url)
    if _HOST_AND_PORT.match(url) or scheme is None:
        return _with_scheme(url.lstrip("/\\"))
    if scheme[1].lower() not in SCHEMES:
        raise AddressRefused(f"{scheme[1].lower()}: addresses are not opened, only http and https")
    return url


def _with_scheme(url: str) -> str:
    host = host_of(f"http://{url}")
    return f"{'http' if is_local_name(host) or _is_ip(host) else 'https'}://{url}"


def without_login(text: str) -> str:
    """A text without the names and passwords that addresses in it carry: they are for the site alone."""
    return _LOGIN.sub(r"\1", text)


def host_of(url: str) -> str:
    """Lower case, without port and brackets; empty when there is none."""
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""


def is_local_name(host: str) -> bool:
    return host == "localhost" or host.endswith(".localhost")


def _is_ip(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def host_matches(host: str, patterns: Iterable[str]) -> bool:
    """`example.com` names itself and what is below it, `*.example.com` only what is below it."""
    host = host.lower().rstrip(".")
    for pattern in (pattern.lower().strip().rstrip(".") for pattern in patterns):
        if pattern.startswith("*."):
            if host.endswith(pattern[1:]):
                return True
        elif pattern and (host == pattern or host.endswith(f".{pattern}")):
            return True
    return False
