"""A login by a header in which a proxy names the person whom it has logged in."""

from __future__ import annotations

import ipaddress
import logging

from starlette.datastructures import Headers
from starlette.types import Scope

from server.errors import Forbidden, NotFound
from server.settings import Settings
from wording.catalogue import sentence

logger = logging.getLogger(__name__)


class TrustedHeader:
    """Only named proxies may set it. The peer is that of the connection, whatever forwarding headers say of it."""

    def __init__(self, settings: Settings) -> None:
        self._name = settings.auth_proxy_header
        self._proxies = [ipaddress.ip_network(proxy) for proxy in settings.auth_proxies]
        self._users = settings.auth_users

    def check(self, scope: Scope, headers: Headers) -> None:
        """Raises Forbidden for a request with the header that did not come from a proxy."""
        if self._name and self._name in headers and not self._is_proxy(connected_of(scope)):
            logger.warning(
                "a request from %s was refused: it had the header %s and is not from AUTH_PROXIES",
                connected_of(scope), self._name,
            )  # fmt: skip
            raise Forbidden(sentence("request.header_not_from_proxy", header=self._name), code="proxy")

    def named(self, headers: Headers) -> str | None:
        """Whom a checked request names; None without the header."""
        names = headers.getlist(self._name) if self._name else []
        return names[0].strip() or None if len(names) == 1 else None

    def person(self, headers: Headers) -> str:
        """The name, if it is one of AUTH_USERS. Raises Forbidden, and NotFound if no proxy names anybody."""
        name = self.named(headers)
        if name is None:
            raise NotFound(sentence("login.no_proxy"))
        if not is_person(name, self._users):
            logger.warning("a proxy named %r, who is none of AUTH_USERS", name[:100])
            raise Forbidden(sentence("login.not_you", name=name[:100]), code="not_you")
        return name

    def _is_proxy(self, address: str) -> bool:
        try:
            peer = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return False
        peer = getattr(peer, "ipv4_mapped", None) or peer
        return any(peer in proxy for proxy in self._proxies)


def connected_of(scope: Scope) -> str:
    """The address of the connection's other end, `?` if it has none."""
    client = scope.get("client")
    connected: str = scope["state"].get("connected") or (client[0] if client else "?")
    return connected


def is_person(name: str, users: tuple[str, ...]) -> bool:
    """Case counts, except in e-mail addresses."""
    return name in users or ("@" in name and name.casefold() in map(str.casefold, users))
