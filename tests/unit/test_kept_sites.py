"""Sites that stay signed in: whose cookies are kept and given, and that nothing else is stored or shown."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest

from server.browser.chromium.cdp import Cdp
from server.browser.chromium.running import RunningChromium
from server.browser.site_cookies import as_set, cookie_site, is_of, read_cookies_of
from server.errors import Conflict, NotFound
from server.events import now
from server.fs.secret_box import SecretBox
from server.ops.json_types import JsonObject
from server.runs.kept_sites import KeptSites
from server.store import Store
from server.store.kept_sites import KeptSiteStore
from tests.support.chat import new_session
from tests.support.databases import open_store
from tests.support.migrated import create_migrated

CANARY = "kanarie-7731-cookie"


def cookie(domain: str, name: str = "sid", value: str = CANARY, **more: Any) -> JsonObject:
    return {
        "name": name, "value": value, "domain": domain, "path": "/", "secure": True, "httpOnly": True, "session": True,
        "expires": -1, **more,
    }  # fmt: skip


class Jar:
    """A browser's cookies, behind DevTools' two commands."""

    def __init__(self, *cookies: JsonObject) -> None:
        self.cookies = list(cookies)

    async def send(self, method: str, params: JsonObject | None = None) -> JsonObject:
        if method == "Storage.getCookies":
            return {"cookies": self.cookies}
        assert method == "Storage.setCookies"
        assert params
        for one in params["cookies"]:
            domain = one.get("domain") or cookie_site(one["url"])
            new = {"session": "expires" not in one, "expires": -1, "domain": domain, **one}
            self.cookies = [
                old for old in self.cookies if (old["name"], old["domain"]) != (one["name"], domain)
            ]
            self.cookies.append(new)
        return {}

    def values(self, name: str = "sid") -> list[str]:
        return [one["value"] for one in self.cookies if one["name"] == name]

    @property
    def chromium(self) -> RunningChromium:
        return cast(RunningChromium, SimpleNamespace(cdp=self))


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    create_migrated(tmp_path / "pilothouse.db")
    async with open_store(f"sqlite:///{tmp_path}/pilothouse.db") as store:
        yield store


@pytest.fixture
def sites(store: Store, tmp_path: Path) -> KeptSites:
    return KeptSites(KeptSiteStore(store.database), SecretBox(tmp_path / "keys"))


async def session_of(store: Store) -> str:
    return (
        await store.create_session(id=None, title=None, agent="operator", model="m", max_tool_steps=10)
    ).id


@pytest.mark.parametrize(
    ("domain", "more", "is_kept"),
    [
        ("shop.example", {}, True), (".shop.example", {}, True), ("www.shop.example", {}, True),
        ("other.example", {}, False), (".example", {}, False), ("shop.example.evil.io", {}, False),
        ("notshop.example", {}, False), ("shop.example", {"partitionKey": {"topLevelSite": "https://other.example"}}, False),
        ("shop.example", {"partitionKey": {"topLevelSite": "https://shop.example"}}, True),
    ],
)  # fmt: skip
def test_only_the_sites_own_cookies_are_of_it(domain: str, more: JsonObject, is_kept: bool) -> None:
    assert is_of(cookie(domain, **more), "shop.example") == is_kept


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.shop.example/a", "shop.example"), ("http://127.0.0.1:8123/", "127.0.0.1"),
        ("https://a.github.io/", "a.github.io"), ("about:blank", ""), ("data:text/html,x", ""), ("", ""),
    ],
)  # fmt: skip
def test_the_site_of_a_page_is_that_of_its_cookies(url: str, site: str) -> None:
    assert cookie_site(url) == site


def test_a_cookie_of_one_host_stays_one_and_ends_no_later_than_what_is_kept() -> None:
    own = as_set(cookie("www.shop.example"), 1000.0)
    assert own["url"] == "https://www.shop.example/"
    assert "domain" not in own
    assert "expires" not in own
    shared = as_set(cookie(".shop.example", session=False, expires=5000.0), 1000.0)
    assert (shared["domain"], shared["expires"]) == (".shop.example", 1000.0)


async def test_a_session_is_given_the_kept_cookies_once_and_keeps_newer_ones(
    store: Store, sites: KeptSites
) -> None:
    first, second = await session_of(store), await session_of(store)
    jar = Jar(cookie("shop.example"), cookie("other.example", value="other"))
    await sites.keep(first, "shop.example", await read_cookies_of(cast(Cdp, jar), "shop.example"), 30)
    other = Jar(cookie("shop.example", value="a visitor"))
    await sites.prepare(second, other.chromium)
    assert other.values() == [
        CANARY
    ]  # what it had as a visitor is replaced; nothing of the other site came along
    other.cookies = [cookie("shop.example", value="renewed by the site")]
    await sites.prepare(second, other.chromium)
    assert other.values() == ["renewed by the site"]
    other.cookies = []
    await sites.prepare(second, other.chromium)
    assert other.values() == [CANARY]
    await sites.keep(first, "shop.example", [cookie("shop.example", value="new login")], 30)
    await sites.prepare(second, other.chromium)
    assert other.values() == ["new login"]
    assert len(await sites.store.all()) == 1


async def test_what_is_taken_back_or_has_ended_is_given_to_no_session(store: Store, sites: KeptSites) -> None:
    session = await session_of(store)
    row = await sites.keep(session, "shop.example", [cookie("shop.example")], 30)
    await sites.store.remove(row.id)
    with pytest.raises(NotFound):
        await sites.store.remove(row.id)
    row = await sites.keep(session, "shop.example", [cookie("shop.example")], 1)
    assert row.expires_at - row.created_at == timedelta(days=1)
    row.id, row.site, row.expires_at = "0" * 32, "past.example", now() - timedelta(seconds=1)
    await sites.store.replace(row, session)
    assert [one.site for one in await sites.store.all()] == ["shop.example"]


async def test_no_value_is_readable_in_the_database_and_no_row_stands_for_another(
    store: Store, sites: KeptSites
) -> None:
    session, other = await session_of(store), await session_of(store)
    row = await sites.keep(session, "shop.example", [cookie("shop.example")], 30)
    (stored,) = await sites.store.all()
    assert CANARY.encode() not in stored.cipher
    row.id, row.site = "1" * 32, "evil.example"
    await sites.store.replace(row, session)
    jar = Jar()
    await sites.prepare(other, jar.chromium)
    assert jar.values() == [CANARY]  # of the true row only
    assert [one["domain"] for one in jar.cookies] == ["shop.example"]


async def test_without_the_key_file_the_browser_starts_all_the_same(
    store: Store, sites: KeptSites, tmp_path: Path
) -> None:
    session, other = await session_of(store), await session_of(store)
    await sites.keep(session, "shop.example", [cookie("shop.example")], 30)
    (tmp_path / "keys").unlink()
    jar = Jar()
    await KeptSites(sites.store, SecretBox(tmp_path / "keys")).prepare(other, jar.chromium)
    assert jar.cookies == []


async def test_a_site_without_cookies_is_not_kept(store: Store, sites: KeptSites) -> None:
    with pytest.raises(Conflict):
        await sites.keep(await session_of(store), "shop.example", [], 30)


async def test_nothing_is_kept_of_a_session_without_a_page(client: httpx.AsyncClient) -> None:
    session_id = await new_session(client)
    answer = await client.post(f"/api/sessions/{session_id}/browser/keep", json={})
    assert (answer.status_code, answer.json()["code"]) == (409, "no_page")
    assert (await client.get("/api/kept-sites")).json() == {"items": []}
    assert (await client.delete("/api/kept-sites/x")).status_code == 404
    assert (await client.post("/api/sessions/none/browser/keep", json={})).status_code == 404
