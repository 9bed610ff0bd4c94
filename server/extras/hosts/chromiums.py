"""The Chromiums of browser hosts: which host has a session's browser, and waiting for a free slot."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from time import monotonic

from server.browser.browser import BrowserUnavailable
from server.browser.chromium.profiles import Profiles
from server.browser.chromium.reach import Reach
from server.browser.chromium.running import LimitedBrowser
from server.errors import AppError
from server.extras.hosts.connection import BrowserHost, HostRefused, HostUnreachable, RemoteChromium
from server.extras.hosts.protocol import Acquire, Rules
from server.settings import Settings
from wording.catalogue import Wording, sentence

log = logging.getLogger(__name__)

HOST_RETRY_SECONDS = 1.0
"""Seconds between two tries of a host that is full, or cannot be reached."""
HOST_RETURN_SECONDS = 20.0
"""Seconds in which a host that cannot be reached has to come back, as after a restart."""
HOST_LOST = sentence("note.host_lost")

NextEpoch = Callable[[str], Awaitable[tuple[int, str | None]]]
"""Returns the next epoch of a session's browser, and the host that has its profile. Raises BrowserUnavailable."""
KeepHost = Callable[[str, str], Awaitable[None]]
"""Stores the host that has a session's profile."""


class HostChromiums:
    """Implements `Chromiums`. A session stays at the host that has its profile, as long as that can be reached."""

    def __init__(
        self,
        settings: Settings,
        profiles: Profiles,
        next_epoch: NextEpoch,
        keep_host: KeepHost,
        *,
        name: str = "pilothouse",
        patience: float = HOST_RETURN_SECONDS,
    ) -> None:
        """`name` is this process's, for the log of the hosts."""
        assert settings.browser_secret is not None
        self._settings = settings
        self._profiles = profiles
        self._next_epoch = next_epoch
        self._keep_host = keep_host
        self._name = name
        self._patience = patience
        secret = settings.browser_secret.get_secret_value()
        self._hosts = {address: BrowserHost(address, secret) for address in settings.browser_hosts}
        self._running: dict[str, RemoteChromium] = {}

    def configure(self, settings: Settings) -> None:
        self._settings = settings

    async def start(
        self, session_id: str, reach: Callable[[], Reach], note: Callable[[str], None], *, restore: bool
    ) -> RemoteChromium:
        try:
            epoch, known = await self._next_epoch(session_id)
        except AppError as error:
            raise BrowserUnavailable(error.detail) from error
        asked = Acquire(
            holder=self._name, epoch=epoch, lease=self._settings.run_lease, rules=Rules.of(reach()), restore=restore,
            profile="fresh" if self._settings.browser_profile == "fresh" else "session",
        )  # fmt: skip
        began = monotonic()
        while True:
            is_late = monotonic() - began > self._patience
            is_full, faults = False, []
            for host in await self._candidates(known, is_late=is_late):
                try:
                    chromium = await host.acquire(session_id, asked, self._profiles.files(session_id), note)
                except HostRefused as refused:
                    if refused.refusal.code != "full":
                        raise BrowserUnavailable(Wording(refused.refusal.detail)) from None
                    is_full = True
                except HostUnreachable as error:
                    faults.append(str(error))
                else:
                    return await self._begin(session_id, chromium, host.address, known, note, reach)
            if not is_full and is_late:
                raise BrowserUnavailable(sentence("host.none", faults="; ".join(faults)))
            await asyncio.sleep(HOST_RETRY_SECONDS)

    async def _candidates(self, known: str | None, *, is_late: bool) -> list[BrowserHost]:
        """The hosts to try, best first: the one that has the profile; late, or if there is none, all of them."""
        home = self._hosts.get(known or "")
        if home and not is_late:
            return [home]
        others = [host for host in self._hosts.values() if host is not home]
        in_use = dict.fromkeys(self._hosts, 0)
        for chromium in self._running.values():
            in_use[chromium.address] = in_use.get(chromium.address, 0) + chromium.is_running
        others.sort(key=lambda host: in_use[host.address])
        return [home, *others] if home else others

    async def _begin(
        self,
        session_id: str,
        chromium: RemoteChromium,
        address: str,
        known: str | None,
        note: Callable[[str], None],
        reach: Callable[[], Reach],
    ) -> RemoteChromium:
        try:
            if address != known:
                await self._keep_host(session_id, address)
                if known:
                    note(HOST_LOST)
        except BaseException:
            await chromium.leave()
            raise
        chromium.egress.use(reach())  # the rules may have changed during the start
        self._running[session_id] = chromium
        return chromium

    async def finish(self, session_id: str, *, purge: bool = False) -> None:
        self._running.pop(session_id, None)

    async def purge(self, session_id: str) -> None:
        """On all hosts: it may have been moved. What does not answer now is asked again by `purge_unknown`."""

        async def purge(host: BrowserHost) -> None:
            try:
                await host.purge(session_id)
            except HostUnreachable as error:
                log.warning("the profile of a purged session stays for now: %s", error)

        await asyncio.gather(*(purge(host) for host in self._hosts.values()))

    async def purge_unknown(self, known: Callable[[Sequence[str]], Awaitable[set[str]]]) -> None:
        """Delete the profiles of sessions that do not exist any more; `known` returns those that do."""
        for host in self._hosts.values():
            try:
                found = await host.sessions()
                for session_id in sorted(set(found) - await known(found)) if found else ():
                    await host.purge(session_id)
            except HostUnreachable as error:
                log.warning("profiles without a session are deleted later: %s", error)

    async def renew(self, session_id: str) -> None:
        """Do nothing: its host disconnects the former process."""

    async def keep_within_limits(self, browsers: Sequence[LimitedBrowser]) -> None:
        """Do nothing: their hosts do."""

    @property
    def is_crowded(self) -> bool:
        return any(chromium.is_crowded for chromium in self._running.values())

    def missing(self) -> str | None:
        return None

    async def ready(self) -> str | None:
        problems = await asyncio.gather(*(host.problem() for host in self._hosts.values()))
        return None if None in problems else " ".join(filter(None, problems))

    async def is_open(self, session_id: str) -> bool:
        """On any host; those that do not answer do not count."""

        async def ask(host: BrowserHost) -> bool:
            try:
                return await host.has_browser(session_id)
            except HostUnreachable as error:
                log.warning("whether a browser is still there is not known: %s", error)
                return False

        return any(await asyncio.gather(*(ask(host) for host in self._hosts.values())))

    async def aclose(self) -> None:
        await asyncio.gather(*(host.aclose() for host in self._hosts.values()))
