"""The proxy alone: real sockets on loopback, no browser."""

import asyncio
import contextlib
import gc
import ipaddress
import socket
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from server.browser.addresses import Address
from server.browser.chromium.egress import Egress, Resolve, SocketConnection, opens_socket
from server.browser.chromium.reach import Reach


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
async def proxy(reach: Reach | None = None, resolve: Resolve | None = None) -> AsyncIterator[Egress]:
    egress = Egress(reach or Reach(private_network="always"), resolve)
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
        return await self.read_code()

    async def read_code(self) -> int:
        """Of an answer that names no address."""
        version, code, *rest = await self.reader.readexactly(10)
        assert (version, rest) == (5, [0, 1, *bytes(6)])
        return code


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
        proxy(Reach(private_network="never")) as egress,
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
    async with proxy(Reach(private_network="never")) as egress:
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
        proxy(Reach(private_network="never")) as egress,
        client(egress) as browser,
    ):
        await browser.ask("localhost.", port)
        browser.writer.write(b"GET / HTTP/1.1\r\n\r\n")
        assert b"403" in await browser.reader.read()
        assert got == []


async def test_the_proxys_own_port_is_refused():
    own: set[int] = set()
    async with (
        proxy(Reach(private_network="always", own_ports=lambda: own)) as egress,
        client(egress) as browser,
    ):
        own.add(egress.port)
        await browser.ask("127.0.0.1", egress.port)
        browser.writer.write(b"GET / HTTP/1.1\r\n\r\n")
        assert b"belongs to Pilothouse" in await browser.reader.read()


async def test_a_blocked_host_is_not_even_resolved():
    resolve = ChangingAnswers(["127.0.0.1"])
    reach = Reach(private_network="always", blocked_hosts=("ads.example",))
    async with server() as (port, got), proxy(reach, resolve) as egress, client(egress) as browser:
        await browser.ask("www.ads.example", port)
        browser.writer.write(b"GET / HTTP/1.1\r\n\r\n")
        assert b"blocked hosts" in await browser.reader.read()
        assert (resolve.asked, got) == ([], [])


@pytest.mark.parametrize("host", ["93.184.215.14", "2606:2800::1"])
async def test_a_target_may_be_given_as_the_bytes_of_an_address(host: str):
    resolve = ChangingAnswers(["127.0.0.1"])
    address = ipaddress.ip_address(host)
    kind = 1 if address.version == 4 else 4
    async with server() as (port, _), proxy(resolve=resolve) as egress, client(egress) as browser:
        browser.writer.write(
            b"\x05\x01\x00" + bytes((5, 1, 0, kind)) + address.packed + port.to_bytes(2, "big")
        )
        assert await browser.reader.readexactly(2) == b"\x05\x00"
        assert await browser.read_code() == 0
        assert resolve.asked == [(host, port)]


async def test_another_version_of_the_protocol_is_not_answered():
    async with proxy() as egress, client(egress) as browser:
        browser.writer.write(b"\x04\x01\x00" + bytes((5, 1, 0, 1, 127, 0, 0, 1, 0, 80)))
        with contextlib.suppress(ConnectionError):
            assert await browser.reader.read() == b""


async def test_several_proxies_have_ports_of_their_own():
    async with server() as (port, _), proxy() as first, proxy() as second:
        assert first.port != second.port
        for egress in (first, second):
            async with client(egress) as browser:
                assert await browser.ask("127.0.0.1", port) == 0


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
    errors: list[dict] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.append(context))
    async with proxy() as egress:
        async with client(egress) as browser:
            browser.writer.write(noise)
            browser.writer.write_eof()
            await browser.reader.read()
        async with server() as (port, _), client(egress) as browser:
            assert await browser.ask("127.0.0.1", port) == 0
    assert errors == []


async def test_closing_ends_open_connections():
    async with server() as (port, _), proxy() as egress, client(egress) as browser:
        assert await browser.ask("127.0.0.1", port) == 0
        await egress.close()
        with contextlib.suppress(ConnectionError):
            assert await browser.reader.read() == b""


async def test_a_proxy_that_was_never_started_has_no_port_and_can_be_closed():
    egress = Egress(Reach(private_network="never"))
    assert egress.port == 0
    await egress.close()


