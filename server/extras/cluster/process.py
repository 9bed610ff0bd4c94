"""A process among several: Redis carries events and signals, PostgreSQL the jobs, each browser is in one process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from functools import partial

from starlette.websockets import WebSocket

from server.browser.browsers import Browsers
from server.browser.chromium.running import Chromiums
from server.cluster import JoiningServer, Share
from server.errors import Unavailable
from server.extras.cluster.forwarding import LiveRelay
from server.extras.cluster.jobs import put_job
from server.extras.cluster.pg_queue import PgRunQueue
from server.extras.cluster.redis_bus import RedisBus
from server.extras.cluster.remote import RemoteRuns
from server.extras.cluster.shared_browsers import Peers, SharedBrowsers
from server.extras.cluster.sharing import SharedRuns
from server.ops.json_types import JsonObject
from server.runs.executed import ExecutedRuns, OwnRuns
from server.runs.execution import Execution
from server.runs.maintenance import PlausibleClock, Tasks, housekeeping, preparation
from server.runs.queue import Execute, RunQueue
from server.settings import Settings
from server.store import Ownership, Store, process_name
from server.stream.bus import EventBus


class ProcessOfSeveral:
    """Implements `Cluster`."""

    is_shared = True
    _bus: RedisBus
    _queue: PgRunQueue
    _runs: SharedRuns
    _browsers: SharedBrowsers

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @property
    def lag(self) -> float:
        return self._bus.lag

    def ownership(self, installation: str) -> Ownership:
        return Ownership(process_name(), enqueue=put_job, lease_seconds=self._settings.run_lease)

    def browsers(self, store: Store, own: Callable[[], Browsers], hosts: Chromiums | None) -> Browsers:
        local = None if self._settings.role == "web" else own()
        self._browsers = SharedBrowsers(self._settings, store, Peers(self._settings), local, hosts)
        return self._browsers

    async def open_bus(self, stack: AsyncExitStack, executions: Mapping[str, Execution]) -> EventBus:
        def keyframe_of(session_id: str) -> JsonObject | None:
            execution = executions.get(session_id)
            return execution.unfinished() if execution else None

        bus = RedisBus(self._settings.redis_url or "", keyframe_of=keyframe_of)
        self._bus = await stack.enter_async_context(bus)
        return self._bus

    def queue(self, store: Store) -> Callable[[Execute], RunQueue]:
        def build(execute: Execute) -> RunQueue:
            self._queue = PgRunQueue(
                execute,
                settings.database,
                worker_id=store.owner,
                slots=slots,
                lease_seconds=settings.run_lease,
            )
            return self._queue

        settings = self._settings
        slots = 0 if settings.role == "web" else settings.max_runs
        return build

    def executed(self, store: Store, own: OwnRuns) -> ExecutedRuns:
        return RemoteRuns(store, self._bus)

    async def join(self, stack: AsyncExitStack, server: JoiningServer) -> Tasks:
        clock = PlausibleClock(await server.store.last_touched())
        self.share("presence", server.presence.share)
        runs = self._runs = SharedRuns(
            self._settings, server.store, self._bus, server.executor, server.own_runs, self._browsers,
            server.preferences.reload,
        )  # fmt: skip
        await runs.begin()  # the other processes know this one before it takes jobs
        stack.push_async_callback(runs.end)
        await stack.enter_async_context(self._queue)
        tasks = [runs.keep_alive(), runs.keep_consistent(), *housekeeping(server, clock, runs.is_oldest)]
        if self._settings.role != "web":
            tasks += [runs.follow_signals(), runs.follow_wishes(), *preparation(server)]
        return tasks

    async def problem(self) -> str | None:
        try:
            await self._bus.ping()
        except Unavailable as error:
            return error.detail
        return None

    async def announce_drain(self) -> None:
        await self._runs.announce_drain()

    def share(self, topic: str, share: Share) -> None:
        self._bus.on_broadcast(topic, share(partial(self._bus.broadcast, topic)))

    async def claim_browser(self, session_id: str) -> None:
        await self._browsers.claim(session_id)

    async def leave_browser(self, session_id: str) -> None:
        await self._browsers.leave(session_id)

    async def relay_live(self, socket: WebSocket, session_id: str) -> bool:
        if self._settings.role != "web" and await self._browsers.peer_of(session_id) is None:
            return False
        await LiveRelay(self._browsers, session_id).relay(socket)
        return True
