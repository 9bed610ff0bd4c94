"""Which hosts are one site: the registrable domain, by the public suffix list that comes with the program."""

from __future__ import annotations

import ipaddress
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from server.browser.addresses import SCHEMES

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

_PORTS = {"http": 80, "https": 443}


@cache
def suffixes() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList  # reads a list of 16,000 names

    return PublicSuffixList()


def origin_host(url: str) -> str:
    """The host of a page as `location.host` has it: punycode in lower case, with its port unless that is the scheme's own.

    "" for everything but http and https, and for what cannot be parsed.
    """
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
        host = f"[{host}]" if ":" in host else host.encode("idna").decode() if not host.isascii() else host
    except ValueError:
        return ""
    if parts.scheme not in SCHEMES or not host:
        return ""
    return host if port in (None, _PORTS[parts.scheme]) else f"{host}:{port}"


def site_of_host(host: str) -> str:
    """The site that a host of `origin_host` belongs to. Addresses, hosts with a port and hosts without a public suffix are a
    site of their own."""
    if ":" in host or _is_address(host) or "." not in host:
        return host
    return suffixes().privatesuffix(host) or host


def fits(host: str, hosts: tuple[str, ...], *, exact: bool = False) -> bool:
    """Whether a login of these hosts may be used on `host`, all as of `origin_host`: on each of them, and unless `exact` on
    other hosts of the site of the first, its own. The others were added as hosts, not as sites."""
    if not host:
        return False
    return host in hosts or (not exact and site_of_host(host) in map(site_of_host, hosts[:1]))


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
