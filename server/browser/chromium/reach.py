"""Decides what a browser may reach, by name and by resolved address. Pure except for `is_of_this_machine`."""

from __future__ import annotations

import errno
import ipaddress
import socket
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from server.browser.addresses import Address, host_matches, refuse_everywhere, unwrap
from server.browser.chromium.upstream import Upstream
from server.settings import Settings
from wording.catalogue import Wording, sentence

_CALLS_HOME = {
    "clients2.google.com",
    "update.googleapis.com",
    "optimizationguide-pa.googleapis.com",
    "content-autofill.googleapis.com",
    "safebrowsing.googleapis.com",
    "edgedl.me.gvt1.com",
    "cf.browser-use.com",
}
"""Hosts that Chromium and browser-use contact on their own: updates, autofill, extras."""

_PUBLIC_V6 = ipaddress.IPv6Network("2000::/3")
"""All assigned public unicast addresses; `is_global` of Python 3.11 allows more, such as fec0::/10."""
_NOT_PUBLIC = (
    ipaddress.IPv4Network("192.88.99.0/24"),  # relays of 6to4, withdrawn (RFC 7526)
    ipaddress.IPv6Network("3fff::/20"),  # documentation (RFC 9637), unknown to Python 3.11
)
_PRIVATE_SUFFIXES = (
    "localhost", "local", "home.arpa", "internal", "intranet", "private", "corp", "home", "lan",
)  # fmt: skip
"""Suffixes absent from public DNS: RFC 6761, 6762 (with appendix G) and 8375, and ICANN's `internal`."""


@dataclass(frozen=True)
class Reach:
    """The network rules of one server. The `refuse_` methods return a reason for refusal, or None."""

    private_network: Literal["always", "by name", "never"]
    """Which names may lead to private addresses; `by name`: those that cannot be registered publicly."""
    allowed_hosts: Collection[str] = ()
    blocked_hosts: Collection[str] = ()
    own_ports: Callable[[], Collection[int]] = field(default=lambda: ())
    """Local ports of this product: the service, DevTools relays, proxies, database."""
    own_names: Collection[tuple[str, int]] = ()
    """Hosts and ports of this product's parts on other machines, such as database, Redis and browser hosts."""
    upstream: Upstream | None = None
    """The proxy of the session, through which the connections leave."""

    @classmethod
    def of(cls, settings: Settings, ports: Callable[[], Collection[int]]) -> Reach:
        parts = ((settings.database, 5432), (settings.redis_url or "", 6379))
        hosts = ((url, 443 if url.startswith("https:") else 80) for url in settings.browser_hosts)
        found = ((urlsplit(url), usual) for url, usual in (*parts, *hosts))
        # A file, such as of SQLite, has no host.
        names = tuple((url.hostname, url.port or usual) for url, usual in found if url.hostname)
        fixed = {settings.port, *(port for _, port in names if port not in (80, 443))}
        return cls(
            settings.private_network,
            settings.allowed_hosts,
            settings.blocked_hosts,
            own_ports=lambda: fixed | set(ports()),
            own_names=names,
        )

    def refuse_name(self, host: str, port: int) -> Wording | None:
        if (host, port) in self.own_names:
            return sentence("address.own")
        if host in _CALLS_HOME:
            return sentence("address.calls_home")
        if host_matches(host, self.blocked_hosts):
            return sentence("address.blocked_host")
        if self.allowed_hosts and not host_matches(host, self.allowed_hosts):
            return sentence("address.not_allowed_host")
        return None

    def refuse_address(self, host: str, address: Address, port: int) -> Wording | None:
        """`host` is the name that was resolved to `address`: private addresses may be allowed by name."""
        address = unwrap(address)
        if why := refuse_everywhere(address):
            return why
        if port in self.own_ports() and is_of_this_machine(address):
            return sentence("address.own_port")
        if not is_public(address) and port in self._ports_of_parts:  # under another name, or by its address
            return sentence("address.own_port")
        if not is_public(address) and not self._may_be_private(host):
            return sentence("address.private")
        return None

    @property
    def _ports_of_parts(self) -> set[int]:
        return {port for _, port in self.own_names if port not in (80, 443)}

    def _may_be_private(self, host: str) -> bool:
        if self.private_network == "always" or host_matches(host, self.allowed_hosts):
            return True
        return self.private_network == "by name" and is_private_name(host)


def is_private_name(host: str) -> bool:
    """Whether only the operator of this network can make the name resolve to a private address.

    True for IP literals, names without a dot and names below `_PRIVATE_SUFFIXES`: public DNS has none of
    them, so no outsider can point one of them at this machine.
    """
    return "." not in host or host_matches(host, _PRIVATE_SUFFIXES) or _is_literal(host)


def _is_literal(host: str) -> bool:
    """Whether the host is an IP literal, including `inet_aton` forms such as 127.1 (last part a number)."""
    last = host.rpartition(".")[2]
    return ":" in host or last.isdecimal() or last.lower().startswith("0x")


def is_public(address: Address) -> bool:
    """Whether the address, already unwrapped, is a public internet address."""
    if address.version == 6 and address not in _PUBLIC_V6:
        return False
    return address.is_global and not any(
        address in network for network in _NOT_PUBLIC if network.version == address.version
    )


def is_of_this_machine(address: Address) -> bool:
    """Whether the address is local; True also if unknown, e.g. because no file descriptor is free."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))  # only a local address can be bound
    except OSError as error:
        return error.errno != errno.EADDRNOTAVAIL
    return True
