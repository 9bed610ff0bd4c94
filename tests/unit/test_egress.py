"""The proxy alone: real sockets on loopback, no browser."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from server.browser.egress import Egress
from server.browser.reach import Reach


@asynccontextmanager
async def server(answer: bytes = b"hello") -> AsyncIterator[tuple[int, list[bytes]]]:
    """A TCP server that keeps what it got and answers; yields its port and what it got."""
    got: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            got.append(data)
            writer.write(answer)
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield listening.sockets[0].getsockname()[1], got
    finally:
        listening.close()


@asynccontextmanager
async def proxy(reach: Reach | None = None) -> AsyncIterator[Egress]:
    egress = Egress(reach or Reach(private_network=True))
    await egress.start()
    try:
        yield egress
    finally:
        await egress.close()


class Client:
    """A browser's side of SOCKS5."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def ask(self, host: str, port: int, *, command: int = 1) -> int:
        """The answer's code."""
        name = host.encode()
        self.writer.write(b"\x05\x01\x00")
        assert await self.reader.readexactly(2) == b"\x05\x00"
        self.writer.write(bytes((5, command, 0, 3, len(name))) + name + port.to_bytes(2, "big"))
        return (await self.reader.readexactly(10))[1]


@asynccontextmanager
async def client(egress: Egress) -> AsyncIterator[Client]:
    reader, writer = await asyncio.open_connection("127.0.0.1", egress.port)
    try:
        yield Client(reader, writer)
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def test_bytes_pass_both_ways_until_both_sides_end():
    async with server() as (port, got), proxy() as egress, client(egress) as browser:
        assert await browser.ask("127.0.0.1", port) == 0
        browser.writer.write(b"ping")
        assert await browser.reader.readexactly(5) == b"hello"
        browser.writer.write_eof()
        assert await browser.reader.read() == b""
        assert got == [b"ping"]


async def test_large_bodies_pass_unchanged():
    body = bytes(range(256)) * 20_000
    async with server(body) as (port, _), proxy() as egress, client(egress) as browser:
        assert await browser.ask("localhost", port) == 0
        browser.writer.write(b"x")
        assert await browser.reader.readexactly(len(body)) == body


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "::1", "2130706433", "0x7f000001", "127.1", "0.0.0.0"]
)
async def test_a_refused_target_is_never_connected_to(host: str):
    async with (
        server() as (port, got),
        proxy(Reach(private_network=False)) as egress,
        client(egress) as browser,
    ):
        await browser.ask(host, port)
        browser.writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = await browser.reader.read()
        assert answer.startswith(b"HTTP/1.1 403")
        assert b"Blocked by Pilothouse" in answer
        assert got == []
        assert egress.last_refusal is not None


async def test_a_refused_target_that_speaks_tls_is_just_closed():
    async with proxy(Reach(private_network=False)) as egress:
        async with client(egress) as browser:
            assert await browser.ask("127.0.0.1", 443) == 2
        async with client(egress) as browser:
            assert await browser.ask("127.0.0.1", 8443) == 0
            browser.writer.write(b"\x16\x03\x01 not http")
            assert await browser.reader.read() == b""


async def test_the_check_is_on_the_address_that_is_connected_to():
    """A name that resolves to a forbidden address is refused, whatever it looks like."""
    async with (
        server() as (port, got),
        proxy(Reach(private_network=False)) as egress,
        client(egress) as browser,
    ):
        await browser.ask("localhost.", port)
        browser.writer.write(b"GET / HTTP/1.1\r\n\r\n")
        assert b"403" in await browser.reader.read()
        assert got == []


async def test_the_proxys_own_port_is_refused():
    own: set[int] = set()
    async with proxy(Reach(private_network=True, own_ports=lambda: own)) as egress, client(egress) as browser:
        own.add(egress.port)
        await browser.ask("127.0.0.1", egress.port)
        browser.writer.write(b"GET / HTTP/1.1\r\n\r\n")
        assert b"belongs to Pilothouse" in await browser.reader.read()


async def test_unknown_names_and_closed_ports_have_codes_of_their_own():
    async with proxy() as egress:
        async with client(egress) as browser:
            assert await browser.ask("no.such.invalid", 80) == 4
        async with client(egress) as browser:
            assert await browser.ask("127.0.0.1", 9) == 1


async def test_only_connections_are_made_for_a_browser():
    async with proxy() as egress, client(egress) as browser:
        assert await browser.ask("127.0.0.1", 80, command=2) == 7


@pytest.mark.parametrize(
    "noise",
    [b"GET / HTTP/1.1\r\n\r\n", b"\x04\x01\x00\x50", b"\x05", b"", b"\x05\x01\x00\x05\x01\x00\x03\xff"],
)
async def test_noise_ends_the_connection_and_nothing_else(noise: bytes):
    async with proxy() as egress:
        async with client(egress) as browser:
            browser.writer.write(noise)
            browser.writer.write_eof()
            await browser.reader.read()
        async with server() as (port, _), client(egress) as browser:
            assert await browser.ask("127.0.0.1", port) == 0


async def test_closing_ends_open_connections():
    async with server() as (port, _), proxy() as egress, client(egress) as browser:
        assert await browser.ask("127.0.0.1", port) == 0
        await egress.close()
        with contextlib.suppress(ConnectionError):
            assert await browser.reader.read() == b""


async def test_new_rules_cut_off_what_they_forbid_and_nothing_else():
    async with (
        server() as (port, _),
        proxy() as egress,
        client(egress) as blocked,
        client(egress) as other,
    ):
        assert await blocked.ask("localhost", port) == 0
        assert await other.ask("127.0.0.1", port) == 0
        egress.use(Reach(private_network=True, blocked_hosts=("localhost",)))
        with contextlib.suppress(ConnectionError):
            assert await asyncio.wait_for(blocked.reader.read(), 2) == b""
        other.writer.write(b"ping")
        assert await other.reader.readexactly(5) == b"hello"


async def test_closing_cuts_open_connections_without_a_word_in_the_log():
    told: list[dict] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    async with server() as (port, _), proxy() as egress, client(egress) as browser, client(egress):
        assert await browser.ask("127.0.0.1", port) == 0
        await egress.close()
        with contextlib.suppress(ConnectionError):
            assert await asyncio.wait_for(browser.reader.read(), 2) == b""
    assert told == []
