"""The composition root: creates and closes all components, and selects mocks in mock mode."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from server.agent.gate.by_hand import ByHand
from server.agent.logins import NoVault, Vault
from server.agent.model_menu import ModelMenu
from server.agent.models.chat_model import build_chat_model, is_demo
from server.automations.automations import Automations
from server.automations.scheduler import Scheduler
from server.browser.browsers import Browsers
from server.browser.chromium.profiles import Profiles
from server.browser.chromium.reach import Reach
from server.channels.channels import Channels
from server.channels.delivery import Delivery
from server.channels.presence import Presence
from server.checkpoints import Checkpoints, DatabaseTables, MemoryTables
from server.cluster import Cluster, SoleProcess
from server.database import Database
from server.events import Interrupt
from server.files.screenshots import Screenshots
from server.files.session_files import SessionFiles
from server.fs.disk import shortage
from server.http.idempotency import Receipts
from server.knowledge.knowledge import KnowledgeBook
from server.ops.background_tasks import BackgroundTasks
from server.ops.loop_watchdog import log_stalls
from server.preferences import Preferences
from server.runs.agents import AgentFactory
from server.runs.commands import RunCommands
from server.runs.executed import OwnRuns
from server.runs.execution import Execution
from server.runs.executor import Executor
from server.runs.kept_sites import KeptSites
from server.runs.recorder import RunRecorder
from server.runs.retention import Retention
from server.runs.services import RunServices
from server.runs.site_icons import SiteIcons
from server.runs.surroundings import StoredSurroundings
from server.settings import Settings
from server.store import Store
from server.store.kept_sites import KeptSiteStore
from server.store.opening import open_store
from server.stream.bus import EventBus, InProcessBus
from wording.catalogue import sentence

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from server.browser.chromium.egress import InnerSites
    from server.database.sole_use import SoleUse
    from server.extras.hosts.chromiums import HostChromiums
    from server.extras.tools.tool_servers import ToolServers
    from server.extras.vault.book import LoginBook

logger = logging.getLogger(__name__)

DEMO_LABEL = "Demo (built in, rule-based)"
BACKGROUND_SECONDS = 5.0
"""How long a process that ends waits for what requests have begun."""


@dataclass
class Runtime:
    """The components that routes and background tasks use."""

    settings: Settings
    cluster: Cluster
    database: Database
    store: Store
    bus: EventBus
    screenshots: Screenshots
    browsers: Browsers
    agents: AgentFactory
    recorder: RunRecorder
    executor: Executor
    own_runs: OwnRuns
    commands: RunCommands
    retention: Retention
    preferences: Preferences
    models: ModelMenu
    files: SessionFiles
    channels: Channels
    presence: Presence
    automations: Automations
    scheduler: Scheduler
    surroundings: StoredSurroundings
    kept_sites: KeptSites
    knowledge: KnowledgeBook
    tool_servers: ToolServers
    delivery: Delivery
    vault: Vault = field(default_factory=NoVault)
    """The stored logins as agents use them."""
    logins: LoginBook | None = None
    """The same for the person; None where no logins are stored."""
    use: SoleUse | None = None
    """The right to use the database on PostgreSQL."""
    by_hand: dict[str, ByHand] = field(default_factory=dict)
    """By session: the newest observation, if its browser is controlled manually."""
    receipts: Receipts = field(default_factory=Receipts)
    """Results of WebSocket frames that carry a client-chosen id."""
    background: BackgroundTasks = field(default_factory=BackgroundTasks)
    """What a request has begun and does not wait for."""

    @property
    def current_settings(self) -> Settings:
        return self.preferences.current

    async def problem(self) -> str | None:
        """Why messages cannot be accepted now; None if they can."""
        if self.executor.dispatch.is_draining:
            return sentence("server.going_down")
        if problem := await self.database.problem():
            return problem
        if self.use and self.use.problem:
            return self.use.problem
        if problem := await self.cluster.problem():
            return problem
        if self.settings.role == "web":
            return None
        return shortage(self.settings.data_dir, self.settings.min_free_disk) or await self.browsers.ready()

    async def drain(self, seconds: float) -> None:
        """End or hand back all runs, then end all streams."""
        await self.cluster.announce_drain()
        await self.executor.drain(seconds)
        self.bus.close()


@asynccontextmanager
async def open_runtime(settings: Settings) -> AsyncIterator[Runtime]:
    """Create all components; close them in reverse order on exit. Raises NotReady."""
    async with AsyncExitStack() as stack:
        cluster = _cluster_of(settings)
        store, use = await open_store(stack, settings, cluster.ownership)
        preferences = Preferences(settings, store)
        await preferences.load()
        surroundings = StoredSurroundings(store, preferences.secrets)
        vault, logins = await _open_vault(settings, store, preferences)
        kept_sites = KeptSites(KeptSiteStore(store.database), preferences.secrets)
        browsers = _open_browsers(preferences.current, store, cluster, surroundings, kept_sites)
        stack.push_async_callback(browsers.aclose)
        keeps_none = settings.checkpointer == "memory"
        checkpoints = Checkpoints(
            MemoryTables() if keeps_none else DatabaseTables(store.database, store.is_executed_here)
        )
        stack.push_async_callback(checkpoints.aclose)
        executions: dict[str, Execution] = {}
        bus = await cluster.open_bus(stack, executions)
        screenshots = Screenshots(settings.screenshots, settings.screenshot_url_prefix)
        agents = AgentFactory(
            lambda: preferences.current, lambda name: chat_model(name, preferences.current), browsers, checkpoints,
            continues=store.ownership.continues,
        )  # fmt: skip
        preferences.listeners += [browsers.configure, lambda _: agents.rebuild()]
        recorder = RunRecorder(settings, store, bus)
        icons = SiteIcons(store, browsers, screenshots, recorder)
        stack.callback(icons.close)
        recorder.page_listeners.append(icons.note_page)
        knowledge = KnowledgeBook(store, recorder.read_and_announce)
        tool_servers = _tool_servers_of(store, preferences, browsers)
        stack.push_async_callback(tool_servers.aclose)
        services = RunServices(
            settings, store, bus, agents, browsers, screenshots, recorder, knowledge.of_run, vault,
            tool_servers.of_session,
        )  # fmt: skip
        executor = Executor(services, cluster.queue(store), executions)
        own_runs = OwnRuns(executions, bus, browsers, recorder)
        executed = cluster.executed(store, own_runs)
        commands = RunCommands(services, executor, executed)
        commands.decision_listeners.append(knowledge.propose_correction)
        retention = Retention(store, commands)
        files = SessionFiles(lambda session_id: settings.downloads_dir / session_id)
        presence = Presence()
        channels = Channels(store, preferences, lambda: Reach.of(preferences.current, browsers.own_ports))
        delivery = Delivery(
            store, channels, presence, lambda: preferences.current.public_address,
            zone=lambda: preferences.current.time_zone,
        )  # fmt: skip
        stack.push_async_callback(delivery.aclose)
        scheduler = Scheduler(store, executor.dispatch, recorder, agents.read_state, retention.purge)
        runtime = Runtime(
            settings, cluster, store.database, store, bus, screenshots, browsers, agents, recorder, executor, own_runs,
            commands, retention,
            preferences, ModelMenu(lambda: preferences.current, DEMO_LABEL), files,
            channels, presence, Automations(store, scheduler), scheduler, surroundings, kept_sites, knowledge, tool_servers, delivery, vault, logins, use,
        )  # fmt: skip
        retention.on_purge.append(lambda session_id: runtime.by_hand.pop(session_id, None))
        stack.push_async_callback(runtime.background.end, BACKGROUND_SECONDS)
        stack.enter_context(log_stalls())
        tasks = await cluster.join(stack, runtime)
        if logins:
            cluster.share("vault", logins.share)
        tasks += _follow_runs(runtime, delivery)
        if use:
            tasks.append(use.keep())
        for task in tasks:
            stack.callback(asyncio.create_task(task).cancel)
        stack.push_async_callback(executor.drain, 0)
        yield runtime


def _follow_runs(runtime: Runtime, delivery: Delivery) -> list[Coroutine[None, None, None]]:
    """Let questions and ends of runs reach channels and automations. Returns the background tasks for it."""
    scheduler = runtime.scheduler
    if isinstance(runtime.bus, InProcessBus):
        runtime.bus.listeners.append(
            lambda stamped: delivery.wake() if isinstance(stamped.event, Interrupt) else None
        )
        runtime.recorder.end_listeners.append(lambda ended: delivery.wake() if ended.is_reported else None)
        runtime.recorder.end_listeners.append(scheduler.note_end)
    if runtime.settings.role == "worker":  # it does not know whether the person looks
        return []
    return [delivery.run(), scheduler.run()]


def _cluster_of(settings: Settings) -> Cluster:
    if not settings.is_shared:
        return SoleProcess(settings)
    from server.extras.cluster.process import ProcessOfSeveral

    return ProcessOfSeveral(settings)


def _open_browsers(
    settings: Settings,
    store: Store,
    cluster: Cluster,
    surroundings: StoredSurroundings,
    kept_sites: KeptSites,
) -> Browsers:
    hosts = _open_hosts(settings, store) if settings.browser_hosts else None
    return cluster.browsers(
        store, partial(_open_own_browsers, settings, hosts, surroundings, kept_sites), hosts
    )


def _open_own_browsers(
    settings: Settings, hosts: HostChromiums | None, surroundings: StoredSurroundings, kept_sites: KeptSites
) -> Browsers:
    if settings.is_mock:
        from server.extras.mock.pool import MockBrowsers

        return MockBrowsers(settings)
    from server.browser.pool import BrowserPool
    from server.extras.tools.servers import server_of

    return BrowserPool(
        settings,
        chromiums=hosts,
        inner_sites=_inner_sites(settings),
        server=server_of(settings),
        surroundings=surroundings.find,
        prepare=kept_sites.prepare,
    )


async def _open_vault(
    settings: Settings, store: Store, preferences: Preferences
) -> tuple[Vault, LoginBook | None]:
    if not settings.vault:
        return NoVault(), None
    from server.extras.vault.opening import open_vault

    vault, logins = await open_vault(settings, store, preferences.secrets)
    return NoVault() if settings.is_mock else vault, logins


def _tool_servers_of(store: Store, preferences: Preferences, browsers: Browsers) -> ToolServers:
    from server.extras.tools.tool_servers import ToolServers

    return ToolServers(
        store, preferences.secrets, lambda: preferences.current, lambda: Reach.of(preferences.current, browsers.own_ports)
    )  # fmt: skip


def _inner_sites(settings: Settings) -> InnerSites:
    if not settings.sample_site:
        return {}
    from server.extras.sample_site.site import HOST, SampleSite

    return {HOST: SampleSite().connect}


def _open_hosts(settings: Settings, store: Store) -> HostChromiums:
    from server.extras.hosts.chromiums import HostChromiums

    return HostChromiums(
        settings, Profiles(settings), store.raise_browser_epoch, store.set_browser_host, name=store.owner
    )


def chat_model(name: str, settings: Settings) -> BaseChatModel:
    """The chat model of that name: a provider's, the demo, or in mock mode the scripted one.

    Raises ModelNotConfigured.
    """
    if settings.is_mock:
        from server.extras.mock.model import ScriptedChatModel

        return ScriptedChatModel()
    if is_demo(name):
        from server.extras.demo.model import DemoChatModel

        return DemoChatModel()
    return build_chat_model(name, settings)
