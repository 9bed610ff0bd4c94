"""A login by a proxy's header: from named proxies only, and for one person."""

from __future__ import annotations

import logging

import httpx
import pytest
from pydantic import ValidationError

from server.__main__ import configure
from server.main import create_app
from server.settings import Settings

PROXY, OTHER = "10.0.0.2", "203.0.113.7"
HEADER = {"auth_proxy_header": "Remote-User", "auth_proxies": PROXY, "auth_users": "ann, ann@example.org"}


def client_at(settings: Settings, connected: str, **chosen: str) -> httpx.AsyncClient:
    """A client whose connection comes from this address, with uvicorn's own handling of forwarding headers."""
    values = Settings.model_validate(settings.model_dump() | HEADER | chosen)
    config = configure(values, create_app(values))
    config.load()

    async def app(scope, receive, send) -> None:  # type: ignore[no-untyped-def]
        scope.setdefault("state", {})["connected"] = connected  # as `Connection` has it
        await config.loaded_app(scope, receive, send)

    transport = httpx.ASGITransport(app=app, client=(connected, 1234))
    return httpx.AsyncClient(
        transport=transport, base_url="http://127.0.0.1:8000", headers={"origin": "http://127.0.0.1:8000"}
    )


async def test_a_proxy_logs_its_person_in(settings: Settings) -> None:
    async with client_at(settings, PROXY) as client:
        named = {"Remote-User": "ann"}
        assert (await client.get("/api/auth/ways", headers=named)).json() == {
            "proxy_user": "ann",
            "oidc": None,
        }
        assert (
            await client.get("/api/auth/me", headers=named)
        ).status_code == 401  # the header alone opens nothing
        assert (await client.post("/api/auth/proxy", headers=named)).status_code == 204
        assert (await client.get("/api/auth/me", headers=named)).json() == {"by": "cookie"}
        (device,) = (await client.get("/api/auth/devices", headers=named)).json()["items"]
        assert device["way"] == "proxy"


@pytest.mark.parametrize(
    ("names", "status"),
    [
        (["ANN@example.org"], 204),
        (["Ann"], 403),
        (["bob"], 403),
        ([], 404),
        (["ann", "bob"], 404),
        ([" "], 404),
    ],
)
async def test_only_the_one_person_gets_in(settings: Settings, names: list[str], status: int) -> None:
    async with client_at(settings, PROXY) as client:
        headers = [("Remote-User", name) for name in names]
        assert (await client.post("/api/auth/proxy", headers=headers)).status_code == status


@pytest.mark.parametrize("path", ["/", "/api/health", "/api/auth/ways", "/api/sessions"])
async def test_the_header_from_elsewhere_is_refused_and_logged(
    settings: Settings, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    async with client_at(settings, OTHER) as client:
        with caplog.at_level(logging.WARNING):
            answer = await client.get(path, headers={"Remote-User": "ann"})
        assert (answer.status_code, answer.json()["code"]) == (403, "proxy")
        assert f"a request from {OTHER} was refused" in caplog.text


async def test_what_forwarding_headers_say_makes_no_proxy_and_unmakes_none(settings: Settings) -> None:
    forwarding = {"forwarded_allow_ips": f"{OTHER},{PROXY}"}
    async with client_at(settings, OTHER, **forwarding) as client:
        headers = {"Remote-User": "ann", "X-Forwarded-For": PROXY}
        assert (await client.post("/api/auth/proxy", headers=headers)).status_code == 403
    async with client_at(settings, PROXY, **forwarding) as client:
        headers = {"Remote-User": "ann", "X-Forwarded-For": "198.51.100.9"}
        assert (await client.post("/api/auth/proxy", headers=headers)).status_code == 204
        (device,) = (await client.get("/api/auth/devices", headers=headers)).json()["items"]
        assert device["address"] == "198.51.100.9"


async def test_a_page_of_another_site_logs_no_one_in(settings: Settings) -> None:
    async with client_at(settings, PROXY) as client:
        headers = {"Remote-User": "ann", "origin": "https://evil.example"}
        assert (await client.post("/api/auth/proxy", headers=headers)).json()["code"] == "origin"


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"auth_proxies": None}, "AUTH_PROXY_HEADER needs AUTH_PROXIES"),
        ({"auth_users": None}, "AUTH_PROXY_HEADER needs AUTH_USERS"),
        ({"auth_proxies": "*"}, "addresses or networks"),
        ({"auth_proxies": "0.0.0.0/0"}, "addresses or networks"),
        ({"auth_proxies": "::/0"}, "addresses or networks"),
        ({"auth_proxies": "proxy.example"}, "addresses or networks"),
        ({"auth_proxy_header": "Cookie"}, "a header of its own"),
        ({"auth_proxy_header": "Remote User"}, "a header of its own"),
        ({"oidc_issuer": "https://auth.example"}, "OIDC_CLIENT_ID and OIDC_CLIENT_SECRET"),
        ({"oidc_issuer": "http://auth.example"}, "https address"),
        ({"oidc_issuer": "http://localhost.evil.example"}, "https address"),
    ],
)
def test_settings_that_would_let_others_in_are_refused(values: dict[str, str | None], why: str) -> None:
    chosen = {name: value for name, value in (HEADER | values).items() if value is not None}
    with pytest.raises(ValidationError, match=why):
        Settings.model_validate(chosen)
