"""A login that is kept in one session's browser, used by another session's."""

from __future__ import annotations

from pathlib import Path

from server.browser.pool import BrowserPool
from server.browser.site_cookies import set_cookies
from server.fs.secret_box import SecretBox
from server.runs.kept_sites import KeptSites
from server.store.kept_sites import KeptSiteStore
from tests.real.test_browser_layouts import log_in, title_of
from tests.support.browsers import settings_for
from tests.support.databases import open_store
from tests.support.migrated import create_migrated
from tests.support.sites import Site


async def test_another_session_is_logged_in_at_this_site_only(tmp_path: Path) -> None:
    create_migrated(tmp_path / "pilothouse.db")
    async with open_store(f"sqlite:///{tmp_path}/pilothouse.db") as store:
        sites = KeptSites(KeptSiteStore(store.database), SecretBox(tmp_path / "keys"))
        for name in ("a", "b"):
            await store.create_session(id=name, title=None, agent="operator", model="m", max_tool_steps=10)
        pool = BrowserPool(settings_for(tmp_path / "data"), prepare=sites.prepare)
        with Site() as site:
            elsewhere = site.url("/private").replace("127.0.0.1", "localhost")
            try:
                browser = await pool.get("a")
                await log_in(browser, site)
                assert browser.chromium
                (own,) = await pool.site_cookies("a", "127.0.0.1")
                await set_cookies(
                    browser.chromium.cdp, [{**own, "domain": "localhost"}], own["expires"], only_missing=False
                )
                assert await title_of(browser, elsewhere) == "Private"
                kept = await sites.keep("a", "127.0.0.1", await pool.site_cookies("a", "127.0.0.1"), 30)
                assert kept.count == 1
                other = await pool.get("b")
                assert await title_of(other, site.url("/private")) == "Private"
                assert await title_of(other, elsewhere) == "Log in"
            finally:
                await pool.aclose()
