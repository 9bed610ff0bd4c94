"""The browsers of a host: who holds each, which slots are taken, and when one ends."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from server.browser.browser import BrowserUnavailable
from server.browser.chromium.cdp import CdpError
from server.browser.chromium.chromium import Chromium
from server.browser.chromium.profiles import Profiles
from server.browser.chromium.reach import Reach
from server.browser.own_chromiums import OwnChromiums
from server.clock import elapsed
from server.errors import Explained
from server.extras.hosts.protocol import Acquire, Granted, RefusalCode, Rules, ToHolder
from server.fs.names import safe_name
from server.settings import Settings
from wording.catalogue import Wording, sentence

log = logging.getLogger(__name__)

LIMITS_EVERY = 5.0
CROWDED_FOR = 10.0
"""Seconds for which holders learn that slots are wanted, after a process was refused."""


class HostRefuses(Explained):
    def __init__(self, code: RefusalCode, why: Wording) -> None:
        super().__init__(why)
        self.code: RefusalCode = code


class HolderConnection(Protocol):
    """A connection of a browser's holder."""

    def abort(self) -> None:
        """End it at once; nothing more of it is done."""
        ...


class HostedBrowser:
    """One session's browser. All its times are of a clock that counts also while this process is frozen."""

    def __init__(self, session_id: str, folder: Path, clock: Callable[[], float]) -> None:
        self.session_id = session_id
        self.epoch = 0
        self.chromium: Chromium | None = None
        self.rules: Rules | None = None
        self.tab: str | None = None
        self.changing = asyncio.Lock()
        self.connections: set[HolderConnection] = set()
        self.uploads, self.downloads = folder / "uploads", folder / "downloads"
        self._send: Callable[[ToHolder], None] | None = None
        self._notes: list[Wording] = []
        self._clock = clock
        self._lease = 0.0
        self.last_sign = clock()
        """When its holder gave its last sign of life, or left it."""

    @property
    def is_held(self) -> bool:
        """Whether its holder may act now."""
        return self._send is not None and self._clock() - self.last_sign < self._lease

    def hold(self, asked: Acquire, send: Callable[[ToHolder], None]) -> None:
        """Give it to another holder, whose epoch is higher; the former one is disconnected."""
        self.drop_holder()
        self.epoch, self._lease, self._send = asked.epoch, asked.lease, send
        if self.chromium:
            self.chromium.outgoing.listen(lambda held: self.send(ToHolder(held=held)))
        self.touch()

    def touch(self) -> None:
        self.last_sign = self._clock()

    def drop_holder(self) -> None:
        """End all connections of the holder; the browser stays."""
        self._send = None
        if self.chromium:
            self.chromium.outgoing.abandon()
        connections, self.connections = self.connections, set()
        for connection in connections:
            connection.abort()

    def may_act(self, epoch: int) -> bool:
        return epoch == self.epoch and self.is_held

    def send(self, message: ToHolder) -> None:
        if self._send:
            self._send(message)

    def note(self, line: str) -> None:
        if self._send:
            self._send(ToHolder(note=Wording(line)))
        else:
            self._notes = [*self._notes, Wording(line)][-20:]

    def take_notes(self) -> list[Wording]:
        notes, self._notes = self._notes, []
        return notes

    async def collect_garbage(self) -> None:
        if self.chromium is None:
            return
        cdp = self.chromium.cdp
        with suppress(CdpError):
            targets = (await cdp.send("Target.getTargets"))["targetInfos"]
            for target in targets:
                if target["type"] != "page":
                    continue
                where = {"targetId": target["targetId"], "flatten": True}
                session = (await cdp.send("Target.attachToTarget", where))["sessionId"]
                with suppress(CdpError):
                    await cdp.send("HeapProfiler.collectGarbage", session=session, deadline=2)
                await cdp.send("Target.detachFromTarget", {"sessionId": session})

    def path_of(self, name: str) -> Path:
        """Where a file with this name of an upload or download is."""
        return self.downloads / safe_name(name)

    def may_give(self, file: Path) -> bool:
        """Whether a page may get this file of the host: only those that the holder has sent."""
        return file.resolve().is_relative_to(self.uploads.resolve())

    def clear_files(self) -> None:
        for folder in (self.uploads, self.downloads):
            shutil.rmtree(folder, ignore_errors=True)


