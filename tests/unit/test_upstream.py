"""The proxy of a session: read from what the person gives, and used for every connection of the browser."""

from __future__ import annotations

from typing import Literal

import pytest

from server.browser.chromium.reach import Reach
from server.browser.chromium.upstream import ProxyRefused, Upstream
from tests.support.upstream_proxies import PASSWORD, USER, upstream_proxy
from tests.unit.test_egress import client, proxy, server

Scheme = Literal["http", "socks5"]
SCHEMES = pytest.mark.parametrize("scheme", ["http", "socks5"])


def through(upstream: Upstream) -> Reach:
    return Reach("always", upstream=upstream)


@SCHEMES
async def test_bytes_pass_through_a_proxy_with_a_login(scheme: Scheme) -> None:
    async with server() as (port, got), upstream_proxy(scheme) as there:
        upstream = Upstream.read(there.address, USER, PASSWORD)
        async with proxy(through(upstream)) as egress, client(egress) as browser:
            assert await browser.ask("localhost", port) == 0
            browser.writer.write(b"ping")
            assert await browser.reader.readexactly(5) == b"hello"
        assert (got, there.targets) == ([b"ping"], [f"127.0.0.1:{port}"])


@SCHEMES
@pytest.mark.parametrize("login", [("", ""), (USER, "wrong"), ("other", PASSWORD)])
async def test_a_login_that_is_refused_is_reported_and_nothing_is_sent(
    scheme: Scheme, login: tuple[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    async with server() as (port, got), upstream_proxy(scheme) as there:
        async with proxy(through(Upstream.read(there.address, *login))) as egress, client(egress) as browser:
            assert await browser.ask("localhost", port) == 1
            assert egress.last_refusal
            assert "does not take the user name and password" in egress.last_refusal[1]
        assert (got, there.targets, there.refused) == ([], [], 1)
    assert "wrong" not in caplog.text


@pytest.mark.parametrize(
    ("scheme", "answer", "why"),
    [("http", 403, "it answered 403"), ("socks5", 2, "does not allow"), ("http", 502, ""), ("socks5", 5, "")],
)
async def test_what_a_proxy_does_not_reach_is_not_reached(scheme: Scheme, answer: int, why: str) -> None:
    async with server() as (port, got), upstream_proxy(scheme) as there:
        there.answer = answer
        async with (
            proxy(through(Upstream.read(there.address, USER, PASSWORD))) as egress,
            client(egress) as browser,
        ):
            assert await browser.ask("localhost", port) == 1
            assert (egress.last_refusal is not None) is bool(why)
            assert egress.last_refusal is None or why in egress.last_refusal[1]
        assert got == []


@SCHEMES
async def test_the_rules_hold_in_front_of_a_proxy(scheme: Scheme) -> None:
    async with server() as (port, got), upstream_proxy(scheme) as there:
        upstream = Upstream.read(there.address, USER, PASSWORD)
        async with proxy(Reach("never", upstream=upstream)) as egress, client(egress) as browser:
            await browser.ask("localhost", port)
            browser.writer.write(b"GET / HTTP/1.1\r\n\r\n")
            assert (await browser.reader.read()).startswith(b"HTTP/1.1 403")
        assert (got, there.targets) == ([], [])


@pytest.mark.parametrize(
    ("scheme", "answer"),
    [
        ("http", b"no\r\n\r\n"),
        ("http", b"HTTP/2 200\r\n\r\n"),
        ("socks5", b"\x04\x00"),
        ("socks5", b"HTTP/1.1 400 Bad\r\n\r\n"),
    ],
)
async def test_what_is_no_proxy_is_reported(scheme: Scheme, answer: bytes) -> None:
    async with server(answer) as (port, _):
        upstream = Upstream.read(f"{scheme}://127.0.0.1:{port}")
        async with proxy(through(upstream)) as egress, client(egress) as browser:
            assert await browser.ask("127.0.0.1", 80) == 1
            assert egress.last_refusal
            assert "its answer cannot be read" in egress.last_refusal[1]


async def test_a_proxy_that_is_not_there_is_reported() -> None:
    async with server() as (port, _):
        pass
    async with proxy(through(Upstream.read(f"http://127.0.0.1:{port}"))) as egress, client(egress) as browser:
        assert await browser.ask("localhost", 80) == 1
        assert egress.last_refusal
        assert "it cannot be reached" in egress.last_refusal[1]


async def test_another_proxy_ends_the_connections_of_the_one_before() -> None:
    async with server() as (port, _), proxy() as egress, client(egress) as browser:
        assert await browser.ask("127.0.0.1", port) == 0
        egress.use(Reach("always"))
        browser.writer.write(b"ping")
        assert await browser.reader.readexactly(5) == b"hello"
        egress.use(through(Upstream("http", "127.0.0.1", 9)))
        assert await browser.reader.read() == b""


def test_a_proxy_is_read_from_its_address() -> None:
    assert Upstream.read(" http://proxy.example ").address == "http://proxy.example:80"
    assert Upstream.read("socks5://[::1]:9").address == "socks5://[::1]:9"
    read = Upstream.read("socks5://Proxy.example", "ann", "word")
    assert (read.host, read.port, read.user, read.password) == ("proxy.example", 1080, "ann", "word")
    assert "word" not in repr(read)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (("https://proxy.example:1",), "begins with"), (("proxy.example:3128",), "begins with"), (("",), "begins with"),
        (("http://",), "no address"), (("http://proxy.example:0",), "no address"), (("http://proxy.example:70000",), "no address"),
        (("http://proxy.example:x",), "no address"), (("http://proxy.example/pac",), "no address"), (("http://a b",), "no address"),
        (("http://proxy.example?x=1",), "no address"), (("http://ann:pw@proxy.example",), "own fields"),
        (("http://proxy.example", "a:b", "c"), "cannot be sent"), (("socks5://proxy.example", "", "c"), "cannot be sent"),
        (("socks5://proxy.example", "ü" * 128, "c"), "cannot be sent"), (("http://[::1",), "no address"),
    ],
)  # fmt: skip
def test_what_is_no_proxy_is_refused(given: tuple[str, ...], why: str) -> None:
    with pytest.raises(ProxyRefused, match=why):
        Upstream.read(*given)
