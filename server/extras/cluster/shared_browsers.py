"""The browsers of several processes: each session's browser is in one of them, which has claimed it in the database."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

import httpx

from server.browser.browser import Browser, BrowserUnavailable, ToolSpec
from server.browser.browsers import Browsers, BrowserState, Known
from server.browser.chromium.profiles import Profiles
from server.browser.chromium.running import Chromiums
from server.browser.takeover.live_view import LiveView
from server.database.models import ProcessRow
from server.ops.json_types import JsonObject
from server.settings import Settings
from server.store import Store
from wording.catalogue import sentence

logger = logging.getLogger(__name__)

PEER_ANSWER_SECONDS = 10.0
"""Timeout of a request to another process; closing a browser takes a few seconds."""
LEAVE_SECONDS = 10.0
"""Seconds beyond a lease in which the process that has a session's browser has to leave it."""
LEAVE_POLL_SECONDS = 0.3
NO_BROWSERS = sentence("browser.none_here")


class Peers:
    """Requests to the other processes, which have the same AUTH_TOKEN."""

    def __init__(self, settings: Settings) -> None:
        token = settings.auth_token.get_secret_value() if settings.auth_token else ""
        self.headers = {"authorization": f"Bearer {token}", "host": "127.0.0.1"}
        self._client = httpx.AsyncClient(headers=self.headers, timeout=PEER_ANSWER_SECONDS, trust_env=False)

    async def request(self, peer: ProcessRow, method: str, path: str, **options: object) -> httpx.Response:
        """Raises httpx.HTTPError if the process does not answer."""
        return await self._client.request(method, f"{peer.address}{path}", **options)  # type: ignore[arg-type]

    async def aclose(self) -> None:
        await self._client.aclose()


