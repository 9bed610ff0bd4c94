"""A login at a real OpenID Connect provider (`oidc-provider`, as a process on loopback)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest

from server.main import create_app
from server.settings import Settings
from tests.conftest import open_client

HERE = Path(__file__).parent
MODULES = HERE.parents[1] / "web"
CALLBACK = "http://127.0.0.1:8000/api/auth/oidc/callback"


@pytest.fixture
async def issuer() -> AsyncIterator[str]:
    program = await asyncio.create_subprocess_exec(
        "node", str(HERE / "openid/provider.mjs"), str(MODULES), CALLBACK,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    assert program.stdout
    async with asyncio.timeout(60):
        line = (await program.stdout.readline()).decode().strip()
    yield line
    program.kill()
    await program.wait()


@pytest.fixture
async def client(settings: Settings, issuer: str) -> AsyncIterator[httpx.AsyncClient]:
    """A browser that is not logged in here."""
    chosen = {
        "oidc_issuer": issuer, "oidc_client_id": "pilot", "oidc_client_secret": "pilot secret",
        "auth_users": "ann, bea@example.org, unverified@example.org",
    }  # fmt: skip
    values = Settings.model_validate(settings.model_dump() | chosen)
    async with open_client(create_app(values), {}) as client:
        yield client


async def sent_back(client: httpx.AsyncClient, user: str, *, next: str = "/") -> str:
    """Log in at the provider as this person; the address that it sends the browser back to."""
    begun = await client.get("/api/auth/oidc", params={"next": next})
    assert begun.status_code == 303
    asked = parse_qs(urlsplit(begun.headers["location"]).query)
    assert asked["code_challenge_method"] == ["S256"]
    assert asked["state"] != asked["nonce"]
    async with httpx.AsyncClient(follow_redirects=True) as browser:
        page = await browser.get(begun.headers["location"])
        for form in ({"prompt": "login", "login": user, "password": "any"}, {"prompt": "consent"}):
            action = re.search(r'action="([^"]+)"', page.text)
            assert action
            address = str(page.url.join(action[1]))
            page = await browser.post(address, data=form, follow_redirects=False)
            while page.is_redirect:
                if page.headers["location"].startswith(CALLBACK):
                    return str(page.headers["location"])
                page = await browser.get(page.url.join(page.headers["location"]), follow_redirects=False)
    raise AssertionError("the provider did not send the browser back")


async def test_the_person_is_logged_in_by_subject_or_verified_address(client: httpx.AsyncClient) -> None:
    for user in ("ann", "bea"):
        answer = await client.get(await sent_back(client, user, next="/s/abc?x=1"))
        assert (answer.status_code, answer.headers["location"]) == (303, "/s/abc?x=1")
        assert "pilothouse-oidc-8000" not in client.cookies
        assert (await client.get("/api/auth/me")).json() == {"by": "cookie"}
    ways = [device["way"] for device in (await client.get("/api/auth/devices")).json()["items"]]
    assert ways == ["oidc", "oidc"]


@pytest.mark.parametrize("user", ["mallory", "unverified", "Ann"])
async def test_somebody_else_is_not_logged_in(client: httpx.AsyncClient, user: str) -> None:
    answer = await client.get(await sent_back(client, user))
    assert answer.headers["location"] == "/login?problem=not_you"
    assert (await client.get("/api/auth/me")).status_code == 401


async def test_an_answer_that_this_browser_did_not_ask_for_logs_no_one_in(client: httpx.AsyncClient) -> None:
    address = await sent_back(client, "ann")
    flow = client.cookies["pilothouse-oidc-8000"]
    query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    other_state = f"{CALLBACK}?{urlencode(query | {'state': 'x' * 32})}"
    other_issuer = f"{CALLBACK}?{urlencode(query | {'iss': 'http://127.0.0.1:1'})}"
    for forged, problem in ((other_state, "other_attempt"), (other_issuer, "refused")):
        client.cookies.set("pilothouse-oidc-8000", flow, domain="127.0.0.1")
        assert (await client.get(forged)).headers["location"] == f"/login?problem={problem}"
    client.cookies.clear()
    assert (await client.get(address)).headers["location"] == "/login?problem=other_attempt"
    assert (await client.get("/api/auth/me")).status_code == 401


async def test_the_code_of_another_attempt_fails_by_its_verifier_and_nonce(client: httpx.AsyncClient) -> None:
    stolen = parse_qs(urlsplit(await sent_back(client, "ann")).query)["code"][0]
    mine = parse_qs(urlsplit(await sent_back(client, "ann")).query)["state"][0]
    answer = await client.get(f"{CALLBACK}?{urlencode({'code': stolen, 'state': mine})}")
    assert answer.headers["location"] == "/login?problem=failed"
    assert (await client.get("/api/auth/me")).status_code == 401


@pytest.mark.parametrize("next", ["//evil.example", "/\\evil.example", "https://evil.example", ""])
async def test_the_browser_is_sent_to_no_other_site_afterwards(client: httpx.AsyncClient, next: str) -> None:
    answer = await client.get(await sent_back(client, "ann", next=next))
    assert answer.headers["location"] == "/"


async def test_failures_count_as_those_of_the_password(client: httpx.AsyncClient) -> None:
    problems = [(await client.get(CALLBACK)).headers["location"].rpartition("=")[2] for _ in range(6)]
    assert problems == ["other_attempt"] * 5 + ["too_many"]
    answer = await client.post("/api/auth/login", json={"password": "x"})
    assert answer.status_code == 429
