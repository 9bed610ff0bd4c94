"""Sites that stay signed in for all sessions: their cookies, encrypted, set in a session's browser when it starts."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from datetime import timedelta

from server.browser.chromium.cdp import CdpError
from server.browser.chromium.running import RunningChromium
from server.browser.site_cookies import set_cookies
from server.database.models import KeptSiteRow
from server.errors import Conflict
from server.events import now
from server.fs.secret_box import SecretBox, SecretLost
from server.ops.json_types import JsonObject
from server.store.kept_sites import KeptSiteStore
from server.store.records import new_id
from wording.catalogue import sentence

log = logging.getLogger(__name__)


class KeptSites:
    def __init__(self, store: KeptSiteStore, secrets: SecretBox) -> None:
        self.store = store
        self._secrets = secrets

    async def keep(self, session_id: str, site: str, cookies: Sequence[JsonObject], days: int) -> KeptSiteRow:
        """Keep these cookies of the session, instead of what was kept of the site. Raises Conflict if there are none."""
        if not cookies:
            raise Conflict(sentence("kept_site.no_cookies", site=site), code="no_cookies")
        kept_id, at = new_id(), now()
        # Site and id are encrypted, too: no row of the database can take the place of another one.
        content = json.dumps({"id": kept_id, "site": site, "cookies": list(cookies)}).encode()
        row = KeptSiteRow(
            id=kept_id, site=site, cipher=await self._secrets.encrypt(content), count=len(cookies), created_at=at,
            expires_at=at + timedelta(days=days), last_used_at=None,
        )  # fmt: skip
        await self.store.replace(row, session_id)
        return row

    async def prepare(self, session_id: str, chromium: RunningChromium) -> None:
        """Give a browser that has just started the kept cookies.

        Those that the session has not had yet replace its own of the site; later on only missing ones are set, because the
        site may have given this session newer ones. A site whose cookies cannot be read or set is left out.
        """
        kept = await self.store.all()
        given = await self.store.given_to(session_id) if kept else set()
        for row in kept:
            try:
                cookies = await self._open(row)
                until = row.expires_at.timestamp()
                await set_cookies(chromium.cdp, cookies, until, only_missing=row.id in given)
            except (SecretLost, CdpError, ValueError) as error:
                log.warning("session %s: the login kept for %s was not set: %s", session_id, row.site, error)
            else:
                await self.store.note_given(row.id, session_id, now())

    async def _open(self, row: KeptSiteRow) -> list[JsonObject]:
        content = json.loads(await self._secrets.decrypt(row.cipher))
        if (content["id"], content["site"]) != (row.id, row.site):
            raise ValueError("it was encrypted for another row")
        cookies: list[JsonObject] = content["cookies"]
        return cookies
