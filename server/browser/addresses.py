"""Checks which URLs a browser may navigate to. Pure functions.

This first check uses the URL as written; the egress proxy checks the resolved address.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from urllib.parse import urljoin, urlsplit

from server.errors import Explained
from wording.catalogue import Wording, sentence

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_METADATA = {
    ipaddress.ip_address(text)
    for text in (
        "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:42::42",
    )
}  # fmt: skip
_METADATA_NETWORK = ipaddress.IPv6Network("fd00:ec2::/32")
"""Metadata services of clouds, which serve a machine's credentials; those of IPv4 are link-local as a rule."""
_NAT64 = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))
_COMPATIBLE = ipaddress.IPv6Network("::/96")
_NEVER_V4 = ipaddress.IPv4Network("240.0.0.0/4")

SCHEMES = ("http", "https")
_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*):")
_HOST_AND_PORT = re.compile(r"^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}(?=[/?#]|$)")
_LOGIN = re.compile(r"(?i)\b(https?:/{2})[^\s/?#@\\]*@")
_NOT_OF_A_HOST = re.compile(r"[\s<>^|]")
_IGNORED = re.compile(r"[\t\r\n]")
"""Characters that a browser removes from a URL before it parses the scheme."""


class AddressRefused(Explained, ValueError):
    """The URL may not be opened; the message gives the reason."""


def normal_url(text: str) -> str:
    """Normalise a URL as a browser would, adding a scheme if it has none.

    The added scheme is `http` for IP addresses and localhost names, else `https`. Raises AddressRefused if
    the URL is empty, its scheme is not http or https, or it has no host or no valid port; about:blank is allowed.
    """
    url = _IGNORED.sub("", text).strip("".join(map(chr, range(0x21))))
    if not url:
        raise AddressRefused(sentence("address.empty"))
    if url.lower() == "about:blank":
        return "about:blank"
    scheme = _SCHEME.match(url)
    if _HOST_AND_PORT.match(url) or scheme is None:
        bare = url.lstrip("/\\")
        host = host_of(f"http://{bare}")
        return _checked(f"{'http' if is_local_name(host) or _is_ip(host) else 'https'}://{bare}")
    if scheme[1].lower() not in SCHEMES:
        raise AddressRefused(sentence("address.bad_scheme", scheme=scheme[1].lower()))
    return _checked(url)


def _checked(url: str) -> str:
    """Browser tools would open something else instead of a URL without a host or with a bad port."""
    rest = url.partition(":")[2].replace("\\", "/").lstrip("/")
    try:
        parts = urlsplit(f"http://{rest}")
        host = parts.hostname or ""
        is_valid = host != "" and not _NOT_OF_A_HOST.search(host) and parts.port != 0
    except ValueError:
        is_valid = False
    if not is_valid:
        raise AddressRefused(sentence("address.incomplete"))
    return url


def without_login(text: str) -> str:
    """Remove user names and passwords from all URLs in the text: they are meant for the site only."""
    return _LOGIN.sub(r"\1", text)


def host_of(url: str) -> str:
    """Return the host in lower case, without port and brackets; empty if the URL has none."""
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""


def is_local_name(host: str) -> bool:
    return host == "localhost" or host.endswith(".localhost")


def is_near(host: str) -> bool:
    """An IP address, or a name that only a local network knows: such hosts often have no certificate."""
    ends = (".localhost", ".local", ".lan", ".internal", ".home.arpa")
    return _is_ip(host) or "." not in host or host.endswith(ends)


def has_scheme(text: str) -> bool:
    return _SCHEME.match(text) is not None and _HOST_AND_PORT.match(text) is None


def _is_ip(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def host_matches(host: str, patterns: Iterable[str]) -> bool:
    """`example.com` matches itself and its subdomains, `*.example.com` only subdomains."""
    host = host.lower().rstrip(".")
    for pattern in (pattern.lower().strip().rstrip(".") for pattern in patterns):
        if pattern.startswith("*."):
            if host.endswith(pattern[1:]):
                return True
        elif pattern and (host == pattern or host.endswith(f".{pattern}")):
            return True
    return False


def unwrap(address: Address) -> Address:
    """Return the IPv4 address embedded in an IPv6 address, else the address itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if inner := address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]:
        return inner
    is_compatible = address in _COMPATIBLE and int(address) > 1
    if is_compatible or any(address in network for network in _NAT64):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def refuse_everywhere(address: Address) -> Wording | None:
    """Why no part of the product connects to the resolved address, whatever is configured; None if it may."""
    address = unwrap(address)
    if address in _METADATA or address in _METADATA_NETWORK or address.is_link_local:
        return sentence("address.metadata")
    if address.is_multicast or (address.version == 4 and address in _NEVER_V4):
        return sentence("address.no_web_server")
    return None


def site_of(url: str) -> str:
    """The host of a URL, with its port if the URL has one; "" if it has no host."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    host = (parts.hostname or "").removeprefix("www.")
    try:
        return f"{host}:{parts.port}" if host and parts.port else host
    except ValueError:
        return host


def joined(here: str, href: str) -> str:
    """Where a link leads; an address that cannot be parsed is returned unchanged."""
    try:
        return urljoin(here, href)
    except ValueError:
        return href