class HostedBrowsers:
    """All browsers of a host. Chromium, profiles and limits are those of `OwnChromiums`."""

    def __init__(
        self,
        settings: Settings,
        chromiums: OwnChromiums,
        profiles: Profiles,
        clock: Callable[[], float] = elapsed,
    ) -> None:
        self._settings = settings
        self._chromiums = chromiums
        self._profiles = profiles
        self._clock = clock
        self._hosted: dict[str, HostedBrowser] = {}
        self._lowest: dict[str, int] = {}
        """By session: the lowest epoch that may still acquire its browser."""
        self._refused_at: float | None = None

    @property
    def open(self) -> list[HostedBrowser]:
        """Those that take a slot: their Chromium runs, or starts."""
        return list(self._hosted.values())

    @property
    def slots(self) -> int:
        return self._settings.max_browsers

    @property
    def is_crowded(self) -> bool:
        return self._refused_at is not None and self._clock() - self._refused_at < CROWDED_FOR

    def find(self, session_id: str, epoch: int) -> HostedBrowser | None:
        """The session's browser, if this epoch may act in it now."""
        hosted = self._hosted.get(session_id)
        return hosted if hosted and hosted.may_act(epoch) else None

    async def acquire(
        self, session_id: str, asked: Acquire, send: Callable[[ToHolder], None]
    ) -> tuple[HostedBrowser, Granted]:
        """Give the session's browser to a process, started if it is not running. Raises HostRefuses."""
        self._check_epoch(session_id, asked.epoch)
        self._lowest[session_id] = asked.epoch
        hosted = self._hosted.get(session_id)
        if hosted is None:
            if len(self._hosted) >= self.slots:
                self._refused_at = self._clock()
                raise HostRefuses("full", sentence("host.full", n=self.slots))
            folder = self._profiles.scratch(session_id)
            hosted = self._hosted[session_id] = HostedBrowser(session_id, folder, self._clock)
        hosted.drop_holder()  # nothing of the former one is done from here on
        async with hosted.changing:
            has_ended = self._hosted.get(session_id) is not hosted
            if not has_ended:
                return await self._give(hosted, asked, send)
        return await self.acquire(session_id, asked, send)

    async def _give(
        self, hosted: HostedBrowser, asked: Acquire, send: Callable[[ToHolder], None]
    ) -> tuple[HostedBrowser, Granted]:
        session_id = hosted.session_id
        self._check_epoch(session_id, asked.epoch)
        hosted.rules = asked.rules
        was_kept = hosted.chromium is not None and hosted.chromium.is_running
        if hosted.chromium is not None and not was_kept:
            await self._end(hosted)
            self._hosted[session_id] = hosted
        if not was_kept:
            await self._start(hosted, asked)
        assert hosted.chromium is not None
        hosted.chromium.egress.use(self._reach(hosted))
        self._check_epoch(session_id, asked.epoch)
        hosted.hold(asked, send)
        self._lowest[session_id] = asked.epoch + 1
        log.info("session %s: %s by %s", session_id, "taken over" if was_kept else "started", asked.holder)
        granted = Granted(
            headless=hosted.chromium.headless, holds=True, was_kept=was_kept, tab=hosted.tab if was_kept else None,
            notes=hosted.take_notes(),
        )  # fmt: skip
        return hosted, granted

    def _check_epoch(self, session_id: str, epoch: int) -> None:
        if epoch < self._lowest.get(session_id, 0):
            raise HostRefuses("stale", sentence("host.stale"))

    async def _start(self, hosted: HostedBrowser, asked: Acquire) -> None:
        try:
            hosted.clear_files()
            self._profiles.mode = asked.profile
            hosted.chromium = await self._chromiums.start(
                hosted.session_id, lambda: self._reach(hosted), hosted.note, restore=asked.restore
            )
        except BaseException as error:
            self._hosted.pop(hosted.session_id, None)
            if isinstance(error, BrowserUnavailable):
                raise HostRefuses("unavailable", error.detail) from None
            raise
        hosted.chromium.egress.on_refusal = lambda refusal: hosted.send(ToHolder(blocked=refusal))

    def _reach(self, hosted: HostedBrowser) -> Reach:
        assert hosted.rules is not None
        return hosted.rules.reach(self.own_ports)

    def own_ports(self) -> set[int]:
        ports = {port for one in self._hosted.values() if one.chromium for port in one.chromium.ports}
        return ports | {self._settings.port}

    def use_rules(self, hosted: HostedBrowser, rules: Rules) -> None:
        hosted.rules = rules
        if hosted.chromium:
            hosted.chromium.egress.use(self._reach(hosted))

    def leave(self, hosted: HostedBrowser, epoch: int) -> None:
        """Its holder has gone: keep it for the next one."""
        if hosted.epoch == epoch:
            hosted.touch()
            hosted.drop_holder()

    async def end(self, hosted: HostedBrowser, epoch: int | None = None) -> None:
        """End it, if `epoch` still holds it."""
        async with hosted.changing:
            if epoch is None or hosted.epoch == epoch:
                await self._end(hosted)

    async def _end(self, hosted: HostedBrowser) -> None:
        chromium, hosted.chromium = hosted.chromium, None
        if chromium is not None:
            await chromium.close()
            await self._chromiums.finish(hosted.session_id)
        hosted.clear_files()
        self._hosted.pop(hosted.session_id, None)
        hosted.drop_holder()

    async def purge(self, session_id: str) -> None:
        """End the session's browser and delete its profile."""
        if hosted := self._hosted.get(session_id):
            await self.end(hosted)
        await self._profiles.purge(session_id)

    def profiles(self) -> list[str]:
        """The sessions that have a profile here, by their folders' names."""
        folders = self._settings.profiles.glob("[!.]*")
        return [folder.name for folder in folders if folder.is_dir() and not folder.suffix]

    async def maintain(self) -> None:
        """Background task: disconnect holders that are silent, end browsers without a holder, limit all of them."""
        looked = self._clock()
        while True:
            await asyncio.sleep(0.5)
            await self.look()
            if self._clock() - looked > LIMITS_EVERY:
                looked = self._clock()
                await self._chromiums.keep_within_limits(self.open)

    async def look(self) -> None:
        for hosted in self.open:
            if hosted.is_held or hosted.changing.locked():
                continue
            if hosted.chromium is None:  # its start was refused or given up
                self._hosted.pop(hosted.session_id, None)
            if hosted.connections:
                log.info("session %s: its holder is silent and disconnected", hosted.session_id)
                hosted.drop_holder()
            if self._clock() - hosted.last_sign > self._settings.browser_keep:
                log.info("session %s: its browser is ended, no process uses it", hosted.session_id)
                await self.end(hosted)

    async def aclose(self) -> None:
        await asyncio.gather(*(self.end(hosted) for hosted in self.open))
