"""Who a client is behind a reverse proxy: its own address where the proxy is trusted, else the connection's."""

from __future__ import annotations

import httpx
import pytest
from pydantic import ValidationError
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from server.__main__ import configure
from server.auth.gate import peer_of
from server.settings import Settings

PROXY, CLIENT = "10.0.0.2", "203.0.113.7"


async def tell_client(scope: Scope, receive: Receive, send: Send) -> None:
    told = {"peer": peer_of(scope), "scheme": HTTPConnection(scope).url.scheme}
    await JSONResponse(told)(scope, receive, send)


async def seen(trusted: str, forwarded: str, *, connected: str = PROXY) -> tuple[str, str]:
    """The peer and scheme that the app sees of a request from `connected` with this X-Forwarded-For."""
    config = configure(Settings.model_validate({"forwarded_allow_ips": trusted}), tell_client)
    config.load()
    transport = httpx.ASGITransport(app=config.loaded_app, client=(connected, 1234))  # type: ignore[arg-type]
    headers = {"x-forwarded-for": forwarded, "x-forwarded-proto": "https"}
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        told = (await client.get("/", headers=headers)).json()
    return told["peer"], told["scheme"]


async def test_nobody_is_believed_unless_told_so() -> None:
    for connected in (PROXY, "127.0.0.1", "::1"):
        assert await seen("", CLIENT, connected=connected) == (connected, "http")


async def test_a_trusted_proxy_tells_who_its_clients_are_and_that_they_came_by_https() -> None:
    for trusted in (PROXY, "10.0.0.0/8", f"192.0.2.1, {PROXY}", "*"):
        assert await seen(trusted, CLIENT) == (CLIENT, "https")


async def test_what_a_client_says_of_itself_counts_neither_directly_nor_before_the_proxys_word() -> None:
    assert await seen(PROXY, "1.2.3.4", connected=CLIENT) == (CLIENT, "http")
    assert await seen(PROXY, f"1.2.3.4, {CLIENT}") == (CLIENT, "https")


@pytest.mark.parametrize("trusted", ["proxy.example", "10.0.0.1/8", "10.0.0", "*, 10.0.0.2"])
def test_what_is_no_address_is_refused_at_the_start(trusted: str) -> None:
    with pytest.raises(ValidationError, match="name addresses or networks"):
        Settings.model_validate({"forwarded_allow_ips": trusted})