class SharedBrowsers:
    """Implements `Browsers`: the browsers of this process, if it has any (`local`), and those of the others."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        peers: Peers,
        local: Browsers | None,
        hosts: Chromiums | None = None,
    ) -> None:
        """`hosts`: the browser hosts, if browsers run there."""
        self._hosts = hosts
        self.settings = settings
        self.store = store
        self.peers = peers
        self._local = local
        self._mine: set[str] = set()
        """Sessions whose browser this process has claimed."""
        self._claiming: dict[str, asyncio.Lock] = {}
        self.place_listeners: list[Callable[[str, int | None], None]] = local.place_listeners if local else []
        self.drive_listeners: list[Callable[[str, str], None]] = local.drive_listeners if local else []

    async def claim(self, session_id: str) -> None:
        """Become the process that has the session's browser; the former one closes it. Raises BrowserUnavailable."""
        if session_id in self._mine:
            return
        lock = self._claiming.setdefault(session_id, asyncio.Lock())
        async with lock:
            try:
                if session_id not in self._mine:
                    await self._claim(session_id)
            finally:
                self._claiming.pop(session_id, None)

    async def _claim(self, session_id: str) -> None:
        local = self._here
        if session_id in local.opened():  # it was claimed by another process since
            await local.leave(session_id)
        deadline = asyncio.get_running_loop().time() + self.settings.run_lease + LEAVE_SECONDS
        while isinstance(former := await self.store.claim_browser(session_id), ProcessRow):
            await self._ask_to_leave(former, session_id)
            if asyncio.get_running_loop().time() > deadline:
                raise BrowserUnavailable(sentence("browser.other_process_still"))
            await asyncio.sleep(LEAVE_POLL_SECONDS)
        if former is not None:
            logger.info("session %s: its browser was in a process that is gone", session_id)
            await local.renew_profile(session_id)
        self._mine.add(session_id)

    async def peer_of(self, session_id: str) -> ProcessRow | None:
        """The other process to ask for the session's browser; None if that is here, or if there is none.

        A process without browsers chooses a worker for a session that has no browser yet.
        """
        holder = await self.store.browser_holder(session_id)
        if holder is not None:
            return None if holder.name == self.store.owner else holder
        if self.settings.role != "web":
            return None
        processes = await self.store.live_processes()
        workers = [one for one in processes if one.role != "web" and not one.is_draining]
        return min(workers, key=lambda one: one.browsers, default=None)

    async def leave(self, session_id: str) -> None:
        """Give up the browser here, so that another process may use it."""
        self._mine.discard(session_id)
        await self._here.leave(session_id)
        await self.store.leave_browser(session_id)

    async def _ask_to_leave(self, peer: ProcessRow, session_id: str) -> None:
        try:
            await self.peers.request(peer, "POST", f"/api/sessions/{session_id}/browser/leave")
        except httpx.HTTPError as error:
            logger.info("process %s does not answer: %s", peer.name, type(error).__name__)

    @property
    def _here(self) -> Browsers:
        if self._local is None:
            raise BrowserUnavailable(NO_BROWSERS)
        return self._local

    # The protocol

    def configure(self, settings: Settings) -> None:
        if self._local:
            self._local.configure(settings)

    async def renew_surroundings(self, session_id: str) -> None:
        peer = await self.peer_of(session_id)
        if peer is None:
            return await self._local.renew_surroundings(session_id) if self._local else None
        try:
            await self.peers.request(peer, "POST", f"/api/sessions/{session_id}/browser/surroundings")
        except httpx.HTTPError as error:
            raise BrowserUnavailable(sentence("browser.other_process_still")) from error

    async def site_cookies(self, session_id: str, site: str) -> Sequence[JsonObject]:
        return await self._here.site_cookies(session_id, site)

    async def get(self, session_id: str) -> Browser:
        await self.claim(session_id)
        return await self._here.get(session_id)

    def mark_idle(self, session_id: str) -> None:
        if self._local:
            self._local.mark_idle(session_id)

    def peek(self, session_id: str) -> BrowserState | None:
        return self._local.peek(session_id) if self._local else None

    def live(self, session_id: str) -> LiveView:
        return self._here.live(session_id)

    async def tools(self) -> Sequence[ToolSpec]:
        if self._local:
            return await self._local.tools()
        for peer in await self.store.live_processes():
            if peer.role == "worker":
                try:
                    answer = await self.peers.request(peer, "GET", "/api/tools")
                except httpx.HTTPError:
                    continue
                if answer.is_success:
                    return [ToolSpec(**item) for item in answer.json()["items"]]
        raise BrowserUnavailable(NO_BROWSERS)

    async def missing_programs(self) -> list[str]:
        return await self._local.missing_programs() if self._local else []

    def own_ports(self) -> set[int]:
        return self._local.own_ports() if self._local else set()

    async def ready(self) -> str | None:
        return await self._local.ready() if self._local else None

    async def park(self, session_id: str) -> None:
        if self._local:
            await self._local.park(session_id)

    async def close(self, session_id: str, *, purge: bool = False) -> None:
        holder = await self.store.browser_holder(session_id)
        if holder and holder.name != self.store.owner:
            await self._ask_to_leave(holder, session_id)
        if self._local:
            self._mine.discard(session_id)
            await self._local.close(session_id, purge=purge)
            await self.store.leave_browser(session_id)
        elif purge:
            await Profiles(self.settings).purge(session_id)
            if self._hosts:
                await self._hosts.purge(session_id)

    async def has_outlived(self, session_id: str) -> bool:
        return self._local is not None and await self._local.has_outlived(session_id)

    async def sweep(self, known: Known) -> None:
        if self._hosts:
            await self._hosts.purge_unknown(known)

    def opened(self) -> Sequence[str]:
        return self._local.opened() if self._local else ()

    async def renew_profile(self, session_id: str) -> None:
        await self._here.renew_profile(session_id)

    async def aclose(self) -> None:
        if self._local:
            await self._local.aclose()
        elif self._hosts:
            await self._hosts.aclose()
        await self.peers.aclose()
