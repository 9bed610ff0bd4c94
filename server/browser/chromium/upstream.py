"""The proxy of a session, through which its browser's connections leave: by HTTP CONNECT or SOCKS5, with a login."""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import re
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from server.browser.addresses import Address
from server.errors import Explained
from wording.catalogue import sentence

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]

MAX_LOGIN_BYTES = 255
"""Of a user name or a password: what SOCKS5 can say."""
Scheme = Literal["http", "socks5"]
_PROXY_SCHEMES: dict[str, Scheme] = {"http": "http", "socks5": "socks5"}
_PROXY_PORTS = {"http": 80, "socks5": 1080}
_PROXY_HOST = re.compile(r"[a-z0-9._-]{1,253}", re.IGNORECASE)
_MAX_PROXY_HEAD, _PROXY_CHUNK = 65_536, 256 * 1024
_SOCKS_VERSION, _WITHOUT_LOGIN, _WITH_LOGIN, _SOCKS_NOT_ALLOWED = 5, 0, 2, 2
_PROXY_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})\b")


class ProxyRefused(Explained):
    """An address is no proxy's, or the proxy does not take its login or makes no connections; the text says why."""


@dataclass(frozen=True)
class Upstream:
    """A proxy and the login for it. Its repr has no password."""

    scheme: Scheme
    host: str
    port: int
    user: str = ""
    password: str = field(default="", repr=False)

    @classmethod
    def read(cls, address: str, user: str = "", password: str = "") -> Upstream:
        """From an address such as `socks5://proxy.example:1080`, without a login in it. Raises ProxyRefused."""
        try:
            parts = urlsplit(address.strip())
            host, port = parts.hostname or "", parts.port
        except ValueError:
            raise ProxyRefused(sentence("proxy.address")) from None
        scheme = _PROXY_SCHEMES.get(parts.scheme)
        if scheme is None:
            raise ProxyRefused(sentence("proxy.scheme"))
        if "@" in parts.netloc:
            raise ProxyRefused(sentence("proxy.login_in_address"))
        if port == 0 or parts.path not in ("", "/") or parts.query or parts.fragment or not _is_host(host):
            raise ProxyRefused(sentence("proxy.address"))
        if max(len(user.encode()), len(password.encode())) > MAX_LOGIN_BYTES or (
            ":" in user and scheme == "http"
        ):
            raise ProxyRefused(sentence("proxy.login"))
        if password and not user:
            raise ProxyRefused(sentence("proxy.login"))
        return cls(scheme, host, port or _PROXY_PORTS[scheme], user, password)

    @property
    def address(self) -> str:
        """Without the login."""
        return f"{self.scheme}://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    async def connect(self, address: Address, port: int) -> Streams:
        """A connection to the address through the proxy. Raises ProxyRefused, OSError."""
        try:
            reader, writer = await asyncio.open_connection(self.host, self.port, limit=_PROXY_CHUNK)
        except OSError:
            raise ProxyRefused(sentence("proxy.unreachable")) from None
        try:
            ask = self._ask_http if self.scheme == "http" else self._ask_socks
            await ask(reader, writer, address, port)
        except EOFError:
            writer.close()
            raise ProxyRefused(sentence("proxy.unreadable")) from None
        except BaseException:
            writer.close()
            raise
        return reader, writer

    async def _ask_http(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, address: Address, port: int
    ) -> None:
        place = f"[{address}]:{port}" if address.version == 6 else f"{address}:{port}"
        lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}"]
        if self.user:
            login = base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
            lines.append(f"Proxy-Authorization: Basic {login}")
        writer.write("\r\n".join((*lines, "", "")).encode())
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.LimitOverrunError:
            raise ProxyRefused(sentence("proxy.unreadable")) from None
        status = _PROXY_STATUS.match(head)
        if status is None or len(head) > _MAX_PROXY_HEAD:
            raise ProxyRefused(sentence("proxy.unreadable"))
        code = int(status[1])
        if code in (401, 407):
            raise ProxyRefused(sentence("proxy.login_refused"))
        if code in (400, 403, 405, 501):
            raise ProxyRefused(sentence("proxy.answered", code=code))
        if not 200 <= code < 300:
            raise OSError("the proxy has not reached it")

    async def _ask_socks(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, address: Address, port: int
    ) -> None:
        methods = bytes((_WITHOUT_LOGIN, _WITH_LOGIN)) if self.user else bytes((_WITHOUT_LOGIN,))
        writer.write(bytes((_SOCKS_VERSION, len(methods))) + methods)
        version, method = await reader.readexactly(2)
        if version != _SOCKS_VERSION:
            raise ProxyRefused(sentence("proxy.unreadable"))
        if method == _WITH_LOGIN and self.user:
            user, password = self.user.encode(), self.password.encode()
            writer.write(bytes((1, len(user))) + user + bytes((len(password),)) + password)
            if (await reader.readexactly(2))[1] != 0:
                raise ProxyRefused(sentence("proxy.login_refused"))
        elif method != _WITHOUT_LOGIN:
            raise ProxyRefused(sentence("proxy.login_refused"))
        kind = 4 if address.version == 6 else 1
        writer.write(bytes((_SOCKS_VERSION, 1, 0, kind)) + address.packed + port.to_bytes(2, "big"))
        version, code, _, kind = await reader.readexactly(4)
        rest = {1: 4, 4: 16}.get(kind) or (await reader.readexactly(1))[0]
        await reader.readexactly(rest + 2)
        if version != _SOCKS_VERSION:
            raise ProxyRefused(sentence("proxy.unreadable"))
        if code == _SOCKS_NOT_ALLOWED:
            raise ProxyRefused(sentence("proxy.not_allowed"))
        if code:
            raise OSError("the proxy has not reached it")


def _is_host(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return _PROXY_HOST.fullmatch(host) is not None
    return True
