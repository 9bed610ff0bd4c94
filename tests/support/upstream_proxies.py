"""Proxies on loopback, by HTTP CONNECT and SOCKS5, that want a login and note what they were asked for."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal

USER, PASSWORD = "ann", "s3cret:word"


@dataclass
class UpstreamProxy:
    """`answer` is what it says in place of a connection: a status of HTTP, or a code of SOCKS5."""

    scheme: Literal["http", "socks5"]
    port: int = 0
    answer: int | None = None
    targets: list[str] = field(default_factory=list)
    refused: int = 0
    visits: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def address(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visit = asyncio.current_task()
        assert visit
        self.visits.add(visit)
        ends = [writer]
        try:
            with suppress(OSError, EOFError, asyncio.CancelledError):
                target = await (self._http if self.scheme == "http" else self._socks)(reader, writer)
                if target is not None:
                    there = await asyncio.open_connection(*target)
                    ends.append(there[1])
                    await asyncio.gather(_copy(reader, there[1]), _copy(there[0], writer))
        finally:
            self.visits.discard(visit)
            for end in ends:
                end.close()

    async def _http(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> tuple[str, int] | None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        login = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        if f"Proxy-Authorization: Basic {login}\r\n" not in head:
            self.refused += 1
            writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            return None
        place = head.split(" ")[1]
        self.targets.append(place)
        writer.write(f"HTTP/1.1 {self.answer or 200} So\r\nVia: us\r\n\r\n".encode())
        host, _, port = place.rpartition(":")
        return None if self.answer else (host.strip("[]"), int(port))

    async def _socks(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> tuple[str, int] | None:
        methods = await reader.readexactly((await reader.readexactly(2))[1])
        if 2 not in methods:
            self.refused += 1
            writer.write(b"\x05\xff")
            return None
        writer.write(b"\x05\x02")
        user = await reader.readexactly((await reader.readexactly(2))[1])
        password = await reader.readexactly((await reader.readexactly(1))[0])
        if (user.decode(), password.decode()) != (USER, PASSWORD):
            self.refused += 1
            writer.write(b"\x01\x01")
            return None
        writer.write(b"\x01\x00")
        assert (await reader.readexactly(4)) == b"\x05\x01\x00\x01"
        host = ".".join(map(str, await reader.readexactly(4)))
        port = int.from_bytes(await reader.readexactly(2), "big")
        self.targets.append(f"{host}:{port}")
        writer.write(bytes((5, self.answer or 0, 0, 1)) + bytes(6))
        return None if self.answer else (host, port)


async def _copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await source.read(65536):
            sink.write(data)
        sink.write_eof()


@asynccontextmanager
async def upstream_proxy(scheme: Literal["http", "socks5"]) -> AsyncIterator[UpstreamProxy]:
    proxy = UpstreamProxy(scheme)
    listening = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.port = listening.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        listening.close()
        visits = list(proxy.visits)
        for visit in visits:
            visit.cancel()
        await asyncio.gather(*visits)
        await asyncio.sleep(0)  # lets the transports finish closing
