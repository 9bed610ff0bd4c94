"""A session's own zone, language and proxy, as its pages and the network see them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Literal

import pytest
import pytest_asyncio

from server.browser.chromium.upstream import Upstream
from server.browser.mcp.playwright import playwright
from server.browser.pool import BrowserPool
from server.browser.surroundings import OwnSurroundings
from tests.support.browsers import settings_for
from tests.support.sites import Site
from tests.support.upstream_proxies import PASSWORD, USER, upstream_proxy

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(180)]

CLOCK = """<!doctype html><title>Clock</title><p id=o></p><script>
o.textContent = [Intl.DateTimeFormat().resolvedOptions().timeZone, navigator.language, new Date(2027, 0, 1).getTimezoneOffset()].join(' ')
</script>"""


@dataclass
class Own:
    """What the sessions have, as it is stored."""

    by_session: dict[str, OwnSurroundings] = field(default_factory=dict)

    async def find(self, session_id: str) -> OwnSurroundings:
        return self.by_session.get(session_id, OwnSurroundings())


@pytest.fixture(scope="module")
def own() -> Own:
    return Own()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool(tmp_path_factory: pytest.TempPathFactory, own: Own) -> AsyncIterator[BrowserPool]:
    settings = settings_for(tmp_path_factory.mktemp("data"), time_zone="Europe/Berlin", locale="de")
    pool = BrowserPool(settings, server=playwright(), surroundings=own.find)
    try:
        yield pool
    finally:
        await pool.aclose()


async def test_a_sessions_pages_have_its_zone_and_language_at_once(
    pool: BrowserPool, own: Own, site: Site
) -> None:
    clock = site.add("/clock", CLOCK)
    browser = await pool.get("places")
    await browser.navigate(clock)
    assert "Europe/Berlin de -60" in (await browser.observe()).text()
    own.by_session["places"] = OwnSurroundings("Asia/Tokyo", "pt-BR")
    await pool.renew_surroundings("places")
    await browser.navigate(clock)
    assert "Asia/Tokyo pt-BR -540" in (await browser.observe()).text()
    await pool.park("places")
    await (await pool.get("places")).navigate(clock)
    assert "Asia/Tokyo pt-BR -540" in (await browser.observe()).text()
    own.by_session.clear()
    await pool.renew_surroundings("places")
    await browser.navigate(clock)
    assert "Europe/Berlin de -60" in (await browser.observe()).text()


@pytest.mark.parametrize("scheme", ["http", "socks5"])
async def test_a_sessions_pages_come_through_its_proxy(
    pool: BrowserPool, own: Own, site: Site, scheme: Literal["http", "socks5"]
) -> None:
    async with upstream_proxy(scheme) as there:
        browser = await pool.get("proxied")
        assert (await browser.navigate(site.url("/form"))).ok
        assert there.targets == []
        own.by_session["proxied"] = OwnSurroundings(upstream=Upstream.read(there.address, USER, PASSWORD))
        await pool.renew_surroundings("proxied")
        assert (await browser.navigate(site.url("/links"))).ok
        assert set(there.targets) == {f"127.0.0.1:{site.port}"}
        own.by_session["proxied"] = OwnSurroundings(upstream=Upstream.read(there.address, USER, "wrong"))
        await pool.renew_surroundings("proxied")
        refused = await browser.navigate(site.url("/form"))
        assert not refused.ok
        assert "does not take the user name and password" in refused.text
        assert "wrong" not in refused.text
        own.by_session.clear()
        await pool.renew_surroundings("proxied")
        assert (await browser.navigate(site.url("/form"))).ok
