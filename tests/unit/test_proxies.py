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
from server.main import create_app
from server.settings import Settings
from tests.conftest import PASSWORD

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


@pytest.mark.parametrize(
    ("trusted", "proto", "is_secure"), [(PROXY, "https", True), (PROXY, "http", False), ("", "https", False)]
)
async def test_a_login_over_https_gives_a_cookie_that_only_https_carries(
    settings: Settings, trusted: str, proto: str, is_secure: bool
) -> None:
    chosen = settings.model_dump() | {"forwarded_allow_ips": trusted, "trusted_hosts": "chat.example"}
    app = create_app(Settings.model_validate(chosen))
    config = configure(Settings.model_validate(chosen), app)
    config.load()
    transport = httpx.ASGITransport(app=config.loaded_app, client=(PROXY, 1234))  # type: ignore[arg-type]
    headers = {"x-forwarded-for": CLIENT, "x-forwarded-proto": proto, "origin": f"{proto}://chat.example"}
    async with httpx.AsyncClient(
        transport=transport, base_url="http://chat.example", headers=headers
    ) as client:
        answer = await client.post("/api/auth/login", json={"password": PASSWORD})
        assert answer.status_code == 204
        name, *attributes = answer.headers["set-cookie"].split("; ")
        assert name.startswith("__Host-pilothouse=" if is_secure else "pilothouse=")
        assert ("Secure" in attributes) == is_secure
        assert {"Path=/", "HttpOnly", "SameSite=strict"} <= set(attributes)
        assert not [attribute for attribute in attributes if attribute.startswith("Domain")]
        client.cookies.clear()
        value = name.partition("=")[2]
        for sent, is_right in (("pilothouse", not is_secure), ("__Host-pilothouse", is_secure)):
            me = await client.get("/api/auth/me", headers={"cookie": f"{sent}={value}"})
            assert me.status_code == (200 if is_right else 401)
        gone = await client.post("/api/auth/logout", headers={"cookie": name})
        assert gone.headers["set-cookie"].partition("=")[0] == name.partition("=")[0]
        assert ("Secure" in gone.headers["set-cookie"]) == is_secure


@pytest.mark.parametrize("trusted", ["proxy.example", "10.0.0.1/8", "10.0.0", "*, 10.0.0.2"])
def test_what_is_no_address_is_refused_at_the_start(trusted: str) -> None:
    with pytest.raises(ValidationError, match="name addresses or networks"):
        Settings.model_validate({"forwarded_allow_ips": trusted})
