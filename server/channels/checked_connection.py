"""Keeps the connections that a library opens to addresses that may be reached.

A library resolves names itself, right before it connects. The interpreter reports both to its audit hooks, with the
address that is connected to, and a hook can refuse it. Whatever a name said before does not count.
"""

from __future__ import annotations

import ipaddress
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from server.browser.chromium.reach import Reach
from wording.catalogue import Wording, sentence

_RESOLVED = ("socket.getaddrinfo", "socket.gethostbyname")
_REACHED = ("socket.connect", "socket.sendto", "socket.sendmsg")
_here = threading.local()


class Connections:
    """What the current thread connects to. `refused` says why a connection was refused, None if none was."""

    def __init__(self, reach: Reach) -> None:
        self.refused: Wording | None = None
        self._reach = reach
        self._name = ""

    def resolve(self, name: object) -> None:
        self._name = (name.decode() if isinstance(name, bytes) else str(name or "")).lower().rstrip(".")

    def check(self, address: object) -> None:
        """Raises PermissionError, after which a library tries the name's next address."""
        if why := self._why_not(address):
            self.refused = sentence(
                "channel.forbidden_host", host=self._name or sentence("channel.some_address"), why=why
            )
            raise PermissionError(self.refused)

    def _why_not(self, address: object) -> Wording | None:
        try:
            host, port = address[0], address[1]  # type: ignore[index]
            place = ipaddress.ip_address(str(host).partition("%")[0])
        except (ValueError, TypeError, IndexError):
            return sentence("channel.no_network_address")
        if (self._name, port) in self._reach.own_names:
            return sentence("address.own")
        return self._reach.refuse_address(self._name, place, port)


@contextmanager
def checked_connections(reach: Reach) -> Iterator[Connections]:
    """Check all connections that this thread opens until the end."""
    _listen()
    _here.connections = connections = Connections(reach)
    try:
        yield connections
    finally:
        del _here.connections


@cache
def _listen() -> None:
    """Once for the process: a hook cannot be removed."""
    sys.addaudithook(_on_event)


def _on_event(event: str, args: tuple[object, ...]) -> None:
    if event not in _RESOLVED and event not in _REACHED:
        return
    connections: Connections | None = getattr(_here, "connections", None)
    if connections is None:
        return
    if event in _RESOLVED:
        connections.resolve(args[0])
    elif args[1] is not None:  # a connected socket sends to no address of its own
        connections.check(args[1])
