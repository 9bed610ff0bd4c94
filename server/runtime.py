"""The composition root: creates and closes all components, and selects mocks in mock mode."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from server.agent.gate.by_hand import ByHand
from server.agent.model_menu import ModelMenu
from server.agent.models.chat_model import build_chat_model
from server.agent_runner import AgentRunner
from server.automations.automations import Automations
from server.automations.scheduler import Scheduler
from server.browser.browser import BrowserUnavailable
from server.browser.browsers import Browsers
from server.browser.chromium.profiles import Profiles
from server.browser.chromium.reach import Reach
from server.channels.channels import Channels
from server.channels.delivery import Delivery
from server.channels.presence import Presence
from server.checkpoints import Checkpoints, DatabaseTables, MemoryTables
from server.database import Database
from server.database.migrate import NotReady, prepare_database
from server.errors import AppError, Unavailable
from server.events import Interrupt
from server.files.screenshots import Screenshots
from server.files.session_files import SessionFiles
from server.fs.disk import shortage
from server.fs.permissions import keep_private
from server.http.idempotency import Receipts
from server.maintenance import PlausibleClock, background_tasks, shared_tasks
from server.ops.background_tasks import BackgroundTasks
from server.ops.installation import held, owned_installation
from server.ops.json_types import JsonObject
from server.ops.loop_watchdog import log_stalls
from server.preferences import Preferences
from server.runs.agents import AgentFactory
from server.runs.commands import RunCommands
from server.runs.execution import Execution
from server.runs.queue import Execute, RunQueue
from server.runs.recorder import RunRecorder
from server.runs.recovery import Recovery
from server.runs.remote import RemoteRuns
from server.runs.retention import Retention
from server.runs.sharing import SharedRuns
from server.runs.site_icons import SiteIcons
from server.settings import Settings
from server.store import Ownership, Store, process_name
from server.stream.bus import InProcessBus

if TYPE_CHECKING:
    from server.browser.chromium.egress import InnerSites
    from server.browser.host.chromiums import HostChromiums
    from server.database.sole_use import SoleUse
    from server.runs.pg_queue import PgRunQueue
    from server.runs.shared_browsers import SharedBrowsers
    from server.stream.redis_bus import RedisBus

logger = logging.getLogger(__name__)

IN_USE = (
    "another process uses the database file of DATABASE_URL or DATA_DIR, which only one may. This one waits until the "
    "other has ended; several processes need PostgreSQL and REDIS_URL"
)
BACKGROUND_SECONDS = 5.0
"""How long a process that ends waits for what requests have begun."""


@dataclass
class Shared:
    """The parts of a process that is one of several on its database."""

    runs: SharedRuns
    browsers: SharedBrowsers
    bus: RedisBus


@dataclass
class Runtime:
    """The components that routes and background tasks use."""

    settings: Settings
    database: Database
    store: Store
    bus: InProcessBus | RedisBus
    screenshots: Screenshots
    browsers: Browsers
    agents: AgentFactory
    runner: AgentRunner
    commands: RunCommands
    retention: Retention
    preferences: Preferences
    models: ModelMenu
    files: SessionFiles
    channels: Channels
    presence: Presence
    automations: Automations
    scheduler: Scheduler
    use: SoleUse | None = None
    """The right to use the database on PostgreSQL."""
    by_hand: dict[str, ByHand] = field(default_factory=dict)
    """By session: the newest observation, if its browser is controlled manually."""
    shared: Shared | None = None
    """With several processes: what belongs to that."""
    receipts: Receipts = field(default_factory=Receipts)
    """Results of WebSocket frames that carry a client-chosen id."""
    background: BackgroundTasks = field(default_factory=BackgroundTasks)
    """What a request has begun and does not wait for."""

    @property
    def current_settings(self) -> Settings:
        return self.preferences.current

    async def problem(self) -> str | None:
        """Why messages cannot be accepted now; None if they can."""
        if self.runner.is_draining:
            return "The server is going down."
        if problem := await self.database.problem():
            return problem
        if self.use and self.use.problem:
            return self.use.problem
        if self.shared:
            try:
                await self.shared.bus.ping()
            except Unavailable as error:
                return error.detail
        if self.settings.role == "web":
            return None
        return shortage(self.settings.data_dir, self.settings.min_free_disk) or await self.browsers.ready()

    async def drain(self, seconds: float) -> None:
        """End or hand back all runs, then end all streams."""
        if self.shared:
            await self.shared.runs.announce_drain()
        await self.runner.drain(seconds)
        self.bus.close()


@asynccontextmanager
async def open_runtime(settings: Settings) -> AsyncIterator[Runtime]:
    """Create all components; close them in reverse order on exit. Raises NotReady."""
    async with AsyncExitStack() as stack:
        store, use = await _open_store(stack, settings)
        preferences = Preferences(settings, store)
        await preferences.load()
        browsers, shared_browsers = _open_browsers(preferences.current, store)
        stack.push_async_callback(browsers.aclose)
        checkpoints = _open_checkpoints(settings, store)
        stack.push_async_callback(checkpoints.aclose)
        executions: dict[str, Execution] = {}
        bus = await _open_bus(stack, settings, executions)
        screenshots = Screenshots(settings.screenshots, settings.screenshot_url_prefix)
        agents = AgentFactory(
            lambda: preferences.current, _model_builder(preferences), browsers, checkpoints,
            continues=store.ownership.continues,
        )  # fmt: skip
        preferences.listeners += [browsers.configure, lambda _: agents.rebuild()]
        recorder = RunRecorder(settings, store, bus)
        icons = SiteIcons(store, browsers, screenshots, recorder)
        stack.callback(icons.close)
        recorder.page_listeners.append(icons.note_page)
        queue = _queue_for(settings, store)
        runner = AgentRunner(settings, store, bus, agents, browsers, screenshots, recorder, queue, executions)
        remote = None if isinstance(bus, InProcessBus) else RemoteRuns(store, bus)
        commands = RunCommands(store, bus, agents, browsers, screenshots, recorder, runner, remote)
        retention = Retention(store, commands)
        files = SessionFiles(lambda session_id: settings.downloads_dir / session_id)
        presence = Presence()
        channels = Channels(store, preferences, lambda: Reach.of(preferences.current, browsers.own_ports))
        delivery = Delivery(
            store, channels, presence, lambda: preferences.current.public_address,
            zone=lambda: preferences.current.time_zone,
        )  # fmt: skip
        stack.push_async_callback(delivery.aclose)
        scheduler = Scheduler(store, runner, recorder, agents.read_state, retention.purge)
        runtime = Runtime(
            settings, store.database, store, bus, screenshots, browsers, agents, runner, commands, retention,
            preferences, ModelMenu(lambda: preferences.current), files,
            channels, presence, Automations(store, scheduler), scheduler, use,
        )  # fmt: skip
        retention.on_purge.append(lambda session_id: runtime.by_hand.pop(session_id, None))
        stack.push_async_callback(runtime.background.end, BACKGROUND_SECONDS)
        stack.enter_context(log_stalls())
        tasks = await _take_over_runs(stack, runtime, recorder, shared_browsers)
        tasks += _follow_runs(runtime, recorder, delivery)
        if use:
            tasks.append(use.keep())
        for task in tasks:
            stack.callback(asyncio.create_task(task).cancel)
        stack.push_async_callback(runner.drain, 0)
        yield runtime


async def _open_store(stack: AsyncExitStack, settings: Settings) -> tuple[Store, SoleUse | None]:
    """The store on the migrated database, and the right to use that, on PostgreSQL. Raises NotReady."""
    keep_private(settings.data_dir)
    try:
        installation = stack.enter_context(owned_installation(settings.data_dir))
    except OSError as error:
        raise NotReady(f"{error.filename} cannot be opened: {error.strerror}", is_final=True) from None
    database = Database(settings)
    stack.push_async_callback(database.aclose)
    await prepare_database(database, settings)
    use, is_alone = await _take_database(stack, database, settings)
    if not settings.is_shared:
        name = process_name(installation)
        ownership = Ownership(name, continues=bool(settings.browser_hosts))
        return Store(database, name, is_alone=is_alone, ownership=ownership), use
    from server.store.jobs import put_job

    owner = process_name()
    ownership = Ownership(owner, enqueue=put_job, lease_seconds=settings.run_lease)
    return Store(database, owner, ownership=ownership), use


async def _take_database(
    stack: AsyncExitStack, database: Database, settings: Settings
) -> tuple[SoleUse | None, bool]:
    """The right to use the database, on PostgreSQL; whether all other processes that used it are gone, on SQLite.

    Raises NotReady while another process has it.
    """
    if settings.is_sqlite:
        # While this process holds the lock of the SQLite file, all others are gone.
        holder = stack.enter_context(held(database.file.with_name(f"{database.file.name}.lock")))
        if holder == "elsewhere":
            raise NotReady(IN_USE)
        return None, holder == "here"
    from server.database.sole_use import SoleUse

    use = SoleUse(settings.database, is_shared=settings.is_shared)
    stack.push_async_callback(use.aclose)
    await use.acquire()
    return use, False


def _open_checkpoints(settings: Settings, store: Store) -> Checkpoints:
    if settings.checkpointer == "memory":
        return Checkpoints(MemoryTables())
    return Checkpoints(DatabaseTables(store.database, store.is_executed_here))


async def _take_over_runs(
    stack: AsyncExitStack,
    runtime: Runtime,
    recorder: RunRecorder,
    shared_browsers: SharedBrowsers | None,
) -> list[Coroutine[None, None, None]]:
    """End or continue the runs of former processes; with several processes, become one of them.

    Returns the background tasks that do the same while the server runs.
    """
    store, bus, browsers = runtime.store, runtime.bus, runtime.browsers
    clock = PlausibleClock(await store.last_touched())  # before recovery, which stores the current time
    if shared_browsers is None or isinstance(bus, InProcessBus):
        has_browser = browsers.has_outlived if store.ownership.continues else None
        recovery = Recovery(store, bus, recorder, runtime.runner, has_browser)
        await recovery.recover()
        return background_tasks(runtime, recovery, clock)
    bus.on_broadcast("presence", runtime.presence.share(partial(bus.broadcast, "presence")))
    shared = SharedRuns(
        runtime.settings, store, bus, runtime.runner, runtime.commands, browsers, runtime.preferences.reload
    )
    runtime.shared = Shared(shared, shared_browsers, bus)
    await shared.begin()  # the other processes know this one before it takes jobs
    stack.push_async_callback(shared.end)
    await stack.enter_async_context(cast("PgRunQueue", runtime.runner.queue))
    return shared_tasks(runtime, shared, clock)


def _follow_runs(
    runtime: Runtime, recorder: RunRecorder, delivery: Delivery
) -> list[Coroutine[None, None, None]]:
    """Let questions and ends of runs reach channels and automations. Returns the background tasks for it."""
    scheduler = runtime.scheduler
    if isinstance(runtime.bus, InProcessBus):
        runtime.bus.listeners.append(
            lambda stamped: delivery.wake() if isinstance(stamped.event, Interrupt) else None
        )
        recorder.end_listeners.append(lambda ended: delivery.wake() if ended.is_reported else None)
        recorder.end_listeners.append(scheduler.note_end)
    if runtime.settings.role == "worker":  # it does not know whether the person looks
        return []
    return [delivery.run(), scheduler.run()]


async def _open_bus(
    stack: AsyncExitStack, settings: Settings, executions: Mapping[str, Execution]
) -> InProcessBus | RedisBus:
    if settings.redis_url is None:
        bus = InProcessBus()
        stack.callback(bus.close)
        return bus

    from server.stream.redis_bus import RedisBus

    def keyframe_of(session_id: str) -> JsonObject | None:
        execution = executions.get(session_id)
        return execution.unfinished() if execution else None

    return await stack.enter_async_context(RedisBus(settings.redis_url, keyframe_of=keyframe_of))


def _queue_for(settings: Settings, store: Store) -> Callable[[Execute], RunQueue] | None:
    if not settings.is_shared:
        return None
    from server.runs.pg_queue import PgRunQueue

    slots = 0 if settings.role == "web" else settings.max_runs
    return lambda execute: PgRunQueue(
        execute, settings.database, worker_id=store.owner, slots=slots, lease_seconds=settings.run_lease
    )


def _open_browsers(settings: Settings, store: Store) -> tuple[Browsers, SharedBrowsers | None]:
    if not settings.is_shared:
        hosts = _open_hosts(settings, store) if settings.browser_hosts else None
        return _open_own_browsers(settings, hosts), None
    from server.runs.shared_browsers import Peers, SharedBrowsers

    hosts = _open_hosts(settings, store) if settings.browser_hosts else None
    local = None if settings.role == "web" else _open_own_browsers(settings, hosts)
    shared = SharedBrowsers(settings, store, Peers(settings), local, hosts)
    return shared, shared


def _open_own_browsers(settings: Settings, hosts: HostChromiums | None) -> Browsers:
    if settings.is_mock:
        from server.browser.mock.pool import MockBrowsers

        return MockBrowsers(settings)
    from server.browser.pool import BrowserPool

    return BrowserPool(settings, chromiums=hosts, inner_sites=_inner_sites(settings))


def _inner_sites(settings: Settings) -> InnerSites:
    if not settings.sample_site:
        return {}
    from server.extras.sample_site.site import HOST, SampleSite

    return {HOST: SampleSite().connect}


def _open_hosts(settings: Settings, store: Store) -> HostChromiums:
    from server.browser.host.chromiums import HostChromiums

    async def next_epoch(session_id: str) -> tuple[int, str | None]:
        try:
            return await store.raise_browser_epoch(session_id)
        except AppError as error:
            raise BrowserUnavailable(error.detail) from error

    return HostChromiums(settings, Profiles(settings), next_epoch, store.set_browser_host, name=store.owner)


def _model_builder(preferences: Preferences) -> Any:
    if preferences.base.is_mock:
        from server.agent.mock_model import ScriptedChatModel

        return lambda name: ScriptedChatModel()
    return lambda name: build_chat_model(name, preferences.current)
