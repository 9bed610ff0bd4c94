"""The SOCKS5 proxy through which a browser reaches the network; it checks resolved addresses.

Names are resolved here, not in the browser. Redirects, frames, fetches and WebSockets all pass the same check
of the resolved address right before the connection is made.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import re
import socket
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, Protocol

from server.browser.addresses import Address
from server.browser.chromium.reach import Reach
from server.browser.chromium.upstream import ProxyRefused, Streams
from server.errors import Explained
from wording.catalogue import Wording, sentence

log = logging.getLogger(__name__)

CONNECT_DEADLINE = 10.0
_SOCKET_CHUNK = 256 * 1024
_VERSION, _CONNECT = 5, 1
_GRANTED, _SOCKS_FAILURES, _NOT_ALLOWED, _UNREACHABLE_REPLIES, _BAD_COMMAND = 0, 1, 2, 4, 7
_NO_ADDRESS = ipaddress.IPv4Address("0.0.0.0")
"""Of a site of this process."""
_HTTP = re.compile(rb"^[A-Z]{3,10} /")
_UPGRADE = re.compile(rb"\r\nupgrade: *websocket", re.IGNORECASE)
_ALPN_OF_SOCKETS = b"\x00\x10\x00\x0b\x00\x09\x08http/1.1"
"""The whole extension of TLS that names the protocols on offer, if that is the only one."""


Resolve = Callable[[str, int], Awaitable[Sequence[Address]]]
"""Resolves a host and port to addresses. Raises socket.gaierror."""
InnerSites = Mapping[str, Callable[[], Awaitable[Streams]]]
"""Sites of this process by host name, each with what opens a connection to it: they have no address in the network."""


@dataclass(eq=False)
class SocketConnection:
    """A connection that carries messages of a WebSocket."""

    host: str
    port: int
    _visit: asyncio.Task[None]

    def cut(self) -> None:
        """End it. What has not left does not leave."""
        self._visit.cancel()


class SocketGate(Protocol):
    """Who decides when a page's messages may leave."""

    async def pass_bytes(self, connection: SocketConnection) -> None:
        """Return once bytes of the page that have come over this connection may leave; do not, if they may not."""
        ...


class Refused(Explained):
    """The rules forbid this target; the message gives the reason."""


@dataclass
class _Visit:
    """One connection of the browser; `target` (host, address, port) is set once it is connected."""

    task: asyncio.Task[None]
    target: tuple[str, Address, int] | None = None
    is_refused: bool = False


