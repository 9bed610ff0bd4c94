"""The Chromiums of this machine, with their profiles and limits."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from server.browser.browser import BrowserUnavailable
from server.browser.chromium import executables as parts
from server.browser.chromium.chromium import Chromium
from server.browser.chromium.egress import Egress, InnerSites, Resolve
from server.browser.chromium.locality import Locality
from server.browser.chromium.processes import Processes
from server.browser.chromium.profiles import Profiles
from server.browser.chromium.reach import Reach
from server.browser.chromium.running import LimitedBrowser
from server.browser.memory import end_heavy_pages
from server.fs.disk import MEGABYTE, shortage, size_of
from server.settings import Settings
from wording.catalogue import sentence

log = logging.getLogger(__name__)

SMALL_PROFILE = 200
"""MB. Limit of a profile while free disk space is below MIN_FREE_DISK (unless BROWSER_DISK is lower)."""


class OwnChromiums:
    """Implements `Chromiums`: each is a child process."""

    is_crowded = False

    def __init__(
        self, settings: Settings, processes: Processes, profiles: Profiles, resolve: Resolve | None = None,
        inner_sites: InnerSites | None = None,
    ) -> None:  # fmt: skip
        self._settings = settings
        self._processes = processes
        self._profiles = profiles
        self._resolve = resolve
        self._inner_sites = inner_sites

    def configure(self, settings: Settings) -> None:
        self._settings = settings
        self._profiles.mode = settings.browser_profile

    async def start(
        self, session_id: str, reach: Callable[[], Reach], note: Callable[[str], None], *, restore: bool
    ) -> Chromium:
        executable = parts.find_chromium(self._settings.browser_executable)
        if executable is None:
            raise BrowserUnavailable(parts.NO_CHROMIUM)
        profile = await self._profiles.open(session_id)
        if removed := await self._profiles.trim(session_id, self._profile_limit()):
            note(sentence("note.profile_trimmed", what=str(removed)))
        if short := shortage(self._settings.data_dir, self._settings.min_free_disk):
            raise BrowserUnavailable(sentence("browser.no_disk", why=short))
        chromium = await Chromium.start(
            executable, profile, self._processes, Egress(reach(), self._resolve, self._inner_sites),
            headless=self._settings.headless, sandbox=self._settings.browser_sandbox, restore=restore,
            locality=Locality.of(self._settings),
        )  # fmt: skip
        chromium.egress.use(reach())  # the rules may have changed during the start
        return chromium

    async def finish(self, session_id: str, *, purge: bool = False) -> None:
        await self._profiles.close(session_id, limit=self._profile_limit(), purge=purge)

    async def purge(self, session_id: str) -> None:
        await self._profiles.purge(session_id)

    async def purge_unknown(self, known: Callable[[Sequence[str]], Awaitable[set[str]]]) -> None:
        """Do nothing: `Sweeper` does."""

    async def is_open(self, session_id: str) -> bool:
        return False

    async def renew(self, session_id: str) -> None:
        await self._profiles.renew(session_id)

    async def keep_within_limits(self, browsers: Sequence[LimitedBrowser]) -> None:
        await self._end_large_profiles(browsers)
        await end_heavy_pages(browsers, self._settings.browser_memory)

    def missing(self) -> str | None:
        return None if parts.find_chromium(self._settings.browser_executable) else parts.NO_CHROMIUM

    async def ready(self) -> str | None:
        return self.missing()

    async def aclose(self) -> None:
        """Do nothing: their users end them."""

    def _profile_limit(self) -> int:
        """In MB."""
        limit = self._settings.browser_disk
        is_short = shortage(self._settings.data_dir, self._settings.min_free_disk)
        return min(limit, SMALL_PROFILE) if is_short else limit

    async def _end_large_profiles(self, browsers: Sequence[LimitedBrowser]) -> None:
        """Quit each browser whose profile is too large; the profile is trimmed at the next start."""
        limit = self._profile_limit()
        for browser in browsers:
            chromium = browser.chromium
            if not isinstance(chromium, Chromium) or not chromium.is_running:
                continue
            size = await asyncio.to_thread(size_of, chromium.profile) // MEGABYTE
            if size > limit:
                log.warning("a browser's profile has %d MB; the browser is ended", size)
                browser.note(sentence("note.profile_too_large", size=size, limit=limit))
                await chromium.quit()