async def test_closing_succeeds_although_a_connection_fails_meanwhile():
    errors: list[dict] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.append(context))
    asked = asyncio.Event()

    async def fail(host: str, port: int) -> Sequence[Address]:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            raise RuntimeError("the resolver is broken")

    async with proxy(resolve=fail) as egress, client(egress) as browser:
        asking = asyncio.create_task(browser.ask("site.example", 80))
        await asked.wait()
        await egress.close()
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await asking
    assert [str(error["exception"]) for error in errors] == ["the resolver is broken"]


async def test_new_rules_cut_off_what_they_forbid_and_nothing_else():
    async with (
        server() as (port, _),
        proxy() as egress,
        client(egress) as blocked,
        client(egress) as other,
    ):
        assert await blocked.ask("localhost", port) == 0
        assert await other.ask("127.0.0.1", port) == 0
        egress.use(Reach(private_network="always", blocked_hosts=("localhost",)))
        with contextlib.suppress(ConnectionError):
            assert await asyncio.wait_for(blocked.reader.read(), 60) == b""
        other.writer.write(b"ping")
        assert await other.reader.readexactly(5) == b"hello"


async def test_new_rules_close_connections_that_the_old_ones_refuse():
    """A browser opens spare connections, and would use one for the next request to the host."""
    async with (
        proxy(Reach(private_network="always", blocked_hosts=("shop.example",))) as egress,
        client(egress) as spare,
    ):
        assert await spare.ask("shop.example", 80) == 0
        egress.use(Reach(private_network="always"))
        with contextlib.suppress(ConnectionError):
            spare.writer.write(b"GET / HTTP/1.1\r\n\r\n")
            assert await asyncio.wait_for(spare.reader.read(), 60) == b""


async def test_rules_that_come_while_a_connection_is_made_hold_for_it():
    replaced: list[bool] = []

    def replace() -> None:
        egress.use(Reach(private_network="always", blocked_hosts=("shop.example",)))
        replaced.append(True)

    async def resolve(host: str, port: int) -> Sequence[Address]:
        # When the address has been judged by the old rules and the connection is on its way.
        asyncio.get_running_loop().call_soon(replace)
        return [ipaddress.ip_address("127.0.0.1")]

    async with server() as (port, got), proxy(resolve=resolve) as egress, client(egress) as browser:
        await browser.ask("shop.example", port)
        browser.writer.write(b"GET / HTTP/1.1\r\n\r\n")
        assert b"403 Forbidden" in await browser.reader.read(4096)
        assert (replaced, got) == ([True], [])


async def test_closing_cuts_open_connections_without_a_word_in_the_log():
    told: list[dict] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    async with server() as (port, _), proxy() as egress, client(egress) as browser, client(egress):
        assert await browser.ask("127.0.0.1", port) == 0
        await egress.close()
        with contextlib.suppress(ConnectionError):
            assert await asyncio.wait_for(browser.reader.read(), 60) == b""
    assert told == []