class Egress:
    """One proxy on a loopback port. `last_refusal` describes the last target that was not reached."""

    def __init__(
        self, reach: Reach, resolve: Resolve | None = None, inner_sites: InnerSites | None = None
    ) -> None:
        self.port = 0
        """0 until the proxy is started."""
        self.last_refusal: tuple[float, Wording] | None = None
        """Monotonic time in seconds, and a sentence."""
        self.on_refusal: Callable[[Wording], None] = lambda refusal: None
        """Called with each `last_refusal`."""
        self.reach = reach
        self._resolve = resolve or resolve_by_system
        self._inner_sites = inner_sites or {}
        self._server: asyncio.Server | None = None
        self._visits: dict[asyncio.Task[None], _Visit] = {}
        self.gates: list[SocketGate] = []
        self.sockets: list[SocketConnection] = []
        """Those that are open."""

    @property
    def url(self) -> str:
        return f"socks5://127.0.0.1:{self.port}"

    def use(self, reach: Reach) -> None:
        """Replace the rules, and close open connections that they forbid: browsers reuse connections.

        Those that wait for a request to refuse are closed too: the next request to the host may be allowed. So are
        all, where they would leave another way now.
        """
        is_another_way = reach.upstream != self.reach.upstream
        self.reach = reach
        for visit, known in self._visits.items():
            if is_another_way or known.is_refused or (known.target and self._refusal_of(*known.target)):
                visit.cancel()

    def _refusal_of(self, host: str, address: Address, port: int) -> Wording | None:
        refusal = self.reach.refuse_name(host, port)
        return (
            refusal
            if refusal or host in self._inner_sites
            else self.reach.refuse_address(host, address, port)
        )

    async def start(self) -> None:
        # `start_server` pauses once after it has begun to listen: who is cancelled there has a socket to close.
        self._server = await asyncio.start_server(
            self._serve, "127.0.0.1", 0, limit=_SOCKET_CHUNK, start_serving=False
        )
        await self._server.start_serving()
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        if self._server is None:
            return
        self._server.close()
        await asyncio.sleep(0)  # lets a connection that was just accepted register in `_visits`
        for visit in self._visits:
            visit.cancel()
        await asyncio.gather(*self._visits, return_exceptions=True)
        await asyncio.sleep(0)  # lets the transports finish closing before this returns

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visit = asyncio.current_task()
        assert visit is not None
        self._visits[visit] = _Visit(visit)
        try:
            await self._visit(reader, writer, self._visits[visit])
        except (OSError, EOFError):
            log.debug("a connection of the browser ended early")
        except asyncio.CancelledError:  # cancelled by us; Python 3.11 would log it as an error if raised
            writer.transport.abort()
        finally:
            del self._visits[visit]
            writer.close()

    async def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, known: _Visit) -> None:
        async with asyncio.timeout(CONNECT_DEADLINE):
            target = await _read_target(reader, writer)
        if target is None:
            return
        host, port = target
        try:
            there, peer = await self._connect(host, port)
        except Refused as refused:
            blocked = sentence("egress.blocked", host=host, why=refused.why)
            self._remember(blocked)
            known.is_refused = True
            await _explain(reader, writer, port, blocked)
        except ProxyRefused as refused:
            self._remember(sentence("egress.proxy", why=refused.why))
            writer.write(_answer(_SOCKS_FAILURES))
        except socket.gaierror:
            self._remember(sentence("address.unknown_name", host=host))
            writer.write(_answer(_UNREACHABLE_REPLIES))
        except (OSError, TimeoutError):
            writer.write(_answer(_SOCKS_FAILURES))
        else:
            known.target = host, peer, port
            writer.write(_answer(_GRANTED))
            await _join((reader, writer), there, partial(self._send_on, known))

    async def _send_on(self, known: _Visit, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        """Copy what the browser sends; the messages of pages pass the gates first."""
        data = await _first_bytes(source)
        if not (opens_socket(data) and known.target):
            sink.write(data)
            return await _copy(source, sink)
        connection = SocketConnection(known.target[0], known.target[2], known.task)
        self.sockets.append(connection)
        try:
            while data:
                for gate in self.gates:
                    await gate.pass_bytes(connection)
                sink.write(data)
                await sink.drain()
                data = await source.read(_SOCKET_CHUNK)
        finally:
            self.sockets.remove(connection)
        with suppress(OSError, RuntimeError):
            sink.write_eof()

    async def _connect(self, host: str, port: int) -> tuple[Streams, Address]:
        """Connect to the checked address, not to the name, which may change. Raises Refused, ProxyRefused, OSError.

        Returns the address, too. A proxy is given it, not the name: what that leads to there is not known here.
        """
        if why := self.reach.refuse_name(host, port):
            raise Refused(why)
        if inner := self._inner_sites.get(host):
            if port != 80:
                raise OSError("it has one port")
            return await inner(), _NO_ADDRESS
        async with asyncio.timeout(CONNECT_DEADLINE):
            found = await self._resolve(host, port)
        failure: Exception = OSError("no address")
        for address in found:
            if why := self.reach.refuse_address(host, address, port):
                failure = Refused(why)
                continue
            try:
                async with asyncio.timeout(CONNECT_DEADLINE):
                    there = await self._open(address, port)
            except (OSError, TimeoutError) as error:
                failure = error
                continue
            if why := self._refusal_of(host, address, port):  # the rules were replaced while it was made
                there[1].close()
                failure = Refused(why)
                continue
            return there, address
        raise failure

    async def _open(self, address: Address, port: int) -> Streams:
        upstream = self.reach.upstream
        if upstream is None:
            return await asyncio.open_connection(str(address), port, limit=_SOCKET_CHUNK)
        return await upstream.connect(address, port)

    def _remember(self, refusal: Wording) -> None:
        log.info("egress: %s", refusal)
        self.last_refusal = monotonic(), refusal
        self.on_refusal(refusal)


async def resolve_by_system(host: str, port: int) -> Sequence[Address]:
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [_address_of(place) for _, _, _, _, place in found]


def _address_of(place: Sequence[object]) -> Address:
    """Return the IP address of a socket address, without its zone."""
    return ipaddress.ip_address(str(place[0]).partition("%")[0])


async def _read_target(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[str, int] | None:
    """Do the RFC 1928 handshake and return the target host and port; None if it is no SOCKS5 CONNECT."""
    version, methods = await reader.readexactly(2)
    if version != _VERSION:
        return None
    await reader.readexactly(methods)
    writer.write(bytes((_VERSION, 0)))
    version, command, _, kind = await reader.readexactly(4)
    if kind == 1:
        host = str(ipaddress.IPv4Address(await reader.readexactly(4)))
    elif kind == 4:
        host = str(ipaddress.IPv6Address(await reader.readexactly(16)))
    else:
        host = (await reader.readexactly((await reader.readexactly(1))[0])).decode("ascii", "replace")
    port = int.from_bytes(await reader.readexactly(2), "big")
    if command != _CONNECT:
        writer.write(_answer(_BAD_COMMAND))
        return None
    return host.strip("[]").rstrip(".").lower(), port


def _answer(code: int) -> bytes:
    return bytes((_VERSION, code, 0, 1)) + bytes(6)


async def _explain(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int, sentence: str
) -> None:
    """Report the refusal: a SOCKS error on port 443, else a 403 page if the browser sends plain HTTP."""
    if port == 443:
        writer.write(_answer(_NOT_ALLOWED))
        return
    writer.write(_answer(_GRANTED))
    with suppress(TimeoutError):
        async with asyncio.timeout(2):
            request = await reader.read(4096)
        if _HTTP.match(request):
            text = f"{sentence}\n".encode()
            head = (
                f"HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain; charset=utf-8\r\n"
                f"Content-Length: {len(text)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
            )
            writer.write(head.encode() + text)
            await writer.drain()


async def _join(
    here: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    there: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    leave: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]],
) -> None:
    """Copy in both directions until both have ended; `leave` copies what the browser sends."""
    try:
        async with asyncio.TaskGroup() as both:
            both.create_task(leave(here[0], there[1]))
            both.create_task(_copy(there[0], here[1]))
    except* OSError:
        log.debug("a connection was cut")
    finally:
        there[1].close()


async def _copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while data := await source.read(_SOCKET_CHUNK):
        sink.write(data)
        await sink.drain()
    with suppress(OSError, RuntimeError):
        sink.write_eof()


async def _first_bytes(source: asyncio.StreamReader) -> bytes:
    """With the whole greeting of TLS, which may come in several parts."""
    data = await source.read(_SOCKET_CHUNK)
    while data[:1] == b"\x16" and len(data) < 5 + int.from_bytes(data[3:5]):
        if not (more := await source.read(_SOCKET_CHUNK)):
            break
        data += more
    return data


def opens_socket(first: bytes) -> bool:
    """Whether a connection that begins with these bytes of the browser carries a WebSocket.

    Chromium makes one of its own for each: an upgrade by HTTP, or TLS that offers HTTP/1.1 and not HTTP/2.
    """
    if first[:1] != b"\x16":
        return _UPGRADE.search(first.partition(b"\r\n\r\n")[0]) is not None
    return _ALPN_OF_SOCKETS in first and b"\x02h2" not in first