class ChangingAnswers:
    """A resolver whose answers are given in turn; the last one is repeated. An empty one: the name is unknown."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, int]] = []

    async def __call__(self, host: str, port: int) -> Sequence[Address]:
        self.asked.append((host, port))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if not answer:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return [ipaddress.ip_address(address) for address in answer]


BY_NAME = Reach(private_network="by name")


@pytest.mark.parametrize("private", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "0.0.0.0", "64:ff9b::7f00:1"])
async def test_a_public_name_that_comes_to_lead_to_this_machine_is_refused(private: str):
    async with server() as (port, got):
        resolve = ChangingAnswers([], [private])
        async with proxy(BY_NAME, resolve) as egress:
            async with client(egress) as browser:
                assert await browser.ask("evil.example", port) == 4
            async with client(egress) as browser:
                await browser.ask("evil.example", port)
                browser.writer.write(b"GET / HTTP/1.1\r\n\r\n")
                assert b"403" in await browser.reader.read()
            assert len(resolve.asked) == 2
        assert got == []


async def test_the_address_that_was_judged_is_the_one_connected_to():
    """The name is resolved once for a connection, so an answer that changes in between changes nothing."""
    async with server() as (port, _):
        resolve = ChangingAnswers(["127.0.0.1"], ["169.254.169.254"])
        async with proxy(BY_NAME, resolve) as egress:
            async with client(egress) as browser:
                assert await browser.ask("app.localhost", port) == 0
                assert resolve.asked == [("app.localhost", port)]
            async with client(egress) as browser:
                await browser.ask("app.localhost", port)
                browser.writer.write(b"GET / HTTP/1.1\r\n\r\n")
                assert b"never opened" in await browser.reader.read()


async def test_of_several_addresses_those_that_are_refused_are_left_out():
    async with server() as (port, got), proxy(BY_NAME, ChangingAnswers(["10.0.0.1", "127.0.0.1"])) as egress:
        async with client(egress) as browser:
            await browser.ask("evil.example", port)
            browser.writer.write(b"GET / HTTP/1.1\r\n\r\n")
            assert b"403" in await browser.reader.read()
        assert got == []
    async with (
        server() as (port, _),
        proxy(BY_NAME, ChangingAnswers(["169.254.169.254", "127.0.0.1"])) as egress,
        client(egress) as browser,
    ):
        assert await browser.ask("nas.local", port) == 0


async def test_a_start_that_is_cancelled_leaves_no_socket_open() -> None:
    """A socket that is collected while it is open is a ResourceWarning, which fails the test."""
    for turns in range(8):
        egress = Egress(Reach(private_network="always"))
        starting = asyncio.create_task(egress.start())
        for _ in range(turns):
            await asyncio.sleep(0)
        starting.cancel()
        await asyncio.wait({starting})
        await egress.close()
    gc.collect()


UPGRADE = b"GET /socket HTTP/1.1\r\nHost: shop.example\r\nupgrade: WebSocket\r\n\r\n"


def greeting(*protocols: str) -> bytes:
    """What a client of TLS says first."""
    context, out = ssl.create_default_context(), ssl.MemoryBIO()
    if protocols:
        context.set_alpn_protocols(protocols)
    client = context.wrap_bio(ssl.MemoryBIO(), out, server_hostname="shop.example")
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return out.read()


@pytest.mark.parametrize(
    ("first", "is_socket"),
    [
        (UPGRADE, True),
        (b"GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n\r\nUpgrade: websocket", False),
        (greeting("http/1.1"), True),
        (greeting("h2", "http/1.1"), False),
        (greeting(), False),
        (b"", False),
    ],
)
def test_a_websocket_is_known_by_its_first_bytes(first: bytes, is_socket: bool) -> None:
    assert opens_socket(first) is is_socket


class Gate:
    def __init__(self) -> None:
        self.asked: asyncio.Queue[SocketConnection] = asyncio.Queue()
        self.opens = asyncio.Event()

    async def pass_bytes(self, connection: SocketConnection) -> None:
        self.asked.put_nowait(connection)
        await self.opens.wait()


async def test_messages_of_a_socket_wait_at_the_gate_and_a_cut_connection_sends_nothing():
    gate = Gate()
    async with server() as (port, got), proxy() as egress, client(egress) as browser:
        egress.gates.append(gate)
        assert await browser.ask("127.0.0.1", port) == 0
        browser.writer.write(UPGRADE)
        assert (await gate.asked.get()).port == port
        assert got == []
        gate.opens.set()
        assert await browser.reader.readexactly(5) == b"hello"
        gate.opens.clear()
        browser.writer.write(b"order")
        connection = await gate.asked.get()
        assert egress.sockets == [connection]
        connection.cut()
        with contextlib.suppress(ConnectionResetError):
            assert await browser.reader.read() == b""
        assert got == [UPGRADE]
        assert egress.sockets == []


async def test_the_greeting_of_a_socket_in_two_parts_is_known():
    gate, whole = Gate(), greeting("http/1.1")
    gate.opens.set()
    async with server() as (port, got), proxy() as egress, client(egress) as browser:
        egress.gates.append(gate)
        assert await browser.ask("127.0.0.1", port) == 0
        browser.writer.write(whole[:100])
        await browser.writer.drain()
        await asyncio.sleep(0)
        browser.writer.write(whole[100:])
        await gate.asked.get()
        assert await browser.reader.readexactly(5) == b"hello"
        assert b"".join(got) == whole
